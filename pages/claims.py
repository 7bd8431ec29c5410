"""True or false? What learners often hear about attention, each claim with the experiment that decides it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from core import blocking, examples, masks
from core.attention import attend
from core.cost import attention_cost
from core.divergence import jensen_shannon_distance
from core.pairs import Pair
from core.positions import sinusoidal
from core.softmax import effective_keys, softmax
from core.tokens import labels
from ui import code, controls, formula, frame, maps, tidy
from ui.charts.amounts import AmountWords, amounts
from ui.charts.bars import BarWords, side_by_side, weights
from ui.charts.lines import Axis, lines
from ui.charts.ways import WayWords, ways
from ui.controls import CONTROLS, TEMPERATURES, control
from ui.keep import keep
from ui.late import pd
from ui.maps import MapWords
from ui.text import plain, prefixed, scientific, short, uncertain

SIZES = CONTROLS["claim_d_k"].options
DRAWS, SEED = 2000, 2
# Where eight standard normal numbers are expected, from the highest to the lowest (Teichroew 1956).
TYPICAL = np.array([1.42360, 0.85222, 0.47282, 0.15251, -0.15251, -0.47282, -0.85222, -1.42360])
VALUES = np.array([[3.0], [1.0], [5.0]])
SURE = np.array([0.95, 0.05])
N, D_MODEL, D_ORDER = 64, 512, 8
HEIGHT = 320
PARTS = ("label", "value", "bound")

# What an experiment finds: facts for the words, its picture, its table, and the values of its program.
Found = tuple[dict[str, Any], Callable[..., None], "pd.DataFrame", dict[str, Any]]

words = frame.begin("claims")
example = next(e for e in examples.EXAMPLES if e.text == examples.TWINS[0][words.language])
look, names = example.look(), labels(example.tokens)
scores = attend(look.query, look.key, look.value).scores
asked, token = scores[example.focus], names[example.focus]
bar_words = BarWords(words("map.key"), words("map.weight"), words("map.blocked"))


def sharpen(temperature: float) -> Found:
    """One query's weights at any temperature."""
    steps = sorted({0, 0.5, 1, 2, temperature, np.inf})
    weight = softmax(asked, temperature=temperature)
    facts = {"token": token, "T": short(temperature), "weight": weight.max(), "keys": effective_keys(weight)}
    facts |= {"one": softmax(asked).max(), "keys_one": effective_keys(softmax(asked)), "n": len(names)}
    table = tidy.matrix(
        np.array([softmax(asked, temperature=t) for t in steps]), [f"T = {short(t)}" for t in steps], names
    )
    values = {"z": asked.tolist(), "tempered": code.tempered(temperature, masked=False)}
    bars = tidy.bars_along(np.array([softmax(asked, temperature=t) for t in TEMPERATURES]))
    return facts, partial(frame.show, weights, names, bar_words, HEIGHT, along="T", bars=bars), table, values


@keep(1)
def measured(sizes: tuple[int, ...]) -> np.ndarray:
    """The variance of q·k and its standard error for vectors of each size: (n_sizes, 2)."""
    draws = [np.concatenate([*Pair().chunks(d_k, DRAWS, method="components", rng=SEED)]) for d_k in sizes]
    checks = [Pair().check(products, d_k) for products, d_k in zip(draws, sizes, strict=True)]
    return np.array([(check.variance, check.standard_error) for check in checks])


def variance(d_k: int) -> Found:
    """The variance of q·k against d_k, drawn and by theory, with and without the division."""
    sizes, drawn = np.array(SIZES), measured(SIZES)
    value, error = drawn[SIZES.index(d_k)]
    facts = {"d_k": d_k, "draws": DRAWS, "variance": uncertain(value, error)}
    facts |= {"divided": uncertain(value / d_k, error / d_k)}
    ticks = tuple((size, str(size)) for size in (1, *SIZES))
    picture = partial(
        frame.show, lines, ("q·k", "q·k ÷ √d_k"), Axis("d_k", (SIZES[0], SIZES[-1]), log=True, ticks=ticks[1:]),
        Axis(words("variance.axis"), (0.5, 2000), log=True, ticks=ticks), HEIGHT,
        curves=tidy.curves(sizes, [sizes, np.ones(len(sizes))]),
        points=tidy.curves(sizes, [drawn[:, 0], drawn[:, 0] / sizes]),
        along="claim_d_k", now=tidy.at_each(x=sizes.astype(float)),
        labels=tidy.curves(sizes[-1:], [sizes[-1:], np.ones(1)]),
    )  # fmt: skip
    columns = [words(f"variance.columns.{name}") for name in ("theory", "measured", "error")]
    table = tidy.matrix(np.column_stack([sizes, drawn]), [f"d_k = {size}" for size in SIZES], columns)
    return facts, picture, table, {"d_k": d_k, "draws": DRAWS, "seed": SEED}


