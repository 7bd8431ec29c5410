"""The playground through the app's entry point: what it shows is what the definition gives."""

import itertools
import re

import numpy as np
import pytest

from core import examples
from tests.pages.app import alt, assert_no_exception, cards, data, open_screen, run_program, shown_map, spec
from ui.controls import CONTROLS

LANGUAGES = ("en", "ko")
OWN = "the cat saw the dog"


def by_definition(query, key, *, divisor, temperature, allowed):
    """Softmax attention written out once more, row by row, from its definition."""
    scores = np.array([[sum(a * b for a, b in zip(q, k, strict=True)) for k in key] for q in query]) / divisor
    weights = np.zeros_like(scores)
    for i, row in enumerate(scores):
        terms = {j: np.exp((row[j] - row[allowed[i]].max()) / temperature) for j in np.flatnonzero(allowed[i])}
        for j, term in terms.items():
            weights[i, j] = term / sum(terms.values())
    return scores, weights


def shown(app, name):
    n = int(data(app, name, "cells")["query"].max()) + 1
    return data(app, name, "cells")["value"].to_numpy().reshape(n, n)


MASKS = {
    "none": lambda _i, _j: True,
    "causal": lambda i, j: j <= i,
    "padding": lambda _i, j: j < 4,
    "window": lambda i, j: i - 2 <= j <= i,
    "prefix": lambda i, j: j < 3 or j <= i,
}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("divisor", "mask", "temperature"),
    [
        ("sqrt", "none", 1.0),
        ("1", "causal", 2.0),
        ("d_k", "padding", 0.5),
        ("sqrt", "window", 5.0),
        ("1", "prefix", 1.0),
    ],
)
def test_maps_show_softmax_of_the_divided_scores(lang, divisor, mask, temperature):
    app = open_screen("playground", lang, text=OWN, d_k=16, scale=divisor, mask=mask, T=f"{temperature:g}", seed=3)
    tokens = tuple(OWN.split())
    vectors = examples.sentence_vectors(tokens, 1, 16, seed=3)
    allowed = np.array([[MASKS[mask](i, j) for j in range(5)] for i in range(5)])
    scores, weights = by_definition(
        vectors.query[0], vectors.key[0],
        divisor={"1": 1, "sqrt": 4, "d_k": 16}[divisor], temperature=temperature, allowed=allowed,
    )  # fmt: skip
    np.testing.assert_allclose(shown(app, "scores"), scores, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(shown(app, "weights"), weights, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(data(app, "weights", "cells")["allowed"], allowed.ravel())


def test_figures_are_those_of_the_picked_row():
    app = open_screen("playground", text=OWN, query="dog", mask="causal", seed=5)
    p = shown(app, "weights")[4].astype(float)
    expected = [p.max(), -(p * np.log(p)).sum(), np.exp(-(p * np.log(p)).sum()), 1 - (p**2).sum()]
    figures = [float(re.match(r"[\d.]+", metric.value)[0]) for metric in cards(app)]
    np.testing.assert_allclose(figures, expected, atol=0.006)
    bounds = " ".join(metric.bound for metric in cards(app))
    assert "0.200 … 1" in bounds
    assert f"{np.log(5):.2f}" in bounds
    assert "0.800" in bounds
    np.testing.assert_allclose(data(app, "bars", "bars")["value"], p, rtol=1e-6)


def test_alt_texts_state_the_takeaway_with_current_numbers():
    app = open_screen("playground", query="it")
    row = shown(app, "weights")[7]
    for name in ("weights", "bars"):
        assert "animal" in alt(app, name)
        assert f"{row.max():.2f}" in alt(app, name)
    assert "동물이" in alt(open_screen("playground", "ko"), "weights")


def test_every_control_changes_what_is_shown():
    start = shown(open_screen("playground", text=OWN), "weights")
    changes = [{"d_k": 4}, {"T": 2}, {"scale": "1"}, {"scale": "d_k"}, {"mask": "causal"}, {"mask": "padding"},
               {"mask": "window"}, {"mask": "prefix"}, {"seed": 2}, {"text": "the cat saw a dog"},
               {"heads": 2, "head": 2}]  # fmt: skip
    for change in changes:
        assert not np.allclose(shown(open_screen("playground", **{"text": OWN, **change}), "weights"), start), change


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_extremes_of_every_control_are_shown_without_an_exception(lang):
    extremes = {
        key: [CONTROLS[key].options[0], CONTROLS[key].options[-1]] for key in ("d_k", "T", "scale", "heads", "mask")
    }
    for first, second in itertools.combinations(extremes, 2):
        for a, b in itertools.product(extremes[first], extremes[second]):
            link = {first: CONTROLS[first].written(a), second: CONTROLS[second].written(b)}
            weights = shown(open_screen("playground", lang, **link), "weights")
            assert np.isfinite(weights).all(), link
            np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-5, err_msg=str(link))


@pytest.mark.parametrize("sizes", [{"keep": 0}, {"keep": 44}])
def test_padding_at_both_ends(sizes):
    app = open_screen("playground", text=OWN, mask="padding", **sizes)
    np.testing.assert_allclose(shown(app, "weights").sum(axis=1), min(sizes["keep"], 1), rtol=1e-5)


def test_a_row_with_no_open_key_is_said_in_words_and_has_no_figures():
    app = open_screen("playground", text=OWN, mask="padding", keep=0)
    assert not cards(app)
    assert "may look at no key" in app.info[0].value
    assert "may look at no key" in alt(app, "weights")
    assert "5 of 5 queries" in " ".join(caption.value for caption in app.caption)
    assert "볼 수 있는 키가 하나도 없어서" in open_screen("playground", "ko", mask="padding", keep=0).info[0].value


@pytest.mark.parametrize("temperature", ["0", "inf"])
def test_temperature_limits_are_shown(temperature):
    weights = shown(open_screen("playground", text=OWN, T=temperature), "weights")
    if temperature == "0":
        assert set(np.unique(weights.round(6))) <= {0.0, 0.5, 1.0}
    else:
        np.testing.assert_allclose(weights, 0.2, rtol=1e-6)


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ({"text": "   "}, "no word"),
        ({"text": " ".join(["word"] * 257)}, "257 words"),
        ({"text": " ".join(["word"] * 500)}, "500 words"),
        ({"text": " ".join(["word"] * 91), "heads": 8}, "most 90"),
    ],
)
def test_a_sentence_that_does_not_fit_is_refused_by_name(link, said):
    app = open_screen("playground", **link)
    assert said in app.error[0].value
    assert app.text_area[0].value == link["text"]
    assert not app.get("vega_lite_chart")


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "안녕 안녕 👨‍👩‍👧‍👦 안녕",
        "مرحبا بالعالم",
        "cafe\u0301 café",
        '$5 *a* _b_ <script>alert(1)</script> [x](y) :smile: "q" \\ {z} %s',
        " ".join(["word"] * 128),
        "a\u2028b c",
    ],
)
def test_any_text_is_shown_token_by_token_as_typed(text):
    app = open_screen("playground", text=text)
    assert_no_exception(app)
    weights = shown(app, "weights")
    assert len(weights) == len(text.split())
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-5)
    told = shown_map(app, "weights").told
    assert told["rows"] == told["columns"] == text.split()


