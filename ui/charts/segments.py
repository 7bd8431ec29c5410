"""One token's vector, component by component, cut where one head ends and the next begins."""

from __future__ import annotations

from typing import NamedTuple

from ui.charts import Chart
from ui.charts.tokens import inked
from ui.late import alt


class SegmentWords(NamedTuple):
    """The words on the vector."""

    component: str
    value: str
    head: str


def segments(words: SegmentWords, series: int, height: int) -> Chart:
    """Bars of a vector over `components` (start, end, value, number, head), in the colour of `series`.

    start and end are shares of the vector's length. `cuts` (left, middle, head) are its segments: a line at the left of
    each but the first, and its number above the middle.
    """

    def x(field: str) -> alt.X:
        return alt.X(
            field,
            type="quantitative",
            title=words.component,
            scale=alt.Scale(domain=[0, 1], nice=False),
            axis=alt.Axis(grid=False, labels=False, ticks=False, domain=False),
        )

    bars = (
        alt.Chart(alt.NamedData(name="components"))
        .transform_calculate(zero="0", series=str(series))
        .mark_rect(stroke=None)
        .encode(
            x=x("start"),
            x2="end",
            y=alt.Y("value", type="quantitative", title=words.value, axis=alt.Axis(tickCount=3, domain=False)),
            y2="zero",
            color=alt.Color(
                "series", type="nominal", legend=None, scale=alt.Scale(domain=list(range(6)), range="category")
            ),
            tooltip=[
                alt.Tooltip("head", type="quantitative", title=words.head),
                alt.Tooltip("number", type="quantitative", title=words.component),
                alt.Tooltip("value", type="quantitative", title=words.value, format=".4f"),
            ],
        )
    )
    cuts = alt.Chart(alt.NamedData(name="cuts"))
    borders = cuts.transform_filter("datum.left > 0").mark_rule(
        color="gray", strokeDash=[3, 3], opacity=0.7, aria=False
    )
    numbers = cuts.mark_text(baseline="bottom", fontSize=11, fontWeight=600, aria=False)
    named = inked(numbers.encode(x=x("middle"), y=alt.value(-4), text=alt.Text("head", type="quantitative")))
    layers = alt.layer(bars, borders.encode(x=x("left")), named)
    return layers.resolve_scale(color="independent").properties(height=height)
