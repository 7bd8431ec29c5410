"""What the words of the scaling screen claim, where no other test asserts it."""

import re

import numpy as np
import pytest
from scipy import stats
from scipy.special import softmax

from core.pairs import Pair
from tests.pages.app import alt, data, open_screen
from tests.pages.test_scaling import drawn_by_hand, figures
from ui.controls import CONTROLS, POWERS
from ui.text import LANGUAGES

KURTOSIS = {
    "normal": 3 + stats.norm.stats(moments="k"),
    "uniform": 3 + stats.uniform.stats(moments="k"),
    "sign": 1,
    "laplace": 3 + stats.laplace.stats(moments="k"),
    "student": 3 + stats.t(5).stats(moments="k"),
}


@pytest.mark.parametrize("law", CONTROLS["law"].options)
def test_the_symbols_carry_the_kurtosis_of_the_law_and_of_the_product(law):
    app = open_screen("scaling", law=law, d_k=4)
    told = next(caption.value for caption in app.caption if "κ" in caption.value).replace("−", "-")
    kurtosis, excess = re.search(r"kurtosis, ([\d.]+) .*here (-?[\d.]*\d)", told).groups()
    assert float(kurtosis) == pytest.approx(KURTOSIS[law], rel=1e-3)
    assert float(excess) == pytest.approx((KURTOSIS[law] ** 2 - 3) / 4, rel=1e-3)


def test_student_t_has_the_heaviest_tails():
    assert max(KURTOSIS, key=KURTOSIS.get) == "student"


def test_where_k_is_q_the_correlation_does_not_matter():
    shown = [figures(open_screen("scaling", k_is_q="true", correlation=rho)) for rho in (0, 0.9)]
    assert shown[0] == shown[1]


def test_every_point_is_the_variance_of_as_many_draws_as_the_note_says():
    app = open_screen("scaling", draw="components")
    rng, points = np.random.default_rng(1), data(app, "grows", "points")
    draws = int(re.search(r"Each point: (\d+) draws", " ".join(caption.value for caption in app.caption))[1])
    by_hand = [
        (q * k).sum(axis=1).var(ddof=1) for q, k in (rng.standard_normal((draws, 2, d)).swapaxes(0, 1) for d in POWERS)
    ]
    np.testing.assert_allclose(points["y"], np.array(by_hand) / POWERS, rtol=1e-5)
    assert set(points["draws"]) == {draws}


@pytest.mark.parametrize("pair", [Pair(), Pair(mean=3.0), Pair("sign"), Pair(same=True), Pair(correlation=-0.9, std=2)])
def test_the_shortcut_needs_one_to_three_random_numbers_however_large_d_k_is(pair):
    class Counting(np.random.Generator):
        numbers = 0

        def count(self, drawn):
            self.numbers += np.size(drawn)
            return drawn

        standard_normal, chisquare, binomial = (
            lambda self, *given, name=name: self.count(getattr(np.random.Generator, name)(self, *given))
            for name in ("standard_normal", "chisquare", "binomial")
        )

    for d_k in (1, 1024):
        rng = Counting(np.random.PCG64(0))
        drawn = sum(len(chunk) for chunk in pair.chunks(d_k, 50, method="exact", rng=rng))
        assert 1 <= rng.numbers / drawn <= 3


def test_the_band_lies_one_to_either_side_of_the_mean():
    for scale, divisor in (("1", 1), ("sqrt", 8)):
        band = data(open_screen("scaling", mean=1, scale=scale), "scores", "band").iloc[0]
        assert (band["low"], band["high"]) == (64 / divisor - 1, 64 / divisor + 1)


def test_chance_alone_leaves_the_interval_for_one_seed_in_twenty_at_most():
    for law, sizes in (("normal", (1, 64)), ("sign", (4,)), ("student", (4,))):
        for d_k in sizes:
            pair, n, runs = Pair(law), 100, 1000
            samples = np.concatenate(list(pair.chunks(d_k, n * runs, method="components", rng=3))).reshape(runs, n)
            outside = np.mean([pair.check(run, d_k).consistent is False for run in samples])
            assert outside < 1 / 20 + 4 * (0.05 * 0.95 / runs) ** 0.5
            assert law == "student" or outside > 1 / 40


@pytest.mark.parametrize("lang", LANGUAGES)
def test_undivided_at_1024_components_one_key_takes_almost_everything(lang):
    app = open_screen("scaling", lang)
    app.button(key="preset_undivided").click().run()
    assert app.info
    scores = drawn_by_hand(1024, 8000, 1)
    for n_keys in (8, 64):
        assert softmax(scores.reshape(-1, n_keys), axis=1).max(axis=1).mean() > 0.9
        assert softmax(scores.reshape(-1, n_keys) / 32, axis=1).max(axis=1).mean() < 0.4


def test_of_all_means_only_0_leaves_the_variance_at_d_k():
    for mean in CONTROLS["mean"].options:
        _, (_, variance, *_) = figures(open_screen("scaling", mean=f"{mean:g}", samples=100))
        assert variance == pytest.approx(64 * (1 + 2 * mean**2), rel=1e-3)
        assert (variance == 64) == (mean == 0)


def test_a_mean_moves_the_line_up_and_leaves_its_slope():
    zero, one = (data(open_screen("scaling", mean=mean), "grows", "theory")["y"].to_numpy() for mean in (0, 1))
    of_the_divisors = slice(3 * len(POWERS))
    np.testing.assert_allclose(one[of_the_divisors], 3 * zero[of_the_divisors], rtol=1e-6)
    assert f"{(192 / 64) ** 0.5:.2f}" == "1.73"


def test_ten_times_the_variance_of_four_draws_fits_into_the_interval_whatever_the_seed_and_d_k():
    for d_k in POWERS:
        for seed in range(20):
            draws = np.concatenate(list(Pair().chunks(d_k, 4, method="exact", rng=seed)))
            check = Pair().check(draws, d_k)
            degrees = 2 / (2 / 3 + 6 / d_k / 4)
            assert check.high == pytest.approx(degrees * draws.var(ddof=1) / stats.chi2(degrees).ppf(0.025), rel=1e-6)
            assert check.low < 10 * check.variance < check.high


def test_the_estimate_of_four_draws_jumps_from_seed_to_seed():
    variances = [figures(open_screen("scaling", samples=4, seed=seed))[0][1] for seed in range(1, 9)]
    assert max(variances) > 5 * min(variances)


def test_four_times_the_components_give_twice_the_deviation():
    app = open_screen("scaling", d_k=64)
    app.button(key="predict_show").click().run()
    said = " ".join(block.value for block in app.markdown)
    assert "At d_k = 64 the deviation of q·k is 8" in said
    assert "**16** = √256" in said
    assert (figures(open_screen("scaling", d_k=256))[1][2], figures(app)[1][2]) == (16, 8)


def test_laws_that_know_no_shortcut_are_the_ones_that_are_named():
    assert {law for law in KURTOSIS if Pair(law).has_shortcut} == {"normal", "sign"}
    for broken in ({"mean": 1}, {"std": 2}, {"correlation": 0.3}, {"same": True}):
        assert {law for law in KURTOSIS if Pair(law, **broken).has_shortcut} == {"normal"}


def test_two_standard_errors_are_told_beside_the_running_variance():
    app = open_screen("scaling", d_k=16)
    told = alt(app, "settles")
    error = float(re.search(r"standard errors are now ([\d.]*\d)", told)[1])
    measured = float(re.search(r"q·k: ([\d.]+) after", told)[1])
    assert error == pytest.approx(2 * measured * np.sqrt((2 + 6 / 16) / 10_000), rel=2e-3)
