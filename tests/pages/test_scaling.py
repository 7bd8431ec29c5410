"""The scaling screen through the app's entry point: draws made again by hand, theory from SciPy and closed forms."""

import re

import numpy as np
import pytest
from scipy import stats

from core.pairs import Pair
from tests.pages.app import alt, assert_no_exception, cards, data, open_screen, run_program, spec
from ui import progress
from ui.controls import CONTROLS, SAMPLES

LANGUAGES = ("en", "ko")
LAWS = CONTROLS["law"].options


def number(text):
    return float(re.search(r"-?[\d,]*\.?\d+", text)[0].replace(",", ""))


def figures(app):
    """Mean, variance and deviation of q·k and the deviation after dividing: shown and in theory."""
    assert len(cards(app)) == 4
    return [number(metric.value) for metric in cards(app)], [number(metric.bound) for metric in cards(app)]


def verdict(app):
    (box,) = [*app.success, *app.warning, *app.info]
    return box.value


def drawn_by_hand(d_k, n, seed):
    """q·k of standard normal components, in the order that the screen promises: q and k of each draw in turn."""
    pairs = np.random.Generator(np.random.SFC64(seed)).standard_normal((n, 2, d_k))
    return (pairs[:, 0] * pairs[:, 1]).sum(axis=1)


@pytest.fixture
def never_goes_on(monkeypatch):
    """The page stops after its first slice of one chunk, as if the visitor looked at it then."""
    monkeypatch.setattr(progress, "AT_ONCE", 0)
    monkeypatch.setattr(progress, "go_on", lambda *_: None)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("scale", "divisor"), [("1", 1), ("sqrt", 4), ("d_k", 16)])
def test_pictures_and_figures_are_those_of_the_draws(lang, scale, divisor):
    app = open_screen("scaling", lang, d_k=16, samples=3000, draw="components", scale=scale, seed=5)
    products = drawn_by_hand(16, 3000, 5)
    shown, theory = figures(app)
    deviation = products.std(ddof=1)
    np.testing.assert_allclose(
        shown, [products.mean(), products.var(ddof=1), deviation, deviation / divisor], rtol=2e-3, atol=5e-3
    )
    np.testing.assert_allclose(theory, [0, 16, 4, 4 / divisor])
    bins = data(app, "scores", "bins")
    within = [
        ((products / divisor > low) & (products / divisor <= high)).sum() for low, high in bins[["low", "high"]].values
    ]
    assert np.abs(bins["count"] - within).max() <= 1
    width = bins["high"] - bins["low"]
    np.testing.assert_allclose(bins["density"], bins["count"] / 3000 / width, rtol=1e-4)
    np.testing.assert_allclose(data(app, "scores", "band").to_numpy(), [[-1, 1]])
    running = data(app, "settles", "running")
    assert running["n"].iloc[-1] == 3000
    by_hand = [products[: int(n)].var(ddof=1) for n in running["n"]]
    np.testing.assert_allclose(running["value"], by_hand, rtol=1e-5)


@pytest.mark.parametrize(
    ("link", "mean", "variance"),
    [
        ({}, 0, 64),
        ({"mean": 1}, 64, 192),
        ({"k_is_q": "true"}, 64, 128),
        ({"deviation": 2}, 0, 64 * 16),
        ({"correlation": 0.5}, 32, 80),
        ({"mean": 1, "correlation": 0.5}, 96, 64 * (1.25 + 2 + 1)),
        ({"law": "laplace", "k_is_q": "true"}, 64, 64 * 5),
        ({"law": "uniform", "k_is_q": "true"}, 64, 64 * 0.8),
        ({"law": "uniform"}, 0, 64),
        ({"law": "student"}, 0, 64),
        ({"law": "sign"}, 0, 64),
    ],
)
def test_theory_is_the_closed_form_and_the_draws_agree_with_it(link, mean, variance):
    app = open_screen("scaling", seed=2, **link)
    shown, theory = figures(app)
    np.testing.assert_allclose(theory, [mean, variance, variance**0.5, variance**0.5 / 8], rtol=1e-3)
    assert shown[0] == pytest.approx(mean, abs=4 * (variance / 10_000) ** 0.5)
    assert shown[1] == pytest.approx(variance, rel=0.1)
    ratio = variance / 64
    assert (f"{ratio:.4g} times d_k" in verdict(app)) == (ratio != 1)


