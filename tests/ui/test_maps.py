"""Maps as specifications: every cell has its place, tokens stay data, nothing is dropped or renamed in silence."""

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ui import tidy
from ui.charts.bars import BarWords, weights
from ui.charts.maps import MapWords, heatmap, lookup, map_height, strip

WORDS = MapWords("query", "key", "weight", "blocked")
TRICKY = (
    "the",
    "cat",
    "the",
    "$5",
    "a.b",
    "w[0]",
    "t:1",
    'it"s',
    "\\n",
    "안녕",
    "مرحبا",
    "cafe\u0301",
    "👨‍👩‍👧‍👦",
    "x" * 80,
)


def nodes(node: Any) -> Iterator[dict[str, Any]]:
    """Every object of a specification."""
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from nodes(child)


def encodings(spec: dict[str, Any], channel: str) -> list[dict[str, Any]]:
    return [node["encoding"][channel] for node in nodes(spec) if channel in node.get("encoding", {})]


def marks(spec: dict[str, Any]) -> list[str]:
    return [node["mark"]["type"] for node in nodes(spec) if isinstance(node.get("mark"), dict)]


@pytest.mark.parametrize("kind", ["weight", "score"])
def test_rows_are_queries_and_columns_are_keys(kind):
    spec = heatmap(("a", "b"), ("c", "d", "e"), WORDS, kind, 200).to_dict()
    x, y = encodings(spec, "x")[0], encodings(spec, "y")[0]
    assert (x["field"], x["title"]) == ("key", "key")
    assert (y["field"], y["title"]) == ("query", "query")
    assert x["axis"]["labelExpr"] == '["c", "d", "e"][datum.value]'
    assert y["axis"]["labelExpr"] == '["a", "b"][datum.value]'
    assert x["axis"]["orient"] == "top"


def test_positions_carry_the_axis_so_equal_tokens_and_order_are_kept():
    spec = heatmap(TRICKY, TRICKY, WORDS, "weight", 200).to_dict()
    for channel in ("x", "y"):
        (axis,) = {json.dumps(encoding["axis"]) for encoding in encodings(spec, channel) if "axis" in encoding}
        label = json.loads(axis)["labelExpr"]
        assert json.loads(label.removesuffix("[datum.value]")) == list(TRICKY)
    fields = {encoding.get("field") for node in nodes(spec) for encoding in node.get("encoding", {}).values()
              if isinstance(encoding, dict)}  # fmt: skip
    assert not fields & set(TRICKY), "a token is never a field"


def test_lookup_escapes_whatever_a_label_holds():
    expression = lookup(('"]; alert(1); ["', "\u2028", "</script>"), "datum.key")
    assert json.loads(expression.removesuffix("[datum.key]")) == ['"]; alert(1); ["', "\u2028", "</script>"]
    assert expression.isascii()


def test_weights_have_one_colour_scale_and_scores_one_around_zero():
    weight = encodings(heatmap(("a",), ("a",), WORDS, "weight", 200).to_dict(), "color")
    assert {json.dumps(colour["scale"]) for colour in weight} == {'{"domain": [0, 1], "range": "ramp"}'}
    score = encodings(heatmap(("a",), ("a",), WORDS, "score", 200).to_dict(), "color")[0]
    assert score["scale"]["domainMid"] == 0
    assert score["scale"]["range"] == "diverging"


def test_blocked_cells_carry_a_stroke_and_never_a_colour():
    spec = heatmap(("a", "b"), ("a", "b"), WORDS, "weight", 200).to_dict()
    blocked = [
        node for node in nodes(spec) if {"filter": "!datum.allowed"} in node.get("transform", []) and "mark" in node
    ]
    assert [node["mark"]["type"] for node in blocked] == ["point"]
    assert "color" not in blocked[0]["encoding"]
    assert any(tip["field"] == "blocked" for tip in blocked[0]["encoding"]["tooltip"])


