"""Ways to block a key that are met in the field, each computed just as it is written there, to be compared.

The way of this engine is `softmax(scores, mask=mask)`: -inf for a blocked key, and zeros for a row without any other.
"""

import numpy as np
import numpy.typing as npt

from core.arrays import Bools, Floats
from core.attention import attend
from core.masks import as_mask


@np.errstate(all="ignore")
def unguarded_softmax(scores: Floats) -> Floats:
    """exp(s - max s) / Σ exp(s - max s) over the last axis, in the precision given: a row of -inf is 0 / 0, NaN."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return weights


@np.errstate(over="ignore")
def held(number: float, like: Floats) -> Floats:
    """The number as the precision of `like` holds it: -1e9 is -inf in float16."""
    return np.asarray(number).astype(like.dtype)


def filled(scores: Floats, mask: npt.ArrayLike, fill: float) -> Floats:
    """Weights when the scores of blocked keys are replaced by `fill`, itself held in the precision of the scores.

    scores (..., n_q, n_k), mask boolean, True = may attend. -inf is right wherever a key is allowed. -1e9 is the same
    there, gives even weights to a row without allowed keys, and is -inf in float16, which ends at -65504.
    """
    return unguarded_softmax(np.where(_allowed(scores, mask), scores, held(fill, scores)))


def multiplied(scores: Floats, mask: npt.ArrayLike) -> Floats:
    """Weights when scores are multiplied by the mask as 0 and 1: a blocked key keeps e^0 = 1 and takes its share."""
    return unguarded_softmax(scores * _allowed(scores, mask))


def zeroed(scores: Floats, mask: npt.ArrayLike) -> Floats:
    """Weights multiplied by the mask after the softmax, not renormalised: a row sums to what the allowed keys had."""
    return unguarded_softmax(scores) * _allowed(scores, mask)


def influence(query: Floats, key: Floats, value: Floats, mask: Bools) -> float:
    """Measure how much weights and outputs change at most when blocked keys and values hold 1e30 instead, or NaN.

    query (n_q, d_k), key (n_k, d_k), value (n_k, d_v), mask (n_q, n_k); each query is asked alone, since what is
    blocked for one may be allowed for another. NaN if a NaN gets through.
    """
    blocked = ~as_mask(mask)[:, :, None]

    def result(held: float | None) -> Floats:
        keys, values = (x if held is None else np.where(blocked, held, x) for x in (key, value))
        alone = attend(query[:, None], keys, values, mask=mask[:, None])
        return np.concatenate([alone.weights, alone.output], axis=-1)

    return float(np.max([np.abs(result(held) - result(None)).max(initial=0) for held in (1e30, np.nan)]))


def _allowed(scores: Floats, mask: npt.ArrayLike) -> Bools:
    return np.broadcast_to(as_mask(mask), scores.shape)
