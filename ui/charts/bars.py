"""Bars over tokens or other labelled positions."""

import json
from typing import NamedTuple

import altair as alt

from ui.charts import Chart
from ui.charts.lines import series_colour
from ui.charts.maps import STROKE, inked, lookup

# So many characters stand side by side below the bars, even in a narrow column.
SIDE_BY_SIDE = 32


class BarWords(NamedTuple):
    """The words on a bar chart."""

    label: str
    value: str
    blocked: str


def weights(labels: tuple[str, ...], words: BarWords, height: int, as_series: bool = False) -> Chart:
    """Bars of weights on the fixed domain 0 to 1 over `bars` (key, value, allowed).

    `as_series` gives each bar the colour that `ui.charts.lines` gives to the curve at the same position.
    """
    x = alt.X(
        "key",
        type="ordinal",
        title=words.label,
        axis=alt.Axis(
            labelExpr=lookup(labels, "datum.value"),
            labelAngle=0 if len(labels) * max(map(len, labels)) <= SIDE_BY_SIDE else -40,
            labelLimit=96,
            labelOverlap=False,
            domain=False,
            ticks=False,
        ),
    )
    y = alt.Y(
        "value",
        type="quantitative",
        title=words.value,
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(tickCount=3, domain=False, format=".1f"),
    )
    base = (
        alt.Chart(alt.NamedData(name="bars"))
        .transform_calculate(name=lookup(labels, "datum.key"), blocked=json.dumps(words.blocked))
        .encode(x=x)
    )
    name = alt.Tooltip("name", type="nominal", title=words.label)
    allowed = base.transform_filter("datum.allowed").encode(y=y)
    bar = allowed.mark_bar(cornerRadiusEnd=3).encode(
        tooltip=[name, alt.Tooltip("value", type="quantitative", title=words.value, format=".4f")]
    )
    layers = alt.layer(
        bar.encode(color=series_colour("key", len(labels))) if as_series else bar,
        inked(allowed.mark_text(dy=-7, fontSize=11).encode(text=alt.Text("value", type="quantitative", format=".2f"))),
        base.transform_filter("!datum.allowed")
        .mark_point(shape=STROKE, size=60, strokeWidth=1.2, opacity=0.55, color="gray", yOffset=-8)
        .encode(y=alt.datum(0), tooltip=[name, alt.Tooltip("blocked", type="nominal", title=words.value)]),
    )
    return layers.resolve_scale(color="independent").properties(height=height)
