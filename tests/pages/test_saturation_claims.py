"""What the words of the saturation screen claim, where no other test asserts it."""

import re

import numpy as np
import pytest
from scipy.linalg import svdvals

from core.retrieval import train
from tests.pages.app import alt, cards, data, open_screen
from tests.pages.test_saturation import POWERS, divisors, exact, shown, trained
from ui.text import LANGUAGES, Words


def final_losses(d_k, **settings):
    """The loss after training by each divisor."""
    return [[*train(8, d_k, divisor=divisor, **settings)][-1].loss for divisor in divisors(d_k)]


def jacobian(p):
    return np.diag(p) - np.outer(p, p)


def test_where_one_weight_is_nearly_1_every_slope_is_pale():
    rng = np.random.default_rng(0)
    for n in (2, 8, 64):
        p = np.append(0.99, 0.01 * rng.dirichlet(np.ones(n - 1)))
        assert np.abs(jacobian(p)).max() <= 0.0101


def test_the_norm_of_the_jacobian_is_never_above_one_half():
    rng = np.random.default_rng(1)
    for n in (2, 3, 8, 64):
        for concentration in (0.05, 1, 20):
            for p in rng.dirichlet(np.full(n, concentration), 20):
                assert svdvals(jacobian(p))[0] <= 0.5 + 1e-12
    assert svdvals(jacobian(np.array([0.5, 0.5, 0])))[0] == pytest.approx(0.5)


def test_only_the_root_keeps_the_picture_nearly_the_same_at_every_d_k():
    app = open_screen("saturation")
    one, root, full = np.transpose([exact(app, "largest", d_k) for d_k in POWERS])
    assert np.ptp(root) < 0.06
    assert np.ptp(one) > 0.6
    assert np.ptp(full) > 0.17


def test_of_eight_undivided_weights_one_takes_nearly_all_and_a_twentieth_of_the_gradient_is_left():
    app = open_screen("saturation")
    app.button(key="preset_collapse").click().run()
    assert f"{exact(app, 'largest', 1024)[0]:.2f}" == "0.97"
    assert exact(app, "gradient", 1024)[0] / (1 - 1 / 8) == pytest.approx(1 / 20, abs=2e-3)


def test_divided_by_d_k_the_query_looks_at_everything_alike():
    app = open_screen("saturation")
    app.button(key="preset_even").click().run()
    weights = data(app, "bars", "bars")["value"].to_numpy().reshape(3, -1)[2]
    assert weights.max() < 1.2 * weights.min()
    assert f"{exact(app, 'largest', 1024)[2]:.3f}" == "0.131"
    assert 0.131 < 1.05 / 8
    assert Words("saturation", "en")("presets.even.see") in [info.value for info in app.info]


@pytest.mark.parametrize("rate", [0.05, 0.5])
def test_where_the_jacobian_cancels_leaving_out_the_division_does_no_harm(rate):
    for d_k in (4, 64, 1024):
        for seed in range(3):
            one, root, _ = final_losses(d_k, learning_rate=rate, loss="log", rng=seed)
            assert one <= root


def test_in_four_components_the_divisor_hardly_matters():
    losses = [final_losses(4, learning_rate=0.5, rng=seed) for seed in range(20)]
    assert np.max(losses) < 0.1
    assert np.median(losses, axis=0).max() < 0.01


def test_the_words_about_learning_hold_whatever_the_seed():
    for seed in range(4, 16):
        start = next(train(8, 256, divisor=256, rng=seed)).loss
        one, root, full = final_losses(256, learning_rate=0.5, rng=seed)
        assert root < 0.01
        assert one > 0.3
        assert start - full < 0.02  # it has hardly begun


@pytest.mark.filterwarnings("ignore:overflow")
def test_beyond_the_rates_on_offer_the_logarithmic_loss_can_diverge():
    assert max(final_losses(256, learning_rate=2, loss="log", rng=0)) > 1e100
    assert max(final_losses(256, learning_rate=0.5, loss="log", rng=0)) < 3


def test_a_new_loss_or_rate_trains_anew():
    app = open_screen("saturation", train="true")
    runs = [app.session_state["run_saturation"]]
    for key, value in (("rate", 2.0), ("loss", "log")):
        app.session_state[key] = value
        app.run()
        runs.append(app.session_state["run_saturation"])
    assert len({id(run) for run in runs}) == 3


def test_losses_and_first_gradients_are_told_beside_what_was_found():
    app = open_screen("saturation", train="true", d_k=16, rate=0.05)
    losses, _ = trained(d_k=16, rate=0.05)
    for metric, run in zip(cards(app)[-3:], losses, strict=True):
        start, end, gradient = map(float, re.findall(r"\d+\.\d+", metric.bound))
        assert (start, end) == pytest.approx((run[0], run[-1]), abs=6e-4)
        assert gradient > 0


@pytest.mark.parametrize("lang", LANGUAGES)
def test_descriptions_end_with_the_three_divisors_at_the_largest_d_k(lang):
    app = open_screen("saturation", lang)
    for key in ("largest", "keys", "gradient"):
        assert all(f"{value:.3f}" in alt(app, key) for value in exact(app, key, 1024))
    assert "0.125" in alt(app, "largest")


def test_the_reason_of_the_prediction_tells_the_weight_by_the_root():
    app = open_screen("saturation", T=2)
    root = exact(app, "largest", 256)[1]
    app.button(key="predict_show").click().run()
    because = next(text.value for text in app.markdown if "It is **" in text.value)
    assert f"divided by √d_k it is {root:.3f}" in because
    assert "√256 = 16" in because


def test_of_many_keys_the_heaviest_are_drawn_in_order():
    app = open_screen("saturation", n_keys=64)
    bars = data(app, "bars", "bars")["value"].to_numpy().reshape(3, -1)
    assert bars.shape == (3, 12)
    assert (np.diff(bars) <= 0).all()
    assert any("12 heaviest weights on 64" in text.value for text in app.markdown)


def test_two_hundred_updates_are_run_by_each_of_three_divisors():
    app = open_screen("saturation", train="true", d_k=4)
    assert shown(app, "losses").shape == (3, 201)
