import numpy as np
import pytest
from hypothesis import given

from core.scores import additive, dot, general, scaled_dot
from tests.core.strategies import inputs, seeds


@given(inputs())
def test_each_score_is_one_query_times_one_key(drawn):
    scores = dot(drawn.query, drawn.key)
    assert scores.shape == (2, 3, 5)
    for b in range(2):
        for i in range(3):
            for j in range(5):
                assert scores[b, i, j] == pytest.approx(sum(drawn.query[b, i] * drawn.key[b, j]), abs=1e-12)


@given(inputs())
def test_the_scale_is_the_root_of_d_k_unless_given(drawn):
    d_k = drawn.query.shape[-1]
    np.testing.assert_allclose(scaled_dot(drawn.query, drawn.key) * d_k**0.5, dot(drawn.query, drawn.key), rtol=1e-14)
    np.testing.assert_allclose(
        scaled_dot(drawn.query, drawn.key, scale=0.25) * 4, dot(drawn.query, drawn.key), rtol=1e-14
    )


def test_four_ones_against_four_ones_score_two():
    ones = np.ones((1, 4))
    assert dot(ones, ones) == 4
    assert scaled_dot(ones, ones) == 2


def test_scaling_the_query_or_the_score_is_the_same():
    query = key = np.ones((1, 4))
    assert dot(query / 2, key) == dot(query, key) / 2 == 2


@given(seeds)
def test_the_scores_of_one_array_with_itself_are_symmetric(seed):
    x = np.random.default_rng(seed).normal(size=(7, 11))
    scores = scaled_dot(x, x)
    assert np.abs(scores - scores.T).max() == 0


def test_general_is_the_dot_product_after_a_projection():
    query, key, w = [[1, 2]], [[1, 0, 1], [0, 1, 0]], [[1, 2, 3], [4, 5, 6]]
    assert general(query, key, w).tolist() == [[9 + 15, 12]]


@given(inputs())
def test_general_with_the_identity_is_dot(drawn):
    np.testing.assert_allclose(
        general(drawn.query, drawn.key, np.eye(drawn.query.shape[-1])), dot(drawn.query, drawn.key), rtol=1e-14
    )


@pytest.mark.parametrize(("v", "expected"), [([1, 1], 2 * np.tanh(1)), ([1, -1], 0), ([0.5, 0.25], 0.75 * np.tanh(1))])
def test_additive_weighs_its_hidden_units_by_the_learned_vector(v, expected):
    assert additive([[1, 0]], [[0, 1]], np.eye(2), np.eye(2), v) == pytest.approx(expected)


@given(seeds)
def test_additive_is_a_network_applied_to_each_pair(seed):
    rng = np.random.default_rng(seed)
    query, key = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 7))
    w_query, w_key, v = rng.normal(size=(4, 11)), rng.normal(size=(7, 11)), rng.normal(size=11)
    scores = additive(query, key, w_query, w_key, v)
    assert scores.shape == (2, 3, 5)
    both = np.concatenate([w_query, w_key])
    for b, i, j in np.ndindex(scores.shape):
        hidden = np.tanh(np.concatenate([query[b, i], key[b, j]]) @ both)
        assert scores[b, i, j] == pytest.approx(hidden @ v)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dot(np.ones((3, 8)), np.ones((5, 6))), "key has d_k = 6 but query has d_k = 8"),
        (lambda: scaled_dot(np.ones((3, 8)), np.ones((5, 6))), "key has d_k = 6 but query has d_k = 8"),
        (lambda: scaled_dot(np.ones((3, 0)), np.ones((5, 0))), "query has d_k = 0"),
        (lambda: dot(np.ones(8), np.ones((5, 8))), r"query must be \(\.\.\., tokens, components\), .* \(8,\)"),
        (
            lambda: dot(np.ones((2, 3, 8)), np.ones((7, 5, 8))),
            r"leading axes do not broadcast: query \(2, 3, 8\), key \(7, 5, 8\)",
        ),
        (
            lambda: general(np.ones((3, 8)), np.ones((5, 6)), np.ones((6, 8))),
            r"w has shape \(6, 8\) but query and key need \(8, 6\)",
        ),
        (
            lambda: additive(np.ones((3, 8)), np.ones((5, 6)), np.ones((6, 2)), np.ones((6, 2)), np.ones(2)),
            r"w_query has shape \(6, 2\) but needs \(8, 2\)",
        ),
        (
            lambda: additive(np.ones((3, 8)), np.ones((5, 6)), np.ones((8, 2)), np.ones((6, 3)), np.ones(2)),
            r"w_key has shape \(6, 3\) but needs \(6, 2\)",
        ),
        (
            lambda: additive(np.ones((3, 8)), np.ones((5, 6)), np.ones((8, 2)), np.ones((6, 2)), np.ones((2, 1))),
            r"v has shape \(2, 1\) but needs \(2,\)",
        ),
    ],
)
def test_a_shape_that_does_not_fit_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
