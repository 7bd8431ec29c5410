"""Several heads: projections, split, attention a head, merge."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.arrays import Floats, as_floats
from core.attention import Attention, attend


@dataclass(frozen=True, eq=False)
class Projections:
    """The learned matrices of one attention layer, applied as x @ w + b.

    w_q (d_model, n_heads * d_k), w_k (d_model, n_kv_heads * d_k), w_v (d_model, n_kv_heads * d_v),
    w_o (n_heads * d_v, d_model); each bias has as many components as its matrix has columns, None is no bias.
    """

    w_q: Floats
    w_k: Floats
    w_v: Floats
    w_o: Floats
    b_q: Floats | None = None
    b_k: Floats | None = None
    b_v: Floats | None = None
    b_o: Floats | None = None

    @property
    def n_parameters(self) -> int:
        """How many numbers are learned."""
        return sum(array.size for array in vars(self).values() if array is not None)


@dataclass(frozen=True, eq=False)
class MultiHead:
    """Every step of a multi-head layer.

    query (..., n_heads, n_q, d_k), key and value (..., n_kv_heads, n_k, d_k or d_v); heads: scores, weights and output
    with the axis of heads in front of theirs; concat (..., n_q, n_heads * d_v); output (..., n_q, d_model).
    """

    query: Floats
    key: Floats
    value: Floats
    heads: Attention
    concat: Floats
    output: Floats


def seeded_projections(
    d_model: int, n_heads: int, *, n_kv_heads: int | None = None, rng: int | np.random.Generator
) -> Projections:
    """Draw projections without biases whose entries are N(0, 1/d_model).

    Inputs with components of variance 1 then have queries and keys with components of variance 1.
    Raises ValueError if n_heads does not divide d_model or n_kv_heads does not divide n_heads.
    """
    d_k = _head_size("d_model", d_model, n_heads)
    n_kv_heads = _kv_heads(n_heads, n_kv_heads)
    rng = np.random.default_rng(rng)

    def draw(columns: int) -> Floats:
        return rng.normal(0, 1 / math.sqrt(d_model), (d_model, columns))

    return Projections(draw(d_model), draw(n_kv_heads * d_k), draw(n_kv_heads * d_k), draw(d_model))


def multi_head_attention(
    query_input: npt.ArrayLike,
    key_input: npt.ArrayLike,
    projections: Projections,
    n_heads: int,
    *,
    n_kv_heads: int | None = None,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    scale: float | None = None,
    temperature: float = 1.0,
    softcap: float | None = None,
) -> MultiHead:
    """Attend n_heads times in parallel, each time in its own d_k columns of the projections, and mix the heads by w_o.

    query_input (..., n_q, d_model), key_input (..., n_k, d_model); the same array twice is self-attention.
    With n_kv_heads < n_heads, neighbouring query heads share a key and value head (0, 0, 1, 1).
    mask and bias are (..., n_q, n_k), the same for all heads, or have one axis more than the inputs:
    (..., n_heads, n_q, n_k). The other arguments are those of `attend`.

    Raises ValueError if the heads do not divide evenly or a shape does not fit.
    Formula: Concat(head_1, ..., head_h) W_O, head_i = Attention(x W_Q_i, y W_K_i, y W_V_i).
    Source: Vaswani et al. 2017, section 3.2.2; shared heads: Ainslie et al. 2023, section 2.2.
    """
    n_kv_heads = _kv_heads(n_heads, n_kv_heads)
    w = projections
    query = split_heads(_project("query_input", query_input, "q", w.w_q, w.b_q), n_heads)
    key = split_heads(_project("key_input", key_input, "k", w.w_k, w.b_k), n_kv_heads)
    value = split_heads(_project("key_input", key_input, "v", w.w_v, w.b_v), n_kv_heads)
    group = n_heads // n_kv_heads
    n_axes = max(query.ndim, key.ndim)
    heads = attend(
        query,
        np.repeat(key, group, axis=-3),
        np.repeat(value, group, axis=-3),
        mask=_with_heads("mask", mask, n_axes),
        bias=_with_heads("bias", bias, n_axes),
        scale=scale,
        temperature=temperature,
        softcap=softcap,
    )
    concat = merge_heads(heads.output)
    return MultiHead(query, key, value, heads, concat, _project("concat", concat, "o", w.w_o, w.b_o))


def split_heads(x: npt.ArrayLike, n_heads: int) -> Floats:
    """Cut the components into heads: (..., n, n_heads * d) -> (..., n_heads, n, d)."""
    (x,) = as_floats(x)
    d = _head_size("d_model", x.shape[-1], n_heads)
    return x.reshape(*x.shape[:-1], n_heads, d).swapaxes(-3, -2)  # (..., n, h, d) -> (..., h, n, d)


def merge_heads(x: npt.ArrayLike) -> Floats:
    """Set the heads side by side again: (..., n_heads, n, d) -> (..., n, n_heads * d)."""
    (x,) = as_floats(x)
    *leading, n_heads, n, d = x.shape
    return x.swapaxes(-3, -2).reshape(*leading, n, n_heads * d)  # (..., h, n, d) -> (..., n, h, d)


def _project(x_name: str, x: npt.ArrayLike, name: str, w: npt.ArrayLike, b: npt.ArrayLike | None) -> Floats:
    x, w = as_floats(x, w)
    if x.ndim < 2:
        raise ValueError(f"{x_name} must be (..., tokens, components), but its shape is {x.shape}")
    if x.shape[-1] != w.shape[0]:
        raise ValueError(f"w_{name} has {w.shape[0]} rows but {x_name} has {x.shape[-1]} components")
    if b is None:
        return x @ w
    (b,) = as_floats(b)
    if b.shape != w.shape[1:]:
        raise ValueError(f"b_{name} has shape {b.shape} but w_{name} has {w.shape[1]} columns")
    return x @ w + b


def _with_heads(name: str, array: npt.ArrayLike | None, n_axes: int) -> npt.NDArray[np.generic] | None:
    """Give an array that knows no heads an axis for them, lest its batch axis be taken for the heads."""
    if array is None:
        return None
    array = np.asarray(array)
    if array.ndim > n_axes:
        raise ValueError(f"{name} has shape {array.shape}, more axes than (..., n_heads, n_q, n_k)")
    return array[..., None, :, :] if 2 < array.ndim < n_axes else array


def _head_size(name: str, d_model: int, n_heads: int) -> int:
    if n_heads < 1 or d_model % n_heads:
        raise ValueError(f"{name} = {d_model} is not divisible by n_heads = {n_heads}")
    return d_model // n_heads


def _kv_heads(n_heads: int, n_kv_heads: int | None) -> int:
    if n_kv_heads is None:
        return n_heads
    if n_kv_heads < 1 or n_heads % n_kv_heads:
        raise ValueError(f"n_heads = {n_heads} is not a multiple of n_kv_heads = {n_kv_heads}")
    return n_kv_heads
