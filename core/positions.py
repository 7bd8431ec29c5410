"""Telling attention where a token stands: it is blind to order without this."""

import numpy as np
import numpy.typing as npt

from core.arrays import Floats, as_floats


def sinusoidal(n: int, d_model: int, *, base: float = 10000.0) -> Floats:
    """Build the vectors to add to n tokens: PE(pos, 2i) = sin(pos / base^(2i / d_model)), PE(pos, 2i + 1) = cos(same).

    Returns (n, d_model). With an odd d_model the last sine has no cosine.
    Source: Vaswani et al. 2017, section 3.5.
    """
    column = np.arange(d_model)
    angle = np.arange(n)[:, None] / base ** (column // 2 * 2 / d_model)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


def rotary(
    x: npt.ArrayLike,
    *,
    positions: npt.ArrayLike | None = None,
    base: float = 10000.0,
    interleaved: bool = False,
    rotary_dim: int | None = None,
) -> Floats:
    """Turn each pair of components by an angle that grows with the position: q · k then depends on the distance only.

    x (..., n, d), queries or keys; positions (..., n), 0 to n - 1 unless given. Pair i turns by
    position * base^(-2i / rotary_dim); only the first rotary_dim components turn, all d unless given.

    Raises ValueError for an odd rotary_dim or one above d. Source: Su et al. 2021 (RoFormer), equation 15.
    """
    (x,) = as_floats(x)
    n, d = x.shape[-2:]
    rotary_dim = d if rotary_dim is None else rotary_dim
    if rotary_dim % 2 or not 0 <= rotary_dim <= d:
        raise ValueError(f"rotary_dim must be even and at most d = {d}, not {rotary_dim}")
    place = np.arange(n) if positions is None else np.asarray(positions)
    angle = place[..., None] * base ** (-np.arange(0, rotary_dim, 2) / rotary_dim)
    cos, sin = np.cos(angle).astype(x.dtype), np.sin(angle).astype(x.dtype)
    return rotate_pairs(x, cos, sin, interleaved=interleaved)


def rotate_pairs(x: npt.ArrayLike, cos: npt.ArrayLike, sin: npt.ArrayLike, *, interleaved: bool = False) -> Floats:
    """Turn pairs of components by angles given as cosine and sine: (a cos - b sin, a sin + b cos).

    x (..., n, d); cos and sin (..., n, r / 2) turn the first r components, the rest stays. A pair is components
    (i, i + r / 2), or neighbours (2i, 2i + 1) if interleaved. Source: Su et al. 2021 (RoFormer), equation 34.
    """
    x, cos, sin = as_floats(x, cos, sin)
    half = cos.shape[-1]
    turned = x.copy()
    first, second = (
        (slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if interleaved else (slice(0, half), slice(half, 2 * half))
    )
    a, b = x[..., first], x[..., second]
    turned[..., first] = a * cos - b * sin
    turned[..., second] = a * sin + b * cos
    return turned
