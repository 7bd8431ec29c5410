"""Labelled bars that lie down, so that long names and large numbers find room."""

from __future__ import annotations

from typing import NamedTuple

from ui.charts import Chart
from ui.charts.tokens import inked, lookup
from ui.late import alt

# Room for the number behind the longest bar.
ROOM = 1.24


class AmountWords(NamedTuple):
    """The words on the bars: what each bar is, and what its length says."""

    label: str
    value: str


def amounts(labels: tuple[str, ...], words: AmountWords, most: float | None, height: int) -> Chart:
    """Bars over `amounts` (item, value, said, series): `said` is the number as a reader wants it.

    `most` is the largest value there can be, where there is one; else the longest bar sets the scale.
    """
    y = alt.Y(
        "item",
        type="ordinal",
        title=None,
        axis=alt.Axis(
            labelExpr=lookup(labels, "datum.value"), labelLimit=190, labelOverlap=False, domain=False, ticks=False
        ),
    )
    scale = alt.Scale(domain=[0, most * ROOM], nice=False) if most else alt.Scale(nice=False)
    ticks = alt.Axis(values=[0, most / 2, most], format=".2f") if most else alt.Axis(tickCount=4, format="~s")
    base = alt.Chart(alt.NamedData(name="amounts")).transform_calculate(
        name=lookup(labels, "datum.item"), room=f"datum.value * {ROOM}"
    )
    x = alt.X("value", type="quantitative", title=words.value, scale=scale, axis=ticks)
    bars = base.encode(y=y, x=x)
    layers = [
        bars.mark_bar(cornerRadiusEnd=3, height={"band": 0.7}).encode(
            color=alt.Color(
                "series",
                type="nominal",
                legend=None,
                scale=alt.Scale(domain=list(range(6)), range="category"),
            ),
            tooltip=[
                alt.Tooltip("name", type="nominal", title=words.label),
                alt.Tooltip("said", type="nominal", title=words.value),
            ],
            description=alt.Description("said", type="nominal"),
        ),
        inked(
            bars.mark_text(align="left", dx=6, fontSize=12, aria=False).encode(text=alt.Text("said", type="nominal"))
        ),
    ]
    if not most:
        layers.append(base.mark_point(opacity=0, aria=False).encode(y=y, x=alt.X("room", type="quantitative")))
    return alt.layer(*layers).resolve_scale(color="independent").properties(height=height)
