"""Softmax, and how sharp its weights are."""

import numpy as np
import numpy.typing as npt

from core.arrays import Floats, as_floats
from core.masks import as_mask

Axis = int | tuple[int, ...] | None


@np.errstate(all="ignore")
def softmax(
    scores: npt.ArrayLike, *, temperature: float = 1.0, mask: npt.ArrayLike | None = None, axis: Axis = -1
) -> Floats:
    """Turn scores into weights that are positive and sum to one: p_i = exp(s_i / T) / Σ_j exp(s_j / T).

    scores of any shape, normalised along `axis`; mask is boolean and broadcasts with scores, True = may attend.
    A blocked score has weight 0 whatever it holds, NaN included; a row with nothing allowed has only zeros.
    temperature may be 0 (the highest scores share the weight) and infinite (all allowed scores share it).
    A score of -inf has weight 0, scores of +inf share the whole weight, an allowed NaN makes its own row NaN.

    Raises TypeError for a mask that is not boolean, ValueError for a negative or NaN temperature.
    Source: Goodfellow et al. 2016, section 6.2.2.3; temperature: Hinton et al. 2015, equation 1.
    """
    weights = _logits(scores, temperature, mask, axis)
    np.exp(weights, out=weights)
    weights /= _total(weights, axis)
    return weights


@np.errstate(all="ignore")
def log_softmax(
    scores: npt.ArrayLike, *, temperature: float = 1.0, mask: npt.ArrayLike | None = None, axis: Axis = -1
) -> Floats:
    """The logarithm of `softmax`, exact where the weight itself is too small for a float; -inf for a weight of 0."""
    logits = _logits(scores, temperature, mask, axis)
    logits -= np.log(_total(np.exp(logits), axis))
    return logits


@np.errstate(all="ignore")
def jacobian(weights: npt.ArrayLike, *, temperature: float = 1.0) -> Floats:
    """How each weight answers to each score: ∂p_i / ∂s_j = p_i (δ_ij - p_j) / T.

    weights (..., n), rows of `softmax` at the same temperature; returns (..., n, n), symmetric, rows sum to 0.
    At temperature 0 it is the limit: 0 where one key has all the weight, infinite among keys that share it.
    """
    (p,) = as_floats(weights)
    _check(temperature)
    slope = p[..., None] * (np.eye(p.shape[-1], dtype=p.dtype) - p[..., None, :])
    return np.where(slope == 0, 0, slope / p.dtype.type(temperature))


def entropy(weights: npt.ArrayLike, *, base: float = np.e, axis: int = -1) -> Floats:
    """The Shannon entropy of the weights: -Σ p log p, with 0 log 0 = 0.

    weights summed over `axis`; nats unless `base` is 2 (bits). From 0 (one key) to log(number of allowed keys).
    Source: Shannon 1948, section 6.
    """
    (p,) = as_floats(weights)
    if (p < 0).any():
        raise ValueError(f"weights must not be negative, but the smallest is {p.min()}")
    if not base > 0 or base == 1:
        raise ValueError(f"base must be positive and not 1, not {base}")
    nats: Floats = -np.sum(p * np.log(np.where(p == 0, 1, p)), axis=axis)
    # Weights that sum to one only within rounding could end below 0, and one-hot rows at -0.0.
    return (np.maximum(nats, 0) + 0.0) / p.dtype.type(np.log(base))


def effective_keys(weights: npt.ArrayLike, *, axis: int = -1) -> Floats:
    """How many equally weighted keys would have this entropy: exp(-Σ p log p), from 1 to n; 0 for a row of zeros.

    weights summed over `axis`. Source: Hill 1973, diversity number of order 1.
    """
    (p,) = as_floats(weights)
    return np.exp(entropy(p, axis=axis)) * p.any(axis=axis)


def participation(weights: npt.ArrayLike, *, axis: int = -1) -> Floats:
    """The sum of squared weights: Σ p², from 1/n (even) to 1 (one key).

    weights summed over `axis`; the trace of the Jacobian is (1 - Σ p²) / T.
    """
    (p,) = as_floats(weights)
    squares: Floats = np.sum(p * p, axis=axis)
    return squares


def _logits(scores: npt.ArrayLike, temperature: float, mask: npt.ArrayLike | None, axis: Axis) -> Floats:
    """A new array of scores over temperature, shifted so that the highest of each row is 0 and no exp overflows."""
    (s,) = as_floats(scores)
    _check(temperature)
    if mask is not None:
        s = _block(s, as_mask(mask))
    t = s.dtype.type(temperature)
    if np.isinf(t):
        s = np.where(np.isfinite(s), 0, s)
        t = s.dtype.type(1)
    highest = s.max(axis=axis, keepdims=True, initial=-np.inf)
    if np.isposinf(highest).any():
        s = np.where(np.isposinf(highest), np.where(np.isposinf(s), s.dtype.type(0), -np.inf), s)
    # A masked s is a copy already; a second one would be the largest array in use.
    logits = np.subtract(s, np.where(np.isinf(highest), 0, highest), out=None if mask is None else s)
    if t == 0:
        logits[logits < 0] = -np.inf
    elif t != 1:
        logits /= t
    return logits


def _block(scores: Floats, mask: npt.NDArray[np.bool_]) -> Floats:
    try:
        return np.where(mask, scores, -np.inf)
    except ValueError:
        raise ValueError(f"mask has shape {mask.shape}, which does not fit scores of shape {scores.shape}") from None


def _total(weights: Floats, axis: Axis) -> Floats:
    total = weights.sum(axis=axis, keepdims=True)
    return np.where(total == 0, 1, total)


def _check(temperature: float) -> None:
    if not temperature >= 0:
        raise ValueError(f"temperature must be 0 or more, not {temperature}")