def test_curves_are_the_normal_law_and_the_closed_form_for_four_components():
    app = open_screen("scaling", d_k=4, scale="sqrt", deviation=0.5)
    curves = data(app, "scores", "curves")
    normal, exact = (curves[curves["series"] == series] for series in (0, 1))
    # Scores are q·k / 2, and q·k is a quarter of that of standard components: deviation 2 / 4 / 2.
    np.testing.assert_allclose(normal["y"], stats.norm.pdf(normal["x"], scale=0.25), rtol=1e-4, atol=1e-6)
    u = 8 * exact["x"].abs()
    np.testing.assert_allclose(exact["y"], 8 * (1 + u) * np.exp(-u) / 4, rtol=1e-4)


def test_the_exact_density_is_drawn_only_where_it_is_known():
    for link in ({"law": "uniform"}, {"mean": 1}, {"k_is_q": "true"}, {"correlation": 0.3}):
        assert set(data(open_screen("scaling", **link), "scores", "curves")["series"]) == {0}


@pytest.mark.parametrize(("scale", "power"), [("1", 1), ("sqrt", 0), ("d_k", -1)])
def test_variance_against_d_k_follows_the_line_of_its_divisor(scale, power):
    app = open_screen("scaling", scale=scale, mean=1)
    points = data(app, "grows", "points")
    np.testing.assert_allclose(points["theory"], 3 * points["x"] ** power, rtol=1e-6)
    assert (points["low"] < points["y"]).all()
    assert (points["y"] < points["high"]).all()
    held = (points["low"] < points["theory"]) & (points["theory"] < points["high"])
    assert held.sum() >= 9
    lines = data(app, "grows", "theory")
    np.testing.assert_allclose(lines[lines["series"] == 3]["y"], 2.0 ** np.arange(11))
    current = lines[lines["current"]]
    np.testing.assert_allclose(current["y"], points["theory"], rtol=1e-6)
    now = data(app, "grows", "now")
    assert now["x"].tolist() == [64]
    assert now["y"][0] == pytest.approx(figures(app)[0][3] ** 2, rel=1e-2)


def test_the_band_narrows_like_one_over_the_root_of_the_draws():
    app = open_screen("scaling", samples=1_000_000)
    band = data(app, "settles", "band")
    wide = (band["high"] - 64) / 64
    expected = 2 * np.sqrt(2 / (band["n"] - 1) + 6 / 64 / band["n"])
    np.testing.assert_allclose(wide, expected, rtol=1e-3, atol=1e-5)
    assert (band["low"] >= 0).all()
    assert wide.iloc[-1] * np.sqrt(1_000_000) == pytest.approx(2 * np.sqrt(2 + 6 / 64), rel=0.01)


def test_words_for_consistent_outside_and_too_few():
    app = open_screen("scaling")
    mean, error = re.search(r"\*\*([\d.]+) ± ([\d.]+)\*\*", app.success[0].value).groups()
    assert float(error) == pytest.approx(64 * np.sqrt((2 + 6 / 64) / 10_000), rel=0.05)
    assert abs(float(mean) - 64) < 2 * float(error)
    assert "consistent" in app.success[0].value
    outside = open_screen("scaling", seed=3).warning[0].value
    low, high = map(float, re.search(r"interval (\d+\.\d+) … (\d+\.\d+)", outside).groups())
    assert not low <= 64 <= high
    assert "about one seed in 20" in outside
    few = open_screen("scaling", samples=4).info[0].value
    assert "nothing is confirmed or refuted" in few
    assert "Theory says **64**" in few


def test_words_for_consistent_outside_and_too_few_in_korean():
    assert "서로 맞습니다" in open_screen("scaling", "ko").success[0].value
    assert "시드 20개 중 하나쯤" in open_screen("scaling", "ko", seed=3).warning[0].value
    assert "확인하거나 반박할 수 없습니다" in open_screen("scaling", "ko", samples=4).info[0].value


def test_where_no_standard_error_exists_none_is_shown():
    app = open_screen("scaling", law="student", k_is_q="true")
    assert "no standard error" in verdict(app)
    assert "±" not in cards(app)[1].value
    assert data(app, "settles", "band").empty
    assert data(app, "grows", "errors").empty


def test_where_nothing_varies_the_screen_says_so():
    app = open_screen("scaling", law="sign", k_is_q="true")
    assert "exactly **64**" in verdict(app)
    assert figures(app)[0] == [64, 0, 0, 0]
    assert data(app, "grows", "points").empty
    alike = verdict(open_screen("scaling", law="sign", d_k=1, samples=4, seed=3))
    assert "All 4 draws came out alike" in alike


