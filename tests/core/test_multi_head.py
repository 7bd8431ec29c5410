import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.attention import attend
from core.masks import causal, padding
from core.multi_head import (
    Projections,
    merge_heads,
    multi_head_attention,
    seeded_projections,
    split_heads,
)
from tests.core.strategies import seeds


def drawn(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def identity(d):
    return Projections(np.eye(d), np.eye(d), np.eye(d), np.eye(d))


def test_the_first_head_is_the_first_components_of_every_token():
    heads = split_heads(np.arange(24).reshape(4, 6), 3)
    assert heads[0].tolist() == [[0, 1], [6, 7], [12, 13], [18, 19]]
    assert heads[2].tolist() == [[4, 5], [10, 11], [16, 17], [22, 23]]


def test_merged_heads_stand_side_by_side():
    assert merge_heads(np.arange(8).reshape(2, 2, 2)).tolist() == [[0, 1, 4, 5], [2, 3, 6, 7]]


@given(st.sampled_from([(7,), (2, 7), (3, 2, 7)]), st.sampled_from([1, 3, 5]), st.integers(1, 3))
def test_merge_inverts_split(leading, n_heads, d):
    (x,) = drawn(0, (*leading, n_heads * d))
    heads = split_heads(x, n_heads)
    assert heads.shape == (*leading[:-1], n_heads, 7, d)
    np.testing.assert_array_equal(merge_heads(heads), x)
    np.testing.assert_array_equal(split_heads(merge_heads(heads), n_heads), heads)


@given(seeds)
def test_one_head_is_plain_attention(seed):
    x, y = drawn(seed, (2, 3, 6), (2, 5, 6))
    p = seeded_projections(6, 1, rng=seed)
    result = multi_head_attention(x, y, p, 1)
    plain = attend(x @ p.w_q, y @ p.w_k, y @ p.w_v)
    np.testing.assert_allclose(result.heads.weights[:, 0], plain.weights, rtol=1e-12)
    np.testing.assert_allclose(result.output, plain.output @ p.w_o, rtol=1e-11, atol=1e-13)


@given(seeds, st.sampled_from([2, 3, 6]))
def test_heads_are_small_attentions_each_in_its_own_columns(seed, n_heads):
    x, y = drawn(seed, (2, 3, 6), (2, 5, 6))
    p = seeded_projections(6, n_heads, rng=seed)
    result = multi_head_attention(x, y, p, n_heads)
    d_k = 6 // n_heads
    summed = 0
    for h in range(n_heads):
        columns = slice(h * d_k, (h + 1) * d_k)
        head = attend(x @ p.w_q[:, columns], y @ p.w_k[:, columns], y @ p.w_v[:, columns])
        np.testing.assert_allclose(result.heads.weights[:, h], head.weights, rtol=1e-11)
        summed = summed + head.output @ p.w_o[columns]
    np.testing.assert_allclose(result.output, summed, rtol=1e-10, atol=1e-12)


def test_every_step_is_kept_with_its_own_shape():
    x, y = drawn(0, (2, 3, 22), (2, 5, 22))
    result = multi_head_attention(x, y, seeded_projections(22, 11, rng=0), 11)
    assert result.query.shape == (2, 11, 3, 2)
    assert result.key.shape == result.value.shape == (2, 11, 5, 2)
    assert result.heads.scores.shape == result.heads.weights.shape == (2, 11, 3, 5)
    assert result.heads.output.shape == (2, 11, 3, 2)
    assert result.concat.shape == result.output.shape == (2, 3, 22)


def test_the_score_of_a_head_is_scaled_by_its_own_width():
    ones = np.ones((1, 512))
    result = multi_head_attention(ones, ones, identity(512), 8)
    np.testing.assert_allclose(result.heads.scores, 64 / 8)


def test_the_output_projection_is_applied():
    swap = Projections(np.eye(2), np.eye(2), np.eye(2), np.array([[0.0, 1.0], [1.0, 0.0]]))
    result = multi_head_attention([[1, 2]], [[1, 2]], swap, 2)
    assert result.concat.tolist() == [[1, 2]]
    assert result.output.tolist() == [[2, 1]]


def test_the_identity_as_output_projection_changes_nothing():
    (x,) = drawn(0, (5, 6))
    result = multi_head_attention(x, x, identity(6), 3)
    np.testing.assert_array_equal(result.output, result.concat)


@given(seeds)
def test_biases_are_added_to_the_projections(seed):
    x, y, b_q, b_k, b_v, b_o = drawn(seed, (3, 6), (5, 6), 6, 6, 6, 6)
    p = seeded_projections(6, 2, rng=seed)
    with_biases = Projections(p.w_q, p.w_k, p.w_v, p.w_o, b_q, b_k, b_v, b_o)
    result = multi_head_attention(x, y, with_biases, 2)
    np.testing.assert_allclose(merge_heads(result.query), x @ p.w_q + b_q)
    np.testing.assert_allclose(merge_heads(result.key), y @ p.w_k + b_k)
    np.testing.assert_allclose(merge_heads(result.value), y @ p.w_v + b_v)
    np.testing.assert_allclose(result.output, result.concat @ p.w_o + b_o)


@given(seeds, st.sampled_from([1, 2, 3, 6]))
def test_grouped_heads_are_neighbours_that_share_a_key_head(seed, n_kv_heads):
    x, y = drawn(seed, (2, 3, 12), (2, 5, 12))
    p = seeded_projections(12, 6, n_kv_heads=n_kv_heads, rng=seed)
    grouped = multi_head_attention(x, y, p, 6, n_kv_heads=n_kv_heads)
    assert grouped.key.shape == grouped.value.shape == (2, n_kv_heads, 5, 2)
    for h in range(6):
        shared = h // (6 // n_kv_heads)
        head = attend(grouped.query[:, h], grouped.key[:, shared], grouped.value[:, shared])
        np.testing.assert_allclose(grouped.heads.output[:, h], head.output, rtol=1e-11, atol=1e-13)


def test_four_heads_on_two_read_zero_zero_one_one():
    key_head = np.array([[10.0, 20.0]])  # one token whose two value heads hold 10 and 20
    p = Projections(np.ones((2, 4)), np.ones((2, 2)), np.eye(2), np.eye(4))
    assert multi_head_attention(key_head, key_head, p, 4, n_kv_heads=2).output.tolist() == [[10, 10, 20, 20]]


@given(seeds)
def test_a_text_does_not_depend_on_its_batch_mates_nor_on_their_lengths(seed):
    (x,) = drawn(seed, (2, 5, 6))
    p = seeded_projections(6, 2, rng=seed)
    together = multi_head_attention(x, x, p, 2, mask=padding([5, 3], 5))
    for b, length in enumerate([5, 3]):
        alone = multi_head_attention(x[b, :length], x[b, :length], p, 2)
        np.testing.assert_allclose(together.output[b, :length], alone.output, rtol=1e-11, atol=1e-13)


def test_a_mask_for_each_text_holds_for_all_its_heads():
    x = np.zeros((2, 3, 4))
    weights = multi_head_attention(x, x, identity(4), 2, mask=padding([1, 2], 3)).heads.weights
    assert weights[:, :, 0].tolist() == [[[1, 0, 0], [1, 0, 0]], [[0.5, 0.5, 0], [0.5, 0.5, 0]]]


@pytest.mark.parametrize("leading", [(), (2,), (3, 2)])
def test_a_mask_with_an_axis_more_than_the_input_is_one_for_each_head(leading):
    x = np.zeros((*leading, 3, 4))
    mask = np.stack([causal(3), np.eye(3, dtype=bool)])
    weights = multi_head_attention(x, x, identity(4), 2, mask=np.broadcast_to(mask, (*leading, 2, 3, 3))).heads.weights
    expected = mask / mask.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(weights, np.broadcast_to(expected, (*leading, 2, 3, 3)))


@given(seeds)
def test_a_bias_finds_its_head_and_batch_like_a_mask(seed):
    x, each_text, each_head, each_key = drawn(seed, (2, 5, 6), (2, 5, 5), (2, 3, 5, 5), 5)
    p = seeded_projections(6, 3, rng=seed)
    plain = multi_head_attention(x, x, p, 3).heads.scores
    for bias, expected in ((each_text, each_text[:, None]), (each_head, each_head), (each_key, each_key)):
        biased = multi_head_attention(x, x, p, 3, bias=bias).heads.scores
        np.testing.assert_allclose(biased, plain + expected, rtol=1e-12, atol=1e-12)


@given(seeds)
def test_shuffled_tokens_give_the_shuffled_output(seed):
    (x,) = drawn(seed, (7, 6))
    order = np.random.default_rng(seed).permutation(7)
    p = seeded_projections(6, 3, rng=seed)
    np.testing.assert_allclose(
        multi_head_attention(x[order], x[order], p, 3).output,
        multi_head_attention(x, x, p, 3).output[order],
        atol=1e-13,
    )


@given(seeds)
def test_the_arguments_of_attend_reach_every_head(seed):
    (x,) = drawn(seed, (5, 6))
    p = seeded_projections(6, 3, rng=seed)
    arguments = {"scale": 0.7, "temperature": 2.0, "softcap": 1.5, "mask": causal(5), "bias": np.eye(5)}
    result = multi_head_attention(x, x, p, 3, **arguments)
    heads = attend(result.query, result.key, result.value, **arguments)
    np.testing.assert_array_equal(result.heads.weights, heads.weights)
    np.testing.assert_array_equal(result.heads.scores, heads.scores)


@pytest.mark.parametrize("n_heads", [1, 2, 4, 8])
def test_the_number_of_parameters_does_not_depend_on_the_heads(n_heads):
    assert seeded_projections(8, n_heads, rng=0).n_parameters == 4 * 8 * 8


def test_shared_key_heads_and_biases_count():
    assert seeded_projections(8, 4, n_kv_heads=2, rng=0).n_parameters == 2 * 8 * 8 + 2 * 8 * 4
    p = identity(3)
    assert Projections(p.w_q, p.w_k, p.w_v, p.w_o, b_q=np.ones(3), b_o=np.ones(3)).n_parameters == 36 + 6


def test_seeded_projections_repeat_and_keep_unit_variance():
    first, again = (seeded_projections(256, 4, rng=7) for _ in range(2))
    np.testing.assert_array_equal(first.w_q, again.w_q)
    assert not np.array_equal(first.w_q, first.w_k)
    (x,) = drawn(0, (300, 256))
    for w in first.w_q, first.w_k, first.w_v, first.w_o:
        assert np.var(x @ w) == pytest.approx(1, abs=0.03)


def test_single_precision_stays_single():
    x = np.ones((3, 4), np.float32)
    single = Projections(*(np.eye(4, dtype=np.float32) for _ in range(4)))
    result = multi_head_attention(x, x, single, 2)
    assert {result.query.dtype, result.heads.weights.dtype, result.output.dtype} == {np.dtype(np.float32)}


def change(name, shape):
    return Projections(**vars(identity(6)) | {name: np.ones(shape)})


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: split_heads(np.resize(x, (4, 10)), 3), ValueError, "d_model = 10 is not divisible by n_heads = 3"),
        (lambda x: split_heads(x, 0), ValueError, "d_model = 6 is not divisible by n_heads = 0"),
        (lambda x: multi_head_attention(x, x, identity(6), 4), ValueError, "6 is not divisible by n_heads = 4"),
        (
            lambda x: multi_head_attention(x, x, identity(6), 3, n_kv_heads=2),
            ValueError,
            "n_heads = 3 is not a multiple of n_kv_heads = 2",
        ),
        (
            lambda x: multi_head_attention(x, x, change("w_q", (5, 6)), 3),
            ValueError,
            "w_q has 5 rows but query_input has 6 components",
        ),
        (
            lambda x: multi_head_attention(x, x, change("w_k", (5, 6)), 3),
            ValueError,
            "w_k has 5 rows but key_input has 6 components",
        ),
        (
            lambda x: multi_head_attention(x, x, change("w_o", (5, 6)), 3),
            ValueError,
            "w_o has 5 rows but concat has 6 components",
        ),
        (
            lambda x: multi_head_attention(x, x, change("w_k", (6, 12)), 3),
            ValueError,
            "key has d_k = 4 but query has d_k = 2",
        ),
        (
            lambda x: multi_head_attention(x, x, change("b_v", (5,)), 3),
            ValueError,
            r"b_v has shape \(5,\) but w_v has 6 columns",
        ),
        (
            lambda x: multi_head_attention(x[0], x, identity(6), 3),
            ValueError,
            r"query_input must be \(\.\.\., tokens, components\), but its shape is \(6,\)",
        ),
        (
            lambda x: multi_head_attention(x, x, identity(6), 3, mask=np.ones((2, 3, 5, 5), bool)),
            ValueError,
            r"mask has shape \(2, 3, 5, 5\), more axes than \(\.\.\., n_heads, n_q, n_k\)",
        ),
        (
            lambda x: multi_head_attention(x, x, identity(6), 3, mask=np.ones((5, 5))),
            TypeError,
            "mask must be boolean",
        ),
    ],
)
def test_what_does_not_fit_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call(np.ones((5, 6)))


def test_projections_whose_heads_do_not_divide_are_not_drawn():
    with pytest.raises(ValueError, match="d_model = 10 is not divisible by n_heads = 3"):
        seeded_projections(10, 3, rng=0)
    with pytest.raises(ValueError, match="n_heads = 4 is not a multiple of n_kv_heads = 3"):
        seeded_projections(8, 4, n_kv_heads=3, rng=0)
