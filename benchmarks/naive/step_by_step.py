"""One query's walk as one would draw it first: its rows of numbers, the whole matrix, and the arithmetic as a table."""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from benchmarks.naive import pictures
from core import examples
from core.attention import attend
from core.tokens import labels, tokenize

STEPS = ["vectors", "dot", "divide", "mask", "exp", "weights", "mix", "output"]
LANES = ["q · k", "÷ √d_k = 2", "mask", "exp", "weight"]

st.title("What happens to one query?")
card, stage = st.columns([1, 3.2])
text = card.text_area("Sentence", examples.TWINS[0]["en"])
tokens, example = tokenize(text), examples.find(text)
names, n = list(labels(tokens)), len(tokens)
query = names.index(card.selectbox("Query", names, index=example.focus))
look, gaze = example.look(), example.gazes[0]
everyone = attend(look.query, look.key, look.value)
scores, row, output = everyone.scores[query], everyone.weights[query], everyone.output[query]
with stage:
    step = st.select_slider("Step", STEPS, value=st.query_params.get("step", "vectors"), key="step")
    at = STEPS.index(step)
    lanes = [2 * scores, scores, scores, np.exp(scores), row]
    rows = [(f"k {axis}", look.key[:, i]) for i, axis in enumerate(gaze.compared)]
    rows += list(zip(LANES, lanes))[: min(at, 5)]
    rows += [(f"v {axis}", look.value[:, i]) for i, axis in enumerate(gaze.carried)]
    if at > 5:
        rows += [(f"w v {axis}", row * look.value[:, i]) for i, axis in enumerate(gaze.carried)]
    order = [name for name, _ in rows]
    cells = [
        {"row": name, "key": names[j], "value": values[j], "size": abs(values[j]) / (abs(values).max() or 1)}
        for name, values in rows
        for j in range(n)
    ]
    cells += [{"row": name, "key": "q", "value": look.query[query, i], "size": 1} for i, name in enumerate(order[:4])]
    cells += [{"row": name, "key": "Σ", "value": sum(values), "size": 0} for name, values in rows[7 : 4 + min(at, 5)]]
    if step == "output":
        cells += [{"row": name, "key": "out", "value": output[i], "size": 1} for i, name in enumerate(order[-4:])]
    base = alt.Chart(pd.DataFrame(cells))
    base = base.encode(x=alt.X("key:O", sort=["q", *names, "Σ", "out"]), y=alt.Y("row:O", sort=order))
    numbers = base.mark_text().encode(text=alt.Text("value:Q", format=".4~g"))
    st.altair_chart((base.mark_rect().encode(color="size:Q") + numbers).properties(height=540))
    left, right = st.columns(2)
    with left:
        products = look.query @ look.key.T
        whole = [look.query, products, everyone.scores, everyone.scores, np.exp(everyone.scores)]
        matrix = [*whole, everyone.weights, everyone.weights, everyone.output][at]
        columns = list(gaze.compared if at == 0 else gaze.carried if at == 7 else names)
        pictures.heatmap(matrix, names, columns, 120 + max(24 * n, 110), digits=".1f")
    with right:
        shown = lanes[min(max(at - 1, 0), 4)]
        table = [{"key": name, "calculation": f"{look.key[j]} {look.value[j]}", "result": f"{shown[j]:.4g}"}
                 for j, name in enumerate(names)]  # fmt: skip
        st.dataframe(pd.DataFrame(table), hide_index=True, height=425)
    if at > 4:
        pictures.metrics({"largest": f"{row.max():.3f}", "keys": f"{np.exp(-(row * np.log(row)).sum()):.2f}"})
