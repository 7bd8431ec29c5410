import math

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import kv

from core.monte_carlo import dot_product_samples, variance_check
from core.theory import (
    curve,
    dot_product_density,
    dot_product_excess_kurtosis,
    dot_product_moments,
    expected_entropy,
    expected_largest,
    expected_participation,
    over_query_norm,
    transition_sigma,
)

LAWS = {
    "normal": stats.norm(),
    "uniform": stats.uniform(-math.sqrt(3), 2 * math.sqrt(3)),
    "laplace": stats.laplace(scale=math.sqrt(1 / 2)),
    "student": stats.t(5, scale=math.sqrt(3 / 5)),
}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, (0, 64)),
        ({"mean_q": 1}, (0, 128)),
        ({"mean_q": 1, "mean_k": 1}, (64, 192)),
        ({"same": True}, (64, 128)),
        ({"correlation": 1}, (64, 128)),
        ({"std_q": 2, "std_k": 3}, (0, 64 * 36)),
        ({"correlation": 0.5}, (32, 80)),
        ({"mean_q": 1, "mean_k": 2, "std_q": 3, "std_k": 5, "correlation": -0.5}, (64 * -5.5, 64 * 312.25)),
        ({"components": "sign", "same": True}, (64, 0)),
        ({"components": "student", "same": True}, (64, 512)),
    ],
)
def test_moments_follow_the_formula_on_paper(settings, expected):
    assert dot_product_moments(64, **settings) == pytest.approx(expected)


SETTINGS = (
    {},
    {"mean": 2, "std": 3},
    {"correlation": 0.6},
    {"mean": -1, "std": 2, "correlation": -0.4},
    {"mean": 1, "same": True},
)


@pytest.mark.parametrize(
    ("components", "settings"),
    [
        (components, settings)
        for components in ("normal", "uniform", "sign", "laplace", "student")
        for settings in SETTINGS
        # The sampled variance of Student components that meet themselves has no standard error.
        if components != "student" or settings in SETTINGS[:2]
    ],
    ids=str,
)
def test_moments_agree_with_samples_of_every_law(components, settings):
    d_k, n_samples = 3, 200_000
    samples = dot_product_samples(d_k, n_samples, components=components, rng=11, **settings)
    both = {f"{name}_{side}": settings[name] for name in ("mean", "std") if name in settings for side in "qk"}
    theory = both | {name: settings[name] for name in ("correlation", "same") if name in settings}
    mean, variance = dot_product_moments(d_k, components=components, **theory)
    excess = dot_product_excess_kurtosis(d_k, components, **theory)
    check = variance_check(samples, variance, excess_kurtosis=excess)
    assert abs(check.mean - mean) < 4 * math.sqrt(variance / n_samples)
    assert abs(check.z) < 4


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("correlation", [0, 0.7, -1])
def test_the_variance_of_one_product_is_that_of_its_integral(law, correlation):
    moment = {power: LAWS[law].expect(lambda a, power=power: a**power, limit=200) for power in (2, 4)}
    # E[(a b)²] with b = ρ a + √(1 − ρ²) e
    expected = correlation**2 * moment[4] + (1 - correlation**2) * moment[2] ** 2 - correlation**2
    _, variance = dot_product_moments(1, correlation=correlation, components=law)
    assert variance == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("law", LAWS)
def test_the_excess_kurtosis_of_independent_components_is_the_product_of_kurtoses_minus_three(law):
    kurtosis = float(LAWS[law].stats("k")) + 3
    assert dot_product_excess_kurtosis(7, law) == pytest.approx((kurtosis**2 - 3) / 7)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"same": True}, 12 / 7),  # chi-square with 7 degrees of freedom
        ({"components": "sign"}, -2 / 7),
        ({"components": "sign", "same": True}, 0),  # a constant
        ({"components": "student", "correlation": 0.1}, math.inf),
        ({"components": "laplace", "same": True}, (2193 / 25 - 3) / 7),
    ],
)
def test_the_excess_kurtosis_of_dependent_components(settings, expected):
    assert dot_product_excess_kurtosis(7, **settings) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"d_k": 0}, "d_k must be at least 1, got 0"),
        ({"d_k": 3, "correlation": 1.5}, "correlation must be between -1 and 1, got 1.5"),
        ({"d_k": 3, "components": "cauchy"}, "components must be one of normal, .*, got 'cauchy'"),
    ],
)
def test_impossible_pairs_are_refused_by_name(settings, message):
    with pytest.raises(ValueError, match=message):
        dot_product_moments(**settings)