def test_a_token_that_would_show_nothing_is_no_token():
    assert shown(open_screen("playground", text="a \u200b \U000e0041 b"), "weights").shape == (2, 2)


def test_equal_tokens_keep_their_own_rows_and_get_equal_weights():
    app = open_screen("playground", text="the cat the mat")
    weights = shown(app, "weights")
    assert weights.shape == (4, 4)
    np.testing.assert_allclose(weights[0], weights[2], rtol=1e-6)
    np.testing.assert_allclose(weights[:, 0], weights[:, 2], rtol=1e-6)
    assert app.selectbox[0].options == ["the", "cat", "the ₂", "mat"]


def test_a_bad_link_is_named_and_the_default_used():
    app = open_screen("playground", T="0.333", heads="5", mask="Causal", seed="99999", d_k="abc", query="nobody")
    said = " ".join(warning.value for warning in app.warning)
    for name, value in {
        "T": r"0\.333",
        "heads": "5",
        "mask": "Causal",
        "seed": "99999",
        "d\\_k": "abc",
        "query": "nobody",
    }.items():
        assert f"**{name}**" in said, name
        assert value in said
    assert app.select_slider(key="T").value == 1.0
    assert app.selectbox[0].value == "it"
    app.button[[button.label for button in app.button].index("Got it")].click().run()
    assert not app.warning


def test_an_example_follows_the_language_and_own_words_do_not():
    app = open_screen("playground")
    app.session_state["lang"] = "ko"
    app.run()
    assert app.text_area[0].value == examples.TWINS[0]["ko"]
    app = open_screen("playground", text=OWN)
    app.session_state["lang"] = "ko"
    app.run()
    assert app.text_area[0].value == OWN


@pytest.mark.parametrize("lang", LANGUAGES)
def test_presets_do_what_they_say(lang):
    def pressed(name):
        app = open_screen("playground", lang)
        app.button(key=f"preset_{name}").click().run()
        assert_no_exception(app)
        assert len(app.info) == 1
        return shown(app, "weights"), app

    collapse, app = pressed("collapse")
    # "almost every row puts its weight on one word"
    assert np.mean(collapse.max(axis=1) > 0.95) >= 0.8
    scores = shown(app, "scores")
    divided = shown(open_screen("playground", lang, d_k=256), "scores")
    # "the scores are 16 times as spread"
    np.testing.assert_allclose(scores, 16 * divided, rtol=1e-4, atol=1e-4)
    # "hardly any gradient gets through"
    assert np.median(1 - (collapse**2).sum(axis=1)) < 0.1

    causal, _ = pressed("causal")
    assert causal[0].tolist() == [1.0, *[0.0] * (len(causal) - 1)]
    assert not np.triu(causal, 1).any()

    flat, _ = pressed("flat")
    # "each row comes close to uniform"
    assert np.abs(flat - 1 / len(flat)).max() < 0.4 / len(flat)


