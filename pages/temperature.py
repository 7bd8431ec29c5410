"""What does T do? The weights of a few logits from the limit 0 to the limit ∞, and √d_k as the same knob."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.softmax import effective_keys, entropy, softmax
from ui import code, controls, formula, frame, tidy
from ui.charts.bars import BarWords, weights
from ui.charts.lines import Axis, lines
from ui.controls import CONTROLS, TEMPERATURES, control
from ui.keep import keep
from ui.late import pd

EVERY = np.geomspace(0.05, 10, 90)
TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10)
# The two limits have no place on a log axis: they stand just outside its ends.
COLDEST, HOTTEST, HOTTEST_PRODUCT = 0.03, 17.0, 600.0
# Lecture notes print these for the default logits.
ROUGH = {0.5: (0.85, 0.12, 0.03), 2.0: (0.45, 0.32, 0.23)}

words = frame.begin("temperature")
card, stage = st.columns([1, 3.2], gap="medium")
with card.container(border=True, gap="xsmall", key="card"):
    logits = controls.numbers("z", words)
    temperature = control("T", words)
if logits is None:
    frame.end(words)
    st.stop()


def between_limits(title: str, hottest: float, *ticks: float) -> Axis:
    named = ((COLDEST, "0"), *((tick, f"{tick:g}") for tick in ticks), (hottest, "∞"))
    return Axis(title, (COLDEST, hottest), log=True, ticks=named)


def said(value: float) -> str:
    return f"{value:.4g}".replace("inf", "∞")


z, n = np.array(logits), len(logits)
names = tuple(f"z{'₁₂₃₄₅₆₇₈'[i]} = {value:g}" for i, value in enumerate(logits))
weight = softmax(z, temperature=temperature)
best = int(weight.argmax())
facts = {"n": n, "temperature": said(temperature), "top": names[best], "weight": weight[best], "even": 1 / n}


@keep(100)
def at_each_temperature(logits: tuple[float, ...]) -> dict[str, dict[str, pd.DataFrame]]:
    """What each chart shows of the weights: the bars at every T, and curves with their marks at every T."""
    z = np.array(logits)
    rows, every = (
        np.array([softmax(z, temperature=t) for t in temperatures]) for temperatures in (TEMPERATURES, EVERY)
    )
    places = np.clip(TEMPERATURES, COLDEST, HOTTEST)
    frames = {"bars": {"bars": tidy.bars_along(rows)}}
    for name, shown in (("curves", np.transpose), ("entropy", entropy), ("keys", effective_keys)):
        # Marks at both limits, which are the first option and the last, and at the option between them.
        marks = [
            tidy.curves(places[three], np.atleast_2d(shown(rows[three])))
            for three in ([0, at, -1] for at in range(len(rows)))
        ]
        frames[name] = {
            "curves": tidy.curves(EVERY, np.atleast_2d(shown(every))),
            "points": tidy.along(marks),
            "now": tidy.at_each(x=places),
        }
    frames["curves"]["labels"] = tidy.labels(HOTTEST, every[-1], 0.08, lowest=0.03)
    return frames


def columns(rows: np.ndarray) -> dict[str, list[str]]:
    """Weights by logit, one a row, as they are to be read."""
    return {name: [f"{weight:.4f}" for weight in column] for name, column in zip(names, rows.T, strict=True)}


@keep(100)
def at_each_product(d_k: int) -> dict[str, pd.DataFrame]:
    """A slide rule at each T: the length √d_k from 1 on, the length T from there on, and both together from 1 on."""
    root, rows = d_k**0.5, np.array([[3, 3], [2, 2], [1, 1]])
    ends = np.clip(np.array(TEMPERATURES) * root, COLDEST, HOTTEST_PRODUCT)
    rules = [np.array([[1, root], [root, end], [1, end]]) for end in ends]
    return {
        "curves": tidy.along([tidy.curves(rule, rows) for rule in rules]),
        "points": tidy.along([tidy.curves(rule[:, 1:], rows[:, 1:]) for rule in rules]),
        "labels": tidy.along([tidy.curves(rule.max(axis=1, keepdims=True), rows[:, 1:]) for rule in rules]),
    }


frames = at_each_temperature(logits)
with stage:
    left, right = st.columns([1, 1.7], gap="medium")
    with left:
        st.markdown(f"## {words('bars', **facts)}")
        frame.show(
            weights, names, BarWords(words("axis.logit"), words("axis.weight"), words("map.blocked")), 270, True,
            key="bars", along="T", alt_text=words("alt.bars", **facts), **frames["bars"],
        )  # fmt: skip
    with right:
        st.markdown(f"## {words('curves')}")
        frame.show(
            lines, names, between_limits(words("axis.temperature"), HOTTEST, *TICKS),
            Axis(words("axis.weight"), (0, 1)), 270, words("axis.logit"),
            key="curves", along="T", alt_text=words("alt.curves", **facts), **frames["curves"],
        )  # fmt: skip
    limits = np.array([softmax(z, temperature=t) for t in (0, temperature, np.inf)])
    sharpness = {"entropy": (entropy(limits), np.log(n)), "keys": (effective_keys(limits), n)}
    frame.metrics(
        (words("figures.largest"), f"{weight[best]:.3f}", words("figures.largest_bound", low=1 / n)),
        (words("figures.entropy"), words("figures.nats", value=entropy(weight)),
         words("figures.entropy_bound", n=n, high=np.log(n))),
        (words("figures.keys"), f"{effective_keys(weight):.2f}", words("figures.keys_bound", n=n)),
    )  # fmt: skip

    left, right = st.columns([1, 1.7], gap="medium")
    with left:
        st.markdown(f"## {words('side_by_side')}")
        three = softmax(z / np.array([[0.5], [1], [2]]))
        frame.grid(columns(three), rows=["T = 0.5", "T = 1", "T = 2"], label=words("side_by_side"))
        if st.session_state["z"] == CONTROLS["z"].default:
            off = max(np.abs(softmax(z, temperature=t) - rough).max() for t, rough in ROUGH.items())
            st.caption(words("rough", off=off))
    for column, (name, (marks, highest)) in zip(right.columns(2), sharpness.items(), strict=True):
        with column:
            st.markdown(f"## {words(f'every.{name}')}")
            frame.show(
                lines, ("",), between_limits(words("axis.T"), HOTTEST, 0.1, 1, 10),
                Axis(words(f"axis.{name}"), (0, highest)), 190,
                key=name, along="T",
                alt_text=words(f"alt.{name}", low=marks[0], value=marks[1], high=marks[2], **facts),
                **frames[name],
            )  # fmt: skip

    st.markdown(f"## {words('knob')}")
    left, right = st.columns([1, 1.7], gap="medium")
    with left:
        d_k = control("d_k", words)
        root = np.sqrt(d_k)
        product = temperature * root
        facts |= {"d_k": d_k, "root": said(root), "product": said(product)}
        st.markdown(words("one_dial", **facts))
    routes = np.array([softmax(z / root, temperature=temperature), softmax(z, temperature=product)])
    with right:
        frame.show(
            lines, ("√d_k", "T", "T·√d_k"),
            between_limits(words("axis.product"), HOTTEST_PRODUCT, 0.1, 1, 10, 100), Axis(None, (0.4, 3.6)), 150,
            key="dial", along="T", alt_text=words("alt.dial", **facts), **at_each_product(d_k),
        )  # fmt: skip
        named = [words("routes.both", **facts), words("routes.one", **facts)]
        frame.grid(columns(routes), rows=named, label=words("knob"))
        st.caption(words("same", difference=f"{np.abs(routes[0] - routes[1]).max():.0g}"))

controls.presets(
    words,
    {
        "sharp": {"z": "2, 1, 0.1", "T": 0.1},
        "flat": {"z": "2, 1, 0.1", "T": 10.0},
        "ties": {"z": "2, 2, 1", "T": 0.0},
    },
)
frame.predict(
    words, lambda: float(softmax(z, temperature=0.5).max()),
    low=0.0, high=1.0, step=0.01, digits=3, before=f"{softmax(z).max():.3f}",
)  # fmt: skip
with frame.panel("formula", words("formula")) as is_open:
    if is_open:
        st.caption(words("weight_of", **facts))
        formula.show(formula.weight(z, np.full(n, True), temperature, best, weight[best]))


def at_temperatures() -> pd.DataFrame:
    """The weights at the temperatures of the axis, and how sharp they are."""
    temperatures = sorted({0, *TICKS, temperature, np.inf})
    rows = np.array([softmax(z, temperature=t) for t in temperatures])
    return tidy.matrix(
        np.column_stack([rows, entropy(rows), effective_keys(rows)]),
        [f"T = {said(t)}" for t in temperatures],
        [*names, words("figures.entropy"), words("figures.keys")],
    )


frame.table(words, at_temperatures)
frame.code(
    words,
    lambda: code.program("temperature", z=z.tolist(), tempered=code.tempered(temperature, masked=False)),
)
frame.end(words)