def test_the_screen_says_how_it_has_drawn():
    def said(**link):
        return " ".join(caption.value for caption in open_screen("scaling", **link).caption)

    assert "Drawn by the shortcut" in said()
    assert "Every component was drawn." in said(draw="components")
    assert "no shortcut is known here" in said(law="laplace")
    assert "no shortcut is known here" in said(law="sign", mean=1)
    assert "Drawn by the shortcut" in said(law="sign")


def test_what_lies_outside_the_picture_is_counted():
    app = open_screen("scaling", law="student", d_k=1)
    count = int(re.search(r"([\d,]+) of 10,000 draws lie outside", app.caption[0].value)[1])
    assert count == 10_000 - data(app, "scores", "bins")["count"].sum()
    assert count > 0


def test_an_unrelated_click_does_not_draw_again(monkeypatch):
    summed_up = []
    summary = Pair.summary
    monkeypatch.setattr(Pair, "summary", lambda *given: summed_up.append(1) or summary(*given))
    app = open_screen("scaling", seed=11)
    at_first = len(summed_up)
    app.session_state["lang"] = "ko"
    app.run()
    app.session_state["scale"] = "d_k"
    app.run()
    app.button(key="predict_show").click().run()
    assert len(summed_up) == at_first > 0
    app.number_input(key="seed").set_value(12).run()
    assert len(summed_up) == 2 * at_first


@pytest.mark.usefixtures("never_goes_on")
def test_a_long_run_can_be_stopped_says_how_far_it_got_and_shows_what_it_has():
    app = open_screen("scaling", d_k=1024, samples=1_000_000, draw="components")
    (chunk,) = {int(data(app, "scores", "bins")["count"].sum())}
    assert 100 < chunk < 1000
    assert "1,000,000" in spoken(app)
    app.button(key="progress_turn").click().run()
    assert f"Stopped at {chunk} of 1,000,000" in spoken(app)
    assert f"{chunk} scores" in app.markdown[0].value + app.markdown[1].value
    app.session_state["lang"] = "ko"
    app.run()
    assert f"1,000,000번 중 {chunk}번에서 멈췄습니다" in spoken(app)
    assert app.button(key="progress_turn").label == "계속하기"
    app.select_slider(key="samples").set_value(100).run()
    assert not app.get("progress")
    assert data(app, "settles", "running")["n"].max() == 100


def spoken(app):
    (bar,) = app.get("progress")
    return bar.proto.text


def test_a_long_run_goes_on_by_itself_until_all_is_drawn(monkeypatch):
    for name in ("AT_ONCE", "BAR", "PICTURES"):
        monkeypatch.setattr(progress, name, 0)
    app = open_screen("scaling", d_k=1024, samples=1000, draw="components")
    assert not app.get("progress")
    assert figures(app)[0][1] == pytest.approx(drawn_by_hand(1024, 1000, 1).var(ddof=1), rel=1e-3)


DRAWN = {
    "scores": ("bins", "curves", "band"),
    "grows": ("theory", "errors", "now"),
    "settles": ("running", "theory", "band"),
}
EXTREMES = [
    {"d_k": d_k, "samples": samples, "law": law, "mean": mean, "deviation": deviation, "correlation": correlation,
     "k_is_q": same, "scale": scale, "draw": draw, "seed": seed}
    for law in LAWS
    for d_k, samples, mean, deviation, correlation, same, scale, draw, seed in (
        (1, 4, 0.0, 0.1, -1.0, False, "1", "exact", 0),
        (1, 4, 3.0, 3.0, 1.0, True, "sqrt", "components", 9999),
        (1, 1_000_000, 0.0, 3.0, 0.0, False, "d_k", "exact", 9999),
        (1024, 4, 3.0, 0.1, 1.0, False, "d_k", "components", 0),
        (1024, 1_000_000, 0.0, 1.0, 0.0, False, "1", "components", 1),
        (1024, 1_000_000, 3.0, 3.0, -1.0, True, "sqrt", "exact", 1),
    )
]  # fmt: skip


@pytest.mark.usefixtures("never_goes_on")
@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_extremes_of_every_control_are_shown_without_an_exception(lang):
    app = open_screen("scaling", lang)
    for state in EXTREMES:
        for key, value in state.items():
            app.session_state[key] = value
        app.run()
        assert_no_exception(app)
        alts = [alt(app, key) for key in DRAWN]
        said = " ".join(
            [*(m.value + m.bound for m in cards(app)), *(c.value for c in app.caption), verdict(app), *alts]
        )
        assert not re.search(r"\b(nan|inf)\b", said, re.IGNORECASE), (state, said)
        for key, names in DRAWN.items():
            for name in names:
                assert np.isfinite(data(app, key, name).to_numpy(dtype=float)).all(), (state, name)
        assert data(app, "scores", "bins")["count"].sum() > 0


