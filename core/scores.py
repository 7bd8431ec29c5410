"""Four ways to score how well a key answers a query; rows are queries, columns are keys."""

import math

import numpy as np
import numpy.typing as npt

from core.arrays import Floats, as_floats


def dot(query: npt.ArrayLike, key: npt.ArrayLike) -> Floats:
    """Score by the dot product: q · k.

    query (..., n_q, d_k), key (..., n_k, d_k); returns (..., n_q, n_k). Raises ValueError if the d_k differ.
    Source: Luong et al. 2015, equation 8.
    """
    q, k = as_floats(query, key)
    check_tokens(query=q, key=k)
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"key has d_k = {k.shape[-1]} but query has d_k = {q.shape[-1]}")
    return _product(q, k)


@np.errstate(all="ignore")
def scaled_dot(query: npt.ArrayLike, key: npt.ArrayLike, *, scale: float | None = None) -> Floats:
    """Score by the dot product times `scale`, 1/√d_k unless given, which keeps the variance at 1: q · k / √d_k.

    query (..., n_q, d_k), key (..., n_k, d_k); returns (..., n_q, n_k). Raises ValueError if the d_k differ.
    Source: Vaswani et al. 2017, equation 1.
    """
    scores = dot(query, key)
    d_k = np.shape(query)[-1]
    if scale is None and d_k == 0:
        raise ValueError("query has d_k = 0, and 1/√0 scales nothing")
    scores *= scores.dtype.type(1 / math.sqrt(d_k) if scale is None else scale)
    return scores


def general(query: npt.ArrayLike, key: npt.ArrayLike, w: npt.ArrayLike) -> Floats:
    """Score through a learned matrix: q W k.

    query (..., n_q, d_q), key (..., n_k, d_k), w (d_q, d_k); returns (..., n_q, n_k).
    Raises ValueError if w does not fit. Source: Luong et al. 2015, equation 8.
    """
    q, k, w = as_floats(query, key, w)
    check_tokens(query=q, key=k)
    if w.shape != (q.shape[-1], k.shape[-1]):
        raise ValueError(f"w has shape {w.shape} but query and key need ({q.shape[-1]}, {k.shape[-1]})")
    return _product(q @ w, k)


def additive(
    query: npt.ArrayLike, key: npt.ArrayLike, w_query: npt.ArrayLike, w_key: npt.ArrayLike, v: npt.ArrayLike
) -> Floats:
    """Score by a small network with one hidden layer: v · tanh(q W_query + k W_key).

    query (..., n_q, d_q), key (..., n_k, d_k), w_query (d_q, d_a), w_key (d_k, d_a), v (d_a); returns (..., n_q, n_k).
    Raises ValueError if a weight does not fit. Source: Bahdanau et al. 2015, appendix A.1.2.
    """
    q, k, w_query, w_key, v = as_floats(query, key, w_query, w_key, v)
    check_tokens(query=q, key=k)
    d_a = v.shape[-1] if v.ndim == 1 else w_query.shape[-1]
    for name, weight, expected in (
        ("w_query", w_query, (q.shape[-1], d_a)),
        ("w_key", w_key, (k.shape[-1], d_a)),
        ("v", v, (d_a,)),
    ):
        if weight.shape != expected:
            raise ValueError(f"{name} has shape {weight.shape} but needs {expected}")
    hidden = (q @ w_query)[..., :, None, :] + (k @ w_key)[..., None, :, :]
    return np.tanh(hidden) @ v


def check_tokens(**arrays: Floats) -> None:
    """Raise a ValueError by name unless every array is (..., tokens, components) and the leading axes broadcast."""
    for name, array in arrays.items():
        if array.ndim < 2:
            raise ValueError(f"{name} must be (..., tokens, components), but its shape is {array.shape}")
    try:
        np.broadcast_shapes(*(array.shape[:-2] for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"the leading axes do not broadcast: {shapes}") from None


@np.errstate(all="ignore")
def _product(query: Floats, key: Floats) -> Floats:
    """Every query times every key; NaN and infinity pass silently, because a mask may hide them."""
    return query @ key.swapaxes(-1, -2)
