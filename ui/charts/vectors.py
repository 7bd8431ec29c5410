"""A token's vector after every step of a layer, one row a step, and how much of the input each of them still is."""

from __future__ import annotations

import json
from typing import NamedTuple

from ui.charts import Chart
from ui.charts.lines import DASHES, SHAPES, series_colour
from ui.charts.tokens import inked, lookup
from ui.late import alt

# Of a row: where its name stands, where its zero lies, and how far the longest bar reaches from there.
NAME, ZERO, REACH = 0.18, 0.66, 0.33
# Above the first row, in rows.
HEAD = 0.5
# From the right end of the scale to the two columns of numbers, in pixels.
COLUMNS = (56, 120)


class VectorWords(NamedTuple):
    """The words on the vectors; `band` says what the grey bands are."""

    step: str
    component: str
    value: str
    band: str


class KeptWords(NamedTuple):
    """The words on the cosines: the two ways that are compared, and what is measured."""

    ways: tuple[str, str]
    step: str
    cosine: str


def vectors(names: tuple[str, ...], d_model: int, words: VectorWords) -> Chart:
    """Bars of one vector a row over `components` (row, component, value, share, series), all on one scale.

    `rows` (row, low, high, said) puts a band behind the bars and a sentence at the right of the row's name; low and
    high are shares of the same largest value as `share`.
    """
    x = alt.X("left", type="quantitative", axis=None, scale=alt.Scale(domain=[0, d_model], nice=False))
    gap = 0.1 if d_model <= 32 else 0.05
    bars = (
        alt.Chart(alt.NamedData(name="components"))
        .transform_calculate(
            name=lookup(names, "datum.row"),
            number="datum.component + 1",
            left=f"datum.component + {gap}",
            right=f"datum.component + {1 - gap}",
            zero=f"datum.row + {ZERO}",
            end=f"datum.zero - {REACH} * datum.share",
        )
        .mark_rect(stroke=None)
        .encode(
            x=x,
            x2="right",
            y=_down("zero", names),
            y2="end",
            color=series_colour("series", 6),
            tooltip=[
                alt.Tooltip("name", type="nominal", title=words.step),
                alt.Tooltip("number", type="quantitative", title=words.component),
                alt.Tooltip("value", type="quantitative", title=words.value, format=".4f"),
            ],
        )
    )
    row = alt.Chart(alt.NamedData(name="rows")).transform_calculate(
        name=lookup(names, "datum.row"),
        at=f"datum.row + {NAME}",
        zero=f"datum.row + {ZERO}",
        top=f"datum.zero - {REACH} * datum.high",
        bottom=f"datum.zero - {REACH} * datum.low",
    )
    across = {"x": alt.value(0), "x2": alt.value("width")}
    band = row.mark_rect(color="gray", opacity=0.16, stroke=None, aria=False)
    zero = row.mark_rule(color="gray", opacity=0.6, aria=False)
    name = row.mark_text(align="left", fontSize=13, fontWeight=600).encode(x=alt.value(0), text=_text("name"))
    said = row.mark_text(align="right", fontSize=12).encode(x=alt.value("width"), text=_text("said"))
    legend = alt.Chart(alt.sequence(1)).transform_calculate(band=json.dumps(words.band, ensure_ascii=False))
    return _rows(
        names,
        band.encode(**across, y=_down("top", names), y2="bottom"),
        zero.encode(**across, y=_down("zero", names)),
        bars,
        *(inked(text).encode(y=_down("at", names)) for text in (name, said)),
        inked(legend.mark_text(align="right", fontSize=11, opacity=0.8, aria=False)).encode(
            x=alt.value("width"), y=alt.value(8), text=_text("band")
        ),
    )


def kept(symbols: tuple[str, ...], words: KeptWords) -> Chart:
    """Two ways down the rows of `vectors` over `cosines` (series, row, value), their numbers in two columns."""
    x = alt.X("value", type="quantitative", axis=None, scale=alt.Scale(domain=[-1, 1], nice=False))
    styles = [list(dash) for dash in DASHES[:2]], list(SHAPES[:2])
    dashes, shapes = (alt.Scale(domain=[0, 1], range=style) for style in styles)
    look = {
        "color": series_colour("series", 2),
        "shape": alt.Shape("series", type="nominal", legend=None, scale=shapes),
    }
    dash = alt.StrokeDash("series", type="nominal", legend=None, scale=dashes)
    base = alt.Chart(alt.NamedData(name="cosines")).transform_calculate(
        name=lookup(symbols, "datum.row"), way=lookup(words.ways, "datum.series"), at=f"datum.row + {ZERO}"
    )
    steps = base.encode(y=_down("at", symbols))
    tooltip = [
        alt.Tooltip("name", type="nominal", title=words.step),
        alt.Tooltip("way", type="nominal", title=" "),
        alt.Tooltip("value", type="quantitative", title=words.cosine, format=".4f"),
    ]
    scale = alt.Chart(alt.sequence(-1, 2, as_="value"))
    name = steps.transform_filter("datum.series == 0").mark_text(align="right", dx=-12, fontSize=13, fontWeight=600)
    layers = [
        scale.mark_rule(color="gray", opacity=0.45, aria=False).encode(x=x),
        inked(scale.mark_text(fontSize=11, opacity=0.8, aria=False)).encode(
            x=x, y=alt.value(8), text=alt.Text("value", type="quantitative")
        ),
        steps.mark_line(strokeWidth=2.2).encode(
            x=x, order=alt.Order("row", type="quantitative"), color=look["color"], strokeDash=dash
        ),
        steps.mark_point(filled=True, size=70, opacity=1).encode(x=x, **look, tooltip=tooltip),
        inked(name).encode(x=alt.value(0), text=_text("name")),
    ]
    for series, right in enumerate(COLUMNS):
        column = {"x": alt.value("width"), "y": alt.value(8)}
        number = steps.transform_filter(f"datum.series == {series}").mark_text(align="right", dx=right, fontSize=12)
        head = base.transform_filter(f"datum.series == {series} && datum.row == 0")
        title = head.mark_text(align="right", dx=right, fontSize=12, fontWeight=600)
        layers += [
            inked(number).encode(x=column["x"], text=alt.Text("value", type="quantitative", format=".2f")),
            inked(title).encode(**column, text=_text("way")),
            head.mark_point(filled=True, size=48, opacity=1, xOffset=right - 8, yOffset=15, aria=False).encode(
                **column, **look
            ),
        ]
    return _rows(symbols, *layers)


def _down(field: str, rows: tuple[str, ...]) -> alt.Y:
    scale = alt.Scale(domain=[-HEAD, len(rows)], nice=False, zero=False, reverse=True)
    return alt.Y(field, type="quantitative", axis=None, scale=scale)


def _text(field: str) -> alt.Text:
    return alt.Text(field, type="nominal")


def _rows(rows: tuple[str, ...], *layers: Chart) -> Chart:
    """Both charts have their rows at the same heights."""
    layered = alt.layer(*layers).resolve_scale(color="independent")
    return layered.properties(height=round(60 * (len(rows) + HEAD)))
