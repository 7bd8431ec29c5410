"""Curves: what tells them apart, what is marked, and where their names stand."""

import itertools

import numpy as np
import pytest

from ui import tidy
from ui.charts.bars import BarWords, weights
from ui.charts.lines import Axis, lines

NAMES = tuple("abcdefghijk")
TIME = Axis("time", (1, 100), log=True, ticks=((1, "start"), (10, "10"), (100, "∞")))
SIZE = Axis("size", (0, 7))


def layers(*arguments):
    """Every mark of the chart with its encoding, by the name of its data."""
    found = {}

    def walk(spec):
        for layer in spec.get("layer", [spec]):
            if "layer" in layer:
                walk(layer)
            else:
                found[layer["data"]["name"], layer["mark"]["type"]] = layer

    walk(lines(*arguments).to_dict())
    return found


def test_every_frame_has_its_mark():
    assert set(layers(NAMES, TIME, SIZE, 200)) == {
        ("now", "rule"),
        ("marks", "rule"),
        ("marks", "text"),
        ("curves", "line"),
        ("points", "point"),
        ("labels", "point"),
        ("labels", "text"),
    }


def test_curves_differ_in_more_than_colour():
    drawn = layers(NAMES, TIME, SIZE, 200)
    line, point = drawn["curves", "line"]["encoding"], drawn["points", "point"]["encoding"]
    dashes, shapes = line["strokeDash"]["scale"]["range"], point["shape"]["scale"]["range"]
    assert len(dashes) == len(shapes) == len(NAMES)
    colours = [i % 6 for i in range(len(NAMES))]  # the theme has six
    for style in (map(str, dashes), shapes):
        assert len(set(zip(colours, style, strict=True))) == len(NAMES)
    assert all(one != next_ for one, next_ in itertools.pairwise(dashes))
    assert line["color"] == point["color"]


def test_no_legend_is_drawn_and_the_names_stand_beside_the_curves():
    drawn = layers(NAMES, TIME, SIZE, 200)
    for layer in drawn.values():
        assert all(
            layer["encoding"][c]["legend"] is None for c in ("color", "shape", "strokeDash") if c in layer["encoding"]
        )
    assert drawn["labels", "text"]["encoding"]["text"]["field"] == "name"


def test_axes_follow_their_law_domain_and_ticks():
    encoding = layers(NAMES, TIME, SIZE, 200)["curves", "line"]["encoding"]
    x, y = encoding["x"], encoding["y"]
    assert (x["scale"]["type"], x["scale"]["domain"], x["title"]) == ("log", [1, 100], "time")
    assert x["axis"]["values"] == [1, 10, 100]
    assert x["axis"]["labelExpr"] == '{"1": "start", "10": "10", "100": "∞"}[datum.value]'
    assert (y["scale"].get("type"), y["scale"]["domain"], y["scale"]["zero"]) == (None, [0, 7], False)


def test_an_axis_without_a_domain_takes_the_data_and_one_without_a_title_is_not_drawn():
    encoding = layers(NAMES, Axis("x"), Axis(None), 200)["curves", "line"]["encoding"]
    assert "domain" not in encoding["x"]["scale"]
    assert encoding["y"]["axis"] is None


def test_a_name_that_looks_like_code_stays_a_name():
    name = """a"] + 'b'\\ ${x}"""
    calculated = layers((name,), TIME, SIZE, 200)["curves", "line"]["transform"][0]["calculate"]
    assert calculated == '["a\\"] + \'b\'\\\\ ${x}"][datum.series]'


def test_bars_take_the_colours_of_the_curves():
    words = BarWords("key", "weight", "blocked")
    bar = weights(NAMES, words, 200, True).to_dict()["layer"][0]
    curve = layers(NAMES, TIME, SIZE, 200)["curves", "line"]
    assert bar["encoding"]["color"]["scale"] == curve["encoding"]["color"]["scale"]
    assert "color" not in weights(NAMES, words, 200).to_dict()["layer"][0]["encoding"]


def test_tidy_curves_share_one_x_or_have_one_each():
    shared = tidy.curves(np.array([1, 2]), np.array([[3, 4], [5, 6], [7, 8]]))
    assert shared["series"].tolist() == [0, 0, 1, 1, 2, 2]
    assert shared["x"].tolist() == [1, 2] * 3
    assert shared["y"].tolist() == [3, 4, 5, 6, 7, 8]
    own = tidy.curves(np.array([[1, 2], [3, 4]]), [np.array([5, 6]), np.array([7, 8])])
    assert own["x"].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "values", [[0.3] * 5, [0, 0.01, 0.02, 0.9, 0.91], [5, 3, 1, -1, -3], [0.2, 0.1, 0.3, 0.1, 0.2]]
)
def test_names_keep_apart_in_the_order_of_their_curves_and_near_them(values):
    placed = tidy.labels(7, np.array(values), 0.1)["y"].to_numpy()
    order = np.lexsort((-np.arange(5), values))
    assert (np.diff(placed[order]) >= 0.1 - 1e-6).all()
    assert np.abs(placed - values).max() <= 0.1 * 4
    assert placed.mean() == pytest.approx(np.mean(values), abs=0.1)


def test_names_with_room_stand_at_their_curves():
    np.testing.assert_allclose(tidy.labels(7, np.array([1, 3, 2]), 0.5)["y"], [1, 3, 2])


def test_names_stay_above_the_lowest_place():
    placed = tidy.labels(7, np.array([0.0, 0, 0, 1]), 0.1, lowest=0.02)["y"].to_numpy()
    np.testing.assert_allclose(placed, [0.22, 0.12, 0.02, 1], atol=1e-6)
