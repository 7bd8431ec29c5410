"""A claim and the experiment that decides it as one would write them first."""

import streamlit as st

from benchmarks.naive import pictures
from core import examples
from core.attention import attend
from core.softmax import effective_keys, softmax

CLAIMS = ["A lower temperature makes the model surer.", "Var(q·k) is d_k.", "Dividing by d_k is safer."]

st.title("True or false?")
card, stage = st.columns([1, 3.2])
claim = card.radio("Claim", CLAIMS)
example = examples.find(examples.TWINS[0]["en"])
look = example.look()
scores = attend(look.query, look.key, look.value).scores[example.focus]
with stage:
    st.header(claim)
    asks, shows = st.columns([1, 1.7])
    with asks:
        temperature = st.slider("T", 0.05, 10.0, 1.0, 0.1, key="T")
        for answer, place in zip(("True", "False"), st.columns(2)):
            place.button(answer)
    weight = softmax(scores, temperature=temperature)
    with shows:
        pictures.bars([f"{i} {token}" for i, token in enumerate(example.tokens)], weight, 320)
        st.caption("One query's weights at this temperature.")
    alone = softmax(scores)
    pictures.metrics(
        {
            "largest": f"{weight.max():.3f}",
            "keys": f"{effective_keys(weight):.2f}",
            "largest at T = 1": f"{alone.max():.3f}",
            "keys at T = 1": f"{effective_keys(alone):.2f}",
        }
    )
