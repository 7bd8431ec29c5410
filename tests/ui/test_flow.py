"""Matrices side by side: places, shades, and what a click tells."""

import json

import numpy as np

from ui import tidy
from ui.charts.flow import Block, FlowWords, flow
from ui.charts.tokens import PICK

BLOCKS = (
    Block("H 2×3", "", "", ("x", "y", "z")),
    Block("Q 2×1", "· W_Q", "3×1", ("q",), series=0),
    Block("A 2×2", "softmax", "", ("one", "two"), kind="weight"),
)
WORDS = FlowWords("matrix", "row", "column", "value")


def spec(head=146):
    return flow(("one", "two"), BLOCKS, ((0, 1), (1, 2)), WORDS, 24, head).to_dict()


def test_weights_take_the_ramp_and_everything_else_the_diverging_colours_around_zero():
    scales = {
        layer["transform"][-1]["filter"]: layer["encoding"]["color"]["scale"]
        for layer in spec()["layer"]
        if layer["mark"]["type"] == "rect" and "color" in layer["encoding"]
    }
    assert scales["!(indexof([2], datum.block) >= 0)"]["domain"] == [-1, 1]
    assert scales["!(indexof([2], datum.block) >= 0)"]["domainMid"] == 0
    assert scales["indexof([2], datum.block) >= 0"] == {"domain": [0, 1], "range": "ramp"}


def test_a_click_tells_the_row():
    (param,) = spec()["params"]
    assert param["name"] == PICK
    assert param["select"]["fields"] == ["query"]


def test_the_height_holds_the_head_and_every_row():
    assert spec(head=100)["height"] == 100 + 2 * 24


def test_columns_are_named_where_there_is_room_and_always_in_the_tooltip():
    named, bare = json.dumps(spec(146)), json.dumps(spec(82))
    assert '"angle": 270' in named
    assert '"angle": 270' not in bare
    assert '[[\\"x\\", \\"y\\", \\"z\\"], [\\"q\\"], [\\"one\\", \\"two\\"]][datum.block][datum.column]' in bare


def test_values_are_printed_on_request_alone():
    def texts(*numbers):
        chart = flow(("one", "two"), BLOCKS, ((0, 1),), WORDS, 24, 82, *numbers).to_dict()
        return [layer["encoding"]["text"]["field"] for layer in chart["layer"] if layer["mark"]["type"] == "text"]

    assert "value" not in texts()
    assert "value" in texts(True)


def test_the_specification_holds_no_data_that_would_give_way_to_those_of_a_run():
    assert "datasets" not in spec()


def test_matrices_are_shaded_by_their_own_largest_value_and_weights_by_themselves():
    frame = tidy.matrices([np.array([[2, -4]]), np.array([[0.25, 0.75]]), np.zeros((1, 1))], 1)
    assert frame["block"].tolist() == [0, 0, 1, 1, 2]
    assert frame["column"].tolist() == [0, 1, 0, 1, 0]
    assert frame["query"].tolist() == [0] * 5
    assert frame["value"].tolist() == [2, -4, 0.25, 0.75, 0]
    assert frame["shade"].tolist() == [0.5, -1, 0.25, 0.75, 0]