@pytest.mark.parametrize(
    "link",
    [
        {},
        {"text": OWN, "seed": 9, "heads": 4, "head": 3},
        {"mask": "window", "left": 1, "right": 1, "scale": "1", "d_k": 8, "heads": 4, "head": 2},
        {"text": 'it\'s "$5" \\n {x}', "mask": "padding", "keep": 0},
        {"T": "0", "mask": "prefix", "text": "the cat the mat"},
        {"T": "inf", "mask": "causal", "scale": "d_k"},
    ],
)
def test_the_program_prints_the_weights_that_are_shown(link):
    app = open_screen("playground", **link)
    printed = np.array(re.findall(r"[\d.]+(?:e-\d+)?", run_program(app)), dtype=float)
    np.testing.assert_allclose(printed, shown(app, "weights").ravel(), atol=6e-4)


def test_a_prediction_is_answered_by_the_engine_and_hidden_again_when_the_question_changes():
    app = open_screen("playground")
    with pytest.raises(AssertionError, match="no chart 'guess'"):
        alt(app, "guess")
    app.button(key="predict_show").click().run()
    marks = data(app, "guess", "marks").set_index("who")["value"]
    undivided = shown(open_screen("playground", d_k=256, scale="1"), "weights")[7].max()
    assert marks["answer"] == pytest.approx(undivided, abs=1e-5)
    assert marks["guess"] == 0.5
    app.select_slider(key="T").set_value(2.0).run()
    with pytest.raises(AssertionError, match="no chart 'guess'"):
        alt(app, "guess")


def test_256_words_are_shown_to_the_digits_that_are_read():
    app = open_screen("playground", d_k=16, seed=3, mask="causal")
    app.button(key="example_random").click().run()
    assert_no_exception(app)
    shown = shown_map(app, "weights")
    assert len(set(shown.told["rows"])) < len(shown.told["rows"]) == 256
    (scores,), (weights,), (allowed,) = shown_map(app, "scores").numbers, shown.numbers, shown.allowed
    np.testing.assert_array_equal(allowed, np.tri(256, dtype=bool))
    powers = np.exp(scores) * allowed
    np.testing.assert_allclose(weights, powers / powers.sum(axis=1, keepdims=True), atol=5e-4)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=256 * 5e-5)


def components(app):
    """What makes the browser keep a map in the page: its identity and its program."""
    return [(element.proto.id, element.proto.js_content) for element in app.get("bidi_component")]


def test_moving_a_slider_keeps_every_chart_in_the_page():
    app = open_screen("playground", heads=4)
    before = spec(app, "bars"), components(app)
    app.select_slider(key="d_k").set_value(1024).run()
    app.select_slider(key="T").set_value(0.0).run()
    assert (spec(app, "bars"), components(app)) == before


@pytest.mark.parametrize(
    ("control", "value"), [("T", 1.0), ("T", 0.0), ("T", float("inf")), ("d_k", 64), ("d_k", 1024)]
)
@pytest.mark.parametrize("link", [{"mask": "causal"}, {"heads": 4, "head": 2, "scale": "1"}])
def test_what_goes_ahead_of_a_slider_is_what_its_next_move_brings(control, value, link):
    app = open_screen("playground", **link)
    app.select_slider(key=control).set_value(value).run()
    keys = ["weights", *(["heads"] if "heads" in link else []), *(["scores"] if control == "d_k" else [])]
    sent = {key: shown_map(app, key).told["ahead"][control] for key in keys}
    options = CONTROLS[control].options
    at = options.index(value)
    for other in {max(at - 1, 0), min(at + 1, len(options) - 1)} - {at}:
        app.select_slider(key=control).set_value(options[other]).run()
        for key in keys:
            told = shown_map(app, key).told
            ahead = sent[key][str(other)]
            assert ahead == {name: told[name] for name in ahead}, (key, options[other])
            assert "codes" in ahead
            assert set(ahead) <= {"codes", "bits", "unit", "digits", "limit"}


def test_a_map_of_256_words_waits_for_its_run():
    app = open_screen("playground", text=" ".join(f"w{i}" for i in range(256)))
    assert not any(shown_map(app, "weights").told["ahead"].values())


def test_one_change_sends_little():
    app = open_screen("playground", heads=4)
    charts = [*app.get("vega_lite_chart"), *app.get("bidi_component")]
    size = sum(element.proto.ByteSize() for element in charts)
    assert size < 200_000


def test_a_picked_query_stays_when_the_sentence_grows_and_falls_back_when_it_is_gone():
    app = open_screen("playground", text="one two three", query="three")
    app.text_area[0].set_value("zero one two three four").run()
    assert app.selectbox[0].value == "three"
    app.text_area[0].set_value("zero one two").run()
    assert app.selectbox[0].value == "zero"
    assert not app.warning, "only a link is told that it was wrong"


def test_tables_show_a_repeated_token_twice():
    table = open_screen("playground", text="the cat the").dataframe[0].value
    assert list(table.columns) == list(table.index) == ["the", "cat", "the ₂"]


def test_the_app_runs_from_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert shown(open_screen("playground", text=OWN), "weights").shape == (5, 5)
