"""Saturation through the app's entry point: numbers held against plain NumPy and SciPy."""

import re

import numpy as np
import pytest
from scipy.linalg import svdvals
from scipy.special import log_softmax, softmax
from scipy.stats import entropy

from tests.pages.app import alt, assert_no_exception, cards, data, open_screen, run_program, spec
from ui import progress
from ui.text import Words

POWERS = 2 ** np.arange(11)
WAYS = ("1", "sqrt", "d_k")


def divisors(d_k):
    return np.array([1, d_k**0.5, d_k])


def draw(d_k=64, n=8, seed=1, t=1.0):
    """The weights of the one draw on screen by the three divisors, the heaviest first: (3, n)."""
    vectors = np.random.default_rng(seed).standard_normal((d_k, n + 1))
    scores = vectors[:, 1:].T @ vectors[:, 0]
    return np.sort(softmax(scores / divisors(d_k)[:, None] / t, axis=1))[:, ::-1]


def shown(app, key, name="curves"):
    frame = data(app, key, name)
    return frame["y"].to_numpy().reshape(3, -1)


def exact(app, key, d_k):
    """What the three curves say at d_k."""
    curves = data(app, key, "curves")
    return curves[curves["x"] == d_k]["y"].to_numpy()


def trained(n=8, d_k=64, seed=1, loss="value", rate=0.5, steps=200):
    """Loss after each update, by the three divisors, and how many queries found their key in the end."""
    losses, found = [], []
    for divisor in divisors(d_k):
        query, key = np.random.default_rng(seed).standard_normal((2, n, d_k))
        run = []
        for _ in range(steps + 1):
            scores = query @ key.T / divisor
            p, label = softmax(scores, axis=1), np.eye(n)
            if loss == "value":
                run.append(((p - label) ** 2).sum(axis=1).mean() / 2)
                g = np.array(
                    [(np.diag(row) - np.outer(row, row)) @ error for row, error in zip(p, p - label, strict=True)]
                )
            else:
                run.append(-np.diag(log_softmax(scores, axis=1)).mean())
                g = p - label
            query, key = query - rate / divisor * g @ key, key - rate / divisor * g.T @ query
        losses.append(run)
        found.append(int((p.argmax(axis=1) == np.arange(n)).sum()))
    return np.array(losses), found


def figures(app):
    return {metric.label: metric.value for metric in cards(app)}


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_first_visit_shows_one_draw_by_three_divisors(lang):
    app = open_screen("saturation", lang)
    bars = data(app, "bars", "bars")["value"].to_numpy().reshape(3, 8)
    np.testing.assert_allclose(bars, draw(), atol=1e-6)
    assert data(app, "bars", "picked")["series"].tolist() == [1]
    assert all(f"{row[0]:.2f}" in alt(app, "bars") for row in draw())


def test_a_larger_d_k_adds_components_to_the_same_vectors():
    small, large = (np.random.default_rng(1).standard_normal((d, 9)) for d in (16, 64))
    np.testing.assert_array_equal(large[:16], small)


@pytest.mark.parametrize("d_k", [1, 4, 64])
def test_curves_and_points_are_the_means_of_vectors_drawn_in_full(d_k):
    app = open_screen("saturation", d_k=d_k)
    rng, draws, at = np.random.default_rng(7), 20_000, int(np.log2(d_k))
    query = rng.standard_normal((draws, d_k))
    scores = np.stack([(query * rng.standard_normal((draws, d_k))).sum(axis=1) for _ in range(8)], axis=1)
    for way, divisor in enumerate(divisors(d_k)):
        p = softmax(scores / divisor, axis=1)
        drawn = {"largest": p.max(axis=1), "keys": entropy(p, axis=1), "gradient": 1 - (p**2).sum(axis=1)}
        for key, values in drawn.items():
            error = values.std() / draws**0.5
            assert exact(app, key, d_k)[way] == pytest.approx(values.mean(), abs=4 * error + 1e-6)
            many = error * np.sqrt(20)  # of a thousand draws
            assert shown(app, key, "points")[way, at] == pytest.approx(values.mean(), abs=4.5 * many)


