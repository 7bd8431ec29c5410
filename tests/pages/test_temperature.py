"""Temperature through the app's entry point: what it shows is what the definition gives."""

import re

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import entropy

from core import softmax as engine
from tests.pages.app import alt, cards, data, grids, open_screen, run_program, spec
from ui.controls import CONTROLS, TEMPERATURES
from ui.text import Words

LANGUAGES = ("en", "ko")
DEFAULT = np.array([2.0, 1.0, 0.1])
EIGHT = (3, -1.5, 0, 0, 2.25, -100, 7, 6.999)


def weights(z, t):
    """The definition at any finite T, by SciPy."""
    return softmax(np.asarray(z, dtype=float) / t)


def bars(app):
    return data(app, "bars", "bars")["value"].to_numpy()


def at(app, name, place):
    """What the marks of a chart say, in the order limit 0, current T, limit ∞."""
    points = data(app, name, "points")
    return points.groupby("series")["y"].nth(place).to_numpy()


def figures(app):
    return {metric.label: metric.value for metric in cards(app)}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("z", "t"), [(DEFAULT, 1.0), (EIGHT, 0.05), (EIGHT, 10.0), ((5, 5, 5), 0.63)])
def test_bars_marks_and_figures_are_the_softmax(lang, z, t):
    app = open_screen("temperature", lang, z=",".join(map(str, z)), T=f"{t:g}")
    expected = weights(z, t)
    words = Words("temperature", lang)
    np.testing.assert_allclose(bars(app), expected, atol=1e-6)
    np.testing.assert_allclose(at(app, "curves", 1), expected, atol=1e-6)
    shown = figures(app)
    assert shown[words("figures.largest")] == f"{expected.max():.3f}"
    assert shown[words("figures.entropy")] == f"{entropy(expected):.2f} nats"
    assert shown[words("figures.keys")] == f"{np.exp(entropy(expected)):.2f}"


def test_every_curve_is_the_softmax_at_every_temperature():
    app = open_screen("temperature", z="2,1,0.1,-4")
    curves = data(app, "curves", "curves")
    t = curves[curves["series"] == 0]["x"].to_numpy()
    expected = np.array([weights([2, 1, 0.1, -4], each) for each in t])
    np.testing.assert_allclose(curves["y"].to_numpy().reshape(4, -1).T, expected, atol=1e-6)
    np.testing.assert_allclose(data(app, "entropy", "curves")["y"], entropy(expected, axis=1), atol=1e-5)
    np.testing.assert_allclose(data(app, "keys", "curves")["y"], np.exp(entropy(expected, axis=1)), rtol=1e-5)
    assert (t.min(), t.max()) == pytest.approx((0.05, 10))


@pytest.mark.parametrize("t", ["0", "inf"])
def test_the_limits_are_shared_by_the_highest_and_by_all(t):
    app = open_screen("temperature", z="2,7,7,-1", T=t)
    limits = np.array([[0, 0.5, 0.5, 0], [0.25] * 4])
    np.testing.assert_array_equal(bars(app), limits[0] if t == "0" else limits[1])
    np.testing.assert_array_equal([at(app, "curves", 0), at(app, "curves", 2)], limits)
    np.testing.assert_allclose([at(app, "entropy", 0)[0], at(app, "entropy", 2)[0]], np.log([2, 4]), rtol=1e-6)
    np.testing.assert_allclose([at(app, "keys", 0)[0], at(app, "keys", 2)[0]], [2, 4], rtol=1e-6)


def test_the_rule_stands_at_the_current_temperature():
    app = open_screen("temperature")
    axis = spec(app, "curves")["layer"][0]["layer"][0]["encoding"]["x"]
    low, high = axis["scale"]["domain"]
    for t in TEMPERATURES[::10]:
        app.select_slider(key="T").set_value(t).run()
        assert data(app, "curves", "now")["x"].item() == pytest.approx({0: low, np.inf: high}.get(t, t))


