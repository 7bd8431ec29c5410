"""What the words of the step-by-step screen claim, where no other test asserts it."""

import re

import numpy as np
import pytest

from tests.pages.app import cards, data, open_screen
from tests.pages.test_step_by_step import MARK, OWN, check, definition, go, inputs, said, tape
from ui.text import LANGUAGES, Words


def test_every_exponential_is_positive_and_one_point_is_a_factor_of_e():
    app = open_screen("step_by_step", step="exp", text=OWN, edit="")
    rows, _ = tape(app)
    assert (rows[7] > 0).all()
    np.testing.assert_allclose(np.log(rows[7][:, None] / rows[7]), rows[5][:, None] - rows[5], atol=1e-9)
    assert f"≈ {np.e:.2f}" in said(app)[0]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_keys_that_share_the_largest_weight_are_counted(lang):
    app = open_screen("step_by_step", lang, query={"en": "cross", "ko": "건너지"}[lang], step="weights")
    weights = check(app)["weights"]
    count = np.isclose(weights, weights.max()).sum()
    assert count == 2
    assert str(count) in said(app)[0]


@pytest.mark.parametrize("mask", ["none", "causal", "window"])
def test_every_figure_lies_within_its_bounds(mask):
    app = open_screen("step_by_step", text=OWN, query="d", mask=mask, step="output")
    m = {"none": 7, "causal": 5, "window": 3}[mask]
    largest, keys = cards(app)
    assert (largest.bound, keys.bound) == (f"{1 / m:.3f} … 1", f"1 … {m}")
    assert 1 / m <= float(largest.value) <= 1
    assert 1 <= float(keys.value) <= m


def test_the_same_word_has_the_same_random_numbers_of_one_decimal():
    app = open_screen("step_by_step", text=OWN, step="output")
    _, keys, values = inputs(app)
    for numbers in (keys, values):
        np.testing.assert_array_equal(numbers[0], numbers[2])
        np.testing.assert_array_equal(numbers, np.round(numbers, 1))


def test_dividing_by_d_k_is_more_than_the_root_would():
    app = open_screen("step_by_step", scale="d_k", step="divide")
    assert "d_k = 4, which is more than" in said(app)[0]
    assert 4 > 4**0.5


def test_the_ratio_of_the_two_largest_weights_is_e_to_their_gap():
    app = open_screen("step_by_step", text=OWN, query="e")
    query, keys, values = inputs(go(app, "output"))
    app.button(key="predict_show").click().run()
    because = next(text.value for text in app.markdown if "e to that gap" in text.value)
    gap, other_gap = (float(found) for found in re.findall(r"(\d+\.?\d*) now and would be (\d+\.?\d*)", because)[0])
    for divisor, distance in ((2, gap), (1, other_gap)):
        *_, second, first = np.sort(definition(query, keys, values, divisor)["weights"])
        assert first / second == pytest.approx(np.exp(distance), rel=1e-2)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_the_root_the_scores_stay_twice_as_large(lang):
    app = open_screen("step_by_step", lang, step="divide")
    divided = tape(app)[0][5]
    app.button(key="preset_collapse").click().run()
    np.testing.assert_allclose(tape(app)[0][5], 2 * divided)


def test_the_word_that_becomes_wide_is_the_last():
    app = open_screen("step_by_step")
    before = list(data(app, "tape", "keys")["token"])
    app.button(key="preset_wide").click().run()
    after = list(data(app, "tape", "keys")["token"])
    assert (before[:-1], before[-1], after[-1]) == (after[:-1], "tired", "wide")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_presets_start_from_numbers_that_nobody_changed(lang):
    app = open_screen("step_by_step", lang, edit=f"{MARK}_q8.2~5")
    for name in ("collapse", "wide", "causal"):
        app.button(key=f"preset_{name}").click().run()
        assert app.session_state["edit"] == ""
        assert Words("step_by_step", lang)(f"presets.{name}.see") in [info.value for info in app.info]


def test_the_axis_that_is_named_holds_the_largest_component_of_the_output():
    app = open_screen("step_by_step", step="output")
    output = check(app)["output"]
    assert output.argmax() == 0
    assert "on the axis “living”" in said(app)[0]
