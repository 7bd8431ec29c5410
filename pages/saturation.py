"""What goes wrong without √d_k: weights of one draw and of many, the slopes of the softmax, and a task to learn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import streamlit as st

from core import retrieval, saturation
from core.softmax import jacobian, softmax
from core.theory import transition_sigma
from ui import code, controls, formula, frame, maps, progress, tidy
from ui.charts.bars import BarWords, side_by_side
from ui.charts.lines import Axis, lines
from ui.charts.tokens import PRINTED_UP_TO
from ui.controls import CONTROLS, POWERS, control
from ui.keep import keep
from ui.late import pd
from ui.maps import MapWords
from ui.text import short, uncertain

CURVES = ((0, "largest"), (1, "keys"), (2, "gradient"))
EVERY = sorted({round(2 ** (i / 2)) for i in range(21)})
DRAWS, STEPS = 1000, 200


def divisors(d_k: float) -> tuple[float, float, float]:
    """The three ways of `controls.scale` as numbers."""
    return 1.0, d_k**0.5, d_k


words = frame.begin("saturation")
card, stage = st.columns([1, 3.2], gap="medium")
with card.container(border=True, gap="xsmall", key="card"):
    d_k = control("d_k", words)
    divided_by = control("scale", words)
    n = control("n_keys", words)
    temperature = control("T", words)
    seed = control("seed", words)


@keep(100)
def measured(n: int, temperature: float, seed: int) -> np.ndarray:
    """Means over draws and their standard errors: (2, figures, divisors, POWERS)."""
    at_each = [
        saturation.measure(n, d, divisors(d), temperature=temperature, n_draws=DRAWS, rng=(seed, d)) for d in POWERS
    ]
    return np.stack(at_each, axis=-1)


@keep(100)
def exact(n: int, temperature: float) -> np.ndarray:
    """The means that theory expects: (figures, divisors, EVERY)."""
    return np.stack([saturation.expect(n, d, divisors(d), temperature=temperature) for d in EVERY], axis=-1)


@keep(100)
def one_draw(n: int, temperature: float, seed: int) -> np.ndarray:
    """The weights of one draw, the largest first: (POWERS, divisors, n)."""
    # Drawn component by component, so that a larger d_k adds to the vectors of a smaller one.
    query, *keys = np.random.default_rng(seed).standard_normal((POWERS[-1], n + 1)).T
    at_each = [np.array(keys)[:, :d] @ query[:d] / np.array(divisors(d))[:, None] for d in POWERS]
    return np.sort(softmax(np.array(at_each), temperature=temperature))[..., ::-1]


@keep(100)
def bars_at_every_d_k(n: int, temperature: float, seed: int, shown: int) -> pd.DataFrame:
    """That draw as bars, as many of each divisor as are `shown`."""
    draws = one_draw(n, temperature, seed)[..., :shown]
    return tidy.along([tidy.cells(draw).rename(columns={"query": "series"}) for draw in draws])


@keep(100)
def along_d_k(n: int, temperature: float, seed: int, figure: int, gap: float) -> dict[str, pd.DataFrame]:
    """One figure by the three divisors, drawn as points and exact as curves, whose names stand `gap` apart or more."""
    (means, _), expected = measured(n, temperature, seed), exact(n, temperature)
    passes = transition_sigma(n) ** 2 * temperature**2
    return {
        "curves": tidy.curves(np.array(EVERY), expected[figure]),
        "points": tidy.curves(np.array(POWERS), means[figure]),
        "labels": tidy.labels(POWERS[-1], expected[figure, :, -1], gap, lowest=0.0),
        "now": tidy.at_each(x=np.array(POWERS, dtype=float)),
        "marks": tidy.columns(x=passes, name=f"√(2 ln {n})", where=1 <= passes <= POWERS[-1]),
    }


ways = CONTROLS["scale"].options
way, at = ways.index(divided_by), POWERS.index(d_k)
means, errors = measured(n, temperature, seed)
expected = exact(n, temperature)
mean, error, true = means[:, way, at], errors[:, way, at], expected[:, way, EVERY.index(d_k)]

draws = one_draw(n, temperature, seed)
draw, p = draws[at], draws[at, way]
slopes = jacobian(p)
norm, trace = np.linalg.norm(slopes, 2), np.trace(slopes)

names = tuple(words(f"divided.{name}") for name in ways)
ranks = tuple(str(rank) for rank in range(1, min(n, PRINTED_UP_TO) + 1))
transition, by = transition_sigma(n), words(f"divided.{divided_by}")
passes = transition**2 * temperature**2
facts = {
    "n": n, "d_k": d_k, "by": by, "T": f"{temperature:g}".replace("inf", "∞"), "draws": f"{DRAWS:,}",
    "shown": len(ranks), "transition": transition, "even": 1 / n, "norm": norm, "trace": trace,
    "passes": short(passes).replace("inf", "∞"), "low": slopes.min(), "high": slopes.max(),
}  # fmt: skip
X = Axis(words("axis.d_k"), (1, POWERS[-1]), log=True, ticks=tuple((d, f"{d}") for d in POWERS[::2]))


def by_way(numbers: np.ndarray) -> dict[str, float]:
    """One number for each divisor, by the name that it has in the words."""
    return dict(zip(("one", "root", "full"), numbers, strict=True))


def along(figure: int, key: str, height: int) -> None:
    """One figure against d_k, by the three divisors: drawn as points, exact as curves."""
    high = np.log(n) if key == "keys" else 1.0
    doublings = tuple((round(i * np.log(2), 5), f"{2**i}") for i in range(n.bit_length())) if key == "keys" else ()
    y = Axis(words(f"axis.{key}"), (0, high), ticks=doublings)
    frame.show(
        lines, names, X, y, height, words("axis.divisor"),
        key=key, along="d_k",
        alt_text=words(
            f"alt.{key}", **facts, mean=mean[figure], exact=true[figure], last=POWERS[-1],
            **by_way(expected[figure, :, -1]),
        ),
        **along_d_k(n, temperature, seed, figure, 16 / (height - 90) * high),
    )  # fmt: skip


def said(value: float, error: float) -> str:
    # At the limits of T every draw gives the same.
    return uncertain(value, error) if error > 1e-6 else f"{value:.3f}"


with stage:
    st.markdown(f"## {words('one_draw_part' if n > len(ranks) else 'one_draw', **facts)}")
    frame.show(
        side_by_side, names, len(ranks), BarWords(words("axis.rank"), words("axis.weight"), ""), 165,
        key="bars", along="d_k", alt_text=words("alt.bars", **facts, **by_way(draw[:, 0])),
        bars=bars_at_every_d_k(n, temperature, seed, len(ranks)),
        picked=tidy.positions("series", way),
    )  # fmt: skip
    for column, (figure, name) in zip(st.columns([1.2, 1, 1], gap="small"), CURVES, strict=True):
        with column:
            st.markdown(f"## {words(f'along.{name}', **facts)}")
            along(figure, name, 215)
    st.caption(words("transition", **facts))
    st.markdown(words("at_this", **facts))
    drawn = [*zip(saturation.FIGURES, mean, error, true, (f"1/{n}", 0, 0), (1, f"ln {n}", f"1 − 1/{n}"), strict=True)]
    shared = np.exp(mean[1])
    drawn.insert(2, ("keys", shared, shared * error[1], np.exp(true[1]), 1, n))
    frame.metrics(
        *(
            (words(f"figures.{name}"), said(*figure), words("figures.exact", exact=exactly, low=low, high=high))
            for name, *figure, exactly, low, high in drawn
        )
    )
    left, right = st.columns([1.5, 1], gap="medium")
    with left:
        st.markdown(f"## {words('slopes')}")
        r = len(ranks)
        slope_words = MapWords(words("axis.moves"), words("axis.score"), words("axis.slope"), words("map.blocked"))
        maps.show(
            slopes[:r, :r], ranks, ranks, slope_words, "slope",
            key="slopes", alt_text=words("alt.slopes", **facts), height=90 + max(26 * r, 130),
            ahead={
                "d_k": {
                    other: jacobian(draws[other, way])[:r, :r]
                    for other in controls.near("d_k", d_k, maps.places_ahead(r * r))
                }
            },
        )  # fmt: skip
    with right:
        st.markdown(words("slopes_how", **facts))
        frame.metrics(
            (words("figures.norm"), f"{norm:.3f}", words("figures.norm_bound")),
            (words("figures.trace"), f"{trace:.3f}", words("figures.trace_bound", n=n)),
        )

    st.markdown(f"## {words('learn')}")
    st.markdown(words("task", n=n, d_k=d_k))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        training = control("train", words)
        loss: retrieval.Loss = control("loss", words) if training else "value"
        rates = [rate for rate in CONTROLS["rate"].options if loss == "value" or rate <= 0.5]
        rate = control("rate", words, options=rates) if training else 0.5


def steps() -> Iterator[np.ndarray]:
    """Loss, accuracy and gradient of each divisor's run, step by step: (1, divisors, 3)."""
    runs = [
        retrieval.train(n, d_k, divisor=divisor, learning_rate=rate, n_steps=STEPS, loss=loss, rng=seed)
        for divisor in divisors(d_k)
    ]
    for states in zip(*runs, strict=True):
        yield np.array([[(state.loss, state.accuracy, state.gradient) for state in states]])


