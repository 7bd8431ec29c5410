"""The pictures of the temperature as one would write them first."""

import numpy as np
import pandas as pd
import streamlit as st

from benchmarks.naive import pictures
from core.softmax import effective_keys, entropy, softmax

st.title("What does T do?")
card, stage = st.columns([1, 3.2])
z = np.array([float(piece) for piece in card.text_input("Logits", "2, 1, 0.1").split(",")])
temperature = card.slider("T", 0.05, 10.0, 1.0, 0.1, key="T")
names = [f"z{i + 1} = {value:g}" for i, value in enumerate(z)]
every = np.geomspace(0.05, 10, 90)
rows = np.array([softmax(z, temperature=t) for t in every])
weight = softmax(z, temperature=temperature)
places = {0.03: 0, temperature: temperature, 17.0: np.inf}
marked = {place: softmax(z, temperature=t) for place, t in places.items()}
with stage:
    left, right = st.columns([1, 1.7])
    with left:
        pictures.bars(names, weight, 270)
    with right:
        points = {name: [(x, marked[x][i]) for x in places] for i, name in enumerate(names)}
        by_name = {name: rows[:, i] for i, name in enumerate(names)}
        pictures.curves(every, by_name, 270, temperature, points, log_x=True)
    pictures.metrics(
        {
            "largest": f"{weight.max():.3f}",
            "entropy": f"{entropy(weight):.3f}",
            "keys": f"{effective_keys(weight):.2f}",
        }
    )
    left, right = st.columns([1, 1.7])
    three = {f"T = {t:g}": softmax(z, temperature=t) for t in (0.5, 1, 2)}
    left.dataframe(pd.DataFrame(three, index=names).T)
    for column, (name, figure) in zip(right.columns(2), {"entropy": entropy, "keys": effective_keys}.items()):
        with column:
            points = {name: [(x, figure(marked[x])) for x in places]}
            pictures.curves(every, {name: [figure(row) for row in rows]}, 190, temperature, points, log_x=True)
    left, right = st.columns([1, 1.7])
    d_k = left.select_slider("d_k", [2**i for i in range(11)], value=64, key="d_k")
    root = np.sqrt(d_k)
    with right:
        spans = {"√d_k": (1, root), "T": (root, root * temperature), "T·√d_k": (1, root * temperature)}
        points = {name: [(x, 3 - i) for x in span] for i, (name, span) in enumerate(spans.items())}
        pictures.curves([1, root], {name: [3 - i] * 2 for i, name in enumerate(spans)}, 150, None, points, log_x=True)
        both = softmax(z / root, temperature=temperature)
        routes = {"z ÷ √d_k, then T": both, "T·√d_k at once": softmax(z, temperature=temperature * root)}
        st.dataframe(pd.DataFrame(routes, index=names).T)
