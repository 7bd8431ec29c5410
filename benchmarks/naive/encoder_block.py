"""The encoder block's pictures as one would write them first; what takes long is cached, as in the app."""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from benchmarks.naive import pictures
from core import examples
from core.depth import FIGURES, left_after, seeded_layers
from core.encoder import cosine, encoder_layer
from core.tokens import embed, labels, tokenize

NORMS, WIDTH, WAYS = ["post", "pre", "none"], 32, ["with", "without"]


@st.cache_data
def by_depth(tokens):
    layers, x = seeded_layers(64, WIDTH, 1, seed=1), embed(tokens, WIDTH, seed=1)
    return [
        [left_after(x, layers, n_heads=1, norm=norm, residual=residual) for norm in NORMS] for residual in (True, False)
    ]


st.title("Not to forget oneself")
card, stage = st.columns([1, 3.2])
text = card.text_area("Sentence", examples.TWINS[0]["en"])
example, tokens = examples.find(text), tokenize(text)
names = list(labels(tokens))
x, (first,) = embed(tokens, WIDTH, seed=1), seeded_layers(1, WIDTH, 1, seed=1)
with stage:
    at = names.index(st.selectbox("Token", names, index=example.focus))
    rows = {}
    for way, residual in zip(WAYS, (True, False)):
        layer = encoder_layer(x, first, n_heads=1, residual=residual)
        steps = {"X": x, "A = Attention(X)": layer.attention.output, "Z = X + A": layer.after_attention,
                 "N = LayerNorm(Z)": layer.normed, "F = FeedForward(N)": layer.feed_forward,
                 "Y = N + F": layer.after_feed_forward, "O = LayerNorm(Y)": layer.output}  # fmt: skip
        rows[way] = {name: values[at] for name, values in steps.items()}
    left, right = st.columns([1.9, 1])
    with left:
        bars = [
            {"step": name, "component": i, "value": value}
            for name, vector in rows["with"].items()
            for i, value in enumerate(vector)
        ]
        moments = [
            {
                "step": name,
                "low": v.mean() - v.std(),
                "high": v.mean() + v.std(),
                "said": f"{v.mean():.2f} ± {v.std():.2f}",
            }
            for name, v in rows["with"].items()
        ]
        bands = alt.Chart(pd.DataFrame(moments)).encode(y=alt.Y("step:N", sort=list(steps)))
        drawn = alt.Chart(pd.DataFrame(bars)).mark_bar().encode(
            x="component:O", y=alt.Y("step:N", sort=list(steps)), yOffset="value:Q", color="step:N"
        )  # fmt: skip
        said = bands.mark_text(align="right", dy=-20).encode(x=alt.value("width"), text="said:N")
        st.altair_chart((drawn + said).properties(height=450))
    with right:
        kept = [
            {"way": way, "step": name, "cosine": float(cosine(x[at], vector))}
            for way, steps in rows.items()
            for name, vector in steps.items()
        ]
        base = alt.Chart(pd.DataFrame(kept)).encode(x="cosine:Q", y=alt.Y("step:N", sort=list(steps)), color="way:N")
        lines = base.mark_line().encode(order="index:Q") + base.mark_point(filled=True)
        numbers = base.mark_text(dx=24).encode(text=alt.Text("cosine:Q", format=".2f"))
        st.altair_chart((lines + numbers).properties(height=450))
    figures = {"attended": kept[2]["cosine"], "left": kept[6]["cosine"], "deviation": rows["with"]["Z = X + A"].std()}
    pictures.metrics({name: f"{value:.2f}" for name, value in figures.items()})
    depth = st.select_slider("Depth", [1, 2, 4, 8, 16, 32, 64], value=8, key="depth")
    found = by_depth(tokens)
    for column, (k, figure) in zip(st.columns(3), enumerate(FIGURES)):
        with column:
            named = {norm: found[0][i][:, k] for i, norm in enumerate(NORMS)}
            points = {norm: [(depth, curve[depth - 1])] for norm, curve in named.items()}
            pictures.curves(np.arange(1, 65), named, 250, depth, points, log_x=True, log_y=figure == "scale")
    table = {
        f"{figure}, {way}": [f"{found[w][i][depth - 1, k]:.3g}" for i in range(3)]
        for k, figure in enumerate(FIGURES)
        for w, way in enumerate(WAYS)
    }
    st.dataframe(pd.DataFrame({"norm": NORMS} | table), hide_index=True)
