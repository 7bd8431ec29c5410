"""One query's walk through attention: its numbers as frames for the tape, as lines of arithmetic, and as formulas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from ui.charts.steps import LANES, STEEP_FROM
from ui.controls import CONTROLS
from ui.keep import keep
from ui.late import pd
from ui.text import minus
from ui.tidy import SINCE, UNTIL, along

STEPS: tuple[str, ...] = CONTROLS["step"].options


class Walk(NamedTuple):
    """Every number on one query's way, in the order of the steps.

    query and output are (d,); keys, values and weighted (n, d); the others one number a key, (n,). divisor is the
    number that the products are divided by.
    """

    query: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    products: np.ndarray
    divisor: float
    scores: np.ndarray
    allowed: np.ndarray
    exponentials: np.ndarray
    weights: np.ndarray
    weighted: np.ndarray
    output: np.ndarray

    @property
    def total(self) -> float:
        """What the exponentials add up to."""
        return float(self.exponentials.sum())


@keep(100)
def tape(
    walk: Walk,
    tokens: Sequence[str],
    rows: Sequence[str],
    changes: Sequence[tuple[str, int, int]],
    query: int,
) -> dict[str, pd.DataFrame]:
    """The frames of `ui.charts.steps.tape`, where each row is there since the step that computes it.

    `rows` are the full names of all rows. `changes` are the places (table, row, component) that the visitor has
    changed; `query` is the walk's own row.
    """
    n, d = walk.keys.shape
    low, high = min(walk.products.min(), 0.0), max(walk.products.max(), 0.0)
    span = high - low or 1.0
    values = np.nan_to_num(whole(walk), neginf=0)
    lane_sizes = values[d : d + LANES] / np.array([span, span, span, walk.exponentials.max() or 1, 1])[:, None]
    longest, tallest = max(np.abs(walk.keys).max(), np.abs(walk.query).max()) or 1, np.abs(walk.values).max() or 1
    sizes = np.concatenate(
        [
            np.abs(walk.keys.T) / longest,
            lane_sizes,
            np.abs(walk.values.T) / tallest,
            np.abs(walk.weighted.T) / tallest,
        ]
    )
    allowed, changed = np.ones(values.shape, dtype=bool), np.zeros(values.shape, dtype=bool)
    allowed[d + 2 : d + LANES] = walk.allowed
    first = {"k": 0, "v": d + LANES}
    for table, token, component in changes:
        if table in first:
            changed[first[table] + component, token] = True
    starts = np.zeros(values.shape)
    starts[d : d + 3] = -low / span
    since = np.repeat([0, *range(1, LANES + 1), 0, STEPS.index("mix")], [d, *[1] * LANES, d, d])
    cells = {
        "row": np.repeat(np.arange(len(values), dtype=np.int16), n),
        "key": np.tile(np.arange(n, dtype=np.int16), len(values)),
        "token": np.tile(np.array(tokens, dtype=object), len(values)),
        "place": np.repeat(np.array(rows, dtype=object), n),
        "value": values.ravel(),
        "start": starts.ravel().astype(np.float32),
        "size": sizes.ravel().astype(np.float32),
        "allowed": allowed.ravel(),
        "changed": changed.ravel(),
        SINCE: np.repeat(since, n).astype(np.int16),
        UNTIL: np.int16(len(STEPS)),
    }
    asked = {component for table, token, component in changes if (table, token) == ("q", query)}
    exp, weights, last = map(STEPS.index, ("exp", "weights", "output"))
    ends = [("query", row, x, abs(x) / longest, row in asked, 0) for row, x in enumerate(walk.query)]
    ends += [("sum", d + 3, walk.total, 0, False, exp), ("sum", d + 4, walk.weights.sum(), 0, False, weights)]
    ends += [("output", 2 * d + LANES + row, x, abs(x) / tallest, False, last) for row, x in enumerate(walk.output)]
    return {
        "cells": pd.DataFrame(cells),
        "ends": pd.DataFrame(ends, columns=["end", "row", "value", "size", "changed", SINCE]).assign(
            **{UNTIL: len(STEPS)}
        ),
        "keys": pd.DataFrame({"key": range(n), "token": list(tokens)}),
        "now": _framed(d),
    }


def room(tokens: Sequence[str]) -> int:
    """How many pixels the tokens need above the tape, in tens: they lean there and end after 96 pixels."""
    widest = max(sum(13 if character > "\u2e80" else 7 for character in token) for token in tokens)
    return 10 * math.ceil((24 + (0.65 if len(tokens) < STEEP_FROM else 0.9) * min(widest, 96)) / 10)


@cache
def names(compared: tuple[str, ...], lanes: tuple[str, ...], carried: tuple[str, ...], weighted: str) -> pd.DataFrame:
    """What stands left of the tape's rows: axes, lanes and blocks, faint as long as no step has come to them."""
    return along([_names(at, compared, lanes, carried, weighted) for at in range(len(STEPS))])


def _names(
    at: int, compared: Sequence[str], lanes: Sequence[str], carried: Sequence[str], weighted: str
) -> pd.DataFrame:
    d, mixed = len(compared), at >= STEPS.index("mix")
    blocks = [0, d + LANES, 2 * d + LANES]
    return pd.DataFrame(
        {
            "first": [*range(3 * d + LANES), *blocks],
            "last": [*range(3 * d + LANES), *(first + d - 1 for first in blocks)],
            "name": [*compared, *lanes, *carried, *carried, "K", "V", weighted],
            "kind": [*["axis"] * d, *["lane"] * LANES, *["axis"] * 2 * d, *["block"] * 3],
            "seen": [
                *[1] * d,
                *(int(lane < at) for lane in range(LANES)),
                *[1] * d,
                *[int(mixed)] * d,
                1,
                1,
                int(mixed),
            ],
        }
    )


