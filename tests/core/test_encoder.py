import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.encoder import (
    cosine,
    encoder_layer,
    encoder_stack,
    feed_forward,
    layer_norm,
    rms_norm,
    root_mean_square,
    seeded_encoder_weights,
    token_similarity,
)
from core.masks import causal, padding
from core.multi_head import multi_head_attention
from tests.core.strategies import seeds

norms = st.sampled_from(["post", "pre", "none"])


def tokens(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def weights_with_every_number_drawn(seed):
    rng = np.random.default_rng(seed)
    weights = seeded_encoder_weights(6, 3, 11, rng=rng)
    return replace(
        weights,
        b_1=rng.normal(size=11),
        b_2=rng.normal(size=6),
        gain_1=rng.normal(size=6),
        bias_1=rng.normal(size=6),
        gain_2=rng.normal(size=6),
        bias_2=rng.normal(size=6),
    )


@given(seeds, st.floats(0.01, 100), st.floats(-100, 100))
def test_a_normalised_token_has_mean_zero_and_deviation_one(seed, size, offset):
    y = layer_norm(size * tokens(seed, 3, 7) + offset, eps=0)
    np.testing.assert_allclose(y.mean(axis=-1), 0, atol=1e-9)
    np.testing.assert_allclose(y.std(axis=-1), 1, rtol=1e-9)


def test_the_variance_of_layer_norm_divides_by_the_number_of_components():
    np.testing.assert_allclose(layer_norm([1, 0, 0, 0]), [1.7320, -0.5773, -0.5773, -0.5773], atol=5e-5)
    np.testing.assert_allclose(layer_norm([3, 5], eps=0), [-1, 1], rtol=1e-15)


def test_eps_stands_under_the_root():
    np.testing.assert_allclose(layer_norm([-1, 1], eps=3), [-0.5, 0.5], rtol=1e-15)
    np.testing.assert_allclose(rms_norm([-1, 1], eps=3), [-0.5, 0.5], rtol=1e-15)


def test_each_token_is_normalised_over_its_features():
    expected = [[-1.2247, 0, 1.2247], [-0.7071, -0.7071, 1.4142]]
    np.testing.assert_allclose(layer_norm([[1, 3, 5], [2, 2, 8]]), expected, atol=5e-5)


@given(seeds, st.sampled_from([layer_norm, rms_norm]))
def test_a_token_is_normalised_without_looking_at_the_others(seed, norm):
    x = tokens(seed, 2, 5, 6)
    changed = x.copy()
    changed[:, 1:] = 1e3
    np.testing.assert_array_equal(norm(changed)[:, 0], norm(x)[:, 0])


@given(seeds)
def test_rms_norm_sets_the_root_mean_square_and_keeps_the_direction(seed):
    x = tokens(seed, 5, 7)
    y = rms_norm(x, eps=0)
    np.testing.assert_allclose(np.sqrt(np.mean(y**2, axis=-1)), 1, rtol=1e-12)
    np.testing.assert_allclose(cosine(x, y), 1, rtol=1e-12)


@given(seeds)
def test_on_centred_tokens_the_two_normalisations_agree(seed):
    x = tokens(seed, 5, 7)
    x -= x.mean(axis=-1, keepdims=True)
    np.testing.assert_allclose(layer_norm(x), rms_norm(x), atol=1e-12)


@given(seeds)
def test_gain_and_bias_act_on_components(seed):
    x, (gain, bias) = tokens(seed, 5, 7), tokens(seed, 2, 7)
    np.testing.assert_allclose(layer_norm(x, gain=gain, bias=bias), layer_norm(x) * gain + bias, rtol=1e-12)
    np.testing.assert_allclose(rms_norm(x, gain=gain), rms_norm(x) * gain, rtol=1e-12)


@pytest.mark.parametrize("norm", [layer_norm, rms_norm])
def test_a_token_without_spread_becomes_zero_not_nan(norm):
    assert norm(np.zeros((2, 3)), eps=0).tolist() == [[0, 0, 0]] * 2
    assert layer_norm([7, 7, 7], eps=0).tolist() == [0, 0, 0]


@pytest.mark.parametrize("norm", [layer_norm, rms_norm])
def test_single_precision_stays_single(norm):
    x = tokens(0, 5, 7).astype(np.float32)
    assert norm(x, gain=np.ones(7, np.float32)).dtype == np.float32
    np.testing.assert_allclose(norm(x), norm(x.astype(float)), rtol=1e-5, atol=1e-6)
    assert norm(x.astype(np.float16)).dtype == np.float32


def test_the_feed_forward_network_on_paper():
    x, w_1, b_1, w_2, b_2 = [[1, 2], [0, -1]], [[1, 0, 2], [0, 1, -1]], [0, -3, 1], [[1], [10], [100]], [5]
    assert feed_forward(x, w_1, b_1, w_2, b_2).tolist() == [[1 + 0 + 100 + 5], [0 + 0 + 200 + 5]]


@pytest.mark.parametrize("h", [-3.0, -1.0, 0.0, 0.5, 2.0])
def test_gelu_uses_the_exact_normal_distribution(h):
    one = [[1.0]]
    result = feed_forward([[h]], one, [0], one, [0], activation="gelu").item()
    assert result == pytest.approx(h * (1 + math.erf(h / math.sqrt(2))) / 2, abs=1e-15)


@given(seeds, norms, st.sampled_from(["layer", "rms"]), st.booleans(), st.sampled_from(["relu", "gelu"]))
def test_every_step_of_a_layer_follows_from_the_one_before(seed, norm, kind, residual, activation):
    x, w = tokens(seed, 2, 5, 6), weights_with_every_number_drawn(seed)
    step = encoder_layer(x, w, n_heads=3, norm=norm, kind=kind, residual=residual, activation=activation)

    def normalise(y, gain, bias):
        return layer_norm(y, gain=gain, bias=bias) if kind == "layer" else rms_norm(y, gain=gain)

    def same(actual, expected):
        np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)

    same(step.attention_input, normalise(x, w.gain_1, w.bias_1) if norm == "pre" else x)
    heads = multi_head_attention(step.attention_input, step.attention_input, w.projections, 3)
    same(step.attention.output, heads.output)
    same(step.after_attention, step.attention.output + x * residual)
    stream = step.after_attention
    if norm == "post":
        stream = normalise(stream, w.gain_1, w.bias_1)
    same(step.normed, normalise(stream, w.gain_2, w.bias_2) if norm == "pre" else stream)
    same(step.feed_forward, feed_forward(step.normed, w.w_1, w.b_1, w.w_2, w.b_2, activation=activation))
    same(step.after_feed_forward, step.feed_forward + stream * residual)
    same(
        step.output,
        normalise(step.after_feed_forward, w.gain_2, w.bias_2) if norm == "post" else step.after_feed_forward,
    )


