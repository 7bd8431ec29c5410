"""What a map is told: integers that lose nothing a reader sees, sizes that fit a screen, words that stay data."""

import base64
import itertools
import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ui import maps
from ui.charts.bars import BarWords, weights
from ui.charts.tokens import lookup


def numbers(coded: maps.Coded) -> np.ndarray:
    return np.frombuffer(base64.b64decode(coded.text), f"<i{coded.bits // 8}") * 10.0**-coded.digits


@given(arrays(np.float64, (7, 5), elements=st.floats(-1e6, 1e6)))
def test_small_maps_send_nine_digits_of_every_number(values):
    limit = maps.largest(values)
    assume(limit > 1e-290)
    np.testing.assert_allclose(numbers(maps.coded(values, limit)), values.ravel(), rtol=0, atol=limit * 2.5e-9)


@pytest.mark.parametrize("limit", [1.0, 0.25, 3.2, 32.0, 400.0, 1e5])
def test_large_maps_send_numbers_rounded_to_the_digits_they_show(limit):
    values = np.random.default_rng(0).uniform(-limit, limit, (256, 256))
    coded = maps.coded(values, limit)
    assert coded.bits == 16
    np.testing.assert_allclose(numbers(coded), np.round(values, coded.digits).ravel(), rtol=1e-12, atol=1e-9)
    assert coded.digits == 4 or limit * 10.0 ** (coded.digits + 1) > 2**15


def test_256_words_are_sent_in_less_than_200_kb():
    assert len(maps.coded(np.ones((256, 256)), 1.0).text) < 180_000


def test_what_goes_ahead_of_a_slider_is_bounded_and_large_maps_send_nothing():
    assert [maps.places_ahead(n_cells) for n_cells in (4, 11**2, 4 * 11**2, 44**2, 256**2)] == [8, 8, 8, 2, 0]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_none_is_refused(bad):
    with pytest.raises(ValueError, match=f"values must be finite, but hold {bad}"):
        maps.coded(np.array([[0.5, bad]]), 1.0)


def test_a_scale_around_zero_holds_every_finite_number_and_is_never_empty():
    assert maps.largest(np.array([-3.0, 2.0])) == 3
    assert maps.largest(np.array([0.0])) == 1
    assert maps.largest(np.array([np.nan, np.inf, 2.0])) == 2


def test_heights_grow_with_rows_but_stay_on_a_screen():
    heights = [maps.height(n) for n in range(1, 257)]
    assert all(later >= earlier - 1 for earlier, later in itertools.pairwise(heights[:44]))
    assert min(heights) >= 250
    assert max(heights) <= 650


def test_lookup_escapes_whatever_a_label_holds():
    expression = lookup(('"]; alert(1); ["', "\u2028", "</script>"), "datum.key")
    assert json.loads(expression.removesuffix("[datum.key]")) == ['"]; alert(1); ["', "\u2028", "</script>"]
    assert expression.isascii()


def test_every_text_mark_takes_its_ink_from_the_theme():
    spec = weights(("a", "b"), BarWords("key", "weight", "blocked"), 200).to_dict()
    texts = [layer for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    assert texts
    assert all(layer["encoding"]["color"]["field"] == "ink" for layer in texts)
