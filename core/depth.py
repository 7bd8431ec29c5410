"""What is left of the tokens after many layers with their first, random weights."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.arrays import Floats, as_floats
from core.encoder import (
    EncoderWeights,
    Kind,
    Norm,
    cosine,
    encoder_stack,
    root_mean_square,
    seeded_encoder_weights,
    token_similarity,
)

FIGURES = ("scale", "similarity", "cosine")


def seeded_layers(n_layers: int, d_model: int, n_heads: int, *, seed: int) -> tuple[EncoderWeights, ...]:
    """Draw the weights of a stack with d_ff = 4 d_model; more layers keep the first ones.

    Raises ValueError if n_heads does not divide d_model.
    """
    return tuple(
        seeded_encoder_weights(d_model, n_heads, 4 * d_model, rng=np.random.default_rng([seed, layer]))
        for layer in range(n_layers)
    )


def left_after(
    x: npt.ArrayLike,
    layers: Sequence[EncoderWeights],
    *,
    n_heads: int,
    norm: Norm = "post",
    kind: Kind = "layer",
    residual: bool = True,
) -> Floats:
    """Measure FIGURES after every layer on the tokens x (n, d_model): (len(layers), 3).

    Scale is the root mean square of all components, similarity the mean cosine between different tokens (NaN for a
    single one), cosine the mean over the tokens of their cosine to what they were. The other arguments are those of
    `encoder_layer`. Source: Dong et al. 2021 (without the residual); Xiong et al. 2020, lemma 2 (scale).
    """
    (x,) = as_floats(x)
    outputs = encoder_stack(x, layers, n_heads=n_heads, norm=norm, kind=kind, residual=residual)
    return np.array([(root_mean_square(y), token_similarity(y), cosine(x, y).mean()) for y in outputs])


def expected_scale(norm: Norm, n_layers: npt.ArrayLike) -> Floats:
    """The scale after n_layers if every sublayer answered at the scale of what it reads and at right angles to it.

    With the residual and x of scale 1: two sublayers a layer, hence 1 for "post", √(1 + 2 L) for "pre" and 2^L for
    "none". Raises ValueError for another norm. Source: Xiong et al. 2020, lemma 2.
    """
    (depth,) = as_floats(n_layers)
    match norm:
        case "post":
            return np.ones_like(depth)
        case "pre":
            return np.sqrt(1 + 2 * depth)
        case "none":
            return 2.0**depth
    raise ValueError(f'norm must be "post", "pre" or "none", not {norm!r}')


def expected_cosine(norm: Norm, n_layers: npt.ArrayLike) -> Floats:
    """The cosine to the input under the assumptions of `expected_scale`.

    The input is carried on unchanged by "pre" and "none", so its cosine is one over the scale; "post" divides the
    stream by √2 after each of the two sums of a layer: 2^-L as well. Raises ValueError for another norm.
    """
    return 1 / expected_scale("none" if norm == "post" else norm, n_layers)
