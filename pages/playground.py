"""Everything at once: a sentence, every control, and what each word looks at."""

import numpy as np
import streamlit as st

from core import examples, masks
from core.attention import Attention, attend
from core.softmax import effective_keys, entropy, jacobian, softmax
from core.tokens import labels, tokenize
from ui import code, controls, formula, frame, maps, tidy
from ui.charts.bars import BarWords, weights
from ui.charts.tokens import READ_UP_TO
from ui.controls import TEMPERATURES, control
from ui.maps import MapWords
from ui.text import plain

words = frame.begin("playground")
card, stage = st.columns([1, 3.2], gap="medium")
with card.container(border=True, gap="xsmall", key="card"):
    text = controls.sentence(
        words, examples.TWINS, random=lambda count: examples.random_words(count, words.language, rng=1)
    )
    d_k = control("d_k", words)
    temperature = control("T", words)
    divisor = control("scale", words)
    n_heads = control("heads", words)
    kind = control("mask", words)
    sizes = controls.mask_sizes(kind, words)
    seed = control("seed", words)

tokens = tokenize(text)
n, names = len(tokens), labels(tokens)
with stage:
    frame.check_length(words, n, n_heads)
example = examples.find(text)
mask = masks.named(kind, n, **sizes)


def at_size(d_k: int, divisor: str) -> Attention:
    """All heads, with queries and keys of size d_k."""
    vectors = examples.sentence_vectors(tokens, n_heads, d_k, seed=seed, example=example)
    scale = {"1": 1.0, "sqrt": d_k**-0.5, "d_k": 1 / d_k}[divisor]
    return attend(vectors.query, vectors.key, vectors.value, mask=mask, scale=scale, temperature=temperature)


heads = at_size(d_k, divisor)
# What the next moves of a slider would show, so that a map need not wait for them.
places = maps.places_ahead(heads.weights.size)
tempered = {
    place: softmax(heads.scores, temperature=other, mask=mask)
    for place, other in controls.near("T", temperature, places).items()
}
sized = {place: at_size(other, divisor) for place, other in controls.near("d_k", d_k, min(places, 1)).items()}

