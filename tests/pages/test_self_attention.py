"""The self-attention screen: seven matrices, what a shared or missing projection does, and what order changes."""

import json
import re

import numpy as np
import pytest

from core import examples
from core.tokens import labels, tokenize
from tests.pages.app import alt, assert_no_exception, cards, data, open_screen, run_program, spec

OWN = "ant bee cat dog elk"
IT = examples.TWINS[0]


def matrices(app, key):
    """The matrices of one picture, by position."""
    cells = data(app, key, "cells")
    found = {}
    for block, part in cells.groupby("block"):
        shape = part["query"].max() + 1, part["column"].max() + 1
        found[block] = part["value"].to_numpy(dtype=float).reshape(shape)
    return list(found.values())


def all_seven(app):
    return *matrices(app, "project"), *matrices(app, "mix")


def said(app):
    kinds = (app.title, app.markdown, app.caption, app.info, app.warning, app.error)
    return "\n".join(element.value for kind in kinds for element in kind)


def choose(app, **settings):
    for key, value in settings.items():
        app.session_state[key] = value
    app.run()
    assert_no_exception(app)


def softmax(scores):
    powers = np.exp(scores)
    return powers / powers.sum(axis=1, keepdims=True)


def rows(app, key):
    """The labels of the rows, from the specification."""
    axis = next(layer["encoding"]["y"]["axis"] for layer in spec(app, key)["layer"] if "y" in layer.get("encoding", {}))
    return json.loads(axis["labelExpr"].rpartition("[")[0])