def test_the_table_holds_the_published_weights():
    app = open_screen("temperature")
    published = [[0.8638, 0.1169, 0.0193], [0.6590, 0.2424, 0.0986], [0.5017, 0.3043, 0.1940]]
    np.testing.assert_array_equal(grids(app)[0].to_numpy(dtype=float), published)
    assert list(grids(app)[0].index) == ["T = 0.5", "T = 1", "T = 2"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_rough_values_are_off_by_what_the_note_says(lang):
    rough = {0.5: [0.85, 0.12, 0.03], 2.0: [0.45, 0.32, 0.23]}
    off = max(np.abs(weights(DEFAULT, t) - values).max() for t, values in rough.items())
    note = Words("temperature", lang)("rough", off=off)
    assert f"{off:.2f}" == "0.05"
    assert all(str(values) in note and f"T = {t:g}" in note for t, values in rough.items())
    assert note in [caption.value for caption in open_screen("temperature", lang).caption]
    assert note not in [caption.value for caption in open_screen("temperature", lang, z="2,1,0").caption]


@pytest.mark.parametrize("d_k", [1, 2, 64, 1024])
def test_dividing_twice_is_dividing_once_by_the_product(d_k):
    app = open_screen("temperature", d_k=d_k)
    for t in (0.0, 0.05, 1.0, 2.8, 10.0, np.inf):
        app.select_slider(key="T").set_value(t).run()
        divided, product = np.array(DEFAULT) / np.sqrt(d_k), t * np.sqrt(d_k)
        twice, once = engine.softmax(divided, temperature=t), engine.softmax(DEFAULT, temperature=product)
        if 0 < t < np.inf:
            np.testing.assert_allclose(once, weights(DEFAULT, t * d_k**0.5), atol=1e-12)
        assert grids(app)[1].to_numpy().tolist() == [[f"{weight:.4f}" for weight in row] for row in (twice, once)]
        difference = np.abs(twice - once).max()
        assert difference <= 4e-16
        assert any(f"**{difference:.0g}**" in caption.value for caption in app.caption)
        if d_k != 2:  # dividing by a power of two is exact
            assert difference == 0


def test_the_slide_rule_lays_the_two_lengths_end_to_end():
    app = open_screen("temperature", d_k=256, T=0.5)
    ends = data(app, "dial", "curves")["x"].to_numpy().reshape(3, 2)
    np.testing.assert_allclose(ends, [[1, 16], [16, 8], [1, 8]])
    lengths = np.diff(np.log(ends), axis=1).ravel()
    assert lengths[0] + lengths[1] == pytest.approx(lengths[2])
    assert "**16 × 0.5 = 8**" in " ".join(block.value for block in app.markdown)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_presets_do_what_they_say(lang):
    app = open_screen("temperature", lang, z="9,9,9,9", d_k=16)

    def press(name):
        app.button(key=f"preset_{name}").click().run()
        assert Words("temperature", lang)(f"presets.{name}.see") in [info.value for info in app.info]
        return bars(app)

    sharp = press("sharp")
    assert sharp.max() > 0.999
    assert (DEFAULT[0] - DEFAULT[1]) / 0.1 == pytest.approx(10)
    flat = press("flat")
    assert (flat > 0.30).all()
    assert (flat < 0.37).all()
    np.testing.assert_array_equal(press("ties"), [0.5, 0.5, 0])


@pytest.mark.parametrize("z", [DEFAULT, EIGHT])
def test_the_prediction_is_answered_and_its_reason_holds(z):
    app = open_screen("temperature", z=",".join(map(str, z)))
    answer = weights(z, 0.5).max()
    app.button(key="predict_show").click().run()
    assert any(f"**{answer:.3f}**" in block.value for block in app.markdown)
    assert any(f"{weights(z, 1).max():.3f}" in block.value for block in app.markdown)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios, squared = (np.divide.outer(p, p) for p in (weights(z, 1), weights(z, 0.5)))
    likely = weights(z, 1) > 1e-30
    np.testing.assert_allclose(squared[likely][:, likely], ratios[likely][:, likely] ** 2, rtol=1e-9)


@pytest.mark.parametrize("t", ["0", "0.5", "1", "inf"])
def test_the_program_prints_what_is_shown(t):
    app = open_screen("temperature", z="2,1,0.1,2", T=t)
    numbers = [float(number) for number in re.findall(r"\d+\.\d*", run_program(app))]
    np.testing.assert_allclose(numbers[:4], bars(app), atol=6e-5)
    p = bars(app).astype(float)
    np.testing.assert_allclose(numbers[4:], [entropy(p), np.exp(entropy(p))], atol=2e-4)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_alt_texts_state_the_takeaway_with_current_numbers(lang):
    app = open_screen("temperature", lang, z="1,4,2,2", T=2)
    p = weights([1, 4, 2, 2], 2)
    assert "z₂ = 4" in alt(app, "bars")
    for name in ("bars", "curves"):
        assert f"{p.max():.2f}" in alt(app, name)
    assert "0.25" in alt(app, "curves")
    assert all(f"{value:.2f}" in alt(app, "entropy") for value in (0, entropy(p), np.log(4)))
    assert all(f"{value:.2f}" in alt(app, "keys") for value in (1, np.exp(entropy(p)), 4))
    assert "16" in alt(app, "dial")


BAD = {
    "": "0",
    "  ,; ": "0",
    "2, 1": "2",
    "1,2,3,4,5,6,7,8,9": "9",
    "2, two, 1": "two",
    "1, 2, nan": "nan",
    "inf, 2, 1": "inf",
    "1, 1e308, 1": "1e308",
    "1, 2, -100.5": r"\-100\.5",
    "1, $x$, `3`": r"\$x\$",
}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_bad_logits_are_refused_by_name_and_nothing_else_is_shown(lang):
    app = open_screen("temperature", lang)
    for typed, said in BAD.items():
        app.text_input(key="z").set_value(typed).run()
        assert not app.exception
        assert [error.value.startswith("**z**") and said in error.value for error in app.error] == [True]
        assert not app.get("vega_lite_chart")
        assert "z=" not in app.session_state["addresses_written"][-1]
    app.text_input(key="z").set_value("4 5;6").run()
    np.testing.assert_allclose(bars(app), weights([4, 5, 6], 1), atol=1e-6)
    assert not app.error


@pytest.mark.parametrize("given", ["1,nan,3", "2,1", ""])
def test_a_link_with_bad_logits_says_so_and_shows_the_default(given):
    app = open_screen("temperature", z=given)
    assert any("**z**" in warning.value for warning in app.warning)
    np.testing.assert_allclose(bars(app), weights(DEFAULT, 1), atol=1e-6)


@pytest.mark.parametrize("given", ["2, 1, 0.1", "3,-4.5,1e-3", "0 0 0", "100,-100,1.23456789"])
def test_logits_survive_the_link(given):
    z = CONTROLS["z"]
    kept = z.read(z.written(given))
    assert [float(x) for x in re.split(r"[, ]+", kept)] == [float(x) for x in re.split(r"[, ]+", given)]
    assert " " not in z.written(given)


def test_moving_the_temperature_keeps_every_chart_in_the_page():
    app = open_screen("temperature", z="3,2,1,0")
    names = ("bars", "curves", "entropy", "keys", "dial")
    before = {name: spec(app, name) for name in names}
    app.select_slider(key="T").set_value(0.2).run()
    app.select_slider(key="d_k").set_value(4).run()
    assert {name: spec(app, name) for name in names} == before
