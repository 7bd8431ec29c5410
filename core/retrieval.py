"""A small task trained by gradient descent: every query has to find its own key. What the divisor does to learning."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from core.arrays import Floats
from core.softmax import log_softmax, softmax

Loss = Literal["value", "log"]


@dataclass(frozen=True, eq=False)
class Step:
    """Where training stands after `step` updates.

    loss: mean over queries; accuracy: share of queries whose own key weighs most; gradient: mean length of the gradient
    that reaches a query's scores; weights: (n_keys, n_keys), rows are queries.
    """

    step: int
    loss: float
    accuracy: float
    gradient: float
    weights: Floats


def train(
    n_keys: int,
    d_k: int,
    *,
    divisor: float,
    learning_rate: float = 0.5,
    n_steps: int = 200,
    loss: Loss = "value",
    rng: int | np.random.Generator,
) -> Iterator[Step]:
    """Yield the start and each of n_steps updates of plain gradient descent on n_keys queries and as many keys.

    Queries and keys (n_keys, d_k) start as standard normals, so that Var(q·k) = d_k; an int rng gives every divisor the
    same start. Query i should read the value of key i, its label as a one-hot vector. With loss "value", ½ |value read
    − label|², the gradient comes to the scores through the softmax Jacobian and dies where the weights saturate. With
    loss "log", −log p_i, the Jacobian cancels and saturation does no harm.
    """
    for name, number in (("n_keys", n_keys), ("d_k", d_k)):
        if number < 1:
            raise ValueError(f"{name} must be at least 1, got {number}")
    for name, factor in (("divisor", divisor), ("learning_rate", learning_rate)):
        if not factor > 0:
            raise ValueError(f"{name} must be positive, got {factor}")
    if loss not in get_args(Loss):
        raise ValueError(f"loss must be value or log, got {loss!r}")
    query, key = np.random.default_rng(rng).standard_normal((2, n_keys, d_k))
    return _descend(query, key, divisor, learning_rate, n_steps, loss)


def _descend(
    query: Floats, key: Floats, divisor: float, learning_rate: float, n_steps: int, loss: Loss
) -> Iterator[Step]:
    for step in range(n_steps + 1):
        scores = query @ key.T / divisor
        losses, gradient = losses_and_gradient(scores, loss)
        weights = softmax(scores)
        found = weights.argmax(axis=-1) == np.arange(len(weights))
        reaching = np.sqrt((gradient**2).sum(axis=-1))
        yield Step(step, float(losses.mean()), float(found.mean()), float(reaching.mean()), weights)
        change = learning_rate / divisor * gradient
        query, key = query - change @ key, key - change.T @ query


def losses_and_gradient(scores: Floats, loss: Loss) -> tuple[Floats, Floats]:
    """The loss of each query (n,), a row of scores (n, n) that means its own key, and its gradient by the scores."""
    weights = softmax(scores)
    error = weights - np.eye(len(scores))
    if loss == "log":
        return -np.diagonal(log_softmax(scores)), error
    # The softmax Jacobian, diag(p) − p pᵀ, times the error.
    through = weights * (error - (weights * error).sum(axis=-1, keepdims=True))
    return (error**2).sum(axis=-1) / 2, through
