"""Maps of matrices on a canvas: rows are queries, columns are keys, blocked cells carry a stroke.

Vega takes several times as long to paint a matrix (benchmarks/README.md), and beyond 2,000 cells it hides them from a
screen reader. What Vega gives is here as well: axes, a legend, the number under the pointer or the arrow keys, a click.
"""

import base64
import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
import streamlit as st

from ui.browser import component
from ui.charts.tokens import PRINTED_UP_TO, READ_UP_TO

# Up to so many cells every number is sent with nine digits; beyond with those that are shown, in half the bytes.
EXACT_UP_TO = 2**14
SHOWN_DIGITS = 4
# So many cells of what a slider would show are sent ahead of its moves, up to so many places to either side.
AHEAD_CELLS = 2**13
AHEAD_PLACES = 8

Kind = Literal["weight", "score", "component", "slope"]
# What is printed in a cell: numbers from `least` on, with `digits`, and without closing zeros where they are to `trim`.
PRINTS: dict[Kind, dict[str, Any]] = {
    "weight": {"least": 0.05, "digits": 2, "trim": False},
    "score": {"least": 0, "digits": 1, "trim": False},
    "component": {"least": 0, "digits": 2, "trim": True},
    "slope": {"least": 0.005, "digits": 2, "trim": False},
}


class MapWords(NamedTuple):
    """The words on a map."""

    query: str
    key: str
    value: str
    blocked: str
    panel: str = ""


class Coded(NamedTuple):
    """Numbers as the browser gets them: little-endian integers in base64, in units of 10 to the power of -digits."""

    text: str
    bits: int
    digits: int


def show(
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    words: MapWords,
    kind: Kind,
    *,
    key: str,
    alt_text: str,
    height: int,
    allowed: np.ndarray | bool = True,
    picked: int | None = None,
    pick: tuple[str, Sequence[str]] | Callable[[dict[str, int]], None] | None = None,
    limit: float = 0,
    panels: Sequence[str] = ("",),
    across: int = 1,
    ahead: Mapping[str, Mapping[int, np.ndarray | Mapping[str, Any]]] = MappingProxyType({}),
) -> None:
    """Draw a matrix (n_q, n_k), or with several `panels` a stack of them (n_panels, n_q, n_k), `across` in a row.

    Weights are shaded on the fixed scale 0..1, slopes of a softmax on ±1/4, all else around 0, up to `limit` or the
    largest number there is. `picked` is the framed row, of several panels the framed panel. `pick` names a control and
    its options, to be set to that of the clicked row; or it is called with the clicked {panel, query, key}.

    `ahead` holds what other options of a slider or a choice would give, by its key and their positions: the values, or
    those of values, rows, columns, words, kind, allowed, picked and panels that differ. The browser paints them as soon
    as that option is shown, without waiting for the run that follows.
    """

    def written(
        values: np.ndarray = values,
        rows: Sequence[str] = rows,
        columns: Sequence[str] = columns,
        words: MapWords = words,
        kind: Kind = kind,
        allowed: np.ndarray | bool = allowed,
        picked: int | None = picked,
        panels: Sequence[str] = panels,
    ) -> dict[str, Any]:
        open_cells = np.broadcast_to(allowed, values.shape)
        scale = {"weight": 1.0, "slope": 0.25}.get(kind) or limit or largest(values)
        codes = coded(np.where(np.isfinite(values) | open_cells, values, 0), scale)
        return {
            "codes": codes.text,
            "bits": codes.bits,
            "unit": 10.0**-codes.digits,
            "digits": max(min(codes.digits, SHOWN_DIGITS), 0),
            "limit": scale,
            "blocked": "" if open_cells.all() else _base64(np.packbits(~open_cells)),
            "diverging": kind != "weight",
            "prints": PRINTS[kind] if len(columns) <= PRINTED_UP_TO else None,
            "rows": list(rows),
            "columns": list(columns),
            "panels": list(panels),
            "picked": picked,
            "words": words._asdict(),
        }

    def other(there: np.ndarray | Mapping[str, Any]) -> dict[str, Any]:
        told = written(**there) if isinstance(there, Mapping) else written(there)
        return {name: value for name, value in told.items() if value != here[name]}

    def told() -> None:
        cell = st.session_state[f"chart_{key}"]["pick"]
        if cell is None or pick is None:
            return
        if callable(pick):
            pick(cell)
        else:
            control, options = pick
            st.session_state[control] = options[cell["query"]]

    here = written()
    data = {
        **here,
        "across": across,
        "picks": pick is not None,
        "alt": alt_text,
        "height": height,
        "ahead": {key: {at: other(there) for at, there in options.items()} for key, options in ahead.items()},
    }
    # In a list: each value of a dictionary would be tried as a data frame, which takes longer than all the rest.
    _map(data=[data], key=f"chart_{key}", height=height, on_pick_change=told)


def coded(values: np.ndarray, limit: float) -> Coded:
    """Write `values` up to ±`limit` with as many digits as fit; ValueError for a number that is not finite."""
    if not np.isfinite(values).all():
        raise ValueError(f"values must be finite, but hold {values[~np.isfinite(values)][0]}")
    bits = 32 if values.size <= EXACT_UP_TO else 16
    full = 2 ** (bits - 1) - 1
    # Powers of ten end where a float does.
    digits = min(math.floor(math.log10(full) - math.log10(limit)), 300)
    codes = np.clip(np.rint(values * 10.0**digits), -full, full)
    return Coded(_base64(codes.astype(f"<i{bits // 8}")), bits, digits)


def places_ahead(n_cells: int) -> int:
    """How far to either side of a slider's value a map of so many cells is sent ahead."""
    return min(AHEAD_CELLS // (2 * n_cells), AHEAD_PLACES)


def largest(values: np.ndarray) -> float:
    """The end of a scale that is symmetric around 0 and holds every finite value; 1 if there is none but 0."""
    return float(np.abs(values[np.isfinite(values)]).max(initial=0)) or 1.0


def height(n_queries: int) -> int:
    """Pixels for a map of that many rows in half a page: cells as good as square, with rows to read up to 44."""
    if n_queries > READ_UP_TO:
        return 460
    return 120 + max(round(n_queries * min(26, max(12, 320 / max(n_queries, 1)))), 130)


def _base64(array: np.ndarray) -> str:
    return base64.b64encode(array.tobytes()).decode()


_map = component("map")
