import math
import warnings

import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from core.softmax import effective_keys, entropy, jacobian, log_softmax, participation, softmax
from tests.core.strategies import any_scores, gentle_scores, masked_scores, matrices, temperatures

inf, nan = np.inf, np.nan


@pytest.fixture(autouse=True)
def _warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@given(any_scores, temperatures)
def test_softmax_and_its_logarithm_agree_with_scipy(scores, temperature):
    expected = scipy.special.softmax(scores / temperature, axis=-1)
    np.testing.assert_allclose(softmax(scores, temperature=temperature), expected, rtol=1e-11, atol=1e-300)
    expected = scipy.special.log_softmax(scores / temperature, axis=-1)
    np.testing.assert_allclose(log_softmax(scores, temperature=temperature), expected, rtol=1e-11, atol=1e-11)


@given(masked_scores(), temperatures)
def test_a_row_sums_to_one_or_has_nothing_to_attend_to(example, temperature):
    scores, mask = example
    weights = softmax(scores, temperature=temperature, mask=mask)
    np.testing.assert_allclose(weights.sum(axis=-1), mask.any(axis=-1), rtol=1e-12)
    assert (weights[~mask] == 0).all()


@given(masked_scores(), temperatures)
def test_masked_softmax_is_the_softmax_of_the_allowed_scores_alone(example, temperature):
    scores, mask = example
    for row, allowed, weights in zip(scores, mask, softmax(scores, temperature=temperature, mask=mask), strict=True):
        np.testing.assert_array_equal(weights[allowed], softmax(row[allowed], temperature=temperature))


@given(masked_scores(), st.sampled_from([0.0, 0.3, 1.0, inf]), st.sampled_from([nan, inf, -inf, 1e10, -1e30]))
def test_a_blocked_score_is_never_read(example, temperature, rubbish):
    scores, mask = example
    dirty = np.where(mask, scores, rubbish)
    for function in softmax, log_softmax:
        clean_result = function(scores, temperature=temperature, mask=mask)
        np.testing.assert_array_equal(function(dirty, temperature=temperature, mask=mask), clean_result)


@given(gentle_scores, st.integers(-(2**20), 2**20), temperatures)
def test_a_shift_of_all_scores_changes_nothing(scores, shift, temperature):
    scores = np.round(scores * 1024) / 1024  # so that adding the shift is exact
    np.testing.assert_array_equal(
        softmax(scores + shift, temperature=temperature), softmax(scores, temperature=temperature)
    )


@given(any_scores, temperatures)
def test_temperature_divides_the_scores_and_nothing_else(scores, temperature):
    np.testing.assert_allclose(
        softmax(scores, temperature=temperature), softmax(scores / temperature), rtol=1e-10, atol=1e-300
    )


@given(any_scores, st.randoms())
def test_permuted_scores_have_permuted_weights(scores, random):
    order = list(range(scores.shape[-1]))
    random.shuffle(order)
    np.testing.assert_allclose(softmax(scores)[:, order], softmax(scores[:, order]), rtol=1e-14)


@given(any_scores)
def test_every_axis_normalises_along_itself(scores):
    np.testing.assert_array_equal(softmax(scores, axis=0), softmax(scores.T).T)
    np.testing.assert_allclose(softmax(scores, axis=(0, 1)).ravel(), softmax(scores.ravel()), rtol=1e-14)
    np.testing.assert_array_equal(softmax(scores, axis=None), softmax(scores, axis=(0, 1)))


def test_rows_are_normalised_not_columns():
    np.testing.assert_allclose(softmax([[2, 0], [0, 0]]), [[0.8808, 0.1192], [0.5, 0.5]], atol=5e-5)


