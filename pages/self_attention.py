"""Every token asks at once: the matrices side by side, why there are three projections, and what order changes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core import examples
from core.attention import Attention, attend
from core.multi_head import seeded_projections
from core.positions import sinusoidal
from core.tokens import embed, labels, tokenize
from ui import code, controls, formula, frame, maps, tidy
from ui.charts.flow import Block, FlowWords, flow
from ui.controls import control
from ui.keep import keep
from ui.late import pd
from ui.maps import MapWords
from ui.text import plain

# Of sentences without hand-set vectors: the size of H, and of a query.
D_MODEL, D_K = 8, 4
# Up to so many words the pictures hold both what is seen without positions and with them.
SOON = 30

words = frame.begin("self_attention")
card, stage = st.columns([1, 3.2], gap="medium")
with card.container(border=True, gap="xsmall", key="card"):
    text = controls.sentence(words, examples.TWINS)
    st.caption(words("why_three"))
    one_matrix = control("one_matrix", words)
    identity_v = control("identity_v", words)
    st.caption(words("order"))
    shuffled = control("shuffled", words)
    positions = control("positions", words)
    seed = control("seed", words)

tokens = tokenize(text)
n = len(tokens)
with stage:
    frame.check_length(words, n)

example = examples.find(text)
gaze = example.gazes[0] if example and example.gazes else None
if example and gaze:
    h = example.features
    projections: tuple[np.ndarray, ...] = gaze.w_q, gaze.w_k, gaze.w_v
    axes = tuple(words(f"axes.{axis}") for axis in example.axes)
    compared, carried = (tuple(words(f"axes.{axis}") for axis in names) for names in (gaze.compared, gaze.carried))
else:
    h = embed(tokens, D_MODEL, seed=seed)
    drawn = seeded_projections(D_MODEL, D_MODEL // D_K, rng=seed)
    projections = drawn.w_q[:, :D_K], drawn.w_k[:, :D_K], drawn.w_v[:, :D_K]
    axes = tuple(str(i + 1) for i in range(D_MODEL))
    compared = carried = axes[:D_K]
w_q, w_k, w_v = projections
if one_matrix:
    w_k = w_q
only_compared = (np.abs(w_q) + np.abs(w_k)).any(axis=1) & ~w_v.any(axis=1)
if identity_v:
    w_v, carried = np.eye(len(axes)), axes


@keep(50)
def matrices_of_both(stacks: Sequence[Sequence[np.ndarray]], *weights: int) -> pd.DataFrame:
    return tidy.along([tidy.matrices(stack, *weights) for stack in stacks])


def attention(x: np.ndarray) -> Attention:
    return attend(x @ w_q, x @ w_k, x @ w_v)


order = np.random.default_rng(seed).permutation(n)
if (order == np.arange(n)).all():
    order = order[::-1]
places = sinusoidal(n, len(axes))
back = np.argsort(order)
moved = {
    added: np.abs(attention(h[order] + place).output[back] - attention(h + place).output).max(axis=1)
    for added, place in (("without", np.zeros_like(places)), ("with", places))
}
x, names = h, labels(tokens)
if shuffled:
    x, names, tokens = h[order], tuple(names[i] for i in order), tuple(tokens[i] for i in order)
# Without positions and with them. Of a long sentence one is enough: more cells are too many to be elements of the page.
both, along = ((x, x + places), "positions") if n <= SOON else ((x + places if positions else x,), "")
both_seen = [attention(each) for each in both]
seen = both_seen[-1 if positions else 0]
asymmetry = np.abs(seen.scores - seen.scores.T).max()
d_model, d_k, d_v = len(axes), w_q.shape[1], w_v.shape[1]

with stage:
    asks, follows = st.columns([1, 2.4], vertical_alignment="bottom")
    with asks:
        at = controls.token("query", words, names, names.index(labels(tokenize(text))[example.focus]) if example else 0)
    follows.caption(words("reads", token=plain(names[at])))
    flow_words = FlowWords(words("matrix"), words("token"), words("column"), words("value"))
    short = n <= 15
    # The names of the columns stand upright above the rows, as far as they can be read.
    row_height, head = (24, 146) if short else (14, 82)
    row, top = seen.weights[at], names[seen.weights[at].argmax()]
    shape = {"n": n, "d_model": d_model, "d_k": d_k, "d_v": d_v}
    w_shape, pair = f"{d_model}×{d_k}", f"({n}×{d_k})({d_k}×{n})"
    left, right = st.columns(2)
    with left:
        st.markdown(f"## {words('project')}")
        frame.show(
            flow, names,
            (
                Block(f"H {n}×{d_model}", "", "", axes),
                Block(f"Q {n}×{d_k}", "· W_Q", w_shape, compared, series=0),
                Block(f"K {n}×{d_k}", "· W_Q" if one_matrix else "· W_K", w_shape, compared, series=1),
                Block(f"V {n}×{d_v}", "= H" if identity_v else "· W_V",
                      "" if identity_v else f"{d_model}×{d_v}", carried, series=2),
            ),
            ((0, 1), (0, 2), (0, 3)), flow_words, row_height, head,
            key="project", alt_text=words("alt.project", **shape), pick=("query", names),
            along=along, cells=matrices_of_both([[x, x @ w_q, x @ w_k, x @ w_v] for x in both]),
            picked=tidy.columns(block=np.arange(4), query=at),
        )  # fmt: skip
    with right:
        st.markdown(f"## {words('mix')}")
        frame.show(
            flow, names,
            (
                Block(f"S {n}×{n}", f"Q Kᵀ ÷ √{d_k}", pair, names),
                Block(f"A {n}×{n}", "softmax", words("each_row"), names, kind="weight"),
                Block(f"O {n}×{d_v}", "· V", f"{n}×{d_v}", carried),
            ),
            ((0, 1), (1, 2)), flow_words, row_height, head,
            key="mix", alt_text=words("alt.mix", token=names[at], top=top, weight=row.max(), **shape),
            pick=("query", names),
            along=along,
            cells=matrices_of_both([[each.scores, each.weights, each.output] for each in both_seen], 1),
            picked=tidy.columns(block=np.arange(3), query=at),
        )  # fmt: skip
    st.caption(words("colours"))
    small = {added: f"{change.max():.2g}" for added, change in moved.items()}
    frame.metrics(
        (words("figures.pairs"), f"{n}² = {n * n}", words("figures.pairs_bound")),
        (words("figures.asymmetry"), f"{asymmetry:.2g}", words("figures.asymmetry_bound")),
        (words("figures.carried"), words("figures.of", part=d_v, whole=d_model),
         words("figures.carried_all" if identity_v else "figures.carried_bound")),
        (words("figures.moved"), small["with" if positions else "without"],
         words("figures.moved_with" if positions else "figures.moved_bound")),
    )  # fmt: skip
    if identity_v and only_compared.any():
        output = np.abs(seen.output[at])
        asking = ", ".join(axes[i] for i in np.flatnonzero(only_compared))
        share = output[only_compared].sum() / output.sum()
        st.info(words("mixed_up", token=plain(names[at]), share=share, axes=asking))
    elif identity_v:
        st.info(words("all_carried", d_model=d_model))

    st.markdown(f"## {words('gaze.title')}")
    st.markdown(words("gaze.lead"))
    which = ("feeling", "everything").index(control("gaze", words))
    worked = {e.name: e for e in examples.EXAMPLES if e.language == words.language}
    film, scene = worked["film"], worked["scene"]
    film_axes = tuple(words(f"axes.{axis}") for axis in film.axes)
    film_compared = tuple(words(f"axes.{axis}") for axis in film.gazes[which].compared)
    looks = {}
    for place, twin in zip(st.columns(2), (film, scene), strict=True):
        look = twin.look(which)
        looks[twin.name] = compare = attend(look.query, look.key, look.value)
        twin_names, k = labels(twin.tokens), len(twin.tokens)
        with place:
            st.markdown(f"**{plain(twin.text)}**")
            frame.show(
                flow, twin_names,
                (
                    Block(f"H {k}×6", "", "", film_axes),
                    Block(f"Q {k}×4", "· W_Q", "6×4", film_compared, series=0),
                    Block(f"K {k}×4", "· W_K", "6×4", film_compared, series=1),
                    Block(f"S {k}×{k}", "Q Kᵀ ÷ √4", f"({k}×4)(4×{k})", twin_names),
                ),
                ((0, 1), (0, 2)), flow_words, 24, 146, True,
                key=twin.name,
                alt_text=words("alt.gaze", text=twin.text, count=np.count_nonzero(compare.scores), all=k * k),
                cells=tidy.matrices([twin.features, look.query, look.key, compare.scores]),
                picked=tidy.columns(block=np.arange(0), query=0),
            )  # fmt: skip
    st.caption(
        words(
            f"gaze.{film.gazes[which].name}",
            count=np.count_nonzero(looks["film"].scores), all=looks["film"].scores.size,
            scores=f"{np.abs(looks['film'].scores - looks['scene'].scores).max():g}",
            features=f"{np.abs(film.features - scene.features).max():g}",
            outputs=f"{np.abs(looks['film'].output - looks['scene'].output).max():.2f}",
        )
    )  # fmt: skip

    st.markdown(f"## {words('shuffle.title')}")
    if n == 1:
        st.info(words("shuffle.alone"))
    else:
        changes = np.stack(list(moved.values()))
        maps.show(
            changes, (words("shuffle.without"), words("shuffle.with")), labels(tokenize(text)),
            MapWords("", words("shuffle.word"), words("shuffle.change"), ""), "score",
            key="shuffle", alt_text=words("alt.shuffle", **small), height=200,
        )  # fmt: skip
        st.caption(words("shuffle.says", **small))

example_text = examples.TWINS[0][words.language]
switches = {"text": example_text, "one_matrix": False, "identity_v": False, "shuffled": False, "positions": False}
controls.presets(
    words,
    {
        "mirror": {**switches, "one_matrix": True},
        "carry": {**switches, "identity_v": True},
        "shuffle": {**switches, "shuffled": True},
    },
)
original = labels(tokenize(text)).index(names[at])
frame.predict(
    words, lambda: float(moved["without"][original]), low=0.0, high=2.0, step=0.05, digits=2,
    token=plain(names[at]), added=f"{moved['with'][original]:.2f}",
)  # fmt: skip
with frame.panel("formula", words("formula")) as is_open:
    if is_open:
        for line in formula.self_attention(**shape, one_matrix=one_matrix, identity_v=identity_v):
            formula.show(line)
        st.caption(words("weight_of", token=plain(names[at]), top=plain(top)))
        formula.show(formula.weight(seen.scores[at], np.ones(n, dtype=bool), 1.0, int(row.argmax()), row.max()))
frame.table(words, lambda: tidy.matrix(seen.weights, names, names))
frame.table(words, lambda: tidy.matrix(seen.output, names, carried), label=words("output_table"))
whole = (
    {}
    if not gaze
    else {"h": h.astype(int).tolist()}
    | {name: w.astype(int).tolist() for name, w in (("w_q", gaze.w_q), ("w_k", gaze.w_k), ("w_v", gaze.w_v))}
)
frame.code(
    words,
    lambda: code.program(
        "self_worked" if gaze else "self_seeded",
        "self_attention",
        tokens=list(labels(tokenize(text))), words=list(tokenize(text)), seed=seed, d_model=D_MODEL, d_k=D_K, **whole,
        key_matrix=code.Expression("w_q" if one_matrix else "w_k"),
        value_matrix=code.Expression("np.eye(h.shape[1])" if identity_v else "w_v"),
        order=order.tolist(),
        shown=code.Expression("order" if shuffled else "np.arange(len(tokens))"),
        place=code.Expression("sinusoidal(*h.shape)" if positions else "0"),
    ),
)  # fmt: skip
frame.end(words)
