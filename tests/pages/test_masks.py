"""The masks screen: who may look where, and every number on it from the definition."""

import itertools
import re

import numpy as np
import pytest

from core import examples
from core.tokens import tokenize
from tests.pages.app import alt, assert_no_exception, cards, data, grids, open_screen, run_program
from ui import painting

OWN = "ant bee cat dog elk"
IT = examples.TWINS[0]


def tables(app):
    """Scores and weights as they are drawn, and which of their cells are allowed."""
    cells = {name: data(app, name, "cells") for name in ("scores", "weights")}
    shape = cells["scores"]["query"].max() + 1, cells["scores"]["key"].max() + 1
    allowed = cells["weights"]["allowed"].to_numpy().reshape(shape)
    np.testing.assert_array_equal(cells["scores"]["allowed"], allowed.ravel())
    scores, weights = (cells[name]["value"].to_numpy(dtype=float).reshape(shape) for name in ("scores", "weights"))
    return scores, weights, allowed


def softmax_over(scores, allowed):
    """Row by row: e^s over the sum of the allowed ones, zeros where nothing is allowed."""
    powers = np.exp(scores) * allowed
    return powers / np.maximum(powers.sum(axis=1, keepdims=True), 1e-300)


def ways(app):
    """The four rows of weights, and what is written behind them."""
    cells, totals = data(app, "ways", "cells"), data(app, "ways", "totals")
    return (
        cells["value"].to_numpy(dtype=float).reshape(4, -1),
        cells["state"].to_numpy().reshape(4, -1),
        list(totals["said"]),
    )


def choose(app, **settings):
    """Set controls as a visitor would."""
    for key, value in settings.items():
        app.session_state[key] = value
    app.run()
    assert_no_exception(app)


def said(app):
    kinds = (app.title, app.markdown, app.caption, app.info, app.warning, app.error)
    return "\n".join(element.value for kind in kinds for element in kind)


MASKS = [
    ({"mask": "none"}, lambda _i, _j: True),
    ({"mask": "causal"}, lambda i, j: j <= i),
    ({"mask": "padding", "keep": 3}, lambda _i, j: j < 3),
    ({"mask": "padding", "keep": 0}, lambda _i, _j: False),
    ({"mask": "padding", "keep": 44}, lambda _i, _j: True),
    ({"mask": "window", "left": 1, "right": 2}, lambda i, j: i - 1 <= j <= i + 2),
    ({"mask": "window", "left": 0, "right": 0}, lambda i, j: j == i),
    ({"mask": "window", "left": 44, "right": 44}, lambda _i, _j: True),
    ({"mask": "prefix", "prefix_length": 2}, lambda i, j: j < 2 or j <= i),
    ({"mask": "prefix", "prefix_length": 44}, lambda _i, _j: True),
    ({"mask": "causal", "padded": True, "keep": 2}, lambda i, j: j <= i and j < 2),
    ({"mask": "window", "left": 1, "right": 0, "padded": True, "keep": 2}, lambda i, j: i - 1 <= j <= i and j < 2),
    ({"mask": "prefix", "prefix_length": 4, "padded": True, "keep": 3}, lambda _i, j: j < 3),
]


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_every_mask_allows_what_its_words_say_and_the_weights_are_a_softmax_over_that(lang):
    app = open_screen("masks", lang, text=OWN)
    for settings, may_look in MASKS:
        choose(app, **settings)
        scores, weights, allowed = tables(app)
        np.testing.assert_array_equal(allowed, [[may_look(i, j) for j in range(5)] for i in range(5)])
        np.testing.assert_allclose(weights, softmax_over(scores, allowed), atol=1e-6)
        numbers = [int(number) for number in re.findall(r"\d+", cards(app)[0].value)]
        assert sorted(numbers) == sorted([int(allowed.sum()), 25])
        assert f"{25 - allowed.sum()}" in cards(app)[0].bound


@pytest.mark.parametrize(("align", "last_seen"), [("bottom-right", lambda i: i + 5 - 2), ("top-left", lambda i: i)])
def test_with_fewer_queries_than_keys_the_corner_of_the_diagonal_is_a_choice(align, last_seen):
    app = open_screen("masks", text=OWN, mask="causal", cached="true", last=2, align=align)
    scores, weights, allowed = tables(app)
    np.testing.assert_array_equal(allowed, [[j <= last_seen(i) for j in range(5)] for i in range(2)])
    np.testing.assert_allclose(weights, softmax_over(scores, allowed), atol=1e-6)
    whole, _, _ = tables(open_screen("masks", text=OWN))
    np.testing.assert_allclose(scores, whole[-2:], atol=1e-6)
    assert ("mistake" in said(app)) == (align == "top-left")
    # The first query that is shown is not the first word: a row of 1, 0, 0 would be no construction here.
    assert "by construction" not in said(app)


