import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from core.divergence import jensen_shannon_distance
from core.softmax import entropy, softmax
from tests.core.strategies import gentle_scores, seeds


@given(seeds, st.sampled_from([1, 2, 7]), st.sampled_from([0.3, 1.0, 30.0]))
def test_it_is_the_distance_of_scipy(seed, n, spread):
    p, q = softmax(np.random.default_rng(seed).normal(0, spread, (2, 5, n)))
    with np.errstate(invalid="ignore"):  # SciPy's root of a rounded -1e-17 is NaN
        expected = np.nan_to_num(jensenshannon(p, q, base=2, axis=-1))
    np.testing.assert_allclose(jensen_shannon_distance(p, q), expected, atol=3e-8)


def test_equal_rows_are_at_0_and_rows_that_share_nothing_at_1():
    assert jensen_shannon_distance([0.5, 0.5, 0], [0.5, 0.5, 0]) == 0
    assert jensen_shannon_distance([1, 0], [0, 1]) == 1
    assert jensen_shannon_distance([0.5, 0.5, 0, 0], [0, 0, 0.25, 0.75]) == 1


def test_one_key_against_two_is_a_distance_on_paper():
    # m = (3/4, 1/4): D(p | m) = log2(4/3), D(q | m) = (log2(2/3) + log2(2)) / 2
    assert jensen_shannon_distance([1, 0], [0.5, 0.5]) ** 2 == pytest.approx(0.75 * np.log2(4 / 3))


@given(gentle_scores)
def test_its_square_is_what_averaging_adds_to_the_entropy(scores):
    p = softmax(scores)
    q = p[::-1]
    added = entropy((p + q) / 2, base=2) - (entropy(p, base=2) + entropy(q, base=2)) / 2
    np.testing.assert_allclose(jensen_shannon_distance(p, q) ** 2, added, atol=1e-12)


@given(seeds)
def test_it_is_symmetric_and_a_detour_is_never_shorter(seed):
    p, q, r = softmax(np.random.default_rng(seed).normal(0, 3, (3, 7)))
    assert jensen_shannon_distance(p, q) == jensen_shannon_distance(q, p)
    assert jensen_shannon_distance(p, r) <= jensen_shannon_distance(p, q) + jensen_shannon_distance(q, r) + 1e-9


def test_leading_axes_broadcast_and_the_axis_is_free():
    p = softmax(np.random.default_rng(0).normal(size=(3, 5, 7)))
    every_pair = jensen_shannon_distance(p[:, None], p)
    assert every_pair.shape == (3, 3, 5)
    assert np.all(every_pair.diagonal() == 0)
    columns = np.moveaxis(p, -1, 0)
    np.testing.assert_array_equal(jensen_shannon_distance(columns[:, 0], columns[:, 1], axis=0), every_pair[0, 1])


def test_a_negative_weight_is_named():
    with pytest.raises(ValueError, match=r"q must not be negative, but its smallest weight is -0\.5"):
        jensen_shannon_distance([1, 0], [1.5, -0.5])
