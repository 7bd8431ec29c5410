"""Why scores are divided by √d_k: draw many of them and hold their variance against theory."""

from typing import Any

import numpy as np
import streamlit as st

from core.bins import edges
from core.monte_carlo import Method, histogram, running_variance
from core.pairs import Pair
from ui import code, controls, formula, frame, progress, tidy
from ui.charts.estimates import GrowthWords, SettlingWords, growth, settling
from ui.charts.histogram import HistogramWords, bars
from ui.controls import POWERS, control
from ui.text import rounded, short, uncertain

STANDARD = {"law": "normal", "mean": 0.0, "deviation": 1.0, "correlation": 0.0, "k_is_q": False}
DRAWS_AT_EACH_D_K = 100

words = frame.begin("scaling")
card, stage = st.columns([1, 3.2], gap="medium")
card = card.container(border=True, gap="xsmall", key="card")
with card:
    d_k = control("d_k", words)
    n_samples = control("samples", words)
    divided_by = control("scale", words)
    law = control("law", words)
    with st.expander(words("broken")):
        pair = Pair(law, *(control(key, words) for key in list(STANDARD)[1:]))
    asked = control("draw", words)
    seed = control("seed", words)

method: Method = asked if pair.has_shortcut else "components"
expected, variance = pair.moments(d_k)
excess, deviation = pair.excess_kurtosis(d_k), float(np.sqrt(variance))
low, high = expected - (4.5 * deviation or 1), expected + (4.5 * deviation or 1)
powers = np.array(POWERS, dtype=float)
divisors = {"1": powers**0, "sqrt": powers**0.5, "d_k": powers}
divisor = divisors[divided_by][POWERS.index(d_k)]


def summary(samples: np.ndarray) -> Any:
    counted = histogram(samples, edges(samples, low, high, discrete=law == "sign"))
    return pair.check(samples, d_k), counted, running_variance(samples, 160, excess_kurtosis=excess)


@st.cache_data(max_entries=200, show_spinner=False)
def variance_at_each_d_k(pair: Pair, method: Method, seed: int) -> np.ndarray:
    """Variance and the ends of its interval: (3, n_powers)."""
    rng = np.random.default_rng(seed)
    draws = (np.concatenate(list(pair.chunks(d, DRAWS_AT_EACH_D_K, method=method, rng=rng))) for d in POWERS)
    checks = [pair.check(samples, d) for samples, d in zip(draws, POWERS, strict=True)]
    return np.array([(check.variance, check.low, check.high) for check in checks]).T


run = progress.begin(
    "scaling", (pair, d_k, n_samples, method, seed), n_samples,
    lambda: pair.chunks(d_k, n_samples, method=method, rng=seed), summary,
)  # fmt: skip
check, counted, (counts, running, _) = run.summary
error = check.standard_error
n, by = f"{check.n:,}", words(f"controls.scale.options.{divided_by}")
at_each = variance_at_each_d_k(pair, method, seed)
theory = np.array([pair.moments(d)[1] for d in POWERS])

with card:
    bar = progress.bar(words, run)
