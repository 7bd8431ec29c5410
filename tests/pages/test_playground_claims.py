"""What the words of the playground claim, where no other test asserts it."""

import re

import numpy as np
import pytest

from core import examples
from tests.pages.app import alt, cards, data, open_screen
from tests.pages.test_playground import MASKS, OWN, shown
from ui.text import LANGUAGES, Words

SENTENCES = [OWN, "a a b", "one two three four five six seven eight"]


def pressed(name, lang="en", **link):
    app = open_screen("playground", lang, **link)
    app.button(key=f"preset_{name}").click().run()
    return app


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    "link", [{}, {"text": "a a b"}, {"text": "It was a sad film"}, {"text": OWN, "seed": 4}, {"text": "x"}]
)
def test_the_preset_without_division_counts_the_words_that_collapse(lang, link):
    app = pressed("collapse", lang, **link)
    weights = shown(app, "weights")
    sharp = weights.max(axis=1) > 0.9
    (said,) = (info.value for info in app.info)
    assert said == Words("playground", lang)("presets.collapse.see", n=len(weights), sharp=sharp.sum())
    # "there hardly any gradient gets through"
    assert (1 - (weights[sharp] ** 2).sum(axis=1) < 0.19).all()


@pytest.mark.parametrize("text", SENTENCES)
def test_undivided_scores_are_sixteen_times_those_divided_by_the_root(text):
    undivided, divided = (
        shown(open_screen("playground", text=text, d_k=256, scale=scale), "scores") for scale in ("1", "sqrt")
    )
    np.testing.assert_allclose(undivided, 16 * divided, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("link", [{"d_k": 1, "seed": 2}, {"d_k": 1024, "scale": "1", "seed": 3}])
def test_the_preset_heat_makes_every_row_nearly_even_whatever_was_set_before(text, link):
    app = pressed("flat", text=text, **link)
    assert app.select_slider(key="T").value == 10
    weights = shown(app, "weights").astype(float)
    effective = np.exp(-(weights * np.log(weights)).sum(axis=1))
    assert (effective > 0.94 * len(weights)).all()


def test_the_preset_look_back_blocks_the_upper_right_half():
    weights = shown(pressed("causal", text=OWN), "weights")
    blocked = weights == 0
    np.testing.assert_array_equal(blocked, np.triu(np.ones((5, 5), dtype=bool), 1))
    assert weights[0].tolist() == [1, 0, 0, 0, 0]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("query", ["the", "dog"])
def test_every_figure_lies_within_its_bounds(mask, query):
    app = open_screen("playground", text=OWN, mask=mask, query=query, scale="1")
    for temperature in (0.0, 1.0, np.inf):
        app.select_slider(key="T").set_value(temperature).run()
        m = sum(MASKS[mask](0 if query == "the" else 4, j) for j in range(5))
        largest, entropy, keys, gradient = (float(re.match(r"[\d.]+", metric.value)[0]) for metric in cards(app))
        assert float(f"{1 / m:.3f}") <= largest <= 1
        assert 0 <= entropy <= float(f"{np.log(m):.2f}")
        assert 1 <= keys <= m
        assert 0 <= gradient <= float(f"{1 - 1 / m:.3f}")


def test_every_head_has_its_own_map():
    weights = [shown(open_screen("playground", text=OWN, heads=8, head=head), "weights") for head in range(1, 9)]
    assert all(np.abs(weights[i] - weights[j]).max() > 0.05 for i in range(8) for j in range(i))
    panels = data(open_screen("playground", text=OWN, heads=8), "heads", "panels")
    np.testing.assert_allclose(panels["value"].to_numpy().reshape(8, 5, 5), weights, rtol=1e-6)


def test_where_no_key_is_open_no_bar_is_described():
    app = open_screen("playground", text=OWN, mask="padding", keep=0)
    assert alt(app, "bars") == "No bars: the may look at no key."
    assert not data(app, "bars", "bars")["value"].any()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_head_is_called_hand_set_only_if_it_is(lang):
    def said(**link):
        app = open_screen("playground", lang, **link)
        return [caption.value for caption in app.caption]

    hand_set, seeded = (Words("playground", lang)(f"sentence.{name}") for name in ("hand_set", "seeded"))
    assert hand_set in said(heads=8, head=4)
    assert seeded in said(heads=8, head=5)
    assert seeded in said(text=OWN)
    assert len(examples.EXAMPLES[0].gazes) == 4


def test_the_question_names_the_keys_that_are_open():
    app = open_screen("playground", text=OWN, mask="window", query="saw")
    assert any("3 open keys" in block.value for block in app.markdown)
