"""The pictures of the saturation as one would write them first; what takes long is cached, as in the app."""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from benchmarks.naive import pictures
from core import saturation
from core.softmax import jacobian, softmax

POWERS = [2**i for i in range(11)]
EVERY = sorted({round(2 ** (i / 2)) for i in range(21)})
WAYS = ["÷ 1", "÷ √d_k", "÷ d_k"]


def divisors(d_k):
    return 1.0, d_k**0.5, d_k


@st.cache_data
def measured(n, temperature):
    return [saturation.measure(n, d, divisors(d), temperature=temperature, n_draws=1000, rng=(1, d)) for d in POWERS]


@st.cache_data
def exact(n, temperature):
    return np.array([saturation.expect(n, d, divisors(d), temperature=temperature) for d in EVERY])


st.title("What goes wrong without √d_k?")
card, stage = st.columns([1, 3.2])
d_k = card.select_slider("d_k", POWERS, value=64, key="d_k")
n = card.select_slider("Keys", [2, 4, 8, 16, 32, 64], value=8)
temperature = card.slider("T", 0.05, 10.0, 1.0, key="T")
query, *keys = np.random.default_rng(1).standard_normal((d_k, n + 1)).T
scores = np.array(keys) @ query
draw = [np.sort(softmax(scores / divisor, temperature=temperature))[::-1] for divisor in divisors(d_k)]
slopes, ranks = jacobian(draw[1]), [str(i + 1) for i in range(min(n, 12))]
draws, curves = measured(n, temperature), exact(n, temperature)
with stage:
    records = [{"way": way, "rank": rank, "weight": p[i]} for way, p in zip(WAYS, draw) for i, rank in enumerate(ranks)]
    base = alt.Chart(pd.DataFrame(records)).encode(
        x=alt.X("way:N", sort=WAYS), xOffset=alt.XOffset("rank:N", sort=ranks)
    )
    base = base.encode(y=alt.Y("weight:Q", scale=alt.Scale(domain=[0, 1])))
    numbers = base.mark_text(dy=-7).encode(text=alt.Text("weight:Q", format=".2f"))
    st.altair_chart((base.mark_bar().encode(color="way:N") + numbers).properties(height=165))
    for column, figure in zip(st.columns([1.2, 1, 1]), range(3)):
        with column:
            named = {way: curves[:, figure, i] for i, way in enumerate(WAYS)}
            points = {way: [(d, draws[k][0][figure, i]) for k, d in enumerate(POWERS)] for i, way in enumerate(WAYS)}
            pictures.curves(EVERY, named, 215, d_k, points, log_x=True)
    mean = draws[POWERS.index(d_k)][0][:, 1]
    figures = {"largest": mean[0], "entropy": mean[1], "keys": np.exp(mean[1]), "gradient": mean[2]}
    pictures.metrics({name: f"{value:.3f}" for name, value in figures.items()})
    left, right = st.columns([1.5, 1])
    with left:
        pictures.heatmap(slopes, ranks, ranks, 90 + max(26 * len(ranks), 130), printed=0.005)
    with right:
        pictures.metrics({"norm": f"{np.linalg.norm(slopes, 2):.3f}", "trace": f"{np.trace(slopes):.3f}"})