with stage:
    left, right = st.columns(2)
    with left:
        st.markdown(f"##### {words('drawn' if divided_by == '1' else 'drawn_divided', n=n, divisor=by)}")
        x = np.linspace(low, high, 200)
        normal = np.exp(-(((x - expected) / deviation) ** 2) / 2) / (deviation * np.sqrt(2 * np.pi)) if variance else None
        laws = normal, pair.density(x, d_k)
        frame.show(
            bars, HistogramWords(*(words(f"chart.{key}") for key in HistogramWords._fields)), 270,
            key="scores",
            alt_text=words("alt.scores", n=n, mean=short(check.mean / divisor), deviation=short(check.variance**0.5 / divisor)),
            bins=tidy.columns(
                low=counted.edges[:-1] / divisor, high=counted.edges[1:] / divisor,
                count=counted.counts, density=counted.density * divisor,
            ),
            curves=tidy.curves(x / divisor, np.reshape([y * divisor for y in laws if y is not None], (-1, len(x)))),
            band=tidy.columns(low=expected / divisor - 1, high=expected / divisor + 1),
        )  # fmt: skip
        relation = "same" if pair.same else "correlated" if pair.correlation else "independent"
        notes = [
            words("how.components", law=words(f"controls.law.options.{law}"), mean=f"{pair.mean:g}", deviation=f"{pair.std:g}"),
            words(f"how.{relation}", correlation=f"{pair.correlation:g}"),
            words(f"how.{f'{method}_drawn' if method == asked else 'no_shortcut'}"),
        ]
        if outside := counted.below + counted.above:
            notes.append(words("outside", count=f"{outside:,}", n=n))
        st.caption(" ".join(notes))
    with right:
        st.markdown(f"##### {words('grows')}")
        lines = tidy.curves(powers, [*(theory / divided**2 for divided in divisors.values()), powers])
        lines["current"] = lines["series"] == list(divisors).index(divided_by)
        drawn = tidy.columns(
            d_k=np.arange(len(POWERS)), x=powers, draws=DRAWS_AT_EACH_D_K,
            **dict(zip(("y", "low", "high"), at_each / divisors[divided_by] ** 2, strict=True)),
        )  # fmt: skip
        frame.show(
            growth,
            (*(f"÷ {words(f'controls.scale.options.{name}')}" for name in divisors), words("chart.reference")),
            GrowthWords(words("chart.d_k"), words("chart.variance"), words("chart.count")), 270,
            key="grows",
            alt_text=words(
                "alt.grows", first=short(theory[0]), undivided=short(theory[-1]), root=short(theory[-1] / powers[-1]),
                d_k=short(theory[-1] / powers[-1] ** 2), last=POWERS[-1], now=d_k, measured=short(check.variance / divisor**2),
            ),
            pick=("d_k", POWERS),
            theory=lines[lines["y"] > 0],
            points=drawn[theory > 0],
            errors=drawn[(drawn["low"] > 0) & np.isfinite(drawn["high"])],
            now=tidy.columns(x=float(d_k), y=check.variance / divisor**2, draws=check.n)[: int(check.variance > 0 < variance)],
        )  # fmt: skip
        st.caption(words("grows_note", draws=DRAWS_AT_EACH_D_K) if variance else words("grows_nothing"))
    frame.metrics(
        (words("figures.mean"), uncertain(check.mean, deviation / check.n**0.5), words("figures.theory", value=short(expected))),
        (words("figures.variance"), uncertain(check.variance, error), words("figures.theory", value=short(variance))),
        (words("figures.deviation"), short(check.variance**0.5), words("figures.theory", value=short(deviation))),
        (words("figures.divided", divisor=by), short(check.variance**0.5 / divisor), words("figures.theory", value=short(deviation / divisor))),
    )  # fmt: skip
    said = {
        "n": n, "measured": uncertain(check.variance, error), "variance": short(check.variance),
        "low": rounded(check.low, error), "high": rounded(check.high, error), "theory": short(variance), "value": short(expected),
    }  # fmt: skip
    found = {None: "few", True: "consistent", False: "outside"}[check.consistent]
    verdict = "constant" if not variance else "alike" if not check.variance else found if np.isfinite(excess) else "heavy"
    box = {"consistent": st.success, "outside": st.warning}.get(verdict, st.info)
    ratio = variance / d_k
    broken = "" if np.isclose(ratio, 1) or not variance else words("verdict.broken", ratio=short(ratio), d_k=d_k)
    box(f"{words(f'verdict.{verdict}', **said)} {broken}")

    st.markdown(f"##### {words('settles')}")
    first = 10 if n_samples >= 100 else 2
    at = np.geomspace(first, n_samples, 100)
    wide = 2 * variance * np.sqrt(2 / (at - 1) + excess / at)
    band = tidy.columns(n=at, low=np.maximum(variance - wide, 0), high=variance + wide)
    frame.show(
        settling, SettlingWords(*(words(f"chart.{key}") for key in ("n", "running", "theory", "two_errors"))), 190,
        key="settles",
        alt_text=words("alt.settles", **said, error=short(2 * error)),
        running=tidy.columns(n=counts, value=running)[counts >= first],
        theory=tidy.columns(value=variance),
        band=band[np.isfinite(band["high"])],
    )  # fmt: skip

controls.presets(
    words,
    {
        "undivided": STANDARD | {"d_k": 1024, "scale": "1", "samples": 10_000},
        "means": STANDARD | {"d_k": 64, "scale": "sqrt", "samples": 10_000, "mean": 1.0},
        "four": STANDARD | {"samples": 4},
    },
)
frame.predict(
    words, Pair().moments(256)[1] ** 0.5, low=0.0, high=64.0, step=1.0, digits=0,
    small=64, deviation=short(Pair().moments(64)[1] ** 0.5), large=256,
)  # fmt: skip
with st.expander(words("formula"), expanded=True):
    means = pair.moments(1)[1] - Pair(law, 0, pair.std, pair.correlation, pair.same).moments(1)[1]
    formula.show(formula.dot_product(d_k, *pair.moments(1), means, divided_by, variance / divisor**2))
    formula.show(formula.standard_error(check.variance, excess, check.n, error))
    kurtosis = Pair(law, same=True).moments(1)[1] + 1
    st.caption(words("symbols", kurtosis=short(kurtosis), excess=short(excess)))
frame.table(
    words,
    drawn[["x", "y", "low", "high"]].set_axis([words(f"columns.{name}") for name in ("d_k", "measured", "low", "high")], axis=1),
    label=words("columns.grows"),
)
part = "components"
if method == "exact":
    part = "exact_sign" if law == "sign" else "exact" if pair.standard else "exact_broken"
frame.code(
    words,
    code.program(
        f"scaling_{part}",
        "scaling",
        n_samples=check.n, d_k=d_k, seed=seed, mean=pair.mean, std=pair.std,
        correlation=0 if pair.same and method == "components" else 1 if pair.same else pair.correlation,
        vectors=1 if pair.same else 2, components=code.components(law), divisor=code.scale(divided_by),
        excess=excess if np.isfinite(excess) else code.Expression("np.inf"),
    ),
)  # fmt: skip
frame.end(words)
progress.go_on(words, run, bar)
