"""What several heads buy, held against attention written out head by head."""

import re

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.special import softmax
from scipy.stats import entropy

from core import examples
from core.tokens import embed
from tests.pages.app import alt, assert_no_exception, cards, data, open_screen, run_program, shown_map, spec

TIRED = examples.find(examples.TWINS[0]["en"])
SEEDED = "one two three four five"


def hand_set_layer(example=TIRED):
    """X, W_Q, W_K, W_V of the worked sentence, filled up with zeros to d_model = 16."""
    x = np.zeros((len(example.tokens), 16))
    x[:, : len(example.axes)] = example.features
    projections = np.zeros((3, 16, 16))
    for i, gaze in enumerate(example.gazes):
        for role, w in enumerate((gaze.w_q, gaze.w_k, gaze.w_v)):
            projections[role, : len(example.axes), 4 * i : 4 * i + 4] = w
    return x, *projections


def seeded_layer(tokens, d_model, seed=1):
    rng = np.random.default_rng(seed)
    return embed(tokens, d_model, seed=seed), *(rng.normal(0, d_model**-0.5, (d_model, d_model)) for _ in range(3))


def weights_of(x, w_q, w_k, h):
    d_k = w_q.shape[1] // h
    maps = []
    for i in range(h):
        columns = slice(i * d_k, (i + 1) * d_k)
        scores = (x @ w_q[:, columns]) @ (x @ w_k[:, columns]).T
        maps.append(softmax(scores / np.sqrt(d_k), axis=-1))
    return np.array(maps)


def entropy_of(weights):
    return entropy(weights, axis=-1).mean(axis=-1)


def metric(app, label):
    return next(figure for figure in cards(app) if label in figure.label)


def shown_maps(app, n):
    return data(app, "heads", "panels")["value"].to_numpy().reshape(-1, n, n)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_first_visit_shows_four_hand_set_heads_and_their_average(lang):
    example = examples.find(examples.TWINS[0][lang])
    app = open_screen("multi_head", lang)
    x, w_q, w_k, _ = hand_set_layer(example)
    expected = weights_of(x, w_q, w_k, 4)
    maps = shown_maps(app, len(example.tokens))
    np.testing.assert_allclose(maps[:4], expected, atol=1e-6)
    np.testing.assert_allclose(maps[4], expected.mean(axis=0), atol=1e-6)
    assert shown_map(app, "heads").told["picked"] == 4


@pytest.mark.parametrize("h", [1, 2, 4, 8, 16])
def test_every_way_to_cut_uses_the_same_matrices(h):
    x, w_q, w_k, _ = hand_set_layer()
    app = open_screen("multi_head", h=h)
    np.testing.assert_allclose(shown_maps(app, 11)[:h], weights_of(x, w_q, w_k, h), atol=1e-6)
    assert metric(app, "Parameters").value == "1,024"
    assert metric(app, "Divisor").value == f"√{16 // h} = {(16 / h) ** 0.5:.4g}"
    assert float(metric(app, "Cut in h").value) < 1e-12


@pytest.mark.parametrize(("d_model", "h"), [(8, 8), (10, 5), (12, 6), (96, 12), (512, 8), (512, 16)])
def test_own_text_is_attended_by_seeded_heads(d_model, h):
    app = open_screen("multi_head", text=SEEDED, d_model=d_model, h=h)
    x, w_q, w_k, _ = seeded_layer(SEEDED.split(), d_model)
    np.testing.assert_allclose(shown_maps(app, 5)[:h], weights_of(x, w_q, w_k, h), atol=1e-5)
    assert metric(app, "Parameters").value == f"{4 * d_model**2:,}"
    assert "Random projections" in " ".join(caption.value for caption in app.caption)


def test_scores_are_divided_by_the_root_of_the_width_of_a_head():
    divisor = metric(open_screen("multi_head", d_model=512, h=8), "Divisor")
    assert divisor.value == "√64 = 8"
    assert divisor.bound == "d_k = d_model/h; not √512 = 22.63"


@pytest.mark.parametrize("seed", [1, 9999])
def test_the_average_is_never_sharper_than_the_heads_are_on_average(seed):
    app = open_screen("multi_head", text=SEEDED, d_model=64, h=8, seed=seed)
    x, w_q, w_k, _ = seeded_layer(SEEDED.split(), 64, seed)
    weights = weights_of(x, w_q, w_k, 8)
    bars = data(app, "entropies", "amounts")["value"]
    np.testing.assert_allclose(bars[:8], entropy_of(weights), atol=1e-6)
    assert bars[8] == pytest.approx(entropy_of(weights).mean())
    assert bars[9] == pytest.approx(entropy_of(weights.mean(axis=0)))
    assert bars[8] <= bars[9] <= min(bars[8] + np.log(8), np.log(5))


