"""Step by step through the app's entry point: every number on the tape is what the definition gives."""

import json
import re
from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.pages.app import alt, assert_no_exception, cards, data, grids, open_screen, run_program, shown_map
from ui.controls import CONTROLS
from ui.steps import STEPS
from ui.text import Words

LANGUAGES = ("en", "ko")
# The sentence about "it", as core.examples sets it by hand: rows are words, columns living, place, action, quality.
QUERY = np.array([2, 1, 0, 0])
KEYS = np.zeros((11, 4))
KEYS[[1, 5, 3, 10], [0, 1, 2, 3]] = 3
VALUES = KEYS / 3
IT, ANIMAL, STREET = 7, 1, 5
LANES = {"dot": 4, "divide": 5, "mask": 6, "exp": 7, "weights": 8}
OWN = "a b a c d e f"


def definition(query, keys, values, divisor=2.0, allowed=True):
    """Attention of one query from the formula, row by row."""
    products = keys @ query
    scores = products / divisor
    exponentials = np.exp(scores) * allowed
    weights = exponentials / exponentials.sum() if exponentials.any() else exponentials
    return {
        "dot": products, "divide": scores, "mask": scores, "exp": exponentials, "weights": weights,
        "mix": weights[:, None] * values, "output": weights @ values,
    }  # fmt: skip


def tape(app):
    """Rows of the tape by their numbers, and which of their cells are allowed."""
    cells = data(app, "tape", "cells").sort_values(["row", "key"])
    rows = dict(iter(cells.groupby("row")))
    return {row: group["value"].to_numpy() for row, group in rows.items()}, rows


def ends(app, end):
    found = data(app, "tape", "ends")
    return found[found["end"] == end]["value"].to_numpy()


def inputs(app):
    """Query, keys and values as the tape shows them."""
    rows, _ = tape(app)
    return (
        ends(app, "query"),
        np.stack([rows[row] for row in range(4)]).T,
        np.stack([rows[row] for row in range(9, 13)]).T,
    )


def check(app, divisor=2.0, allowed=True):
    """Every number on the screen against the definition applied to the inputs on the screen."""
    expected = definition(*inputs(app), divisor, allowed)
    rows, cells = tape(app)
    for step, row in LANES.items():
        if row in rows:
            open_cells = cells[row]["allowed"].to_numpy()
            np.testing.assert_allclose(rows[row][open_cells], expected[step][open_cells], atol=1e-12)
            assert step == "mask" or not rows[row][~open_cells].any()
    if 13 in rows:
        np.testing.assert_allclose(np.stack([rows[row] for row in range(13, 17)]).T, expected["mix"], atol=1e-12)
    if len(ends(app, "output")):
        np.testing.assert_allclose(ends(app, "output"), expected["output"], atol=1e-12)
    return expected


def matrix_row(app):
    picked = shown_map(app, "matrix").told["picked"]
    cells = data(app, "matrix", "cells")
    return cells[cells["query"] == picked].sort_values("key")["value"].to_numpy()


def go(app, step):
    """Go to a step."""
    app.session_state["step"] = step
    app.run()
    assert_no_exception(app)
    return app


def said(app):
    """The sentence and the formula of the step."""
    texts = [text.value for text in app.markdown]
    formula = next(at for at, text in enumerate(texts) if text.startswith("$$"))
    return texts[formula - 1], texts[formula].strip("$\n")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_step_shows_its_row_and_the_same_row_of_the_matrix(lang):
    app = open_screen("step_by_step", lang)
    assert app.session_state["step"] == "vectors"
    for at, step in enumerate(STEPS):
        assert app.session_state["step"] == step
        rows, _ = tape(app)
        assert len(rows) == 8 + min(at, 5) + 4 * (at >= 6), "one row a step, and the weighted values at last"
        expected = check(app)
        shown = {"vectors": ends(app, "query"), "mix": expected["weights"]}.get(step)
        np.testing.assert_allclose(matrix_row(app), expected[step] if shown is None else shown, atol=1e-5)
        assert app.button(key="step_back").disabled == (at == 0)
        assert app.button(key="step_on").disabled == (at == 7)
        if at < 7:
            app.button(key="step_on").click().run()
            assert_no_exception(app)
    app.button(key="step_back").click().run()
    assert app.session_state["step"] == "mix"
    assert CONTROLS["step"].options == STEPS


