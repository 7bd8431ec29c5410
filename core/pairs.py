"""Pairs of random vectors q and k, described once for drawing them and for what theory says of their dot product."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.bins import edges
from core.monte_carlo import (
    Histogram,
    Method,
    VarianceCheck,
    histogram,
    running_variance,
    sample_chunks,
    variance_check,
)
from core.theory import Array, Components, dot_product_density, dot_product_excess_kurtosis, dot_product_moments

# A histogram reaches so many deviations to either side of the mean.
REACH = 4.5


@dataclass(frozen=True, eq=False)
class Summary:
    """What samples of q·k show: variance beside theory, histogram, and variance[i] of the first counts[i] of them."""

    check: VarianceCheck
    histogram: Histogram
    counts: npt.NDArray[np.int64]
    variance: Array


@dataclass(frozen=True)
class Pair:
    """The law of the components of q and k, their mean and deviation, and how k depends on q.

    correlation is that of q_i and k_i; same makes k = q, whatever the correlation.
    """

    components: Components = "normal"
    mean: float = 0
    std: float = 1
    correlation: float = 0
    same: bool = False

    @property
    def standard(self) -> bool:
        """Whether the assumptions behind Var(q·k) = d_k hold: mean 0, deviation 1, q and k independent."""
        return (self.mean, self.std, self.correlation, self.same) == (0, 1, 0, False)

    @property
    def has_shortcut(self) -> bool:
        """Whether q·k can be drawn from its own law, without the components."""
        return self.components == "normal" or (self.components == "sign" and self.standard)

    def moments(self, d_k: int) -> tuple[float, float]:
        """Mean and variance of q·k, see `core.theory.dot_product_moments`."""
        mean, variance = dot_product_moments(1, **self._of_both)
        # Where nothing varies, rounding leaves about 1e-17, of either sign.
        nothing = variance < 1e-12 * (self.mean**2 + self.std**2) ** 2
        return d_k * mean, 0.0 if nothing else d_k * variance

    def excess_kurtosis(self, d_k: int) -> float:
        """Excess kurtosis of q·k, see `core.theory.dot_product_excess_kurtosis`; 0 if nothing varies."""
        return dot_product_excess_kurtosis(d_k, **self._of_both) if self.moments(d_k)[1] else 0.0

    def density(self, x: npt.ArrayLike, d_k: int) -> Array | None:
        """Density of q·k at x, same shape, for independent normal components of mean 0; None for any other pair."""
        if (self.components, self.mean, self.correlation, self.same) != ("normal", 0, 0, False):
            return None
        return dot_product_density(np.asarray(x) / self.std**2, d_k) / self.std**2

    def chunks(self, d_k: int, n_samples: int, *, method: Method, rng: int | np.random.Generator) -> Iterator[Array]:
        """Samples of q·k in chunks, see `core.monte_carlo.sample_chunks`."""
        return sample_chunks(d_k, n_samples, method=method, rng=rng, **asdict(self))

    def check(self, samples: npt.ArrayLike, d_k: int) -> VarianceCheck:
        """The variance of samples of q·k (n,) beside the theory, with the standard error that theory gives it."""
        return variance_check(samples, self.moments(d_k)[1], excess_kurtosis=self.excess_kurtosis(d_k))

    def standard_error(self, n_samples: npt.ArrayLike, d_k: int) -> Array:
        """Standard error that theory gives the variance of n_samples of q·k, same shape: Var √(2 / (n − 1) + γ / n)."""
        n = np.asarray(n_samples, dtype=np.float64)
        return np.asarray(self.moments(d_k)[1] * np.sqrt(2 / (n - 1) + self.excess_kurtosis(d_k) / n))

    def summary(self, samples: npt.ArrayLike, d_k: int) -> Summary:
        """Sum up samples of q·k (n,), n at least 2."""
        mean, variance = self.moments(d_k)
        reach = REACH * np.sqrt(variance) or 1.0
        bins = edges(samples, mean - reach, mean + reach, discrete=self.components == "sign")
        counts, running, _ = running_variance(samples, 160)
        return Summary(self.check(samples, d_k), histogram(samples, bins), counts, running)

    @property
    def _of_both(self) -> dict[str, Any]:
        names = {"mean": ("mean_q", "mean_k"), "std": ("std_q", "std_k")}
        return {name: value for key, value in asdict(self).items() for name in names.get(key, (key,))}
