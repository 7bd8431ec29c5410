"""A Transformer encoder layer: attention and a feed-forward network, each with its residual sum and normalisation."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from core.arrays import Floats, as_floats
from core.multi_head import MultiHead, Projections, multi_head_attention, seeded_projections

Norm = Literal["post", "pre", "none"]
Kind = Literal["layer", "rms"]
Activation = Literal["relu", "gelu"]


@dataclass(frozen=True, eq=False)
class EncoderWeights:
    """The learned numbers of one layer.

    w_1 (d_model, d_ff) and w_2 (d_ff, d_model) with biases b_1 (d_ff), b_2 (d_model); gain_1, bias_1 (d_model) belong
    to the normalisation of the attention, gain_2, bias_2 to that of the feed-forward network.
    """

    projections: Projections
    w_1: Floats
    b_1: Floats
    w_2: Floats
    b_2: Floats
    gain_1: Floats
    bias_1: Floats
    gain_2: Floats
    bias_2: Floats


@dataclass(frozen=True, eq=False)
class EncoderLayer:
    """Every step of one layer, in order; all but `attention` are (..., n, d_model).

    attention_input: what the heads read, x or with pre-norm its normalised form; after_attention: the residual sum Z;
    normed: what the feed-forward network reads; feed_forward: what it answers; after_feed_forward: their residual sum.
    """

    attention_input: Floats
    attention: MultiHead
    after_attention: Floats
    normed: Floats
    feed_forward: Floats
    after_feed_forward: Floats
    output: Floats


def seeded_encoder_weights(d_model: int, n_heads: int, d_ff: int, *, rng: int | np.random.Generator) -> EncoderWeights:
    """Draw weights under which a sublayer keeps components of variance 1 at about 1; biases 0 and gains 1.

    Raises ValueError if n_heads does not divide d_model. Source: He et al. 2015, equation 10.
    """
    rng = np.random.default_rng(rng)
    return EncoderWeights(
        projections=seeded_projections(d_model, n_heads, rng=rng),
        w_1=rng.normal(0, 1 / math.sqrt(d_model), (d_model, d_ff)),
        b_1=np.zeros(d_ff),
        # ReLU halves the second moment, hence 2.
        w_2=rng.normal(0, math.sqrt(2 / d_ff), (d_ff, d_model)),
        b_2=np.zeros(d_model),
        gain_1=np.ones(d_model),
        bias_1=np.zeros(d_model),
        gain_2=np.ones(d_model),
        bias_2=np.zeros(d_model),
    )


def encoder_layer(
    x: npt.ArrayLike,
    weights: EncoderWeights,
    *,
    n_heads: int,
    norm: Norm = "post",
    kind: Kind = "layer",
    activation: Activation = "relu",
    residual: bool = True,
    mask: npt.ArrayLike | None = None,
) -> EncoderLayer:
    """Let the tokens of x (..., n, d_model) attend to each other, then transform each by itself.

    norm="post": LN(z + FFN(z)) with z = LN(x + MHA(x)); norm="pre": z + FFN(LN(z)) with z = x + MHA(LN(x));
    norm="none": no normalisation. kind="rms" uses `rms_norm`, without biases. residual=False drops the two sums.
    mask is that of `multi_head_attention`.

    Source: Vaswani et al. 2017, section 3.1; pre-norm: Xiong et al. 2020, table 1.
    """
    if norm not in ("post", "pre", "none"):
        raise ValueError(f'norm must be "post", "pre" or "none", not {norm!r}')
    if kind not in ("layer", "rms"):
        raise ValueError(f'kind must be "layer" or "rms", not {kind!r}')
    (x,) = as_floats(x)
    w = weights

    def normalise(y: Floats, gain: Floats, bias: Floats) -> Floats:
        return layer_norm(y, gain=gain, bias=bias) if kind == "layer" else rms_norm(y, gain=gain)

    attention_input = normalise(x, w.gain_1, w.bias_1) if norm == "pre" else x
    attention = multi_head_attention(attention_input, attention_input, w.projections, n_heads, mask=mask)
    after_attention = x + attention.output if residual else attention.output

    stream = normalise(after_attention, w.gain_1, w.bias_1) if norm == "post" else after_attention
    normed = normalise(stream, w.gain_2, w.bias_2) if norm == "pre" else stream
    answer = feed_forward(normed, w.w_1, w.b_1, w.w_2, w.b_2, activation=activation)
    after_feed_forward = stream + answer if residual else answer

    output = normalise(after_feed_forward, w.gain_2, w.bias_2) if norm == "post" else after_feed_forward
    return EncoderLayer(attention_input, attention, after_attention, normed, answer, after_feed_forward, output)


def encoder_stack(
    x: npt.ArrayLike,
    layers: Iterable[EncoderWeights],
    *,
    n_heads: int,
    norm: Norm = "post",
    kind: Kind = "layer",
    activation: Activation = "relu",
    residual: bool = True,
    mask: npt.ArrayLike | None = None,
) -> Iterator[Floats]:
    """Send x (..., n, d_model) through the layers and yield each layer's output; the arguments of `encoder_layer`."""
    for weights in layers:
        x = encoder_layer(
            x,
            weights,
            n_heads=n_heads,
            norm=norm,
            kind=kind,
            activation=activation,
            residual=residual,
            mask=mask,
        ).output
        yield x


