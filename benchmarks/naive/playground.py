"""The playground's pictures as one would write them first: charts built anew with shorthand encodings at every run."""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from core import examples, masks
from core.attention import attend

text = st.text_area("Sentence", examples.TWINS[0]["en"])
d_k = st.select_slider("d_k", [2**i for i in range(11)], value=64, key="d_k")
temperature = st.slider("T", 0.05, 10.0, 1.0, key="T")
tokens = text.split()
n = len(tokens)
vectors = examples.sentence_vectors(tokens, 1, d_k, seed=1, example=examples.find(text))
heads = attend(vectors.query, vectors.key, vectors.value, mask=masks.named("none", n), temperature=temperature)
labels = [f"{i} {token}" for i, token in enumerate(tokens)]
for matrix in (heads.scores[0], heads.weights[0]):
    frame = pd.DataFrame(
        [{"query": labels[i], "key": labels[j], "value": matrix[i, j]} for i in range(n) for j in range(n)]
    )
    base = alt.Chart(frame).encode(x=alt.X("key:O", sort=labels), y=alt.Y("query:O", sort=labels))
    st.altair_chart(
        base.mark_rect().encode(color="value:Q") + base.mark_text().encode(text=alt.Text("value:Q", format=".2f"))
    )
row = heads.weights[0, 0]
for name, value in {"largest": row.max(), "entropy": -(row * np.log(row)).sum(), "trace": 1 - (row**2).sum()}.items():
    st.metric(name, f"{value:.3f}")
bars = pd.DataFrame({"key": labels, "weight": row})
st.altair_chart(alt.Chart(bars).mark_bar().encode(x=alt.X("key:O", sort=labels), y="weight:Q"))
