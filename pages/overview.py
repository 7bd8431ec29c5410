"""What is attention? One query, four keys and the mixture of their values; the formula, and the map of all screens."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.attention import Attention, attend
from core.softmax import softmax
from ui import code, controls, formula, frame, tidy
from ui.charts.bars import BarWords, weights
from ui.charts.plane import arrows, mixture
from ui.controls import CONTROLS, control
from ui.keep import keep
from ui.late import pd

# Set by hand, with two components so that they can be drawn: how much of a living thing, how much of a place.
TOKENS = ("animal", "street", "cross", "tired")
KEYS = np.array([[2, 0], [0, 2], [-1, 1], [1, -1]])
VALUES = np.array([[3, 1], [-2, 2], [-3, -1], [2, -2]])
LENGTH, TURNS = 1.6, CONTROLS["turn"].options
# The parts of the formula, and the screens that explain them.
PARTS = {
    "scores": ("step_by_step", "self_attention"),
    "divisor": ("scaling", "saturation"),
    "softmax": ("temperature",),
    "mask": ("masks",),
    "values": ("self_attention", "cross_attention"),
    "heads": ("multi_head",),
}

words = frame.begin("overview")
names = tuple(words(f"tokens.{name}") for name in TOKENS)
st.markdown(words("lead"))
card, stage = st.columns([1, 3.2], gap="medium")
with card.container(border=True, gap="xsmall", key="card"):
    turn = control("turn", words)
    temperature = control("T", words)
    controls.presets(
        words,
        {"place": {"turn": 90, "T": 1.0}, "best": {"turn": 30, "T": 0.0}, "all": {"turn": 30, "T": float("inf")}},
    )


@keep(100)
def at_each_turn(temperature: float) -> tuple[Attention, dict[str, pd.DataFrame]]:
    """What a query looks at, one row for each of TURNS, and what the three charts show of it."""
    angles = np.deg2rad(TURNS)
    queries = LENGTH * np.column_stack([np.cos(angles), np.sin(angles)])
    looks = attend(queries, KEYS, VALUES, temperature=temperature)
    vectors = [np.vstack([query, KEYS]).T for query in queries]
    means = [np.broadcast_to(output, VALUES.shape).T for output in looks.output]
    return looks, {
        "arrows": tidy.along([tidy.items(x=x, y=y, series=np.array([0, 1, 1, 1, 1])) for x, y in vectors]),
        "bars": tidy.bars_along(looks.weights),
        "values": tidy.along(
            [
                tidy.items(x=VALUES[:, 0], y=VALUES[:, 1], weight=weight, out_x=out_x, out_y=out_y)
                for weight, (out_x, out_y) in zip(looks.weights, means, strict=True)
            ]
        ),
    }


looks, moving = at_each_turn(temperature)
at = TURNS.index(turn)
scores, weight, output = looks.scores[at], looks.weights[at], looks.output[at]
best = int(weight.argmax())
facts = {"top": names[best], "weight": weight[best], "score": scores.max(), "x": output[0], "y": output[1]}

with stage:
    compare, weigh, mix = st.columns(3)
    with compare:
        st.markdown(f"## {words('compare.title')}")
        frame.show(
            arrows, (words("tokens.query"), *names), words("axis.living"), words("axis.place"), (3.2, 2.4), 265,
            key="compare", along="turn", alt_text=words("alt.compare", **facts), arrows=moving["arrows"],
        )  # fmt: skip
        st.markdown(f":small[{words('compare.says')}]")
    with weigh:
        st.markdown(f"## {words('weigh.title')}")
        frame.show(
            weights, names, BarWords("", words("map.weight"), words("map.blocked")), 265,
            key="weigh", along="turn", alt_text=words("alt.weigh", **facts), bars=moving["bars"],
        )  # fmt: skip
        st.markdown(f":small[{words('weigh.says')}]")
    with mix:
        st.markdown(f"## {words('mix.title')}")
        frame.show(
            mixture, names, words("mix.output"), (3.9, 2.7), 265,
            key="mix", along="turn", alt_text=words("alt.mix", **facts), values=moving["values"],
        )  # fmt: skip
        st.markdown(f":small[{words('mix.says')}]")

with st.container(border=True, gap="small", key="parts"):
    formula.show(formula.ATTENTION)
    for column, (part, screens) in zip(st.columns(len(PARTS)), PARTS.items(), strict=True):
        with column.container(gap=None):
            st.markdown(f"## {words(f'parts.{part}.symbol')}")
            st.caption(words(f"parts.{part}.does"))
            for screen in screens:
                if screen in frame.ORDER:
                    frame.page_link(screen, words, ":primary[{} →]")

st.markdown(f"## {words('screens')}")
for column, (section, screens) in zip(
    st.container(key="map").columns(len(frame.SCREENS)), frame.SCREENS.items(), strict=True
):
    with column:
        st.caption(words(f"sections.{section}"))
        for screen in screens:
            with st.container(gap=None):
                frame.page_link(screen, words, "**{}**")
                st.caption(words(f"summaries.{screen}"))
way = control("path", words)
with st.container(horizontal=True, gap=None, key="way"):
    for i, screen in enumerate(frame.path(way), 1):
        frame.page_link(screen, words, f"{i} · {{}}")

frame.predict(
    words, lambda: float(softmax(np.append(scores, 0), temperature=temperature)[-1]),
    low=0.0, high=1.0, step=0.01, digits=3, temperature=f"{temperature:g}".replace("inf", "∞"),
)  # fmt: skip
with frame.panel("formula", words("formula")) as is_open:
    if is_open:
        formula.show(formula.weight(scores, np.full(4, True), temperature, best, weight[best]))
        formula.show(formula.mixture(weight, VALUES, output))
columns = [words("table.score"), words("table.weight"), words("table.first"), words("table.second")]
frame.table(words, lambda: tidy.matrix(np.column_stack([scores, weight, VALUES]), names, columns))
frame.code(
    words,
    lambda: code.program(
        "miniature",
        length=LENGTH, turn=turn, key=KEYS.tolist(), value=VALUES.tolist(),
        tempered=code.tempered(temperature, masked=False),
    ),
)  # fmt: skip
frame.end(words)
