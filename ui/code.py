"""The NumPy program of the current state: parts under text/code/ with the state's values filled in."""

import string
from functools import cache
from typing import Any

import numpy as np

from ui.text import TEXT


class Expression(str):
    """A value that is a piece of Python already and is not quoted again."""


def program(*parts: str, **values: Any) -> str:
    """The program made of `parts`, each `$name` replaced by the Python literal of its value."""
    literals = {name: value if isinstance(value, Expression) else repr(value) for name, value in values.items()}
    return "\n".join(_template(part).safe_substitute(literals) for part in parts)


@cache
def _template(part: str) -> string.Template:
    return string.Template((TEXT / "code" / f"{part}.py.txt").read_text(encoding="utf-8"))


def mask(kind: str, *, keep: int = 0, left: int = 0, right: int = 0, prefix_length: int = 0) -> Expression:
    """A mask that goes by its name, in terms of n."""
    distance = "np.arange(n) - np.arange(n)[:, None]"
    return Expression(
        {
            "none": "np.ones((n, n), dtype=bool)",
            "causal": "np.tri(n, dtype=bool)",
            "padding": f"np.tile(np.arange(n) < {keep}, (n, 1))",
            "window": f"({distance} >= -{left}) & ({distance} <= {right})",
            "prefix": f"np.tri(n, dtype=bool) | (np.arange(n) < {prefix_length})",
        }[kind]
    )


def painted(allowed: np.ndarray) -> Expression:
    """A mask cell by cell."""
    rows = ["".join("1" if cell else "0" for cell in row) for row in allowed]
    return Expression(f'np.array([list(row) for row in {rows}]) == "1"')


def scale(divisor: str) -> Expression:
    """What the scores are divided by, in terms of d_k."""
    return Expression({"1": "1", "sqrt": "np.sqrt(d_k)", "d_k": "d_k"}[divisor])


def tempered(temperature: float, *, masked: bool = True) -> Expression:
    """`shifted` scores (highest 0) over the temperature, or what is left of them in its two limits.

    Where the program has no mask, no score is -∞ and the hot limit is simply 0 for each.
    """
    limits = {
        0.0: "np.where(shifted == 0, 0, -np.inf)",
        float("inf"): "np.where(mask, 0, -np.inf)" if masked else "0 * shifted",
    }
    return Expression(limits.get(temperature, f"shifted / {temperature:g}"))


def components(law: str) -> Expression:
    """Components of a standardised law, drawn by rng into an array of a shape."""
    return Expression(
        {
            "normal": "rng.standard_normal(shape)",
            "uniform": "rng.uniform(-np.sqrt(3), np.sqrt(3), shape)",
            "sign": "2.0 * rng.integers(0, 2, shape, dtype=np.int8) - 1",
            "laplace": "rng.laplace(0, np.sqrt(1 / 2), shape)",
            "student": "np.sqrt(3 / 5) * rng.standard_t(5, shape)",
        }[law]
    )


def retrieval(loss: str) -> dict[str, Expression]:
    """A loss of the retrieval task, and its gradient by the scores, in terms of the weights p and error = p − label."""
    through, squares = "p * (error - (p * error).sum(axis=1, keepdims=True))", "(error**2).sum(axis=1).mean() / 2"
    log = "(np.log(np.exp(shifted).sum(axis=1)) - np.diag(shifted)).mean()"
    formulas = {"value": (squares, through), "log": (log, "error")}[loss]
    return dict(zip(("loss", "gradient"), map(Expression, formulas), strict=True))


def scores(scorer: str) -> Expression:
    """What a scorer of two sequences computes, in terms of decoder_states, states and what it has learned."""
    return Expression(
        {
            "dot": "decoder_states @ states.T",
            "general": "decoder_states @ w @ states.T",
            "additive": "np.tanh((decoder_states @ w_query)[:, None] + states @ w_key) @ v",
        }[scorer]
    )
