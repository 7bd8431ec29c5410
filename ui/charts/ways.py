"""One row of weights computed in several ways, one below the other, with the sum of each."""

from __future__ import annotations

from typing import Any, NamedTuple

from ui.charts import Chart
from ui.charts.tokens import PRINTED_UP_TO, STROKE, inked, lookup
from ui.late import alt


class WayWords(NamedTuple):
    """The words on the rows: what a row and a column are, what is in a cell, and the title of the sums."""

    way: str
    key: str
    value: str
    total: str


def ways(rows: tuple[str, ...], tokens: tuple[str, ...], words: WayWords, height: int) -> Chart:
    """Rows over `cells` (way, key, value, state, said) and `totals` (way, key, said), whose key is one past the last.

    state is "allowed", "blocked" (and without weight: a stroke), "leak" (blocked and yet with weight: a dashed border)
    or "undefined" (0 ÷ 0: a question mark); said is the cell in words.
    """
    columns = (*tokens, words.total)
    x = alt.X(
        "key",
        type="ordinal",
        title=words.key,
        axis=_axis(columns, labelAngle=-40, orient="top"),
    )
    y = alt.Y("way", type="ordinal", title=None, axis=_axis(rows, labelBaseline="middle", labelFontSize=12))
    cells = (
        alt.Chart(alt.NamedData(name="cells"))
        .transform_calculate(row=lookup(rows, "datum.way"), token=lookup(tokens, "datum.key"))
        .transform_calculate(description="datum.row + ', ' + datum.token + ': ' + datum.said")
        .encode(x=x, y=y)
    )
    tooltip = [
        alt.Tooltip("row", type="nominal", title=words.way),
        alt.Tooltip("token", type="nominal", title=words.key),
        alt.Tooltip("said", type="nominal", title=words.value),
    ]
    colour = alt.Color("value", type="quantitative", scale=alt.Scale(domain=[0, 1], range="ramp"), legend=None)
    described = {"tooltip": tooltip, "description": alt.Description("description", type="nominal")}
    leaks = cells.transform_filter("datum.state == 'leak'")
    drawn = alt.layer(
        cells.transform_filter("datum.state == 'allowed'")
        .mark_rect(cornerRadius=3, stroke=None)
        .encode(color=colour, **described),
        leaks.mark_rect(cornerRadius=3, stroke="gray", strokeWidth=2, strokeDash=[4, 3]).encode(
            color=colour, **described
        ),
        cells.transform_filter("datum.state == 'blocked'")
        .mark_point(shape=STROKE, size=60, strokeWidth=1.2, opacity=0.55, color="gray")
        .encode(**described),
    )
    printed = "datum.value >= 0.005" if len(tokens) <= PRINTED_UP_TO else "false"
    numbers = inked(
        cells.transform_filter(printed)
        .mark_text(fontSize=10.5, aria=False)
        .encode(text=alt.Text("value", type="quantitative", format=".2f")),
        "datum.value > 0.5 ? 0 : 1",
    )
    undefined = inked(
        cells.transform_filter("datum.state == 'undefined'").mark_text(text="?", fontSize=13, fontWeight=600)
    )
    totals = inked(
        alt.Chart(alt.NamedData(name="totals"))
        .mark_text(fontSize=12, fontWeight=600)
        .encode(x=x, y=y, text=alt.Text("said", type="nominal"))
    )
    return alt.layer(drawn, numbers, undefined, totals).resolve_scale(color="independent").properties(height=height)


def _axis(labels: tuple[str, ...], **options: Any) -> alt.Axis:
    """An axis that names every position by its token, without lines."""
    return alt.Axis(
        labelExpr=lookup(labels, "datum.value"),
        labelLimit=96,
        labelOverlap=False,
        domain=False,
        ticks=False,
        grid=False,
        labelPadding=6,
        titlePadding=8,
        **options,
    )
