"""One token's vector, component by component, cut where one head ends and the next begins."""

from typing import NamedTuple

import altair as alt

from ui.charts import Chart
from ui.charts.tokens import inked


class SegmentWords(NamedTuple):
    """The words on the vector."""

    component: str
    value: str
    head: str


def segments(d_model: int, n_heads: int, words: SegmentWords, series: int, height: int) -> Chart:
    """Bars of a vector over `components` (component, value) in n_heads numbered segments, in the colour of `series`."""
    d_k = d_model / n_heads

    def x(field: str) -> alt.X:
        return alt.X(
            field,
            type="quantitative",
            title=words.component,
            scale=alt.Scale(domain=[0, d_model], nice=False),
            axis=alt.Axis(grid=False, labels=False, ticks=False, domain=False),
        )

    y = alt.Y("value", type="quantitative", title=words.value, axis=alt.Axis(tickCount=3, domain=False))
    gap = 0.1 if d_model <= 64 else 0
    bars = (
        alt.Chart(alt.NamedData(name="components"))
        .transform_calculate(
            x1=f"datum.component + {gap}",
            x2=f"datum.component + {1 - gap}",
            head=f"floor(datum.component / {d_k}) + 1",
            number="datum.component + 1",
            zero="0",
        )
        .mark_rect(stroke=None)
        .encode(
            x=x("x1"),
            x2="x2",
            y=y,
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
        .transform_calculate(series=str(series))
    )
    cuts = alt.Chart(alt.sequence(0, n_heads, as_="head")).transform_calculate(
        left=f"datum.head * {d_k}", middle=f"(datum.head + 0.5) * {d_k}", number="datum.head + 1"
    )
    borders = cuts.transform_filter("datum.head > 0").mark_rule(
        color="gray", strokeDash=[3, 3], opacity=0.7, aria=False
    )
    numbers = cuts.mark_text(baseline="bottom", fontSize=11, fontWeight=600, aria=False)
    named = inked(numbers.encode(x=x("middle"), y=alt.value(-4), text=alt.Text("number", type="quantitative")))
    layers = [bars, borders.encode(x=x("left")), named] if n_heads > 1 else [bars]
    return alt.layer(*layers).resolve_scale(color="independent").properties(height=height)