@given(seeds)
def test_post_norm_ends_normalised_and_pre_norm_does_not(seed):
    x, w = tokens(seed, 5, 6), seeded_encoder_weights(6, 3, 11, rng=seed)
    post = encoder_layer(x, w, n_heads=3).output
    pre = encoder_layer(x, w, n_heads=3, norm="pre").output
    np.testing.assert_allclose(post.mean(axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(post.std(axis=-1), 1, atol=1e-3)
    assert np.abs(pre.std(axis=-1) - 1).max() > 1e-2


@given(seeds, norms)
def test_shuffled_tokens_come_out_shuffled(seed, norm):
    x, w = tokens(seed, 7, 6), seeded_encoder_weights(6, 3, 11, rng=seed)
    order = np.random.default_rng(seed).permutation(7)
    shuffled = encoder_layer(x[order], w, n_heads=3, norm=norm).output
    np.testing.assert_allclose(shuffled, encoder_layer(x, w, n_heads=3, norm=norm).output[order], atol=1e-11)


@given(seeds, norms)
def test_a_masked_layer_does_not_see_the_future_nor_the_padding(seed, norm):
    x, w = tokens(seed, 2, 5, 6), seeded_encoder_weights(6, 3, 11, rng=seed)
    changed = x.copy()
    changed[:, 3:] = 9.0
    for mask in causal(5), padding([3, 3], 5):
        before = encoder_layer(x, w, n_heads=3, norm=norm, mask=mask).output[:, :3]
        after = encoder_layer(changed, w, n_heads=3, norm=norm, mask=mask).output[:, :3]
        np.testing.assert_allclose(after, before, rtol=1e-11, atol=1e-12)


@given(seeds, norms)
def test_a_stack_is_one_layer_after_another(seed, norm):
    x = tokens(seed, 5, 6)
    layers = [weights_with_every_number_drawn(seed + depth) for depth in range(3)]
    arguments = {"n_heads": 3, "norm": norm, "kind": "rms", "residual": False, "activation": "gelu", "mask": causal(5)}
    outputs = list(encoder_stack(x, iter(layers), **arguments))
    assert len(outputs) == 3
    for layer, output in zip(layers, outputs, strict=True):
        x = encoder_layer(x, layer, **arguments).output
        np.testing.assert_array_equal(output, x)


def test_without_the_residual_the_tokens_collapse_and_with_it_they_stay_apart():
    x = tokens(0, 11, 32)
    layers = [seeded_encoder_weights(32, 4, 64, rng=depth) for depth in range(12)]
    *_, with_sum = encoder_stack(x, layers, n_heads=4, norm="pre")
    *_, without = encoder_stack(x, layers, n_heads=4, norm="pre", residual=False)
    assert token_similarity(without) > 0.999
    assert token_similarity(with_sum) < 0.9


def test_seeded_weights_repeat_and_keep_the_scale():
    first, again = (seeded_encoder_weights(256, 4, 1024, rng=3) for _ in range(2))
    np.testing.assert_array_equal(first.w_2, again.w_2)
    answer = feed_forward(tokens(0, 300, 256), first.w_1, first.b_1, first.w_2, first.b_2)
    assert root_mean_square(answer) == pytest.approx(1, abs=0.03)


def test_the_scale_of_an_array_is_its_root_mean_square():
    assert root_mean_square([[3, 4], [0, 0]]) == 2.5


def test_cosines_on_paper():
    assert cosine([[3, 4], [1, 0], [0, 0]], [[3, 4], [0, 2], [1, 1]]) == pytest.approx([1, 0, 0])
    assert cosine([1, 1], [-2, -2]) == pytest.approx(-1)


@given(seeds, st.integers(2, 7))
def test_token_similarity_is_the_mean_cosine_over_pairs(seed, n):
    x = tokens(seed, 2, n, 5)
    for b in range(2):
        pairs = [cosine(x[b, i], x[b, j]) for i in range(n) for j in range(i)]
        assert token_similarity(x)[b] == pytest.approx(np.mean(pairs), abs=1e-12)


def test_similarity_is_one_for_parallel_tokens_and_undefined_for_a_single_one():
    assert token_similarity([[1, 2], [2, 4], [5, 10]]) == pytest.approx(1)
    assert np.isnan(token_similarity([[1, 2]]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, _: layer_norm(x, eps=-1e-5), "eps must be 0 or more, not -1e-05"),
        (lambda x, _: rms_norm(x, eps=np.nan), "eps must be 0 or more, not nan"),
        (lambda x, _: layer_norm(x, gain=np.ones(5)), r"gain has shape \(5,\) but x has 6 components"),
        (lambda x, _: layer_norm(x, bias=np.ones((5, 1))), r"bias has shape \(5, 1\) but x has 6 components"),
        (lambda x, w: encoder_layer(x, w, n_heads=3, norm="Pre"), 'norm must be "post", "pre" or "none", not \'Pre\''),
        (lambda x, w: encoder_layer(x, w, n_heads=3, kind="batch"), 'kind must be "layer" or "rms", not \'batch\''),
        (
            lambda x, w: encoder_layer(x, w, n_heads=3, activation="tanh"),
            'activation must be "relu" or "gelu", not \'tanh\'',
        ),
        (lambda x, w: encoder_layer(x, w, n_heads=4), "d_model = 6 is not divisible by n_heads = 4"),
        (lambda x, w: feed_forward(x, w.w_2, w.b_2, w.w_1, w.b_1), "w_1 has 11 rows but x has 6 components"),
        (lambda x, w: feed_forward(x, w.w_1, w.b_1, w.w_1, w.b_1), "w_2 has 6 rows but w_1 has 11 columns"),
    ],
)
def test_what_does_not_fit_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.ones((5, 6)), seeded_encoder_weights(6, 3, 11, rng=0))
