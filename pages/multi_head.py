"""What several heads buy: their maps side by side, how far apart they are, what an average hides, what they cost."""

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from core import examples
from core.attention import attend
from core.divergence import jensen_shannon_distance
from core.heads import gaze_layer, share_key_heads
from core.multi_head import multi_head_attention, seeded_projections
from core.softmax import entropy
from core.tokens import embed, labels, tokenize
from ui import code, controls, formula, frame, tidy
from ui.charts.amounts import AmountWords, amounts
from ui.charts.maps import MapWords, heatmap, strip
from ui.charts.segments import SegmentWords, segments
from ui.controls import control
from ui.text import plain

words = frame.begin("multi_head")
card, stage = st.columns([1, 3.2], gap="medium")
with card.container(border=True, gap="xsmall", key="card"):
    text = controls.sentence(words, examples.TWINS)
    d_model = control("d_model", words)
    h = control("h", words)
    grouped = control("gqa", words)
    fewer = [k for k in range(1, h) if h % k == 0]
    n_kv = control("kv", words, options=fewer) if grouped and fewer else h
    mixed = control("w_o", words)
    seed = control("seed", words)

tokens = tokenize(text)
n, names = len(tokens), labels(tokens)
with stage:
    if d_model % h:
        dividing = ", ".join(str(k) for k in controls.CONTROLS["h"].options if d_model % k == 0)
        cut = d_model // h
        lost = d_model - h * cut
        frame.refuse(words, words("uneven", d_model=d_model, h=h, dividing=dividing, cut=cut, kept=h * cut, lost=lost))
    frame.check_length(words, n, h)

example = examples.find(text)
gazes = example.gazes if example else ()
by_hand = bool(example) and d_model == 4 * len(gazes)
if example and by_hand:
    x, full = gaze_layer(example, rng=seed)
else:
    # A million normal numbers at d_model = 512 take longer than everything else here.
    drawn = st.cache_resource(seeded_projections, max_entries=4, show_spinner=False)
    x, full = embed(tokens, d_model, seed=seed), drawn(d_model, 1, rng=seed)
if not mixed:
    full = replace(full, w_o=np.eye(d_model))
projections = share_key_heads(full, h, n_kv)
layer = multi_head_attention(x, x, projections, h, n_kv_heads=n_kv)

