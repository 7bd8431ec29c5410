"""One query, one step at a time: what happens to its row of numbers on the way from q·k to the output."""

from typing import Any

import numpy as np
import streamlit as st

from core import examples, masks, scores
from core.attention import attend
from core.softmax import effective_keys
from core.tokens import labels, tokenize
from ui import code, controls, formula, frame, maps, steps, tables, tidy
from ui.charts.steps import TapeWords, tape
from ui.controls import control
from ui.maps import MapWords
from ui.stepper import stepper
from ui.text import plain

D_K = 4
DIVISORS = {"1": 1.0, "sqrt": D_K**0.5, "d_k": float(D_K)}

words = frame.begin("step_by_step")
card, stage = st.columns([1, 3.2], gap="medium")
with card.container(border=True, gap="xsmall", key="card"):
    text = controls.sentence(words, examples.TWINS)
    tokens, example = tokenize(text), examples.find(text)
    n, names = len(tokens), labels(tokens)
    with stage:
        frame.check_length(words, n)
    gaze = example.gazes[0] if example and example.gazes else None
    query = controls.token("query", words, names, example.focus if example else 0)
    chosen = controls.token_or_none("key", words, names)
    divided_by = control("scale", words)
    kind = control("mask", words, options=("none", "causal", "padding", "window", "prefix"))
    sizes = controls.mask_sizes(kind, words)
    seed = control("seed", words) if gaze is None else 0
    told = st.container(gap="xsmall")

if example and gaze:
    given = example.look()
    compared, carried = (tuple(words(f"axes.{axis}") for axis in axes) for axes in (gaze.compared, gaze.carried))
else:
    drawn = examples.sentence_vectors(tokens, 1, D_K, seed=seed)
    # One decimal, so that what is printed is all there is.
    given = examples.Vectors(*(np.round(part[0], 1) for part in (drawn.query, drawn.key, drawn.value)))
    compared = carried = tuple(str(axis + 1) for axis in range(D_K))
unchanged = {"q": given.query, "k": given.key, "v": given.value}
now, changes = tables.changed(tokens, unchanged)
with told:
    tables.tell(words, changes)
mask, divisor = masks.named(kind, n, **sizes), DIVISORS[divided_by]
everyone = attend(now["q"], now["k"], now["v"], mask=mask, scale=1 / divisor)
products, exponentials = scores.dot(now["q"], now["k"]), np.exp(np.where(mask, everyone.scores, -np.inf))
row, output, m = everyone.weights[query], everyone.output[query], int(mask[query].sum())
walk = steps.Walk(
    now["q"][query], now["k"], now["v"], products[query], divisor, everyone.scores[query], mask[query],
    exponentials[query], row, row[:, None] * now["v"], output,
)  # fmt: skip
best = int(row.argmax())
key = best if chosen is None else chosen
ties, (second, first) = int(np.isclose(row, row.max(), rtol=1e-9).sum()), np.sort(output)[-2:]
said = {
    "n": n, "open": m, "d_k": D_K, "divisor": steps.short(divisor), "total": steps.short(walk.total), "count": ties,
    "axis": carried[output.argmax()],
}  # fmt: skip
shown = {"token": plain(names[query]), "key": plain(names[key]), "top": plain(names[best])}

