"""Query, key and value as tables that a visitor may change; the changes are one short value, so the link holds them.

`1a2b_q8.1~5_k2.4~-0.5` says: in the sentence with the mark 1a2b, component 1 of query 8 is 5 and component 4 of key 2
is -0.5. Changes apply to the sentence they were made for; they wait while another one is shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np
import streamlit as st

from ui.controls import CONTROLS, note, on_screen
from ui.late import pd
from ui.text import Words, plain

# Large enough to saturate any softmax, small enough that e to the power of a score stays finite.
LARGEST = 10

Changes = dict[tuple[str, int, int], float]  # (table, row, component), counted from 0


def read(written: str, mark: str) -> Changes:
    """The changes in `written`; none if they were made for a sentence with another mark."""
    found, *parts = written.split("_")
    changes = {}
    for part in parts if found == mark else ():
        place, number = part[1:].split("~")
        row, component = place.split(".")
        changes[part[0], int(row) - 1, int(component) - 1] = float(number)
    return changes


def write(changes: Changes, mark: str) -> str:
    """The changes as the link holds them; empty if there are none."""
    parts = [f"{table}{row + 1}.{column + 1}~{_short(value)}" for (table, row, column), value in changes.items()]
    return "_".join((mark, *sorted(parts))) if parts else ""


def changed(tokens: Sequence[str], tables: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], Changes]:
    """The tables (n, d) with the visitor's changes in them, and these changes."""
    session, mark = st.session_state, _mark(tokens)
    changes = read(session.setdefault("edit", ""), mark)
    if missing := [place for place in changes if place[1] >= len(tokens)]:
        kept = write({place: value for place, value in changes.items() if place not in missing}, mark)
        note("edit", session["edit"], f"≤ {len(tokens)}", kept or "—")
        session["edit"] = kept
        st.rerun()
    if changes or not session["edit"]:
        on_screen()["edit"] = CONTROLS["edit"].default
    results = {name: table.copy() for name, table in tables.items()}
    for (name, row, column), value in changes.items():
        results[name][row, column] = value
    return results, changes


def editors(
    words: Words,
    tokens: Sequence[str],
    names: Sequence[str],
    tables: Mapping[str, np.ndarray],
    axes: Mapping[str, Sequence[str]],
) -> None:
    """Draw the unchanged `tables` with the visitor's changes in them, one behind the other, ready to be changed."""
    session, mark = st.session_state, _mark(tokens)
    # An editor keeps what was typed as long as its key and its first numbers stay the same. It starts anew when the
    # changes came from elsewhere: a link, a preset, the reset, another sentence, a refused number.
    shown = (session["edit"], mark, [table.tobytes() for table in tables.values()])
    if shown != session.get("tables_shown"):
        session["tables_first"] = session["edit"]
        session["tables_round"] = session.get("tables_round", 0) + 1
        session["tables_shown"] = shown
    first = read(session["tables_first"], mark)

    def take(name: str, key: str) -> None:
        before = read(session["edit"], mark)
        changes = {place: value for place, value in before.items() if place[0] != name}
        changes |= {place: value for place, value in first.items() if place[0] == name}
        refused = []
        for row, cells in session[key]["edited_rows"].items():
            for column, value in cells.items():
                place = (name, int(row), int(column))
                if value is None or not math.isfinite(value) or abs(value) > LARGEST:
                    changes[place] = before.get(place, tables[name][place[1:]])
                    refused.append((place, value, changes[place]))
                else:
                    changes[place] = round(value, 2)
        changes = {place: value for place, value in changes.items() if value != tables[place[0]][place[1:]]}
        session["edit"] = write(changes, mark)
        session["tables_refused"] = refused
        session["tables_shown"] = None if refused else (session["edit"], *shown[1:])

    for (name, row, column), given, kept in session.pop("tables_refused", ()):
        where = {"table": name.upper(), "token": plain(names[row]), "axis": axes[name][column]}
        problem = "tables.blank" if given is None else "tables.refused"
        st.error(words(problem, **where, given=given, kept=_short(kept), largest=LARGEST))
    for tab, (name, table) in zip(st.tabs([words(f"tables.{name}") for name in tables]), tables.items(), strict=True):
        key = f"table_{name}_{session['tables_round']}"
        tab.data_editor(
            _frame(table, names, first, name),
            key=key,
            on_change=take,
            args=(name, key),
            alt=words("tables.alt", table=name.upper()),
            disabled=["_index"],
            # Without bounds: a number that cannot be used is refused by name, not silently.
            column_config={
                str(i): st.column_config.NumberColumn(axis, step=0.01, format="%.4g")
                for i, axis in enumerate(axes[name])
            },
        )


def tell(words: Words, changes: Changes) -> None:
    """Say that numbers were changed, with a button that takes every change back."""
    if changes:
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.markdown(words("tables.changed", count=len(changes)), help=words("tables.changed_help"), width="content")
            st.button(words("tables.reset"), key="tables_reset", on_click=_reset)
    elif st.session_state["edit"]:
        st.caption(words("tables.waiting"))


def _reset() -> None:
    st.session_state["edit"] = ""


def _frame(table: np.ndarray, names: Sequence[str], changes: Changes, name: str) -> pd.DataFrame:
    filled = table.copy()
    for (of, row, column), value in changes.items():
        if of == name:
            filled[row, column] = value
    return pd.DataFrame(filled, index=list(names), columns=[str(i) for i in range(table.shape[1])])


def _mark(tokens: Sequence[str]) -> str:
    return f"{crc32(' '.join(tokens).encode('utf-8', 'surrogatepass')) & 0xFFFF:04x}"


def _short(value: Any) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