def test_the_distance_between_heads_is_scipys():
    app = open_screen("multi_head")
    x, w_q, w_k, _ = hand_set_layer()
    weights = weights_of(x, w_q, w_k, 4)
    shown = data(app, "apart", "cells")["value"].to_numpy().reshape(4, 4)
    for i in range(4):
        for j in range(i):
            assert shown[i, j] == pytest.approx(jensenshannon(weights[i], weights[j], base=2, axis=1).mean(), abs=1e-6)
            assert shown[j, i] == shown[i, j]
    np.testing.assert_allclose(shown.diagonal(), 0, atol=1e-6)
    assert f"the closest two are {shown[np.tril_indices(4, -1)].min():.2f} apart" in alt(app, "apart")


def test_without_w_o_the_layer_gives_the_heads_side_by_side():
    app = open_screen("multi_head", w_o="false")
    x, w_q, w_k, w_v = hand_set_layer()
    value = x @ w_v
    concat = [head @ value[:, 4 * i : 4 * i + 4] for i, head in enumerate(weights_of(x, w_q, w_k, 4))]
    it = TIRED.focus
    expected = np.concatenate([head[it] for head in concat])
    np.testing.assert_allclose(data(app, "concat", "components")["value"], expected, atol=1e-6)
    np.testing.assert_allclose(data(app, "copied", "components")["value"], expected, atol=1e-6)


def test_w_o_mixes_all_heads_into_every_component():
    app = open_screen("multi_head", text=SEEDED, d_model=12, h=3, query="three")
    w_o = np.random.default_rng(1).normal(0, 12**-0.5, (4, 12, 12))[3]
    concat = data(app, "concat", "components")["value"].to_numpy()
    np.testing.assert_allclose(data(app, "output", "components")["value"], concat @ w_o, atol=1e-5)


