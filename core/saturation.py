"""How sharp the weights of random queries and keys are: measured over many draws, and as theory expects it."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core import theory
from core.softmax import entropy, participation, softmax

Array = npt.NDArray[np.float64]
FIGURES = ("largest", "entropy", "gradient")


def figures(weights: npt.ArrayLike) -> Array:
    """Largest weight, entropy in nats, and 1 − Σp², the trace of the softmax Jacobian: weights (..., n) to (3, ...)."""
    p = np.asarray(weights, dtype=np.float64)
    return np.array([p.max(axis=-1), entropy(p), 1 - participation(p)])


def measure(
    n_keys: int,
    d_k: int,
    divisors: Sequence[float],
    *,
    temperature: float = 1.0,
    n_draws: int,
    rng: int | Sequence[int] | np.random.Generator,
) -> tuple[Array, Array]:
    """Means of the `figures` over n_draws, and their standard errors: both (3, n_divisors).

    Each draw is a query and n_keys keys of d_k independent standard normal components, the same for all divisors.
    """
    generator = np.random.default_rng(rng)
    # Given q, its scores with standard normal keys are independent normals of deviation |q|.
    norms = np.sqrt(generator.chisquare(d_k, (n_draws, 1)))
    scores = norms * generator.standard_normal((n_draws, n_keys))
    drawn = np.array([figures(softmax(scores / divisor, temperature=temperature)) for divisor in divisors])
    return drawn.mean(axis=-1).T, drawn.std(axis=-1, ddof=1).T / np.sqrt(n_draws)


def expect(n_keys: int, d_k: int, divisors: Sequence[float], *, temperature: float = 1.0) -> Array:
    """The means that `measure` estimates, exact to about 1e-6: (3, n_divisors)."""
    if temperature in (0, np.inf):
        limit = figures(softmax(np.arange(n_keys), temperature=temperature))
        return np.repeat(limit[:, None], len(divisors), axis=1)
    largest, nats, squares = (
        theory.curve(f, n_keys)
        for f in (theory.expected_largest, theory.expected_entropy, theory.expected_participation)
    )
    return np.array(
        [
            [theory.over_query_norm(f, d_k, divisor * temperature) for divisor in divisors]
            for f in (largest, nats, lambda sigma: 1 - squares(sigma))
        ]
    )
