import numpy as np
import pytest
from scipy import integrate, stats

from core.pairs import Pair

LAWS = {
    "normal": stats.norm(),
    "uniform": stats.uniform(-np.sqrt(3), 2 * np.sqrt(3)),
    "sign": stats.rv_discrete(values=([-1, 1], [0.5, 0.5])),
    "laplace": stats.laplace(scale=np.sqrt(1 / 2)),
    "student": stats.t(5, scale=np.sqrt(3 / 5)),
}


def drawn(pair, d_k, n, seed, method="components"):
    return np.concatenate(list(pair.chunks(d_k, n, method=method, rng=seed)))


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (Pair(), (0, 64)),
        (Pair(mean=1), (64, 192)),
        (Pair(same=True), (64, 128)),
        (Pair(std=2), (0, 1024)),
        (Pair(correlation=0.5), (32, 80)),
        (Pair("sign", same=True), (64, 0)),
        (Pair("sign", mean=0.7, std=0.3, correlation=-1), (64 * (0.49 - 0.09), 0)),
    ],
)
def test_moments_at_64_are_those_worked_out_on_paper(pair, expected):
    assert pair.moments(64) == pytest.approx(expected)


@pytest.mark.parametrize("law", LAWS)
def test_a_vector_with_itself_has_the_moments_of_squared_components(law):
    fourth = LAWS[law].stats(moments="k") + 3
    assert Pair(law, same=True).moments(7) == pytest.approx((7, 7 * (fourth - 1)))
    assert Pair(law, same=True, correlation=0.3).moments(7) == Pair(law, same=True).moments(7)


def test_where_nothing_varies_the_variance_is_exactly_zero():
    for mean in (0, 0.1, 0.3, 0.7, 2.0):
        for std in (0.1, 0.3, 0.7, 2.0):
            pair = Pair("sign", mean, std, -1.0)
            assert pair.moments(5)[1] == 0
            assert pair.excess_kurtosis(5) == 0
            assert np.ptp(drawn(pair, 5, 11, 1)) < 1e-12


@pytest.mark.parametrize(("pair", "d_k"), [(Pair(), 5), (Pair(std=0.5), 4), (Pair(std=3), 64)])
def test_density_is_the_inverse_of_the_characteristic_function(pair, d_k):
    deviation = pair.moments(d_k)[1] ** 0.5
    for x in (0.0, 0.3 * deviation, 2 * deviation):
        unit = x / pair.std**2
        inverse = (
            integrate.quad(lambda t, u=unit: np.cos(t * u) * (1 + t**2) ** (-d_k / 2), 0, np.inf, limit=200)[0] / np.pi
        )
        assert pair.density(x, d_k) == pytest.approx(inverse / pair.std**2, rel=1e-6)


@pytest.mark.parametrize("pair", [Pair("uniform"), Pair(mean=0.1), Pair(correlation=0.1), Pair(same=True)])
def test_no_density_is_claimed_for_other_pairs(pair):
    assert pair.density(0.0, 3) is None


def test_a_shortcut_is_offered_exactly_where_it_can_be_drawn():
    for pair in (Pair(law, mean, 1, rho) for law in LAWS for mean in (0, 1) for rho in (0, 0.5)):
        if pair.has_shortcut:
            assert len(drawn(pair, 3, 5, 1, "exact")) == 5
        else:
            with pytest.raises(ValueError, match="no exact law is known"):
                pair.chunks(3, 5, method="exact", rng=1)


def test_the_interval_holds_the_theory_for_about_nineteen_seeds_in_twenty():
    held = np.mean([Pair().check(drawn(Pair(), 64, 100, seed, "exact"), 64).consistent for seed in range(1000)])
    assert abs(held - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 1000)


def test_standard_error_is_the_spread_of_the_sampled_variance():
    variances = [drawn(Pair(), 3, 53, seed, "exact").var(ddof=1) for seed in range(4000)]
    assert Pair().standard_error(53, 3) == pytest.approx(np.std(variances), rel=0.06)


def test_a_summary_shows_the_same_samples_three_ways():
    x = drawn(Pair(), 13, 1009, 2)
    summary = Pair().summary(x, 13)
    assert summary.check.variance == pytest.approx(x.var(ddof=1))
    assert summary.check.theory == 13
    assert summary.histogram.counts.sum() + summary.histogram.below + summary.histogram.above == 1009
    np.testing.assert_allclose(summary.variance, [x[:n].var(ddof=1) for n in summary.counts], rtol=1e-9)
