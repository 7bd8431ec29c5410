import numpy as np
import pytest

from core.bins import edges


def test_bins_are_equal_and_hold_every_sample_within_the_bounds():
    x = np.random.default_rng(3).standard_normal(5003)
    found = edges(x, -4.5, 4.5)
    np.testing.assert_allclose(np.diff(found), np.diff(found)[0])
    assert found[0] == x.min()
    assert x.max() <= found[-1] < x.max() + np.diff(found)[0]


def test_bounds_cut_off_what_lies_far_out():
    x = np.append(np.random.default_rng(3).standard_normal(499), [-100, 100])
    found = edges(x, -4.5, 4.5)
    assert found[0] == -4.5
    assert found[-1] == pytest.approx(4.5)


def test_no_bin_reaches_below_the_least_sample():
    assert edges(np.random.default_rng(3).chisquare(1, 997), -5, 7)[0] > 0


@pytest.mark.parametrize(("n", "expected"), [(2, 12), (101, 15), (10_007, 71), (1_000_003, 72)])
def test_more_samples_get_narrower_bins_up_to_a_limit(n, expected):
    assert np.diff(edges(np.linspace(-4.5, 4.5, n), -4.5, 4.5))[0] == pytest.approx(9 / expected)


@pytest.mark.parametrize(("d_k", "per_bin"), [(1, 1), (2, 1), (64, 1), (1024, 2)])
def test_every_bin_of_a_lattice_holds_equally_many_of_its_points(d_k, per_bin):
    x = 2.0 * np.random.default_rng(3).binomial(d_k, 0.5, 10_000) - d_k
    found = edges(x, -4.5 * d_k**0.5, 4.5 * d_k**0.5, discrete=True)
    points = np.arange(-d_k, d_k + 1, 2)
    inside = points[(points > found[0]) & (points < found[-1])]
    assert set(np.histogram(inside, found)[0]) == {per_bin}
    assert not np.isin(found, points).any()


@pytest.mark.parametrize("discrete", [False, True])
def test_samples_that_are_all_alike_share_one_bin(discrete):
    x = np.full(7, 64.0)
    found = edges(x, 63, 65, discrete=discrete)
    assert np.histogram(x, found)[0].tolist() == [7]


def test_bounds_in_the_wrong_order_are_refused_by_name():
    with pytest.raises(ValueError, match="low must be less than high, got 2 and 1"):
        edges([1.0, 2.0], 2, 1)
