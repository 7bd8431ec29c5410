"""Why scores are divided by √d_k: draw many of them and hold their variance against theory."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from core.monte_carlo import Method
from core.pairs import REACH, Pair, Summary
from ui import code, controls, formula, frame, progress, tidy
from ui.charts.estimates import GrowthWords, SettlingWords, growth, settling
from ui.charts.histogram import HistogramWords, bars
from ui.controls import POWERS, control
from ui.keep import keep
from ui.late import pd
from ui.text import rounded, short, uncertain

STANDARD = {"law": "normal", "mean": 0.0, "deviation": 1.0, "correlation": 0.0, "k_is_q": False}
DRAWS_AT_EACH_D_K = 100
# So many samples by their exact law take a hundredth of a second at all d_k together.
SOON = 10_000

words = frame.begin("scaling")
left, stage = st.columns([1, 3.2], gap="medium")
card = left.container(border=True, gap="xsmall", key="card")
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


@keep(200)
def at_every_d_k(pair: Pair, method: Method, seed: int) -> np.ndarray:
    """Measured variance, the ends of its interval, and the theory: (4, n_powers)."""
    rng = np.random.default_rng(seed)
    draws = (np.concatenate(list(pair.chunks(d, DRAWS_AT_EACH_D_K, method=method, rng=rng))) for d in POWERS)
    checks = [pair.check(samples, d) for samples, d in zip(draws, POWERS, strict=True)]
    return np.array([(check.variance, check.low, check.high, check.theory) for check in checks]).T


def divisors(d_k: np.ndarray) -> dict[str, np.ndarray]:
    """The three ways of `controls.scale` as numbers."""
    return {"1": d_k**0, "sqrt": d_k**0.5, "d_k": d_k}


def pictures(pair: Pair, d_k: int, n_samples: int, summary: Summary, divided_by: str) -> dict[str, pd.DataFrame]:
    """What the charts show at one d_k of those samples, out of `n_samples`, that are there."""
    mean, variance = pair.moments(d_k)
    divisor = float(divisors(np.array(float(d_k)))[divided_by])
    deviation, check, histogram = variance**0.5, summary.check, summary.histogram
    # As many points as leave out 0, where the exact density of one component has no end.
    x = mean + np.linspace(-REACH, REACH, 120) * (deviation or 1)
    normal = np.exp(-(((x - mean) / deviation) ** 2) / 2) / (deviation * np.sqrt(2 * np.pi)) if variance else None
    laws = [density * divisor for density in (normal, pair.density(x, d_k)) if density is not None]
    at = np.geomspace(10 if n_samples >= 100 else 2, n_samples, 50)
    wide = 2 * pair.standard_error(at, d_k)
    return {
        "bins": tidy.columns(
            low=histogram.edges[:-1] / divisor, high=histogram.edges[1:] / divisor,
            count=histogram.counts, density=histogram.density * divisor,
        ),
        "curves": tidy.curves(x / divisor, np.reshape(laws, (-1, len(x)))),
        "unit": tidy.columns(low=mean / divisor - 1, high=mean / divisor + 1),
        "now": tidy.columns(
            where=variance * check.variance > 0, x=float(d_k), y=check.variance / divisor**2, draws=check.n
        ),
        "running": tidy.columns(where=summary.counts >= at[0], n=summary.counts, value=summary.variance),
        "theory": tidy.columns(value=variance),
        "wide": tidy.columns(where=np.isfinite(wide), n=at, low=np.maximum(variance - wide, 0), high=variance + wide),
    }  # fmt: skip


@keep(50)
def summaries_at_every_d_k(pair: Pair, n_samples: int, method: Method, seed: int) -> list[Summary]:
    """What so many samples show at each option of the slider."""
    drawn = (np.concatenate([*pair.chunks(d, n_samples, method=method, rng=seed)]) for d in POWERS)
    return [pair.summary(samples, d) for d, samples in zip(POWERS, drawn, strict=True)]


@keep(50)
def pictures_at_every_d_k(
    pair: Pair, n_samples: int, method: Method, seed: int, divided_by: str
) -> dict[str, pd.DataFrame]:
    """What the charts show of them."""
    summaries = summaries_at_every_d_k(pair, n_samples, method, seed)
    each = [pictures(pair, d, n_samples, summary, divided_by) for d, summary in zip(POWERS, summaries, strict=True)]
    return {name: tidy.along([of_one[name] for of_one in each]) for name in each[0]}


@keep(100)
def growing(pair: Pair, method: Method, seed: int, divided_by: str) -> dict[str, pd.DataFrame]:
    """The variance against d_k: by theory, after each of the three divisions, and drawn, after the chosen one."""
    powers = np.array(POWERS, dtype=float)
    divided = divisors(powers)
    measured, low, high, theory = at_every_d_k(pair, method, seed)
    lines = np.array([*(theory / each**2 for each in divided.values()), powers])
    measured, low, high, expected = (each / divided[divided_by] ** 2 for each in (measured, low, high, theory))
    return {
        # A logarithmic axis has no place for 0.
        "theory": tidy.columns(
            where=lines.ravel() > 0, series=np.repeat(np.arange(len(lines)), len(powers)),
            x=np.tile(powers, len(lines)), y=lines.ravel(),
            current=np.repeat([name == divided_by for name in (*divided, "")], len(powers)),
        ),
        "points": tidy.columns(
            where=theory > 0, d_k=np.arange(len(POWERS)), x=powers, theory=expected, y=measured, low=low, high=high,
            draws=DRAWS_AT_EACH_D_K,
        ),
        "errors": tidy.columns(where=(theory > 0) & (low > 0) & np.isfinite(high), x=powers, low=low, high=high),
    }  # fmt: skip


run = progress.begin(
    "scaling", (pair, d_k, n_samples, method, seed), n_samples,
    lambda: pair.chunks(d_k, n_samples, method=method, rng=seed), lambda samples: pair.summary(samples, d_k),
)  # fmt: skip
with card:
    bar = progress.bar(words, run)
check, histogram = run.summary.check, run.summary.histogram
mean, variance = pair.moments(d_k)
excess, deviation, error = pair.excess_kurtosis(d_k), variance**0.5, check.standard_error
powers = np.array(POWERS, dtype=float)
divided = divisors(powers)[divided_by]
divisor = float(divided[POWERS.index(d_k)])
here = partial(pictures, pair, d_k, n_samples, run.summary, divided_by)
moving = (
    pictures_at_every_d_k(pair, n_samples, method, seed, divided_by)
    if method == "exact" and n_samples <= SOON
    else {name: tidy.always(rows) for name, rows in here().items()}
)
n, by = f"{check.n:,}", words(f"controls.scale.options.{divided_by}")

with stage:
    left, right = st.columns(2)
    with left:
        st.markdown(f"## {words('drawn' if divided_by == '1' else 'drawn_divided', n=n, divisor=by)}")
        frame.show(
            bars, HistogramWords(*(words(f"histogram.{name}") for name in HistogramWords._fields)), 270,
            key="scores", along="d_k",
            alt_text=words(
                "alt.scores", n=n, mean=short(check.mean / divisor), deviation=short(check.variance**0.5 / divisor)
            ),
            bins=moving["bins"], curves=moving["curves"], band=moving["unit"],
        )  # fmt: skip
        relation = "same" if pair.same else "correlated" if pair.correlation else "independent"
        notes = [
            words(f"how.{relation}", law=words(f"controls.law.options.{law}"), mean=short(pair.mean),
                  deviation=short(pair.std), correlation=short(pair.correlation)),
            words(f"how.{f'by_{method}' if method == asked else 'no_shortcut'}"),
        ]  # fmt: skip
        if outside := histogram.below + histogram.above:
            notes.append(words("outside", count=f"{outside:,}", n=n))
        st.caption(" ".join(notes))
    with right:
        st.markdown(f"## {words('grows')}")
        theory, grown = at_every_d_k(pair, method, seed)[-1], growing(pair, method, seed, divided_by)
        frame.show(
            growth,
            (*(f"÷ {words(f'controls.scale.options.{name}')}" for name in divisors(powers)), words("growth.reference")),
            GrowthWords(*(words(f"growth.{name}") for name in GrowthWords._fields)), 270,
            key="grows", along="d_k",
            alt_text=words(
                "alt.grows", last=POWERS[-1], first=short(theory[0]), undivided=short(theory[-1]),
                root=short(theory[-1] / powers[-1]), d_k=short(theory[-1] / powers[-1] ** 2),
                now=d_k, measured=short(check.variance / divisor**2),
            ),
            pick=("d_k", POWERS), now=moving["now"], **grown,
        )  # fmt: skip
        st.caption(words("grows_note", draws=DRAWS_AT_EACH_D_K) if variance else words("grows_nothing"))

    spread = check.variance**0.5
    spread_error = error / (2 * spread) if spread else 0.0
    frame.metrics(
        *(
            (words(f"figures.{name}", divisor=by), value, words("figures.theory", value=short(expected)))
            for name, value, expected in (
                ("mean", uncertain(check.mean, deviation / check.n**0.5), mean),
                ("variance", uncertain(check.variance, error), variance),
                ("deviation", rounded(spread, spread_error), deviation),
                ("divided", rounded(spread / divisor, spread_error / divisor), deviation / divisor),
            )
        )
    )
    found = {None: "few", True: "consistent", False: "outside"}[check.consistent]
    if not variance or not check.variance or not np.isfinite(excess):
        found = "constant" if not variance else "alike" if not check.variance else "heavy"
    said = words(
        f"verdict.{found}", n=n, measured=uncertain(check.variance, error), theory=short(variance), mean=short(mean),
        low=rounded(check.low, error), high=rounded(check.high, error),
    )  # fmt: skip
    if variance and not np.isclose(variance, d_k):
        said += " " + words("verdict.broken", ratio=short(variance / d_k), d_k=d_k)
    {"consistent": st.success, "outside": st.warning}.get(found, st.info)(said)

    st.markdown(f"## {words('settles')}")
    frame.show(
        settling, SettlingWords(*(words(f"settling.{name}") for name in SettlingWords._fields)), 190,
        key="settles", along="d_k",
        alt_text=words(
            "alt.settles", n=n, variance=short(check.variance), theory=short(variance), error=short(2 * error)
        ),
        running=moving["running"], theory=moving["theory"], band=moving["wide"],
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
    words, lambda: Pair().moments(256)[1] ** 0.5, low=0.0, high=64.0, step=1.0, digits=0,
    small=64, deviation=short(Pair().moments(64)[1] ** 0.5), large=256,
)  # fmt: skip
with frame.panel("formula", words("formula")) as is_open:
    if is_open:
        without_means = Pair(law, 0, pair.std, pair.correlation, pair.same).moments(1)[1]
        formula.show(formula.dot_product(d_k, *pair.moments(1), without_means, divided_by))
        formula.show(formula.standard_error(check.variance, excess, check.n, error))
        kurtosis = Pair(law, same=True).moments(1)[1] + 1
        st.caption(words("symbols", kurtosis=short(kurtosis), excess=short(excess)))
columns = {"x": "d_k"} | {name: words(f"columns.{name}") for name in ("theory", "y", "low", "high", "count", "density")}
frame.table(
    words,
    lambda: grown["points"][["x", "theory", "y", "low", "high"]].rename(columns=columns),
    label=words("columns.grows"),
)
frame.table(words, lambda: here()["bins"].rename(columns=columns), label=words("columns.scores"))
by_shortcut = "exact_sign" if law == "sign" else "exact" if pair.standard else "exact_broken"
frame.code(
    words,
    lambda: code.program(
        f"scaling_{by_shortcut if method == 'exact' else 'components'}",
        "scaling",
        n_samples=check.n, d_k=d_k, seed=seed, mean=pair.mean, std=pair.std,
        correlation=1.0 if pair.same else pair.correlation, vectors=1 if pair.same else 2,
        components=code.components(law),
        excess=code.Expression(excess if np.isfinite(excess) else "np.inf"), divisor=code.scale(divided_by),
    ),
)  # fmt: skip
frame.end(words)
progress.go_on(words, run, bar)