@pytest.mark.parametrize(
    ("temperature", "expected"),
    [
        (0.5, [0.8638, 0.1169, 0.0193]),
        (1, [0.6590, 0.2424, 0.0986]),
        (2, [0.5017, 0.3043, 0.1940]),
        (0, [1, 0, 0]),
        (inf, [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_temperature_sharpens_and_flattens(temperature, expected):
    np.testing.assert_allclose(softmax([2.0, 1.0, 0.1], temperature=temperature), expected, atol=5e-5)


@given(masked_scores(matrices(-3, 3).map(np.round)))
def test_temperature_zero_and_infinity_are_the_limits(example):
    scores, mask = example
    for limit, near in ((0.0, 1e-3), (inf, 1e9)):
        np.testing.assert_allclose(
            softmax(scores, temperature=limit, mask=mask), softmax(scores, temperature=near, mask=mask), atol=1e-8
        )


@given(st.integers(1, 6), st.integers(0, 6), st.floats(-1e300, 1e300))
def test_at_temperature_zero_ties_share(n_highest, n_lower, highest):
    scores = [highest] * n_highest + [-inf if highest < 0 else -highest - 1] * n_lower
    expected = [1 / n_highest] * n_highest + [0] * n_lower
    np.testing.assert_array_equal(softmax(scores, temperature=0), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("temperature", [1e-60, 5e-324, 1e60, 1e-320])
def test_a_temperature_beyond_the_precision_is_its_limit(dtype, temperature):
    scores = np.array([1, 2, 2], dtype)
    limit = 0 if temperature < 1 else inf
    np.testing.assert_array_equal(softmax(scores, temperature=temperature), softmax(scores, temperature=limit))


@pytest.mark.parametrize("temperature", [0, 0.5, 1, inf])
@pytest.mark.parametrize(
    ("scores", "expected_at_one"),
    [
        ([-inf, 1, 1], [0, 0.5, 0.5]),
        ([inf, inf, 7], [0.5, 0.5, 0]),
        ([inf, -inf, 7], [1, 0, 0]),
        ([-inf, -inf, -inf], [0, 0, 0]),
        ([nan, -inf, 1], [nan, nan, nan]),
    ],
)
def test_infinite_scores_take_all_or_nothing(scores, expected_at_one, temperature):
    np.testing.assert_array_equal(softmax([scores], temperature=temperature), [expected_at_one])


def test_nan_stays_in_its_row():
    np.testing.assert_array_equal(softmax([[nan, 0], [0, 0]]), [[nan, nan], [0.5, 0.5]])


@pytest.mark.parametrize("size", [1e4, 1e30, 1e307, 1e-310, 5e-324])
def test_extreme_scores_neither_overflow_nor_warn(size):
    gaps = np.array([0, 1, 2, 3]) * size
    expected = [0, 0, 0, 1] if size > 1 else [0.25] * 4
    np.testing.assert_array_equal(softmax(gaps), expected)
    np.testing.assert_allclose(np.exp(log_softmax(gaps)), expected, atol=1e-15)
    assert softmax([-1.7e308, 1.7e308]).tolist() == [0, 1]
    assert softmax([-1.7e308, 1.7e308], temperature=inf).tolist() == [0.5, 0.5]


def test_log_softmax_is_exact_where_the_weight_underflows():
    assert log_softmax([0, -5000]).tolist() == [0, -5000]
    assert softmax([0, -5000]).tolist() == [1, 0]


@given(masked_scores(gentle_scores), temperatures)
def test_log_softmax_is_the_logarithm_of_softmax(example, temperature):
    scores, mask = example
    weights = softmax(scores, temperature=temperature, mask=mask)
    logs = log_softmax(scores, temperature=temperature, mask=mask)
    np.testing.assert_allclose(np.exp(logs), weights, rtol=1e-11)
    assert np.isneginf(logs[~mask]).all()


def test_half_precision_is_computed_in_single_and_whole_numbers_in_double():
    assert softmax(np.float16([0, 0]), mask=[True, False]).tolist() == [1, 0]
    types = {np.float16: np.float32, np.float32: np.float32, np.float64: np.float64, np.int8: np.float64}
    for given_type, expected in types.items():
        for temperature in 0, 0.3, 1, inf:
            assert softmax(np.ones(3, given_type), temperature=temperature, mask=[True] * 3).dtype == expected
            assert log_softmax(np.ones(3, given_type), temperature=temperature).dtype == expected
            if np.issubdtype(given_type, np.floating):
                assert softmax(np.array([inf, -inf, 1], given_type), temperature=temperature).dtype == expected
        weights = np.ones(3, given_type)
        for function in jacobian, entropy, effective_keys, participation:
            assert function(weights).dtype == expected, function


@given(gentle_scores)
def test_single_precision_is_within_its_rounding_of_double(scores):
    single = softmax(scores.astype(np.float32))
    np.testing.assert_allclose(single, softmax(scores.astype(np.float32).astype(float)), rtol=5e-6)


def test_the_input_is_left_alone():
    scores, mask = np.array([3.0, inf, nan, 1.0]), np.array([True, True, False, True])
    before = scores.copy()
    for temperature in 0, 0.5, 1, inf:
        softmax(scores, temperature=temperature)
        softmax(scores, temperature=temperature, mask=mask)
    np.testing.assert_array_equal(scores, before)


def test_no_keys_have_no_weights():
    assert softmax(np.zeros((3, 0))).shape == (3, 0)
    assert log_softmax(np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("mask", [[1, 0], [1.0, 0.0], [0.0, -inf], np.array([1, 0], dtype=object)])
@pytest.mark.parametrize("function", [softmax, log_softmax])
def test_a_mask_of_numbers_is_refused_and_pointed_to_bias(function, mask):
    with pytest.raises(TypeError, match=r"mask must be boolean .* go into bias"):
        function([1.0, 2.0], mask=mask)


@pytest.mark.parametrize("temperature", [-1, -1e-9, -inf, nan])
@pytest.mark.parametrize("function", [softmax, log_softmax, jacobian])
def test_a_temperature_below_zero_is_refused(function, temperature):
    with pytest.raises(ValueError, match=f"temperature must be 0 or more, not {temperature}"):
        function([0.5, 0.5], temperature=temperature)


def test_a_mask_that_does_not_fit_is_named():
    with pytest.raises(ValueError, match=r"mask has shape \(3, 5\), which does not fit scores of shape \(3, 7\)"):
        softmax(np.zeros((3, 7)), mask=np.ones((3, 5), bool))


@given(gentle_scores.filter(lambda s: s.shape[-1] > 1), st.floats(0.5, 5))
def test_the_jacobian_is_the_slope_of_softmax(scores, temperature):
    analytic = jacobian(softmax(scores, temperature=temperature), temperature=temperature)
    h = 1e-5
    for j in range(scores.shape[-1]):
        step = h * np.eye(scores.shape[-1])[j]
        rise = softmax(scores + step, temperature=temperature) - softmax(scores - step, temperature=temperature)
        np.testing.assert_allclose(analytic[..., j], rise / (2 * h), atol=1e-8)


@given(masked_scores(), temperatures)
def test_the_jacobian_is_symmetric_with_rows_that_cancel_and_the_trace_participation_leaves(example, temperature):
    scores, mask = example
    weights = softmax(scores, temperature=temperature, mask=mask)
    slopes = jacobian(weights, temperature=temperature)
    np.testing.assert_array_equal(slopes, np.swapaxes(slopes, -1, -2))
    nonempty = mask.any(axis=-1)
    np.testing.assert_allclose(slopes[nonempty].sum(axis=-1), 0, atol=1e-14 / temperature)
    trace = np.trace(slopes, axis1=-2, axis2=-1)[nonempty]
    np.testing.assert_allclose(trace * temperature, 1 - participation(weights[nonempty]), atol=1e-14)
    assert (np.linalg.norm(slopes, 2, axis=(-2, -1)) * temperature <= 0.5 + 1e-12).all()


@pytest.mark.parametrize(
    ("weights", "expected"),
    [([0, 1, 0], np.zeros((3, 3))), ([0.5, 0.5, 0], [[inf, -inf, 0], [-inf, inf, 0], [0, 0, 0]])],
)
def test_the_jacobian_at_temperature_zero_is_the_limit(weights, expected):
    slopes = jacobian(weights, temperature=0)
    np.testing.assert_array_equal(slopes, expected)
    assert not np.signbit(slopes[np.equal(expected, 0)]).any()


@given(masked_scores(), st.sampled_from([math.e, 2, 10]))
def test_entropy_agrees_with_scipy_and_lies_between_one_key_and_all_allowed(example, base):
    scores, mask = example
    weights = softmax(scores, mask=mask)
    bits = entropy(weights, base=base)
    nonempty = mask.any(axis=-1)
    expected = scipy.stats.entropy(weights[nonempty], base=base, axis=-1)
    np.testing.assert_allclose(bits[nonempty], expected, atol=1e-12)
    limit = np.log(mask.sum(axis=-1)[nonempty]) / np.log(base)
    assert (bits >= 0).all()
    assert (bits[nonempty] <= limit + 1e-12).all()


@pytest.mark.parametrize(
    ("weights", "nats"),
    [([0, 0.5, 0.5], math.log(2)), ([0, 0, 1], 0), ([1], 0), ([0.25] * 4, math.log(4)), ([5e-324, 1], 0), ([0, 0], 0)],
)
def test_zero_log_zero_is_zero_and_never_minus_zero(weights, nats):
    for dtype in np.float32, np.float64:
        result = entropy(np.array(weights, dtype))
        assert result == pytest.approx(nats, abs=1e-7)
        assert not np.signbit(result)


def test_the_base_sets_the_unit_and_the_number_of_keys_ignores_it():
    even = [0.25] * 4
    assert entropy(even) == pytest.approx(1.3863, abs=5e-5)
    assert entropy(even, base=2) == pytest.approx(2, abs=1e-15)
    assert effective_keys(even) == pytest.approx(4, abs=1e-14)


def test_the_entropy_of_an_average_is_not_the_average_entropy():
    heads = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert entropy(heads.mean(axis=0)) == pytest.approx(math.log(2))
    assert entropy(heads).mean() == 0


@given(st.integers(1, 50))
def test_even_weights_over_n_keys_count_as_n_keys(n):
    even = np.full(n, 1 / n)
    assert effective_keys(even) == pytest.approx(n)
    assert participation(even) == pytest.approx(1 / n)


def test_a_row_with_nothing_to_attend_to_counts_no_keys():
    assert effective_keys([[0, 0], [0, 1]]).tolist() == [0, 1]


@given(masked_scores())
def test_the_statistics_of_columns_are_those_of_the_transposed_rows(example):
    scores, mask = example
    weights = softmax(scores, mask=mask, axis=0)
    for function in entropy, effective_keys, participation:
        np.testing.assert_allclose(function(weights, axis=0), function(weights.T), rtol=1e-13)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: entropy([-0.25, 1.25]), r"weights must not be negative, but the smallest is -0\.25"),
        (lambda: entropy([0.5, 0.5], base=1), "base must be positive and not 1, not 1"),
        (lambda: entropy([0.5, 0.5], base=-2), "base must be positive and not 1, not -2"),
        (lambda: entropy([0.5, 0.5], base=nan), "base must be positive and not 1, not nan"),
    ],
)
def test_entropy_names_what_it_cannot_measure(call, message):
    with pytest.raises(ValueError, match=message):
        call()
