"""Measured values with their uncertainty beside what theory says."""

from __future__ import annotations

import json
from typing import NamedTuple

from ui.charts import Chart
from ui.charts.tokens import PICK, inked, lookup
from ui.late import alt


class GrowthWords(NamedTuple):
    """The words on a chart of variances against d_k."""

    d_k: str
    variance: str
    draws: str


class SettlingWords(NamedTuple):
    """The words on a chart of an estimate that settles."""

    draws: str
    estimate: str
    theory: str
    band: str


def measured(marks: alt.Chart) -> alt.Chart:
    """Give marks the colour of what was measured, which is neither query, key nor value."""
    colour = alt.Color(
        "what",
        type="nominal",
        legend=None,
        scale=alt.Scale(domain=["query", "key", "value", "measured"], range="category"),
    )
    return marks.transform_calculate(what="'measured'").encode(color=colour)


def growth(series: tuple[str, ...], words: GrowthWords, height: int) -> Chart:
    """Lines of theory over `theory` (series, x, y, current) on logarithmic axes, each with its name.

    The last is for reference and dashed; the `current` one is drawn stronger. Measured are `points` (d_k, x, y), where
    d_k is a position that a click picks, their intervals `errors` (x, low, high), and a ring at `now` (x, y).
    """
    x = alt.X(
        "x",
        type="quantitative",
        title=words.d_k,
        scale=alt.Scale(type="log", base=2, nice=False),
        axis=alt.Axis(values=[1, 4, 16, 64, 256, 1024], format="d", grid=False, domain=False, ticks=False),
    )
    y = alt.Y(
        "y",
        type="quantitative",
        title=words.variance,
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(values=[10.0**i for i in range(-9, 8)], format="~g", domain=False, ticks=False),
    )
    theory = (
        alt.Chart(alt.NamedData(name="theory")).transform_calculate(name=lookup(series, "datum.series")).encode(x=x)
    )
    reference = len(series) - 1
    numbers = [
        alt.Tooltip("x", type="quantitative", title=words.d_k, format=","),
        alt.Tooltip("y", type="quantitative", title=words.variance, format=".4~g"),
    ]
    drawn_numbers = [*numbers, alt.Tooltip("draws", type="quantitative", title=words.draws, format=",")]
    points = alt.Chart(alt.NamedData(name="points")).encode(x=x, y=y)
    drawn = alt.layer(
        inked(theory.mark_line(strokeWidth=2)).encode(
            y=y,
            detail=alt.Detail("series", type="nominal"),
            strokeDash=alt.condition(f"datum.series == {reference}", alt.value([2, 3]), alt.value([1, 0])),
            opacity=alt.condition("datum.current", alt.value(1), alt.value(0.35)),
        ),
        measured(alt.Chart(alt.NamedData(name="errors")).mark_rule(strokeWidth=1.5)).encode(
            x=x, y=alt.Y("low", type="quantitative"), y2="high"
        ),
        measured(points.mark_point(filled=True, size=30, opacity=1)),
        measured(alt.Chart(alt.NamedData(name="now")).mark_point(filled=False, size=190, strokeWidth=2.2)).encode(
            x=x, y=y, tooltip=drawn_numbers
        ),
        # A dot is too small to be hit, so what is clicked is an unseen disc around it.
        points.mark_point(filled=True, size=450, opacity=0, cursor="pointer")
        .encode(tooltip=drawn_numbers)
        .add_params(alt.selection_point(name=PICK, fields=["d_k"], on="click", toggle=False)),
    )
    name = theory.encode(y=y, text=alt.Text("name", type="nominal"))
    names = alt.layer(
        inked(name.transform_filter(f"datum.x == 1024 && datum.series != {reference}"))
        .mark_text(align="left", dx=13, fontSize=12)
        .encode(opacity=alt.condition("datum.current", alt.value(1), alt.value(0.65))),
        inked(name.transform_filter(f"datum.x == 64 && datum.series == {reference}")).mark_text(
            align="left", dx=4, dy=12, fontSize=12, fontStyle="italic"
        ),
    )
    return alt.layer(drawn, names).resolve_scale(color="independent").properties(height=height)


def settling(words: SettlingWords, height: int) -> Chart:
    """A running estimate over `running` (n, value) inside the `band` (n, low, high) around `theory` (value)."""
    n = alt.X(
        "n",
        type="quantitative",
        title=words.draws,
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(grid=False, format=",", domain=False, ticks=False, tickCount=6),
    )
    estimate = alt.Y(
        "value",
        type="quantitative",
        title=words.estimate,
        scale=alt.Scale(zero=False, nice=False),
        axis=alt.Axis(tickCount=4, domain=False, ticks=False),
    )
    tooltip = [
        alt.Tooltip("n", type="quantitative", title=words.draws, format=","),
        alt.Tooltip("value", type="quantitative", title=words.estimate, format=".4~g"),
    ]
    return (
        alt.layer(
            alt.Chart(alt.NamedData(name="band"))
            .mark_area(color="gray", opacity=0.2)
            .encode(x=n, y=alt.Y("low", type="quantitative"), y2="high"),
            inked(
                alt.Chart(alt.NamedData(name="theory")).mark_rule(strokeDash=[5, 4], strokeWidth=1.5).encode(y=estimate)
            ),
            measured(alt.Chart(alt.NamedData(name="running")).mark_line(strokeWidth=2.2)).encode(
                x=n, y=estimate, tooltip=tooltip
            ),
            inked(
                alt.Chart(alt.NamedData(name="theory"))
                .transform_calculate(name=json.dumps(words.theory, ensure_ascii=False))
                .mark_text(align="left", dx=6, fontSize=12)
                .encode(x=alt.value("width"), y=estimate, text=alt.Text("name", type="nominal"))
            ),
            inked(
                alt.Chart(alt.NamedData(name="band"))
                .transform_window(rank="row_number()")
                .transform_filter("datum.rank == 30")
                .transform_calculate(name=json.dumps(words.band, ensure_ascii=False))
                .mark_text(align="left", dx=2, dy=-4, baseline="bottom", fontSize=12)
                .encode(x=n, y=alt.Y("high", type="quantitative"), text=alt.Text("name", type="nominal"))
            ),
        )
        .resolve_scale(color="independent")
        .properties(height=height)
    )