weights, d_k = layer.heads.weights, d_model // h
average = weights.mean(axis=0)
entropies = entropy(weights).mean(axis=-1)
of_average = float(entropy(average).mean())
apart = jensen_shannon_distance(weights[:, None], weights).mean(axis=-1)
group = [i * n_kv // h for i in range(h)]
small = [
    attend(x @ w_q, x @ np.split(projections.w_k, n_kv, axis=1)[k], x @ np.split(projections.w_v, n_kv, axis=1)[k])
    for w_q, k in zip(np.split(projections.w_q, h, axis=1), group, strict=True)
]
difference = float(np.abs(np.hstack([head.output for head in small]) - layer.concat).max())

named = by_hand and h == len(gazes)
heads = tuple(f"{i + 1} {words(f'gazes.{gazes[i].name}')}" if named else str(i + 1) for i in range(h))
rows = (*heads, words("average"))
stacked = np.concatenate([weights, average[None]])
map_words = MapWords(words("map.query"), words("map.key"), words("map.weight"), words("map.blocked"))
with stage:
    st.markdown(f"##### {words('maps' if h > 1 else 'maps_one', h=h)}")
    columns = h + 1 if h <= 4 else -(-(h + 1) // 2)
    place = st.columns([h + 1, 4 - h])[0] if h < 4 else st.container()
    with place:
        frame.show(
            strip, rows, tokens, map_words, words("map.head"), columns,
            key="heads", alt_text=words("alt.heads", h=h, n=n, mean=entropies.mean(), of_average=of_average),
            panels=tidy.panels(stacked, np.True_), picked=tidy.positions("panel", h),
        )  # fmt: skip
    if by_hand:
        st.caption(words(f"by_hand.{len(gazes)}" if named else "by_hand.cut", h=h, gazes=len(gazes)))
    else:
        st.caption(words("seeded_worked" if gazes else "seeded", d_model=4 * len(gazes)))
    lowest, highest = entropies.mean(), min(entropies.mean() + np.log(h), np.log(n))
    frame.metrics(
        (words("figures.mean"), words("figures.nats", value=entropies.mean()), words("figures.mean_bound", h=h)),
        (words("figures.of_average"), words("figures.nats", value=of_average),
         words("figures.of_average_bound", low=lowest, high=highest)),
        (words("figures.divisor"), f"√{d_k} = {d_k**0.5:.4g}",
         words("figures.divisor_bound" if h > 1 else "figures.divisor_one", d_model=d_model, wrong=d_model**0.5)),
        (words("figures.difference"), f"{difference:.0e}" if difference else "0", words("figures.difference_bound")),
    )  # fmt: skip

    left, right = st.columns([1.25, 1])
    with left:
        query = controls.token("query", words, names, example.focus if example else 0)
        row = stacked[:, query]
        frame.show(
            heatmap, rows, tokens, map_words._replace(query=words("map.head")),
            "weight", 110 + max(27 * len(rows), 160),
            key="rows", alt_text=words("alt.rows", token=names[query], top=names[row[0].argmax()], weight=row[0].max()),
            cells=tidy.cells(row, np.True_), picked=tidy.positions("query", h),
        )  # fmt: skip
    with right:
        st.markdown(f"##### {words('entropies')}")
        bars = [*entropies, entropies.mean(), of_average]
        frame.show(
            amounts, (*heads, words("mean_of_entropies"), words("entropy_of_average")),
            AmountWords(words("map.head"), words("nats")), float(np.log(n)) or 1.0, 60 + 27 * len(bars),
            key="entropies", alt_text=words("alt.entropies", mean=entropies.mean(), of_average=of_average),
            amounts=tidy.amounts(bars, [f"{value:.2f}" for value in bars], [0] * h + [3, 3]),
        )  # fmt: skip

    left, right = st.columns(2)
    with left:
        st.markdown(f"##### {words('apart')}")
        far, near = apart.max(), apart[~np.eye(h, dtype=bool)].min(initial=1)
        frame.show(
            heatmap, heads, heads, MapWords(words("map.head"), words("map.head"), words("distance"), ""),
            "weight", 120 + max(27 * h, 160),
            key="apart", alt_text=words("alt.apart" if h > 1 else "alt.apart_one", h=h, near=near, far=far),
            cells=tidy.cells(apart, np.True_), picked=tidy.positions("query"),
        )  # fmt: skip
        st.caption(words("apart_how"))
    with right:
        st.markdown(f"##### {words('price')}")
        cached, alone = 2 * n_kv * d_k, 2 * d_model
        sharing = "_shared" if n_kv < h else ""
        frame.metrics(
            (words("figures.parameters"), f"{projections.n_parameters:,}",
             words(f"figures.parameters_bound{sharing}", d_model=d_model, full=full.n_parameters)),
            (words("figures.cache"), words("figures.numbers", count=cached),
             words(f"figures.cache_bound{sharing}", n_kv=n_kv, d_k=d_k, full=alone)),
            key="costs",
        )  # fmt: skip
        if n_kv < h:
            st.markdown(words("shared", heads=", ".join(str(i) for i in range(h)), kv=", ".join(map(str, group))))
        divisors = [k for k in controls.CONTROLS["h"].options if d_model % k == 0]
        st.dataframe(
            pd.DataFrame(
                {
                    words("by_heads.h"): divisors,
                    "d_k": [d_model // k for k in divisors],
                    "√d_k": [round((d_model / k) ** 0.5, 3) for k in divisors],
                    words(f"by_heads.parameters{sharing}"): [4 * d_model**2] * len(divisors),
                }
            ),
            hide_index=True,
        )

    st.markdown(f"##### {words('concat', token=plain(names[query]))}")
    concat, output = layer.concat[query], layer.output[query]
    segment = SegmentWords(words("component"), words("value"), words("map.head"))
    for key, vector, series in (("concat", concat, 2), ("output", output, 3)):
        st.caption(words(f"{key}_of", h=h, d_k=d_k, d_model=d_model))
        frame.show(
            segments, d_model, h if key == "concat" else 1, segment, series, 100,
            key=key, alt_text=words(f"alt.{key}", token=names[query], low=vector.min(), high=vector.max()),
            components=tidy.components(vector),
        )  # fmt: skip
    if not mixed:
        st.info(words("unmixed", difference=np.abs(output - concat).max()))

controls.presets(
    words,
    {
        "uncut": {"d_model": 16, "h": 1, "gqa": False, "text": examples.TWINS[0][words.language]},
        "share": {"d_model": 16, "h": 4, "gqa": True, "kv": 2},
        "paper": {"d_model": 512, "h": 8, "gqa": False},
    },
)
uncut = multi_head_attention(x, x, full, 1).heads.weights[0, query]
top = int(weights[0, query].argmax())
frame.predict(
    words, float(uncut[top]), low=0.0, high=1.0, step=0.01, digits=3,
    d_model=d_model, h=h, d_k=d_k, token=plain(names[query]), top=plain(names[top]), weight=weights[0, query, top],
)  # fmt: skip
with st.expander(words("formula"), expanded=True):
    formula.show(formula.multi_head(d_model, h, n_kv))
    formula.show(formula.parameters(d_model, h, n_kv))
frame.table(words, tidy.matrix(row, rows, names))
frame.table(words, tidy.matrix(apart, heads, heads), label=words("apart"))
hand = {"query": x @ full.w_q, "key": x @ full.w_k, "value": x @ full.w_v}
frame.code(
    words,
    code.program(
        "gaze_heads" if by_hand else "seeded_heads",
        "multi_head",
        tokens=list(tokens), d_model=d_model, h=h, n_kv=n_kv, seed=seed, at=query,
        w_o=code.Expression("w_o" if mixed else "np.eye(d_model)"),
        **({name: vectors.astype(int).tolist() for name, vectors in hand.items()} if by_hand else {}),
    ),
)  # fmt: skip
frame.end(words)