with stage:
    step = stepper("step", words)
    variant = {
        "divide": {"1": "_1", "d_k": "_d_k"}.get(divided_by, ""),
        "weights": "_shared" if ties > 1 else "",
        "output": "_hand_set" if gaze and second < first else "",
    }.get(step, "")
    with st.container(gap="xsmall", key="said"):
        if m or step in ("vectors", "dot", "divide", "mask"):
            st.markdown(words(f"do.{step}{variant}", **said, **shown))
        else:
            st.info(words("empty_row", **shown))
        formula.show(steps.formula(walk, step, key, divided_by))
    named = "" if divided_by == "1" else words(f"controls.scale.options.{divided_by}") + " = "
    lanes = (words("tape.product"), f"÷ {named}{divisor:g}", *map(words, ("tape.mask", "tape.exp", "tape.weight")))
    lines = steps.arithmetic(walk, step)
    calculation = (", " if step == "vectors" else " = ").join(lines[key])
    weighted = words("tape.weighted")
    rows = (
        [f"k {axis}" for axis in compared]
        + [*lanes]
        + [f"{block} {axis}" for block in ("v", weighted) for axis in carried]
    )
    tape_words = TapeWords(*map(words, ("map.key", "tape.output", "tape.row", "tape.number", "map.blocked")))
    frame.show(
        tape, n, D_K, steps.room(tokens), tape_words,
        key="tape", pick=("key", names), along="step",
        alt_text=words(
            f"alt.{step}", **said, token=names[query], key=names[key], calculation=calculation,
            output=steps.vector(output, ".3f"),
        ),
        names=steps.names(compared, lanes, carried, weighted),
        picked=tidy.positions("key", key), **steps.tape(walk, tokens, rows, tuple(changes), query),
    )  # fmt: skip

    everywhere, one_by_one = st.columns(2, gap="medium") if n <= 20 else (st.container(), st.container())
    with everywhere:
        matrices = {
            "vectors": (now["q"], compared, "component"),
            "dot": (products, tokens, "score"),
            "divide": (everyone.scores, tokens, "score"),
            "mask": (everyone.scores, tokens, "score"),
            "exp": (exponentials, tokens, "exponential"),
            "weights": (everyone.weights, tokens, "weight"),
            "mix": (everyone.weights, tokens, "weight"),
            "output": (everyone.output, carried, "component"),
        }

        def matrix_at(step: str) -> dict[str, Any]:
            """What the map shows at a step."""
            values, columns, number = matrices[step]
            axis = words("map.key" if columns is tokens else "matrix.axis")
            return {
                "values": values,
                "columns": columns,
                "words": MapWords(words("map.query"), axis, words(f"map.{number}"), words("map.blocked")),
                "kind": "weight" if number == "weight" else "score",
                "allowed": mask if step in ("mask", "exp", "weights", "mix") else True,
            }

        row_of_step = matrices[step][0][query]
        title, low, high = words(f"matrix.{step}"), row_of_step.min(), row_of_step.max()
        others = controls.near("step", step, maps.places_ahead(n * n))
        st.markdown(f"## {title}")
        maps.show(
            **matrix_at(step), rows=tokens,
            key="matrix", height=120 + max(n * 24, 110), picked=query, pick=("query", names),
            alt_text=words("alt.matrix", title=title, token=names[query], low=steps.short(low), high=steps.short(high)),
            ahead={"step": {place: matrix_at(other) for place, other in others.items()}},
        )  # fmt: skip
    with one_by_one:
        st.markdown(f"## {words('arithmetic.title')}")
        heads = ("vector", "value") if step == "vectors" else ("calculation", "result")
        frame.grid(
            {words(f"arithmetic.{head}"): [line[i] for line in lines] for i, head in enumerate(heads)},
            rows=names, corner=words("arithmetic.key"), label=words("arithmetic.title"),
        )  # fmt: skip
    if m and step in ("weights", "mix", "output"):
        frame.metrics(
            (words("figures.largest"), f"{row.max():.3f}", words("figures.largest_bound", low=1 / m)),
            (words("figures.keys"), f"{effective_keys(row):.2f}", words("figures.keys_bound", n=m)),
        )
    with st.expander(words("edit"), key="editing", on_change="rerun") as editing:
        # Three tables cost a quarter of a run; most visitors leave them closed.
        if editing.open:
            tables.editors(words, tokens, names, unchanged, {"q": compared, "k": compared, "v": carried})
    st.caption(words("hand_set" if gaze else "seeded", **said))

tired, wide = (
    next(e for e in examples.EXAMPLES if (e.name, e.language) == (name, words.language))
    for name in ("it_tired", "it_wide")
)
it = labels(tired.tokens)[tired.focus]
start = {"text": tired.text, "query": it, "key": "", "edit": "", "scale": "sqrt", "mask": "none"}
controls.presets(
    words,
    {
        "collapse": {**start, "scale": "1", "step": "weights"},
        "wide": {**start, "text": wide.text, "step": "weights"},
        "causal": {**start, "mask": "causal", "step": "mask"},
    },
    free=("step",),
)
if m > 1:
    other = "1" if divided_by == "sqrt" else "sqrt"

    def instead() -> float:
        """The largest weight with the other divisor."""
        with_other = attend(now["q"], now["k"], now["v"], mask=mask, scale=1 / DIVISORS[other])
        return float(with_other.weights[query, best])

    gap = -np.diff(np.sort(walk.products[mask[query]]))[-1]
    frame.predict(
        words, instead, low=0.0, high=1.0, step=0.01, digits=3, **shown, now=f"{row[best]:.3f}",
        current=words(f"controls.scale.options.{divided_by}"), other=words(f"controls.scale.options.{other}"),
        gap=steps.short(abs(gap) / divisor), other_gap=steps.short(abs(gap) / DIVISORS[other]),
    )  # fmt: skip
with frame.panel("formula", words("formula")) as is_open:
    if is_open:
        formula.show(formula.attention(divided_by, D_K, 1.0, masked=kind != "none"))
frame.table(words, lambda: tidy.matrix(steps.whole(walk), rows, names))
frame.code(
    words,
    lambda: code.program(
        "step_by_step",
        tokens=list(tokens), position=query, mask=code.mask(kind, **sizes), divisor=code.scale(divided_by),
        query=walk.query.tolist(), key=walk.keys.tolist(), value=walk.values.tolist(),
    ),
)  # fmt: skip
frame.end(words)