def test_the_mean_largest_weights_that_are_known():
    app = open_screen("saturation")
    assert exact(app, "largest", 64)[:2] == pytest.approx([0.875, 0.360], abs=1e-3)
    assert exact(app, "largest", 1024) == pytest.approx([0.969, 0.361, 0.131], abs=1e-3)


@pytest.mark.parametrize("way", WAYS)
def test_figures_are_the_measured_means_beside_the_exact_ones(way):
    app = open_screen("saturation", scale=way, d_k=16)
    words, row = Words("saturation", "en"), WAYS.index(way)
    for key, label in (("largest", "largest"), ("keys", "entropy"), ("gradient", "gradient")):
        metric = next(metric for metric in cards(app) if metric.label == words(f"figures.{label}"))
        value, error = map(float, metric.value.split(" ± "))
        assert value == pytest.approx(shown(app, key, "points")[row, 4], abs=error / 10)
        expected = exact(app, key, 16)[row]
        assert f"exact {expected:.3f} (" in metric.bound
        assert abs(value - expected) < 4.5 * error
        assert f"{expected:.3f}" in alt(app, key)
    keys = next(metric for metric in cards(app) if metric.label == words("figures.keys"))
    assert float(keys.value.split(" ± ")[0]) == pytest.approx(np.exp(shown(app, "keys", "points")[row, 4]), rel=0.01)


@pytest.mark.parametrize(("way", "d_k", "n"), [("1", 64, 8), ("sqrt", 256, 2), ("d_k", 4, 64)])
def test_the_map_is_the_jacobian_of_the_softmax(way, d_k, n):
    app = open_screen("saturation", scale=way, d_k=d_k, n_keys=n)
    p = draw(d_k, n)[WAYS.index(way)]
    logits, h = np.log(p), 1e-5
    jacobian = np.array([(softmax(logits + step) - softmax(logits - step)) / (2 * h) for step in h * np.eye(n)]).T
    cells = data(app, "slopes", "cells")
    size = min(n, 12)
    np.testing.assert_allclose(cells["value"].to_numpy().reshape(size, size), jacobian[:size, :size], atol=1e-6)
    norm = svdvals(jacobian)[0]
    values = figures(app)
    assert values["Norm of the Jacobian"] == f"{norm:.3f}"
    assert norm <= 0.5
    assert values["Its trace, 1 − Σp²"] == f"{1 - (p**2).sum():.3f}"
    assert f"Its norm is {norm:.3f}" in alt(app, "slopes")


@pytest.mark.parametrize(("n", "t"), [(8, 1.0), (64, 2.0), (2, 1.0)])
def test_the_transition_stands_where_the_undivided_deviation_passes_it(n, t):
    app = open_screen("saturation", n_keys=n, T=f"{t:g}")
    mark = data(app, "largest", "marks")
    assert mark["name"].tolist() == [f"√(2 ln {n})"]
    assert np.sqrt(mark["x"].item()) / t == pytest.approx(np.sqrt(2 * np.log(n)))
    assert any(f"= {np.sqrt(2 * np.log(n)):.2f}" in caption.value for caption in app.caption)


@pytest.mark.parametrize("t", ["0", "0.05", "10", "inf"])
def test_a_transition_off_the_axis_is_not_drawn(t):
    app = open_screen("saturation", T=t)
    assert len(data(app, "largest", "marks")) == int(1 <= 2 * np.log(8) * float(t) ** 2 <= 1024)


@pytest.mark.parametrize("t", ["0", "inf"])
def test_the_limits_of_temperature_are_exact(t):
    app = open_screen("saturation", T=t, scale="1")
    limits = (1, 0, 0) if t == "0" else (1 / 8, np.log(8), 7 / 8)
    for key, value in zip(("largest", "keys", "gradient"), limits, strict=True):
        np.testing.assert_allclose(shown(app, key), value, atol=1e-6)
        np.testing.assert_allclose(shown(app, key, "points"), value, atol=1e-6)
    assert figures(app)["Largest weight"] == f"{limits[0]:.3f}"
    assert "nan" not in " ".join(figures(app).values())


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize(
    "link",
    [
        {"d_k": 1, "n_keys": 2, "scale": "d_k", "T": 0.05, "seed": 0, "train": "true"},
        {"d_k": 1024, "n_keys": 64, "scale": "1", "T": 0.05, "seed": 9999},
        {"d_k": 1024, "n_keys": 2, "scale": "d_k", "T": 10, "train": "true", "loss": "log", "rate": 0.05},
        {"d_k": 4, "n_keys": 32, "train": "true", "rate": 8},
    ],
)
def test_extremes_show_finite_numbers(lang, link):
    app = open_screen("saturation", lang, **link)
    assert not app.error
    for key in ("largest", "keys", "gradient", *(["losses"] if "train" in link else [])):
        assert np.isfinite(shown(app, key)).all()
    assert np.isfinite(data(app, "slopes", "cells")["value"]).all()
    assert not any(bad in metric.value + metric.bound for metric in cards(app) for bad in ("nan", "inf", "-0.000"))


