"""Who looks where between two sequences: one line from each output to each input, as thick as its weight."""

from __future__ import annotations

from typing import Any, NamedTuple

from ui.charts import Chart
from ui.charts.tokens import inked, lookup
from ui.late import alt

# Pixels: from the top to the outputs, from the bottom to the inputs, and around a node.
_TOP, _BOTTOM, _NODE = 62, 78, 15
_THICKEST = 15


class GazeWords(NamedTuple):
    """The words on the picture: what the two rows are, and what a line says."""

    query: str
    key: str
    value: str


def look_back(queries: tuple[str, ...], keys: tuple[str, ...], words: GazeWords, height: int) -> Chart:
    """Lines over `links` (query, key, value, now), drawn strongly where `now` is true, with their weights below.

    The outputs stand above, the inputs below, each sequence as a chain in the order in which it is read or written.
    `picked` (query) is the output that looks now.
    """
    rows = {"query": _TOP, "key": height - _BOTTOM}
    colours = alt.Scale(domain=["query", "key", "value"], range="category")

    def place(count: int, position: str) -> str:
        return f"({position} + 0.5) / {count}"

    def x(field: str) -> alt.X:
        return alt.X(field, type="quantitative", axis=None, scale=alt.Scale(domain=[0, 1], nice=False, zero=False))

    def colour(role: str, marks: alt.Chart) -> alt.Chart:
        return marks.transform_calculate(role=f"'{role}'").encode(
            color=alt.Color("role", type="nominal", legend=None, scale=colours)
        )

    def at(data: Any, role: str, count: int) -> alt.Chart:
        return alt.Chart(data).transform_calculate(at=place(count, f"datum.{role}")).encode(x=x("at"))

    def row(role: str, tokens: tuple[str, ...]) -> list[alt.Chart]:
        """A sequence: arrows from each node to the next, the nodes, and their tokens."""
        n, y, outside = len(tokens), alt.value(rows[role]), -_NODE - 13 if role == "query" else _NODE + 13
        every, steps = (alt.sequence(0, count, as_=role) for count in (n, max(n - 1, 0)))
        nodes = at(every, role, n)
        arrows = at(steps, role, n).transform_calculate(end=place(n, f"datum.{role} + 1"))
        names = nodes.transform_calculate(name=lookup(tokens, f"datum.{role}"))
        return [
            arrows.mark_rule(color="gray", strokeWidth=1.5, opacity=0.6, aria=False).encode(x2="end", y=y),
            arrows.mark_point(
                shape="triangle-right", filled=True, color="gray", size=60, xOffset=-_NODE - 5, opacity=0.9, aria=False
            ).encode(x=x("end"), y=y),
            colour(role, nodes.mark_point(filled=True, size=_NODE**2 * 2.2, opacity=1, aria=False).encode(y=y)),
            inked(
                names.mark_text(dy=outside, fontSize=14, fontWeight=600).encode(
                    y=y, text=alt.Text("name", type="nominal")
                )
            ),
        ]

    links = alt.Chart(alt.NamedData(name="links")).transform_calculate(
        start=place(len(queries), "datum.query"),
        end=place(len(keys), "datum.key"),
        query_token=lookup(queries, "datum.query"),
        key_token=lookup(keys, "datum.key"),
        said="datum.query_token + ' → ' + datum.key_token + ': ' + format(datum.value, '.4f')",
    )
    lines = links.mark_rule(strokeCap="round").encode(
        x=x("start"),
        x2="end",
        y=alt.value(rows["query"]),
        y2=alt.value(rows["key"]),
        size=alt.Size(
            "value", type="quantitative", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.3, _THICKEST])
        ),
        tooltip=[
            alt.Tooltip("query_token", type="nominal", title=words.query),
            alt.Tooltip("key_token", type="nominal", title=words.key),
            alt.Tooltip("value", type="quantitative", title=words.value, format=".4f"),
        ],
        description=alt.Description("said", type="nominal"),
    )
    weights = (
        links.transform_filter("datum.now")
        .mark_text(dy=_NODE + 32, fontSize=12, aria=False)
        .encode(x=x("end"), y=alt.value(rows["key"]), text=alt.Text("value", type="quantitative", format=".2f"))
    )
    ring = (
        at(alt.NamedData(name="picked"), "query", len(queries))
        .mark_point(filled=False, size=_NODE**2 * 4.2, strokeWidth=2, color="gray", opacity=1, aria=False)
        .encode(y=alt.value(rows["query"]))
    )
    titles = [
        inked(
            alt.Chart(alt.sequence(0, 1, as_="first"))
            .mark_text(align="left", fontSize=11, opacity=0.75)
            .encode(x=alt.value(0), y=alt.value(y), text=alt.value(title))
        )
        for title, y in ((words.query, 6), (words.key, height - 6))
    ]
    return (
        alt.layer(
            lines.transform_filter("!datum.now").mark_rule(strokeCap="round", color="gray", opacity=0.22, aria=False),
            colour("query", lines.transform_filter("datum.now").mark_rule(strokeCap="round", opacity=0.8)),
            *row("key", keys),
            *row("query", queries),
            ring,
            inked(weights),
            *titles,
        )
        .resolve_scale(color="independent")
        .properties(height=height)
    )
