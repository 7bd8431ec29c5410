"""Cross-attention through the app's entry point: lines, maps and claims held against the definitions."""

import re

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import entropy

from tests.pages.app import alt, assert_no_exception, cards, data, open_screen, run_program, shown_map, spec

SENTENCES = {"en": ("I", "read", "the", "book"), "ko": ("나는", "책을", "읽었다")}
# who, does, what, which; the last axis is 1 in the decoder.
MEANING = {
    "I": (2, 0, 0, 0), "read": (0, 2, 0, 0), "the": (0, 0, 1, 1), "book": (0, 0, 2, 0),
    "나는": (2, 0, 0, 0), "책을": (0, 0, 2, 1), "읽었다": (0, 2, 0, 0),
}  # fmt: skip
ALIGNED = {
    "en": {"나는": "I", "책을": "book", "읽었다": "read"},
    "ko": {"I": "나는", "read": "읽었다", "the": "책을", "book": "책을"},
}
SCORERS = ("dot", "general", "additive")


def words_of(source):
    return SENTENCES[source], SENTENCES["ko" if source == "en" else "en"]


def computed(source="en", scorer="dot", bottleneck=False):
    """Encoder states (n, 4), scores and weights (m, n), contexts (m, 4), word by word."""
    inputs, outputs = words_of(source)
    states, state = [], np.zeros(4)
    for word in inputs:
        state = state / 2 + MEANING[word]
        states.append(state)
    score = {
        "dot": lambda s, h: s @ h,
        "general": lambda s, h: s @ np.diag([1, 1, 1, 2]) @ h,
        "additive": lambda s, h: 3 * np.tanh(s + h - 3).sum(),
    }[scorer]
    scores = np.array([[score(np.array(MEANING[word]), h) for h in states] for word in outputs])
    seen = np.where(np.arange(len(inputs)) < len(inputs) - 1, -np.inf, scores) if bottleneck else scores
    weights = softmax(seen, axis=1)
    return np.array(states), scores, weights, weights @ np.array(states)


def matrix(app, key, rows):
    return data(app, key, "cells")["value"].to_numpy().reshape(rows, -1)


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("source", SENTENCES)
@pytest.mark.parametrize("scorer", SCORERS)
def test_maps_and_lines_are_the_definition_of_each_scorer(lang, source, scorer):
    app = open_screen("cross_attention", lang, source=source, scorer=scorer)
    inputs, outputs = words_of(source)
    states, _, weights, contexts = computed(source, scorer)
    np.testing.assert_allclose(matrix(app, "alignment", len(outputs)), weights, atol=1e-6)
    np.testing.assert_allclose(matrix(app, "states", len(inputs)), states, atol=1e-6)
    np.testing.assert_allclose(matrix(app, "contexts", len(outputs)), contexts, atol=1e-6)
    np.testing.assert_allclose(matrix(app, "asks", len(outputs)), [MEANING[word] for word in outputs])
    links = data(app, "gaze", "links")
    np.testing.assert_allclose(links["value"], weights.ravel(), atol=1e-6)
    assert links[links["now"]]["query"].unique().tolist() == [0]


@pytest.mark.parametrize("source", SENTENCES)
def test_every_output_looks_at_its_word_and_the_lines_cross(source):
    inputs, outputs = words_of(source)
    app = open_screen("cross_attention", source=source)
    found = matrix(app, "alignment", len(outputs)).argmax(axis=1)
    assert {word: inputs[key] for word, key in zip(outputs, found, strict=True)} == ALIGNED[source]
    assert sorted(found) != found.tolist()


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("source", SENTENCES)
@pytest.mark.parametrize("scorer", SCORERS)
def test_through_the_bottleneck_every_output_is_given_the_last_state(lang, source, scorer):
    inputs, outputs = words_of(source)
    app = open_screen("cross_attention", lang, source=source, scorer=scorer, bottleneck="true", output=2)
    states, *_ = computed(source)
    np.testing.assert_allclose(matrix(app, "contexts", len(outputs)), states[[-1] * len(outputs)])
    assert data(app, "gaze", "links")["key"].tolist() == [len(inputs) - 1] * len(outputs)
    assert data(app, "alignment", "cells")["allowed"].sum() == len(outputs)
    assert inputs[-1] in alt(app, "gaze")
    assert [metric.value for metric in cards(app)] == ["1.000", "1.00", "12.5%" if source == "en" else "25.0%"]


@pytest.mark.parametrize(("source", "output"), [("en", 1), ("en", 3), ("ko", 4)])
def test_figures_and_words_are_those_of_the_output_that_asks(source, output):
    inputs, outputs = words_of(source)
    app = open_screen("cross_attention", source=source, output=output)
    row = computed(source)[2][output - 1]
    largest, keys, _ = cards(app)
    assert largest.value == f"{row.max():.3f}"
    assert largest.bound == f"“{outputs[output - 1]}” → “{inputs[row.argmax()]}”"
    assert keys.value == f"{np.exp(entropy(row)):.2f}"
    for key in ("gaze", "alignment"):
        assert f"{row.max():.2f}" in alt(app, key)
    assert data(app, "gaze", "picked")["query"].tolist() == [shown_map(app, "alignment").told["picked"]] == [output - 1]
    assert any(f"**“{inputs[row.argmax()]}”** ({row.max():.2f})" in text.value for text in app.markdown)


@pytest.mark.parametrize("source", SENTENCES)
def test_what_is_left_of_the_first_word_is_halved_by_each_that_follows(source):
    inputs, _ = words_of(source)
    app = open_screen("cross_attention", source=source)
    assert cards(app)[2].value == f"{0.5 ** (len(inputs) - 1):.1%}"
    assert f"from 2 to {2 * 0.5 ** (len(inputs) - 1):g}" in alt(app, "states")