@pytest.mark.parametrize("name", ["d_k", "n_keys", "rate", "loss"])
def test_what_a_link_cannot_say_is_named(name):
    app = open_screen("saturation", **{name: "7x"})
    assert any(name in warning.value.replace("\\", "") and "7x" in warning.value for warning in app.warning)


def test_nothing_is_trained_before_it_is_asked_for():
    app = open_screen("saturation")
    assert "run_saturation" not in app.session_state
    app.toggle(key="train").set_value(True).run()
    assert app.session_state["run_saturation"].summary.shape == (201, 3, 3)


@pytest.mark.parametrize(("link", "settings"), [
    ({}, {}),
    ({"loss": "log", "d_k": 16}, {"loss": "log", "d_k": 16}),
    ({"rate": 2, "n_keys": 4, "seed": 3}, {"rate": 2, "n": 4, "seed": 3}),
])  # fmt: skip
def test_losses_are_those_of_a_plain_loop(link, settings):
    app = open_screen("saturation", train="true", **link)
    losses, found = trained(**settings)
    drawn, n = shown(app, "losses"), link.get("n_keys", 8)
    # A saturated run jumps about so wildly that rounding decides where it stands later.
    np.testing.assert_allclose(drawn[:, :30], losses[:, :30], atol=1e-5)
    np.testing.assert_allclose(drawn[1:], losses[1:], atol=1e-5)
    assert [metric.value for metric in cards(app)[-2:]] == [f"{count} of {n} found" for count in found[1:]]
    assert all(f"{loss:.3f}" in alt(app, "losses") for loss in losses[1:, -1])


def test_all_three_start_alike():
    app = open_screen("saturation", train="true", d_k=1)
    losses = shown(app, "losses")
    np.testing.assert_array_equal(losses[0], losses[1])
    np.testing.assert_array_equal(losses[0], losses[2])


def test_large_rates_are_not_offered_where_they_could_diverge():
    app = open_screen("saturation", train="true", loss="log")
    assert app.button_group(key="rate").options == ["0.05", "0.5"]


def test_an_unrelated_change_does_not_train_again():
    app = open_screen("saturation", train="true")
    run = app.session_state["run_saturation"]
    app.select_slider(key="T").set_value(2.0).run()
    app.button_group(key="scale").set_value("1").run()
    app.button_group(key="lang").set_value("ko").run()
    assert app.session_state["run_saturation"] is run
    app.select_slider(key="d_k").set_value(32).run()
    assert app.session_state["run_saturation"] is not run


def test_a_run_shows_what_it_has_and_can_be_stopped(monkeypatch):
    monkeypatch.setattr(progress, "AT_ONCE", 0)
    monkeypatch.setattr(progress, "go_on", lambda *_: None)
    app = open_screen("saturation", train="true")
    assert shown(app, "losses").shape == (3, 1)
    np.testing.assert_allclose(shown(app, "losses"), trained(steps=0)[0], atol=1e-6)
    app.button(key="progress_turn").click().run()
    assert app.session_state["run_saturation"].stopped
    assert_no_exception(app)


def test_the_preset_leave_out_the_root_does_what_it_says():
    app = open_screen("saturation")
    app.button(key="preset_collapse").click().run()
    assert app.info
    curves = {key: shown(app, key) for key in ("largest", "gradient")}
    assert f"{curves['largest'][0, -1]:.2f}" == "0.97"
    assert curves["gradient"][0, -1] / (7 / 8) == pytest.approx(1 / 20, abs=0.002)
    assert np.ptp(curves["largest"][1, 6:]) < 0.01  # from d_k = 8 on the root keeps it


