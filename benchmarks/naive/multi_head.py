"""Multi-head attention's pictures as one would write them first."""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from benchmarks.naive import pictures
from core import examples
from core.divergence import jensen_shannon_distance
from core.heads import gaze_layer, separate_heads
from core.multi_head import multi_head_attention, seeded_projections
from core.softmax import entropy
from core.tokens import embed, labels, tokenize

st.title("What do several heads buy?")
card, stage = st.columns([1, 3.2])
text = card.text_area("Sentence", examples.TWINS[0]["en"])
d_model = card.select_slider("d_model", [8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512], value=16, key="d_model")
h = card.pills("Heads", [1, 2, 4], default=4)
example, tokens = examples.find(text), tokenize(text)
names, d_k = list(labels(tokens)), d_model // h
if d_model == 4 * len(example.gazes):
    x, projections = gaze_layer(example, rng=1)
else:
    x, projections = embed(tokens, d_model, seed=1), seeded_projections(d_model, 1, rng=1)
layer = multi_head_attention(x, x, projections, h)
weights, average = layer.heads.weights, layer.heads.weights.mean(axis=0)
entropies = entropy(weights).mean(axis=-1)
apart = jensen_shannon_distance(weights[:, None], weights).mean(axis=-1)
difference = np.abs(separate_heads(x, projections, h) - layer.concat).max()
heads = [f"head {i + 1}" for i in range(h)]
with stage:
    maps = zip([*heads, "average"], [*weights, average])
    cells = [
        {"head": head, "query": names[i], "key": names[j], "value": values[i, j]}
        for head, values in maps
        for i in range(len(names))
        for j in range(len(names))
    ]
    base = alt.Chart(pd.DataFrame(cells)).mark_rect()
    axes = {"x": alt.X("key:O", sort=names, axis=None), "y": alt.Y("query:O", sort=names, axis=None)}
    strip = base.encode(**axes, color="value:Q").properties(width=170, height=170)
    st.altair_chart(strip.facet(column=alt.Column("head:N", sort=[*heads, "average"])))
    left, right = st.columns([1.25, 1])
    with left:
        query = names.index(st.selectbox("Query", names, index=example.focus))
        row = np.vstack([weights[:, query], average[query]])
        pictures.heatmap(row, [*heads, "average"], names, 110 + max(27 * (h + 1), 160), printed=0.05)
    with right:
        shown = [*entropies, entropies.mean(), entropy(average).mean()]
        of = [*heads, "mean of entropies", "entropy of average"]
        pictures.amounts(of, shown, [f"{value:.2f}" for value in shown], 60 + 27 * len(shown))
    figures = {"divisor": f"√{d_k} = {d_k**0.5:.4g}", "difference": f"{difference:.0e}"}
    pictures.metrics(figures | {"parameters": f"{projections.n_parameters:,}", "cache": f"{2 * h * d_k}"})
    left, right = st.columns(2)
    with left:
        pictures.heatmap(apart, heads, heads, 110 + max(27 * h, 160), printed=0.05)
    dividing = [k for k in (1, 2, 3, 4, 5, 6, 8, 10, 12, 16) if d_model % k == 0]
    price = [{"h": k, "d_k": d_model // k, "parameters": projections.n_parameters} for k in dividing]
    right.dataframe(pd.DataFrame(price), hide_index=True)
    for vector, parts in ((layer.concat[query], h), (layer.output[query], 1)):
        components = [{"component": i + 1, "value": value} for i, value in enumerate(vector)]
        chart = alt.Chart(pd.DataFrame(components)).mark_bar().encode(x="component:O", y="value:Q")
        if parts > 1:
            cuts = pd.DataFrame([{"cut": i * d_k + 1, "head": str(i + 1)} for i in range(parts)])
            chart += alt.Chart(cuts).mark_rule(strokeDash=[3, 3]).encode(x="cut:O")
            chart += alt.Chart(cuts).mark_text(dy=-40).encode(x="cut:O", text="head:N")
        st.altair_chart(chart.properties(height=100))
