"""A histogram under the densities that it should follow."""

from __future__ import annotations

import json
from typing import NamedTuple

from ui.charts import Chart
from ui.charts.estimates import measured
from ui.charts.tokens import inked, lookup
from ui.late import alt


class HistogramWords(NamedTuple):
    """The words on a histogram: its axes, what a bar counts, two curves, and the band."""

    score: str
    density: str
    draws: str
    exact: str
    normal: str
    band: str


def bars(words: HistogramWords, height: int) -> Chart:
    """Bars over `bins` (low, high, density, count), curves over `curves` (series, x, y): 0 the normal law, 1 the exact.

    A named band over `band` (low, high) lies behind them. Both axes follow the data, and so does the legend.
    """
    x = alt.X(
        "low",
        type="quantitative",
        title=words.score,
        scale=alt.Scale(zero=False, nice=False, padding=9),
        axis=alt.Axis(grid=False, tickCount=6, domain=False),
    )
    y = alt.Y(
        "density", type="quantitative", title=words.density, axis=alt.Axis(tickCount=4, domain=False, ticks=False)
    )
    band = alt.Chart(alt.NamedData(name="band"))
    counted = measured(
        alt.Chart(alt.NamedData(name="bins"))
        .mark_rect(opacity=0.6, stroke=None)
        .encode(
            x=x,
            x2="high",
            y=y,
            y2=alt.datum(0),
            tooltip=[
                alt.Tooltip("low", type="quantitative", title="≥", format=".4~g"),
                alt.Tooltip("high", type="quantitative", title="<", format=".4~g"),
                alt.Tooltip("count", type="quantitative", title=words.draws, format=","),
                alt.Tooltip("density", type="quantitative", title=words.density, format=".4~g"),
            ],
        )
    )
    dash = alt.StrokeDash(
        "series",
        type="nominal",
        scale=alt.Scale(range=[[5, 4], [1, 0]]),
        legend=alt.Legend(
            title=None,
            orient="top-left",
            labelExpr=lookup((words.normal, words.exact), "datum.value"),
            labelLimit=0,
            symbolType="stroke",
            symbolSize=300,
            symbolStrokeWidth=2,
            symbolStrokeColor="gray",
        ),
    )
    curves = (
        alt.Chart(alt.NamedData(name="curves"))
        .mark_line(strokeWidth=2)
        .encode(x=alt.X("x", type="quantitative"), y=alt.Y("y", type="quantitative"), strokeDash=dash)
    )
    name = (
        band.transform_calculate(name=json.dumps(words.band, ensure_ascii=False), middle="(datum.low + datum.high) / 2")
        .mark_text(baseline="bottom", dy=-4, fontSize=12)
        .encode(x=alt.X("middle", type="quantitative"), y=alt.value(0), text=alt.Text("name", type="nominal"))
    )
    return (
        alt.layer(band.mark_rect(color="gray", opacity=0.2).encode(x=x, x2="high"), counted, inked(curves), inked(name))
        .resolve_scale(color="independent")
        .properties(height=height)
    )
