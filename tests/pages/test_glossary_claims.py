"""What the explanations of terms claim, where no other test asserts it."""

import numpy as np
import pytest
from scipy import integrate, stats

from core.softmax import entropy, softmax


@pytest.mark.parametrize(("angle", "sign"), [(0, 1), (60, 1), (90, 0), (120, -1), (180, -1)])
def test_the_dot_product_is_positive_to_the_same_side_and_negative_to_opposite_ones(angle, sign):
    turned = np.array([3 * np.cos(np.deg2rad(angle)), 3 * np.sin(np.deg2rad(angle))])
    assert np.sign(np.round(np.array([2, 0]) @ turned, 12)) == sign


def test_what_is_multiplied_by_the_identity_stays_as_it_is():
    square = np.arange(25.0).reshape(5, 5)
    identity = np.where(np.arange(5)[:, None] == np.arange(5), 1, 0)
    np.testing.assert_array_equal(square @ identity, square)
    np.testing.assert_array_equal(identity @ square, square)


@pytest.mark.parametrize("seed", range(7))
def test_a_smaller_temperature_makes_the_largest_weight_larger_and_a_larger_one_all_more_alike(seed):
    scores = np.random.default_rng(seed).normal(size=5)
    weights = np.array([softmax(scores, temperature=t) for t in (0.1, 0.5, 1, 2, 10)])
    assert (np.diff(weights.max(axis=1)) < 0).all()
    assert (np.diff(np.ptp(weights, axis=1)) < 0).all()


def test_a_bit_is_069_nats():
    assert entropy([0.5, 0.5], base=2) == 1
    assert round(float(entropy([0.5, 0.5])), 2) == 0.69


def test_numbers_that_are_independent_tell_nothing_of_each_other_and_are_not_correlated():
    values, chances, others = np.array([-1, 2, 5]), np.array([0.2, 0.5, 0.3]), np.array([0.1, 0.9])
    both = np.outer(chances, others)
    np.testing.assert_allclose(both / both.sum(axis=0), np.column_stack([chances, chances]))
    means = values @ chances, np.array([3, 7]) @ others
    assert (values - means[0]) @ both @ (np.array([3, 7]) - means[1]) == pytest.approx(0)


def test_correlation_goes_from_minus_1_to_1_with_the_sign_of_moving_together():
    numbers = np.arange(7.0)
    assert np.corrcoef(numbers, 2 * numbers + 3)[0, 1] == pytest.approx(1)
    assert np.corrcoef(numbers, 3 - 2 * numbers)[0, 1] == pytest.approx(-1)
    bent = np.corrcoef(numbers, numbers**2)[0, 1]
    assert 0 < bent < 1


def test_the_kurtosis_of_the_normal_distribution_is_3():
    fourth, _ = integrate.quad(lambda x: x**4 * stats.norm.pdf(x), -np.inf, np.inf)
    second, _ = integrate.quad(lambda x: x**2 * stats.norm.pdf(x), -np.inf, np.inf)
    assert fourth / second**2 == pytest.approx(3)


def test_the_spectral_norm_is_the_most_by_which_a_matrix_lengthens_a_vector():
    matrix = np.array([[3.0, 1], [0, 2]])
    turns = np.linspace(0, 2 * np.pi, 3601)
    lengths = np.linalg.norm(matrix @ [np.cos(turns), np.sin(turns)], axis=0)
    assert lengths.max() == pytest.approx(np.linalg.norm(matrix, 2), rel=1e-6)


def test_zero_by_zero_is_not_a_number():
    with np.errstate(invalid="ignore"):
        assert np.isnan(np.float64(0) / np.float64(0))


def test_the_precisions_have_64_32_and_16_bits_and_the_last_one_ends_at_65504():
    assert [np.finfo(kind).bits for kind in (np.float64, np.float32, np.float16)] == [64, 32, 16]
    assert np.finfo(np.float16).max == 65504 == -np.finfo(np.float16).min


def test_tanh_stays_between_minus_1_and_1():
    squeezed = np.tanh([-1e300, -1, 0, 0.5, 1e300])
    assert (np.diff(squeezed) > 0).all()
    assert (squeezed[0], squeezed[-1]) == (-1, 1)