run = trained_so_far = None
if training:
    run = progress.begin("saturation", (n, d_k, loss, rate, seed), STEPS + 1, steps, np.asarray)
    with stage:
        trained_so_far = progress.bar(words, run)
        losses, found, reaching = np.moveaxis(run.summary, -1, 0)
        highest = 1.0 if loss == "value" else float(losses.max())
        every_50 = tuple((at, str(at)) for at in range(0, STEPS + 1, 50))
        frame.show(
            lines, names, Axis(words("axis.step"), (0, STEPS), ticks=every_50),
            Axis(words(f"axis.loss_{loss}"), (0, 1) if loss == "value" else None), 230, words("axis.divisor"),
            key="losses",
            alt_text=words("alt.losses", step=len(losses) - 1, **by_way(losses[-1])),
            curves=tidy.curves(np.arange(len(losses)), losses.T),
            labels=tidy.labels(len(losses) - 1, losses[-1], 0.08 * highest, lowest=0.0),
        )  # fmt: skip
        frame.metrics(
            *(
                (name, words("found", count=round(found[-1, i] * n), n=n),
                 words("figures.learned", start=losses[0, i], end=losses[-1, i], gradient=reaching[0, i]))
                for i, name in enumerate(names)
            )
        )  # fmt: skip
        st.caption(words(f"why_{loss}"))