def sinusoidal(n, d):
    place = np.empty((n, d))
    for position, column in np.ndindex(n, d):
        angle = position / 10000 ** (2 * (column // 2) / d)
        place[position, column] = np.sin(angle) if column % 2 == 0 else np.cos(angle)
    return place


def projections(text):
    """W_Q, W_K and W_V: hand-set, or the first four columns of three draws of N(0, 1/8)."""
    if (example := examples.find(text)) and example.gazes:
        return example.gazes[0].w_q, example.gazes[0].w_k, example.gazes[0].w_v
    rng = np.random.default_rng(1)
    return [rng.normal(0, 8**-0.5, (8, 8))[:, :4] for _ in range(3)]


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("text", [OWN, None])
def test_every_matrix_follows_from_the_ones_before_it(lang, text):
    app = open_screen("self_attention", lang, **({"text": text} if text else {}))
    h, q, k, v, s, a, o = all_seven(app)
    n = len(tokenize(text or IT[lang]))
    assert [m.shape for m in (q, k, v, s, a, o)] == [(n, 4)] * 3 + [(n, n)] * 2 + [(n, 4)]
    assert h.shape == (n, 8 if text else 13)
    np.testing.assert_allclose(s, q @ k.T / 2, atol=1e-5)
    np.testing.assert_allclose(a, softmax(s), atol=1e-6)
    np.testing.assert_allclose(o, a @ v, atol=1e-5)
    assert cards(app)[0].value == f"{n}² = {n * n}"
    assert float(cards(app)[1].value) == pytest.approx(np.abs(s - s.T).max(), rel=0.06)
    assert float(cards(app)[1].value) > 0
    header = json.dumps(spec(app, "project")) + json.dumps(spec(app, "mix"))
    for shape in (f"{n}\\u00d7{h.shape[1]}", f"{h.shape[1]}\\u00d74", f"{n}\\u00d7{n}", f"({n}\\u00d74)(4\\u00d7{n})"):
        assert shape in header or shape.replace("\\", "\\\\") in header


def test_the_projections_are_the_hand_set_ones():
    app = open_screen("self_attention")
    h, q, k, v, *_ = all_seven(app)
    example = examples.find(IT["en"])
    np.testing.assert_array_equal(h, example.features)
    for drawn, w in ((q, "w_q"), (k, "w_k"), (v, "w_v")):
        np.testing.assert_array_equal(drawn, example.features @ getattr(example.gazes[0], w))


@pytest.mark.parametrize("text", [OWN, IT["en"]])
def test_one_matrix_for_both_makes_scores_symmetric(text):
    app = open_screen("self_attention", text=text)
    before = float(cards(app)[1].value)
    choose(app, one_matrix=True)
    _, q, k, _, s, _, _ = all_seven(app)
    np.testing.assert_array_equal(q, k)
    np.testing.assert_allclose(s, s.T, atol=1e-6)
    assert before > 0.1
    assert float(cards(app)[1].value) < 1e-12


def test_identity_hands_over_whole_words_and_with_them_what_they_look_for():
    app = open_screen("self_attention")
    assert cards(app)[2].value == "4 of 13"
    choose(app, identity_v=True)
    h, _, _, v, _, a, o = all_seven(app)
    assert cards(app)[2].value == "13 of 13"
    np.testing.assert_array_equal(v, h)
    np.testing.assert_allclose(o, a @ h, atol=1e-5)
    example = examples.find(IT["en"])
    asks = [axis.startswith("asks") for axis in example.axes]
    at = example.tokens.index("it")
    assert f"{np.abs(o[at, asks]).sum() / np.abs(o[at]).sum():.0%} lies on axes" in app.info[0].value
    assert "asks: living, asks: place, asks: action, asks: quality" in app.info[0].value
    choose(app, text=OWN)
    assert "all 8 axes" in app.info[0].value


@pytest.mark.parametrize("text", [OWN, IT["en"], "a a b a a"])
def test_shuffling_changes_no_output_and_positions_end_that(text):
    app = open_screen("self_attention", text=text)
    h, *_, o = all_seven(app)
    names = rows(app, "project")
    choose(app, shuffled=True)
    *_, moved = all_seven(app)
    order = [names.index(name) for name in rows(app, "project")]
    assert sorted(order) == list(range(len(names)))
    assert order != sorted(order)
    np.testing.assert_allclose(moved, o[order], atol=1e-6)
    np.testing.assert_array_equal(all_seven(app)[0], h[order])
    assert float(cards(app)[3].value) < 1e-14

    changes = data(app, "shuffle", "cells")["value"].to_numpy(dtype=float).reshape(2, -1)
    assert changes[0].max() < 1e-14
    w_q, w_k, w_v = projections(text)
    place = sinusoidal(*h.shape)

    def output(x):
        return softmax(x @ w_q @ (x @ w_k).T / 2) @ x @ w_v

    expected = np.abs(output(h[order] + place) - output(h + place)[order]).max(axis=1)
    np.testing.assert_allclose(changes[1, order], expected, atol=1e-4)
    assert changes[1].max() > 0.01
    assert f"{changes[1].max():.2g}" in said(app)
    choose(app, positions=True)
    assert float(cards(app)[3].value) == pytest.approx(changes[1].max(), rel=0.06)
    np.testing.assert_allclose(all_seven(app)[0], h[order] + place, atol=1e-6)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_gaze_that_reads_feeling_alone_scores_both_sentences_alike(lang):
    app = open_screen("self_attention", lang)
    film, scene = (matrices(app, name) for name in ("film", "scene"))
    for h, q, k, s in (film, scene):
        assert np.count_nonzero(q) == np.count_nonzero(q[:, 0])
        assert np.count_nonzero(k) == np.count_nonzero(k[:, 0])
        np.testing.assert_array_equal(s, q @ k.T / 2)
        np.testing.assert_array_equal((s != 0), np.outer(h[:, 0], h[:, 0]) != 0)
    np.testing.assert_array_equal(film[3], scene[3])
    assert np.abs(film[0] - scene[0]).max() == 2
    assert (film[0] != scene[0]).sum(axis=0).tolist() == [0, 1, 0, 0, 0, 0]
    n = len(film[3])
    assert f"{np.count_nonzero(film[3])}" in alt(app, "film")
    assert f"{n * n}" in alt(app, "film")
    weights = softmax(film[3])
    carried = [examples.find(examples.TWINS[i][lang]).look().value for i in (2, 3)]
    assert f"{np.abs(weights @ (carried[0] - carried[1])).max():.2f}" in said(app)
    count = np.count_nonzero(film[3])
    choose(app, gaze="everything")
    film, scene = (matrices(app, name) for name in ("film", "scene"))
    assert np.count_nonzero(film[3]) > count if lang == "en" else np.count_nonzero(film[3]) == count
    np.testing.assert_array_equal(film[3], scene[3])


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_presets_show_what_they_say(lang):
    app = open_screen("self_attention", lang)
    app.button(key="preset_mirror").click().run()
    *_, s, _, _ = all_seven(app)
    np.testing.assert_array_equal(s, s.T)
    assert len(app.info) == 1

    app.button(key="preset_carry").click().run()
    *_, o = all_seven(app)
    assert o.shape[1] == 13
    assert examples.find(IT[lang]).axes[-4:] == ("asks_living", "asks_place", "asks_action", "asks_quality")
    assert (o[:, -4:].sum(axis=1) > 0).all()

    app.button(key="preset_shuffle").click().run()
    assert rows(app, "project") != list(labels(tokenize(IT[lang])))
    assert float(cards(app)[3].value) < 1e-14
    choose(app, positions=True)
    assert float(cards(app)[3].value) > 0.1


def test_the_picked_row_is_framed_in_every_matrix():
    app = open_screen("self_attention", text=OWN, query="cat")
    for key, count in (("project", 4), ("mix", 3)):
        picked = data(app, key, "picked")
        assert picked["block"].tolist() == list(range(count))
        assert picked["query"].tolist() == [2] * count
    choose(app, shuffled=True)
    at = rows(app, "mix").index("cat")
    assert data(app, "mix", "picked")["query"].tolist() == [at] * 3
    assert "“cat”" in app.caption[2].value


@pytest.mark.parametrize(
    "link",
    [
        {"text": OWN},
        {"text": OWN, "one_matrix": "true", "shuffled": "true", "seed": 5},
        {"identity_v": "true", "positions": "true"},
    ],
)
def test_the_program_prints_what_is_shown(link):
    app = open_screen("self_attention", **link)
    *_, s, a, _ = all_seven(app)
    names, rest = run_program(app).split("\n", 1)
    assert names == str(rows(app, "project"))
    matrix, numbers = rest.split("largest |S - S.T|:")
    printed = np.array(re.findall(r"\d\.\d*", matrix), dtype=float).reshape(a.shape)
    np.testing.assert_allclose(printed, a, atol=6e-4)
    asymmetry, without, with_positions = (float(line.split()[-1]) for line in numbers.strip().splitlines())
    assert asymmetry == pytest.approx(np.abs(s - s.T).max(), abs=1e-5)
    assert without < 1e-14
    changes = data(app, "shuffle", "cells")["value"].to_numpy(dtype=float).reshape(2, -1)
    assert with_positions == pytest.approx(changes[1].max(), rel=1e-5)


def test_the_guess_is_answered_with_no_change():
    app = open_screen("self_attention", query="it", seed=3)
    next(button for button in app.button if button.label == "Show the answer").click().run()
    marks = data(app, "guess", "marks").set_index("who")["value"]
    assert marks["answer"] == pytest.approx(0, abs=1e-14)
    changes = data(app, "shuffle", "cells")["value"].to_numpy(dtype=float).reshape(2, -1)
    at = labels(tokenize(IT["en"])).index("it")
    assert f"With sinusoidal positions it would be {changes[1, at]:.2f}" in said(app)


@pytest.mark.parametrize(("lang", "count"), [("en", 1), ("ko", 2), ("en", 44)])
def test_one_word_and_the_most_words_are_shown(lang, count):
    app = open_screen("self_attention", lang, text=" ".join(f"w{i}" for i in range(count)))
    for settings in ({}, {"one_matrix": True, "identity_v": True, "shuffled": True, "positions": True}):
        choose(app, **settings)
        *_, v, s, a, o = all_seven(app)
        assert s.shape == (count, count)
        np.testing.assert_allclose(o, a @ v, atol=1e-5)
    if count > 1:
        assert rows(app, "project") != [f"w{i}" for i in range(count)]


@pytest.mark.parametrize("seed", [0, 9999])
def test_the_seed_at_both_ends_draws_other_projections_and_another_order(seed):
    app = open_screen("self_attention", text=OWN, shuffled="true", seed=seed)
    other = open_screen("self_attention", text=OWN, shuffled="true", seed=1)
    assert not np.allclose(all_seven(app)[4], all_seven(other)[4])


@pytest.mark.parametrize("text", [" ", " ".join("x" * 45)])
def test_a_sentence_without_a_word_or_with_too_many_is_refused(text):
    app = open_screen("self_attention", text=text)
    assert len(app.error) == 1
    assert not cards(app)


def test_descriptions_say_what_is_shown():
    app = open_screen("self_attention", text=OWN, query="dog")
    *_, a, _ = all_seven(app)
    top = OWN.split()[a[3].argmax()]
    assert f"dog gives its largest weight, {a[3].max():.2f}, to {top}" in alt(app, "mix")
    assert "5 rows and 8 columns" in alt(app, "project")
    assert said(app).count("“dog”") >= 2
