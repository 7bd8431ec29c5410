"""The Monte Carlo check of dot products: samples, and what may be concluded from their variance."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from core.theory import Array, Components, check_pair

Method = Literal["components", "exact"]
Shape = tuple[int, ...]

# Numbers drawn for one chunk: few enough for the cache, enough to make the overhead vanish.
_CHUNK = 1 << 18

_DRAW: dict[Components, Callable[[np.random.Generator, Shape], Array]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "uniform": lambda rng, shape: rng.uniform(-np.sqrt(3), np.sqrt(3), shape),
    "sign": lambda rng, shape: 2 * rng.integers(0, 2, shape, dtype=np.int8).astype(np.float64) - 1,
    "laplace": lambda rng, shape: rng.laplace(0, np.sqrt(1 / 2), shape),
    "student": lambda rng, shape: np.sqrt(3 / 5) * rng.standard_t(5, shape),
}


def dot_product_samples(
    d_k: int,
    n_samples: int,
    *,
    components: Components = "normal",
    mean: float = 0,
    std: float = 1,
    correlation: float = 0,
    same: bool = False,
    method: Method = "components",
    rng: int | np.random.Generator,
) -> Array:
    """Draw q·k for n_samples independent pairs of vectors with d_k independent components each: (n_samples,).

    components names the law, standardised before mean and std apply to q and k alike ("student" has 5 degrees of
    freedom). correlation ρ is that of q_i and k_i: the standardised k_i is ρ q_i + √(1 − ρ²) e_i with e_i of the same
    law. same: k is q, whatever the correlation. The moments are those of `core.theory.dot_product_moments`.

    method "components" draws every component. "exact" draws q·k from its own law: given a normal q, q·k is normal with
    deviation |q|, and |q|² is chi-square; of two sign vectors it is 2 Binomial(d_k, ½) − d_k. ValueError where no
    such law is known.
    """
    chunks = sample_chunks(
        d_k,
        n_samples,
        components=components,
        mean=mean,
        std=std,
        correlation=correlation,
        same=same,
        method=method,
        rng=rng,
    )
    return np.concatenate(list(chunks))


def sample_chunks(
    d_k: int,
    n_samples: int,
    *,
    components: Components = "normal",
    mean: float = 0,
    std: float = 1,
    correlation: float = 0,
    same: bool = False,
    method: Method = "components",
    rng: int | np.random.Generator,
) -> Iterator[Array]:
    """Yield the samples of `dot_product_samples`, same arguments, in chunks of 2 MB that take a few milliseconds."""
    check_pair(d_k, correlation, components)
    if n_samples < 1:
        raise ValueError(f"n_samples must be at least 1, got {n_samples}")
    if not std >= 0:
        raise ValueError(f"std must not be negative, got {std}")
    if method not in get_args(Method):
        raise ValueError(f"method must be components or exact, got {method!r}")
    standard = (mean, std, correlation, same) == (0, 1, 0, False)
    if method == "components":
        draw = partial(_by_components, d_k, components, mean, std, correlation, same)
        size = max(1, _CHUNK // (2 * d_k))
    elif components == "normal":
        draw = partial(_exact_normal, d_k, mean, std, 1 if same else correlation)
        size = _CHUNK // 16
    elif components == "sign" and standard:
        draw = partial(_exact_sign, d_k)
        size = _CHUNK // 16
    else:
        raise ValueError(f"no exact law is known for these {components} components; use method='components'")
    generator = rng if isinstance(rng, np.random.Generator) else np.random.Generator(np.random.SFC64(rng))
    return (draw(generator, min(size, n_samples - start)) for start in range(0, n_samples, size))


def _by_components(
    d_k: int,
    components: Components,
    mean: float,
    std: float,
    correlation: float,
    same: bool,
    rng: np.random.Generator,
    n: int,
) -> Array:
    # The two vectors of a sample are drawn side by side, so that fewer samples are the first of more samples.
    pair = _DRAW[components](rng, (n, 1 if same else 2, d_k))
    if (mean, std) != (0, 1):
        pair *= std
        pair += mean
    q, e = pair[:, 0], pair[:, -1]
    products = _row_dots(q, e)
    if correlation and not same:
        # k is ρ q + √(1 − ρ²) e, and what the two means lack to μ; its sums with q are cheaper than k itself.
        rest = np.sqrt(1 - correlation**2)
        products *= rest
        products += correlation * _row_dots(q, q)
        if mean:
            products += (1 - correlation - rest) * mean * _row_dots(q, np.ones(d_k))
    return products


def _row_dots(x: Array, y: Array) -> Array:
    """x (n, d) times y (n, d) or (d), summed over d: (n,)."""
    d = x.shape[-1]
    if d >= 6:
        return np.asarray(np.vecdot(x, y))
    # A loop that begins anew at every row costs more than a few products.
    total = x[:, 0] * y[..., 0]
    for i in range(1, d):
        total += x[:, i] * y[..., i]
    return np.asarray(total)


def _exact_normal(d_k: int, mean: float, std: float, correlation: float, rng: np.random.Generator, n: int) -> Array:
    # With q = μ + σ a and k = μ + σ (ρ a + √(1 − ρ²) e): given a, the part with e is normal with deviation |q|, and
    # everything else depends on a through Σ a, which is √d z, and Σ a², which is z² + chi-square(d − 1).
    if mean:
        z = rng.standard_normal(n)
        total = np.sqrt(d_k) * z
        squares = z**2 + (rng.chisquare(d_k - 1, n) if d_k > 1 else 0)
    else:
        total = np.zeros(1)
        squares = rng.chisquare(d_k, n)
    known = d_k * mean**2 + (1 + correlation) * mean * std * total + correlation * std**2 * squares
    norm = np.sqrt(np.maximum(d_k * mean**2 + 2 * mean * std * total + std**2 * squares, 0))
    return np.asarray(known + std * np.sqrt(1 - correlation**2) * norm * rng.standard_normal(n))


def _exact_sign(d_k: int, rng: np.random.Generator, n: int) -> Array:
    return np.asarray(2.0 * rng.binomial(d_k, 0.5, n) - d_k)


@dataclass(frozen=True)
class VarianceCheck:
    """A sampled variance beside the theory: standard error, interval [low, high], z = (variance − theory) / SE."""

    n: int
    mean: float
    variance: float
    standard_error: float
    low: float
    high: float
    theory: float
    z: float

    @property
    def consistent(self) -> bool | None:
        """Whether the interval holds the theory; None if samples are too few, or too heavy in the tails, to tell."""
        if self.n < 30 or not np.isfinite(self.standard_error):
            return None
        return self.low <= self.theory <= self.high


def variance_check(
    samples: npt.ArrayLike, theory: float, *, confidence: float = 0.95, excess_kurtosis: float | None = None
) -> VarianceCheck:
    """Compare the variance of samples (n,), n at least 2, with a theoretical one.

    variance divides by n − 1. SE² = Var² (2 / (n − 1) + excess / n), with the excess kurtosis of the samples unless the
    law's own is given, which is better from few samples and may be infinite. The interval is that of a chi-square law
    with ν = 2 (Var / SE)² degrees of freedom, ν = n − 1 for normal samples.
    Source: Cramér 1946, section 27.4; Box 1953, section 6.
    """
    from scipy.special import chdtri

    x = _samples(samples)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence}")
    variance = float(x.var(ddof=1))
    relative = float(_relative_error(x, len(x), excess_kurtosis))
    standard_error = variance * relative
    low, high = 0.0, np.inf
    if np.isfinite(relative):
        degrees = 2 / relative**2
        low, high = (degrees * variance / float(chdtri(degrees, (1 + side * confidence) / 2)) for side in (-1, 1))
    difference = variance - theory
    with np.errstate(divide="ignore"):
        z = float(np.divide(difference, standard_error)) if difference else 0.0
    return VarianceCheck(len(x), float(x.mean()), variance, standard_error, low, high, theory, z)


def running_variance(
    samples: npt.ArrayLike, points: int, *, excess_kurtosis: float | None = None
) -> tuple[npt.NDArray[np.int64], Array, Array]:
    """Variance of the first 2, ..., n samples at `points` counts, evenly spaced in the logarithm.

    Returns counts, variance and its standard error, as in `variance_check`, each (points,) or fewer if counts coincide.
    """
    x = _samples(samples)
    counts = np.unique(np.rint(np.geomspace(2, len(x), points)).astype(np.int64))
    centred = x - x.mean()
    starts = np.concatenate([[0], counts[:-1]])
    total, squares = (np.add.reduceat(power, starts).cumsum() for power in (centred, centred**2))
    variance = (squares - total**2 / counts) / (counts - 1)
    return counts, variance, variance * _relative_error(x, counts, excess_kurtosis)


def _samples(samples: npt.ArrayLike) -> Array:
    x = np.asarray(samples, dtype=np.float64)
    if x.ndim != 1 or len(x) < 2:
        raise ValueError(f"samples must be (n,) with n at least 2, but their shape is {x.shape}")
    return x


def _relative_error(x: Array, n: npt.ArrayLike, excess_kurtosis: float | None) -> Array:
    if excess_kurtosis is None:
        squares = (x - x.mean()) ** 2
        excess_kurtosis = (squares @ squares) / len(x) / squares.mean() ** 2 - 3 if squares.any() else 0
    n = np.asarray(n, dtype=np.float64)
    return np.asarray(np.sqrt(2 / (n - 1) + excess_kurtosis / n))


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of samples between edges (n_bins + 1,), and how many lie below the first and above the last edge."""

    edges: Array
    counts: npt.NDArray[np.int64]
    below: int
    above: int

    @property
    def density(self) -> Array:
        """Share of all samples per unit of x, comparable with a probability density; those outside count too."""
        n = self.counts.sum() + self.below + self.above
        return np.asarray(self.counts / (n * np.diff(self.edges)))


def histogram(samples: npt.ArrayLike, edges: npt.ArrayLike) -> Histogram:
    """Count samples (n,) between increasing edges; a bin holds its left edge, the last bin also its right one."""
    x, edges = np.asarray(samples, dtype=np.float64), np.asarray(edges, dtype=np.float64)
    counts, _ = np.histogram(x, edges)
    return Histogram(edges, counts, int((x < edges[0]).sum()), int((x > edges[-1]).sum()))
