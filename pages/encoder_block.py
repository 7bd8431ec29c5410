"""Not to forget oneself: a token through one layer with and without the residual, then 64 layers with three norms."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core import examples
from core.depth import FIGURES, expected_cosine, expected_scale, left_after, seeded_layers
from core.encoder import Kind, cosine, encoder_layer, root_mean_square
from core.positions import sinusoidal
from core.tokens import embed, labels, tokenize
from ui import code, controls, formula, frame, tidy
from ui.charts.lines import Axis, lines
from ui.charts.vectors import KeptWords, VectorWords, kept, vectors
from ui.controls import CONTROLS, control
from ui.keep import keep
from ui.late import pd
from ui.text import scientific

NORMS, DEPTHS = CONTROLS["norm"].options, CONTROLS["depth"].options
# The steps of a layer in their order, and the series that colours what is carried on, added and normalised.
STEPS = {"post": "XAZNFYO", "pre": "XMAZNFY", "none": "XAZFY"}
SERIES = dict.fromkeys("XZY", 3) | dict.fromkeys("AF", 4) | dict.fromkeys("MNO", 5)
SCALES = (
    *((1e-4, "10⁻⁴"), (1e-3, "10⁻³"), (1e-2, "0.01"), (1e-1, "0.1"), (1, "1"), (10, "10"), (100, "100")),
    *((1e4, "10⁴"), (1e6, "10⁶"), (1e12, "10¹²"), (1e18, "10¹⁸")),
)

words = frame.begin("encoder_block")
card, stage = st.columns([1, 3.2], gap="medium")
with card.container(border=True, gap="xsmall", key="card"):
    text = controls.sentence(words, examples.TWINS)
    residual = control("residual", words)
    norm = control("norm", words)
    kind = control("norm_kind", words)
    d_model = control("width", words)
    n_heads = control("heads", words)
    placed = control("positions", words)
    seed = control("seed", words)

tokens = tokenize(text)
n, names = len(tokens), labels(tokens)
with stage:
    frame.check_length(words, n)


def embedded(tokens: tuple[str, ...], d_model: int, placed: bool, seed: int) -> np.ndarray:
    return embed(tokens, d_model, seed=seed) + (sinusoidal(len(tokens), d_model) if placed else 0)


@keep(100)
def by_depth(tokens: tuple[str, ...], d_model: int, placed: bool, seed: int, n_heads: int, kind: Kind) -> np.ndarray:
    """FIGURES after every layer: (FIGURES, with and without the residual, NORMS, layers)."""
    x, layers = embedded(tokens, d_model, placed, seed), seeded_layers(DEPTHS[-1], d_model, n_heads, seed=seed)
    runs = [
        [left_after(x, layers, n_heads=n_heads, norm=norm, kind=kind, residual=residual) for norm in NORMS]
        for residual in (True, False)
    ]
    return np.moveaxis(np.array(runs), -1, 0)


@keep(100)
def along_depth(curves: np.ndarray, domain: tuple[float, float] | None) -> dict[str, pd.DataFrame]:
    """One figure after every layer, by the three norms; without a domain on an axis of powers."""
    heights = curves if domain else np.log10(curves)
    low, high = domain or (heights.min(), heights.max())
    labels = tidy.labels(DEPTHS[-1], heights[:, -1], 0.11 * (high - low))
    return {
        "curves": tidy.curves(np.arange(1, DEPTHS[-1] + 1), curves),
        "now": tidy.at_each(x=np.array(DEPTHS, dtype=float)),
        "points": tidy.curves_along(np.array(DEPTHS), curves[:, np.array(DEPTHS) - 1]),
        "labels": labels if domain else labels.assign(y=10 ** labels["y"]),
    }


x, (first,) = embedded(tokens, d_model, placed, seed), seeded_layers(1, d_model, n_heads, seed=seed)
layers = [
    encoder_layer(x, first, n_heads=n_heads, norm=norm, kind=kind, residual=residual) for residual in (True, False)
]
normalise = "LayerNorm" if kind == "layer" else "RMSNorm"
titles = {
    "X": "X",
    "M": f"M = {normalise}(X)",
    "A": f"A = Attention({'M' if norm == 'pre' else 'X'})",
    "Z": "Z = X + A" if residual else "Z = A",
    "N": f"N = {normalise}(Z)",
    "F": f"F = FeedForward({'Z' if norm == 'none' else 'N'})",
    "Y": f"Y = {'N' if norm == 'post' else 'Z'} + F" if residual else "Y = F",
    "O": f"O = {normalise}(Y)",
}
letters = tuple(STEPS[norm])
ways = (words("ways.with"), words("ways.without"))
here, there = (0, 1) if residual else (1, 0)
found = dict(zip(FIGURES, by_depth(tokens, d_model, placed, seed, n_heads, kind), strict=True))
if n == 1:
    del found["similarity"]

with stage:
    example = examples.find(text)
    picker, why = st.columns([1, 2.4], gap="medium", vertical_alignment="center")
    with picker:
        at = controls.token("query", words, names, example.focus if example else 0)
    why.caption(words(f"why.{norm if residual else 'without'}"))
    rows = [
        {
            "X": x[at], "M": layer.attention_input[at], "A": layer.attention.output[at], "Z": layer.after_attention[at],
            "N": layer.normed[at], "F": layer.feed_forward[at], "Y": layer.after_feed_forward[at],
            "O": layer.output[at],
        }
        for layer in layers
    ]  # fmt: skip
    row = rows[here]
    both = np.array([[way[letter] for letter in letters] for way in rows])
    cosines, shown = cosine(x[at], both), both[here]
    mean, deviation, largest = shown.mean(axis=1), shown.std(axis=1), np.abs(shown).max()
    facts = {"token": names[at], "way": ways[here], "with": cosines[0, -1], "without": cosines[1, -1]}
    facts |= {"first": deviation[0], "last": deviation[-1]}

    left, right = st.columns([1.9, 1], gap="medium")
    with left:
        st.markdown(f"## {words('one_layer', way=ways[here])}")
        frame.show(
            vectors, tuple(titles[letter] for letter in letters), d_model,
            VectorWords(words("axis.step"), words("axis.component"), words("axis.value"), words("band")),
            key="vectors", alt_text=words("alt.vectors", **facts),
            components=tidy.vectors(shown, [SERIES[letter] for letter in letters]),
            rows=tidy.columns(
                row=np.arange(len(shown)), low=(mean - deviation) / largest, high=(mean + deviation) / largest,
                said=[words("moments", mean=m, deviation=d) for m, d in zip(mean, deviation, strict=True)],
            ),
        )  # fmt: skip
    with right:
        st.markdown(f"## {words('left')}")
        frame.show(
            kept, letters, KeptWords(ways, words("axis.step"), words("axis.cosine")),
            key="cosines", alt_text=words("alt.cosines", **facts),
            cosines=tidy.columns(
                series=np.repeat([0, 1], len(letters)), row=np.tile(np.arange(len(letters)), 2), value=cosines.ravel()
            ),
        )  # fmt: skip
    old, new = ("X", "Y") if norm == "none" else ("Z", "N")
    change = {"old": old, "new": new, "mean": row[old].mean(), "mean_new": row[new].mean()}
    sizes = [vector.std() if kind == "layer" else root_mean_square(vector) for vector in (row[old], row[new])]
    frame.metrics(
        *(
            (words(f"figures.{name}"), f"{cosines[here, step]:z.2f}",
             words("figures.other", way=ways[there], value=cosines[there, step]))
            for name, step in (("attended", letters.index("Z")), ("left", -1))
        ),
        (words(f"figures.{kind}", **change), "{:.2f} → {:.2f}".format(*sizes), words("figures.means", **change)),
    )  # fmt: skip
    st.caption(words("random"))

    st.markdown(f"## {words('deep', layers=DEPTHS[-1], way=ways[here])}")
    depth = control("depth", words)
    rules = tuple(words(f"norms.{name}") for name in NORMS)
    every = Axis(words("axis.depth"), (1, DEPTHS[-1]), log=True, ticks=tuple((d, f"{d}") for d in DEPTHS))
    axes = {
        "scale": Axis(words("axis.scale"), log=True, ticks=SCALES),
        # The mean cosine between n vectors is never below this.
        "similarity": Axis(words("axis.similarity"), (-1 / max(n - 1, 1), 1)),
        "cosine": Axis(words("axis.cosine"), (-1, 1)),
    }
    for column, figure in zip(st.columns(3, gap="small"), FIGURES, strict=True):
        column.markdown(f"## {words(f'along.{figure}')}")
        if figure not in found:
            column.info(words("alone"))
            continue
        y, curves = axes[figure], found[figure][here]
        reached = curves[:, depth - 1]
        with column:
            frame.show(
                lines, rules, every, y, 250, words("axis.norm"),
                key=figure, along="depth",
                alt_text=words(
                    f"alt.{figure}", depth=depth, way=ways[here],
                    **{
                        name: scientific(value) if y.log else value for name, value in zip(NORMS, reached, strict=True)
                    },
                ),
                **along_depth(curves, y.domain),
            )  # fmt: skip
    # By rules, of which there are few, so that a phone has room for the columns.
    compared = {
        rule: [
            scientific(numbers[i, depth - 1]) if figure == "scale" else f"{numbers[i, depth - 1]:z.3f}"
            for figure, by_way in found.items()
            for numbers in by_way
        ]
        for i, rule in enumerate(rules)
    }
    st.markdown(words("at_depth", depth=depth))
    frame.grid(
        compared, rows=[f"{words(f'columns.{figure}')}, {way}" for figure in found for way in ways],
        label=words("deep", layers=DEPTHS[-1], way=ways[here]),
    )  # fmt: skip
    st.caption(words("deep_why"))

# One word alone has nothing to resemble.
setting = {"width": 64} | ({"text": examples.TWINS[0][words.language]} if n == 1 else {})
controls.presets(
    words,
    {
        "forget": setting | {"residual": False, "norm": "post", "depth": 4},
        "explode": setting | {"residual": True, "norm": "none", "depth": 64},
        "pre": setting | {"residual": True, "norm": "pre", "depth": 64},
    },
)
sums = 2 * DEPTHS[-1]
frame.predict(
    words, lambda: float(found["scale"][0, NORMS.index("pre"), -1]), low=0.0, high=float(sums + 2), step=1.0, digits=1,
    layers=DEPTHS[-1], sums=sums, straight=sums + 1, law=f"{expected_scale('pre', DEPTHS[-1]):.1f}",
)  # fmt: skip
with frame.panel("formula", words("formula")) as is_open:
    if is_open:
        formula.show(formula.residual(x[at][0], row["A"][0], row["Z"][0], added=residual))
        if norm != "none":
            z, subtracted = row["Z"], row["Z"].mean() if kind == "layer" else 0.0
            squares = np.square(z - subtracted).mean()
            formula.show(formula.normalisation(kind, d_model, z[0], subtracted, squares, row["N"][0]))
        if residual:
            st.caption(words("laws"))
            formula.show(formula.scale_laws(rules, depth, [float(expected_scale(name, depth)) for name in NORMS]))
            formula.show(formula.cosine_laws(rules, depth, [float(expected_cosine(name, depth)) for name in NORMS]))
moments = {"mean": mean, "deviation": deviation, "with": cosines[0], "without": cosines[1]}
names_of_steps = [titles[letter] for letter in letters]
frame.table(
    words,
    lambda: tidy.matrix(
        np.array([*moments.values()]).T, names_of_steps, [words(f"columns.{name}") for name in moments]
    ),
    label=words("table_steps"),
)
frame.table(
    words,
    lambda: tidy.columns(
        **{
            words("axis.depth"): np.tile(np.arange(1, DEPTHS[-1] + 1), 2 * len(NORMS)),
            words("axis.residual"): np.repeat(ways, len(NORMS) * DEPTHS[-1]),
            words("axis.norm"): np.tile(np.repeat(rules, DEPTHS[-1]), 2),
        },
        **{words(f"columns.{figure}"): numbers.ravel() for figure, numbers in found.items()},
    ),
    label=words("table_depth"),
)
frame.code(
    words,
    lambda: code.program(
        "encoder_block",
        tokens=list(tokens), d_model=d_model, h=n_heads, seed=seed, at=at, depth=depth,
        norm=norm, kind=kind, residual=residual, positions=placed,
    ),
)  # fmt: skip
frame.end(words)