def divide(d_k: int) -> Found:
    """Typical scores of eight keys, divided by nothing, by √d_k and by d_k."""
    at_each = [softmax(np.outer([size**0.5, 1, size**-0.5], TYPICAL)) for size in SIZES]
    rows, root = at_each[SIZES.index(d_k)], d_k**0.5
    facts = {"d_k": d_k, "root": short(root), "spread": short(1 / root)}
    facts |= zip(("raw", "right", "claimed"), rows.max(axis=1), strict=True)
    panels = ("÷ 1", "÷ √d_k", "÷ d_k")
    table = tidy.matrix(rows, panels, [str(i + 1) for i in range(len(TYPICAL))])
    picture = groups("claim_d_k", panels, at_each, words("divide.axis"), 2)
    return facts, picture, table, {"d_k": d_k, "typical": TYPICAL.tolist()}


def match(lower: int) -> Found:
    """One query's weights when all its scores are lowered alike."""
    weight = softmax(asked - lower)
    facts = {"token": token, "lower": lower, "best": asked.max() - lower, "weight": weight.max(), "sum": weight.sum()}
    table = tidy.matrix(np.array([asked - lower, weight]), [words("map.score"), words("map.weight")], names)
    picture = partial(frame.show, weights, names, bar_words, HEIGHT, bars=tidy.bars(weight))
    return facts, picture, table, {"z": asked.tolist(), "lower": lower}


def importance(heaviest: float) -> Found:
    """Three keys, their weights, and how far the output moves when one of them is left out."""
    options = CONTROLS["heaviest"].options
    key = np.array([[[option], [0.0], [0.0]] for option in options])
    whole = attend(np.ones((len(options), 1, 1)), key, VALUES)
    # Row j asks the same with key j blocked.
    left = attend(np.ones((len(options), 3, 1)), key, VALUES, mask=~np.eye(3, dtype=bool)).output[..., 0]
    at_each = [*np.stack([whole.weights[:, 0], np.abs(left - whole.output[:, 0])], axis=-1)]
    at = options.index(heaviest)
    output, without, (weight, moved) = whole.output[at, 0, 0], left[at], at_each[at].T
    facts = {"a": weight[0], "b": weight[1], "output": output, "moved_a": moved[0], "moved_b": moved[1]}
    facts |= {"without_a": without[0], "without_b": without[1]}
    named = tuple(f"{name} (v = {value:g})" for name, value in zip("ABC", VALUES[:, 0], strict=True))
    columns = [words(f"importance.columns.{name}") for name in ("weight", "without", "moved")]
    table = tidy.matrix(np.column_stack([weight, without, moved]), named, columns)
    picture = groups("heaviest", named, at_each, words("importance.axis"), 0, value="")
    return facts, picture, table, {"heaviest": heaviest, "value": VALUES[:, 0].tolist()}


def first(temperature: float) -> Found:
    """The causal weights of the first words at any temperature."""
    n, few, mask = 6, names[:6], masks.causal(6)

    def at(t: float) -> np.ndarray:
        return softmax(scores[:n, :n], temperature=t, mask=mask)

    row = at(temperature)
    facts = {"token": plain(few[0]), "T": short(temperature), "weight": row[0, 0], "last": row[-1].max(), "n": n}
    map_words = MapWords(words("map.query"), words("map.key"), words("map.weight"), words("map.blocked"))
    near = controls.near("T", temperature, maps.places_ahead(n * n))
    picture = partial(
        maps.show, row, few, few, map_words, "weight", height=maps.height(n), allowed=mask, picked=0,
        ahead={"T": {place: at(other) for place, other in near.items()}},
    )  # fmt: skip
    values = {"z": scores[:n, :n].tolist(), "tempered": code.tempered(temperature)}
    return facts, picture, tidy.matrix(row, few, few), values


@keep(10)
def both_ways(at_each: Sequence[np.ndarray], allowed: Sequence[np.ndarray], blocked: str) -> dict[str, pd.DataFrame]:
    """The weights of two ways to block keys with their sums, at each option of a slider."""
    sums = [[f"{total:.3f}" for total in rows.sum(axis=1)] for rows in at_each]
    return {
        "cells": tidy.along(
            [tidy.ways(list(rows), keys, blocked, "") for rows, keys in zip(at_each, allowed, strict=True)]
        ),
        "totals": tidy.along([tidy.totals(rows.shape[1], said) for rows, said in zip(at_each, sums, strict=True)]),
    }


