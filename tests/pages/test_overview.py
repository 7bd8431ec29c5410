"""The front page: its miniature follows the definition, its links lead on, and its paths hold together."""

import re
import tomllib

import numpy as np
import pytest

from tests.pages.app import alt, assert_no_exception, data, open_screen, run_program, spec
from ui import frame
from ui.text import LANGUAGES, TEXT, Words

KEYS = [(2, 0), (0, 2), (-1, 1), (1, -1)]
VALUES = [(3, 1), (-2, 2), (-3, -1), (2, -2)]


def by_definition(turn, temperature):
    """Scores, weights and output written out once more, for one query and a finite temperature above 0."""
    query = (1.6 * np.cos(turn * np.pi / 180), 1.6 * np.sin(turn * np.pi / 180))
    scores = [(query[0] * x + query[1] * y) / 2**0.5 for x, y in KEYS]
    terms = [np.exp(score / temperature) for score in scores]
    weights = [term / sum(terms) for term in terms]
    output = [sum(w * value[i] for w, value in zip(weights, VALUES, strict=True)) for i in range(2)]
    return np.array(scores), np.array(weights), np.array(output)


def mix(app):
    return data(app, "mix", "values")


def links(app):
    """The labels of all links, in the order of the page."""
    return [element.proto.label for element in app.get("page_link")]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("turn", "temperature"), [(30, 1.0), (345, 0.05), (90, 10.0)])
def test_bars_and_mixture_follow_the_definition(lang, turn, temperature):
    app = open_screen("overview", lang, turn=turn, T=f"{temperature:g}")
    _, weights, output = by_definition(turn, temperature)
    np.testing.assert_allclose(data(app, "weigh", "bars")["value"], weights, atol=1e-6)
    np.testing.assert_allclose(mix(app)["weight"], weights, atol=1e-6)
    np.testing.assert_allclose(mix(app)[["out_x", "out_y"]], [output] * 4, atol=1e-5)


def test_the_arrows_are_the_query_and_the_keys():
    arrows = data(open_screen("overview", turn=60), "compare", "arrows")
    np.testing.assert_allclose(arrows[["x", "y"]], [(0.8, 0.8 * 3**0.5), *KEYS], atol=1e-6)
    assert arrows["series"].tolist() == [0, 1, 1, 1, 1]


def test_a_key_scores_higher_the_further_it_reaches_in_the_querys_direction():
    for turn in range(0, 360, 15):
        direction = np.array([np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))])
        np.testing.assert_allclose(by_definition(turn, 1)[0], 1.6 / 2**0.5 * (np.array(KEYS) @ direction), atol=1e-12)


def test_the_output_never_leaves_the_values():
    app = open_screen("overview")
    for turn, temperature in ((0, 0.0), (135, 0.05), (225, 1.0), (345, float("inf"))):
        app.select_slider(key="turn").set_value(turn)
        app.select_slider(key="T").set_value(temperature).run()
        output = mix(app)[["out_x", "out_y"]].to_numpy()[0]
        corners = np.array(VALUES)[[0, 1, 2, 3]]
        sides = np.roll(corners, -1, axis=0) - corners
        inward = sides[:, 0] * (output - corners)[:, 1] - sides[:, 1] * (output - corners)[:, 0]
        assert (inward >= -1e-6).all()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_presets_do_what_they_say(lang):
    app = open_screen("overview", lang, turn=180, T=5)
    words = Words("overview", lang)

    def press(name):
        app.button(key=f"preset_{name}").click().run()
        assert words(f"presets.{name}.see") in [info.value for info in app.info]
        return mix(app)["weight"].to_numpy(), mix(app)[["out_x", "out_y"]].to_numpy()[0]

    weights, output = press("place")
    arrows = data(app, "compare", "arrows")[["x", "y"]].to_numpy()
    assert np.cross(np.append(arrows[0], 0), np.append(arrows[2], 0))[2] == pytest.approx(0, abs=1e-6)
    assert weights[1] > 0.5
    assert np.argmin([np.hypot(*(output - value)) for value in VALUES]) == 1
    weights, output = press("best")
    np.testing.assert_array_equal(weights, [1, 0, 0, 0])
    np.testing.assert_array_equal(output, VALUES[0])
    weights, output = press("all")
    np.testing.assert_array_equal(weights, [0.25] * 4)
    np.testing.assert_allclose(output, np.mean(VALUES, axis=0))


