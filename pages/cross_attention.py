"""From a fixed vector to a look back: a decoder attends to the states of an encoder by three scorers, or not at all."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.attention import Attention
from core.seq2seq import Scorer, decode, encode, worked_translation
from core.softmax import effective_keys
from ui import code, controls, formula, frame, maps, tidy
from ui.charts.gaze import GazeWords, look_back
from ui.controls import CONTROLS, control
from ui.keep import keep
from ui.late import pd
from ui.maps import MapWords
from ui.stepper import stepper

# Words in the sentence that is asked about before looking.
LONG = 10

words = frame.begin("cross_attention")
card, stage = st.columns([1, 3.2], gap="medium")
with card.container(border=True, gap="xsmall", key="card"):
    translation = worked_translation(control("source", words))
    scorer: Scorer = control("scorer", words)
    bottleneck = control("bottleneck", words)
    st.caption(words("hand_set"))

source, target, learned = translation.source, translation.target, translation.weights
n, m = len(source), len(target)
states, asking = translation.encoder_states, translation.decoder_states
# The last axis only marks the decoder's states, for the additive scorer's bias.
axes = tuple(words(f"axes.{axis}") for axis in translation.axes[:-1])


def look(scorer: Scorer, bottleneck: bool) -> Attention:
    return decode(states, asking, scorer, weights=learned, bottleneck=bottleneck)


@keep(20)
def links_at_each_output(weights: np.ndarray, open_keys: np.ndarray) -> pd.DataFrame:
    """The weights as links of every output to the keys that it may see; now are those of the output that is shown."""
    m, _ = weights.shape
    links = tidy.cells(weights)[np.tile(open_keys, m)]
    return tidy.along([links.assign(now=links["query"] == output) for output in range(m)])


def choose(cell: dict[str, int]) -> None:
    st.session_state["output"] = cell["query"] + 1


now = look(scorer, bottleneck)
with stage:
    at = stepper("output", words, options=range(1, m + 1), shown=lambda output: target[output - 1]) - 1
    row, open_keys = now.weights[at], np.arange(n) >= (n - 1 if bottleneck else 0)
    best, seen = int(row.argmax()), "_bottleneck" if bottleneck else ""
    said = {
        "output": target[at], "top": source[best], "weight": row[best], "first": source[0], "last": source[-1],
        "n": n, "m": m, "axis": axes[0], "start": states[0, 0], "left": states[-1, 0], "context": now.output[at, 0],
        "low": states.min(), "high": states.max(),
    }  # fmt: skip
    st.markdown(words(f"looks{seen}", **said))
    each = range(m)
    left, right = st.columns([1.3, 1], gap="medium")
    with left:
        frame.show(
            look_back, target, source, GazeWords(*map(words, ("map.query", "map.key", "map.weight"))), 300,
            key="gaze", along="output", alt_text=words(f"alt.gaze{seen}", **said),
            links=links_at_each_output(now.weights, open_keys),
            picked=tidy.at_each(query=each),
        )  # fmt: skip
    with right:
        map_words = MapWords(*map(words, ("map.query", "map.key", "map.weight", "map.blocked")))
        maps.show(
            now.weights, target, source, map_words, "weight",
            key="alignment", alt_text=words(f"alt.alignment{seen}", **said),
            height=290, allowed=open_keys, picked=at, pick=choose,
            ahead={"output": {output: {"picked": output} for output in each}},
        )  # fmt: skip
    vectors = {
        "asks": (target, asking, each),
        "states": (source, states, now.weights.argmax(axis=1).tolist()),
        "contexts": (target, now.output, each),
    }
    for column, (name, (labels, rows, framed)) in zip(st.columns(len(vectors)), vectors.items(), strict=True):
        with column:
            told = seen if name == "contexts" else ""
            st.markdown(f"## {words(name)}")
            maps.show(
                rows[:, : len(axes)], labels, axes,
                MapWords(words(f"map.{name}"), words("map.axis"), words("map.component"), ""), "component",
                key=name, alt_text=words(f"alt.{name}{told}", **said),
                height=90 + 32 * max(n, m), picked=framed[at], limit=maps.largest(states),
                ahead={"output": {output: {"picked": framed[output]} for output in each}},
            )  # fmt: skip
            st.caption(words(f"{name}_how{told}", **said))
    frame.metrics(
        (words("figures.largest"), f"{row[best]:.3f}", words("figures.largest_bound", **said)),
        (words("figures.keys"), f"{effective_keys(row):.2f}", words("figures.keys_bound", **said)),
        (words("figures.left", **said), f"{states[-1, 0] / states[0, 0]:.1%}", words("figures.left_bound", **said)),
    )

    st.markdown(f"## {words('kinds')}")
    left, right = st.columns([1.7, 1], gap="medium")
    with left:
        sentences = {"source": " ".join(source), "target": " ".join(target)}
        st.markdown(words("kinds_table", n=n, m=m, **sentences))
        st.caption(words("kinds_how"))
    with right:
        maps.show(
            decode(states, states, "dot").weights, source, source,
            map_words._replace(query=words("map.self")), "weight",
            key="self", alt_text=words("alt.self", n=n), height=110 + 26 * n,
        )  # fmt: skip

controls.presets(
    words,
    {
        "fixed": {"source": "en", "scorer": "dot", "bottleneck": True, "output": 1},
        "back": {"source": "ko", "scorer": "dot", "bottleneck": False, "output": 3},
        "additive": {"source": "en", "scorer": "additive", "bottleneck": False, "output": 2},
    },
)
frame.predict(
    words, lambda: 100 * float(encode(np.eye(LONG, 1))[-1, 0]), low=0.0, high=100.0, step=0.5, digits=1,
    first=source[0], long=LONG, halvings=LONG - 1, n=n, here=f"{states[-1, 0] / states[0, 0]:.1%}",
)  # fmt: skip
with frame.panel("formula", words("formula")) as is_open:
    if is_open:
        hidden = asking[at] @ learned.w_query + states[best] @ learned.w_key
        asked, key_state, score = asking[at], states[best], now.scores[at, best]
        formula.show(formula.scorer(scorer, asked, key_state, learned.w, hidden, learned.v, score))
        st.caption(words("weight_of", **said))
        formula.show(formula.weight(now.scores[at], open_keys, 1.0, best, row[best]))
        formula.show(formula.context(row))
frame.table(words, lambda: tidy.matrix(now.weights, target, source))
scorers = CONTROLS["scorer"].options
frame.table(
    words,
    lambda: tidy.matrix(np.array([look(name, bottleneck).weights[at] for name in scorers]), scorers, source),
    label=words("scorers"),
)
frame.code(
    words,
    lambda: code.program(
        "cross_attention",
        *([] if scorer == "dot" else [f"cross_attention_{scorer}"]),
        "cross_attention_look",
        source=list(source), target=list(target), inputs=translation.encoder_inputs.astype(int).tolist(),
        asking=asking.astype(int).tolist(), w=learned.w.astype(int).tolist(), v=learned.v.astype(int).tolist(),
        w_query=learned.w_query.astype(int).tolist(), w_key=learned.w_key.astype(int).tolist(),
        scores=code.scores(scorer), allowed=code.Expression("at == n - 1" if bottleneck else "at < n"),
    ),
)  # fmt: skip
frame.end(words)