def test_samples_reach_from_a_hundred_to_a_million():
    assert {100, 1_000_000} <= set(SAMPLES)
    assert list(SAMPLES) == sorted(SAMPLES)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_presets_do_what_they_say(lang):
    app = open_screen("scaling", lang, mean=2, law="laplace")

    def pressed(name):
        app.button(key=f"preset_{name}").click().run()
        assert_no_exception(app)
        return figures(app)

    (*_, divided), theory = pressed("undivided")
    # "32 times as far as the grey band of ±1"
    assert theory == [0, 1024, 32, 32]
    assert divided == pytest.approx(32, rel=0.05)
    app.session_state["scale"] = "sqrt"
    app.run()
    assert figures(app)[1][3] == 1
    app.session_state["scale"] = "d_k"
    app.run()
    assert figures(app)[1][3] == pytest.approx(1 / 32, rel=1e-2)

    shown, theory = pressed("means")
    # "mean 64, variance 192, a deviation of 1.73"
    assert theory[:2] == [64, 192]
    assert theory[3] == pytest.approx(3**0.5, abs=1e-3)
    assert shown[1] == pytest.approx(192, rel=0.05)

    pressed("four")
    low, high = (
        float(bound.replace(",", "")) for bound in re.search(r"([\d.,]+) … ([\d,]+)", verdict_of(app)).groups()
    )
    # "ten times the measured variance would fit into the interval as well"
    assert low < 10 * figures(app)[0][1] < high


def verdict_of(app):
    """The verdict, when a preset has its say in another box."""
    return app.info[0].value


def test_a_prediction_is_answered_by_the_engine():
    app = open_screen("scaling", mean=1)
    app.button(key="predict_show").click().run()
    marks = data(app, "guess", "marks").set_index("who")["value"]
    assert marks["answer"] == 16


def test_alt_texts_state_the_takeaway_with_current_numbers():
    app = open_screen("scaling", mean=1)
    assert "10,000 scores" in alt(app, "scores")
    assert "mean 8" in alt(app, "scores")
    assert "from 3 to 3,072 undivided, to 3 divided by √d_k" in alt(app, "grows")
    assert f"{figures(app)[0][1]:.0f}" in alt(app, "settles")
    assert "theory 192" in alt(app, "settles")
    assert "이론값 64" in alt(open_screen("scaling", "ko"), "settles")


@pytest.mark.parametrize(
    "link",
    [
        {},
        {"draw": "components", "scale": "1"},
        {"mean": 1, "correlation": -0.3, "scale": "d_k"},
        {"k_is_q": "true", "d_k": 1},
        {"law": "sign", "d_k": 256},
        {"law": "laplace", "k_is_q": "true", "mean": 0.5},
        {"law": "uniform", "correlation": 0.7, "deviation": 0.3, "d_k": 1024, "samples": 1000},
        {"law": "student", "k_is_q": "true"},
        {"law": "sign", "mean": 2, "d_k": 2, "samples": 4},
    ],
)
def test_the_program_prints_what_is_shown(link):
    app = open_screen("scaling", **link)
    mean, variance, _, divided = map(float, re.findall(r"-?\d+\.?\d*(?:e-?\d+)?|nan|inf", run_program(app)))
    shown = figures(app)[0]
    np.testing.assert_allclose([mean, variance, divided], [shown[0], shown[1], shown[3]], rtol=6e-3, atol=6e-3)


def test_a_bad_link_is_named_and_the_default_used():
    app = open_screen("scaling", samples=5, law="gauss", mean="7", correlation="0.05", k_is_q="yes", draw="fast")
    said = " ".join(warning.value for warning in app.warning)
    for name in ("samples", "law", "mean", "correlation", r"k\_is\_q", "draw"):
        assert f"**{name}**" in said
    assert figures(app)[1] == [0, 64, 8, 1]


def test_sliders_keep_every_chart_in_the_page_and_send_little():
    app = open_screen("scaling")
    before = {name: spec(app, name) for name in ("scores", "grows", "settles")}
    app.select_slider(key="d_k").set_value(1024).run()
    app.select_slider(key="samples").set_value(1_000_000).run()
    app.select_slider(key="mean").set_value(2.0).run()
    app.session_state["scale"] = "1"
    app.run()
    assert {name: spec(app, name) for name in before} == before
    assert sum(element.proto.ByteSize() for element in app.get("vega_lite_chart")) < 60_000
