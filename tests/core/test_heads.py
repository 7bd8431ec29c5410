import numpy as np
import pytest

from core.attention import attend
from core.examples import EXAMPLES
from core.heads import gaze_layer, separate_heads, share_key_heads
from core.multi_head import multi_head_attention, seeded_projections, split_heads

WORKED = [example for example in EXAMPLES if example.gazes]


@pytest.mark.parametrize("example", WORKED, ids=lambda example: f"{example.name}-{example.language}")
def test_cut_between_the_gazes_every_head_is_one_gaze(example):
    x, projections = gaze_layer(example, rng=1)
    heads = multi_head_attention(x, x, projections, len(example.gazes)).heads
    for i in range(len(example.gazes)):
        look = example.look(i)
        gaze = attend(look.query, look.key, look.value)
        np.testing.assert_array_equal(heads.scores[i], gaze.scores)
        np.testing.assert_allclose(heads.output[i], gaze.output)


def test_a_layer_of_four_gazes_is_square():
    x, projections = gaze_layer(WORKED[0], rng=1)
    assert x.shape == (len(WORKED[0].tokens), 16)
    assert [w.shape for w in (projections.w_q, projections.w_k, projections.w_v, projections.w_o)] == [(16, 16)] * 4
    assert projections.n_parameters == 4 * 16**2


def test_only_the_output_projection_is_drawn():
    (_, one), (_, two) = gaze_layer(WORKED[0], rng=1), gaze_layer(WORKED[0], rng=2)
    np.testing.assert_array_equal(one.w_q, two.w_q)
    assert not np.array_equal(one.w_o, two.w_o)


def test_a_sentence_without_gazes_is_named():
    with pytest.raises(ValueError, match="example 'cat' has no gazes"):
        gaze_layer(next(example for example in EXAMPLES if example.name == "cat"), rng=1)


def test_a_shared_key_head_is_the_mean_of_those_it_replaces():
    projections = seeded_projections(20, 4, rng=0)
    shared = share_key_heads(projections, 4, 2)
    x = np.random.default_rng(0).normal(size=(3, 20))
    keys, pooled = split_heads(x @ projections.w_k, 4), split_heads(x @ shared.w_k, 2)
    np.testing.assert_allclose(pooled, [(keys[0] + keys[1]) / 2, (keys[2] + keys[3]) / 2])
    np.testing.assert_array_equal(shared.w_q, projections.w_q)
    assert shared.w_v.shape == (20, 10)


def test_as_many_shared_heads_as_heads_change_nothing():
    projections = seeded_projections(12, 3, rng=0)
    np.testing.assert_array_equal(share_key_heads(projections, 3, 3).w_k, projections.w_k)


@pytest.mark.parametrize("n_kv_heads", [0, 3, 8])
def test_groups_that_do_not_come_out_even_are_named(n_kv_heads):
    with pytest.raises(ValueError, match=f"n_heads = 4 is not a multiple of n_kv_heads = {n_kv_heads}"):
        share_key_heads(seeded_projections(8, 4, rng=0), 4, n_kv_heads)


@pytest.mark.parametrize(("n_heads", "n_kv_heads"), [(1, 1), (3, 3), (6, 6), (6, 2), (6, 1)])
def test_one_projection_cut_in_heads_is_as_many_small_projections(n_heads, n_kv_heads):
    projections = seeded_projections(18, n_heads, n_kv_heads=n_kv_heads, rng=0)
    x = np.random.default_rng(0).normal(size=(2, 5, 18))
    cut = multi_head_attention(x, x, projections, n_heads, n_kv_heads=n_kv_heads).concat
    np.testing.assert_allclose(separate_heads(x, projections, n_heads, n_kv_heads=n_kv_heads), cut, atol=1e-13)
