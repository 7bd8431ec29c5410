"""The playground's pictures as one would write them first: charts built anew with shorthand encodings at every run."""

import numpy as np
import streamlit as st

from benchmarks.naive import pictures
from core import examples, masks
from core.attention import attend

st.title("What does each word look at?")
card, stage = st.columns([1, 3.2])
text = card.text_area("Sentence", st.query_params.get("text", examples.TWINS[0]["en"]))
d_k = card.select_slider("d_k", [2**i for i in range(11)], value=64, key="d_k")
temperature = card.slider("T", 0.05, 10.0, 1.0, 0.1, key="T")
tokens = text.split()
n = len(tokens)
labels = [f"{i} {token}" for i, token in enumerate(tokens)]
example = examples.find(text)
vectors = examples.sentence_vectors(tokens, 1, d_k, seed=1, example=example)
heads = attend(vectors.query, vectors.key, vectors.value, mask=masks.named("none", n), temperature=temperature)
height = 120 + max(round(n * min(26, max(12, 320 / n))), 130)
with stage:
    query = labels.index(st.selectbox("Query", labels, index=example.focus if example else 0))
    left, right = st.columns(2)
    with left:
        pictures.heatmap(heads.scores[0], labels, labels, height, digits=".1f")
    with right, st.container(key="chart_weights"):
        pictures.heatmap(heads.weights[0], labels, labels, height, printed=0.05)
    row = heads.weights[0, query]
    nats = -(row * np.log(row)).sum()
    figures = {"largest": row.max(), "entropy": nats, "keys": np.exp(nats), "gradient": 1 - (row**2).sum()}
    pictures.metrics({name: f"{value:.3f}" for name, value in figures.items()})
    pictures.bars(labels, row, 190)
