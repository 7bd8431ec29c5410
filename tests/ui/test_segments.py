import numpy as np
import pytest

from ui import tidy
from ui.charts.segments import SegmentWords, segments

WORDS = SegmentWords("component", "value", "head")


def layers(spec):
    for layer in spec["layer"]:
        yield from layers(layer) if "layer" in layer else [layer]


def drawn(series=2):
    return {layer["mark"]["type"]: layer for layer in layers(segments(WORDS, series, 100).to_dict())}


def test_every_component_has_its_place_in_the_whole():
    bar = drawn()["rect"]
    assert bar["encoding"]["x"]["scale"] == {"domain": [0, 1], "nice": False}
    assert bar["encoding"]["y"]["field"] == "value"
    assert bar["encoding"]["y2"]["field"] == "zero"
    assert {"calculate": "2", "as": "series"} in bar["transform"]
    rows = tidy.components(np.arange(12.0), 3)
    assert rows["head"].tolist() == [1] * 4 + [2] * 4 + [3] * 4
    np.testing.assert_allclose((rows["start"] + rows["end"]) / 2, (np.arange(12) + 0.5) / 12 + 0.0, atol=1e-7)


def test_heads_are_numbered_and_cut_apart_where_they_meet():
    marks = drawn()
    assert {"filter": "datum.left > 0"} in marks["rule"]["transform"]
    assert marks["text"]["encoding"]["text"]["field"] == "head"
    rows = tidy.cuts(4)
    assert rows["left"].tolist() == [0, 0.25, 0.5, 0.75]
    assert rows["middle"].tolist() == [0.125, 0.375, 0.625, 0.875]
    assert rows["head"].tolist() == [1, 2, 3, 4]


def test_one_head_has_nothing_to_cut():
    assert tidy.cuts(1).empty


@pytest.mark.parametrize(("d_model", "gap"), [(64, 0.1), (512, 0)])
def test_many_components_leave_no_gaps(d_model, gap):
    rows = tidy.components(np.zeros(d_model), 1)
    np.testing.assert_allclose(
        (rows["start"].to_numpy()[1:] - rows["end"].to_numpy()[:-1]) * d_model, 2 * gap, atol=1e-4
    )
