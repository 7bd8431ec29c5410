"""The tape: one column a key, one row a step, from the key's components down to what its value adds to the output."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from ui.charts import Chart
from ui.charts.tokens import PICK, STROKE, inked
from ui.late import alt

# Rows with a bar a key: product, divided, masked, exponential, weight.
LANES = 5
# More numbers would not fit.
PRINTED_UP_TO = 20
# Pixels: a row of cells, a row of bars, the bars in it, the space before a row of bars and before a block; the
# narrowest column with numbers and the widest.
_ROW, _LANE, _BAR, _STEP, _GAP = 19, 35, 20, 5, 13
_NARROW, _WIDE = 33, 96
# Room for names and the query at the left, for sums and the output at the right: less on a phone.
_LEFT, _RIGHT = "(width < 520 ? 110 : 150)", "(width < 520 ? 58 : 70)"
# Above this many, tokens lean more, to stay apart.
STEEP_FROM = 25
_BOLD: dict[str, Any] = {"fontSize": 12.5, "fontWeight": 700}


class TapeWords(NamedTuple):
    """The words on the tape: over the keys and the output, and in tooltips."""

    key: str
    output: str
    step: str
    value: str
    blocked: str


def tape(n: int, d: int, above: int, words: TapeWords) -> Chart:
    """Every number on one query's way over `cells`, `ends`, `keys`, `names`, `now` and `picked`.

    Rows, from 0: d of the keys, LANES of bars, d of the values, d of the weighted values; `above` them is room for the
    tokens, in pixels. Tokens are data here, so that another sentence of as many words needs no other chart.

    cells (row, key, token, place, value, start, size, allowed, changed): `place` names the row in full; a bar goes from
    `start` to `start + size` of its lane's height; elsewhere `size` shades the cell.
    ends (end, row, value, size, changed): numbers beside the rows, where end is "query", "sum" or "output".
    keys (key, token): the columns. picked (key): the one to mark. now (first, last): rows to frame.
    names (first, last, name, kind, seen): what stands left of them, where kind is "axis", "lane" or "block".
    """
    grid = _Grid(n, d, above)
    return (
        alt.layer(*_shapes(grid), *_texts(grid, words), _touched(grid, words))
        .resolve_scale(color="independent")
        .properties(height=grid.height)
    )


@dataclass(frozen=True)
class _Grid:
    """Where things are: rows in pixels from the top, columns between fixed margins."""

    n: int
    d: int
    above: int

    @property
    def edge(self) -> str:
        """The right end of the columns, as a Vega expression."""
        return f"min(width - {_RIGHT}, {_LEFT} + {_WIDE * self.n})"

    @property
    def weighted(self) -> int:
        """The first row of the weighted values."""
        return 2 * self.d + LANES

    @property
    def heights(self) -> list[int]:
        return [_ROW] * self.d + [_LANE] * LANES + [_ROW] * 2 * self.d

    @property
    def tops(self) -> list[int]:
        tops, heights = [self.above], self.heights
        for row in range(1, len(heights)):
            block, lane = row in (self.d, self.d + LANES, self.weighted), self.d < row < self.d + LANES
            tops.append(tops[-1] + heights[row - 1] + (_GAP if block else _STEP if lane else 0))
        return tops

    @property
    def height(self) -> int:
        return self.tops[-1] + _ROW + 4

    @property
    def column(self) -> alt.X:
        scale = alt.Scale(domain=list(range(self.n)), range=[alt.expr(_LEFT), alt.expr(self.edge)], paddingInner=0.06)
        return alt.X("key", type="ordinal", axis=None, scale=scale)

    @property
    def cells(self) -> alt.Chart:
        return self.over("cells").transform_calculate(
            lane=f"datum.row >= {self.d} && datum.row < {self.d + LANES}",
            floor=f"datum.bottom - {_BAR} * datum.start",
            peak=f"datum.floor - {_BAR} * datum.size",
        )

    def over(self, data: str, first: str = "datum.row", last: str = "datum.row") -> alt.Chart:
        """Rows from `first` to `last`: where they begin, are halfway, and end."""
        return alt.Chart(alt.NamedData(name=data)).transform_calculate(
            top=f"{self.tops}[{first}]",
            bottom=f"{self.tops}[{last}] + {self.heights}[{last}] - 1",
            middle="(datum.top + datum.bottom) / 2",
        )

    def y(self, field: str) -> alt.Y:
        scale = alt.Scale(domain=[0, self.height], range=[0, self.height])
        return alt.Y(field, type="quantitative", axis=None, scale=scale)

    def rows(self, first: str = "top", last: str = "bottom") -> dict[str, Any]:
        return {"y": self.y(first), "y2": last}


def _between(left: str, right: str) -> dict[str, Any]:
    return {"x": _at(left), "x2": _fixed(alt.X2Value, alt.expr(right))}


def _at(place: str) -> Any:
    """A place in pixels that depends on the width of the chart."""
    return _fixed(alt.XValue, alt.expr(place))


def _fixed(channel: Any, value: Any) -> Any:
    """The same value for every mark; `alt.value` says the same, but is parsed anew in every encoding."""
    return channel(value)


def _shapes(grid: _Grid) -> list[alt.Chart]:
    """Shades, bars and frames."""
    scale = alt.Scale(domain=["query", "key", "value"], range="category")
    role = alt.Color("role", type="nominal", legend=None, scale=scale)
    scale = alt.Scale(domain=[0, 1], range=[0.05, 0.45])
    shade = alt.FillOpacity("size", type="quantitative", legend=None, scale=scale)
    shaded = {"color": role, "fillOpacity": shade, **grid.rows()}
    outline: dict[str, Any] = {"fillOpacity": 0, "stroke": "gray", "cornerRadius": 5, "aria": False}
    cell: dict[str, Any] = {"cornerRadius": 3, "aria": False}

    cells, weight = grid.cells, grid.d + LANES - 1
    bars = cells.transform_filter("datum.lane && datum.allowed").encode(x=grid.column, **grid.rows("peak", "floor"))
    query, output = (grid.over("ends").transform_filter(f"datum.end == '{end}'") for end in ("query", "output"))
    return [
        cells.transform_filter("!datum.lane")
        .transform_calculate(role=f"datum.row < {grid.d} ? 'key' : 'value'")
        .mark_rect(**cell)
        .encode(x=grid.column, **shaded),
        query.transform_calculate(role="'query'")
        .mark_rect(**cell)
        .encode(**shaded, **_between(f"{_LEFT} - 44", f"{_LEFT} - 8")),
        output.transform_calculate(role="'value'")
        .mark_rect(**cell)
        .encode(**shaded, **_between(f"{grid.edge} + 7", f"{grid.edge} + {_RIGHT} - 9")),
        bars.transform_filter(f"datum.row < {weight}").mark_rect(color="gray", opacity=0.75, aria=False),
        bars.transform_filter(f"datum.row == {weight}")
        .transform_calculate(role="'query'")
        .mark_rect(aria=False)
        .encode(color=role),
        cells.transform_filter("datum.lane && datum.key == 0")
        .mark_rule(color="gray", opacity=0.5, aria=False)
        .encode(y=grid.y("floor"), **_between(_LEFT, grid.edge)),
        cells.transform_filter("!datum.allowed")
        .transform_calculate(middle="max(datum.floor - 20, datum.top + 3)")
        .mark_point(shape=STROKE, size=50, strokeWidth=1.2, opacity=0.55, color="gray", aria=False)
        .encode(x=grid.column, y=grid.y("middle")),
        grid.over("picked", "0", f"{len(grid.tops) - 1}")
        .mark_rect(strokeDash=[3, 3], **outline)
        .encode(x=grid.column, **grid.rows()),
        grid.over("now", "datum.first", "datum.last")
        .transform_calculate(top="datum.top - 3", bottom="datum.bottom + 3")
        .mark_rect(strokeWidth=1.8, **outline)
        .encode(**grid.rows(), **_between("1", f"{grid.edge} + {_RIGHT} - 2")),
    ]


def _texts(grid: _Grid, words: TapeWords) -> list[alt.Chart]:
    """Numbers, names and tokens, and the dots of what was changed."""
    middle, text = grid.y("middle"), alt.Text("text", type="nominal")
    ends = (
        grid.over("ends")
        .transform_calculate(
            text="(datum.end == 'sum' ? 'Σ ' : '') + " + _number("datum.end == 'output'"), over="datum.top - 9"
        )
        .encode(text=text)
    )
    query, output, sums = (ends.transform_filter(f"datum.end == '{end}'") for end in ("query", "output", "sum"))
    first = f"datum.row == 0 || datum.row == {grid.weighted}"
    left, right, beside = _at(f"{_LEFT} - 26"), _at(f"{grid.edge} + {_RIGHT} / 2 - 1"), _at(f"{grid.edge} + 8")
    scale = alt.Scale(domain=[0, 1], range=[0.45, 1])
    names = (
        grid.over("names", "datum.first", "datum.last")
        .transform_calculate(text="datum.name")
        .encode(y=middle, text=text, opacity=alt.Opacity("seen", type="quantitative", legend=None, scale=scale))
    )
    keys = alt.Chart(alt.NamedData(name="keys"))
    token = alt.Text("token", type="nominal")
    slant: dict[str, Any] = {"angle": 320, "fontSize": 12} if grid.n < STEEP_FROM else {"angle": 295, "fontSize": 11}
    phone = alt.expr("width < 520 ? 0 : 0.75")
    texts = [
        keys.mark_text(align="left", limit=96, **slant)
        .encode(x=grid.column, y=_fixed(alt.YValue, grid.above - 9), text=token),
        keys.transform_filter("datum.key == 0").mark_text(align="left", fontSize=11, opacity=phone)
        .encode(x=_at("8"), y=_fixed(alt.YValue, grid.above - 9), text=_fixed(alt.TextValue, words.key)),
        names.transform_filter("datum.kind == 'block'").mark_text(align="left", **_BOLD).encode(x=_at("8")),
        names.transform_filter("datum.kind == 'axis'").mark_text(align="right", fontSize=11.5)
        .encode(x=_at(f"{_LEFT} - 50")),
        names.transform_filter("datum.kind == 'lane'").mark_text(align="right", fontSize=12.5, dy=5)
        .encode(x=_at(f"{_LEFT} - 10")),
        query.mark_text(fontSize=12).encode(x=left, y=middle),
        query.transform_filter(first).mark_text(**_BOLD)
        .encode(x=left, y=grid.y("over"), text=_fixed(alt.TextValue, "q")),
        sums.mark_text(fontSize=12, align="left", dy=5).encode(x=beside, y=middle),
        output.mark_text(**_BOLD).encode(x=right, y=middle),
        output.transform_filter(first).mark_text(**_BOLD)
        .encode(x=right, y=grid.y("over"), text=_fixed(alt.TextValue, words.output)),
        _dots(grid, "cells").encode(x=grid.column),
        _dots(grid, "ends").encode(x=left),
    ]  # fmt: skip
    if grid.n <= PRINTED_UP_TO:
        room = alt.expr(f"({grid.edge} - {_LEFT}) / {grid.n} < {_NARROW} ? 0 : 1")
        two_digits = f"datum.row == {grid.d + LANES - 1} || datum.row >= {grid.weighted}"
        texts.append(
            grid.cells.transform_calculate(
                line="datum.lane ? min(datum.floor, datum.peak) - 7 : datum.middle",
                text=f"datum.allowed ? {_number(two_digits)} : datum.row == {grid.d + 2} ? '−∞' : '0'",
            )
            .mark_text(fontSize=11.5, opacity=room)
            .encode(x=grid.column, y=grid.y("line"), text=text)
        )
    return [inked(mark) for mark in texts]


def _dots(grid: _Grid, data: str) -> alt.Chart:
    """A dot in the corner of every number that the visitor has changed."""
    changed = grid.over(data).transform_filter("datum.changed").transform_calculate(middle="datum.top + 4")
    return changed.mark_point(filled=True, size=24, opacity=1, xOffset=13).encode(y=grid.y("middle"))


def _touched(grid: _Grid, words: TapeWords) -> alt.Chart:
    """What the mouse, the keys' picker and a screen reader take hold of."""
    return (
        grid.cells.transform_calculate(
            full=f"datum.allowed ? format(datum.value, '.5~g') : {json.dumps(words.blocked)}",
            said="datum.token + ', ' + datum.place + ': ' + datum.full",
        )
        .mark_rect(opacity=0)
        .encode(
            x=grid.column,
            **grid.rows(),
            description=alt.Description("said", type="nominal"),
            tooltip=[
                alt.Tooltip("token", type="nominal", title=words.key),
                alt.Tooltip("place", type="nominal", title=words.step),
                alt.Tooltip("full", type="nominal", title=words.value),
            ],
        )
        .add_params(alt.selection_point(name=PICK, fields=["key"], on="click", toggle=False))
    )


def _number(two_digits: str) -> str:
    """A Vega expression for a number as it is printed: short, and a plain 0 for nothing."""
    return f"(datum.value == 0 ? '0' : format(datum.value, {two_digits} ? '.2f' : '.4~g'))"