def multiply(hidden: int) -> Found:
    """One row with its last words blocked, by a product with 0 and by −∞."""
    n, noun = len(names), example.axes.index("subject")
    at = int(example.features[:, noun].argmax())
    options = CONTROLS["hidden"].options
    open_at_each = [np.arange(n) < n - option for option in options]
    at_each = [
        np.array([blocking.multiplied(scores[at], allowed), blocking.filled(scores[at], allowed, -np.inf)])
        for allowed in open_at_each
    ]
    rows, allowed = at_each[options.index(hidden)], open_at_each[options.index(hidden)]
    facts = {"token": names[at], "hidden": hidden, "leak": rows[0, ~allowed].sum(), "none": rows[1, ~allowed].sum()}
    named = (words("multiply.ways.multiplied"), words("multiply.ways.infinity"))
    way_words = WayWords(words("multiply.way"), words("map.key"), words("map.weight"), "Σ")
    picture = partial(
        frame.show, ways, named, names, way_words, 240,
        along="hidden", **both_ways(at_each, open_at_each, words("map.blocked")),
    )  # fmt: skip
    return facts, picture, tidy.matrix(rows, named, names), {"z": scores[at].tolist(), "hidden": hidden}


def order(shift: int) -> Found:
    """How much each word's output changes when the words change places, without and with positions."""
    x = np.random.default_rng(SEED).standard_normal((len(names), D_ORDER))

    def change(shift: int, place: np.ndarray) -> np.ndarray:
        output, moved = (attend(h, h, h).output for h in (x + place, np.roll(x, shift, axis=0) + place))
        return np.abs(np.roll(moved, -shift, axis=0) - output).max(axis=1)

    def at(shift: int) -> np.ndarray:
        return np.array([change(shift, np.zeros(x.shape)), change(shift, sinusoidal(*x.shape))])

    changes = at(shift)
    facts: dict[str, Any] = {"shift": shift, "n": len(names)}
    facts |= zip(("without", "with"), map(scientific, changes.max(axis=1)), strict=True)
    rows = words("order.without"), words("order.with")
    map_words = MapWords("", words("order.word"), words("order.change"), "")
    near = controls.near("shift", shift, maps.places_ahead(changes.size))
    picture = partial(
        maps.show, changes, rows, names, map_words, "score", height=260,
        ahead={"shift": {place: at(other) for place, other in near.items()}},
    )  # fmt: skip
    return facts, picture, tidy.matrix(changes, rows, names), {"n": len(names), "shift": shift, "seed": SEED}


