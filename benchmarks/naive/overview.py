"""The overview's pictures as one would write them first."""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from benchmarks.naive import pictures
from core.attention import attend

NAMES = ["animal", "street", "cross", "tired"]
KEYS = np.array([[2, 0], [0, 2], [-1, 1], [1, -1]])
VALUES = np.array([[3, 1], [-2, 2], [-3, -1], [2, -2]])

st.title("What is attention?")
card, stage = st.columns([1, 3.2])
turn = card.select_slider("Turn", list(range(0, 360, 15)), value=30, key="turn")
temperature = card.slider("T", 0.05, 10.0, 1.0, key="T")
query = 1.6 * np.array([np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))])
result = attend(query[None], KEYS, VALUES, temperature=temperature)
weight, output = result.weights[0], result.output[0]
compare, weigh, mix = stage.columns(3)
with compare:
    vectors = pd.DataFrame(
        [
            {"name": name, "x": x, "y": y, "zero": 0.0, "kind": "query" if name == "query" else "key"}
            for name, (x, y) in zip(["query", *NAMES], [query, *KEYS])
        ]
    )
    base = alt.Chart(vectors).encode(x=alt.X("x:Q", scale=alt.Scale(domain=[-3.2, 3.2])), color="kind:N")
    base = base.encode(y=alt.Y("y:Q", scale=alt.Scale(domain=[-2.4, 2.4])))
    arrows = base.mark_rule(strokeWidth=2.5).encode(x2="zero", y2="zero")
    heads = base.mark_point(shape="triangle", filled=True)
    st.altair_chart((arrows + heads + base.mark_text(dy=-9).encode(text="name:N")).properties(height=265))
with weigh:
    pictures.bars(NAMES, weight, 265)
with mix:
    values = pd.DataFrame(
        [
            {"name": name, "x": x, "y": y, "out_x": output[0], "out_y": output[1], "weight": w}
            for name, (x, y), w in zip(NAMES, VALUES, weight)
        ]
    )
    base = alt.Chart(values).encode(x=alt.X("x:Q", scale=alt.Scale(domain=[-3.9, 3.9])), y="y:Q")
    pulls = base.mark_rule(opacity=0.45).encode(x2="out_x", y2="out_y", strokeWidth="weight:Q")
    mean = pd.DataFrame({"x": [output[0]], "y": [output[1]], "name": ["output"]})
    out = alt.Chart(mean).encode(x="x:Q", y="y:Q")
    layers = pulls + base.mark_point(filled=True) + base.mark_text(dy=-12).encode(text="name:N")
    layers += out.mark_point(shape="diamond", filled=True, size=330) + out.mark_text(dy=16).encode(text="name:N")
    st.altair_chart(layers.properties(height=265))
