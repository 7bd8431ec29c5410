import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.attention import attend
from core.masks import causal, combine, padding, prefix, window
from core.softmax import softmax
from tests.core.strategies import sizes

aligns = st.sampled_from(["top-left", "bottom-right"])


@given(sizes, sizes, aligns)
def test_a_causal_query_sees_itself_and_what_came_before(n_q, n_k, align):
    mask = causal(n_q, n_k, align=align)
    assert mask.shape == (n_q, n_k)
    assert mask.dtype == bool
    for i, j in np.ndindex(n_q, n_k):
        last = i if align == "top-left" else i + n_k - n_q
        assert mask[i, j] == (j <= last)


@pytest.mark.parametrize(
    ("n_q", "n_k", "align", "weights", "output"),
    [
        (1, 4, "top-left", [[1, 0, 0, 0]], [[0]]),
        (1, 4, "bottom-right", [[0.25, 0.25, 0.25, 0.25]], [[1.5]]),
        (4, 2, "bottom-right", [[0, 0], [0, 0], [1, 0], [0.5, 0.5]], [[0], [0], [0], [0.5]]),
    ],
)
def test_the_corner_of_a_rectangular_causal_mask_is_a_choice(n_q, n_k, align, weights, output):
    value = np.arange(n_k)[:, None]
    result = attend(np.zeros((n_q, 1)), np.zeros((n_k, 1)), value, mask=causal(n_q, n_k, align=align))
    assert result.weights.tolist() == weights
    assert result.output.tolist() == output


@given(sizes)
def test_a_square_causal_mask_has_one_corner_choice_and_only_the_first_key_in_its_first_row(n):
    np.testing.assert_array_equal(causal(n, align="top-left"), causal(n, align="bottom-right"))
    np.testing.assert_array_equal(causal(n), causal(n, n))
    assert causal(n).sum(axis=1).tolist() == list(range(1, n + 1))


@given(sizes, sizes, st.none() | st.integers(0, 10), st.none() | st.integers(0, 10), aligns)
def test_a_window_counts_neighbours_besides_the_token_itself(n_q, n_k, left, right, align):
    mask = window(n_q, n_k, left=left, right=right, align=align)
    assert mask.shape == (n_q, n_k)
    for i, j in np.ndindex(n_q, n_k):
        own = i if align == "top-left" else i + n_k - n_q
        before, after = max(own - j, 0), max(j - own, 0)
        assert mask[i, j] == ((left is None or before <= left) and (right is None or after <= right))


def test_two_neighbours_to_the_left_show_three_keys():
    assert np.flatnonzero(window(5, left=2)[-1]).tolist() == [2, 3, 4]
    assert np.flatnonzero(window(5, left=3)[-1]).tolist() == [1, 2, 3, 4]


@given(st.integers(1, 12), st.integers(0, 4))
def test_a_window_on_both_sides_shows_two_wings_and_the_token(n, wing):
    widths = window(n, left=wing, right=wing).sum(axis=1)
    assert widths.tolist() == [min(i, wing) + 1 + min(n - 1 - i, wing) for i in range(n)]


@given(sizes, sizes, aligns)
def test_a_window_without_a_left_limit_is_causal_and_without_limits_is_open(n_q, n_k, align):
    np.testing.assert_array_equal(window(n_q, n_k, left=None, align=align), causal(n_q, n_k, align=align))
    assert window(n_q, n_k, left=None, right=None).all()


@given(st.lists(st.integers(0, 7), min_size=1, max_size=5))
def test_padding_shows_as_many_keys_as_the_text_has(lengths):
    mask = padding(lengths, 7)
    assert mask.shape == (len(lengths), 1, 7)
    for length, row in zip(lengths, mask[:, 0], strict=True):
        assert row.tolist() == [True] * length + [False] * (7 - length)


def test_padding_of_one_text_broadcasts_over_its_queries():
    assert padding(2, 3).tolist() == [[True, True, False]]
    assert softmax(np.ones((2, 3)), mask=padding(2, 3)).tolist() == [[0.5, 0.5, 0], [0.5, 0.5, 0]]


@given(sizes, st.data())
def test_a_prefix_is_open_to_all_and_the_rest_is_causal(n, data):
    length = data.draw(st.integers(0, n))
    mask = prefix(n, length)
    for i, j in np.ndindex(n, n):
        assert mask[i, j] == (j < length or j <= i)


@given(sizes)
def test_an_empty_prefix_is_causal_and_a_full_one_is_open(n):
    np.testing.assert_array_equal(prefix(n, 0), causal(n))
    assert prefix(n, n).all()


def test_combined_masks_allow_what_all_allow():
    combined = combine(causal(3), padding([3, 1], 3), [[True], [True], [False]])
    assert combined.astype(int).tolist() == [
        [[1, 0, 0], [1, 1, 0], [0, 0, 0]],
        [[1, 0, 0], [1, 0, 0], [0, 0, 0]],
    ]


@given(sizes, sizes, sizes)
def test_the_order_of_combined_masks_does_not_matter(n_q, n_k, left):
    masks = [causal(n_q, n_k), window(n_q, n_k, left=left, right=1)]
    np.testing.assert_array_equal(combine(*masks), combine(*reversed(masks)))
    np.testing.assert_array_equal(combine(*masks), combine(combine(*masks), masks[0]))
    np.testing.assert_array_equal(combine(masks[0]), masks[0])


@pytest.mark.parametrize("bad", [-1, 2.5, np.nan, np.inf, True])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("n_q", lambda bad: causal(bad)),
        ("n_k", lambda bad: causal(3, bad)),
        ("n_q", lambda bad: window(bad, left=1)),
        ("n_k", lambda bad: window(3, bad, left=1)),
        ("left", lambda bad: window(3, left=bad)),
        ("right", lambda bad: window(3, left=1, right=bad)),
        ("n_k", lambda bad: padding([0], bad)),
        ("n", lambda bad: prefix(bad, 0)),
        ("length", lambda bad: prefix(3, bad)),
    ],
)
def test_a_length_that_is_not_a_whole_number_is_refused_by_name(name, call, bad):
    with pytest.raises(ValueError, match=f"^{name} must be a whole number, 0 or more, not {bad}"):
        call(bad)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: padding([8], 7), ValueError, r"key_lengths must lie between 0 and n_k = 7, not \[8\]"),
        (lambda: padding([-1], 7), ValueError, r"key_lengths must lie between 0 and n_k = 7, not \[-1\]"),
        (lambda: padding([1.5], 7), ValueError, "key_lengths must be whole numbers, not float64"),
        (lambda: padding([True], 7), ValueError, "key_lengths must be whole numbers, not bool"),
        (lambda: prefix(3, 4), ValueError, "length = 4 is longer than n = 3"),
        (lambda: causal(3, align="left"), ValueError, 'align must be "top-left" or "bottom-right", not \'left\''),
        (lambda: combine(), ValueError, "combine needs at least one mask"),
        (lambda: combine(causal(3), [1, 0, 1]), TypeError, "mask must be boolean"),
        (lambda: combine(causal(3), causal(2)), ValueError, r"masks of shapes \[\(3, 3\), \(2, 2\)\] do not broadcast"),
    ],
)
def test_a_mask_that_makes_no_sense_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
