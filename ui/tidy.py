"""From arrays to the small tidy frames that charts draw: int16 positions and float32 numbers keep messages short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ui.keep import keep
from ui.late import pd

# So many frames of each kind are kept: a chart whose numbers have not changed is not written for the browser again.
FRAMES = 200

_POINT = ["series", "x", "y"]
# The first and the last option of a slider at which a row is shown, by their positions.
SINCE, UNTIL = "since", "until"
LAST = np.iinfo(np.int16).max


def along(frames: Sequence[pd.DataFrame], at: Sequence[int] = (), *, and_after: bool = False) -> pd.DataFrame:
    """What a chart shows at each option of a slider, in one frame for `ui.frame.show`: one frame an option, or one each
    for the options at those positions; the last one also for all options `and_after` its own.
    """
    places = np.repeat(np.array(at or range(len(frames)), dtype=np.int16), [len(rows) for rows in frames])
    # Column by column: pandas takes several times as long to put small frames together.
    joined = {name: np.concatenate([rows[name].to_numpy() for rows in frames]) for name in frames[0]}
    ends = np.where(places == places[-1], LAST, places) if and_after and len(places) else places
    return pd.DataFrame({**joined, SINCE: places, UNTIL: ends})


def always(rows: pd.DataFrame) -> pd.DataFrame:
    """What a chart shows at every option of a slider, where the other charts of its kind have one frame an option."""
    return rows.assign(**{SINCE: np.int16(0), UNTIL: LAST})


@keep(FRAMES)
def at_each(**values: Any) -> pd.DataFrame:
    """One row for each option of a slider: the columns of `columns`, shown at that option alone."""
    at = np.arange(len(next(iter(values.values()))), dtype=np.int16)
    return columns(**values, **{SINCE: at, UNTIL: at})


@keep(FRAMES)
def cells(values: np.ndarray, allowed: np.ndarray | bool = True) -> pd.DataFrame:
    """One row a cell of a (n_q, n_k) matrix: query, key, value, and whether the query may attend to the key."""
    query, key = np.indices(values.shape, dtype=np.int16)
    return pd.DataFrame(
        {
            "query": query.ravel(),
            "key": key.ravel(),
            "value": values.ravel().astype(np.float32),
            "allowed": np.broadcast_to(allowed, values.shape).ravel(),
        }
    )


@keep(FRAMES)
def ways(rows: Sequence[np.ndarray], allowed: np.ndarray, blocked: str, undefined: str) -> pd.DataFrame:
    """One row a cell of the same weights computed in several ways: its state, and the cell in words."""
    values = np.array(rows)
    state = np.where(allowed, "allowed", np.where(values > 0, "leak", "blocked"))
    state = np.where(np.isnan(values), "undefined", state)
    spoken = {"blocked": blocked, "undefined": undefined, "leak": f"{blocked}: {{:.4f}}"}
    pairs = zip(state.ravel(), values.ravel(), strict=True)
    way, key = np.indices(values.shape, dtype=np.int16).reshape(2, -1)
    return pd.DataFrame(
        {
            "way": way,
            "key": key,
            "value": np.nan_to_num(values).ravel().astype(np.float32),
            "state": state.ravel(),
            "said": [spoken.get(kind, "{:.4f}").format(value) for kind, value in pairs],
        }
    )


@keep(FRAMES)
def matrices(stack: Sequence[np.ndarray], *weights: int) -> pd.DataFrame:
    """One row a cell of several matrices with the same rows: its place, value, and shade on the scale of its matrix.

    The matrices at the positions in `weights` are shaded by the value itself, the others by its share of their largest.
    """
    limits = [1 if block in weights else np.abs(values).max(initial=0) or 1 for block, values in enumerate(stack)]
    places = [np.indices(values.shape, dtype=np.int16).reshape(2, -1) for values in stack]
    query, column = np.concatenate(places, axis=1)
    shades = [values.ravel() / limit for values, limit in zip(stack, limits, strict=True)]
    return pd.DataFrame(
        {
            "block": np.repeat(np.arange(len(stack), dtype=np.int16), [values.size for values in stack]),
            "query": query,
            "column": column,
            "value": np.concatenate([values.ravel() for values in stack]).astype(np.float32),
            "shade": np.concatenate(shades).astype(np.float32),
        }
    )


@keep(FRAMES)
def totals(column: int, said: Sequence[str]) -> pd.DataFrame:
    """One row a sum, each as a reader wants it, all in one column."""
    return pd.DataFrame({"way": np.arange(len(said), dtype=np.int16), "key": np.int16(column), "said": said})


@keep(FRAMES)
def positions(column: str, *values: int) -> pd.DataFrame:
    """Positions to mark, such as the picked query."""
    return pd.DataFrame({column: np.array(values, dtype=np.int16)})


@keep(FRAMES)
def bars(values: np.ndarray, allowed: np.ndarray | bool = True) -> pd.DataFrame:
    """One row a bar: its position, value, and whether it is allowed."""
    return pd.DataFrame(
        {
            "key": np.arange(len(values), dtype=np.int16),
            "value": values.astype(np.float32),
            "allowed": np.broadcast_to(allowed, values.shape),
        }
    )


@keep(FRAMES)
def bars_along(rows: np.ndarray, allowed: np.ndarray | bool = True) -> pd.DataFrame:
    """The bars of `bars` at each option of a slider: rows (n_options, n)."""
    of_each = cells(rows, allowed).rename(columns={"query": SINCE})
    return of_each.assign(**{UNTIL: of_each[SINCE]})


@keep(FRAMES)
def amounts(values: Sequence[float], said: Sequence[str], series: Sequence[int]) -> pd.DataFrame:
    """One row a bar: its position, its length, the number as a reader wants it, and which series colours it."""
    items = np.arange(len(values), dtype=np.int16)
    return pd.DataFrame({"item": items, "value": values, "said": said, "series": series})


@keep(FRAMES)
def components(vector: np.ndarray, n_segments: int) -> pd.DataFrame:
    """One row a component of a vector in equal segments: from where to where it stands, in shares of the whole."""
    d = len(vector)
    place = np.arange(d)
    gap = 0.1 if d <= 64 else 0
    return columns(
        start=(place + gap) / d,
        end=(place + 1 - gap) / d,
        value=vector,
        number=place + 1,
        head=place * n_segments // d + 1,
    )


@keep(FRAMES)
def cuts(n_segments: int) -> pd.DataFrame:
    """One row a segment of several: its left end and its middle, in shares of the whole, and its number."""
    place = np.arange(n_segments if n_segments > 1 else 0)
    return columns(left=place / n_segments, middle=(place + 0.5) / n_segments, head=place + 1)


@keep(FRAMES)
def vectors(values: np.ndarray, series: Sequence[int]) -> pd.DataFrame:
    """One row a component of several vectors (n, d): its share of the largest of all, and its vector's series."""
    row, component = np.indices(values.shape, dtype=np.int16).reshape(2, -1)
    shares = values.ravel() / (np.abs(values).max(initial=0) or 1)
    return pd.DataFrame(
        {
            "row": row,
            "component": component,
            "value": values.ravel().astype(np.float32),
            "share": shares.astype(np.float32),
            "series": np.repeat(series, values.shape[1]),
        }
    )


