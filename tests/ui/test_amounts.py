from ui.charts.amounts import ROOM, AmountWords, amounts

WORDS = AmountWords("part", "multiply-adds")


def layers(spec):
    for layer in spec["layer"]:
        yield from layers(layer) if "layer" in layer else [layer]


def drawn(most=None, labels=("scores", "n² $x$")):
    spec = amounts(labels, WORDS, most, 120).to_dict()
    return {layer["mark"]["type"]: layer for layer in layers(spec)}


def test_a_bar_has_its_length_its_colour_and_its_number():
    bar, number = drawn()["bar"], drawn()["text"]
    assert bar["encoding"]["x"]["field"] == "value"
    assert bar["encoding"]["color"]["scale"] == {"domain": [0, 1, 2, 3, 4, 5], "range": "category"}
    assert number["encoding"]["text"]["field"] == "said"
    assert number["encoding"]["y"] == bar["encoding"]["y"]


def test_names_are_drawn_by_position_and_none_is_left_out():
    axis = drawn()["bar"]["encoding"]["y"]["axis"]
    assert axis["labelExpr"] == '["scores", "n\\u00b2 $x$"][datum.value]'
    assert axis["labelOverlap"] is False


def test_a_bound_fixes_the_scale_and_ends_its_ticks():
    x = drawn(most=2.0)["bar"]["encoding"]["x"]
    assert x["scale"]["domain"] == [0, 2.0 * ROOM]
    assert x["axis"]["values"] == [0, 1.0, 2.0]
    assert "point" not in drawn(most=2.0)


def test_without_a_bound_the_longest_bar_leaves_room_for_its_number():
    marks = drawn()
    assert "domain" not in marks["bar"]["encoding"]["x"]["scale"]
    assert marks["point"]["encoding"]["x"]["field"] == "room"
    assert marks["point"]["mark"]["opacity"] == 0


def test_one_chart_has_one_specification_whatever_its_numbers():
    assert amounts(("a",), WORDS, None, 90).to_dict() == amounts(("a",), WORDS, None, 90).to_dict()
