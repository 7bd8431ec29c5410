"""The array types of the engine and its one rule of precision."""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]
Bools = npt.NDArray[np.bool_]


def as_floats(*arrays: npt.ArrayLike) -> list[Floats]:
    """The arrays in the precision they are computed in together: float32 if all have 16 or 32 bits, else float64."""
    converted = [np.asarray(array) for array in arrays]
    low = all(array.dtype in (np.float16, np.float32) for array in converted)
    return [array.astype(np.float32 if low else np.float64, copy=False) for array in converted]
