import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import entropy

from core.saturation import expect, figures, measure


def of(weights):
    """The three figures by their definitions."""
    return np.array([weights.max(axis=-1), entropy(weights, axis=-1), 1 - (weights**2).sum(axis=-1)])


def test_figures_on_paper():
    np.testing.assert_allclose(figures([[1, 0, 0, 0], [0.25] * 4, [0.5, 0.5, 0, 0]]).T,
                               [[1, 0, 0], [0.25, np.log(4), 0.75], [0.5, np.log(2), 0.5]])  # fmt: skip


@pytest.mark.parametrize("d_k", [1, 3, 32])
def test_measured_means_are_those_of_vectors_drawn_component_by_component(d_k):
    rng, n, draws = np.random.default_rng(0), 5, 20_000
    query, key = rng.standard_normal((draws, 1, d_k)), rng.standard_normal((draws, n, d_k))
    scores = (query * key).sum(axis=-1)
    divisors, temperature = (1, d_k**0.5, d_k), 0.7
    drawn = np.array([of(softmax(scores / divisor / temperature, axis=-1)) for divisor in divisors])
    means, errors = measure(n, d_k, divisors, temperature=temperature, n_draws=draws, rng=1)
    np.testing.assert_array_less(np.abs(means - drawn.mean(axis=-1).T), 6 * errors)
    np.testing.assert_allclose(errors, drawn.std(axis=-1).T / draws**0.5, rtol=0.1)
    np.testing.assert_array_less(np.abs(expect(n, d_k, divisors, temperature=temperature) - means), 4.5 * errors)


@pytest.mark.parametrize("temperature", [0, np.inf])
def test_the_limits_of_temperature_are_one_key_and_all_keys_alike(temperature):
    limit = [1, 0, 0] if temperature == 0 else [1 / 7, np.log(7), 1 - 1 / 7]
    expected = np.repeat(np.reshape(limit, (3, 1)), 2, axis=1)
    means, errors = measure(7, 11, (1, 3), temperature=temperature, n_draws=13, rng=0)
    np.testing.assert_allclose(means, expected, atol=1e-12)
    np.testing.assert_allclose(errors, 0, atol=1e-12)
    np.testing.assert_allclose(expect(7, 11, (1, 3), temperature=temperature), expected, atol=1e-12)


def test_one_seed_gives_one_answer():
    first, second = (measure(3, 5, (1,), n_draws=7, rng=(2, 5)) for _ in range(2))
    np.testing.assert_array_equal(first, second)
