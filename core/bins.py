"""Bins for a histogram of what was drawn."""

import numpy as np
import numpy.typing as npt


def edges(samples: npt.ArrayLike, low: float, high: float, *, discrete: bool = False) -> npt.NDArray[np.float64]:
    """Edges (n_bins + 1,) of equal bins from the least to the greatest of samples (n,), but within low and high.

    Their width is that of 3.3 ∛n bins, at least 12 and at most 72, from low to high (Freedman and Diaconis 1981, for
    a normal law between -4.5 and 4.5 deviations). discrete: samples lie on a lattice. Then every bin holds equally many
    of its points; bins of another width would hold now more, now fewer, and show stripes that are not there.
    """
    x = np.asarray(samples, dtype=np.float64)
    if not low < high:
        raise ValueError(f"low must be less than high, got {low} and {high}")
    width = (high - low) / int(np.clip(3.3 * np.cbrt(len(x)), 12, 72))
    first = np.clip(x.min(), low, high - width)
    if discrete:
        points = np.unique(x.round(9))
        spacing = np.diff(points).min() if len(points) > 1 else width
        width = spacing * max(1, round(width / spacing))
        first = points[0] - spacing / 2 + width * np.floor((first - points[0] + spacing / 2) / width)
    n_bins = max(1, np.ceil((min(x.max(), high) - first) / width))
    return np.asarray(first + width * np.arange(n_bins + 1))
