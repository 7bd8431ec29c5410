"""Vectors step by step, and the cosines beside them."""

import numpy as np

from ui import tidy
from ui.charts.vectors import KeptWords, VectorWords, kept, vectors

NAMES = ("X", "A = Attention(X)", 'Z = "X" + A')
WORDS = VectorWords("step", "component", "value", "band: mean")
WAYS = KeptWords(("with", "without"), "step", "cosine")


def layers(chart):
    """Every mark with its encoding, in the order of drawing."""

    def walk(spec):
        for layer in spec["layer"]:
            yield from walk(layer) if "layer" in layer else [layer]

    return list(walk(chart.to_dict()))


def of(chart, mark):
    return [layer for layer in layers(chart) if layer["mark"]["type"] == mark]


def test_rows_of_both_charts_stand_at_the_same_heights():
    one, two = vectors(NAMES, 16, WORDS), kept(NAMES, WAYS)
    assert one.to_dict()["height"] == two.to_dict()["height"]
    scales = [
        layer["encoding"]["y"]["scale"]
        for chart in (one, two)
        for layer in layers(chart)
        if "scale" in layer["encoding"].get("y", {})
    ]
    assert all(scale == scales[0] for scale in scales)
    assert scales[0]["domain"] == [-0.5, 3]
    assert scales[0]["reverse"]
    zeros = [
        t["calculate"]
        for chart in (one, two)
        for layer in layers(chart)
        for t in layer.get("transform", [])
        if "0.66" in str(t)
    ]
    assert set(zeros) == {"datum.row + 0.66"}


def test_a_bar_grows_from_zero_by_its_share_and_no_bar_reaches_the_next_name():
    bars = next(layer for layer in of(vectors(NAMES, 16, WORDS), "rect") if layer["data"]["name"] == "components")
    calculated = {t["as"]: t["calculate"] for t in bars["transform"]}
    assert calculated["end"] == "datum.zero - 0.33 * datum.share"
    assert 0.66 + 0.33 <= 1
    assert bars["encoding"]["y2"]["field"] == "end"
    assert bars["encoding"]["x"]["scale"]["domain"] == [0, 16]
    assert [t["field"] for t in bars["encoding"]["tooltip"]] == ["name", "number", "value"]


def test_names_survive_quotes():
    assert '\\"X\\"' in str(vectors(NAMES, 16, WORDS).to_dict()["layer"][0]["transform"]).replace("\\\\", "\\")


def test_the_two_ways_differ_in_more_than_colour_and_have_no_legend():
    line, point = of(kept(NAMES, WAYS), "line")[0]["encoding"], of(kept(NAMES, WAYS), "point")[0]["encoding"]
    assert len({str(dash) for dash in line["strokeDash"]["scale"]["range"]}) == 2
    assert len(set(point["shape"]["scale"]["range"])) == 2
    assert all(channel["legend"] is None for channel in (line["strokeDash"], line["color"], point["shape"]))


def test_cosines_are_read_on_the_whole_scale_and_go_down_the_rows():
    line = of(kept(NAMES, WAYS), "line")[0]["encoding"]
    assert line["x"]["scale"]["domain"] == [-1, 1]
    assert line["order"]["field"] == "row"


def test_each_way_has_its_numbers_in_a_column_under_its_name():
    texts = of(kept(NAMES, WAYS), "text")
    numbers = [text for text in texts if text["encoding"]["text"].get("format") == ".2f"]
    titles = [text for text in texts if text["encoding"]["text"]["field"] == "way"]
    assert [text["mark"]["dx"] for text in numbers] == [text["mark"]["dx"] for text in titles]
    for series, (number, title) in enumerate(zip(numbers, titles, strict=True)):
        for text in (number, title):
            assert f"datum.series == {series}" in str(text["transform"])


def test_shares_are_of_the_largest_component_of_all_vectors():
    frame = tidy.vectors(np.array([[1.0, -4.0, 2.0], [0.0, 2.0, 0.0]]), [3, 4])
    assert frame["share"].tolist() == [0.25, -1, 0.5, 0, 0.5, 0]
    assert frame["row"].tolist() == [0, 0, 0, 1, 1, 1]
    assert frame["component"].tolist() == [0, 1, 2] * 2
    assert frame["series"].tolist() == [3] * 3 + [4] * 3
    assert tidy.vectors(np.zeros((1, 2)), [3])["share"].tolist() == [0, 0]