def test_the_preset_divide_by_d_k_does_what_it_says():
    app = open_screen("saturation")
    app.button(key="preset_even").click().run()
    assert app.info
    assert f"{shown(app, 'largest')[2, -1]:.3f}" == "0.131"
    assert data(app, "bars", "picked")["series"].tolist() == [2]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_preset_let_it_learn_does_what_it_says(seed):
    app = open_screen("saturation", seed=seed)
    app.button(key="preset_learn").click().run()
    assert app.info
    losses = shown(app, "losses")
    assert losses[1, -1] < 0.01
    assert losses[0, -1] > 0.3
    assert losses[2, 0] - losses[2, -1] < 0.05
    app.select_slider(key="d_k").set_value(4).run()
    assert (shown(app, "losses")[:2, -1] < 0.01).all()
    app.select_slider(key="d_k").set_value(256).run()
    app.button_group(key="loss").set_value("log").run()
    losses = shown(app, "losses")
    assert losses[0, -1] <= losses[1, -1] < 0.01


@pytest.mark.parametrize(("n", "answer"), [(8, 0.938), (2, None)])
def test_the_predicted_weight_is_the_mean_of_many_draws(n, answer):
    app = open_screen("saturation", n_keys=n)
    rng = np.random.default_rng(5)
    scores = np.sqrt(rng.chisquare(256, (40_000, 1))) * rng.standard_normal((40_000, n))
    expected = softmax(scores, axis=1).max(axis=1).mean()
    app.button(key="predict_show").click().run()
    said = next(float(found[1]) for text in app.markdown if (found := re.search(r"It is \*\*([\d.]+)\*\*", text.value)))
    assert said == pytest.approx(expected, abs=3e-3)
    assert answer is None or said == answer


def test_the_table_holds_every_point_and_its_exact_value():
    app = open_screen("saturation")
    table = app.dataframe[0].value
    assert len(table) == 33
    np.testing.assert_allclose(table["Largest weight, mean"], shown(app, "largest", "points").ravel(), atol=1e-6)
    np.testing.assert_allclose(
        table["Entropy (nats), exact"], np.transpose([exact(app, "keys", d) for d in POWERS]).ravel(), atol=1e-6
    )


def test_the_charts_stay_while_the_numbers_change():
    one, two = (open_screen("saturation", d_k=d_k, seed=d_k, T=t, train="true") for d_k, t in ((4, 1), (1024, 0.5)))
    for key in ("bars", "largest", "keys", "gradient", "losses"):
        assert spec(one, key) == spec(two, key)


@pytest.mark.parametrize(
    "link",
    [
        {},
        {"scale": "1", "T": 0, "n_keys": 2},
        {"scale": "d_k", "T": "inf", "d_k": 1},
        {"lang": "ko", "train": "true", "T": 2.5, "seed": 12},
        {"train": "true", "loss": "log", "d_k": 1024, "n_keys": 16},
    ],
)
def test_the_program_prints_what_is_shown(link):
    app = open_screen("saturation", **link)
    printed = run_program(app)
    way, at = WAYS.index(link.get("scale", "sqrt")), int(np.log2(link.get("d_k", 64)))
    numbers = re.findall(r"(mean largest weight|mean trace|divisor [^:]+: loss) ([-\d.]+)", printed)
    numbers = {name: float(value) for name, value in numbers}
    p = data(app, "bars", "bars")["value"].to_numpy().reshape(3, -1)[way]
    weights = re.search(r"weights of one draw \[([^\]]*)\]", printed)[1].split()
    np.testing.assert_allclose(np.array(weights[:12], dtype=float), p, atol=6e-5)
    assert numbers["mean largest weight"] == pytest.approx(shown(app, "largest", "points")[way, at], abs=6e-5)
    assert numbers["mean trace"] == pytest.approx(shown(app, "gradient", "points")[way, at], abs=6e-5)
    if "train" in link:
        losses = [value for name, value in numbers.items() if name.startswith("divisor")]
        np.testing.assert_allclose(losses[1:], shown(app, "losses")[1:, -1], atol=6e-5)
