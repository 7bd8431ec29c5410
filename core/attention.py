"""Scaled dot-product attention."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.arrays import Floats, as_floats
from core.masks import as_mask
from core.scores import check_tokens, scaled_dot
from core.softmax import softmax


@dataclass(frozen=True, eq=False)
class Attention:
    """What attention computed: scores and weights (..., n_q, n_k), output (..., n_q, d_v).

    The scores are those before the mask: scaled, capped and biased. A blocked cell keeps its score and has weight 0.
    """

    scores: Floats
    weights: Floats
    output: Floats


@np.errstate(all="ignore")
def attend(
    query: npt.ArrayLike,
    key: npt.ArrayLike,
    value: npt.ArrayLike,
    *,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
    scale: float | None = None,
    temperature: float = 1.0,
    softcap: float | None = None,
) -> Attention:
    """Let each query mix the values by how well their keys answer it: softmax(mask(q · k · scale + bias) / T) · value.

    query (..., n_q, d_k), key (..., n_k, d_k), value (..., n_k, d_v); leading axes broadcast.
    mask is boolean, True = may attend; bias is added to the scores; both broadcast to (..., n_q, n_k).
    scale is 1/√d_k unless given; softcap c > 0 bends the scores into (-c, c) by c tanh(s / c), before the bias.
    A blocked key has no influence whatever it holds; a query with nothing to attend to has zero weights and output.

    Raises ValueError for shapes that do not fit, TypeError for a mask that is not boolean.
    Source: Vaswani et al. 2017, equation 1; softcap: Gemma Team 2024, section 2.
    """
    query, key, value = as_floats(query, key, value)
    check_tokens(query=query, key=key, value=value)
    if value.shape[-2] != key.shape[-2]:
        raise ValueError(f"value has n_k = {value.shape[-2]} but key has n_k = {key.shape[-2]}")
    scores = scaled_dot(query, key, scale=scale)
    if softcap is not None:
        if not softcap > 0:
            raise ValueError(f"softcap must be positive, not {softcap}")
        scores /= softcap
        np.tanh(scores, out=scores)
        scores *= softcap
    if bias is not None:
        if np.asarray(bias).dtype == np.bool_:
            raise TypeError("bias must be numbers to add to the scores; a boolean array goes into mask")
        scores, bias = as_floats(scores, bias)
        _check_fit("bias", bias, scores)
        scores = scores + bias
    if mask is not None:
        mask = as_mask(mask)
        _check_fit("mask", mask, scores)
    weights = softmax(scores, temperature=temperature, mask=mask)
    return Attention(scores, weights, mix(weights, value))


@np.errstate(all="ignore")
def mix(weights: Floats, value: Floats) -> Floats:
    """Weights (..., n_q, n_k) times value (..., n_k, d_v), where a weight of 0 silences even NaN and infinity."""
    if np.isfinite(value).all():
        return weights @ value
    output = weights @ np.where(np.isfinite(value), value, 0)
    reached = (weights > 0).astype(value.dtype)
    for found, special in ((np.isnan, np.nan), (np.isposinf, np.inf), (np.isneginf, -np.inf)):
        output += np.where(reached @ found(value).astype(value.dtype) > 0, special, 0)
    return output


def _check_fit(name: str, array: npt.NDArray[np.generic], scores: Floats) -> None:
    """Leading axes are free, but an array that stretched the queries or keys would answer another question."""
    try:
        fits = np.broadcast_shapes(array.shape, scores.shape)[-2:] == scores.shape[-2:]
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"{name} has shape {array.shape}, which does not fit scores of shape {scores.shape}")
