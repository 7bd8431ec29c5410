"""Self-attention's pictures as one would write them first: the matrices side by side, two gazes, and the shuffle."""

import numpy as np
import streamlit as st

from benchmarks.naive import pictures
from core import examples
from core.attention import attend
from core.positions import sinusoidal
from core.tokens import labels, tokenize

st.title("Every token asks at once")
card, stage = st.columns([1, 3.2])
text = card.text_area("Sentence", examples.TWINS[0]["en"])
placed = card.toggle("Positions", key="positions")
seed = card.number_input("Seed", 0, 9999, 1)
example, tokens = examples.find(text), tokenize(text)
names, n, gaze = list(labels(tokens)), len(tokens), example.gazes[0]
places = sinusoidal(n, len(example.axes))


def attention(x):
    return attend(x @ gaze.w_q, x @ gaze.w_k, x @ gaze.w_v)


order = np.random.default_rng(seed).permutation(n)
h = example.features
moved = [
    np.abs(attention(h[order] + place).output[np.argsort(order)] - attention(h + place).output).max(axis=1)
    for place in (np.zeros_like(places), places)
]
x = h + places if placed else h
seen = attention(x)
with stage:
    at = names.index(st.selectbox("Query", names, index=example.focus))
    left, right = st.columns(2)
    with left:
        blocks = {"H": (x, example.axes), "Q": (x @ gaze.w_q, gaze.compared), "K": (x @ gaze.w_k, gaze.compared)}
        blocks["V"] = (x @ gaze.w_v, gaze.carried)
        pictures.flow(blocks, names, [(0, 1), (0, 2), (0, 3)], 146 + 24 * n)
    with right:
        blocks = {"S": (seen.scores, names), "A": (seen.weights, names), "O": (seen.output, gaze.carried)}
        pictures.flow(blocks, names, [(0, 1), (1, 2)], 146 + 24 * n)
    asymmetry = np.abs(seen.scores - seen.scores.T).max()
    figures = {"pairs": f"{n}² = {n * n}", "asymmetry": f"{asymmetry:.2g}"}
    pictures.metrics(figures | {"carried": f"4 of {h.shape[1]}", "moved": f"{moved[placed].max():.2g}"})
    for column, name in zip(st.columns(2), ("film", "scene")):
        with column:
            twin = next(e for e in examples.EXAMPLES if (e.name, e.language) == (name, "en"))
            look, words = twin.look(0), list(labels(twin.tokens))
            compare, compared = attend(look.query, look.key, look.value), twin.gazes[0].compared
            blocks = {"H": (twin.features, twin.axes), "Q": (look.query, compared), "K": (look.key, compared)}
            blocks["S"] = (compare.scores, words)
            pictures.flow(blocks, words, [(0, 1), (0, 2)], 146 + 24 * len(words), numbers=True)
    pictures.heatmap(np.array(moved), ["without positions", "with positions"], names, 200, digits=".1f")
