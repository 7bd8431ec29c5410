"""What a layer costs: multiply-adds, bytes, steps that must wait for each other, and the path between two tokens."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Cost:
    """Multiply-adds and bytes by part, for all layers; steps that wait for each other; longest path between tokens."""

    multiply_adds: Mapping[str, int]
    bytes: Mapping[str, int]
    sequential_steps: int
    path_length: int

    @property
    def total_multiply_adds(self) -> int:
        """Multiply-adds of all parts."""
        return sum(self.multiply_adds.values())

    @property
    def total_bytes(self) -> int:
        """Bytes of all parts."""
        return sum(self.bytes.values())


def attention_cost(
    n: int, d_model: int, n_heads: int, n_layers: int = 1, bytes_per_number: int = 4, *, d_ff: int | None = None
) -> Cost:
    """Cost of n_layers encoder layers of self-attention over n tokens, with every intermediate kept as in training.

    Per layer: projections 4 n d², scores n² d, mix n² d, feed-forward 2 n d d_ff (d_ff is 4 d unless given).
    The number of heads changes the bytes of the scores alone. Biases, norms and the softmax are left out.
    Source: Vaswani et al. 2017, table 1.
    """
    _check_positive(n=n, d_model=d_model, n_heads=n_heads, n_layers=n_layers, bytes_per_number=bytes_per_number)
    _check_heads(d_model, n_heads)
    d_ff = 4 * d_model if d_ff is None else d_ff
    return Cost(
        multiply_adds={
            "projections": n_layers * 4 * n * d_model**2,
            "scores": n_layers * n**2 * d_model,
            "mix": n_layers * n**2 * d_model,
            "feed_forward": n_layers * 2 * n * d_model * d_ff,
        },
        bytes={
            "parameters": n_layers * bytes_per_number * (4 * d_model**2 + 2 * d_model * d_ff),
            "query_key_value": n_layers * bytes_per_number * 3 * n * d_model,
            "scores": n_layers * bytes_per_number * n_heads * n**2,
            "hidden": n_layers * bytes_per_number * n * d_ff,
        },
        sequential_steps=n_layers,
        path_length=1,
    )


def recurrent_cost(n: int, d_model: int, n_layers: int = 1, bytes_per_number: int = 4) -> Cost:
    """Cost of n_layers recurrent layers h_t = tanh(x_t W + h_(t−1) U) over n tokens: 2 n d² multiply-adds a layer.

    Source: Vaswani et al. 2017, table 1.
    """
    _check_positive(n=n, d_model=d_model, n_layers=n_layers, bytes_per_number=bytes_per_number)
    return Cost(
        multiply_adds={"input": n_layers * n * d_model**2, "state": n_layers * n * d_model**2},
        bytes={
            "parameters": n_layers * bytes_per_number * 2 * d_model**2,
            "states": n_layers * bytes_per_number * n * d_model,
        },
        # A layer may start as soon as the one below has its first state.
        sequential_steps=n + n_layers - 1,
        path_length=n,
    )


def convolution_cost(n: int, d_model: int, kernel: int, n_layers: int = 1, bytes_per_number: int = 4) -> Cost:
    """Cost of n_layers convolutions over n tokens, kernel words wide: kernel n d² multiply-adds a layer.

    The path is the number of dilated layers after which two tokens can meet, the logarithm of n to base kernel, rounded
    up. Source: Vaswani et al. 2017, table 1.
    """
    _check_positive(n=n, d_model=d_model, n_layers=n_layers, bytes_per_number=bytes_per_number)
    if kernel < 2:
        raise ValueError(f"kernel must be at least 2, got {kernel}")
    path_length, reach = 1, kernel
    while reach < n:
        path_length, reach = path_length + 1, reach * kernel
    return Cost(
        multiply_adds={"convolution": n_layers * kernel * n * d_model**2},
        bytes={
            "parameters": n_layers * bytes_per_number * kernel * d_model**2,
            "states": n_layers * bytes_per_number * n * d_model,
        },
        sequential_steps=n_layers,
        path_length=path_length,
    )


def crossing_length(d_model: int) -> int:
    """Number of tokens at which scores and mix cost as much as the four projections: 2 n² d = 4 n d², so n = 2 d."""
    _check_positive(d_model=d_model)
    return 2 * d_model


def kv_cache_bytes(
    n: int, d_model: int, n_heads: int, n_layers: int = 1, bytes_per_number: int = 4, *, n_kv_heads: int | None = None
) -> int:
    """Bytes that a decoder keeps of n past tokens: their keys and values, 2 n d_head for each key-value head and layer.

    n_kv_heads is n_heads unless given; fewer is grouped-query attention (Ainslie et al. 2023).
    """
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    _check_positive(
        n=n,
        d_model=d_model,
        n_heads=n_heads,
        n_layers=n_layers,
        bytes_per_number=bytes_per_number,
        n_kv_heads=n_kv_heads,
    )
    _check_heads(d_model, n_heads)
    if n_heads % n_kv_heads:
        raise ValueError(f"n_heads = {n_heads} must be a multiple of n_kv_heads = {n_kv_heads}")
    return 2 * n_layers * bytes_per_number * n * n_kv_heads * (d_model // n_heads)


@dataclass(frozen=True)
class PowerLaw:
    """seconds = factor · sizeᵉ: the exponent e with its interval [low, high], and the factor."""

    exponent: float
    low: float
    high: float
    factor: float


def fit_exponent(sizes: npt.ArrayLike, seconds: npt.ArrayLike, *, confidence: float = 0.95) -> PowerLaw:
    """Fit seconds (n,) = factor · sizes (n,) to a power, by least squares in the logarithms.

    The interval is that of the slope with Student's t of n − 2 degrees of freedom, for errors of seconds that are
    independent and of equal relative size. Raises ValueError for fewer than three different sizes.
    """
    from scipy.special import stdtrit

    x, y = np.asarray(sizes, dtype=np.float64), np.asarray(seconds, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"sizes and seconds must both be (n,), but their shapes are {x.shape} and {y.shape}")
    if len(np.unique(x)) < 3:
        raise ValueError(f"sizes must have at least 3 different values, got {len(np.unique(x))}")
    if not (x > 0).all() or not (y > 0).all():
        raise ValueError("sizes and seconds must be positive")
    x, y = np.log(x), np.log(y)
    centred = x - x.mean()
    exponent = centred @ y / (centred @ centred)
    residual = y - y.mean() - exponent * centred
    standard_error = np.sqrt(residual @ residual / (len(x) - 2) / (centred @ centred))
    margin = stdtrit(len(x) - 2, (1 + confidence) / 2) * standard_error
    factor = np.exp(y.mean() - exponent * x.mean())
    return PowerLaw(float(exponent), float(exponent - margin), float(exponent + margin), float(factor))


def _check_positive(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1:
            raise ValueError(f"{name} must be at least 1, got {number}")


def _check_heads(d_model: int, n_heads: int) -> None:
    if d_model % n_heads:
        raise ValueError(f"d_model = {d_model} must be a multiple of n_heads = {n_heads}")