def test_buttons_step_from_output_to_output_and_stop_at_the_ends():
    app = open_screen("cross_attention")
    assert app.button(key="output_back").disabled
    for output in (2, 3):
        app.button(key="output_on").click().run()
        assert app.session_state["output"] == output
        assert data(app, "gaze", "picked")["query"].tolist() == [output - 1]
    assert app.button(key="output_on").disabled
    app.button(key="output_back").click().run()
    assert app.session_state["output"] == 2


def test_an_output_that_the_other_direction_lacks_falls_back_to_the_first():
    app = open_screen("cross_attention", source="ko", output=4)
    app.button_group(key="source").set_value("en").run()
    assert_no_exception(app)
    assert data(app, "gaze", "picked")["query"].tolist() == [0]


@pytest.mark.parametrize("link", [{"output": 4}, {"output": 5}, {"scorer": "cosine"}, {"source": "fr"}])
def test_what_a_link_cannot_say_is_named(link):
    app = open_screen("cross_attention", **link)
    ((name, given),) = link.items()
    assert any(f"**{name}** = {given}" in warning.value for warning in app.warning)


def test_self_attention_has_the_same_words_on_both_sides():
    app = open_screen("cross_attention")
    states, *_ = computed()
    np.testing.assert_allclose(matrix(app, "self", 4), softmax(states @ states.T, axis=1), atol=1e-6)
    table = next(text.value for text in app.markdown if "**self**" in text.value)
    english, korean = (" ".join(SENTENCES[lang]) for lang in ("en", "ko"))
    assert f"| {korean} | {english} | {english} | 3\u00a0×\u00a04 |" in table
    assert f"| {english} | {english} | {english} | 4\u00a0×\u00a04 |" in table


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_preset_only_a_fixed_vector_does_what_it_says(lang):
    app = open_screen("cross_attention", lang)
    app.button(key="preset_fixed").click().run()
    assert app.info
    contexts = matrix(app, "contexts", 3)
    assert (contexts == contexts[0]).all()
    assert contexts[0, 0] / 2 == 1 / 8
    app.toggle(key="bottleneck").set_value(False).run()
    assert matrix(app, "contexts", 3)[0, 0] > 1.7


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_preset_two_look_at_one_does_what_it_says(lang):
    app = open_screen("cross_attention", lang)
    app.button(key="preset_back").click().run()
    assert app.info
    assert matrix(app, "alignment", 4).argmax(axis=1).tolist() == [0, 2, 1, 1]
    assert matrix(app, "states", 3)[1, 3] > 0  # which book
    assert data(app, "gaze", "picked")["query"].tolist() == [2]


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_preset_another_scorer_does_what_it_says(lang):
    app = open_screen("cross_attention", lang)
    by_dot = matrix(app, "alignment", 3).argmax(axis=1)
    app.button(key="preset_additive").click().run()
    assert app.info
    assert (computed("en", "additive")[1] < 0).all()
    np.testing.assert_array_equal(matrix(app, "alignment", 3).argmax(axis=1), by_dot)
    compared = app.dataframe[1].value
    assert compared.index.tolist() == list(SCORERS)
    np.testing.assert_allclose(compared, [computed("en", scorer)[2][1] for scorer in SCORERS])


@pytest.mark.parametrize(("source", "here"), [("en", "12.5%"), ("ko", "25.0%")])
def test_the_predicted_rest_is_halved_by_nine_words(source, here):
    app = open_screen("cross_attention", source=source)
    app.button(key="predict_show").click().run()
    (text,) = (text.value for text in app.markdown if "halved 9 times" in text.value)
    assert f"**{100 * 0.5**9:.1f}** percent" in text
    assert here in text


@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize(("source", "output"), [("en", 2), ("ko", 3)])
def test_the_formula_adds_up_to_the_score_it_names(scorer, source, output):
    app = open_screen("cross_attention", source=source, scorer=scorer, output=output)
    _, scores, weights, _ = computed(source, scorer)
    best = weights[output - 1].argmax()
    drawn = app.latex[0].value if app.latex else next(text.value for text in app.markdown if "h}_j" in text.value)
    plain = re.sub(r"\\textcolor\{#\w+\}\{([^{}]*)\}", r"\1", drawn)
    _, terms, result = plain.strip("$ \n").split(" = ")
    python = terms.replace(r"\cdot", "*").replace(r"\tanh", "*np.tanh")
    assert eval(python) == pytest.approx(scores[output - 1, best])
    assert float(result) == pytest.approx(scores[output - 1, best], rel=5e-3)


def test_the_charts_stay_while_the_numbers_change():
    one = open_screen("cross_attention")
    two = open_screen("cross_attention", scorer="additive", bottleneck="true", output=3)
    assert spec(one, "gaze") == spec(two, "gaze")


@pytest.mark.parametrize(
    "link",
    [
        {},
        {"lang": "ko", "source": "ko", "scorer": "general"},
        {"scorer": "additive"},
        {"source": "ko", "scorer": "additive", "bottleneck": "true"},
    ],
)
def test_the_program_prints_what_is_shown(link):
    app = open_screen("cross_attention", **link)
    _, outputs = words_of(link.get("source", "en"))
    lines = run_program(app).strip().splitlines()
    assert [line.split()[0] for line in lines] == list(outputs)
    printed = [[[float(x) for x in part.split()] for part in re.findall(r"\[([^\]]*)\]", line)] for line in lines]
    np.testing.assert_allclose([row for row, _ in printed], matrix(app, "alignment", len(outputs)), atol=6e-5)
    np.testing.assert_allclose(
        [context[:4] for _, context in printed], matrix(app, "contexts", len(outputs)), atol=6e-5
    )
