import warnings

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

from core.attention import attend, mix
from core.masks import causal
from tests.core.strategies import inputs, seeds, temperatures

inf, nan = np.inf, np.nan


@pytest.fixture(autouse=True)
def _warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def textbook(query, key, value, mask):
    """Attention spelled out one query at a time."""
    output = np.zeros((*query.shape[:-1], value.shape[-1]))
    for *batch, i in np.ndindex(query.shape[:-1]):
        batch = tuple(batch)
        seen = np.flatnonzero(mask[*batch, i])
        if seen.size:
            scores = [query[*batch, i] @ key[*batch, j] / query.shape[-1] ** 0.5 for j in seen]
            output[*batch, i] = scipy.special.softmax(scores) @ value[batch][seen]
    return output


def same(result, expected, **tolerance):
    for name in "scores", "weights", "output":
        np.testing.assert_allclose(getattr(result, name), getattr(expected, name), **tolerance)


@given(inputs())
def test_attention_is_the_textbook_formula_one_query_at_a_time(drawn):
    result = attend(*drawn.arrays, mask=drawn.mask)
    np.testing.assert_allclose(result.output, textbook(*drawn.arrays, drawn.mask), rtol=1e-9, atol=1e-12)
    assert result.scores.shape == result.weights.shape == (2, 3, 5)


def test_attention_on_paper():
    log2 = np.log(2)
    result = attend([[log2, 0, 0, 0]], [[2, 9, 9, 9], [4, 9, 9, 9], [0, 9, 9, 9]], [[7, 0], [0, 7], [70, 70]])
    np.testing.assert_allclose(result.scores, [[log2, 2 * log2, 0]])
    np.testing.assert_allclose(result.weights, [[2 / 7, 4 / 7, 1 / 7]])
    np.testing.assert_allclose(result.output, [[12, 14]])


@given(inputs())
def test_rows_sum_to_one_or_have_nothing_to_attend_to_and_then_no_output(drawn):
    result = attend(*drawn.arrays, mask=drawn.mask)
    seen = drawn.mask.any(axis=-1)
    np.testing.assert_allclose(result.weights.sum(axis=-1), seen, rtol=1e-12)
    assert (result.weights[~drawn.mask] == 0).all()
    assert (result.output[~seen] == 0).all()


@given(inputs(), st.sampled_from([nan, inf, -inf, 1e10, 1e300]), st.sampled_from(["key", "value", "both"]))
def test_a_blocked_key_never_changes_a_row(drawn, rubbish, where):
    clean = attend(*drawn.arrays, mask=drawn.mask)
    for j in range(5):
        key, value = drawn.key.copy(), drawn.value.copy()
        if where != "value":
            key[:, j] = rubbish
        if where != "key":
            value[:, j] = rubbish
        dirty = attend(drawn.query, key, value, mask=drawn.mask)
        blocked = ~drawn.mask[..., j]
        np.testing.assert_array_equal(dirty.weights[blocked], clean.weights[blocked])
        np.testing.assert_allclose(dirty.output[blocked], clean.output[blocked], rtol=1e-13, atol=1e-15)


@given(inputs(), st.sampled_from([nan, inf]))
def test_a_row_that_may_see_nan_says_so(drawn, rubbish):
    value = drawn.value.copy()
    value[:, 0, 2] = rubbish
    result = attend(drawn.query, drawn.key, value, mask=drawn.mask)
    seen = result.weights[..., 0] > 0
    np.testing.assert_array_equal(np.isfinite(result.output[..., 2]), ~seen)
    assert np.isfinite(np.delete(result.output, 2, axis=-1)).all()


def test_mixing_keeps_the_arithmetic_of_infinity():
    value = np.array([[inf, inf, -inf, nan, 1.0], [1.0, -inf, 1.0, 1.0, 1.0], [nan, nan, nan, nan, nan]])
    np.testing.assert_array_equal(mix(np.array([[0.5, 0.5, 0.0]]), value), [[inf, nan, -inf, nan, 1.0]])


@given(seeds)
def test_under_a_causal_mask_the_future_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(7, 5))
    before = attend(x, x, x, mask=causal(7)).output
    for now in range(6):
        changed = x.copy()
        changed[now + 1 :] = rng.normal(size=changed[now + 1 :].shape)
        after = attend(changed, changed, changed, mask=causal(7)).output
        np.testing.assert_allclose(after[: now + 1], before[: now + 1], rtol=1e-13)
        assert (np.abs(after[now + 1 :] - before[now + 1 :]) > 1e-9).any()


