"""Bins for a histogram of what was drawn."""

import numpy as np
import numpy.typing as npt


def edges(samples: npt.ArrayLike, low: float, high: float, *, discrete: bool = False) -> npt.NDArray[np.float64]:
    """Edges (n_bins + 1,) of equal bins from low to high for samples (n,): 3.3 ∛n bins, but 12 to 72.

    discrete: samples lie on a lattice. Then every bin holds equally many of its points and the ends give way for that;
    bins of any other width would hold now more, now fewer, and the histogram would show stripes that are not there.
    Source of the number of bins: Freedman and Diaconis 1981, for a normal law cut at 4.5 deviations.
    """
    x = np.asarray(samples, dtype=np.float64)
    if not low < high:
        raise ValueError(f"low must be less than high, got {low} and {high}")
    n_bins = int(np.clip(3.3 * np.cbrt(len(x)), 12, 72))
    if not discrete:
        return np.linspace(low, high, n_bins + 1)
    width = (high - low) / n_bins
    points = np.unique(x.round(9))
    spacing = np.diff(points).min(initial=width)
    step = spacing * max(1, round(width / spacing))
    first = points[0] - spacing / 2
    first += step * np.floor((low - first) / step)
    return np.asarray(first + step * np.arange(np.ceil((high - first) / step) + 1))
