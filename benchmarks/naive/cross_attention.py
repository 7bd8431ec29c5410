"""Cross-attention's pictures as one would write them first."""

import altair as alt
import pandas as pd
import streamlit as st

from benchmarks.naive import pictures
from core.seq2seq import decode, worked_translation
from core.softmax import effective_keys

st.title("From a fixed vector to a look back")
card, stage = st.columns([1, 3.2])
translation = worked_translation(card.segmented_control("Source", ["en", "ko"], default="en"))
scorer = card.segmented_control("Scorer", ["dot", "general", "additive"], default="dot")
source, target = list(translation.source), list(translation.target)
n, m, axes = len(source), len(target), list(translation.axes[:-1])
states, asking = translation.encoder_states, translation.decoder_states
now = decode(states, asking, scorer, weights=translation.weights)
with stage:
    at = st.select_slider("Output", list(range(1, m + 1)), key="output") - 1
    row = now.weights[at]
    left, right = st.columns([1.3, 1])
    with left:
        links = [
            {"x": (i + 0.5) / m, "x2": (j + 0.5) / n, "y": 1, "y2": 0, "weight": now.weights[i, j], "now": i == at}
            for i in range(m)
            for j in range(n)
        ]
        nodes = [{"x": (i + 0.5) / m, "y": 1.0, "name": name, "row": "output"} for i, name in enumerate(target)]
        nodes += [{"x": (j + 0.5) / n, "y": 0.0, "name": name, "row": "input"} for j, name in enumerate(source)]
        base = alt.Chart(pd.DataFrame(links)).encode(x="x:Q", y="y:Q")
        lines = base.mark_rule().encode(x2="x2", y2="y2", strokeWidth="weight:Q", color="now:N")
        numbers = base.transform_filter("datum.now").mark_text(dy=47).encode(x="x2:Q", y="y2:Q")
        dots = alt.Chart(pd.DataFrame(nodes)).encode(x="x:Q", y="y:Q")
        layers = lines + dots.mark_line(color="gray").encode(detail="row:N")
        layers += dots.mark_point(filled=True, size=500).encode(color="row:N") + dots.mark_text(dy=28).encode(
            text="name:N"
        )
        st.altair_chart((layers + numbers.encode(text=alt.Text("weight:Q", format=".2f"))).properties(height=300))
    with right:
        pictures.heatmap(now.weights, target, source, 290, printed=0.05)
    maps = ((target, asking), (source, states), (target, now.output))
    for column, (labels, values) in zip(st.columns(3), maps):
        with column:
            pictures.heatmap(values, labels, axes, 90 + 32 * max(n, m), digits=".2~f")
    kept = states[-1, 0] / states[0, 0]
    pictures.metrics(
        {"largest": f"{row.max():.3f}", "keys": f"{effective_keys(row):.2f}", "left of the first": f"{kept:.1%}"}
    )
    left, right = st.columns([1.7, 1])
    left.markdown("| | queries | keys |\n|---|---|---|\n| self | source | source |\n| cross | target | source |")
    with right:
        pictures.heatmap(decode(states, states, "dot").weights, source, source, 110 + 26 * n, printed=0.05)
