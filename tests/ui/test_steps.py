"""The tape's chart and frames, and the walk in writing."""

import json

import numpy as np
import pytest

from ui import steps, tables
from ui.charts.steps import LANES, PRINTED_UP_TO, TapeWords, tape
from ui.charts.tokens import PICK
from ui.tidy import SINCE, UNTIL

WORDS = TapeWords("key", "output", "step", "number", "blocked")
D = 3
NAMES = [f"row {i}" for i in range(3 * D + LANES)]


def layers(n, d=D):
    return tape(n, d, 50, WORDS).to_dict()["layer"]


def walk(n=5, d=D, allowed=True, divisor=2.0, seed=7):
    """A walk through small whole numbers, computed here from the definition."""
    rng = np.random.default_rng(seed)
    query, keys, values = (rng.integers(-3, 4, size).astype(float) for size in (d, (n, d), (n, d)))
    products = keys @ query
    exponentials = np.exp(products / divisor) * allowed
    weights = exponentials / (exponentials.sum() or 1)
    return steps.Walk(
        query, keys, values, products, divisor, products / divisor, np.broadcast_to(allowed, n), exponentials, weights,
        weights[:, None] * values, weights @ values,
    )  # fmt: skip


def test_the_chart_holds_no_token_so_that_sentences_of_one_length_share_it():
    assert json.dumps(layers(7)) == json.dumps(layers(7))
    used = {layer["data"]["name"] for layer in layers(7)}
    assert used == {"cells", "ends", "keys", "names", "now", "picked"}


def test_numbers_are_printed_only_where_there_is_room():
    printed = [sum(layer["mark"]["type"] == "text" for layer in layers(n)) for n in (PRINTED_UP_TO, PRINTED_UP_TO + 1)]
    assert printed[0] == printed[1] + 1


def test_a_click_tells_its_key():
    params = tape(7, D, 50, WORDS).to_dict()["params"]
    (pick,) = [param for param in params if param["name"] == PICK]
    assert pick["select"]["fields"] == ["key"]


def test_query_key_and_value_keep_their_colours_in_that_order():
    colours = [
        layer["encoding"]["color"] for layer in layers(7) if layer["encoding"].get("color", {}).get("field") == "role"
    ]
    assert colours
    assert all(colour["scale"] == {"domain": ["query", "key", "value"], "range": "category"} for colour in colours)


def test_every_mark_is_coloured_by_the_theme():
    for layer in layers(7):
        fixed = {layer["mark"].get(part) for part in ("color", "stroke", "fill")} - {None, "gray"}
        assert not fixed
        if layer["mark"]["type"] == "text":
            assert layer["encoding"]["color"]["scale"]["range"] == "ramp", "a text's own colour is black in the dark"


def test_the_rows_lie_below_each_other_and_inside_the_chart():
    chart = tape(7, D, 50, WORDS).to_dict()
    tops = next(
        json.loads(calculation["calculate"].split("[datum.row]")[0])
        for layer in chart["layer"]
        for calculation in layer.get("transform", ())
        if calculation.get("as") == "top" and "[datum.row]" in calculation["calculate"]
    )
    assert len(tops) == 3 * D + LANES
    assert (np.diff(tops) >= 19).all()
    assert tops[0] == 50
    assert tops[-1] + 19 < chart["height"]


@pytest.mark.parametrize("at", range(8))
def test_each_step_adds_its_own_row_and_frames_it(at):
    frames = {
        name: rows[(rows[SINCE] <= at) & (at <= rows[UNTIL])] if SINCE in rows else rows
        for name, rows in steps.tape(walk(), list("abcde"), NAMES, (), 0).items()
    }
    rows = sorted(frames["cells"]["row"].unique())
    assert rows == [*range(D + min(at, LANES)), *range(D + LANES, (3 if at > LANES else 2) * D + LANES)]
    framed = {
        row
        for first, last in frames["now"][["first", "last"]].itertuples(index=False)
        for row in range(first, last + 1)
    }
    assert framed <= set(rows)
    if 0 < at <= LANES:
        assert framed == {D + at - 1}
    assert (frames["ends"]["end"] == "output").sum() == (D if at == 7 else 0)


@pytest.mark.parametrize("seed", range(5))
def test_bars_stay_inside_their_lanes(seed):
    cells = steps.tape(walk(seed=seed), list("abcde"), NAMES, (), 0)["cells"]
    lanes = cells[(cells["row"] >= D) & (cells["row"] < D + LANES)]
    tips = lanes["start"] + lanes["size"]
    assert tips.between(-1e-6, 1 + 1e-6).all()
    shades = cells.drop(lanes.index)["size"]
    assert shades.between(0, 1 + 1e-6).all()


def test_a_walk_of_zeros_and_one_that_is_all_blocked_can_be_drawn():
    nothing = steps.Walk(*(np.zeros_like(np.asarray(part)) for part in walk()))._replace(divisor=2.0)
    for one in (nothing._replace(allowed=np.ones(5, bool)), walk(allowed=False)):
        cells = steps.tape(one, list("abcde"), NAMES, (), 0)["cells"]
        assert np.isfinite(cells[["value", "start", "size"]].to_numpy()).all()
        for step in steps.STEPS:
            assert "nan" not in steps.formula(one, step, 0, "sqrt") + str(steps.arithmetic(one, step))


def test_a_row_without_open_keys_says_so_instead_of_dividing_by_zero():
    one = walk(allowed=False)
    assert r"\Rightarrow\quad w = 0" in steps.formula(one, "weights", 0, "sqrt")
    assert steps.arithmetic(one, "weights")[0] == ("—", "0")


def test_negative_numbers_stand_in_parentheses():
    one = walk()._replace(query=np.array([-1.0, 2, 0]), keys=np.array([[3.0, -2, 0]] * 5), products=np.full(5, -7.0))
    assert steps.arithmetic(one, "dot")[0] == ("(−1)·3 + 2·(−2) + 0·0", "−7")
    assert r"\Q{(−1)}\cdot\K{3}" in steps.formula(one, "dot", 0, "sqrt")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (-0.0, "0"), (3.0, "3"), (-1.5, "−1.5"), (20.0855, "20.09"), (1e-9, "1e−09"), (5.22e173, "5.22e+173")],
)
def test_numbers_are_short(value, text):
    assert steps.short(value) == text


def test_huge_exponentials_are_powers_of_ten_in_the_formula():
    one = walk()._replace(exponentials=np.full(5, 5.22e173))
    assert r"5.22 \cdot 10^{173}" in steps.formula(one, "exp", 0, "sqrt")


def test_long_and_wide_tokens_get_more_room():
    assert steps.room(["a"]) < steps.room(["because"]) < steps.room(["because" * 9])
    assert steps.room(["가가가"]) > steps.room(["aaa"])
    assert steps.room(["because" * 9]) == steps.room(["because" * 99]), "longer ones are cut at 96 pixels"


def test_changes_survive_writing_and_reading():
    changes = {("q", 7, 1): 5.0, ("k", 1, 3): -0.25, ("v", 43, 0): 10.0}
    written = tables.write(changes, "1a2b")
    assert written == "1a2b_k2.4~-0.25_q8.2~5_v44.1~10"
    assert tables.read(written, "1a2b") == changes
    assert tables.read(written, "ffff") == {}, "they belong to another sentence"
    assert tables.write({}, "1a2b") == ""
