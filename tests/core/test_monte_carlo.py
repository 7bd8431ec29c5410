import math
from itertools import islice

import numpy as np
import pytest
from scipy import stats

from core.monte_carlo import dot_product_samples, histogram, running_variance, sample_chunks, variance_check
from core.theory import dot_product_density, dot_product_excess_kurtosis, dot_product_moments

LAWS = ["normal", "uniform", "sign", "laplace", "student"]


def mean_within_four_standard_errors(samples, expected):
    return abs(np.mean(samples) - expected) < 4 * np.std(samples) / math.sqrt(len(samples))


def same_law(left, right):
    """The two-sample Kolmogorov-Smirnov test, failing one true case in ten thousand."""
    return stats.ks_2samp(left, right).pvalue > 1e-4


@pytest.mark.parametrize(
    ("components", "law"),
    [
        ("normal", stats.norm()),
        ("uniform", stats.uniform(-math.sqrt(3), 2 * math.sqrt(3))),
        ("laplace", stats.laplace(scale=math.sqrt(1 / 2))),
        ("student", stats.t(5, scale=math.sqrt(3 / 5))),
    ],
)
def test_one_component_with_itself_is_the_square_of_its_law(components, law):
    samples = dot_product_samples(1, 20_000, components=components, same=True, rng=2)
    assert stats.kstest(np.sqrt(samples), lambda x: 2 * law.cdf(x) - 1).pvalue > 1e-4


def test_one_pair_of_signs_is_a_sign():
    samples = dot_product_samples(1, 10_000, components="sign", rng=3)
    assert set(samples) == {-1, 1}
    assert mean_within_four_standard_errors(samples, 0)


@pytest.mark.parametrize("method", ["components", "exact"])
@pytest.mark.parametrize("d_k", [1, 2, 7, 64])
def test_samples_of_normal_components_follow_the_exact_density(method, d_k):
    samples = dot_product_samples(d_k, 50_000, method=method, rng=5)
    edges = math.sqrt(d_k) * np.linspace(-4, 4, 33)
    x = (edges[:-1] + np.diff(edges) * (np.arange(400)[:, None] + 0.5) / 400).T
    expected = len(samples) * dot_product_density(x, d_k).mean(axis=1) * np.diff(edges)
    counts = histogram(samples, edges).counts
    assert (np.abs(counts - expected) < 4.5 * np.sqrt(expected + 1)).all()


@pytest.mark.parametrize("d_k", [1, 3, 50])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"mean": 1, "std": 2},
        {"correlation": 0.6},
        {"mean": -2, "correlation": -0.8},
        {"correlation": 1, "std": 3},
        {"same": True},
        {"mean": 1, "same": True},
    ],
    ids=str,
)
def test_the_exact_method_draws_the_law_of_the_components(d_k, settings):
    exact, components = (
        dot_product_samples(d_k, 20_000, method=method, rng=seed, **settings)
        for method, seed in (("exact", 17), ("components", 18))
    )
    assert same_law(exact, components)


@pytest.mark.parametrize("d_k", [1, 6, 101])
def test_the_exact_method_draws_the_law_of_signs(d_k):
    exact = dot_product_samples(d_k, 20_000, components="sign", method="exact", rng=1)
    values, counts = np.unique(exact, return_counts=True)
    expected = 20_000 * stats.binom(d_k, 0.5).pmf((values + d_k) / 2)
    assert (np.abs(counts - expected) < 4.5 * np.sqrt(expected + 1)).all()


@pytest.mark.parametrize(
    "settings", [{"components": "uniform"}, {"components": "sign", "mean": 1}, {"components": "laplace", "same": True}]
)
def test_an_unknown_exact_law_is_refused(settings):
    with pytest.raises(ValueError, match=f"no exact law is known for these {settings['components']} components"):
        dot_product_samples(3, 5, method="exact", rng=0, **settings)


@pytest.mark.parametrize("components", LAWS)
@pytest.mark.parametrize("settings", [{}, {"mean": 1, "std": 2, "correlation": 0.5}, {"same": True}], ids=str)
def test_fewer_samples_are_the_first_of_more(components, settings):
    few, many = (dot_product_samples(7, n, components=components, rng=4, **settings) for n in (11, 50_000))
    np.testing.assert_array_equal(few, many[:11])


@pytest.mark.parametrize("method", ["components", "exact"])
def test_chunks_are_the_samples_in_bounded_pieces(method):
    chunks = list(sample_chunks(5, 70_001, method=method, rng=6))
    assert len(chunks) > 2
    assert max(map(len, chunks)) * 5 < 2**18
    np.testing.assert_array_equal(np.concatenate(chunks), dot_product_samples(5, 70_001, method=method, rng=6))


def test_a_run_can_be_cancelled_between_chunks():
    first = next(islice(sample_chunks(1024, 10**9, rng=0), 1))
    np.testing.assert_array_equal(first, dot_product_samples(1024, len(first), rng=0))


def test_a_generator_goes_on_where_it_stood():
    rng = np.random.Generator(np.random.SFC64(8))
    halves = [dot_product_samples(3, 13, rng=rng) for _ in range(2)]
    np.testing.assert_array_equal(np.concatenate(halves), dot_product_samples(3, 26, rng=8))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"d_k": 0}, "d_k must be at least 1, got 0"),
        ({"n_samples": 0}, "n_samples must be at least 1, got 0"),
        ({"std": -1}, "std must not be negative, got -1"),
        ({"correlation": 2}, "correlation must be between -1 and 1, got 2"),
        ({"components": "cauchy"}, "components must be one of normal, .*, got 'cauchy'"),
        ({"method": "guess"}, "method must be components or exact, got 'guess'"),
    ],
)
def test_bad_settings_are_refused_before_the_first_chunk(settings, message):
    with pytest.raises(ValueError, match=message):
        sample_chunks(**{"d_k": 3, "n_samples": 5, "rng": 0} | settings)


