"""Vectors in the plane: what is drawn from where to where, and that a unit is a unit in both directions."""

import pytest

from ui.charts.plane import arrows, mixture

NAMES = ("it", "animal", "길을")
REACH = (3.2, 2.4)


def marks(chart):
    """Every mark of the chart, by the kind of mark."""
    found = {}

    def walk(spec):
        for layer in spec.get("layer", [spec]):
            if "layer" in layer:
                walk(layer)
            else:
                found.setdefault(layer["mark"]["type"], []).append(layer)

    walk(chart.to_dict())
    return found


def test_arrows_leave_the_origin_and_the_query_lies_on_top():
    drawn = marks(arrows(NAMES, "living", "place", REACH, 200))
    keys, query = drawn["rule"]
    for arrow, whose in ((keys, "datum.item != 0"), (query, "datum.item == 0")):
        assert (arrow["encoding"]["x2"], arrow["encoding"]["y2"]) == ({"datum": 0}, {"datum": 0})
        assert {"filter": whose} in arrow["transform"]
    assert query["mark"]["strokeWidth"] > keys["mark"]["strokeWidth"]
    assert len(drawn["point"]) == 2


@pytest.mark.parametrize("chart", [arrows(NAMES, "x", "y", REACH, 200), mixture(NAMES, "output", REACH, 200)])
def test_a_unit_is_as_long_to_the_right_as_upward(chart):
    for layers in marks(chart).values():
        for layer in layers:
            for channel, size in (("x", "width"), ("y", "height")):
                scale = layer["encoding"][channel]["scale"]
                low, high = scale["domainMin"]["expr"], scale["domainMax"]["expr"]
                assert low == f"-{high}"
                for width, height in ((200, 200), (500, 200), (150, 700)):
                    here = {"max": max, "width": width, "height": height}
                    right = eval(marks(chart)["rule"][0]["encoding"]["x"]["scale"]["domainMax"]["expr"], here)
                    assert eval(high, here) / here[size] == pytest.approx(right / width)
                    assert eval(high, here) >= REACH[channel == "y"] - 1e-9


def test_the_lines_of_a_mixture_end_in_the_mean_and_are_as_thick_as_the_weight():
    drawn = marks(mixture(NAMES, "output", REACH, 200))
    (pull,) = drawn["rule"]
    encoding = pull["encoding"]
    assert (encoding["x"]["field"], encoding["x2"]["field"]) == ("x", "out_x")
    assert (encoding["y"]["field"], encoding["y2"]["field"]) == ("y", "out_y")
    assert encoding["strokeWidth"]["field"] == "weight"
    assert encoding["strokeWidth"]["scale"]["domain"] == [0, 1]
    assert {"filter": "datum.weight > 0"} in pull["transform"]


def test_query_and_keys_and_values_have_their_own_colours():
    assert marks(arrows(NAMES, "x", "y", REACH, 200))["rule"][0]["encoding"]["color"]["field"] == "series"
    mixed = marks(mixture(NAMES, "output", REACH, 200))["rule"][0]
    assert any(step.get("as") == "series" and step["calculate"] == "2" for step in mixed["transform"])
