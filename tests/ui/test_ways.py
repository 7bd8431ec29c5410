"""Rows of weights in several ways: what is drawn for each state of a cell."""

import json

import numpy as np

from ui import tidy
from ui.charts.ways import WayWords, ways

WORDS = WayWords("way", "key", "weight", "Σ")


def marks(spec):
    """Every mark with the filter in front of it."""
    found = []

    def walk(part):
        if "mark" in part:
            filters = [step["filter"] for step in part.get("transform", []) if "filter" in step]
            found.append((part["mark"]["type"], " ".join(filters), part))
        for layer in part.get("layer", []):
            walk(layer)

    walk(spec)
    return found


def test_each_state_has_a_mark_of_its_own_and_not_a_colour_alone():
    spec = ways(("right", "wrong"), ("a", "b", "c"), WORDS, 200).to_dict()
    by_state = {
        state: [(kind, part["mark"]) for kind, condition, part in marks(spec) if f"'{state}'" in condition]
        for state in ("allowed", "leak", "blocked", "undefined")
    }
    assert [kind for kind, _ in by_state["allowed"]] == ["rect"]
    assert by_state["leak"][0][1]["strokeDash"]
    assert by_state["blocked"][0][0] == "point"
    assert by_state["undefined"][0][1]["text"] == "?"


def test_weights_take_the_ramp_on_the_fixed_domain():
    spec = json.dumps(ways(("right",), ("a", "b"), WORDS, 200).to_dict())
    assert '"domain": [0, 1], "range": "ramp"' in spec


def test_the_sum_has_the_column_after_the_last_token():
    spec = ways(("right",), ("a", "b"), WORDS, 200).to_dict()
    axes = {json.dumps(part["encoding"]["x"]["axis"]["labelExpr"]) for _, _, part in marks(spec)}
    assert axes == {json.dumps('["a", "b", "\\u03a3"][datum.value]')}


def test_a_cell_is_allowed_blocked_leaking_or_undefined():
    rows = [np.array([1, 0, 0]), np.array([0.5, 0.25, 0.25]), np.array([np.nan] * 3)]
    frame = tidy.ways(rows, np.array([True, False, False]), "blocked", "0 ÷ 0")
    assert frame["state"].tolist() == ["allowed", "blocked", "blocked", "allowed", "leak", "leak", *["undefined"] * 3]
    leak = "blocked: 0.2500"
    expected = ["1.0000", "blocked", "blocked", "0.5000", leak, leak, *["0 ÷ 0"] * 3]
    assert frame["said"].tolist() == expected
    assert np.isfinite(frame["value"]).all()