def test_the_density_at_two_dimensions_is_laplace():
    x = np.array([-700.0, -3.0, 0.0, 1e-9, 0.5, 20.0])
    np.testing.assert_allclose(dot_product_density(x, 2), stats.laplace.pdf(x), rtol=1e-12)


@pytest.mark.parametrize("d_k", [1, 3, 16, 60, 61, 64, 101])
def test_the_density_is_the_closed_form_with_the_bessel_function(d_k):
    x = np.array([0.5, 2.0, 11.0, 40.0]) * math.sqrt(d_k)
    nu = (d_k - 1) / 2
    expected = (x / 2) ** nu * kv(nu, x) / (math.sqrt(math.pi) * math.gamma(d_k / 2))
    np.testing.assert_allclose(dot_product_density(x, d_k), expected, rtol=1e-11)
    np.testing.assert_array_equal(dot_product_density(-x, d_k), dot_product_density(x, d_k))


@pytest.mark.parametrize("d_k", [3, 61, 64, 512, 1024])
def test_the_density_inverts_its_characteristic_function(d_k):
    for x in np.array([0.0, 0.3, 1.0, 3.0]) * math.sqrt(d_k):
        inverse, _ = (
            quad(lambda t: (1 + t * t) ** (-d_k / 2), 0, np.inf, weight="cos", wvar=x)
            if x
            else quad(lambda t: (1 + t * t) ** (-d_k / 2), 0, np.inf, epsabs=1e-12)
        )
        assert dot_product_density(x, d_k) == pytest.approx(inverse / math.pi, abs=1e-8)


@pytest.mark.parametrize("d_k", [2, 3, 5, 59, 60, 61, 62, 64, 128, 1024])
def test_the_density_sums_to_one_with_variance_d_k(d_k):
    reach = 40 * math.sqrt(d_k) + 40
    for power, expected in ((0, 1), (2, d_k)):
        half, _ = quad(lambda x, p=power: x**p * dot_product_density(x, d_k), 0, reach, epsabs=1e-13, limit=400)
        assert 2 * half == pytest.approx(expected, rel=1e-10)


def test_the_density_is_finite_at_every_d_k_but_at_zero_of_the_first():
    x = np.array([0.0, 1e-300, 1e-9, 1.0, 1e3, 1e6])
    for d_k in range(2, 1025):
        assert np.isfinite(dot_product_density(x, d_k)).all()
    assert dot_product_density(x, 1)[0] == np.inf
    assert np.isfinite(dot_product_density(x, 1)[1:]).all()


def test_the_density_nears_the_normal_one():
    x = np.linspace(-3, 3, 13)
    np.testing.assert_allclose(32 * dot_product_density(32 * x, 1024), stats.norm.pdf(x), atol=1e-3)


@pytest.mark.parametrize(
    ("n_keys", "expected"),
    [(8, [0.2323, 0.6645, 0.8246]), (64, [0.0388, 0.4582, 0.7118]), (1024, [0.0026, 0.2725, 0.6017])],
)
def test_participation_at_the_numbers_the_screen_shows(n_keys, expected):
    np.testing.assert_allclose(expected_participation(n_keys, [1, 4, 8]), expected, atol=5e-5)


@pytest.mark.parametrize("sigma", [0.01, 0.3, 1.49, 1.51, 6.0, 100.0])
def test_two_keys_agree_with_a_single_integral(sigma):
    def expect(f):
        # One weight is the logistic function of the difference of the scores, which has deviation √2 sigma.
        def integrand(x):
            p = 1 / (1 + math.exp(-math.sqrt(2) * sigma * x))
            return f(p) * stats.norm.pdf(x)

        return 2 * quad(integrand, 0, 12, epsabs=1e-12, points=[1 / sigma] if sigma > 1 else None, limit=200)[0]

    assert expected_participation(2, sigma) == pytest.approx(expect(lambda p: p * p + (1 - p) ** 2), abs=1e-8)
    assert expected_largest(2, sigma) == pytest.approx(expect(lambda p: p), abs=1e-8)
    entropy = expect(lambda p: -p * math.log(p) - (1 - p) * math.log1p(-p) if p < 1 else 0)
    assert expected_entropy(2, sigma) == pytest.approx(entropy, abs=1e-7)


