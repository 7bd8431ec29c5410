"""Bars over tokens or other labelled positions."""

from __future__ import annotations

import json
from typing import NamedTuple

from ui.charts import Chart
from ui.charts.lines import series_colour
from ui.charts.tokens import READ_UP_TO, STROKE, inked, lookup
from ui.late import alt

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
            labelExpr="labels[datum.value]",
            labelAngle=0 if len(labels) * max(map(len, labels)) <= SIDE_BY_SIDE else -40,
            labelLimit=96,
            labelOverlap=False,
            labels=len(labels) <= READ_UP_TO,
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
        .transform_calculate(name="labels[datum.key]", blocked=json.dumps(words.blocked))
        .encode(x=x)
    )
    name = alt.Tooltip("name", type="nominal", title=words.label)
    allowed = base.transform_filter("datum.allowed").encode(y=y)
    bar = allowed.mark_bar(cornerRadiusEnd=3).encode(
        tooltip=[name, alt.Tooltip("value", type="quantitative", title=words.value, format=".4f")]
    )
    number = alt.Text("value", type="quantitative", format=".2f")
    # Of more bars, hovering tells name and number.
    numbers = [inked(allowed.mark_text(dy=-7, fontSize=11).encode(text=number))] if len(labels) <= READ_UP_TO else []
    layers = alt.layer(
        bar.encode(color=series_colour("key", len(labels))) if as_series else bar,
        *numbers,
        base.transform_filter("!datum.allowed")
        .mark_point(shape=STROKE, size=60, strokeWidth=1.2, opacity=0.55, color="gray", yOffset=-8)
        .encode(y=alt.datum(0), tooltip=[name, alt.Tooltip("blocked", type="nominal", title=words.value)]),
    )
    # As a parameter: an array in an expression would be built anew for each of its rows.
    named = layers.add_params(alt.param("labels", value=list(labels)))
    return named.resolve_scale(color="independent").properties(height=height)


def side_by_side(panels: tuple[str, ...], n: int, words: BarWords, height: int) -> Chart:
    """Groups of n bars over `bars` (series, key, value) on the domain 0 to 1, each under its name in `panels`.

    A group has the colour that `ui.charts.lines` gives to the curve at the same position; the one in `picked` (series)
    is framed.
    """
    wide = n + 1.6
    across = len(panels) * wide - 0.8

    def x(field: str) -> alt.X:
        return alt.X(
            field,
            type="quantitative",
            title=words.label,
            scale=alt.Scale(domain=[-0.7, across], nice=False, zero=False),
            axis=alt.Axis(labels=False, ticks=False, domain=False, grid=False),
        )

    y = alt.Y(
        "value",
        type="quantitative",
        title=words.value,
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(tickCount=3, domain=False, format=".1f"),
    )
    base = alt.Chart(alt.NamedData(name="bars")).transform_calculate(
        name=lookup(panels, "datum.series"),
        left=f"datum.series * {wide} + datum.key + 0.1",
        right="datum.left + 0.8",
        middle="datum.left + 0.4",
        rank="datum.key + 1",
    )
    tooltip = [
        alt.Tooltip("name", type="nominal", title=" "),
        alt.Tooltip("rank", type="quantitative", title=words.label),
        alt.Tooltip("value", type="quantitative", title=words.value, format=".4f"),
    ]
    bars = base.mark_rect(stroke=None, cornerRadiusTopLeft=3, cornerRadiusTopRight=3).encode(
        x=x("left"), x2="right", y=y, y2=alt.datum(0), color=series_colour("series", len(panels)), tooltip=tooltip
    )
    number = base.mark_text(dy=-7, fontSize=10.5, aria=False).encode(
        x=x("middle"), y=y, text=alt.Text("value", type="quantitative", format=".2f")
    )
    # On a phone only the first number of a group finds room.
    others = number.transform_filter("datum.key > 0").mark_text(
        dy=-7, fontSize=10.5, aria=False, opacity={"expr": f"width > {24 * across} ? 1 : 0"}
    )
    title = (
        base.transform_filter("datum.key == 0")
        .transform_calculate(centre=f"datum.left + {n / 2} - 0.1")
        .mark_text(fontSize=13, fontWeight=600)
        .encode(x=x("centre"), y=alt.value(-16), text=alt.Text("name", type="nominal"))
    )
    frame = (
        alt.Chart(alt.NamedData(name="picked"))
        .transform_calculate(left=f"datum.series * {wide} - 0.6", right=f"datum.left + {n + 1.2}")
        .mark_rect(fillOpacity=0, stroke="gray", strokeWidth=1.5, cornerRadius=5, aria=False)
        .encode(x=x("left"), x2="right", y=alt.value(-30), y2=alt.value(alt.expr("height + 4")))
    )
    first = inked(number.transform_filter("datum.key == 0"))
    return (
        alt.layer(frame, bars, first, inked(others), inked(title))
        .resolve_scale(color="independent")
        .properties(height=height)
    )
