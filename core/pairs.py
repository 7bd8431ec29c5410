"""Pairs of random vectors q and k, described once for drawing them and for what theory says of their dot product."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.monte_carlo import Method, VarianceCheck, sample_chunks, variance_check
from core.theory import Array, Components, dot_product_density, dot_product_excess_kurtosis, dot_product_moments


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
        """Density of q·k at x, same shape, for independent normal components of mean 0; of others none is known."""
        if (self.components, self.mean, self.correlation, self.same) != ("normal", 0, 0, False):
            return None
        return dot_product_density(np.asarray(x) / self.std**2, d_k) / self.std**2

    def chunks(self, d_k: int, n_samples: int, *, method: Method, rng: int | np.random.Generator) -> Iterator[Array]:
        """Samples of q·k in chunks, see `core.monte_carlo.sample_chunks`."""
        return sample_chunks(d_k, n_samples, method=method, rng=rng, **asdict(self))

    def check(self, samples: npt.ArrayLike, d_k: int) -> VarianceCheck:
        """The variance of samples of q·k (n,) beside the theory, with the standard error that theory gives it."""
        return variance_check(samples, self.moments(d_k)[1], excess_kurtosis=self.excess_kurtosis(d_k))

    @property
    def _of_both(self) -> dict[str, Any]:
        names = {"mean": ("mean_q", "mean_k"), "std": ("std_q", "std_k")}
        return {name: value for key, value in asdict(self).items() for name in names.get(key, (key,))}