@pytest.mark.parametrize("temperature", ["0", "0.5", "1", "inf"])
def test_a_fifth_key_with_score_zero_gets_the_weight_that_is_told(temperature):
    app = open_screen("overview", T=temperature)
    t = float(temperature)
    scores = np.append(by_definition(30, 1)[0], 0)
    with np.errstate(divide="ignore"):
        expected = 0.0 if t == 0 else 0.2 if np.isinf(t) else np.exp(0 / t) / np.exp(scores / t).sum()
    app.button(key="predict_show").click().run()
    assert any(f"**{expected:.3f}**" in block.value for block in app.markdown)


@pytest.mark.parametrize("temperature", ["0", "0.5", "1", "inf"])
def test_the_program_prints_what_is_shown(temperature):
    app = open_screen("overview", turn=105, T=temperature)
    numbers = [float(number) for number in re.findall(r"-?\d+\.\d*", run_program(app))]
    np.testing.assert_allclose(numbers[:4], mix(app)["weight"], atol=6e-5)
    np.testing.assert_allclose(numbers[4:], mix(app)[["out_x", "out_y"]].to_numpy()[0], atol=6e-5)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_alt_texts_state_the_takeaway_with_current_numbers(lang):
    app = open_screen("overview", lang, turn=90, T=2)
    scores, weights, output = by_definition(90, 2)
    street = Words("overview", lang)("tokens.street")
    assert all(street in alt(app, name) for name in ("compare", "weigh", "mix"))
    assert f"{scores.max():.2f}" in alt(app, "compare")
    assert f"{weights.max():.2f}" in alt(app, "weigh")
    assert f"{output[0]:.2f}, {output[1]:.2f}".replace("-", "−") in alt(app, "mix")


def test_moving_a_slider_keeps_every_chart_in_the_page():
    app = open_screen("overview")
    names = ("compare", "weigh", "mix")
    before = {name: spec(app, name) for name in names}
    app.select_slider(key="turn").set_value(300)
    app.select_slider(key="T").set_value(0.2).run()
    assert {name: spec(app, name) for name in names} == before


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_screen_has_one_sentence_on_the_map(language):
    summaries = tomllib.loads((TEXT / language / "overview.toml").read_text(encoding="utf-8"))["summaries"]
    app = open_screen("overview", language)
    captions = [caption.value for caption in app.caption]
    for screen in frame.ORDER:
        assert summaries[screen] in captions
        assert f"**{Words(screen, language)('name')}**" in links(app)


def test_the_parts_of_the_formula_lead_to_screens_that_exist():
    app = open_screen("overview")
    explained = {"step_by_step", "scaling", "saturation", "temperature", "masks", "self_attention", "multi_head"}
    known = {screen for screen in explained if screen in frame.ORDER}
    coloured = {label for label in links(app) if label.startswith(":primary[")}
    assert {f":primary[{name} →]" for name in names(*known)} <= coloured


def foot(app):
    """The names of the screens before and after this one."""
    back = [label[2:] for label in links(app) if label.startswith("← ")]
    return back, [label[:-2] for label in links(app) if label.endswith(" →")]


def names(*screens):
    return [Words(screen, "en")("name") for screen in screens]


@pytest.mark.parametrize("way", ["course", "lab"])
def test_the_links_at_the_foot_follow_the_path_from_end_to_end(way):
    screens = frame.path(way)
    app = open_screen("overview", path=way)
    for at, screen in enumerate(screens):
        app.switch_page(f"pages/{screen}.py").run()
        assert_no_exception(app)
        assert foot(app) == (names(*screens[max(at - 1, 0) : at]), names(*screens[at + 1 : at + 2]))
        assert ("path=lab" in app.session_state["addresses_written"][-1]) == (way == "lab")


def test_the_path_is_chosen_on_the_front_page_and_kept():
    app = open_screen("overview")
    app.segmented_control(key="path").set_value("lab").run()
    second, third = frame.path("lab")[1:3]
    app.switch_page(f"pages/{second}.py").run()
    assert foot(app)[1] == names(third)
    app.switch_page("pages/overview.py").run()
    assert app.segmented_control(key="path").value == "lab"


def test_a_screen_beside_the_lab_path_leads_on_along_the_course():
    app = open_screen("playground", path="lab")
    at = frame.ORDER.index("playground")
    assert foot(app) == (names(frame.ORDER[at - 1]), names(frame.ORDER[at + 1]))


def test_both_paths_start_here_and_hold_screens_that_exist():
    assert frame.path("course") == frame.ORDER
    assert frame.path("lab")[0] == frame.ORDER[0] == frame.FIRST == "overview"
    assert set(frame.path("lab")) <= set(frame.ORDER)
