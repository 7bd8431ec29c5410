"""What the words of the masks screen claim, where no other test asserts it."""

import re

import numpy as np
import pytest

from core import examples
from tests.pages.app import alt, cards, data, grids, open_screen
from tests.pages.test_masks import OWN, choose, press, said, softmax_over, tables, ways
from ui.text import LANGUAGES, Words


def gets_through(app):
    """Which of the four ways are marked as right."""
    return [mark == "✓" for mark in re.findall("[✗✓]", said(app))]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_blocked_score_becomes_no_weight_at_all(lang):
    app = open_screen("masks", lang, text=OWN)
    for mask in ("causal", "padding", "window", "prefix"):
        choose(app, mask=mask)
        _, weights, allowed = tables(app)
        assert (weights[~allowed] == 0).all()
        assert (weights[allowed] > 0).all()
        assert Words("masks", lang)("legend") in [caption.value for caption in app.caption]


def test_a_row_sums_to_1_or_without_any_key_to_0():
    app = open_screen("masks", text=OWN, mask="window", left=0, padded="true", keep=2)
    for query, total in zip(OWN.split(), (1, 1, 0, 0, 0), strict=True):
        choose(app, query=query)
        assert cards(app)[2].value == f"{total:.3f}"
        assert ("no weights, no entropy" in cards(app)[1].bound) == (total == 0)


def test_the_entropy_stays_below_that_of_its_open_keys():
    app = open_screen("masks", text=OWN, mask="causal")
    for m, query in enumerate(OWN.split(), 1):
        choose(app, query=query)
        entropy, most = (float(number) for number in cards(app)[1].bound.split() if number[0].isdigit())
        assert 0 <= entropy <= most == float(f"{np.log(m):.2f}")


def test_the_top_left_diagonal_treats_the_last_words_as_the_first():
    app = open_screen("masks", text=OWN, mask="window", left=1, cached="true", last=2, align="top-left")
    _, _, allowed = tables(app)
    whole = tables(open_screen("masks", text=OWN, mask="window", left=1))[2]
    np.testing.assert_array_equal(allowed, whole[:2])
    choose(app, align="bottom-right")
    np.testing.assert_array_equal(tables(app)[2], whole[-2:])
    assert tables(app)[2][-1, -1], "the last query is the last word"


def test_the_matrix_is_square_exactly_if_every_word_asks():
    app = open_screen("masks", text=OWN, cached="true", last=3)
    assert tables(app)[0].shape == (3, 5)
    choose(app, last=5)
    assert tables(app)[0].shape == (5, 5)


def test_only_multiplied_scores_leak_and_only_zeroed_weights_lose():
    app = open_screen("masks", text=OWN, mask="causal", query="cat")
    scores, _, allowed = tables(app)
    assert gets_through(app) == [True, True, False, False]
    rows, _, _ = ways(app)
    powers = np.exp(scores[2]) * allowed[2]
    np.testing.assert_allclose(rows[0], powers / powers.sum(), atol=1e-6)  # the open keys share the whole 1
    np.testing.assert_allclose(rows[2], np.where(allowed[2], powers, 1) / (powers.sum() + 2), atol=1e-6)  # e⁰ = 1
    assert rows[2][~allowed[2]].sum() > 0
    assert rows[3].sum() < 1
    choose(app, mask="padding", keep=0)
    assert gets_through(app) == [False, False, False, True]
    choose(app, mask="none")
    assert gets_through(app) == [True] * 4
    assert said(app).count("no key is blocked here, nothing changes") == 4


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_preset_without_keys_empties_the_last_words_and_a_billion_reaches_the_padding(lang):
    app = open_screen("masks", lang)
    press(app, Words("masks", lang)("presets.empty.do"))
    _, weights, allowed = tables(app)
    empty = ~allowed.any(axis=1)
    assert empty.sum() > 1
    assert empty[-empty.sum() :].all()
    assert not weights[empty].any()
    assert Words("masks", lang)("ways.names.billion").endswith("−1e9")
    even = ways(app)[0][1]
    np.testing.assert_allclose(even, 1 / len(even), rtol=1e-6)
    assert not allowed[:, 4:].any()  # the padding


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_preset_with_the_wrong_corner_hides_every_word_from_itself(lang):
    app = open_screen("masks", lang)
    press(app, Words("masks", lang)("presets.corner.do"))
    _, _, allowed = tables(app)
    n = allowed.shape[1]
    np.testing.assert_array_equal(allowed, [[key <= row for key in range(n)] for row in range(3)])
    assert not allowed[:, n - 3 :].any()


def test_what_is_thrown_away_after_the_softmax_is_shared_before_it():
    app = open_screen("masks", text=OWN, mask="causal", query="cat")
    scores, weights, allowed = tables(app)
    press(app, "Show the answer")
    left = data(app, "guess", "marks").set_index("who")["value"]["answer"]
    everything = softmax_over(scores, np.ones_like(allowed))[2]
    assert left == pytest.approx(1 - everything[~allowed[2]].sum(), abs=1e-6)
    np.testing.assert_allclose(weights[2][allowed[2]], everything[allowed[2]] / left, atol=1e-6)


def test_the_table_compares_the_three_formats_that_are_announced():
    assert list(grids(open_screen("masks", text=OWN))[0].index) == ["float64", "float32", "float16"]


def test_a_row_without_keys_is_described_as_empty():
    app = open_screen("masks", text=OWN, mask="padding", keep=0)
    assert alt(app, "weights").endswith("may look at no key: its row is empty.")
    assert not data(app, "weights", "cells")["allowed"].any()


def test_the_most_words_that_ask_are_all():
    assert len(tables(open_screen("masks", text=OWN, cached="true", last=44))[0]) == len(OWN.split())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_preset_that_leaks_opens_the_first_word_to_itself_alone(lang):
    app = open_screen("masks", lang)
    press(app, Words("masks", lang)("presets.leak.do"))
    _, weights, _ = tables(app)
    assert app.selectbox[0].value == examples.find(examples.TWINS[0][lang]).tokens[0]
    assert weights[0, 0] == 1
    rows, _, sums = ways(app)
    assert (rows[2, 1:] > 0).all()
    assert float(sums[3]) < 1
