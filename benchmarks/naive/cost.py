"""The pictures of the cost as one would write them first."""

import pandas as pd
import streamlit as st

from benchmarks.naive import pictures
from core.cost import attention_cost, convolution_cost, crossing_length, kv_cache_bytes, recurrent_cost

LENGTHS = [2**i for i in range(4, 21)]
SQUARED = ("scores", "mix")

st.title("What n² costs")
card, stage = st.columns([1, 3.2])
n = card.select_slider("n", LENGTHS, value=512, key="cost_n")
d = card.select_slider("d_model", [64, 128, 256, 512, 768, 1024, 2048, 4096], value=512)
h = card.select_slider("Heads", [1, 2, 4, 8, 16, 32, 64], value=8)
n_layers = card.select_slider("Layers", [1, 2, 4, 6, 12, 24, 32, 48, 96], value=6)
cost = attention_cost(n, d, h, n_layers, 4)
share = sum(cost.multiply_adds[part] for part in SQUARED) / cost.total_multiply_adds
with stage:
    for column, parts in zip(st.columns(2), (cost.multiply_adds, cost.bytes)):
        with column:
            pictures.amounts(list(parts), list(parts.values()), [f"{value:.3g}" for value in parts.values()], 185)
    crossing = crossing_length(d)
    figures = {"share of n²": f"{share:.1%}", "crossing": f"n = {crossing:,}", "scores": f"{cost.bytes['scores']:,} B"}
    pictures.metrics(figures | {"cache": f"{kv_cache_bytes(n, d, h, n_layers, 4):,} B"})
    by_length = [attention_cost(length, d, h).multiply_adds for length in LENGTHS]
    named = {part: [layer[part] for layer in by_length] for part in ("projections", "feed_forward")}
    named["products"] = [sum(layer[part] for part in SQUARED) for layer in by_length]
    points = {"crossing": [(crossing, 2 * crossing**2 * d)]}
    pictures.curves(LENGTHS, named, 250, n, points, log_x=True, log_y=True)
    rivals = {
        "attention": (attention_cost(n, d, h), "scores"),
        "recurrent": (recurrent_cost(n, d), "state"),
        "convolution": (convolution_cost(n, d, 3), "convolution"),
    }
    table = [
        {
            "layer": name,
            "per layer": f"{rival.multiply_adds[part]:.3g}",
            "sequential": f"{rival.sequential_steps:,}",
            "path": f"{rival.path_length:,}",
        }
        for name, (rival, part) in rivals.items()
    ]
    st.table(pd.DataFrame(table))
