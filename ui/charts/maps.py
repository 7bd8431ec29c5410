"""Heat maps: rows are queries, columns are keys, blocked cells carry a stroke."""

import json
from typing import Any, Literal, NamedTuple

import altair as alt

from ui.charts import Chart

# A number is printed where a cell leaves room for it.
PRINTED_UP_TO = 12
SLANTED_UP_TO = 20
STROKE = "M-1,1L1,-1"
# The selection by which a click on a row tells its query.
PICK = "pick"


class MapWords(NamedTuple):
    """The words on a map."""

    query: str
    key: str
    value: str
    blocked: str


def inked(text: alt.Chart, ink: str = "1") -> alt.Chart:
    """Colour a text mark from the ramp: the Vega expression `ink` is 1 for the end that stands out from the page, 0 for
    the end that stands out from a full cell. A text mark's own colour stays black in the dark theme."""
    colour = alt.Color("ink", type="quantitative", scale=alt.Scale(domain=[0, 1], range="ramp"), legend=None)
    return text.transform_calculate(ink=ink).encode(color=colour)


def lookup(labels: tuple[str, ...], position: str) -> str:
    """A Vega expression for the label at `position`; JSON escapes whatever the label holds."""
    return f"{json.dumps(labels)}[{position}]"


def map_height(n_queries: int) -> int:
    """Pixels for a map of that many rows in half a page: cells as good as square, and rows that can still be read."""
    return 120 + max(round(n_queries * min(26, max(12, 320 / max(n_queries, 1)))), 130)


def heatmap(
    queries: tuple[str, ...],
    keys: tuple[str, ...],
    words: MapWords,
    kind: Literal["weight", "score", "component", "slope"],
    height: int,
    *,
    paint: bool = False,
) -> Chart:
    """A map over `cells` (query, key, value, allowed), with the row in `picked` (query) framed.

    Scores and components also take `limits` (value): the ends of their scale; slopes of a softmax stay within ±1/4. A
    click tells its query; under `paint` it tells its cell, blocked or not, and the cell's `turn`, which must be new
    after each click: the same selection twice would tell nothing the second time.
    """
    x = alt.X("key", type="ordinal", title=words.key, axis=key_axis(keys))
    y = alt.Y("query", type="ordinal", title=words.query, axis=token_axis(queries, labelBaseline="middle"))
    cells = (
        alt.Chart(alt.NamedData(name="cells"))
        .transform_calculate(query_token=lookup(queries, "datum.query"), key_token=lookup(keys, "datum.key"))
        .transform_calculate(said="datum.query_token + ' → ' + datum.key_token + ': ' + format(datum.value, '.4f')")
        .encode(x=x, y=y)
    )
    tooltip = [
        alt.Tooltip("query_token", type="nominal", title=words.query),
        alt.Tooltip("key_token", type="nominal", title=words.key),
        alt.Tooltip("value", type="quantitative", title=words.value, format=".4f"),
    ]
    radius = 3 if len(keys) <= SLANTED_UP_TO else 1
    filled_cells = cells.transform_filter("datum.allowed").mark_rect(cornerRadius=radius, stroke=None)
    if paint:
        seen = alt.condition("datum.allowed", alt.value(1), alt.value(0))
        filled_cells = cells.mark_rect(cornerRadius=radius, stroke=None, cursor="pointer").encode(fillOpacity=seen)
    told = ["query", "key", "turn"] if paint else ["query"]
    layers = [
        filled_cells.encode(
            color=_colour(kind), tooltip=tooltip, description=alt.Description("said", type="nominal")
        ).add_params(alt.selection_point(name=PICK, fields=told, on="click", toggle=False)),
        cells.transform_filter("!datum.allowed")
        .mark_point(shape=STROKE, size=60, strokeWidth=1.2, opacity=0.55, color="gray", aria=False)
        .encode(tooltip=[*tooltip[:2], alt.Tooltip("blocked", type="nominal", title=words.value)])
        .transform_calculate(blocked=json.dumps(words.blocked)),
        alt.Chart(alt.NamedData(name="picked"))
        .mark_rect(fillOpacity=0, stroke="gray", strokeWidth=2, cornerRadius=4, aria=False)
        .encode(y=y, x=alt.value(0), x2=alt.value("width")),
    ]
    if kind in ("score", "component"):
        layers.append(
            alt.Chart(alt.NamedData(name="limits"))
            .mark_rect(opacity=0, aria=False)
            .encode(color=_colour(kind), x=alt.value(0), x2=alt.value(0), y=alt.value(0), y2=alt.value(0))
        )
    filled = alt.layer(*layers)
    if len(keys) > PRINTED_UP_TO:
        return filled.properties(height=height)
    return alt.layer(filled, _numbers(cells, kind)).resolve_scale(color="independent").properties(height=height)


def paintable(queries: tuple[str, ...], keys: tuple[str, ...], words: MapWords, height: int) -> Chart:
    """A score map on which a click tells a cell; see `heatmap`."""
    return heatmap(queries, keys, words, "score", height, paint=True)