@pytest.mark.parametrize(("n_keys", "sigma"), [(3, 32.0), (8, 1.0), (8, 8.0), (64, 4.0), (257, 0.5)])
def test_expectations_agree_with_samples_within_four_standard_errors(n_keys, sigma):
    z = sigma * np.random.default_rng(7).standard_normal((2_000_000 // n_keys, n_keys))
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    for samples, expectation in (
        ((p**2).sum(axis=1), expected_participation),
        (stats.entropy(p, axis=1), expected_entropy),
        (p.max(axis=1), expected_largest),
    ):
        standard_error = samples.std() / math.sqrt(len(samples))
        assert abs(samples.mean() - expectation(n_keys, sigma)) < 4 * standard_error


@pytest.mark.parametrize("n_keys", [1, 2, 8, 1024])
def test_without_spread_every_key_weighs_the_same(n_keys):
    for sigma in (0, 1e-12):
        assert expected_participation(n_keys, sigma) == pytest.approx(1 / n_keys, abs=1e-10)
        assert expected_entropy(n_keys, sigma) == pytest.approx(math.log(n_keys), abs=1e-10)
        assert expected_largest(n_keys, sigma) == pytest.approx(1 / n_keys, abs=1e-10)


def test_one_key_has_all_the_weight():
    sigmas = [0.1, 1, 30]
    np.testing.assert_allclose(expected_participation(1, sigmas), 1, atol=1e-9)
    np.testing.assert_allclose(expected_largest(1, sigmas), 1, atol=1e-9)
    np.testing.assert_allclose(expected_entropy(1, sigmas), 0, atol=1e-8)


@pytest.mark.parametrize("n_keys", [2, 8, 1024])
def test_entropy_obeys_steins_lemma(n_keys):
    sigma = np.geomspace(0.1, 10, 7)

    def free_energy_slope(s, h=1e-4):
        # d E[ln Σ e^(σ x)] / dσ = σ (1 − E[Σ p²]), and E[H] = E[ln Σ e^z] − σ times that slope.
        up, down = (
            expected_entropy(n_keys, x) + x**2 * (1 - expected_participation(n_keys, x)) for x in (s + h, s - h)
        )
        return (up - down) / (2 * h)

    slope = sigma * (1 - expected_participation(n_keys, sigma))
    np.testing.assert_allclose(free_energy_slope(sigma), slope, rtol=1e-4)


def test_beyond_the_transition_a_few_keys_share_the_weight_however_many_there_are():
    n_keys = 10**9
    sigma = 2 * transition_sigma(n_keys)
    assert expected_participation(n_keys, sigma) == pytest.approx(1 - transition_sigma(n_keys) / sigma, abs=0.05)
    assert expected_participation(n_keys, transition_sigma(n_keys) / 2) < 0.01
    assert transition_sigma(8) == pytest.approx(2.0393, abs=1e-4)


@pytest.mark.parametrize("expectation", [expected_participation, expected_entropy, expected_largest])
def test_a_curve_is_its_expectation(expectation):
    sigma = np.geomspace(1e-3, 1e3, 37)
    for n_keys in (2, 8, 1024):
        np.testing.assert_allclose(curve(expectation, n_keys)(sigma), expectation(n_keys, sigma), atol=1e-6)


@pytest.mark.parametrize(
    ("d_k", "divisor", "expected"),
    [(64, 1, 0.875), (64, 8, 0.360), (1024, 1, 0.969), (1024, 32, 0.361), (1024, 1024, 0.131)],
)
def test_the_mean_largest_weight_of_eight_keys_at_the_numbers_the_screen_shows(d_k, divisor, expected):
    assert over_query_norm(curve(expected_largest, 8), d_k, divisor) == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize("d_k", [1, 5])
def test_the_average_over_queries_agrees_with_drawn_queries_and_keys(d_k):
    rng = np.random.default_rng(3)
    query, key = rng.standard_normal((60_000, 1, d_k)), rng.standard_normal((60_000, 7, d_k))
    scores = (query * key).sum(axis=-1)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    largest = (p / p.sum(axis=1, keepdims=True)).max(axis=1)
    expected = over_query_norm(curve(expected_largest, 7), d_k, 1)
    assert abs(largest.mean() - expected) < 4 * largest.std() / math.sqrt(len(largest))


@pytest.mark.parametrize("d_k", [1, 2, 7, 64, 1024])
def test_the_average_over_query_norms_has_the_moments_of_a_chi_law(d_k):
    assert over_query_norm(lambda s: s**2, d_k, 3.0) == pytest.approx(d_k / 9, rel=1e-6)
    assert over_query_norm(lambda s: s, d_k, 1.0) == pytest.approx(stats.chi(d_k).mean(), rel=1e-6)


@pytest.mark.parametrize("expectation", [expected_participation, expected_entropy, expected_largest])
def test_impossible_softmax_inputs_are_refused_by_name(expectation):
    with pytest.raises(ValueError, match="n_keys must be at least 1, got 0"):
        expectation(0, 1.0)
    with pytest.raises(ValueError, match="sigma must not be negative, got -2"):
        expectation(3, [1.0, -2.0])
