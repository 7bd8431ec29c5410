"""Masks: boolean arrays of queries by keys, True where the query may attend to the key."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from core.arrays import Bools

Align = Literal["top-left", "bottom-right"]


def causal(n_q: int, n_k: int | None = None, *, align: Align = "top-left") -> Bools:
    """Let each query see its own key and the keys before it.

    With fewer queries than keys, `align` says which corner of the matrix the diagonal leaves from: "top-left" numbers
    queries and keys from the start (key j <= query i), "bottom-right" from the end (j <= i + n_k - n_q), as when the
    queries are the newest tokens of a longer text.

    Returns (n_q, n_k); n_k is n_q unless given. Source: Vaswani et al. 2017, section 3.2.3.
    """
    return _distance(n_q, n_k, align) <= 0


def window(
    n_q: int, n_k: int | None = None, *, left: int | None, right: int | None = 0, align: Align = "top-left"
) -> Bools:
    """Let each query see its own key, `left` neighbours before it and `right` neighbours after it.

    The token itself is not counted: left=2, right=0 shows three keys. None lifts the limit on that side, so left=None,
    right=0 is the causal mask. `align` is that of `causal`.

    Returns (n_q, n_k); n_k is n_q unless given. Source: Beltagy et al. 2020 (Longformer), section 3.1.
    """
    distance = _distance(n_q, n_k, align)
    mask = np.ones(distance.shape, dtype=bool)
    if left is not None:
        mask &= distance >= -_whole("left", left)
    if right is not None:
        mask &= distance <= _whole("right", right)
    return mask


def padding(key_lengths: npt.ArrayLike, n_k: int) -> Bools:
    """Hide the padding behind each text: only the first `key_lengths` of the n_k keys are seen.

    key_lengths (...) of whole numbers from 0 to n_k; returns (..., 1, n_k), the same for every query.
    """
    n_k = _whole("n_k", n_k)
    lengths = np.asarray(key_lengths)
    if lengths.dtype.kind not in "iu":
        raise ValueError(f"key_lengths must be whole numbers, not {lengths.dtype}: {lengths}")
    if lengths.size and (lengths.min() < 0 or lengths.max() > n_k):
        raise ValueError(f"key_lengths must lie between 0 and n_k = {n_k}, not {lengths}")
    return np.arange(n_k) < lengths[..., None, None]


def prefix(n: int, length: int) -> Bools:
    """Show the first `length` keys to every query, and the rest causally (a prefix language model).

    length from 0 to n; returns (n, n). Source: Raffel et al. 2020 (T5), section 3.2.1.
    """
    n = _whole("n", n)
    if _whole("length", length) > n:
        raise ValueError(f"length = {length} is longer than n = {n}")
    return causal(n) | (np.arange(n) < length)


def combine(*masks: npt.ArrayLike) -> Bools:
    """Allow what every mask allows (AND); the masks broadcast."""
    if not masks:
        raise ValueError("combine needs at least one mask")
    checked = [as_mask(mask) for mask in masks]
    try:
        allowed: Bools = np.logical_and.reduce(np.broadcast_arrays(*checked))
    except ValueError:
        raise ValueError(f"masks of shapes {[mask.shape for mask in checked]} do not broadcast") from None
    return allowed


def named(kind: str, n: int, *, keep: int = 0, left: int = 0, right: int = 0, prefix_length: int = 0) -> Bools:
    """Build the (n, n) mask that goes by the name `kind`: none, causal, padding, window or prefix.

    padding shows the first `keep` keys, window `left` and `right` neighbours, prefix the first `prefix_length` keys;
    a length beyond n means all n. Raises ValueError for another name.
    """
    match kind:
        case "none":
            return np.ones((n, n), dtype=bool)
        case "causal":
            return causal(n)
        case "padding":
            return np.broadcast_to(padding(min(keep, n), n), (n, n))
        case "window":
            return window(n, left=left, right=right)
        case "prefix":
            return prefix(n, min(prefix_length, n))
    raise ValueError(f"mask must be none, causal, padding, window or prefix, not {kind!r}")


def as_mask(mask: npt.ArrayLike) -> Bools:
    """The mask as an array, or a TypeError if it is not boolean: 0 and 1 as numbers are read both ways in the field."""
    array = np.asarray(mask)
    if array.dtype != np.bool_:
        raise TypeError(
            f"mask must be boolean (True = may attend), not {array.dtype}; numbers to add to the scores go into bias"
        )
    return array


def _distance(n_q: int, n_k: int | None, align: Align) -> npt.NDArray[np.intp]:
    """How many places each key stands after its query, (n_q, n_k)."""
    n_q = _whole("n_q", n_q)
    n_k = n_q if n_k is None else _whole("n_k", n_k)
    if align not in ("top-left", "bottom-right"):
        raise ValueError(f'align must be "top-left" or "bottom-right", not {align!r}')
    offset = n_k - n_q if align == "bottom-right" else 0
    return np.arange(n_k) - np.arange(n_q)[:, None] - offset


def _whole(name: str, number: int) -> int:
    if isinstance(number, (bool, np.bool_)) or number % 1 != 0 or number < 0:
        raise ValueError(f"{name} must be a whole number, 0 or more, not {number}")
    return int(number)