def test_more_queries_than_words_are_all_words():
    app = open_screen("masks", text=OWN, mask="causal", cached="true", last=44, align="top-left")
    _, _, allowed = tables(app)
    np.testing.assert_array_equal(allowed, np.tri(5))


def test_the_first_causal_row_is_said_to_be_one_by_construction():
    app = open_screen("masks", mask="causal")
    _, weights, _ = tables(app)
    assert weights[0].tolist() == [1] + [0] * 10
    assert "The first row is 1, 0, 0, … by construction: “The” has only itself" in said(app)
    assert "by construction" not in said(open_screen("masks"))


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_window_is_told_in_words_with_the_keys_it_shows_at_most(lang):
    app = open_screen("masks", lang, text=" ".join("abcdefghijk"), mask="window")
    for left, right in itertools.product((0, 1, 2, 5), (0, 1, 3)):
        choose(app, left=left, right=right)
        _, _, allowed = tables(app)
        rule = app.caption[0].value
        most = allowed.sum(axis=1).max()
        assert most == left + right + 1
        assert most == 1 or str(most) in rule
        for size in (left, right):
            assert size < 2 or str(size) in rule
        assert ("window of" in rule or "윈도" in rule) == (left > 0 and right == 0)


def test_two_words_to_the_left_are_itself_and_the_two_words_before_it():
    assert "sees itself and the 2 words before it: 3 keys at most" in said(open_screen("masks", mask="window", left=2))


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_rows_without_any_key_are_named_and_have_zero_weights(lang):
    app = open_screen("masks", lang, text=OWN, mask="window", left=0, padded="true", keep=2, query="dog")
    _, weights, _ = tables(app)
    assert not weights[2:].any()
    assert "“cat”, “dog”, “elk”" in app.info[0].value
    assert cards(app)[2].value == "0.000"
    rows, states, sums = ways(app)
    assert (states[0] == "undefined").all()
    assert sums[0] == "0 ÷ 0"
    np.testing.assert_allclose(rows[1], 0.2, rtol=1e-6)
    np.testing.assert_allclose(rows[2], 0.2, rtol=1e-6)
    assert (states[1:3] == "leak").all()
    assert rows[3].tolist() == [0] * 5
    assert (states[3] == "blocked").all()
    assert re.findall("[✗✓]", said(app)) == ["✗", "✗", "✗", "✓"]


def test_the_same_row_is_blocked_in_four_ways_from_the_same_scores():
    app = open_screen("masks", mask="causal", query="it")
    scores, weights, allowed = tables(app)
    s, m = scores[7], allowed[7]
    rows, states, sums = ways(app)
    np.testing.assert_allclose(rows[0], weights[7], atol=1e-6)
    np.testing.assert_array_equal(rows[0], rows[1])
    leaking = np.exp(np.where(m, s, 0))
    np.testing.assert_allclose(rows[2], leaking / leaking.sum(), atol=1e-6)
    all_open = np.exp(s) / np.exp(s).sum()
    np.testing.assert_allclose(rows[3], np.where(m, all_open, 0), atol=1e-6)
    np.testing.assert_array_equal(states[2] == "leak", ~m)
    np.testing.assert_array_equal(states[3] == "blocked", ~m)
    assert sums == ["1.000", "1.000", "1.000", f"{all_open[m].sum():.3f}"]
    words = said(app)
    assert f"get {(leaking / leaking.sum())[~m].sum():.3f} of the weight" in words
    assert f"sums to {all_open[m].sum():.3f} instead" in words
    assert f"{(leaking / leaking.sum())[~m].sum():.3f}" in alt(app, "ways")
    assert f"{all_open[m].sum():.3f}" in alt(app, "ways")


def test_where_nothing_is_blocked_all_four_ways_agree():
    app = open_screen("masks", text=OWN)
    rows, states, sums = ways(app)
    np.testing.assert_allclose(rows, rows[[0, 0, 0, 0]], atol=1e-7)
    assert (states == "allowed").all()
    assert sums == ["1.000"] * 4
    assert "✗" not in said(app)


def test_minus_a_billion_does_not_exist_in_float16():
    app = open_screen("masks", text=OWN, mask="causal")
    formats = grids(app)[0]
    assert formats.loc["float16"].tolist() == ["-65504", "-∞", "0 ÷ 0 (NaN)"]
    for name in ("float32", "float64"):
        lowest, becomes, empty = formats.loc[name]
        assert float(lowest) == pytest.approx(float(np.finfo(name).min), rel=1e-5)
        assert float(becomes) == -1e9
        assert empty == "1/5 = 0.200"