def test_the_whole_token_and_the_number_are_in_the_tooltip():
    spec = heatmap(("x" * 80, "x" * 80 + "y"), ("a", "b"), WORDS, "weight", 200).to_dict()
    tips = {tip["field"] for tip in encodings(spec, "tooltip")[0]}
    assert tips == {"query_token", "key_token", "value"}
    calculations = [
        step for node in nodes(spec) for step in node.get("transform", []) if step.get("as") == "query_token"
    ]
    assert "x" * 80 + "y" in calculations[0]["calculate"]


@pytest.mark.parametrize(("n", "printed"), [(12, True), (13, False)])
def test_numbers_are_printed_where_cells_leave_room(n, printed):
    tokens = tuple(map(str, range(n)))
    assert ("text" in marks(heatmap(tokens, tokens, WORDS, "weight", 200).to_dict())) is printed


def test_every_text_mark_takes_its_ink_from_the_theme():
    tokens = ("a", "b")
    for chart in (
        heatmap(tokens, tokens, WORDS, "score", 200),
        strip(("1", "2"), tokens, WORDS, "head", 4),
        weights(tokens, BarWords("key", "weight", "blocked"), 200),
    ):
        texts = [
            node
            for node in nodes(chart.to_dict())
            if isinstance(node.get("mark"), dict) and node["mark"]["type"] == "text"
        ]
        assert texts
        assert all(node["encoding"]["color"]["field"] == "ink" for node in texts)


def test_a_specification_depends_on_labels_and_sizes_alone():
    def spec(values: np.ndarray) -> str:
        tidy.cells(values, np.ones((3, 3), dtype=bool))
        return json.dumps(heatmap(("a", "b", "c"), ("a", "b", "c"), WORDS, "score", 200).to_dict())

    assert spec(np.zeros((3, 3))) == spec(np.full((3, 3), 1e6))


@pytest.mark.parametrize("n_panels", [1, 2, 4, 8])
def test_a_strip_places_its_panels_in_rows_without_overlap(n_panels):
    n, columns = 5, 4
    spec = strip(tuple(map(str, range(n_panels))), tuple("abcde"), WORDS, "head", columns).to_dict()
    steps = {
        step["as"]: step["calculate"] for node in nodes(spec) for step in node.get("transform", []) if "as" in step
    }
    width = float(re.search(r"\* ([\d.]+)", steps["left"])[1])
    height = float(re.search(r"\* ([\d.]+)", steps["top"])[1])
    assert width > n
    assert height > n + 1
    across = encodings(spec, "x")[0]["scale"]["domain"][1]
    down = encodings(spec, "y")[0]["scale"]["domain"][1]
    assert across >= (min(columns, n_panels) - 1) * width + n
    assert down >= ((n_panels - 1) // columns) * height + n


def test_map_heights_grow_with_rows_but_stay_on_a_screen():
    heights = [map_height(n) for n in range(1, 45)]
    assert all(later >= earlier - 1 for earlier, later in itertools.pairwise(heights))
    assert min(heights) >= 250
    assert max(heights) <= 700


def test_cells_are_sent_small():
    frame = tidy.cells(np.zeros((44, 44)), np.ones((44, 44), dtype=bool))
    assert frame.memory_usage(index=False).sum() <= 44 * 44 * 9


def test_cells_keep_every_cell_in_reading_order():
    values = np.arange(6.0).reshape(2, 3)
    frame = tidy.cells(values, np.array([[True, False, True], [False, True, True]]))
    assert frame["value"].tolist() == [0, 1, 2, 3, 4, 5]
    assert frame["query"].tolist() == [0, 0, 0, 1, 1, 1]
    assert frame["key"].tolist() == [0, 1, 2, 0, 1, 2]
    assert frame["allowed"].tolist() == [True, False, True, False, True, True]


def test_limits_are_symmetric_and_never_empty():
    assert tidy.limits(np.array([-3.0, 2.0]))["value"].tolist() == [-3, 3]
    assert tidy.limits(np.array([0.0]))["value"].tolist() == [-1, 1]
    assert tidy.limits(np.array([np.nan, np.inf, 2.0]))["value"].tolist() == [-2, 2]