def strip(panels: tuple[str, ...], tokens: tuple[str, ...], words: MapWords, panel_word: str, columns: int) -> Chart:
    """Small maps of weights side by side in one view over `panels` (panel, query, key, value, allowed).

    One view with computed places, not a facet: it takes the width of its column, where a facet's is fixed.
    `picked` (panel) frames one of them.
    """
    n, gap, title = len(tokens), 1.2, 1.8
    wide, high = n + gap, n + gap + title
    places = {
        "left": f"(datum.panel % {columns}) * {wide}",
        "top": f"floor(datum.panel / {columns}) * {high} + {title}",
    }
    across = min(columns, len(panels)) * wide - gap
    down = -(-len(panels) // columns) * high - gap

    def axis(field: str, length: float, *, flip: bool = False) -> alt.X | alt.Y:
        channel = alt.Y if flip else alt.X
        return channel(
            field,
            type="quantitative",
            axis=None,
            scale=alt.Scale(domain=[0, length], nice=False, zero=False, reverse=flip),
        )

    base = alt.Chart(alt.NamedData(name="panels")).transform_calculate(**places)
    cells = base.transform_calculate(
        x1="datum.left + datum.key",
        x2="datum.left + datum.key + 0.94",
        y1="datum.top + datum.query",
        y2="datum.top + datum.query + 0.94",
        panel_name=lookup(panels, "datum.panel"),
        query_token=lookup(tokens, "datum.query"),
        key_token=lookup(tokens, "datum.key"),
    )
    spans = {"x": axis("x1", across), "x2": "x2", "y": axis("y1", down, flip=True), "y2": "y2"}
    tooltip = [
        alt.Tooltip("panel_name", type="nominal", title=panel_word),
        alt.Tooltip("query_token", type="nominal", title=words.query),
        alt.Tooltip("key_token", type="nominal", title=words.key),
        alt.Tooltip("value", type="quantitative", title=words.value, format=".4f"),
    ]
    titles = inked(
        base.transform_filter("datum.query == 0 && datum.key == 0")
        .transform_calculate(mx=f"datum.left + {n / 2}", my="datum.top - 0.95", name=lookup(panels, "datum.panel"))
        .mark_text(fontSize=12, fontWeight=600, limit={"expr": f"width * {n + gap} / {across}"})
        .encode(
            x=axis("mx", across),
            y=axis("my", down, flip=True),
            text=alt.Text("name", type="nominal"),
        )
    )
    frame = (
        alt.Chart(alt.NamedData(name="picked"))
        .transform_calculate(
            **places,
            x1="datum.left - 0.3",
            x2=f"datum.left + {n + 0.24}",
            y1="datum.top - 0.3",
            y2=f"datum.top + {n + 0.24}",
        )
        .mark_rect(fillOpacity=0, stroke="gray", strokeWidth=1.5, cornerRadius=3)
        .encode(**spans)
    )
    blocked = (
        cells.transform_filter("!datum.allowed")
        .transform_calculate(mx="datum.x1 + 0.47", my="datum.y1 + 0.47")
        .mark_point(shape=STROKE, size=9, strokeWidth=0.8, opacity=0.5, color="gray")
        .encode(x=axis("mx", across), y=axis("my", down, flip=True))
    )
    open_cells = (
        cells.transform_filter("datum.allowed")
        .mark_rect(stroke=None)
        .encode(**spans, color=_colour("weight"), tooltip=tooltip)
    )
    maps = alt.layer(open_cells, blocked, frame)
    return (
        alt.layer(maps, titles)
        .resolve_scale(color="independent")
        .properties(height=int(210 * -(-len(panels) // columns)))
    )


def token_axis(labels: tuple[str, ...], **options: Any) -> alt.Axis:
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


def key_axis(keys: tuple[str, ...]) -> alt.Axis:
    """The keys above a map: slanted, and upright in small type where they stand close."""
    if len(keys) <= SLANTED_UP_TO:
        return token_axis(keys, labelAngle=-40, orient="top")
    return token_axis(keys, labelAngle=-90, orient="top", labelFontSize=8, labelBaseline="middle")


def _colour(kind: str) -> alt.Color:
    legend = alt.Legend(title=None, type="gradient", gradientLength=150, gradientThickness=9, tickCount=3)
    # In Vega's own colour space, orange would reach blue by way of pink.
    around_zero = alt.Scale(domainMid=0, range="diverging", interpolate="rgb")
    scale = {
        "weight": alt.Scale(domain=[0, 1], range="ramp"),
        "slope": alt.Scale(domain=[-0.25, 0.25], range="diverging", interpolate="rgb"),
    }.get(kind, around_zero)
    return alt.Color("value", type="quantitative", scale=scale, legend=legend)


def _numbers(cells: alt.Chart, kind: str) -> alt.Chart:
    """The numbers in the cells, in the end of the ramp that stands out from the cell, in light as in dark."""
    shown, deep, digits = {
        "weight": ("datum.allowed && datum.value >= 0.05", "datum.value > 0.5", ".2f"),
        "score": ("datum.allowed", "abs(datum.value) > 0.55 * datum.limit", ".1f"),
        "component": ("datum.allowed", "abs(datum.value) > 0.55 * datum.limit", ".2~f"),
        "slope": ("abs(datum.value) >= 0.005", "abs(datum.value) > 0.16", ".2f"),
    }[kind]
    numbers = (
        cells.transform_filter(shown)
        .transform_calculate(size="abs(datum.value)")
        .transform_joinaggregate(limit="max(size)")
        .mark_text(fontSize=10.5, aria=False)
        .encode(text=alt.Text("value", type="quantitative", format=digits))
    )
    return inked(numbers, f"{deep} ? 0 : 1")
