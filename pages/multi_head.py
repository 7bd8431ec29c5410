"""What several heads buy: their maps side by side, how far apart they are, what an average hides, what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from core import examples
from core.divergence import jensen_shannon_distance
from core.heads import gaze_layer, separate_heads, share_key_heads
from core.multi_head import Projections, multi_head_attention, seeded_projections
from core.softmax import entropy
from core.tokens import embed, labels, tokenize
from ui import code, controls, formula, frame, maps, tidy
from ui.charts.amounts import AmountWords, amounts
from ui.charts.segments import SegmentWords, segments
from ui.controls import control
from ui.keep import keep
from ui.late import pd
from ui.maps import MapWords
from ui.text import plain

WIDTHS = controls.CONTROLS["d_model"].options

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
n, names, d_k = len(tokens), labels(tokens), d_model // h
dividing = [k for k in controls.CONTROLS["h"].options if d_model % k == 0]
with stage:
    if h not in dividing:
        sizes = {"d_model": d_model, "h": h, "d_k": d_k, "kept": h * d_k, "lost": d_model - h * d_k}
        frame.refuse(words, words("uneven", dividing=", ".join(map(str, dividing)), **sizes))
    frame.check_length(words, n, h)

example = examples.find(text)
gazes = example.gazes if example else ()


# A million normal numbers at d_model = 512 take longer than everything else here.
@keep(2 * len(WIDTHS))
def drawn(d_model: int, seed: int) -> Projections:
    return seeded_projections(d_model, 1, rng=seed)


def before_the_cut(text: str, d_model: int, seed: int) -> tuple[np.ndarray, Projections]:
    """The tokens (n, d_model) and their layer with one head."""
    example = examples.find(text)
    if example and d_model == 4 * len(example.gazes):
        return gaze_layer(example, rng=seed)
    return embed(tokenize(text), d_model, seed=seed), drawn(d_model, seed)


def cut(uncut: Projections, h: int, n_kv: int, mixed: bool) -> Projections:
    """The layer with h heads that share n_kv keys and values; W_O mixes them, or only copies."""
    return share_key_heads(uncut if mixed else replace(uncut, w_o=np.eye(len(uncut.w_o))), h, n_kv)


class Seen(NamedTuple):
    """What is shown of a layer: the heads' maps and their average, entropies and distances, and its two last steps."""

    maps: np.ndarray
    entropies: list[float]
    apart: np.ndarray
    concat: np.ndarray
    output: np.ndarray


# Of a long sentence in many heads, one entry takes some megabytes.
@keep(10)
def at_every_width(text: str, h: int, n_kv: int, mixed: bool, seed: int) -> dict[int, Seen]:
    """The layer at every d_model that h divides, by the position of its option."""
    seen = {}
    for place, d_model in enumerate(WIDTHS):
        if d_model % h == 0:
            x, uncut = before_the_cut(text, d_model, seed)
            layer = multi_head_attention(x, x, cut(uncut, h, n_kv, mixed), h, n_kv_heads=n_kv)
            weights, average = layer.heads.weights, layer.heads.weights.mean(axis=0)
            entropies = entropy(weights).mean(axis=-1)
            seen[place] = Seen(
                np.concatenate([weights, average[None]]),
                [*entropies, entropies.mean(), entropy(average).mean()],
                jensen_shannon_distance(weights[:, None], weights).mean(axis=-1),
                layer.concat,
                layer.output,
            )
    return seen


@keep(50)
def frames_at_every_width(text: str, h: int, n_kv: int, mixed: bool, seed: int, query: int) -> dict[str, pd.DataFrame]:
    """What the charts show of them: the entropies as bars, and the two last steps of one query."""
    seen = at_every_width(text, h, n_kv, mixed, seed)
    frames = {
        "entropies": [
            tidy.amounts(each.entropies, [f"{value:.2f}" for value in each.entropies], [0] * h + [3, 3])
            for each in seen.values()
        ],
        "concat": [tidy.components(each.concat[query], h) for each in seen.values()],
        "output": [tidy.components(each.output[query], 1) for each in seen.values()],
    }
    return {name: tidy.along(of_each, [*seen]) for name, of_each in frames.items()}