def layer_norm(
    x: npt.ArrayLike, *, gain: npt.ArrayLike | None = None, bias: npt.ArrayLike | None = None, eps: float = 1e-5
) -> Floats:
    """Give each token's components mean 0 and deviation 1: (x - mean) / √(variance + eps) * gain + bias.

    x (..., d), normalised over its last axis; gain and bias (d); the variance divides by d, not d - 1.
    A token of equal components with eps=0 becomes 0. Raises ValueError for a negative eps or a gain that does not fit.
    Source: Ba et al. 2016, equation 3.
    """
    (x,) = as_floats(x)
    return _rescale(x - x.mean(axis=-1, keepdims=True), gain, bias, eps)


def rms_norm(x: npt.ArrayLike, *, gain: npt.ArrayLike | None = None, eps: float = 1e-5) -> Floats:
    """Give each token's components root mean square 1 and leave their mean: x / √(mean(x²) + eps) * gain.

    x (..., d), normalised over its last axis; gain (d). A token of zeros with eps=0 stays 0.
    Raises ValueError for a negative eps or a gain that does not fit. Source: Zhang and Sennrich 2019, equation 4.
    """
    (x,) = as_floats(x)
    return _rescale(x, gain, None, eps)


def feed_forward(
    x: npt.ArrayLike,
    w_1: npt.ArrayLike,
    b_1: npt.ArrayLike,
    w_2: npt.ArrayLike,
    b_2: npt.ArrayLike,
    *,
    activation: Activation = "relu",
) -> Floats:
    """Transform each token by itself: activation(x W_1 + b_1) W_2 + b_2.

    x (..., d_model), w_1 (d_model, d_ff), b_1 (d_ff), w_2 (d_ff, d_out), b_2 (d_out); returns (..., d_out).
    "relu" is max(0, h); "gelu" is h Φ(h) with the exact normal distribution function.
    Raises ValueError for an unknown activation or weights that do not fit.
    Source: Vaswani et al. 2017, equation 2; GELU: Hendrycks and Gimpel 2016, section 2.
    """
    x, w_1, b_1, w_2, b_2 = as_floats(x, w_1, b_1, w_2, b_2)
    if x.shape[-1] != w_1.shape[0]:
        raise ValueError(f"w_1 has {w_1.shape[0]} rows but x has {x.shape[-1]} components")
    if w_1.shape[1] != w_2.shape[0]:
        raise ValueError(f"w_2 has {w_2.shape[0]} rows but w_1 has {w_1.shape[1]} columns")
    hidden = x @ w_1 + b_1
    if activation == "relu":
        hidden = np.maximum(hidden, 0)
    elif activation == "gelu":
        from scipy.special import ndtr

        hidden = hidden * ndtr(hidden)
    else:
        raise ValueError(f'activation must be "relu" or "gelu", not {activation!r}')
    return hidden @ w_2 + b_2


def root_mean_square(x: npt.ArrayLike) -> float:
    """The scale of a whole array: √mean(x²)."""
    return float(np.sqrt(np.mean(np.square(as_floats(x)[0]))))


def cosine(x: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """The cosine between vectors along the last axis, x · y / (|x| |y|); 0 if one of them is zero.

    x and y (..., d), leading axes broadcast; returns (...).
    """
    product: Floats = np.sum(_unit(x) * _unit(y), axis=-1)
    return product


def token_similarity(x: npt.ArrayLike) -> Floats:
    """How alike the tokens are: the mean cosine over all pairs of different tokens; NaN for fewer than two tokens.

    x (..., n, d); returns (...). 1 means that all tokens point the same way (rank collapse: Dong et al. 2021).
    """
    unit = _unit(x)
    n = unit.shape[-2]
    if n < 2:
        return np.full(unit.shape[:-2], np.nan, dtype=unit.dtype)
    of_sum: Floats = np.sum(np.square(unit.sum(axis=-2)), axis=-1)
    same: Floats = np.sum(np.square(unit), axis=(-2, -1))
    similarity: Floats = (of_sum - same) / (n * (n - 1))
    return similarity


def _rescale(x: Floats, gain: npt.ArrayLike | None, bias: npt.ArrayLike | None, eps: float) -> Floats:
    """Divide by the root mean square of the last axis, then apply gain and bias."""
    if not eps >= 0:
        raise ValueError(f"eps must be 0 or more, not {eps}")
    deviation = np.sqrt(np.mean(np.square(x), axis=-1, keepdims=True) + x.dtype.type(eps))
    y = x / np.where(deviation == 0, 1, deviation)
    if gain is not None:
        y = y * _fitting("gain", gain, x)
    if bias is not None:
        y = y + _fitting("bias", bias, x)
    return y


def _fitting(name: str, parameter: npt.ArrayLike, x: Floats) -> Floats:
    (parameter,) = as_floats(parameter)
    if parameter.shape != x.shape[-1:]:
        raise ValueError(f"{name} has shape {parameter.shape} but x has {x.shape[-1]} components")
    return parameter


def _unit(x: npt.ArrayLike) -> Floats:
    (x,) = as_floats(x)
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    unit: Floats = x / np.where(length == 0, 1, length)
    return unit
