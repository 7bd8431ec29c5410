"""Matrices side by side, row by row in line, each with how it is made of the ones before it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from ui.charts import Chart
from ui.charts.tokens import PICK, inked, lookup
from ui.late import alt

# Places in pixels from the top: the arrows, three lines of text, then the names of the columns down to the first row.
BUS, ARROW, MADE, FACTOR, NAME, COLUMNS = 8, 24, 38, 52, 72, 82
# Room between two matrices, in columns.
GAP = 2.6
# Half the distance between an arrow that arrives and one that leaves, in columns.
APART = 0.9

Across = Callable[[str], Any]
Down = Callable[[str], Any]


class Block(NamedTuple):
    """One matrix: its name, how it is made and with what, its columns, what is in it, and the series of its colour."""

    name: str
    made: str
    factor: str
    columns: tuple[str, ...]
    kind: Literal["score", "weight"] = "score"
    series: int | None = None


class FlowWords(NamedTuple):
    """The words of a tooltip."""

    matrix: str
    row: str
    column: str
    value: str


def flow(
    rows: tuple[str, ...],
    blocks: tuple[Block, ...],
    links: tuple[tuple[int, int], ...],
    words: FlowWords,
    row_height: int,
    head: int,
    numbers: bool = False,
) -> Chart:
    """Matrices over `cells` (block, query, column, value, shade), with rows in `picked` (block, query) framed.

    shade is the value on the scale of its matrix: -1 to 1, or a weight itself. `links` are arrows between positions in
    `blocks`; `head` is the room above the rows, which names the columns if there is more than the fixed texts need;
    `numbers` prints the values, for few columns of short ones.
    """
    n, widths = len(rows), [len(block.columns) for block in blocks]
    starts = [sum(widths[:i]) + GAP * i for i in range(len(blocks))]
    total, height = starts[-1] + widths[-1], head + n * row_height
    x_scale = alt.Scale(domain=[-0.3, total + 0.3], nice=False, zero=False)
    y_scale = alt.Scale(domain=[0, height], nice=False, zero=False, reverse=True)
    y_axis = alt.Axis(
        values=[head + (i + 0.5) * row_height for i in range(n)],
        labelExpr=lookup(rows, f"round((datum.value - {head}) / {row_height} - 0.5)"),
        labelLimit=96,
        labelOverlap=False,
        labelPadding=6,
        domain=False,
        ticks=False,
        grid=False,
    )

    def x(field: str) -> alt.X:
        return alt.X(field, type="quantitative", scale=x_scale, axis=None)

    def y(field: str) -> alt.Y:
        return alt.Y(field, type="quantitative", scale=y_scale, axis=y_axis, title=None)

    left = f"{starts}[datum.block]"
    columns = json.dumps([block.columns for block in blocks])
    placed = {
        "x1": f"{left} + datum.column",
        "x2": f"{left} + datum.column + 0.94",
        "y1": f"{head} + datum.query * {row_height}",
        "y2": f"{head} + datum.query * {row_height} + {row_height - 1.5}",
    }
    cells = (
        alt.Chart(alt.NamedData(name="cells"))
        .transform_calculate(
            **placed,
            matrix=lookup(tuple(block.name for block in blocks), "datum.block"),
            token=lookup(rows, "datum.query"),
            named=f"{columns}[datum.block][datum.column]",
        )
        .transform_calculate(
            said="datum.matrix + ', ' + datum.token + ', ' + datum.named + ': ' + format(datum.value, '.4f')"
        )
    )
    drawn = cells.mark_rect(stroke=None, cornerRadius=1).encode(
        x=x("x1"),
        x2="x2",
        y=y("y1"),
        y2="y2",
        description=alt.Description("said", type="nominal"),
        tooltip=[
            alt.Tooltip("matrix", type="nominal", title=words.matrix),
            alt.Tooltip("token", type="nominal", title=words.row),
            alt.Tooltip("named", type="nominal", title=words.column),
            alt.Tooltip("value", type="quantitative", title=words.value, format=".4f"),
        ],
    )
    weights = [i for i, block in enumerate(blocks) if block.kind == "weight"]
    is_weight = f"indexof({weights}, datum.block) >= 0"
    # In Vega's own colour space, orange would reach blue by way of pink.
    diverging = alt.Scale(domain=[-1, 1], domainMid=0, range="diverging", interpolate="rgb")
    ramp = alt.Scale(domain=[0, 1], range="ramp")
    pick = alt.selection_point(name=PICK, fields=["query"], on="click", toggle=False)
    layers = [
        drawn.transform_filter(f"!({is_weight})")
        .encode(color=alt.Color("shade", type="quantitative", scale=diverging, legend=None))
        .add_params(pick),
        drawn.transform_filter(is_weight).encode(
            color=alt.Color("shade", type="quantitative", scale=ramp, legend=None)
        ),
    ]
    if numbers:
        values = cells.transform_calculate(xm="(datum.x1 + datum.x2) / 2", ym="(datum.y1 + datum.y2) / 2")
        values = values.mark_text(fontSize=10.5, aria=False).encode(
            x=x("xm"), y=y("ym"), text=alt.Text("value", type="quantitative", format=".2~f")
        )
        layers.append(inked(values, "abs(datum.shade) > 0.55 ? 0 : 1"))
    layers.append(
        alt.Chart(alt.NamedData(name="picked"))
        .transform_calculate(
            x1=f"{left} - 0.2",
            x2=f"{left} + {widths}[datum.block] + 0.14",
            y1=f"{head} + datum.query * {row_height} - 1.5",
            y2=f"{head} + (datum.query + 1) * {row_height}",
        )
        .mark_rect(fillOpacity=0, stroke="gray", strokeWidth=2, cornerRadius=3, aria=False)
        .encode(x=x("x1"), x2="x2", y=y("y1"), y2="y2")
    )
    middles = [start + width / 2 for start, width in zip(starts, widths, strict=True)]
    layers += [*_heads(blocks, middles, x, y), *_arrows(links, middles, x, y)]
    if head > COLUMNS:
        column = [start + i + 0.5 for start, width in zip(starts, widths, strict=True) for i in range(width)]
        names = _fixed(x=column, y=[head - 4] * len(column), text=[name for block in blocks for name in block.columns])
        size = 9.5 if total <= 36 else 8
        layers.append(inked(_text(names, x, y, angle=270, align="left", baseline="middle", fontSize=size)))
    return alt.layer(*layers).resolve_scale(color="independent").properties(height=height)


def _heads(blocks: tuple[Block, ...], middles: list[float], x: Across, y: Down) -> list[alt.Chart]:
    many = len(blocks)
    small = _fixed(
        x=middles * 2,
        y=[MADE] * many + [FACTOR] * many,
        text=[block.made for block in blocks] + [block.factor for block in blocks],
    )
    name = _fixed(x=middles, y=[NAME] * many, text=[block.name for block in blocks], series=[b.series for b in blocks])
    colour = alt.Color("series", type="nominal", legend=None, scale=alt.Scale(domain=list(range(6)), range="category"))
    bold = {"fontSize": 14, "fontWeight": 600}
    return [
        inked(_text(small, x, y, fontSize=11)),
        inked(_text(name.transform_filter("datum.series === null"), x, y, **bold)),
        _text(name.transform_filter("datum.series !== null"), x, y, **bold).encode(color=colour),
    ]


def _arrows(links: tuple[tuple[int, int], ...], middles: list[float], x: Across, y: Down) -> list[alt.Chart]:
    sources, targets = {a for a, _ in links}, {b for _, b in links}
    # Where one arrow arrives and another leaves, they keep apart.
    starts = [middles[a] + (APART if a in targets else 0) for a, _ in links]
    ends = [middles[b] - (APART if b in sources else 0) for _, b in links]
    corners = _fixed(
        link=[link for link in range(len(links)) for _ in range(4)],
        order=list(range(4)) * len(links),
        x=[place for start, end in zip(starts, ends, strict=True) for place in (start, start, end, end)],
        y=[ARROW + 4, BUS, BUS, ARROW] * len(links),
    )
    tips = _fixed(x=ends, y=[ARROW] * len(links))
    return [
        corners.mark_line(color="gray", strokeWidth=1.2, aria=False).encode(
            x=x("x"), y=y("y"), detail=alt.Detail("link", type="nominal"), order=alt.Order("order", type="quantitative")
        ),
        tips.mark_point(shape="triangle-down", color="gray", filled=True, size=40, opacity=1, aria=False).encode(
            x=x("x"), y=y("y")
        ),
    ]


def _fixed(**columns: list[Any]) -> alt.Chart:
    """A chart over columns of its specification; inline data would give way to those that come with each run."""
    rows = alt.sequence(0, len(next(iter(columns.values()))), as_="i")
    return alt.Chart(rows).transform_calculate(
        **{name: f"{json.dumps(values)}[datum.i]" for name, values in columns.items()}
    )


def _text(chart: alt.Chart, x: Across, y: Down, **mark: Any) -> alt.Chart:
    return chart.mark_text(aria=False, **mark).encode(x=x("x"), y=y("y"), text=alt.Text("text", type="nominal"))
