"""Vectors of two components as one sees them: arrows from the origin, and a weighted mixture of points.

One unit is as long to the right as upward, however wide the picture is, so that a right angle looks like one.
"""

from __future__ import annotations

from typing import Any

from ui.charts import Chart
from ui.charts.lines import series_colour
from ui.charts.tokens import inked, lookup
from ui.late import alt


def arrows(names: tuple[str, ...], x_word: str, y_word: str, reach: tuple[float, float], height: int) -> Chart:
    """Named arrows over `arrows` (item, x, y, series); `reach` is how far right and up the picture must go at least.

    The first arrow is the query: it lies on top, with its name beside it, so that it may point where another one does.
    """
    # A name starts where its arrow ends, so a long one stands further to the side; Hangul is twice as wide as Latin.
    beyond = "(0.2 + 0.085 * length(replace(datum.name, regexp('[^ -~]', 'g'), 'xx')))"
    base = (
        alt.Chart(alt.NamedData(name="arrows"))
        .transform_calculate(
            name=lookup(names, "datum.item"),
            length="sqrt(datum.x * datum.x + datum.y * datum.y)",
            turn="90 - atan2(datum.y, datum.x) * 180 / PI",
        )
        .transform_calculate(right="datum.x / datum.length", up="datum.y / datum.length")
        .transform_calculate(
            name_x=f"datum.item == 0 ? 0.6 * datum.x - 0.3 * datum.up : datum.x + datum.right * {beyond}",
            name_y="datum.item == 0 ? 0.6 * datum.y + 0.3 * datum.right : datum.y + datum.up * 0.35",
        )
        .encode(color=series_colour("series", 6))
    )
    tip = {"x": _axis(alt.X, "x", reach, x_word), "y": _axis(alt.Y, "y", reach, y_word)}
    layers = []
    for whose, thickness in (("datum.item != 0", 2.5), ("datum.item == 0", 4)):
        arrow = base.transform_filter(whose)
        layers.append(arrow.mark_rule(strokeWidth=thickness).encode(**tip, x2=alt.datum(0), y2=alt.datum(0)))
        heads = arrow.mark_point(shape="triangle", filled=True, size=45 * thickness, opacity=1, aria=False)
        layers.append(heads.encode(**tip, angle=alt.Angle("turn", type="quantitative", scale=None)))
    labels = base.mark_text(fontSize=12.5, fontWeight=600, aria=False).encode(
        x=_axis(alt.X, "name_x", reach, x_word),
        y=_axis(alt.Y, "name_y", reach, y_word),
        text=alt.Text("name", type="nominal"),
    )
    return alt.layer(*layers, inked(labels)).resolve_scale(color="independent").properties(height=height)


def mixture(names: tuple[str, ...], output: str, reach: tuple[float, float], height: int) -> Chart:
    """Named points over `values` (item, x, y, weight, out_x, out_y) pull at their weighted mean, `output`.

    The thicker the line from a point to the mean, the larger its weight.
    """
    # Names stand outside: above the upper points and below the lower ones, and the mean's on its inner side.
    base = alt.Chart(alt.NamedData(name="values")).transform_calculate(
        name=lookup(names, "datum.item"),
        series="2",
        name_y="datum.y + (datum.y < 0 ? -0.5 : 0.5)",
        mean_y="datum.out_y + (datum.out_y < 0 ? 0.55 : -0.55)",
    )
    colour = series_colour("series", 6)
    x, y = _axis(alt.X, "x", reach), _axis(alt.Y, "y", reach)
    mean_x, mean_y = _axis(alt.X, "out_x", reach), _axis(alt.Y, "out_y", reach)
    width = alt.StrokeWidth(
        "weight", type="quantitative", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.75, 14], zero=False)
    )
    tooltip = [
        alt.Tooltip("name", type="nominal", title=" "),
        alt.Tooltip("weight", type="quantitative", title="w", format=".4f"),
    ]
    first = base.transform_filter("datum.item == 0")
    pulls = (
        base.transform_filter("datum.weight > 0")
        .mark_rule(strokeCap="round", opacity=0.45)
        .encode(x=x, y=y, x2="out_x", y2="out_y", strokeWidth=width)
    )
    points = base.mark_point(filled=True, size=90, opacity=1).encode(x=x, y=y)
    mean = first.mark_point(shape="diamond", filled=True, size=330, opacity=1).encode(x=mean_x, y=mean_y)
    labels = base.mark_text(fontSize=12.5, fontWeight=600).encode(
        x=x, y=_axis(alt.Y, "name_y", reach), text=alt.Text("name", type="nominal")
    )
    mean_label = first.mark_text(fontSize=12.5, fontWeight=700).encode(
        x=mean_x, y=_axis(alt.Y, "mean_y", reach), text=alt.value(output)
    )
    return (
        alt.layer(
            pulls.encode(color=colour),
            points.encode(color=colour, tooltip=tooltip),
            mean.encode(color=colour),
            inked(labels),
            inked(mean_label),
        )
        .resolve_scale(color="independent")
        .properties(height=height)
    )


def _axis(kind: Any, field: str, reach: tuple[float, float], title: str | None = None) -> Any:
    """An axis around 0 on which a unit is as long as on the other, and both reach at least as far as they must."""
    right, up = reach
    span = f"max({right}, {up} * width / height)" if kind is alt.X else f"max({up}, {right} * height / width)"
    scale = alt.Scale(domainMin=alt.ExprRef(f"-{span}"), domainMax=alt.ExprRef(span), nice=False, zero=False)
    axis = alt.Axis(values=[0], labels=False, ticks=False, domain=False) if title else None
    return kind(field, type="quantitative", title=title, scale=scale, axis=axis)