def width(h: int) -> Found:
    """Multiply-adds of attention with one head, with h heads, and with h heads of the full width."""

    def count(n_heads: int) -> int:
        parts = attention_cost(N, D_MODEL, n_heads).multiply_adds
        return sum(parts[part] for part in ("projections", "scores", "mix"))

    at_each = [[count(1), count(n_heads), n_heads * count(1)] for n_heads in CONTROLS["claim_h"].options]
    said_at_each = [[prefixed(products) for products in counts] for counts in at_each]
    at = CONTROLS["claim_h"].options.index(h)
    counts, said = at_each[at], said_at_each[at]
    facts: dict[str, Any] = {"h": h, "d_model": D_MODEL, "d_k": D_MODEL // h, "n": N, "weights": h * N**2}
    facts |= zip(("one", "several", "claimed"), said, strict=True)
    bars = tuple(words(f"width.bars.{bar}") for bar in ("one", "several", "claimed"))
    picture = partial(
        frame.show, amounts, bars, AmountWords("", words("width.axis")), None, 280, along="claim_h",
        amounts=tidy.along([tidy.amounts(*each, [0, 0, 5]) for each in zip(at_each, said_at_each, strict=True)]),
    )  # fmt: skip
    table = tidy.matrix(np.array(counts)[:, None], bars, [words("width.axis")])
    return facts, picture, table, {"n": N, "d_model": D_MODEL, "h": h}


def disagree(tie: float) -> Found:
    """Two heads that nearly share their weight out alike, and a third that does not."""
    at_each = [np.array([[high, 1 - high], [1 - high, high], SURE]) for high in CONTROLS["tie"].options]
    rows = at_each[CONTROLS["tie"].options.index(tie)]
    apart, alike = (jensen_shannon_distance(rows[0], row) for row in rows[1:])
    facts = {"high": tie, "low": 1 - tie, "sure": SURE[0], "apart": apart, "alike": alike}
    heads = tuple(words("disagree.head", number=number) for number in (1, 2, 3))
    picture = groups("tie", heads, at_each, words("disagree.axis"), 0, 1)
    return facts, picture, tidy.matrix(rows, heads, ["1", "2"]), {"tie": tie, "sure": SURE.tolist()}


@keep(50)
def grouped(at_each: Sequence[np.ndarray]) -> pd.DataFrame:
    """Rows of numbers side by side, at each option of a slider."""
    return tidy.along([tidy.cells(rows).rename(columns={"query": "series"}) for rows in at_each])


def groups(
    knob: str, panels: tuple[str, ...], at_each: Sequence[np.ndarray], axis: str, *picked: int,
    value: str = bar_words.value,
) -> Callable[..., None]:  # fmt: skip
    """A picture of rows of numbers side by side, at each option of the knob; the picked rows are framed."""
    return partial(
        frame.show, side_by_side, panels, at_each[0].shape[1], BarWords(axis, value, ""), HEIGHT - 30, along=knob,
        bars=grouped(at_each), picked=tidy.positions("series", *picked),
    )  # fmt: skip


# Each claim: the experiment, its control, whether the claim is true, and the screen that explains it.
CLAIMS: dict[str, tuple[Callable[[Any], Found], str, bool, str]] = {
    "sharpen": (sharpen, "T", False, "temperature"),
    "variance": (variance, "claim_d_k", True, "scaling"),
    "divide": (divide, "claim_d_k", False, "saturation"),
    "match": (match, "lower", False, "step_by_step"),
    "importance": (importance, "heaviest", False, "overview"),
    "first": (first, "T", True, "masks"),
    "multiply": (multiply, "hidden", False, "masks"),
    "order": (order, "shift", True, "self_attention"),
    "width": (width, "claim_h", False, "multi_head"),
    "disagree": (disagree, "tie", False, "multi_head"),
}
TRUE = {name for name, (_, _, is_true, _) in CLAIMS.items() if is_true}
votes: dict[str, bool] = st.session_state.setdefault("votes", {})
right = [name for name, voted in votes.items() if voted == (name in TRUE)]


def listed(name: str) -> str:
    """A claim in the list, with how the visitor's vote on it fared."""
    fared = "" if name not in votes else ":green[✓]" if name in right else ":red[✗]"
    return f"{words(f'{name}.short')} {fared}"


def vote(name: str, truth: bool) -> None:
    """The first vote on a claim counts."""
    votes.setdefault(name, truth)


card, stage = st.columns([1, 3.2], gap="medium")
with card.container(border=True, gap="xsmall", key="card"):
    claim = control("claim", words, shown=listed)
    tally = "none" if not votes else "some" if len(votes) < len(CLAIMS) else "all"
    st.markdown(words(f"score.{tally}", right=len(right), voted=len(votes), count=len(CLAIMS)))
    if votes:
        st.button(words("again"), key="again", on_click=votes.clear)
experiment, knob, is_true, explained_by = CLAIMS[claim]
voted = votes.get(claim)

with stage:
    st.container(key="claim_said").markdown(f"## “{words(f'{claim}.claim')}”")
    asks, shows = st.columns([1, 1.7], gap="medium")
    with asks:
        facts, picture, table, values = experiment(control(knob, words))
        with st.container(horizontal=True):
            for truth, name in ((True, "true"), (False, "false")):
                chosen = voted is truth
                st.button(
                    words(f"vote.{name}"), key=f"vote_{name}", on_click=vote, args=(claim, truth), width="stretch",
                    type="primary" if chosen else "secondary", disabled=voted is not None and not chosen,
                )  # fmt: skip
        if voted is None:
            st.caption(words("vote.first"))
        else:
            fared, verdict = "right" if voted == is_true else "wrong", "true" if is_true else "false"
            st.markdown(
                f"{words(f'verdict.{fared}')} {words(f'verdict.{verdict}')} {words(f'{claim}.verdict', **facts)}"
            )
            with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
                frame.page_link(explained_by, words, ":primary[{} →]")
                following = [*CLAIMS, *CLAIMS][list(CLAIMS).index(claim) + 1]
                st.button(words("next"), key="next", on_click=lambda: st.session_state.update(claim=following))
    with shows:
        st.markdown(f"## {words(f'{claim}.picture', **facts)}")
        picture(key=claim, alt_text=words(f"{claim}.alt", **facts))
        st.caption(words(f"{claim}.how", **facts))
    figures = words.keys(f"{claim}.figures")
    label, value, bound = ([words(f"{claim}.figures.{name}.{part}", **facts) for name in figures] for part in PARTS)
    frame.metrics(*zip(label, value, bound, strict=True))

with frame.panel("formula", words("formula_behind")) as is_open:
    if is_open:
        formula.show(formula.CLAIMS[claim])
frame.table(words, lambda: table)
frame.code(words, lambda: code.program(f"claims_{claim}", **values))
frame.end(words)
