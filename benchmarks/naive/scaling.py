"""The pictures of the scaling as one would write them first; what takes long is cached, as in the app."""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from benchmarks.naive import pictures
from core.pairs import REACH, Pair

POWERS = [2**i for i in range(11)]
PAIR = Pair()


@st.cache_data
def drawn(d_k, count):
    return np.concatenate(list(PAIR.chunks(d_k, count, method="exact", rng=1)))


@st.cache_data
def at_every_d_k():
    return [PAIR.check(drawn(d, 100), d) for d in POWERS]


st.title("Why divide by √d_k?")
card, stage = st.columns([1, 3.2])
d_k = card.select_slider("d_k", POWERS, value=64, key="d_k")
count = card.select_slider("Samples", [4, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000], value=10_000)
summary, root = PAIR.summary(drawn(d_k, count), d_k), np.sqrt(d_k)
check, histogram = summary.check, summary.histogram
mean, variance = PAIR.moments(d_k)
with stage:
    left, right = st.columns(2)
    with left:
        edges = histogram.edges / root
        bins = pd.DataFrame({"low": edges[:-1], "high": edges[1:], "density": histogram.density * root})
        x = mean + np.linspace(-REACH, REACH, 200) * variance**0.5
        normal = np.exp(-((x - mean) ** 2) / variance / 2) / np.sqrt(2 * np.pi * variance)
        laws = pd.DataFrame(
            [
                {"x": a / root, "y": b * root, "law": law}
                for law, y in {"normal": normal, "exact": PAIR.density(x, d_k)}.items()
                for a, b in zip(x, y)
            ]
        )
        band = alt.Chart(pd.DataFrame({"low": [-1], "high": [1]})).mark_rect(opacity=0.2).encode(x="low:Q", x2="high")
        shape = alt.Chart(bins).mark_bar(opacity=0.6).encode(x="low:Q", x2="high", y="density:Q")
        lines = alt.Chart(laws).mark_line().encode(x="x:Q", y="y:Q", strokeDash="law:N")
        st.altair_chart((band + shape + lines).properties(height=270))
    with right:
        theory = np.array([PAIR.moments(d)[1] for d in POWERS])
        named = {"÷ 1": theory, "÷ √d_k": theory / POWERS, "÷ d_k": theory / np.square(POWERS), "d_k": POWERS}
        checks = at_every_d_k()
        points = {"measured": [(d, one.variance / d) for d, one in zip(POWERS, checks)]}
        points["now"] = [(d_k, check.variance / d_k)]
        pictures.curves(POWERS, named, 270, None, points, log_x=True, log_y=True)
    figures = {"mean": check.mean, "variance": check.variance, "deviation": check.variance**0.5}
    pictures.metrics(
        {name: f"{value:.4g}" for name, value in (figures | {"divided": check.variance**0.5 / root}).items()}
    )
    at = np.geomspace(10, count, 100)
    wide = 2 * PAIR.standard_error(at, d_k)
    frame = pd.DataFrame({"n": at, "low": variance - wide, "high": variance + wide})
    n_axis = alt.X("n:Q", scale=alt.Scale(type="log"))
    band = (
        alt.Chart(frame)
        .mark_area(opacity=0.2)
        .encode(x=n_axis, y=alt.Y("low:Q", scale=alt.Scale(zero=False)), y2="high")
    )
    running = pd.DataFrame({"n": summary.counts, "value": summary.variance})
    line = alt.Chart(running[running["n"] >= 10]).mark_line().encode(x=n_axis, y="value:Q")
    rule = alt.Chart(pd.DataFrame({"value": [variance]})).mark_rule(strokeDash=[5, 4]).encode(y="value:Q")
    st.altair_chart((band + line + rule).properties(height=190))