standard = {"n_keys": 8, "T": 1.0}
controls.presets(
    words,
    {
        "collapse": standard | {"d_k": 1024, "scale": "1"},
        "even": standard | {"d_k": 1024, "scale": "d_k"},
        "learn": standard | {"d_k": 256, "scale": "sqrt", "train": True, "loss": "value", "rate": 0.5},
    },
)
undivided, root, _ = expected[0, :, EVERY.index(256)]
frame.predict(
    words, lambda: undivided, low=0.0, high=1.0, step=0.01, digits=3,
    d_k=256, n=n, T=facts["T"], root=f"{root:.3f}", deviation=f"{256**0.5:g}",
)  # fmt: skip
with frame.panel("formula", words("formula")) as is_open:
    if is_open:
        formula.show(formula.slopes(p[0], trace, float(norm)))
        formula.show(formula.spread(divided_by, d_k, temperature, n, transition))
frame.table(
    words,
    lambda: tidy.columns(
        **{
            words("axis.d_k"): np.tile(POWERS, len(names)),
            words("axis.divisor"): np.repeat(names, len(POWERS)),
            **{
                words(f"columns.{what}", figure=words(f"figures.{figure}")): numbers[i].ravel()
                for i, figure in enumerate(saturation.FIGURES)
                for what, numbers in (
                    ("mean", means),
                    ("error", errors),
                    ("exact", expected[:, :, [EVERY.index(d) for d in POWERS]]),
                )
            },
        }
    ),
)
frame.code(
    words,
    lambda: code.program(
        "saturation",
        *(["saturation_training"] if training else []),
        n_keys=n, d_k=d_k, seed=seed, draws=DRAWS, steps=STEPS, rate=rate,
        divisor=code.scale(divided_by), tempered=code.tempered(temperature, masked=False), **code.retrieval(loss),
    ),
)  # fmt: skip
frame.end(words)
if run:
    progress.go_on(words, run, trained_so_far)
