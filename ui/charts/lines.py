"""Curves over a quantitative axis, told apart by dash and shape as well as by colour, each with its label beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from ui.charts import Chart
from ui.charts.tokens import inked, lookup
from ui.late import alt

# Six colours and five dashes or shapes: thirty series differ in at least one of them.
DASHES = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3), (4, 2))
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down")


class Axis(NamedTuple):
    """A quantitative axis: its title, its domain (None: as wide as the data), its law, and ticks with their names.

    `ticks` ((where, name), ...) replace Vega's own; a limit that no axis reaches, such as ∞, is a tick with a name.
    `format` is a d3 format for ticks and tooltips. An axis without a title is not drawn.
    """

    title: str | None
    domain: tuple[float, float] | None = None
    log: bool = False
    ticks: tuple[tuple[float, str], ...] = ()
    format: str = ""


def lines(series: tuple[str, ...], x: Axis, y: Axis, height: int, curve_word: str = "") -> Chart:
    """Curves over `curves` (series, x, y), where `series` is a position among the names given.

    Further frames, each drawn if it is given: `points` (series, x, y) for measured or picked values, `now` (x) for a
    rule at the current x, `marks` (x, name) for a dotted rule at a place with a name, written above it, `labels`
    (series, x, y) for the names of the curves, drawn right of their places with room kept for them; `ui.tidy.labels`
    places them so that they do not overlap.
    """
    places = {"x": _channel(alt.X, "x", x), "y": _channel(alt.Y, "y", y)}
    n = len(series)
    colour = series_colour("series", n)
    dash = alt.StrokeDash("series", type="nominal", legend=None, scale=_scale(n, [list(dash) for dash in DASHES]))
    shape = alt.Shape("series", type="nominal", legend=None, scale=_scale(n, SHAPES))
    tooltip = [
        alt.Tooltip("name", type="nominal", title=curve_word),
        alt.Tooltip("x", type="quantitative", title=x.title or "x", format=x.format or ".4~g"),
        alt.Tooltip("y", type="quantitative", title=y.title or "y", format=y.format or ".4~g"),
    ]

    def over(data: str) -> alt.Chart:
        return (
            alt.Chart(alt.NamedData(name=data))
            .transform_calculate(name=lookup(series, "datum.series"))
            .encode(**places)
        )

    points = {"color": colour, "shape": shape}
    label = over("labels")
    mark = alt.Chart(alt.NamedData(name="marks")).encode(x=places["x"])
    drawn = alt.layer(
        alt.Chart(alt.NamedData(name="now")).mark_rule(color="gray", strokeWidth=1.5, aria=False).encode(x=places["x"]),
        over("curves").mark_line(strokeWidth=2.2).encode(color=colour, strokeDash=dash, tooltip=tooltip),
        over("points").mark_point(filled=True, size=64, opacity=1).encode(**points, tooltip=tooltip),
        label.mark_point(filled=True, size=48, opacity=1, xOffset=14, aria=False).encode(**points),
        mark.mark_rule(color="gray", strokeWidth=1.5, strokeDash=[2, 3], aria=False),
    )
    text = alt.Text("name", type="nominal")
    names = label.mark_text(align="left", dx=23, fontSize=12, aria=False).encode(text=text)
    above = mark.mark_text(baseline="bottom", fontSize=11).encode(y=alt.value(-4), text=text)
    return alt.layer(drawn, inked(names), inked(above)).resolve_scale(color="independent").properties(height=height)


def series_colour(field: str, n: int) -> alt.Color:
    """The colour of each of n series by its position, without a legend: the series are labelled where they are."""
    return alt.Color(field, type="nominal", legend=None, scale=alt.Scale(domain=list(range(n)), range="category"))


def _channel(kind: Any, field: str, axis: Axis) -> Any:
    law: dict[str, Any] = {"type": "log"} if axis.log else {"zero": False}
    domain = list(axis.domain) if axis.domain else alt.Undefined
    scale = alt.Scale(domain=domain, nice=False, **law)
    if axis.title is None:
        return kind(field, type="quantitative", scale=scale, axis=None)
    options: dict[str, Any] = {"format": axis.format} if axis.format else {}
    if axis.ticks:
        # The keys are numbers as JavaScript writes them: a million has no exponent there.
        named = {f"{where:.0f}" if float(where).is_integer() else f"{where:g}": name for where, name in axis.ticks}
        name = f"{json.dumps(named, ensure_ascii=False)}[datum.value]"
        options = {"values": [where for where, _ in axis.ticks], "labelExpr": name}
    return kind(
        field, type="quantitative", title=axis.title, scale=scale, axis=alt.Axis(domain=False, ticks=False, **options)
    )


def _scale(n: int, choices: Sequence[Any]) -> alt.Scale:
    return alt.Scale(domain=list(range(n)), range=[choices[i % len(choices)] for i in range(n)])