@pytest.mark.parametrize(("kv", "read"), [(2, "1, 1, 2, 2** (as indices: 0, 0, 1, 1)"), (1, "1, 1, 1, 1**")])
def test_grouped_queries_share_neighbouring_keys_and_shrink_matrices_and_cache(kv, read):
    app = open_screen("multi_head", gqa="true", kv=kv)
    assert any(read in text.value for text in app.markdown)
    assert metric(app, "Parameters").value == str(2 * 16**2 + 2 * 16 * kv * 4)
    assert metric(app, "KV cache").value == f"{2 * kv * 4} numbers"
    x, w_q, w_k, _ = hand_set_layer()
    pooled = w_k.reshape(16, kv, 4 // kv, 4).mean(axis=2, keepdims=True)
    shared = np.broadcast_to(pooled, (16, kv, 4 // kv, 4)).reshape(16, 16)
    np.testing.assert_allclose(shown_maps(app, 11)[:4], weights_of(x, w_q, shared, 4), atol=1e-6)
    assert float(metric(app, "Cut in h").value) < 1e-12


def test_a_single_head_has_nobody_to_share_with():
    app = open_screen("multi_head", h=1, gqa="true")
    assert metric(app, "Parameters").value == "1,024"
    assert metric(app, "KV cache").value == "32 numbers"
    assert data(app, "apart", "cells")["value"].tolist() == [0]


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize(("d_model", "h", "kept"), [(10, 3, 9), (16, 5, 15), (8, 16, 0)])
def test_heads_that_do_not_divide_are_refused_by_both_numbers(lang, d_model, h, kept):
    app = open_screen("multi_head", lang, d_model=d_model, h=h)
    (refusal,) = app.error
    for number in (f"d_model = {d_model}", f"h = {h}", str(kept), str(d_model - kept)):
        assert number in refusal.value
    dividing = [int(k) for k in re.findall(r"\d+", refusal.value.split(":")[-1])]
    assert dividing == [k for k in (1, 2, 3, 4, 5, 6, 8, 10, 12, 16) if d_model % k == 0]
    assert not cards(app)


def test_a_sentence_too_long_is_refused_and_the_longest_is_shown_by_sixteen_heads():
    (refusal,) = open_screen("multi_head", text=" ".join(f"w{i}" for i in range(45)), h=1).error
    assert "45 words" in refusal.value
    app = open_screen("multi_head", text=" ".join(f"w{i}" for i in range(44)), d_model=64, h=16)
    assert shown_map(app, "heads").numbers.shape == (17, 44, 44)


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize(
    "link",
    [
        {"text": "alone"},
        {"text": "alone", "h": 16, "gqa": "true", "kv": 8},
        {"text": " ".join(f"w{i}" for i in range(44)), "d_model": 512},
        {"text": "$a$ *b* <s> [x](y) `z`", "d_model": 8, "h": 8, "w_o": "false"},
        {"text": "the the the", "seed": 9999, "d_model": 512, "h": 16},
    ],
)
def test_extremes_show_finite_numbers(lang, link):
    app = open_screen("multi_head", lang, **link)
    assert not app.error
    for key, name in (("heads", "panels"), ("rows", "cells"), ("entropies", "amounts"), ("apart", "cells")):
        assert np.isfinite(data(app, key, name)["value"]).all()


def test_the_two_film_sentences_have_two_hand_set_heads_at_eight_components():
    app = open_screen("multi_head", text="It was a sad film", d_model=8, h=2)
    assert "reads the feeling axis alone" in " ".join(caption.value for caption in app.caption)
    other = open_screen("multi_head", text="It was a sad film")
    assert "At d_model = 8" in " ".join(caption.value for caption in other.caption)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_preset_one_head_for_everything_does_what_it_says(lang):
    app = open_screen("multi_head", lang)
    example = examples.find(examples.TWINS[0][lang])
    animal = next(i for i, token in enumerate(example.tokens) if token in ("animal", "동물이"))
    before = shown_maps(app, len(example.tokens))[0, example.focus]
    app.button(key="preset_uncut").click().run()
    row = shown_maps(app, len(example.tokens))[0, example.focus]
    assert row.argmax() == example.focus  # mostly at itself
    assert before.argmax() == animal
    assert row[animal] < before[animal] / 2
    assert app.info


def test_the_preset_share_the_keys_does_what_it_says():
    app = open_screen("multi_head")
    apart = data(app, "apart", "cells")["value"].to_numpy().reshape(4, 4)
    app.button(key="preset_share").click().run()
    shared = data(app, "apart", "cells")["value"].to_numpy().reshape(4, 4)
    assert metric(app, "KV cache").value == "16 numbers"  # half of 32
    assert metric(app, "Parameters").value == "768"  # a quarter less than 1,024
    assert shared[0, 1] < apart[0, 1]
    assert shared[2, 3] < apart[2, 3]
    assert app.info


def test_the_preset_as_in_the_paper_does_what_it_says():
    app = open_screen("multi_head")
    app.button(key="preset_paper").click().run()
    assert_no_exception(app)
    assert metric(app, "Divisor").value == "√64 = 8"
    assert f"{512**0.5:.1f}" == "22.6"
    assert metric(app, "Parameters").value == f"{4 * 512**2:,}"
    assert app.info


def test_the_predicted_weight_is_that_of_the_same_matrices_not_cut():
    app = open_screen("multi_head")
    x, w_q, w_k, _ = hand_set_layer()
    (uncut,) = weights_of(x, w_q, w_k, 1)
    # Uncut, a score is the sum of what the heads scored.
    sums = sum((x @ w_q[:, c : c + 4]) @ (x @ w_k[:, c : c + 4]).T for c in (0, 4, 8, 12))
    np.testing.assert_allclose(uncut, softmax(sums / 4, axis=-1))
    app.button(key="predict_show").click().run()
    answer = uncut[TIRED.focus, TIRED.tokens.index("animal")]
    assert any(f"It gets **{answer:.3f}**" in text.value for text in app.markdown)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_alternative_texts_say_what_the_charts_show(lang):
    app = open_screen("multi_head", lang)
    bars = data(app, "entropies", "amounts")["value"]
    for key in ("heads", "entropies"):
        assert f"{bars[4]:.2f}" in alt(app, key)
        assert f"{bars[5]:.2f}" in alt(app, key)
    row = data(app, "rows", "cells")["value"].to_numpy()[: 11 if lang == "en" else 9]
    assert f"{row.max():.2f}" in alt(app, "rows")


def test_the_charts_stay_while_the_numbers_change():
    one, two = (open_screen("multi_head", text=SEEDED, seed=seed) for seed in (1, 2))
    for key in ("entropies", "concat", "output"):
        specs = [spec(app, key) for app in (one, two)]
        for described in specs:
            described.pop("description", None)
        assert specs[0] == specs[1]


@pytest.mark.parametrize(
    "link",
    [
        {},
        {"gqa": "true", "kv": 2, "w_o": "false"},
        {"lang": "ko", "h": 2},
        {"text": 'it\'s "$x$" naïve', "d_model": 12, "h": 6, "gqa": "true", "kv": 3, "seed": 7},
    ],
)
def test_the_program_prints_what_is_shown(link):
    app = open_screen("multi_head", **link)
    printed = run_program(app)
    bars = data(app, "entropies", "amounts")["value"].to_numpy()
    lines = dict(line.split(": ") for line in re.sub(r"\n +", " ", printed).strip().splitlines())
    numbers = {name: [float(value) for value in line.strip("[]").split()] for name, line in lines.items()}
    np.testing.assert_allclose(numbers["entropy of each head"], bars[:-2], atol=6e-4)
    assert numbers["average of the entropies"][0] == pytest.approx(bars[-2], abs=6e-4)
    assert numbers["entropy of the average"][0] == pytest.approx(bars[-1], abs=6e-4)
    output = data(app, "copied" if link.get("w_o") else "output", "components")["value"]
    np.testing.assert_allclose(list(numbers.values())[-1], output, atol=6e-4)