def names_of_heads(d_model: int) -> tuple[str, ...]:
    """Numbers, and the names of the gazes where the heads are theirs."""
    named = d_model == 4 * len(gazes) and h == len(gazes)
    return tuple(f"{i + 1} {words(f'gazes.{gazes[i].name}')}" if named else str(i + 1) for i in range(h))


everywhere, at = at_every_width(text, h, n_kv, mixed, seed), WIDTHS.index(d_model)
x, uncut = before_the_cut(text, d_model, seed)
projections = cut(uncut, h, n_kv, mixed)
by_hand, now = d_model == 4 * len(gazes), everywhere[at]
shown, apart, of_average = now.maps, now.apart, now.entropies[-1]
difference = np.abs(separate_heads(x, projections, h, n_kv_heads=n_kv) - now.concat).max()
heads = names_of_heads(d_model)
rows = (*heads, words("average"))


def ahead(told: Callable[[Seen, tuple[str, ...]], dict[str, Any]]) -> dict[str, dict[int, dict[str, Any]]]:
    """What a map is `told` of the layer and the names of its heads at the next widths."""
    # As far to either side as the largest of the maps allows.
    near = controls.near("d_model", d_model, maps.places_ahead(shown.size))
    other = {place: width for place, width in near.items() if place in everywhere}
    return {"d_model": {place: told(everywhere[place], names_of_heads(width)) for place, width in other.items()}}