with stage:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        query = controls.token("query", words, names, example.focus if example else 0)
        head = control("head", words, options=range(1, n_heads + 1)) - 1 if n_heads > 1 else 0
    scores, weight, row = heads.scores[head], heads.weights[head], heads.weights[head, query]
    m = int(mask[query].sum())
    said = {"n": n, "h": n_heads, "token": names[query], "top": names[row.argmax()], "weight": row.max()}
    empty = "" if m else "_empty"
    map_words = MapWords(*map(words, ("map.query", "map.key", "map.weight", "map.blocked", "map.head")))
    height = maps.height(n)

    left, right = st.columns(2)
    with left:
        divided_by = words(f"controls.scale.options.{divisor}")
        st.markdown(f"## {words('scores') if divisor == '1' else words('scores_divided', divisor=divided_by)}")
        maps.show(
            scores, tokens, tokens, map_words._replace(value=words("map.score")), "score",
            key="scores", alt_text=words("alt.scores", n=n, low=scores.min(), high=scores.max()),
            height=height, allowed=mask, picked=query, pick=("query", names),
            ahead={"d_k": {place: other.scores[head] for place, other in sized.items()}},
        )  # fmt: skip
    with right:
        st.markdown(f"## {words('weights')}")
        maps.show(
            weight, tokens, tokens, map_words, "weight",
            key="weights", alt_text=words(f"alt.weights{empty}", **said),
            height=height, allowed=mask, picked=query, pick=("query", names),
            ahead={
                "T": {place: other[head] for place, other in tempered.items()},
                "d_k": {place: other.weights[head] for place, other in sized.items()},
            },
        )  # fmt: skip

    if m:
        bounds = {"low": 1 / m, "n": m, "high": 1 - 1 / m}
        frame.metrics(
            (words("figures.largest"), f"{row.max():.3f}", words("figures.largest_bound", **bounds)),
            (words("figures.entropy"), words("figures.nats", value=entropy(row)),
             words("figures.entropy_bound", n=m, high=np.log(m))),
            (words("figures.keys"), f"{effective_keys(row):.2f}", words("figures.keys_bound", **bounds)),
            (words("figures.gradient"), f"{np.trace(jacobian(row)):.3f}", words("figures.gradient_bound", **bounds)),
        )  # fmt: skip
    else:
        st.info(words("empty_row", token=plain(names[query])))
    if empty_rows := int((~mask.any(axis=1)).sum()):
        st.caption(words("empty_rows", count=empty_rows, n=n))

    if n_heads > 1:
        st.markdown(f"## {words('heads', n=n_heads)}")
        maps.show(
            heads.weights, tokens, tokens, map_words, "weight",
            key="heads", alt_text=words("alt.heads", **said),
            height=210 * -(-n_heads // 4), allowed=mask, picked=head,
            panels=[str(i + 1) for i in range(n_heads)], across=4,
            pick=lambda cell: st.session_state.update(head=cell["panel"] + 1),
            ahead={"T": tempered, "d_k": {place: other.weights for place, other in sized.items()}},
        )  # fmt: skip

    st.markdown(f"## {words('looks', token=plain(names[query]))}")
    if n <= READ_UP_TO:
        # The row at every T: between the limits in one call, which takes a tenth of the time.
        between = softmax(scores[query] / np.array(TEMPERATURES[1:-1])[:, None], mask=mask[query])
        coldest, hottest = (softmax(scores[query], temperature=limit, mask=mask[query]) for limit in (0, np.inf))
        bars = tidy.bars_along(np.vstack([coldest, between, hottest]), mask[query])
    else:
        # So many rows would hold up every change but that of T.
        bars = tidy.always(tidy.bars(row, mask[query]))
    frame.show(
        weights, tokens, BarWords(words("map.key"), words("map.weight"), words("map.blocked")), 190,
        key="bars", along="T", alt_text=words(f"alt.bars{empty}", **said), bars=bars,
    )  # fmt: skip
    st.caption(words("sentence.hand_set" if example and head < len(example.gazes) else "sentence.seeded"))

controls.presets(
    words,
    {
        "collapse": {"d_k": 256, "scale": "1", "T": 1.0, "mask": "none"},
        "causal": {"mask": "causal", "scale": "sqrt", "T": 1.0},
        "flat": {"d_k": 64, "T": 10.0, "scale": "sqrt", "mask": "none"},
    },
    n=n,
    sharp=int((weight.max(axis=1) > 0.9).sum()),
)


def undivided() -> float:
    """The largest weight of the picked query at d_k = 256 without a division."""
    return float(at_size(256, "1").weights[head, query].max())


if m:
    frame.predict(
        words, undivided, low=0.0, high=1.0, step=0.01, digits=3,
        token=plain(names[query]), temperature=f"{temperature:g}", n=m,
    )  # fmt: skip
with frame.panel("formula", words("formula")) as is_open:
    if is_open:
        formula.show(formula.attention(divisor, d_k, temperature, masked=kind != "none"))
        if m:
            best = int(row.argmax())
            st.caption(words("weight_of", token=plain(names[query]), top=plain(names[best])))
            formula.show(formula.weight(scores[query], mask[query], temperature, best, row[best]))
frame.table(words, lambda: tidy.matrix(weight, names, names))


def program() -> str:
    """The weights of the head shown large, from nothing."""
    look = example.look(head) if example and head < len(example.gazes) else None
    set_by_hand = {"query": look.query.astype(int).tolist(), "key": look.key.astype(int).tolist()} if look else {}
    return code.program(
        "worked" if look else "seeded",
        "attention",
        tokens=list(tokens), d_k=d_k, seed=seed, head=head, **set_by_hand,
        mask=code.mask(kind, **sizes), divisor=code.scale(divisor), tempered=code.tempered(temperature),
    )  # fmt: skip


frame.code(words, program)
frame.end(words)