def test_the_sampled_variance_divides_by_n_minus_one():
    check = variance_check([1, 2, 3, 4, 0, 0, 0], theory=2)
    assert check.mean == pytest.approx(10 / 7)
    assert check.variance == pytest.approx(2.6190, abs=1e-4)


def test_from_normal_samples_the_interval_is_the_textbook_one():
    x = np.random.default_rng(0).standard_normal(50)
    check = variance_check(x, theory=1, confidence=0.9, excess_kurtosis=0)
    assert check.low == pytest.approx(49 * x.var(ddof=1) / stats.chi2(49).ppf(0.95))
    assert check.high == pytest.approx(49 * x.var(ddof=1) / stats.chi2(49).ppf(0.05))
    assert check.standard_error == pytest.approx(x.var(ddof=1) * math.sqrt(2 / 49))


def test_from_many_samples_the_standard_error_is_the_one_the_screen_writes():
    x = dot_product_samples(4, 400_000, rng=1)
    expected = x.var(ddof=1) * math.sqrt((2 + stats.kurtosis(x)) / len(x))
    check = variance_check(x, theory=4)
    assert check.standard_error == pytest.approx(expected, rel=1e-5)
    assert check.z == pytest.approx((check.variance - 4) / expected, rel=1e-5)
    assert check.high - check.low == pytest.approx(2 * 1.96 * expected, rel=1e-3)


@pytest.mark.parametrize(
    ("n_samples", "d_k", "given", "lowest"),
    [(4, 1, True, 0.94), (100, 1, True, 0.94), (100, 64, False, 0.92), (1000, 4, False, 0.93), (30, 64, True, 0.94)],
)
def test_the_interval_holds_the_truth_about_as_often_as_it_says(n_samples, d_k, given, lowest):
    n_runs = 2000
    excess = dot_product_excess_kurtosis(d_k) if given else None
    runs = dot_product_samples(d_k, n_runs * n_samples, method="exact", rng=9).reshape(n_runs, n_samples)
    checks = [variance_check(run, d_k, excess_kurtosis=excess) for run in runs]
    held = np.mean([check.low <= d_k <= check.high for check in checks])
    assert lowest - 4 * math.sqrt(0.05 * 0.95 / n_runs) < held < 0.985


@pytest.mark.parametrize("components", LAWS)
def test_the_standard_error_is_the_spread_of_repeated_variances(components):
    n_runs, n_samples, d_k = 800, 500, 20
    runs = dot_product_samples(d_k, n_runs * n_samples, components=components, rng=10).reshape(n_runs, n_samples)
    _, variance = dot_product_moments(d_k, components=components)
    excess = dot_product_excess_kurtosis(d_k, components)
    expected = variance * math.sqrt(2 / (n_samples - 1) + excess / n_samples)
    assert runs.var(axis=1, ddof=1).std() == pytest.approx(expected, rel=0.15)


def test_four_numbers_confirm_and_refute_nothing():
    check = variance_check([9.0, -9.0, 8.0, -8.0], theory=1e-9)
    assert check.consistent is None
    assert check.low < check.variance < check.high


def test_many_numbers_confirm_the_right_theory_and_refute_the_wrong_one():
    x = dot_product_samples(64, 100_000, rng=0)
    assert variance_check(x, theory=64).consistent is True
    assert variance_check(x, theory=8).consistent is False


def test_a_law_without_fourth_moment_gives_no_interval():
    check = variance_check(np.arange(100.0), theory=64, excess_kurtosis=math.inf)
    assert (check.low, check.high, check.consistent) == (0, math.inf, None)


def test_a_constant_has_no_variance_and_agrees_with_that():
    samples = dot_product_samples(5, 40, components="sign", same=True, rng=0)
    check = variance_check(samples, theory=0)
    assert (check.mean, check.variance, check.z, check.consistent) == (5, 0, 0, True)
    assert variance_check(samples, theory=1).z == -math.inf


@pytest.mark.parametrize("samples", [[], [1.0], [[1.0, 2.0]]])
def test_fewer_than_two_samples_have_no_variance(samples):
    with pytest.raises(ValueError, match="with n at least 2, but their shape is"):
        variance_check(samples, 1)


def test_a_confidence_of_one_is_refused():
    with pytest.raises(ValueError, match="confidence must be between 0 and 1, got 1"):
        variance_check([1, 2], 1, confidence=1)


def test_the_running_variance_is_that_of_the_first_samples():
    x = 1e6 + dot_product_samples(3, 1000, rng=1)
    counts, variance, standard_error = running_variance(x, 20)
    assert counts[0] == 2
    assert counts[-1] == 1000
    np.testing.assert_allclose(variance, [x[:n].var(ddof=1) for n in counts], rtol=1e-6)
    assert standard_error[-1] == pytest.approx(variance_check(x, 3).standard_error)


def test_the_running_standard_error_narrows_like_one_over_the_root_of_n():
    x = dot_product_samples(3, 100_000, rng=2)
    counts, variance, standard_error = running_variance(x, 30, excess_kurtosis=2)
    late = counts > 1000
    np.testing.assert_allclose(standard_error[late], 2 * variance[late] / np.sqrt(counts[late]), rtol=1e-3)


def test_a_histogram_counts_what_lies_outside():
    result = histogram([0, 0, 1, 2, 5, -1, 9], [0, 1, 3])
    assert (result.counts.tolist(), result.below, result.above) == ([2, 2], 1, 2)
    np.testing.assert_allclose(result.density, [2 / 7, 1 / 7])
