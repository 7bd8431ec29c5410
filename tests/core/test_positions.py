import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.multi_head import multi_head_attention, seeded_projections
from core.positions import rotary, rotate_pairs, sinusoidal
from tests.core.strategies import seeds


def test_positions_are_sines_and_cosines_in_turn():
    for position, i in np.ndindex(5, 3):
        angle = position / 10000 ** (2 * i / 6)
        assert sinusoidal(5, 6)[position, 2 * i] == pytest.approx(np.sin(angle))
        assert sinusoidal(5, 6)[position, 2 * i + 1] == pytest.approx(np.cos(angle))


def test_the_first_position_is_zero_and_one_in_turn():
    assert sinusoidal(1, 5).tolist() == [[0, 1, 0, 1, 0]]


@given(st.integers(0, 30), st.integers(0, 30), st.sampled_from([2, 8, 64]))
def test_the_product_of_two_positions_depends_on_their_distance_only(i, j, d_model):
    positions = sinusoidal(61, d_model)
    moved = positions[i + 30] @ positions[j + 30]
    assert positions[i] @ positions[j] == pytest.approx(moved)
    assert positions[i] @ positions[i] == pytest.approx(d_model / 2)


def test_positions_break_the_blindness_to_order():
    rng = np.random.default_rng(0)
    x, order = rng.normal(size=(7, 6)), rng.permutation(7)
    p = seeded_projections(6, 3, rng=1)
    placed, shuffled = x + sinusoidal(7, 6), x[order] + sinusoidal(7, 6)
    difference = (
        multi_head_attention(shuffled, shuffled, p, 3).output - multi_head_attention(placed, placed, p, 3).output[order]
    )
    assert np.abs(difference).max() > 0.1


@given(seeds, st.integers(0, 50), st.booleans(), st.sampled_from([None, 4]))
def test_a_rotated_product_depends_on_the_distance_only(seed, shift, interleaved, rotary_dim):
    query, key = np.random.default_rng(seed).normal(size=(2, 2, 5, 8))
    scores = [
        rotary(query, positions=places, interleaved=interleaved, rotary_dim=rotary_dim)
        @ rotary(key, positions=places, interleaved=interleaved, rotary_dim=rotary_dim).swapaxes(-1, -2)
        for places in (np.arange(5), np.arange(5) + shift)
    ]
    np.testing.assert_allclose(*scores, atol=1e-10)


@given(seeds, st.booleans())
def test_rotation_keeps_every_length_and_leaves_the_first_position(seed, interleaved):
    x = np.random.default_rng(seed).normal(size=(2, 5, 8))
    turned = rotary(x, interleaved=interleaved)
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1), rtol=1e-12)
    np.testing.assert_array_equal(turned[:, 0], x[:, 0])


@given(seeds)
def test_pairs_are_halves_or_neighbours(seed):
    x = np.random.default_rng(seed).normal(size=(5, 8))
    halves_as_neighbours = [0, 4, 1, 5, 2, 6, 3, 7]
    np.testing.assert_allclose(rotary(x)[:, halves_as_neighbours], rotary(x[:, halves_as_neighbours], interleaved=True))


def test_each_pair_turns_at_its_own_pace():
    x = np.array([[1.0, 0, 1, 0], [1, 0, 1, 0]])
    expected = [np.cos(1), np.sin(1), np.cos(1 / 3), np.sin(1 / 3)]
    np.testing.assert_allclose(rotary(x, base=9, interleaved=True)[1], expected)


def test_components_beyond_rotary_dim_stay():
    x = np.arange(12.0).reshape(2, 6)
    turned = rotary(x, rotary_dim=4)
    np.testing.assert_array_equal(turned[:, 4:], x[:, 4:])
    np.testing.assert_allclose(turned[:, :4], rotary(x[:, :4]))


def test_a_quarter_turn_on_paper():
    x = [[3, 5, 7, 9]]
    assert rotate_pairs(x, [[0, 0]], [[1, 1]]).tolist() == [[-7, -9, 3, 5]]
    assert rotate_pairs(x, [[0, 0]], [[1, 1]], interleaved=True).tolist() == [[-5, 3, -9, 7]]


def test_single_precision_stays_single_and_the_input_is_left_alone():
    x = np.ones((3, 4), np.float32)
    assert rotary(x).dtype == np.float32
    assert (x == 1).all()


@pytest.mark.parametrize("rotary_dim", [3, 10, -2])
def test_a_rotary_dim_that_cannot_pair_is_named(rotary_dim):
    with pytest.raises(ValueError, match=f"rotary_dim must be even and at most d = 8, not {rotary_dim}"):
        rotary(np.ones((3, 8)), rotary_dim=rotary_dim)
