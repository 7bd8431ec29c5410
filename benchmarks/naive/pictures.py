"""The pictures that several naive screens share, built anew at every run: loops, strings, float64, shorthand."""

import altair as alt
import pandas as pd
import streamlit as st


def heatmap(values, rows, columns, height, printed=0.0, digits=".2f", allowed=None):
    """Cells with numbers, those below `printed` without one."""
    records = []
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            if allowed is None or allowed[i, j]:
                records.append({"query": row, "key": column, "value": values[i, j]})
    base = alt.Chart(pd.DataFrame(records)).encode(x=alt.X("key:O", sort=columns), y=alt.Y("query:O", sort=rows))
    cells = base.mark_rect().encode(color="value:Q")
    if len(columns) > 12:
        st.altair_chart(cells.properties(height=height))
        return
    numbers = base.transform_filter(f"abs(datum.value) >= {printed}").mark_text()
    st.altair_chart((cells + numbers.encode(text=alt.Text("value:Q", format=digits))).properties(height=height))


def bars(names, values, height, digits=".2f"):
    """Upright bars with their numbers."""
    base = alt.Chart(pd.DataFrame({"key": names, "value": values}))
    base = base.encode(x=alt.X("key:O", sort=names), y=alt.Y("value:Q", scale=alt.Scale(domain=[0, 1])))
    numbers = base.mark_text(dy=-7).encode(text=alt.Text("value:Q", format=digits))
    st.altair_chart((base.mark_bar() + numbers).properties(height=height))


def amounts(names, values, said, height):
    """Lying bars with what is said of them."""
    base = alt.Chart(pd.DataFrame({"name": names, "value": values, "said": said}))
    base = base.encode(x="value:Q", y=alt.Y("name:O", sort=names))
    numbers = base.mark_text(align="left", dx=6).encode(text="said:N")
    st.altair_chart((base.mark_bar().encode(color="name:N") + numbers).properties(height=height))


def curves(x, named, height, now=None, points=None, log_x=False, log_y=False):
    """Lines (name -> y), points (name -> [(x, y), ...]), a rule at `now`, and each name at the end of its line."""
    lines = pd.DataFrame([{"name": name, "x": a, "y": b} for name, y in named.items() for a, b in zip(x, y)])
    ends = pd.DataFrame([{"name": name, "x": x[-1], "y": y[-1]} for name, y in named.items()])
    x_axis = alt.X("x:Q", scale=alt.Scale(type="log" if log_x else "linear", nice=False))
    y_axis = alt.Y("y:Q", scale=alt.Scale(type="log" if log_y else "linear", nice=False))
    chart = alt.Chart(lines).mark_line().encode(x=x_axis, y=y_axis, color="name:N", strokeDash="name:N")
    if points:
        marks = pd.DataFrame([{"name": name, "x": a, "y": b} for name, pairs in points.items() for a, b in pairs])
        chart += alt.Chart(marks).mark_point(filled=True, size=64).encode(x=x_axis, y=y_axis, color="name:N")
    if now is not None:
        chart += alt.Chart(pd.DataFrame({"x": [now]})).mark_rule().encode(x=x_axis)
    if len(named) > 1:
        chart += alt.Chart(ends).mark_text(align="left", dx=9).encode(x=x_axis, y=y_axis, text="name:N")
    st.altair_chart(chart.properties(height=height))


def flow(blocks, rows, links, height, numbers=False):
    """Matrices (name -> (values, columns)) side by side in one chart, with arrows between them."""
    cells, names, middles, left = [], [], [], 0.0
    for name, (values, columns) in blocks.items():
        limit = abs(values).max() or 1
        for i, row in enumerate(rows):
            for j in range(len(columns)):
                cells.append({"row": row, "y1": i, "y2": i + 0.94, "x1": left + j, "x2": left + j + 0.94,
                              "ym": i + 0.5, "xm": left + j + 0.5, "value": values[i, j],
                              "shade": values[i, j] / limit})  # fmt: skip
        names += [{"x": left + j + 0.5, "y": -0.2, "text": column} for j, column in enumerate(columns)]
        middles.append({"x": left + len(columns) / 2, "y": -4.5, "text": name})
        left += len(columns) + 2.6
    base = alt.Chart(pd.DataFrame(cells))
    y_axis = alt.Y("y1:Q", scale=alt.Scale(domain=[-6, len(rows)], reverse=True))
    chart = base.mark_rect().encode(x="x1:Q", x2="x2", y=y_axis, y2="y2", color="shade:Q")
    if numbers:
        chart += base.mark_text().encode(x="xm:Q", y="ym:Q", text=alt.Text("value:Q", format=".2~f"))
    tokens = [{"x": -0.3, "y": i + 0.5, "text": row} for i, row in enumerate(rows)]
    chart += alt.Chart(pd.DataFrame(names)).mark_text(angle=270, align="left").encode(x="x:Q", y="y:Q", text="text:N")
    chart += alt.Chart(pd.DataFrame(tokens)).mark_text(align="right").encode(x="x:Q", y="y:Q", text="text:N")
    chart += alt.Chart(pd.DataFrame(middles)).mark_text(fontSize=14).encode(x="x:Q", y="y:Q", text="text:N")
    arrows = pd.DataFrame([{"x": middles[a]["x"], "end": middles[b]["x"], "y": -5.2} for a, b in links])
    chart += alt.Chart(arrows).mark_rule().encode(x="x:Q", x2="end", y="y:Q")
    chart += alt.Chart(arrows).mark_point(shape="triangle-right").encode(x="end:Q", y="y:Q")
    st.altair_chart(chart.properties(height=height))


def metrics(figures):
    """Figures side by side."""
    for column, (name, value) in zip(st.columns(len(figures)), figures.items()):
        column.metric(name, value)
