"""What the words of the screen on several heads claim, where no other test asserts it."""

import numpy as np
import pytest

from core import examples
from tests.pages.app import alt, data, grids, open_screen
from tests.pages.test_multi_head import TIRED, hand_set_layer, metric, shown_maps, weights_of
from ui.text import LANGUAGES, Words


def captions(app):
    return [caption.value for caption in app.caption]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_of_the_film_heads_one_reads_feeling_and_one_reads_four_axes(lang):
    film = examples.find(examples.TWINS[2][lang])
    read = [(np.abs(gaze.w_q) + np.abs(gaze.w_k)).any(axis=1) for gaze in film.gazes]
    assert [axes.sum() for axes in read] == [1, 4]
    assert np.flatnonzero(read[0]).tolist() == [film.axes.index("feeling")]
    app = open_screen("multi_head", lang, text=film.text, d_model=8, h=2)
    assert Words("multi_head", lang)("by_hand.2") in captions(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_third_head_finds_words_of_the_same_kind(lang):
    example = examples.find(examples.TWINS[0][lang])
    kinds = example.features[:, [example.axes.index(axis) for axis in ("pointer", "link")]]
    kinds = np.column_stack(
        [
            kinds,
            example.features[:, [example.axes.index(axis) for axis in ("living", "place")]].any(axis=1),
            example.features[:, [example.axes.index(axis) for axis in ("action", "quality")]].any(axis=1),
        ]
    ).astype(bool)
    alike = (kinds[:, None] & kinds).any(axis=-1)
    third = shown_maps(open_screen("multi_head", lang), len(example.tokens))[2]
    for row, same in zip(third, alike, strict=True):
        assert row[same].min() > row[~same].max()


@pytest.mark.parametrize("h", [2, 8])
def test_cut_in_another_number_of_heads_no_head_is_one_of_the_four_relations(h):
    app = open_screen("multi_head", h=h)
    assert Words("multi_head", "en")("by_hand.cut", gazes=4, h=h) in captions(app)
    x, w_q, w_k, _ = hand_set_layer()
    relations = weights_of(x, w_q, w_k, 4)
    maps = shown_maps(app, 11)[:h]
    assert np.abs(maps[:, None] - relations).max(axis=(-1, -2)).min() > 0.01


@pytest.mark.parametrize("link", [{"h": 1}, {"h": 2}, {"gqa": "true", "kv": 1}])
def test_uncut_the_score_is_the_sum_of_what_heads_score_with_keys_of_their_own(link):
    app = open_screen("multi_head", **link)
    x, w_q, w_k, _ = hand_set_layer()
    h = link.get("h", 4)
    parts = [slice(i * 16 // h, (i + 1) * 16 // h) for i in range(h)]
    total = sum((x @ w_q[:, part]) @ (x @ w_k[:, part]).T for part in parts)
    powers = np.exp(total / 4)
    uncut = (powers / powers.sum(axis=1, keepdims=True))[TIRED.focus]
    asked = shown_maps(app, 11)[0, TIRED.focus].argmax()
    app.button(key="predict_show").click().run()
    because = next(block.value for block in app.markdown if "It gets" in block.value)
    assert f"It gets **{uncut[asked]:.3f}**" in because
    assert f"divided by √16 where each head divides by √{16 // h}" in because


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_preset_share_halves_the_cache_drops_a_quarter_and_makes_heads_alike(lang):
    app = open_screen("multi_head", lang)
    words = Words("multi_head", lang)
    apart = data(app, "apart", "cells")["value"].to_numpy().reshape(4, 4)
    before = [metric(app, words(f"figures.{name}")).value for name in ("cache", "parameters")]
    app.button(key="preset_share").click().run()
    shared = data(app, "apart", "cells")["value"].to_numpy().reshape(4, 4)
    after = [metric(app, words(f"figures.{name}")).value for name in ("cache", "parameters")]
    digits = [[int("".join(filter(str.isdigit, value))) for value in values] for values in (before, after)]
    assert digits[1][0] == digits[0][0] / 2
    assert digits[1][1] == digits[0][1] * 3 / 4
    assert shared[0, 1] < apart[0, 1]
    assert shared[2, 3] < apart[2, 3]


def test_as_in_the_paper_costs_the_parameters_of_one_head():
    values = [metric(open_screen("multi_head", d_model=512, h=h), "Parameters").value for h in (8, 1)]
    assert values[0] == values[1] == f"{4 * 512**2:,}"


def test_the_farthest_two_heads_are_told_as_well_as_the_closest():
    app = open_screen("multi_head")
    apart = data(app, "apart", "cells")["value"].to_numpy()
    assert f"{apart[apart > 1e-6].min():.2f} apart, the farthest {apart.max():.2f}" in alt(app, "apart")


def test_more_heads_are_narrower():
    table = grids(open_screen("multi_head"))[0]
    assert (np.diff(table["heads h"].astype(int)) > 0).all()
    assert (np.diff(table["d_k"].astype(int)) < 0).all()
    assert table["parameters"].nunique() == 1


def test_a_single_head_divides_by_the_root_of_d_model():
    divisor = metric(open_screen("multi_head", h=1), "Divisor")
    assert (divisor.value, divisor.bound) == ("√16 = 4", "one head: √d_k is √d_model")


def test_without_w_o_the_same_components_leave():
    app = open_screen("multi_head", w_o="false")
    np.testing.assert_array_equal(*(data(app, key, "components")["value"] for key in ("concat", "copied")))