def test_the_worked_sentence_can_be_followed_by_hand():
    app = open_screen("step_by_step", step="output")
    query, keys, values = inputs(app)
    np.testing.assert_array_equal(query, QUERY)
    np.testing.assert_array_equal(keys, KEYS)
    np.testing.assert_array_equal(values, VALUES)
    rows, _ = tape(app)
    np.testing.assert_array_equal(rows[4], [0, 6, 0, 0, 0, 3, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(rows[5], [0, 3, 0, 0, 0, 1.5, 0, 0, 0, 0, 0])
    total = np.exp(3) + np.exp(1.5) + 9
    np.testing.assert_allclose(ends(app, "sum"), [total, 1])
    np.testing.assert_allclose(
        ends(app, "output"), [np.exp(3) / total, np.exp(1.5) / total, 1 / total, 1 / total], atol=1e-12
    )


@pytest.mark.parametrize("link", [{"mask": "causal"}, {"text": OWN, "query": "c", "mask": "window", "scale": "1"}])
def test_the_written_calculation_gives_the_written_result(link):
    app = open_screen("step_by_step", **link)
    for step in ("dot", "divide", "mask", "exp", "weights"):
        (lines,) = grids(go(app, step))
        for calculation, result in lines.itertuples(index=False):
            if "∞" in calculation:
                assert result in ("-∞", "0")
                continue
            spoken = calculation.replace("·", "*").replace("÷", "/").replace("e^", "np.exp(1)**")
            assert eval(spoken) == pytest.approx(float(result), rel=2e-3, abs=1e-3)


def test_sentence_formula_and_alternative_text_carry_the_numbers():
    app = open_screen("step_by_step")
    for step, numbers in {
        "vectors": ("", "(2, 1, 0, 0)", "k = (3, 0, 0, 0), v = (1, 0, 0, 0)"),
        "dot": ("it", "= 6", "2·3 + 1·0 + 0·0 + 0·0 = 6"),
        "divide": ("√d_k = 2", r"\frac{6}{2} = 3", "6 ÷ 2 = 3"),
        "mask": ("11 of 11", "3 + 0 = 3", "11 of them open"),
        "exp": ("2.72", "e^{3} = 20.09", "33.57"),
        "weights": ("animal", r"\frac{20.09}{33.57} = 0.598", "20.09 ÷ 33.57 = 0.598"),
        "mix": ("weight", r"0.598 \cdot", "0.598 · (1, 0, 0, 0) = (0.598, 0, 0, 0)"),
        "output": ("“living”", "(0.6, 0.13, 0.03, 0.03)", "(0.598, 0.134, 0.03, 0.03)"),
    }.items():
        sentence, formula = said(go(app, step))
        for text, number in zip((sentence, formula, alt(app, "tape")), numbers, strict=True):
            assert number in text
        if step in ("vectors", "dot"):
            assert all(colour in formula for colour in (r"\textcolor{#2F5FD0}", r"\textcolor{#B5500D}"))
        assert "it" in alt(app, "matrix")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_the_division_the_weights_collapse_toward_one_word(lang):
    app = open_screen("step_by_step", lang, step="weights")
    before = check(app)["weights"]
    app.button(key="preset_collapse").click().run()
    after = check(app, divisor=1)["weights"]
    rows, _ = tape(app)
    np.testing.assert_allclose(rows[8], after)
    assert before.argmax() == after.argmax()
    assert 0.55 < before.max() < 0.65, "about six tenths"
    assert after.max() > 0.9, "more than nine tenths"
    np.testing.assert_allclose(rows[5], 2 * (inputs(app)[1] @ inputs(app)[0]) / 2)
    words = Words("step_by_step", lang)
    assert words("presets.collapse.see") in [info.value for info in app.info]
    assert float(cards(app)[0].value) > 0.9


@pytest.mark.parametrize("lang", LANGUAGES)
def test_another_last_word_moves_the_look_from_the_animal_to_the_street(lang):
    app = open_screen("step_by_step", lang, step="weights")
    query, keys, values = inputs(app)
    tokens = list(data(app, "tape", "keys")["token"])
    app.button(key="preset_wide").click().run()
    wide_query, wide_keys, wide_values = inputs(app)
    np.testing.assert_array_equal(query, [2, 1, 0, 0])
    np.testing.assert_array_equal(wide_query, [1, 2, 0, 0], "place twice, living once")
    np.testing.assert_array_equal(wide_keys, keys)
    np.testing.assert_array_equal(wide_values, values)
    animal, street = (tokens.index(word) for word in (("animal", "street") if lang == "en" else ("동물이", "길을")))
    assert definition(query, keys, values)["weights"].argmax() == animal
    assert check(app)["weights"].argmax() == street
    assert tokens[street] in said(app)[0]
    assert sum(a != b for a, b in zip(tokens, data(app, "tape", "keys")["token"], strict=True)) == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_causal_mask_keeps_the_proportions_of_what_is_left(lang):
    app = open_screen("step_by_step", lang, step="weights")
    free = tape(app)[0][8]
    app.button(key="preset_causal").click().run()
    assert app.session_state["step"] == "mask"
    asked = shown_map(app, "matrix").told["picked"]
    allowed = np.arange(len(free)) <= asked
    np.testing.assert_array_equal(tape(app)[1][6]["allowed"], allowed)
    words = Words("step_by_step", lang)
    weights = check(go(app, "weights"), allowed=allowed)["weights"]
    assert words("presets.causal.see") in [info.value for info in app.info], "it says: step on"
    assert not weights[~allowed].any()
    np.testing.assert_allclose(weights[allowed] / weights[allowed].max(), free[allowed] / free.max())


@pytest.mark.parametrize(
    ("lang", "link", "allowed"),
    [
        ("en", {"mask": "padding", "keep": 0}, np.zeros(7, bool)),
        ("ko", {"mask": "padding", "keep": 44}, np.ones(7, bool)),
        ("ko", {"mask": "window", "left": 0, "right": 0}, np.arange(7) == 3),
        ("en", {"mask": "window", "left": 44, "right": 44}, np.ones(7, bool)),
        ("ko", {"mask": "prefix", "prefix_length": 0}, np.arange(7) <= 3),
        ("en", {"mask": "causal", "seed": 9999}, np.arange(7) <= 3),
    ],
)
def test_every_mask_at_its_ends(lang, link, allowed):
    app = open_screen("step_by_step", lang, text=OWN, query="c", **link)
    empty = Words("step_by_step", lang)("empty_row", token="c")
    for step in STEPS[3:]:
        check(go(app, step), allowed=allowed)
        np.testing.assert_array_equal(tape(app)[1][6]["allowed"], allowed)
        assert (empty in [info.value for info in app.info]) == (step != "mask" and not allowed.any())
        assert "nan" not in " ".join([*said(app), alt(app, "tape")]).lower()


@pytest.mark.parametrize(("scale", "divisor"), [("1", 1), ("sqrt", 2), ("d_k", 4)])
def test_every_divisor_divides(scale, divisor):
    app = open_screen("step_by_step", scale=scale, step="divide")
    check(app, divisor)
    assert f"÷ {divisor}" in grids(app)[0].iloc[0, 0]
    names = list(data(app, "tape", "names")["name"])
    assert any(name.startswith("÷") and name.endswith(str(divisor)) for name in names)


@pytest.mark.parametrize(("lang", "count"), [("en", 1), ("ko", 2), ("en", 44)])
def test_from_one_word_to_forty_four(lang, count):
    text = " ".join(f"w{i}" for i in range(count))
    app = open_screen("step_by_step", lang, text=text, step="output")
    expected = check(app)
    assert len(expected["weights"]) == len(grids(app)[0]) == count
    assert not np.abs(np.concatenate(inputs(app)[1:])).max() > 10
    # Printed to one decimal, and that is all there is.
    np.testing.assert_array_equal(np.round(inputs(app)[1], 1), inputs(app)[1])


@pytest.mark.parametrize(("lang", "text", "said_of"), [("en", " ".join(["a"] * 45), "45"), ("ko", "\u200b", "44")])
def test_too_many_words_and_none_are_refused_by_name(lang, text, said_of):
    app = open_screen("step_by_step", lang, text=text)
    assert any(said_of in error.value for error in app.error)
    assert not app.get("vega_lite_chart")


def test_repeated_and_hostile_words_stay_as_typed():
    words = "$x$ *b* <b> a_b $x$ [k](l) :red[z] `c`"
    app = open_screen("step_by_step", text=words, query="$x$ ₂", key="<b>", step="dot")
    assert list(data(app, "tape", "keys")["token"]) == words.split()
    assert int(data(app, "tape", "picked")["key"].iloc[0]) == 2
    assert r"\$x\$" in said(app)[0]
    check(app)


def test_the_picked_key_is_the_one_in_the_formula_and_the_largest_weight_otherwise():
    app = open_screen("step_by_step", step="dot", key="street")
    assert int(data(app, "tape", "picked")["key"].iloc[0]) == STREET
    assert said(app)[1].endswith("= 3")
    app.selectbox(key="key").set_value("").run()
    assert int(data(app, "tape", "picked")["key"].iloc[0]) == ANIMAL
    app.selectbox(key="query").set_value("cross").run()
    assert ends(app, "query").tolist() == [2, 2, 0, 0]
    check(app)


def linked(app):
    """The link that the address shows."""
    (finish,) = next(
        json.loads(part.proto.json) for part in app.get("bidi_component") if "descriptions" in part.proto.json
    )
    return {key: value for key, (value,) in parse_qs(finish["query"]).items()}


MARK = "be91"


def test_changed_numbers_live_in_the_link_and_can_be_taken_back():
    edit = f"{MARK}_k6.1~-1.5_q8.2~5_v2.3~0.25"
    app = open_screen("step_by_step", edit=edit, step="output")
    query, keys, values = inputs(app)
    assert (query[1], keys[5, 0], values[1, 2]) == (5, -1.5, 0.25)
    check(app)
    assert linked(app) == {"lang": "en", "step": "output", "edit": edit}
    cells, beside = data(app, "tape", "cells"), data(app, "tape", "ends")
    marked = cells[cells["changed"]][["row", "key"]].to_numpy().tolist()
    assert marked == [[0, 5], [11, 1]], "component 1 of the street's key and component 3 of the animal's value"
    assert beside[beside["changed"]]["row"].tolist() == [1]
    words = Words("step_by_step", "en")
    assert words("tables.changed", count=3) in [text.value for text in app.markdown]
    app.button(key="tables_reset").click().run()
    assert linked(app) == {"lang": "en", "step": "output"}
    np.testing.assert_array_equal(inputs(app)[0], QUERY)
    np.testing.assert_array_equal(inputs(app)[1], KEYS)


def test_changes_wait_for_the_sentence_they_were_made_for():
    app = open_screen("step_by_step", edit=f"{MARK}_q8.2~5")
    own = app.text_area(key="text").value
    app.text_area(key="text").set_value("one two three").run()
    words = Words("step_by_step", "en")
    assert words("tables.waiting") in [caption.value for caption in app.caption]
    assert not data(app, "tape", "cells")["changed"].any()
    app.text_area(key="text").set_value(own).run()
    assert inputs(app)[0][1] == 5


@pytest.mark.parametrize("edit", [f"{MARK}_q8.2~11", f"{MARK}_q8.2~nan"])
def test_a_link_with_impossible_changes_says_so(edit):
    app = open_screen("step_by_step", edit=edit)
    assert any("edit" in warning.value for warning in app.warning)
    np.testing.assert_array_equal(inputs(app)[0], QUERY)


@pytest.mark.parametrize("edit", ["x", MARK, f"{MARK}_q8.5~1", f"{MARK}_q0.1~1", f"{MARK}_q8.2~1e9", f"{MARK}_w8.2~1"])
def test_only_what_a_table_can_hold_is_read(edit):
    with pytest.raises(ValueError, match="expected"):
        CONTROLS["edit"].read(edit)


def test_a_change_of_a_word_that_is_not_there_is_named():
    app = open_screen("step_by_step", edit=f"{MARK}_q8.2~5_q12.1~3")
    assert any("edit" in warning.value for warning in app.warning)
    assert inputs(app)[0][1] == 5, "the other change is kept"


def typed(app, table, rows):
    """Run the app as after typing `rows` {row: {column: number or None}} into an editor."""
    states = app._tree.get_widget_states()
    editor = next(part for part in app.dataframe if f"table_{table}_" in part.proto.id)
    value = json.dumps({"edited_rows": rows, "added_rows": [], "deleted_rows": []})
    states.widgets.append(WidgetState(id=editor.proto.id, string_value=value))
    app._run(states)
    assert_no_exception(app)
    return app


def opened(**link):
    app = open_screen("step_by_step", step="output", **link)
    app.session_state["editing"] = True
    return app.run()


def test_typing_in_a_table_changes_the_tape():
    app = typed(opened(), "q", {"7": {"1": 5}})
    assert app.session_state["edit"] == f"{MARK}_q8.2~5"
    assert inputs(app)[0].tolist() == [2, 5, 0, 0]
    check(app)
    app = typed(app, "q", {"7": {"1": 5, "0": -0.25}})
    assert app.session_state["edit"] == f"{MARK}_q8.1~-0.25_q8.2~5"


@pytest.mark.parametrize(
    ("lang", "bad"), [("en", None), ("ko", None), ("en", 10.5), ("ko", -999), ("en", 1e308), ("ko", float("nan"))]
)
def test_blank_and_impossible_cells_are_refused_by_name_and_nothing_is_lost(lang, bad):
    app = typed(opened(lang=lang), "k", {"1": {"2": 7}})
    before = app.session_state["edit"]
    app = typed(app, "k", {"1": {"2": bad, "0": 4}})
    words, token = Words("step_by_step", lang), list(data(app, "tape", "keys")["token"])[1]
    (error,) = [error.value for error in app.error]
    assert all(part in error for part in ("K", token, words("axes.action"), "7"))
    assert inputs(app)[1][1, 2] == 7, "the last good number stays"
    assert inputs(app)[1][1, 0] == 4, "so does what was right beside it"
    assert before in app.session_state["edit"].replace("_k2.1~4", "")
    check(app)
    app.button(key="step_back").click().run()
    assert not app.error, "it is said once"


def test_a_number_typed_back_is_no_change():
    app = typed(opened(edit=f"{MARK}_q8.2~5"), "q", {"7": {"1": 1}})
    assert app.session_state["edit"] == ""


@pytest.mark.parametrize(("lang", "scale"), [("en", "1"), ("ko", "sqrt"), ("en", "d_k")])
def test_the_prediction_is_the_weight_under_the_other_divisor(lang, scale):
    app = open_screen("step_by_step", lang, scale=scale)
    query, keys, values = inputs(app)
    other = 1 if scale == "sqrt" else 2
    now = definition(query, keys, values, {"1": 1, "sqrt": 2, "d_k": 4}[scale])["weights"]
    answer = definition(query, keys, values, other)["weights"][now.argmax()]
    app.button(key="predict_show").click().run()
    assert_no_exception(app)
    because = next(text.value for text in app.markdown if f"**{answer:.3f}**" in text.value)
    assert f"{now.max():.3f}" in because
    scores = np.sort(keys @ query)[::-1]
    assert f"{(scores[0] - scores[1]) / other:.4g}" in because


def test_a_row_with_one_open_key_is_nothing_to_predict():
    app = open_screen("step_by_step", mask="window", left=0)
    assert not [button for button in app.button if button.key == "predict_show"]


@pytest.mark.parametrize(
    "link", [{}, {"mask": "causal", "scale": "1", "edit": f"{MARK}_q8.3~2.5"}, {"text": OWN, "query": "a ₂"}]
)
def test_the_program_prints_what_the_tape_shows(link):
    app = open_screen("step_by_step", step="output", **link)
    printed = [
        np.array(re.findall(r"-?(?:inf|[\d.]+(?:e[+-]\d+)?)", row), dtype=float)
        for row in run_program(app).replace("\n ", " ").splitlines()
    ]
    rows, cells = tape(app)
    shown = [rows[row] for row in range(4, 9)] + [ends(app, "output")]
    shown[2] = np.where(cells[6]["allowed"], shown[2], -np.inf)
    for one, other in zip(printed, shown, strict=True):
        np.testing.assert_allclose(one, other, atol=6e-4)


def test_the_whole_tape_is_one_click_away_as_a_table():
    app = open_screen("step_by_step", step="vectors", mask="causal")
    table = app.dataframe[-1].value
    assert table.shape == (17, len(data(app, "tape", "keys")))
    assert np.isneginf(table.iloc[6].to_numpy()).any()
    query, keys, _ = inputs(app)
    np.testing.assert_allclose(table.iloc[4], keys @ query)


def test_seeded_words_say_that_they_show_the_mechanism():
    words = Words("step_by_step", "en")
    assert words("seeded", d_k=4) in [caption.value for caption in open_screen("step_by_step", text="x y").caption]
    assert words("hand_set", d_k=4) in [caption.value for caption in open_screen("step_by_step").caption]