@given(inputs(), st.permutations(range(5)))
def test_shuffled_keys_and_values_give_the_same_output(drawn, order):
    result = attend(*drawn.arrays, mask=drawn.mask)
    shuffled = attend(drawn.query, drawn.key[:, order], drawn.value[:, order], mask=drawn.mask[..., order])
    np.testing.assert_allclose(shuffled.weights, result.weights[..., order], rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(shuffled.output, result.output, rtol=1e-11, atol=1e-13)


@given(inputs(), st.permutations(range(3)))
def test_shuffled_queries_give_the_shuffled_output(drawn, order):
    result = attend(*drawn.arrays, mask=drawn.mask)
    shuffled = attend(drawn.query[:, order], drawn.key, drawn.value, mask=drawn.mask[:, order])
    np.testing.assert_allclose(shuffled.output, result.output[:, order], rtol=1e-11, atol=1e-13)


@given(inputs())
def test_a_sample_does_not_depend_on_its_batch_mates(drawn):
    together = attend(*drawn.arrays, mask=drawn.mask)
    for b in range(2):
        alone = attend(*(array[b] for array in drawn.arrays), mask=drawn.mask[b])
        np.testing.assert_allclose(alone.output, together.output[b], rtol=1e-11, atol=1e-13)


@given(inputs())
def test_leading_axes_broadcast(drawn):
    result = attend(drawn.query[:, None], drawn.key[None], drawn.value, mask=drawn.mask[:1])
    assert result.weights.shape == (2, 2, 3, 5)
    for a, b in np.ndindex(2, 2):
        expected = attend(drawn.query[a], drawn.key[b], drawn.value[b], mask=drawn.mask[0])
        np.testing.assert_allclose(result.output[a, b], expected.output, rtol=1e-11, atol=1e-13)


@given(inputs(), st.floats(0.1, 3))
def test_a_scale_is_the_same_as_a_scaled_query(drawn, scale):
    scaled = attend(*drawn.arrays, scale=scale)
    same(scaled, attend(scale * drawn.query, drawn.key, drawn.value, scale=1), rtol=1e-10, atol=1e-11)


@given(inputs(), temperatures)
def test_temperature_and_scale_are_one_knob(drawn, temperature):
    hot = attend(*drawn.arrays, scale=1, temperature=temperature)
    scaled = attend(*drawn.arrays, scale=1 / temperature)
    np.testing.assert_allclose(hot.output, scaled.output, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(hot.scores, scaled.scores * temperature, rtol=1e-10)


@given(inputs(), seeds, temperatures)
def test_the_bias_is_added_before_the_temperature_divides(drawn, seed, temperature):
    bias = np.random.default_rng(seed).normal(size=(3, 5))
    result = attend(*drawn.arrays, bias=bias, temperature=temperature)
    plain = attend(*drawn.arrays)
    np.testing.assert_allclose(result.scores, plain.scores + bias, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        result.weights, scipy.special.softmax((plain.scores + bias) / temperature, axis=-1), rtol=1e-9, atol=1e-300
    )


@given(inputs())
def test_a_bias_of_minus_infinity_is_a_mask(drawn):
    biased = attend(*drawn.arrays, bias=np.where(drawn.mask, 0, -inf))
    masked = attend(*drawn.arrays, mask=drawn.mask)
    np.testing.assert_array_equal(biased.weights, masked.weights)
    np.testing.assert_array_equal(biased.output, masked.output)


@given(inputs(), st.floats(0.5, 5))
def test_softcap_bends_the_scaled_scores_before_the_bias(drawn, softcap):
    plain = attend(*drawn.arrays).scores
    capped = attend(*drawn.arrays, softcap=softcap, bias=np.full((3, 5), 100.0)).scores
    np.testing.assert_allclose(capped, softcap * np.tanh(plain / softcap) + 100, rtol=1e-12)
    assert (np.abs(capped - 100) <= softcap + 1e-12).all()


@given(inputs())
def test_the_mask_leaves_the_scores_as_they_were(drawn):
    np.testing.assert_array_equal(attend(*drawn.arrays, mask=drawn.mask).scores, attend(*drawn.arrays).scores)


@given(inputs())
def test_a_mask_of_all_true_changes_nothing(drawn):
    same(attend(*drawn.arrays, mask=np.ones((3, 5), bool)), attend(*drawn.arrays), rtol=0)


def test_true_means_may_attend():
    zeros = np.zeros((1, 2)), np.zeros((3, 2)), np.eye(3)
    assert attend(*zeros, mask=[False, False, True]).weights.tolist() == [[0, 0, 1]]
    assert attend(*zeros, mask=[True, True, False]).weights.tolist() == [[0.5, 0.5, 0]]


def test_an_empty_row_is_zero_not_even():
    result = attend(np.eye(2), np.eye(2), [[1, 2], [3, 4]], mask=[[True, False], [False, False]])
    assert result.weights.tolist() == [[1, 0], [0, 0]]
    assert result.output.tolist() == [[1, 2], [0, 0]]


def test_blocked_scores_are_chosen_away_not_multiplied():
    key = [[0.43], [-0.21], [0.99], [0.32], [-0.35], [0.04]]
    result = attend([[1]], key, np.eye(6), mask=[True] * 3 + [False] * 3)
    np.testing.assert_allclose(result.weights, [[0.3051, 0.1609, 0.5341, 0, 0, 0]], atol=5e-5)


def test_the_mask_comes_before_the_normalisation():
    result = attend([[1, 0], [0, 1]], [[0, 2], [1, 0]], np.eye(2), scale=1, mask=causal(2))
    np.testing.assert_allclose(result.weights, [[1, 0], [0.8808, 0.1192]], atol=5e-5)


@given(inputs(), st.sampled_from([0, inf]))
def test_the_limits_of_temperature_pick_the_best_keys_or_average_the_allowed(drawn, temperature):
    result = attend(*drawn.arrays, mask=drawn.mask, temperature=temperature)
    allowed = np.where(drawn.mask, result.scores, -inf)
    chosen = (allowed == allowed.max(axis=-1, keepdims=True)) & drawn.mask if temperature == 0 else drawn.mask
    expected = chosen / np.maximum(chosen.sum(axis=-1, keepdims=True), 1)
    np.testing.assert_allclose(result.weights, expected, rtol=1e-15)
    np.testing.assert_allclose(result.output, expected @ drawn.value, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e4, 1e154, 1e300])
def test_extreme_queries_neither_overflow_nor_warn(size):
    result = attend(np.full((3, 5), size), np.full((7, 5), size), np.eye(7), mask=causal(3, 7))
    np.testing.assert_allclose(result.weights, causal(3, 7) / causal(3, 7).sum(axis=1, keepdims=True), rtol=1e-15)


@given(inputs())
def test_single_precision_stays_single_and_close_to_double(drawn):
    single = [array.astype(np.float32) for array in drawn.arrays]
    low = attend(*single, mask=drawn.mask, bias=np.ones((3, 5), np.float32), softcap=50, temperature=2)
    high = attend(*(a.astype(float) for a in single), mask=drawn.mask, bias=np.ones((3, 5)), softcap=50, temperature=2)
    assert {low.scores.dtype, low.weights.dtype, low.output.dtype} == {np.dtype(np.float32)}
    same(low, high, rtol=2e-4, atol=1e-4)


def test_half_precision_is_computed_in_single_and_mixed_precision_in_the_wider():
    half, single, double = (np.ones((3, 3), dtype) for dtype in (np.float16, np.float32, np.float64))
    assert attend(half, half, half).output.dtype == np.float32
    assert attend(half, single, single).output.dtype == np.float32
    assert attend(single, double, single).output.dtype == np.float64
    assert attend([[1]], [[1]], [[1]]).output.dtype == np.float64


def test_the_inputs_are_left_alone():
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(5, 5)) for _ in range(4)]
    before = [array.copy() for array in arrays]
    attend(*arrays[:3], bias=arrays[3], mask=causal(5), scale=3, softcap=2, temperature=0.5)
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"key": np.ones((5, 6))}, ValueError, "key has d_k = 6 but query has d_k = 8"),
        ({"value": np.ones((4, 7))}, ValueError, "value has n_k = 4 but key has n_k = 5"),
        ({"value": np.ones(5)}, ValueError, r"value must be \(\.\.\., tokens, components\), but its shape is \(5,\)"),
        ({"mask": np.ones((3, 4), bool)}, ValueError, r"mask has shape \(3, 4\), which does not fit .* \(3, 5\)"),
        ({"mask": np.ones((3, 5))}, TypeError, "mask must be boolean .*, not float64; numbers .* go into bias"),
        ({"mask": np.ones((3, 5), int)}, TypeError, "mask must be boolean .*, not int64"),
        ({"bias": np.ones((5, 3))}, ValueError, r"bias has shape \(5, 3\), which does not fit .* \(3, 5\)"),
        ({"bias": np.ones((3, 5), bool)}, TypeError, "a boolean array goes into mask"),
        ({"softcap": 0}, ValueError, "softcap must be positive, not 0"),
        ({"softcap": -2}, ValueError, "softcap must be positive, not -2"),
        ({"temperature": -1}, ValueError, "temperature must be 0 or more, not -1"),
        ({"temperature": nan}, ValueError, "temperature must be 0 or more, not nan"),
    ],
)
def test_what_does_not_fit_is_named(change, error, message):
    arguments = {"query": np.ones((3, 8)), "key": np.ones((5, 8)), "value": np.ones((5, 7))}
    with pytest.raises(error, match=message):
        attend(**arguments | change)


@pytest.mark.parametrize("name", ["mask", "bias"])
def test_a_mask_or_bias_that_would_stretch_the_queries_is_refused(name):
    wide = np.ones((4, 5), bool) if name == "mask" else np.ones((4, 5))
    with pytest.raises(ValueError, match=rf"{name} has shape \(4, 5\), which does not fit scores of shape \(1, 5\)"):
        attend(np.ones((1, 8)), np.ones((5, 8)), np.ones((5, 7)), **{name: wide})
