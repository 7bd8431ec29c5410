"""The pictures of the masks as one would write them first."""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from benchmarks.naive import pictures
from core import blocking, examples, masks
from core.attention import attend
from core.softmax import entropy
from core.tokens import labels, tokenize

KINDS = ["none", "causal", "padding", "window", "prefix"]

st.title("Who may look where?")
card, stage = st.columns([1, 3.2])
text = card.text_area("Sentence", st.query_params.get("text", examples.TWINS[0]["en"]))
kind = card.pills("Mask", KINDS, default=st.query_params.get("mask", "none"))
left_size = card.number_input("Left", 0, 44, 2, key="left") if kind == "window" else 0
right_size = card.number_input("Right", 0, 44, 0, key="right") if kind == "window" else 0
tokens, example = tokenize(text), examples.find(text)
names, n = list(labels(tokens)), len(tokens)
mask = masks.named(kind, n, keep=4, left=left_size, right=right_size, prefix_length=3)
vectors = examples.sentence_vectors(tokens, 1, 64, seed=1, example=example)
query, key, value = vectors.query[0], vectors.key[0], vectors.value[0]
seen = attend(query, key, value, mask=mask)
height = 120 + max(round(n * min(26, max(12, 320 / n))), 130)
with stage:
    at = names.index(st.selectbox("Query", names, index=example.focus if example else 0))
    row, open_keys, scores = seen.weights[at], mask[at], seen.scores[at]
    st.pills("Open keys", names, selection_mode="multi", default=[names[j] for j in np.flatnonzero(open_keys)])
    left, right = st.columns(2)
    with left:
        pictures.heatmap(seen.scores, names, names, height, digits=".1f", allowed=mask)
    with right, st.container(key="chart_weights"):
        pictures.heatmap(seen.weights, names, names, height, printed=0.05, allowed=mask)
    figures = {"allowed": f"{mask.sum()} of {mask.size}", "keys": f"{open_keys.sum()} of {n}, {entropy(row):.2f} nats"}
    effect = blocking.influence(query, key, value, mask)
    pictures.metrics(figures | {"sum": f"{row.sum():.3f}", "effect": f"{effect:.1g}"})
    ways = {
        "−∞": blocking.filled(scores, open_keys, -np.inf),
        "−10⁹": blocking.filled(scores, open_keys, -1e9),
        "multiplied": blocking.multiplied(scores, open_keys),
        "zeroed": blocking.zeroed(scores, open_keys),
    }
    picture, verdicts = st.columns([1.5, 1])
    with picture:
        cells = [
            {"way": way, "key": names[j], "value": values[j], "open": bool(open_keys[j])}
            for way, values in ways.items()
            for j in range(n)
        ]
        base = alt.Chart(pd.DataFrame(cells)).encode(
            x=alt.X("key:O", sort=[*names, "Σ"]), y=alt.Y("way:O", sort=list(ways))
        )
        drawn = base.transform_filter("datum.open || datum.value > 0").mark_rect().encode(color="value:Q")
        strokes = base.transform_filter("!datum.open && datum.value == 0").mark_point(shape="stroke")
        totals = pd.DataFrame([{"way": way, "key": "Σ", "said": f"{values.sum():.3f}"} for way, values in ways.items()])
        sums = alt.Chart(totals).mark_text().encode(x="key:O", y="way:O", text="said:N")
        layers = drawn + strokes + sums
        if n <= 12:
            numbers = base.transform_filter("datum.value >= 0.005").mark_text()
            layers += numbers.encode(text=alt.Text("value:Q", format=".2f"))
        st.altair_chart(layers.properties(height=240))
    for way, values in ways.items():
        verdicts.markdown(f"{way}: the weights sum to {values.sum():.3f}")
    formats = {}
    for number in (np.float64, np.float32, np.float16):
        half = scores.astype(number)
        nobody = blocking.filled(half, np.zeros(n, dtype=bool), -1e9)
        held = f"{blocking.held(-1e9, half):g}"
        formats[number.__name__] = {
            "lowest": f"{np.finfo(number).min:.6g}",
            "becomes": held,
            "empty": f"{nobody[0]:.3f}",
        }
    st.table(pd.DataFrame(formats).T)
