from ui.charts.histogram import HistogramWords, bars

WORDS = HistogramWords("score", "density", "draws", "exact", "normal law", "mean ± 1")
SPEC = bars(WORDS, 200).to_dict()


def layers(data):
    return [layer for layer in SPEC["layer"] if layer["data"]["name"] == data]


def test_bars_reach_from_edge_to_edge_and_from_zero_to_their_density():
    (layer,) = layers("bins")
    encoding = layer["encoding"]
    assert [encoding[place]["field"] for place in ("x", "x2", "y")] == ["low", "high", "density"]
    assert encoding["y2"] == {"datum": 0}
    assert {tip["field"] for tip in encoding["tooltip"]} == {"low", "high", "count", "density"}


def test_both_axes_follow_the_data_without_a_change_of_specification():
    for layer in SPEC["layer"]:
        for place in ("x", "y"):
            assert "domain" not in layer["encoding"].get(place, {}).get("scale", {})
    assert bars(WORDS, 200).to_dict() == SPEC


def test_the_two_curves_differ_by_their_dash_and_only_those_drawn_are_in_the_legend():
    (layer,) = layers("curves")
    dash = layer["encoding"]["strokeDash"]
    assert dash["scale"] == {"range": [[5, 4], [1, 0]]}
    assert dash["legend"]["labelExpr"] == '["normal law", "exact"][datum.value]'
    assert layer["encoding"]["color"]["scale"]["range"] == "ramp"


def test_the_band_carries_its_name_above_the_plot():
    band, name = layers("band")
    assert band["mark"]["color"] == "gray"
    assert name["mark"]["type"] == "text"
    assert "mean ± 1" in str(name["transform"])
    assert name["encoding"]["y"] == {"value": 0}


def test_what_was_measured_has_the_fourth_colour_of_the_theme():
    (layer,) = layers("bins")
    colour = layer["encoding"]["color"]["scale"]
    assert colour == {"domain": ["query", "key", "value", "measured"], "range": "category"}
