"""What n² costs: multiply-adds and bytes part by part, where n² takes over, and what it takes on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import streamlit as st

from core.cost import (
    attention_cost,
    convolution_cost,
    crossing_length,
    fit_exponent,
    kv_cache_bytes,
    recurrent_cost,
)
from core.stopwatch import attention_seconds, shortest
from ui import code, controls, formula, frame, progress, tidy
from ui.charts.amounts import AmountWords, amounts
from ui.charts.lines import Axis, lines
from ui.controls import control
from ui.keep import keep
from ui.late import pd
from ui.text import prefixed

LENGTHS = controls.CONTROLS["cost_n"].options
SQUARED = ("scores", "mix")
# The longest of them takes 8 n² bytes: 134 MB.
TIMED, PASSES = (512, 724, 1024, 1448, 2048, 2896, 4096), 4

words = frame.begin("cost")
card, stage = st.columns([1, 3.2], gap="medium")
with card.container(border=True, gap="xsmall", key="card"):
    n, d, h = (control(key, words) for key in ("cost_n", "cost_d", "cost_h"))
    n_layers, n_bytes, kernel = (control(key, words) for key in ("layers", "bytes", "kernel"))

with stage:
    if d % h:
        dividing = ", ".join(str(k) for k in controls.CONTROLS["cost_h"].options if d % k == 0)
        frame.refuse(words, words("uneven", d=d, h=h, dividing=dividing))


@keep(100)
def at_each_length(
    quantity: str, d: int, h: int, n_layers: int, n_bytes: int, unit: str, series: Sequence[int]
) -> pd.DataFrame:
    """What each part takes, as bars in the colours of `series`, at each of LENGTHS."""
    costs = (getattr(attention_cost(length, d, h, n_layers, n_bytes), quantity).values() for length in LENGTHS)
    return tidy.along([tidy.amounts([*cost], [prefixed(value) + unit for value in cost], series) for cost in costs])


@keep(100)
def growing(d: int, h: int) -> dict[str, pd.DataFrame]:
    """Multiply-adds of a layer against n: the parts that grow with n, those that grow with n², and where they meet."""
    by_length = [attention_cost(length, d, h).multiply_adds for length in LENGTHS]
    products = [sum(layer[part] for part in SQUARED) for layer in by_length]
    curves = np.array([*([layer[part] for layer in by_length] for part in ("projections", "feed_forward")), products])
    # On a logarithmic axis names must be apart in powers of ten.
    named = tidy.labels(LENGTHS[-1], np.log10(curves[:, -1]), 0.8)
    named = named.assign(series=[0, 1, 3], y=10 ** named["y"])
    crossing = crossing_length(d)
    meeting = tidy.columns(series=2, x=float(crossing), y=2.0 * crossing**2 * d)
    return {
        "curves": tidy.curves(np.array(LENGTHS), curves).assign(series=np.repeat([0, 1, 3], len(LENGTHS))),
        "now": tidy.at_each(x=np.array(LENGTHS, dtype=float)),
        "points": meeting,
        "labels": pd.concat([named, meeting.assign(y=meeting["y"] / 8)]),
    }


cost = attention_cost(n, d, h, n_layers, n_bytes)
crossing = crossing_length(d)
share = sum(cost.multiply_adds[part] for part in SQUARED) / cost.total_multiply_adds
cached, cached_by_one = (kv_cache_bytes(n, d, h, n_layers, n_bytes, n_kv_heads=k) for k in (h, 1))

with stage:
    pictures = (("multiply_adds", cost.multiply_adds, ""), ("bytes", cost.bytes, "B"))
    for column, (quantity, parts, unit) in zip(st.columns(2), pictures, strict=True):
        with column:
            total, most = prefixed(sum(parts.values())) + unit, int(np.argmax(list(parts.values())))
            largest = prefixed(max(parts.values()))
            names = tuple(words(f"{quantity}.{part}") for part in parts)
            st.markdown(f"## {words(f'{quantity}.title', total=total)}")
            frame.show(
                amounts, names, AmountWords(words("part"), words(f"{quantity}.axis")), None, 185,
                key=quantity, along="cost_n",
                alt_text=words(f"alt.{quantity}", total=total, part=names[most], largest=largest + unit),
                amounts=at_each_length(
                    quantity, d, h, n_layers, n_bytes, unit, [3 if "n²" in name else 0 for name in names]
                ),
            )  # fmt: skip
    frame.metrics(
        (words("figures.share"), f"{share:.1%}", words("figures.share_bound")),
        (words("figures.crossing"), f"n = {crossing:,}", words("figures.crossing_bound", d=d)),
        (words("figures.scores"), prefixed(cost.bytes["scores"]) + "B", words("figures.scores_bound")),
        (words("figures.cache"), prefixed(cached) + "B",
         words("figures.cache_bound", one=prefixed(cached_by_one) + "B")),
    )  # fmt: skip

    st.markdown(f"## {words('growth')}")
    frame.show(
        lines, tuple(words(f"curves.{name}") for name in ("projections", "feed_forward", "crossing", "products")),
        Axis(words("tokens"), (LENGTHS[0], LENGTHS[-1]), log=True, ticks=tuple((x, f"{x:,}") for x in LENGTHS[::3])),
        Axis(words("per_layer"), log=True, ticks=tuple((1e3**i, prefixed(1e3**i)) for i in range(1, 7))), 250,
        key="growth", along="cost_n",
        alt_text=words(f"alt.growth_{'past' if n > crossing else 'before'}", crossing=crossing, n=n),
        **growing(d, h),
    )  # fmt: skip

    st.markdown(f"## {words('measure.title')}")
    asked = st.session_state.setdefault("measurement", 0)

    def measure() -> None:
        st.session_state["measurement"] += 1

    run = drawn = None
    if asked:
        run = progress.begin(
            "cost", asked, len(TIMED) * PASSES, lambda: attention_seconds(TIMED, passes=PASSES, rng=0), shortest
        )
        drawn = progress.bar(words, run)
    if run is None or run.done == run.total:
        st.button(words("measure.again" if run else "measure.start"), key="measure", on_click=measure)
    if run is None:
        st.caption(words("measure.how", passes=PASSES, longest=TIMED[-1], megabytes=8 * TIMED[-1] ** 2 / 1e6))
    elif len(run.summary) < 3:
        st.caption(words("measure.too_few"))
    else:
        sizes, seconds = run.summary.T
        law = fit_exponent(sizes, seconds)
        fitted = law.factor * sizes**law.exponent
        squared = np.exp(np.log(seconds / sizes**2).mean()) * sizes**2
        ends = tidy.labels(sizes[-1], np.log10([seconds[-1], fitted[-1], squared[-1]]) + 3, 0.25)
        verdict = "above" if law.low > 2 else "below" if law.high < 2 else "inside"
        values = {"exponent": law.exponent, "low": law.low, "high": law.high}
        st.markdown(words(f"measure.{verdict}", **values))
        frame.show(
            lines, (words("measure.measured"), words("measure.fitted"), words("measure.formula")),
            Axis(words("tokens"), (TIMED[0], TIMED[-1]), log=True, ticks=tuple((x, f"{x:,}") for x in TIMED[::2])),
            Axis(words("measure.milliseconds"), log=True, ticks=tuple((10.0**i, f"{10.0**i:g}") for i in range(-2, 6))),
            230,
            key="measured", alt_text=words("alt.measured", longest=int(sizes[-1]), seconds=seconds[-1], **values),
            curves=tidy.curves(sizes, 1e3 * np.array([fitted, squared])).assign(series=np.repeat([1, 2], len(sizes))),
            points=tidy.columns(series=0, x=sizes, y=1e3 * seconds),
            labels=ends.assign(y=10 ** ends["y"]),
        )  # fmt: skip
        st.caption(words("measure.why"))

    st.markdown(f"## {words('layers.title')}")
    rivals = {
        "attention": (attention_cost(n, d, h), "scores", "O(n² · d)", "O(1)", "O(1)"),
        "recurrent": (recurrent_cost(n, d), "state", "O(n · d²)", "O(n)", "O(n)"),
        "convolution": (convolution_cost(n, d, kernel), "convolution", "O(k · n · d²)", "O(1)", "O(logₖ n)"),
    }
    orders = {
        "layer": [words(f"layers.{name}") for name in rivals],
        "per_layer": [f"{o}: {prefixed(rival.multiply_adds[part])}" for rival, part, o, _, _ in rivals.values()],
        "sequential": [f"{o}: {rival.sequential_steps:,}" for rival, _, _, o, _ in rivals.values()],
        "path": [f"{o}: {rival.path_length:,}" for rival, _, _, _, o in rivals.values()],
    }
    frame.grid({words(f"layers.{column}"): cells for column, cells in orders.items()}, label=words("layers.title"))
    st.caption(words("layers.source", n=n, d=d, kernel=kernel))

controls.presets(
    words,
    {
        "meeting": {"cost_n": 1024, "cost_d": 512, "cost_h": 8, "layers": 6, "bytes": 4},
        "sentence": {"cost_n": 64, "cost_d": 512, "cost_h": 8, "layers": 6, "bytes": 4},
        "document": {"cost_n": 131072, "cost_d": 4096, "cost_h": 32, "layers": 32, "bytes": 2},
    },
)
frame.predict(
    words,
    lambda: attention_cost(2 * n, d, h, n_layers, n_bytes).total_multiply_adds / cost.total_multiply_adds,
    low=1.0,
    high=5.0,
    step=0.05,
    digits=2,
    n=f"{n:,}",
    double=f"{2 * n:,}",
    d=f"{d:,}",
    share=f"{share:.1%}",
)
with frame.panel("formula", words("formula")) as is_open:
    if is_open:
        for line in (*formula.attention_products(n, d), formula.cache(n, d, n_layers, n_bytes)):
            formula.show(line)


def of_parts(quantity: str, parts: Mapping[str, int]) -> pd.DataFrame:
    """What each part of a layer takes."""
    index = pd.Index([words(f"{quantity}.{part}") for part in parts], name=words("part"))
    return pd.DataFrame({words(f"{quantity}.axis"): [*parts.values()]}, index=index)


for quantity, parts in (("multiply_adds", cost.multiply_adds), ("bytes", cost.bytes)):
    frame.table(words, partial(of_parts, quantity, parts), label=words(f"{quantity}.table"))
frame.code(words, lambda: code.program("cost", n=n, d=d, h=h, n_layers=n_layers, n_bytes=n_bytes, kernel=kernel))
frame.end(words)
if run:
    progress.go_on(words, run, drawn)
