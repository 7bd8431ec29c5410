"""Layers to look into: the gazes of a worked sentence as heads, and heads that share their keys and values."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from core.arrays import Floats, as_floats
from core.attention import attend
from core.examples import Example
from core.multi_head import Projections, seeded_projections


def gaze_layer(example: Example, *, rng: int | np.random.Generator) -> tuple[Floats, Projections]:
    """Set the gazes of a worked sentence side by side as the heads of one layer: its input and its projections.

    Returns x (n, d_model) and projections with d_model = 4 * number of gazes: cut in as many heads as there are gazes,
    head i is gaze i. x is the sentence's features and zeros; w_o is seeded, as in `seeded_projections`.
    Raises ValueError for a sentence without gazes.
    """
    if not example.gazes:
        raise ValueError(f"example {example.name!r} has no gazes")
    d_model = sum(gaze.w_q.shape[1] for gaze in example.gazes)

    def padded(matrix: Floats, shape: tuple[int, int]) -> Floats:
        return np.pad(matrix, [(0, wanted - given) for wanted, given in zip(shape, matrix.shape, strict=True)])

    w_q, w_k, w_v = (
        padded(np.hstack([getattr(gaze, name) for gaze in example.gazes]), (d_model, d_model))
        for name in ("w_q", "w_k", "w_v")
    )
    w_o = seeded_projections(d_model, 1, rng=rng).w_o
    return padded(example.features, (len(example.tokens), d_model)), Projections(w_q, w_k, w_v, w_o)


def share_key_heads(projections: Projections, n_heads: int, n_kv_heads: int) -> Projections:
    """Let neighbouring heads share one key and value head, the mean of those it replaces.

    projections of n_heads heads without biases; the result's w_k and w_v have n_kv_heads heads.
    Raises ValueError if n_kv_heads does not divide n_heads. Source: Ainslie et al. 2023, section 2.1.
    """
    if n_kv_heads < 1 or n_heads % n_kv_heads:
        raise ValueError(f"n_heads = {n_heads} is not a multiple of n_kv_heads = {n_kv_heads}")

    def pooled(w: Floats) -> Floats:
        groups = w.reshape(len(w), n_kv_heads, n_heads // n_kv_heads, -1)  # (d_model, n_kv_heads, group, d)
        mean: Floats = groups.mean(axis=2)
        return mean.reshape(len(w), -1)

    return replace(projections, w_k=pooled(projections.w_k), w_v=pooled(projections.w_v))


def separate_heads(
    x: npt.ArrayLike, projections: Projections, n_heads: int, *, n_kv_heads: int | None = None
) -> Floats:
    """Attend with n_heads small sets of projections, one after the other, and set their outputs side by side.

    x (..., n, d_model), projections without biases; returns (..., n, n_heads * d_v): the concat of
    `multi_head_attention`, which cuts one projection instead. Source: Vaswani et al. 2017, section 3.2.2.
    """
    (x,) = as_floats(x)
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    w_q = np.split(projections.w_q, n_heads, axis=1)
    w_k, w_v = (np.split(w, n_kv_heads, axis=1) for w in (projections.w_k, projections.w_v))
    outputs = []
    for head in range(n_heads):
        shared = head * n_kv_heads // n_heads
        outputs.append(attend(x @ w_q[head], x @ w_k[shared], x @ w_v[shared]).output)
    return np.concatenate(outputs, axis=-1)