@pytest.mark.parametrize("link", [{"mask": "causal"}, {"mask": "padding", "keep": 0}, {"mask": "window", "left": 0}])
def test_what_blocked_keys_hold_changes_nothing(link):
    assert cards(open_screen("masks", text=OWN, **link))[3].value == "0"


def test_a_painted_mask_comes_with_the_link():
    cells = np.array([[1, 0, 0, 1, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [0, 0, 1, 0, 1]], dtype=bool)
    app = open_screen("masks", text=OWN, mask="painted", paint=painting.written(cells))
    _, _, allowed = tables(app)
    np.testing.assert_array_equal(allowed, cells)
    assert "“cat”" in app.info[0].value
    assert not app.warning


@pytest.mark.parametrize(
    ("paint", "allowed"),
    [
        ("nonsense", np.ones((5, 5))),
        ("3.m4A", np.block([[np.tri(3), np.ones((3, 2))], [np.ones((2, 5))]])),
        ("5.AA", np.ones((5, 5))),
        ("0.", np.ones((5, 5))),
        ("257.AA", np.ones((5, 5))),
    ],
)
def test_a_painted_mask_that_does_not_fit_is_named(paint, allowed):
    app = open_screen("masks", text=OWN, mask="painted", paint=paint)
    assert len(app.warning) == 1
    assert "paint" in app.warning[0].value
    np.testing.assert_array_equal(tables(app)[2], allowed)


def press(app, label):
    next(button for button in app.button if button.label == label).click().run()
    assert_no_exception(app)


def test_painting_starts_from_what_is_shown_and_its_buttons_clear_and_invert():
    app = open_screen("masks", text=OWN, mask="causal")
    app.button_group(key="mask").set_value("painted").run()
    assert_no_exception(app)
    np.testing.assert_array_equal(tables(app)[2], np.tri(5))
    press(app, "Invert")
    np.testing.assert_array_equal(tables(app)[2], 1 - np.tri(5))
    press(app, "Clear")
    assert tables(app)[2].all()
    press(app, "window")
    np.testing.assert_array_equal(tables(app)[2], np.tri(5) - np.tri(5, k=-3))
    assert app.session_state["mask"] == "painted"
    assert app.session_state["paint"] == painting.written(tables(app)[2])


def row_pills(app):
    """The pills that switch the keys of the picked query."""
    return next(group for group in app.get("button_group") if str(group.key).startswith("row_keys"))


def test_the_pills_of_a_row_stay_while_they_are_used_and_are_new_when_something_else_changes_the_row():
    app = open_screen("masks", text=OWN, mask="causal", query="dog")
    row_pills(app).set_value(["bee", "elk"]).run()
    before = row_pills(app).key
    row_pills(app).set_value(["bee"]).run()
    app.number_input(key="seed").set_value(2).run()
    assert row_pills(app).key == before
    app.selectbox(key="query").set_value("cat").run()
    assert row_pills(app).key != before
    assert row_pills(app).value == ["ant", "bee", "cat"]


def test_the_keys_of_a_row_are_switched_without_a_mouse():
    app = open_screen("masks", text=OWN, mask="causal", query="dog")
    assert row_pills(app).value == ["ant", "bee", "cat", "dog"]
    row_pills(app).set_value(["bee", "elk"]).run()
    assert_no_exception(app)
    expected = np.tri(5)
    expected[3] = [0, 1, 0, 0, 1]
    np.testing.assert_array_equal(tables(app)[2], expected)
    assert app.session_state["mask"] == "painted"


def test_painting_the_last_rows_keeps_the_others_and_a_longer_sentence_keeps_what_is_painted():
    app = open_screen("masks", text=OWN, mask="causal", cached="true", last=2, query="dog")
    row_pills(app).set_value(["ant"]).run()
    app.toggle(key="cached").set_value(False).run()
    expected = np.tri(5)
    expected[3] = [1, 0, 0, 0, 0]
    np.testing.assert_array_equal(tables(app)[2], expected)
    app.text_area(key="text").set_value(OWN + " fox").run()
    assert_no_exception(app)
    longer = np.ones((6, 6))
    longer[:5, :5] = expected
    np.testing.assert_array_equal(tables(app)[2], longer)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_presets_show_what_they_say(lang):
    app = open_screen("masks", lang)

    app.button(key="preset_corner").click().run()
    _, _, allowed = tables(app)
    n = len(tokenize(IT[lang]))
    assert allowed.sum(axis=1).tolist() == [1, 2, 3]
    assert not allowed[np.arange(3), n - 3 + np.arange(3)].any()
    app.button_group(key="align").set_value("bottom-right").run()
    assert tables(app)[2].sum(axis=1).tolist() == [n - 2, n - 1, n]

    app.button(key="preset_empty").click().run()
    _, weights, allowed = tables(app)
    assert not weights[-1].any()
    assert not allowed[-1].any()
    np.testing.assert_allclose(ways(app)[0][1], 1 / n, rtol=1e-6)
    assert len(app.info) == 2

    app.button(key="preset_leak").click().run()
    rows, _, sums = ways(app)
    assert rows[0].tolist() == [1] + [0] * (n - 1)
    assert (rows[2, 1:] > 0).all()
    assert float(sums[3]) < 1


@pytest.mark.parametrize(
    ("lang", "link"),
    [
        ("en", {"text": OWN, "mask": "causal", "cached": "true", "last": 3, "align": "top-left", "query": "elk"}),
        ("en", {"text": OWN, "mask": "painted", "paint": painting.written(np.eye(5, dtype=bool)), "query": "bee"}),
        ("ko", {"mask": "window", "left": 1, "padded": "true", "keep": 4}),
    ],
)
def test_the_program_prints_the_weights_and_the_four_ways(lang, link):
    app = open_screen("masks", lang, **link)
    _, weights, _ = tables(app)
    matrix, *four = re.split(r"^(?=-inf|-1e9|score|weight)", run_program(app), flags=re.MULTILINE)
    numbers = np.array(re.findall(r"\d\.\d*", matrix), dtype=float).reshape(weights.shape)
    np.testing.assert_allclose(numbers, weights, atol=6e-4)
    rows, states, _ = ways(app)
    for line, row, state in zip(four, rows, states, strict=True):
        printed = np.array(line[line.index("[") + 1 : line.index("]")].split(), dtype=float)
        np.testing.assert_allclose(printed, np.where(state == "undefined", np.nan, row), atol=6e-4)


def test_the_guess_is_answered_by_the_sum_that_is_left():
    app = open_screen("masks", mask="causal", query="it")
    scores, _, allowed = tables(app)
    press(app, "Show the answer")
    left = (np.exp(scores[7]) * allowed[7]).sum() / np.exp(scores[7]).sum()
    marks = data(app, "guess", "marks").set_index("who")["value"]
    assert marks["answer"] == pytest.approx(left, abs=1e-6)

    app = open_screen("masks", query="it")
    assert "Suppose “it” may look at itself alone" in said(app)
    press(app, "Show the answer")
    alone = np.exp(scores[7, 7]) / np.exp(scores[7]).sum()
    assert data(app, "guess", "marks").set_index("who")["value"]["answer"] == pytest.approx(alone, abs=1e-6)


@pytest.mark.parametrize("count", [1, 44, 256])
def test_one_word_and_the_most_words_are_shown(count):
    app = open_screen("masks", "ko", text=" ".join(f"w{i}" for i in range(count)))
    for mask, cached in itertools.product(("none", "causal", "padding", "window", "prefix", "painted"), (False, True)):
        choose(app, mask=mask, cached=cached, last=1)
        scores, weights, allowed = tables(app)
        assert scores.shape == (1 if cached else count, count)
        # The largest maps are sent with the digits that they show.
        np.testing.assert_allclose(weights, softmax_over(scores, allowed), atol=1e-6 if count <= 128 else 5e-4)


@pytest.mark.parametrize("text", [" ", " ".join("x" * 257)])
def test_a_sentence_without_a_word_or_with_too_many_is_refused(text):
    app = open_screen("masks", text=text)
    assert len(app.error) == 1
    assert not cards(app)


def test_words_of_the_visitor_stay_as_they_were_typed():
    app = open_screen("masks", text="$x$ *a* _b_ {c} <i>", mask="padding", keep=0, query="*a*")
    assert r"“\*a\*”" in app.info[0].value
    assert alt(app, "weights").count("*a*") == 1


def test_cells_are_called_allowed_and_blocked_and_never_true_or_false():
    app = open_screen("masks", mask="causal")
    visible = said(app) + "".join(alt(app, name) for name in ("scores", "weights", "ways"))
    assert not re.search(r"\b(True|False)\b", visible)
    assert "66 of 121 cells are allowed, 55 are blocked" in alt(app, "scores")
    assert "it may look at 8 keys" in alt(app, "weights")
