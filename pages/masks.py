"""Who may look where: every mask, painted ones too, and what the wrong ways to block a key do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core import blocking, examples, masks
from core.attention import attend
from core.softmax import entropy, softmax
from core.tokens import labels, tokenize
from ui import code, controls, formula, frame, maps, painting, tidy
from ui.charts.tokens import READ_UP_TO
from ui.charts.ways import WayWords, ways
from ui.controls import control
from ui.keep import keep
from ui.late import pd
from ui.maps import MapWords
from ui.text import plain

KINDS = ("none", "causal", "padding", "window", "prefix")
LOOKS_BACK = ("causal", "window", "prefix")
SIZES = ("keep", "left", "right", "prefix_length")
# How far to either side of its size a mask is shown ahead; the ways to block, up to so many words, at every size.
NEAR, SOON = 3, 20
D_K = 64
# Ways to block that do not give what the page shows, by whether some, all or no keys are open.
WRONG = {"some": {"multiplied", "zeroed"}, "all": set(), "empty": {"infinity", "billion", "multiplied"}}

words = frame.begin("masks")


def blocked_in_ways(scores: np.ndarray, open_keys: np.ndarray) -> dict[str, np.ndarray]:
    """The weights of one query by each way to block keys: (n,) each."""
    return {
        "infinity": blocking.filled(scores, open_keys, -np.inf),
        "billion": blocking.filled(scores, open_keys, -1e9),
        "multiplied": blocking.multiplied(scores, open_keys),
        "zeroed": blocking.zeroed(scores, open_keys),
    }


@keep(50)
def ways_at_each(
    scores: np.ndarray, at_each: Sequence[np.ndarray], blocked: str, undefined: str
) -> dict[str, pd.DataFrame]:
    """Those weights and their sums where some keys are open, at each size of a mask, and at all above the last."""
    rows = [list(blocked_in_ways(scores, open_keys).values()) for open_keys in at_each]
    sums = [[f"{total:.3f}" if np.isfinite(total) else "0 ÷ 0" for total in map(np.sum, each)] for each in rows]
    cells = [tidy.ways(each, open_keys, blocked, undefined) for each, open_keys in zip(rows, at_each, strict=True)]
    totals = [tidy.totals(len(scores), said) for said in sums]
    return {"cells": tidy.along(cells, and_after=True), "totals": tidy.along(totals, and_after=True)}


card, stage = st.columns([1, 3.2], gap="medium")
with card.container(border=True, gap="xsmall", key="card"):
    text = controls.sentence(
        words, examples.TWINS, random=lambda count: examples.random_words(count, words.language, rng=1)
    )
    kind = control("mask", words, options=(*KINDS, "painted"))
    sizes = controls.mask_sizes(kind, words)
    rules = st.container()
    padded = kind in LOOKS_BACK and control("padded", words)
    # With those of the padding on top.
    all_sizes = sizes | ({"keep": control("keep", words)} if padded else {})
    cached = control("cached", words)
    last = control("last", words) if cached else controls.MAX_TOKENS
    align = control("align", words) if cached and kind in LOOKS_BACK else "bottom-right"
    seed = control("seed", words)

tokens = tokenize(text)
n, names = len(tokens), labels(tokens)
with stage:
    frame.check_length(words, n)
first = max(n - last, 0)
remembered = {size: st.session_state.get(size, controls.CONTROLS[size].default) for size in SIZES}
starts = {name: masks.named(name, n, **remembered) for name in KINDS}


def of_sizes(**others: int) -> np.ndarray:
    """The mask of this kind, with some of its sizes changed: (n, n)."""
    asked = remembered | others
    whole = masks.named(kind, n, **asked)
    return masks.combine(whole, masks.padding(min(asked["keep"], n), n)) if padded else whole


def of_last(full: np.ndarray) -> np.ndarray:
    """The rows of the last queries: (n_q, n)."""
    return full[: n - first] if align == "top-left" else full[first:]


if kind == "painted":
    full = painting.painted(painting.resized(st.session_state.get("masks_shown", starts["none"]), n))
else:
    full = of_sizes()
    st.session_state["masks_shown"] = full
mask = of_last(full)

example = examples.find(text)
heads = examples.sentence_vectors(tokens, 1, D_K, seed=seed, example=example)
query, key, value = heads.query[0, first:], heads.key[0], heads.value[0]
seen = attend(query, key, value, mask=mask)

with rules:
    if kind == "window":
        many = "_".join("2" if size > 1 else str(size) for size in sizes.values())
        st.caption(words(f"rules.window.{many}", **sizes, count=sizes["left"] + sizes["right"] + 1))
    else:
        st.caption(words(f"rules.{kind}", **sizes))
    if kind == "painted":
        painting.tools(words, full, starts)

with stage:
    asks, shows = st.columns([1, 2.4])
    with asks:
        at = controls.token("query", words, names[first:], max((example.focus if example else 0) - first, 0))
    token, row, open_keys = names[first + at], seen.weights[at], mask[at]
    m = int(open_keys.sum())

    def repaint(shown: np.ndarray) -> None:
        """Paint what is shown now, changed."""
        painting.paint(np.concatenate([full[:first], shown]))

    def toggle(cell: dict[str, int]) -> None:
        shown = mask.copy()
        shown[cell["query"], cell["key"]] ^= True
        repaint(shown)

    with shows:
        if n <= READ_UP_TO:
            row_painted = lambda chosen: repaint(np.vstack([mask[:at], chosen, mask[at + 1 :]]))  # noqa: E731
            painting.row(words, names, open_keys, row_painted)

    ahead: dict[str, dict[int, np.ndarray]] = {
        key: {place: of_last(of_sizes(**{key: other})) for place, other in controls.near(key, size, NEAR).items()}
        for key, size in (all_sizes.items() if maps.places_ahead(mask.size) else ())
    }
    map_words = MapWords(words("map.query"), words("map.key"), words("map.weight"), words("map.blocked"))
    height = maps.height(n - first)
    n_open = int(mask.sum())
    told = {"token": token, "top": names[row.argmax()], "weight": row.max(), "m": m, "n": n, "n_q": n - first}
    told |= {"open": n_open, "all": mask.size, "blocked": mask.size - n_open}
    left, right = st.columns(2)
    with left:
        st.markdown(f"## {words('scores')}")
        maps.show(
            seen.scores, tokens[first:], tokens, map_words._replace(value=words("map.score")), "score",
            key="scores", alt_text=words("alt.scores", **told),
            height=height, allowed=mask, picked=at, pick=toggle,
            ahead={
                key: {place: {"allowed": other} for place, other in at_each.items()} for key, at_each in ahead.items()
            },
        )  # fmt: skip
    with right:
        st.markdown(f"## {words('weights')}")
        maps.show(
            seen.weights, tokens[first:], tokens, map_words, "weight",
            key="weights", alt_text=words("alt.weights" if m else "alt.weights_empty", **told),
            height=height, allowed=mask, picked=at, pick=("query", names[first:]),
            ahead={
                key: {
                    place: {"values": softmax(seen.scores, mask=other), "allowed": other}
                    for place, other in at_each.items()
                }
                for key, at_each in ahead.items()
            },
        )  # fmt: skip

    st.caption(words("legend"))
    if kind in LOOKS_BACK and mask[0, first] and mask[0].sum() == 1:
        st.caption(words("first_row", token=plain(names[first])))
    if cached and kind in LOOKS_BACK:
        st.caption(words(f"align.{align}", m=n - first, n=n))
    if alone := ", ".join(f"“{plain(names[first + i])}”" for i in np.flatnonzero(~mask.any(axis=1))):
        st.info(words("empty", tokens=alone))
    effect = blocking.influence(query[at : at + 1], key, value, mask[at : at + 1])
    nats = words("figures.entropy", value=entropy(row), high=np.log(m)) if m else words("figures.no_entropy")
    frame.metrics(
        (words("figures.allowed"), words("figures.of", part=n_open, whole=mask.size),
         words("figures.allowed_bound", blocked=mask.size - n_open)),
        (words("figures.keys"), words("figures.of", part=m, whole=n), nats),
        (words("figures.sum"), f"{row.sum():.3f}", words("figures.sum_bound")),
        (words("figures.effect"), f"{effect:.1g}", words("figures.effect_bound")),
    )  # fmt: skip

    st.markdown(f"## {words('ways.title', token=plain(token))}")
    scores = seen.scores[at]
    rows = blocked_in_ways(scores, open_keys)
    sums = {way: weights.sum() for way, weights in rows.items()}
    leak = rows["multiplied"][~open_keys].sum()
    state = "empty" if not m else "all" if m == n else "some"
    picture, verdicts = st.columns([1.5, 1]) if n <= READ_UP_TO else (None, st.container())
    if picture:
        with picture:
            moved = next((key for key in SIZES if key in all_sizes), None)
            open_at_each = [open_keys]
            if moved and n <= SOON:
                open_at_each = [of_last(of_sizes(**{moved: size}))[at] for size in range(n + 1)]
            frame.show(
                ways, tuple(words(f"ways.names.{way}") for way in rows), tokens,
                WayWords(words("ways.way"), words("map.key"), words("map.weight"), "Σ"), 240,
                key="ways", along=SIZES, alt_text=words("alt.ways", token=token, leak=leak, total=sums["zeroed"]),
                **ways_at_each(scores, open_at_each, words("map.blocked"), words("ways.undefined")),
            )  # fmt: skip
    with verdicts:
        marks = {way: ":red[✗]" if way in WRONG[state] else ":green[✓]" for way in rows}
        said = (words(f"ways.{way}.{state}", leak=leak, total=sums[way], each=1 / n) for way in rows)
        st.markdown("\n\n".join(map(" ".join, zip(marks.values(), said, strict=True))))

    st.markdown(f"## {words('float16.title')}")
    formats = (np.float64, np.float32, np.float16)
    held = [scores.astype(number) for number in formats]
    nobody = [blocking.filled(half, np.zeros(n, dtype=bool), -1e9) for half in held]
    frame.grid(
        {
            words("float16.lowest"): [f"{np.finfo(number).min:.6g}" for number in formats],
            words("float16.becomes"): [f"{blocking.held(-1e9, half):g}".replace("inf", "∞") for half in held],
            words("float16.empty"): [
                f"1/{n} = {row[0]:.3f}" if np.isfinite(row).all() else "0 ÷ 0 (NaN)" for row in nobody
            ],
        },
        rows=[number.__name__ for number in formats],
        label=words("float16.title"),
    )
    st.caption(words("float16.why"))

example_text = examples.TWINS[0][words.language]
example_names = labels(tokenize(example_text))
plain_state = {"text": example_text, "cached": False, "padded": False}
controls.presets(
    words,
    {
        "corner": {**plain_state, "mask": "causal", "cached": True, "last": 3, "align": "top-left"},
        "empty": {**plain_state, "mask": "window", "left": 1, "right": 0, "padded": True, "keep": 4,
                  "query": example_names[-1]},
        "leak": {**plain_state, "mask": "causal", "query": example_names[0]},
    },
)  # fmt: skip
asked = open_keys if 0 < m < n else np.arange(n) == first + at
frame.predict(
    words, lambda: float(blocking.zeroed(scores, asked).sum()), low=0.0, high=1.0, step=0.01, digits=3,
    which=words("predict.now" if 0 < m < n else "predict.itself", token=plain(token), m=m, n=n),
)  # fmt: skip
with frame.panel("formula", words("formula")) as is_open:
    if is_open:
        formula.show(formula.attention("sqrt", D_K, 1.0, masked=True))
        formula.show(formula.mask(words("allowed"), words("map.blocked")))
        if m:
            top = int(row.argmax())
            st.caption(words("weight_of", token=plain(token), top=plain(names[top])))
            formula.show(formula.weight(scores, open_keys, 1.0, top, row[top]))
frame.table(words, lambda: tidy.matrix(seen.weights, names[first:], names))
frame.table(
    words,
    lambda: tidy.matrix(np.array(list(rows.values())), [words(f"ways.names.{way}") for way in rows], names),
    label=words("ways.table"),
)


def program() -> str:
    """The weights and the ways to block, from nothing."""
    look = example.look() if example and example.gazes else None
    cells = code.painted(full) if kind == "painted" else code.mask(kind, **sizes)
    if padded:
        cells = code.Expression(f"({cells}) & (np.arange(n) < {all_sizes['keep']})")
    if cached:
        cells = code.Expression(f"({cells})[{f':{n - first}' if align == 'top-left' else f'{first - n}:'}]")
    return code.program(
        "worked" if look else "seeded",
        *(["last_queries"] if cached else []),
        "attention",
        "ways",
        tokens=list(tokens), d_k=D_K, seed=seed, head=0, last=n - first, at=at,
        **({"query": look.query.astype(int).tolist(), "key": look.key.astype(int).tolist()} if look else {}),
        mask=cells, divisor=code.scale("sqrt"), tempered=code.tempered(1.0),
    )  # fmt: skip


frame.code(words, program)
frame.end(words)
