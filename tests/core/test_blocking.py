"""Wrong and right ways to block, at the numbers that public bug reports give for them."""

from dataclasses import replace

import numpy as np
import pytest

from core.attention import attend
from core.blocking import filled, influence, multiplied, zeroed
from core.softmax import softmax

SCORES = np.array([0.43, -0.21, 0.99, 0.32, -0.35, 0.04])
FIRST_THREE = np.array([True, True, True, False, False, False])
NOBODY = np.zeros(6, dtype=bool)


@pytest.mark.parametrize("fill", [-np.inf, -1e9])
def test_a_low_enough_score_blocks_a_key_as_the_mask_of_the_softmax_does(fill):
    weights = filled(SCORES, FIRST_THREE, fill)
    np.testing.assert_allclose(weights, [0.3051, 0.1609, 0.5341, 0, 0, 0], atol=5e-5)
    np.testing.assert_array_equal(weights, softmax(SCORES, mask=FIRST_THREE))


def test_a_multiplied_score_still_counts_as_one():
    expected = [0.1912, 0.1008, 0.3348, 0.1244, 0.1244, 0.1244]
    np.testing.assert_allclose(multiplied(SCORES, FIRST_THREE), expected, atol=5e-5)
    powers = np.exp([0.43, -0.21, 0.99, 0, 0, 0])
    np.testing.assert_allclose(multiplied(SCORES, FIRST_THREE), powers / powers.sum(), rtol=1e-14)


def test_weights_zeroed_after_the_softmax_do_not_sum_to_one():
    weights = zeroed(np.array([[0.0, 1.0], [2.0, 0.0]]), np.tri(2, dtype=bool))
    np.testing.assert_allclose(weights, [[0.2689, 0], [0.8808, 0.1192]], atol=5e-5)


def test_a_row_without_allowed_keys_is_even_under_a_finite_fill_and_undefined_under_an_infinite_one():
    np.testing.assert_array_equal(filled(SCORES, NOBODY, -1e9), np.full(6, 1 / 6))
    assert np.isnan(filled(SCORES, NOBODY, -np.inf)).all()
    assert zeroed(SCORES, NOBODY).tolist() == [0] * 6
    np.testing.assert_array_equal(multiplied(SCORES, NOBODY), np.full(6, 1 / 6))


def test_minus_a_billion_is_minus_infinity_in_float16():
    half = SCORES.astype(np.float16)
    assert np.finfo(np.float16).min == -65504
    np.testing.assert_array_equal(filled(half, FIRST_THREE, -1e9), filled(half, FIRST_THREE, -np.inf))
    assert np.isnan(filled(half, NOBODY, -1e9)).all()
    assert filled(half, NOBODY, -1e9).dtype == np.float16


def test_a_mask_of_numbers_is_refused():
    with pytest.raises(TypeError, match="mask must be boolean"):
        multiplied(SCORES, FIRST_THREE.astype(float))


def test_what_a_blocked_key_holds_changes_nothing_at_all():
    rng = np.random.default_rng(3)
    query, key, value = rng.normal(size=(5, 3)), rng.normal(size=(7, 3)), rng.normal(size=(7, 2))
    mask = rng.random((5, 7)) < 0.4
    mask[2] = False
    assert influence(query, key, value, mask) == 0


def test_an_influence_that_is_there_is_measured(monkeypatch):
    one_of_two = np.ones((1, 1)), np.ones((2, 1)), np.ones((2, 1)), np.array([[True, False]])

    def without_mask(query, key, value, *, mask):
        return attend(query, key, value)

    monkeypatch.setattr("core.blocking.attend", without_mask)
    assert not influence(*one_of_two) < 1e29

    def mixing_zero_times_nan(query, key, value, *, mask):
        seen = attend(query, key, value, mask=mask)
        return replace(seen, output=seen.weights @ value)

    monkeypatch.setattr("core.blocking.attend", mixing_zero_times_nan)
    assert np.isnan(influence(*one_of_two))