@keep(FRAMES)
def curves(x: np.ndarray, named: np.ndarray | Sequence[np.ndarray]) -> pd.DataFrame:
    """One row a point of several curves; `series` is the curve's position, and x one row for all curves or one each."""
    y = np.asarray(named)
    return _points(np.repeat(np.arange(len(y)), y.shape[1]), np.broadcast_to(x, y.shape).ravel(), y.ravel())


@keep(FRAMES)
def curves_along(x: np.ndarray, named: np.ndarray) -> pd.DataFrame:
    """One point of each of several curves at each option of a slider: x (n_options,), named (n_curves, n_options)."""
    at = np.tile(np.arange(len(x), dtype=np.int16), len(named))
    return curves(x, named).assign(**{SINCE: at, UNTIL: at})


def matrix(values: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    """The matrix as a table with its labels; labels must be unique."""
    return pd.DataFrame(values, index=list(rows), columns=list(columns))


@keep(FRAMES)
def labels(x: float, values: np.ndarray, gap: float, *, lowest: float = -np.inf) -> pd.DataFrame:
    """One row a curve: where its name stands at `x`, near its value, `gap` or more from the next name.

    Names move down and up by about as much, and none below `lowest`; of equal values the first stands on top.
    """
    order = np.lexsort((-np.arange(len(values)), values))
    steps = gap * np.arange(len(values))
    wanted = np.asarray(values)[order] - steps
    raised = np.maximum.accumulate(wanted)
    lowered = np.minimum.accumulate(wanted[::-1])[::-1]
    y = np.empty(len(values))
    y[order] = np.maximum((raised + lowered) / 2, lowest) + steps
    return _points(np.arange(len(y)), np.full(len(y), x), y)


@keep(FRAMES)
def columns(*, where: np.ndarray | bool = True, **values: Any) -> pd.DataFrame:
    """Columns by name, single values repeated, and of the rows those `where` it is true.

    They are float32 and int32, because a browser's click cannot send an int64.
    """
    short = {"f": np.float32, "i": np.int32}
    kept, *rows = np.broadcast_arrays(where, *map(np.atleast_1d, values.values()))
    return pd.DataFrame(
        {name: row[kept].astype(short.get(row.dtype.kind, row.dtype)) for name, row in zip(values, rows, strict=True)}
    )


@keep(FRAMES)
def items(**columns: np.ndarray) -> pd.DataFrame:
    """One row an item: its position as `item`, and the columns as numbers."""
    values = {name: np.asarray(column, dtype=np.float32) for name, column in columns.items()}
    return pd.DataFrame({"item": np.arange(len(next(iter(values.values()))), dtype=np.int16), **values})


def _points(series: np.ndarray, x: np.ndarray, y: np.ndarray) -> pd.DataFrame:
    """One block of numbers, which pandas makes in a quarter of the time that it takes for columns of several kinds."""
    block = np.array([series, x, y], dtype=np.float32).T
    return pd.DataFrame(block, columns=_POINT, copy=False)