map_words = MapWords(*map(words, ("map.query", "map.key", "map.weight", "map.blocked", "map.head")))
sharing = "_shared" if n_kv < h else ""
with stage:
    st.markdown(f"## {words('maps' if h > 1 else 'maps_one', h=h)}")
    # Up to four heads and their average stand in one row of equal maps, more of them in two.
    with st.columns([h + 1, 4 - h])[0] if h < 4 else st.container():
        across = h + 1 if h <= 4 else h // 2 + 1
        maps.show(
            shown, tokens, tokens, map_words, "weight",
            key="heads", alt_text=words("alt.heads", h=h, n=n, mean=now.entropies[h], of_average=of_average),
            height=210 * -(-len(rows) // across), picked=h, panels=rows, across=across,
            ahead=ahead(lambda seen, titles: {"values": seen.maps, "panels": (*titles, words("average"))}),
        )  # fmt: skip
    kind = "one" if h == 1 else str(h) if h == len(gazes) else "cut"
    origin = f"by_hand.{kind}" if by_hand else "seeded_worked" if gazes else "seeded"
    st.caption(words(origin, h=h, gazes=len(gazes), d_model=4 * len(gazes)))
    if sharing:
        read = [i * n_kv // h for i in range(h)]
        counted = {"heads": range(1, h + 1), "kv": [i + 1 for i in read], "indices": read}
        st.markdown(words("shared", **{name: ", ".join(map(str, places)) for name, places in counted.items()}))

    left, right = st.columns([1.25, 1])
    with left:
        query = controls.token("query", words, names, example.focus if example else 0)
        row, token = shown[:, query], names[query]
        frames = frames_at_every_width(text, h, n_kv, mixed, seed, query)
        maps.show(
            row, rows, tokens, map_words._replace(query=words("map.head")), "weight",
            key="rows", alt_text=words("alt.rows", token=token, top=names[row[0].argmax()], weight=row[0].max()),
            height=110 + max(27 * len(rows), 160), picked=h,
            ahead=ahead(lambda seen, titles: {"values": seen.maps[:, query], "rows": (*titles, words("average"))}),
        )  # fmt: skip
    with right:
        st.markdown(f"## {words('entropies')}")
        frame.show(
            # Numbers alone: names that come and go with d_model would draw the chart anew.
            amounts, (*map(str, range(1, h + 1)), words("mean_of_entropies"), words("entropy_of_average")),
            AmountWords(words("map.head"), words("nats", n=n, most=np.log(n))),
            float(np.log(n)) or 1.0, 60 + 27 * (h + 2),
            key="entropies", along="d_model",
            alt_text=words("alt.entropies", mean=now.entropies[h], of_average=of_average),
            amounts=frames["entropies"],
        )  # fmt: skip
    frame.metrics(
        (words("figures.divisor"), f"√{d_k} = {d_k**0.5:.4g}",
         words("figures.divisor_bound" if h > 1 else "figures.divisor_one", d_model=d_model, wrong=d_model**0.5)),
        (words("figures.difference"), f"{difference:.0e}" if difference else "0", words("figures.difference_bound")),
        (words("figures.parameters"), f"{projections.n_parameters:,}",
         words(f"figures.parameters_bound{sharing}", d_model=d_model, full=uncut.n_parameters)),
        (words("figures.cache"), words("figures.numbers", count=2 * n_kv * d_k),
         words(f"figures.cache_bound{sharing}", n_kv=n_kv, d_k=d_k, full=2 * d_model)),
    )  # fmt: skip

    left, right = st.columns(2)
    with left:
        st.markdown(f"## {words('apart')}")
        near = apart[~np.eye(h, dtype=bool)].min(initial=1)
        maps.show(
            apart, heads, heads, MapWords(words("map.head"), words("map.head"), words("distance"), ""), "weight",
            key="apart", alt_text=words("alt.apart" if h > 1 else "alt.apart_one", h=h, near=near, far=apart.max()),
            height=110 + max(27 * h, 160),
            ahead=ahead(lambda seen, titles: {"values": seen.apart, "rows": titles, "columns": titles}),
        )  # fmt: skip
        st.caption(words("apart_how"))
    with right:
        st.markdown(f"## {words('price')}")
        widths = np.array([d_model // k for k in dividing])
        counts = [f"{uncut.n_parameters:,}"] * len(dividing)
        columns: dict[str, Sequence[object]] = {
            "h": dividing,
            "d_k": widths.tolist(),
            "√d_k": [f"{root:.4g}" for root in np.sqrt(widths)],
            "parameters": counts,
        }
        frame.grid({words(f"by_heads.{name}"): column for name, column in columns.items()}, label=words("price"))
        st.caption(words("price_why"))

    st.markdown(f"## {words('concat', token=plain(token))}")
    segment_words = SegmentWords(words("component"), words("value"), words("map.head"))
    steps = (("concat", "concat", h, 2), ("output", "output" if mixed else "copied", 1, 3))
    for part, step, n_segments, series in steps:
        vector = getattr(now, part)[query]
        st.caption(words(f"steps.{step}", h=h, d_k=d_k, d_model=d_model))
        frame.show(
            segments, segment_words, series, 100,
            key=step, along="d_model",
            alt_text=words(f"alt.{step}", token=token, low=vector.min(), high=vector.max()),
            components=frames[part], cuts=tidy.cuts(n_segments),
        )  # fmt: skip

controls.presets(
    words,
    {
        "uncut": {"text": examples.TWINS[0][words.language], "d_model": 16, "h": 1, "gqa": False},
        "share": {"text": examples.TWINS[0][words.language], "d_model": 16, "h": 4, "gqa": True, "kv": 2},
        "paper": {"d_model": 512, "h": 8, "gqa": False},
    },
)
top = int(row[0].argmax())
frame.predict(
    words, lambda: float(multi_head_attention(x, x, uncut, 1).heads.weights[0, query, top]),
    low=0.0, high=1.0, step=0.01, digits=3,
    d_model=d_model, h=h, d_k=d_k, token=plain(token), top=plain(names[top]), weight=row[0, top],
)  # fmt: skip
with frame.panel("formula", words("formula")) as is_open:
    if is_open:
        for line in (*formula.multi_head(d_model, h, n_kv), formula.parameters(d_model, h, n_kv)):
            formula.show(line)
frame.table(words, lambda: tidy.matrix(row, rows, names))
frame.table(words, lambda: tidy.matrix(apart, heads, heads), label=words("apart"))


def program() -> str:
    """The layer of the picked query, from nothing."""
    projected = {"query": x @ uncut.w_q, "key": x @ uncut.w_k, "value": x @ uncut.w_v} if by_hand else {}
    return code.program(
        "gaze_heads" if by_hand else "seeded_heads",
        "multi_head",
        tokens=list(tokens), d_model=d_model, h=h, n_kv=n_kv, seed=seed, at=query,
        w_o=code.Expression("w_o" if mixed else "np.eye(d_model)"),
        **{name: vectors.astype(int).tolist() for name, vectors in projected.items()},
    )  # fmt: skip


frame.code(words, program)
frame.end(words)
