import pytest

from ui.charts.segments import SegmentWords, segments

WORDS = SegmentWords("component", "value", "head")


def layers(spec):
    for layer in spec["layer"]:
        yield from layers(layer) if "layer" in layer else [layer]


def drawn(d_model=12, n_heads=3, series=2):
    spec = segments(d_model, n_heads, WORDS, series, 100).to_dict()
    return {layer["mark"]["type"]: layer for layer in layers(spec)}


def test_every_component_has_its_place_between_0_and_d_model():
    bar = drawn()["rect"]
    assert bar["encoding"]["x"]["scale"] == {"domain": [0, 12], "nice": False}
    assert bar["encoding"]["y"]["field"] == "value"
    assert bar["encoding"]["y2"]["field"] == "zero"
    assert {"calculate": "2", "as": "series"} in bar["transform"]


def test_heads_are_numbered_and_cut_apart_where_they_meet():
    marks = drawn()
    assert marks["rule"]["data"]["sequence"] == {"start": 0, "stop": 3, "as": "head"}
    assert {"calculate": "datum.head * 4.0", "as": "left"} in marks["rule"]["transform"]
    assert {"filter": "datum.head > 0"} in marks["rule"]["transform"]
    assert marks["text"]["encoding"]["text"]["field"] == "number"


def test_one_head_has_nothing_to_cut():
    assert set(drawn(n_heads=1)) == {"rect"}


@pytest.mark.parametrize(("d_model", "gap"), [(64, "0.1"), (512, "0")])
def test_many_components_leave_no_gaps(d_model, gap):
    transform = drawn(d_model=d_model)["rect"]["transform"]
    assert {"calculate": f"datum.component + {gap}", "as": "x1"} in transform
