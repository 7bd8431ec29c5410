"""How far apart two rows of weights are."""

import numpy as np
import numpy.typing as npt

from core.arrays import Floats, as_floats


def jensen_shannon_distance(p: npt.ArrayLike, q: npt.ArrayLike, *, axis: int = -1) -> Floats:
    """How far apart two distributions are: √((D(p | m) + D(q | m)) / 2) with m = (p + q) / 2 and D in bits.

    p and q, distributions along `axis`, broadcast against each other. 0 if they are equal, 1 if they share nothing;
    symmetric, and a detour is never shorter (a metric). Raises ValueError for a negative weight.
    Source: Endres and Schindelin 2003, theorem 1; the divergence: Lin 1991, equation 3.2.
    """
    p, q = as_floats(p, q)
    for name, weights in (("p", p), ("q", q)):
        if (weights < 0).any():
            raise ValueError(f"{name} must not be negative, but its smallest weight is {weights.min()}")
    mean = (p + q) / 2
    divergence = (_bits_lost(p, mean, axis) + _bits_lost(q, mean, axis)) / 2
    # Equal weights that differ by rounding alone could end below 0.
    return np.sqrt(np.clip(divergence, 0, 1))


def _bits_lost(p: Floats, m: Floats, axis: int) -> Floats:
    """The relative entropy D(p | m) = Σ p log₂(p / m), with 0 log 0 = 0; m is positive wherever p is."""
    ratio = np.where(p > 0, p, 1) / np.where(p > 0, m, 1)
    lost: Floats = np.sum(p * np.log2(ratio), axis=axis)
    return lost