def whole(walk: Walk) -> np.ndarray:
    """The whole tape as numbers, (3 d + LANES, n); a blocked key's masked score is -∞."""
    masked = np.where(walk.allowed, walk.scores, -np.inf)
    lanes = np.stack([walk.products, walk.scores, masked, walk.exponentials, walk.weights])
    return np.concatenate([walk.keys.T, lanes, walk.values.T, walk.weighted.T])


def arithmetic(walk: Walk, step: str) -> list[tuple[str, str]]:
    """For every key, what `step` does with its numbers and what comes out of it."""
    return [_line(walk, step, j) for j in range(len(walk.keys))]


def _line(walk: Walk, step: str, j: int) -> tuple[str, str]:
    product, score = short(walk.products[j]), short(walk.scores[j])
    masked = score if walk.allowed[j] else "−∞"
    e, weight = short(walk.exponentials[j]), f"{walk.weights[j]:.3f}"
    match step:
        case "vectors":
            return f"k = {vector(walk.keys[j])}", f"v = {vector(walk.values[j])}"
        case "dot":
            terms = (f"{_factor(q)}·{_factor(k)}" for q, k in zip(walk.query, walk.keys[j], strict=True))
            return " + ".join(terms), product
        case "divide":
            return f"{product} ÷ {short(walk.divisor)}", score
        case "mask":
            return f"{score} + {'0' if walk.allowed[j] else '(−∞)'}", masked
        case "exp":
            return f"e^({masked})" if masked.startswith("−") else f"e^{masked}", e
        case "weights":
            return (f"{e} ÷ {short(walk.total)}", weight) if walk.total else ("—", "0")
    return f"{weight} · {vector(walk.values[j])}", vector(walk.weighted[j], ".3f")


def formula(walk: Walk, step: str, j: int, divided_by: str) -> str:
    """What `step` does with key `j`, as LaTeX with the numbers in it; `divided_by` as the link names the divisor."""
    q, k, v = r"\Q{q}", r"\K{k}", r"\V{v}"
    product, score = _latex(walk.products[j]), _latex(walk.scores[j])
    masked = score if walk.allowed[j] else r"-\infty"
    e, total, weight = _latex(walk.exponentials[j]), _latex(walk.total), f"{walk.weights[j]:.3f}"
    match step:
        case "vectors":
            of = ((q, "Q", walk.query), (k, "K", walk.keys[j]), (v, "V", walk.values[j]))
            return r" \qquad ".join(rf"{name} = \{role}{{{vector(row)}}}" for name, role, row in of)
        case "dot":
            pairs = zip(walk.query, walk.keys[j], strict=True)
            terms = (rf"\Q{{{_factor(a)}}}\cdot\K{{{_factor(b)}}}" for a, b in pairs)
            return rf"{q}\cdot{k} = {' + '.join(terms)} = {product}"
        case "divide":
            below = {"1": "1", "sqrt": r"\sqrt{d_k}", "d_k": "d_k"}[divided_by]
            return rf"s = \frac{{{q}\cdot{k}}}{{{below}}} = \frac{{{product}}}{{{_latex(walk.divisor)}}} = {score}"
        case "mask" if walk.allowed[j]:
            return f"s + m = {score} + 0 = {score}"
        case "mask":
            return rf"s + m = {score} + (-\infty) = -\infty"
        case "exp":
            return rf"e^{{s + m}} = e^{{{masked}}} = {e}"
        case "weights" if walk.total:
            return rf"w = \frac{{e^{{s + m}}}}{{\sum_j e^{{s_j + m_j}}}} = \frac{{{e}}}{{{total}}} = {weight}"
        case "weights":
            return r"\sum_j e^{s_j + m_j} = 0 \quad\Rightarrow\quad w = 0"
        case "mix":
            weighted = vector(walk.weighted[j], ".3f")
            return rf"w\,{v} = {weight} \cdot \V{{{vector(walk.values[j])}}} = \V{{{weighted}}}"
    return rf"\sum_j w_j\,{v}_j = {_largest_terms(walk)} = \V{{{vector(walk.output, '.2f')}}}"


def _largest_terms(walk: Walk) -> str:
    """The two weighted values that count most, in the order of the sentence, and dots for the others."""
    heaviest = sorted(np.argsort(-walk.weights, kind="stable")[:2])
    terms = [rf"{walk.weights[j]:.2f}\,\V{{{vector(walk.values[j])}}}" for j in heaviest]
    return " + ".join(terms + [r"\cdots"] * (len(walk.weights) > 2))


def short(value: float, form: str = ".4g") -> str:
    """A number with a true minus sign and nothing behind it that says nothing."""
    text = f"{value + 0.0:{form}}"
    return minus(text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text)


def _factor(value: float) -> str:
    return f"({short(value)})" if value < 0 else short(value)


def vector(values: np.ndarray, form: str = ".4g") -> str:
    """A vector as one writes it."""
    return f"({', '.join(short(value, form) for value in values)})"


def _latex(value: float) -> str:
    mantissa, _, exponent = short(value).replace("−", "-").partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


@cache
def _framed(d: int) -> pd.DataFrame:
    return along([pd.DataFrame(_now(at, d), columns=["first", "last"]) for at in range(len(STEPS))])


def _now(at: int, d: int) -> list[tuple[int, int]]:
    """The first and the last row of every part of the tape that the step is about."""
    if at == 0:
        return [(0, d - 1), (d + LANES, 2 * d + LANES - 1)]
    if at <= LANES:
        return [(d + at - 1, d + at - 1)]
    return [(2 * d + LANES, 3 * d + LANES - 1)]
