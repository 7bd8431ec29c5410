import pytest

from ui.charts.bars import BarWords, side_by_side
from ui.charts.lines import Axis, lines


def layers(spec):
    for layer in spec["layer"]:
        yield from layers(layer) if "layer" in layer else [layer]


def drawn(n=3):
    return list(layers(side_by_side(("a", "b"), n, BarWords("key", "weight", ""), 100).to_dict()))


def calculated(layer):
    return {step["as"]: step["calculate"] for step in layer["transform"] if "calculate" in step}


def test_groups_follow_each_other_with_a_gap_on_the_fixed_domain_of_weights():
    (bars,) = (layer for layer in drawn() if layer["mark"]["type"] == "rect" and layer["data"]["name"] == "bars")
    assert calculated(bars)["left"] == "datum.series * 4.6 + datum.key + 0.1"
    assert bars["encoding"]["y"]["scale"] == {"domain": [0, 1]}
    assert bars["encoding"]["x"]["scale"]["domain"] == [-0.7, pytest.approx(2 * 4.6 - 0.8)]
    assert bars["encoding"]["color"]["scale"] == {"domain": [0, 1], "range": "category"}


def test_every_group_is_named_once_above_its_bars():
    titles = [layer for layer in drawn() if layer["encoding"].get("text", {}).get("field") == "name"]
    assert len(titles) == 1
    assert {"filter": "datum.key == 0"} in titles[0]["transform"]
    assert calculated(titles[0])["name"] == '["a", "b"][datum.series]'


def test_the_picked_group_is_framed():
    (frame,) = (layer for layer in drawn() if layer["data"]["name"] == "picked")
    assert frame["mark"]["fillOpacity"] == 0


def test_only_the_first_number_of_a_group_stays_where_there_is_no_room():
    numbers = [layer for layer in drawn() if layer["encoding"].get("text", {}).get("field") == "value"]
    first, others = numbers
    assert {"filter": "datum.key == 0"} in first["transform"]
    assert "opacity" not in first["mark"]
    assert "width" in others["mark"]["opacity"]["expr"]


def test_a_named_place_is_a_dotted_rule_with_its_name_above():
    spec = lines(("a",), Axis("x"), Axis("y"), 100).to_dict()
    rule, name = (layer for layer in layers(spec) if layer["data"]["name"] == "marks")
    assert rule["mark"]["type"] == "rule"
    assert rule["mark"]["strokeDash"]
    assert name["encoding"]["text"]["field"] == "name"
    assert name["encoding"]["y"]["value"] < 0
