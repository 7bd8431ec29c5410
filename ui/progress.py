"""Long computations in slices: after each the page shows what is there, so that every control answers at once."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np
import streamlit as st

from ui.text import Words

# Streamlit fades what it has not drawn again after half a second.
SLICE_SECONDS = 0.25


@dataclass
class Run:
    """What has been drawn of `total` samples, and its summary; the samples themselves go when all are there."""

    state: Hashable
    total: int
    chunks: Iterator[np.ndarray]
    parts: list[np.ndarray] = field(default_factory=list)
    done: int = 0
    summary: Any = None
    stopped: bool = False

    @property
    def going(self) -> bool:
        return self.done < self.total and not self.stopped


def advance(
    name: str,
    state: Hashable,
    total: int,
    start: Callable[[], Iterator[np.ndarray]],
    summarise: Callable[[np.ndarray], Any],
) -> Run:
    """Go on with the session's run `name` for one slice of time; another `state` than its own starts it afresh."""
    run: Run | None = st.session_state.get(f"run_{name}")
    if run is None or run.state != state:
        run = st.session_state[f"run_{name}"] = Run(state, total, start())
    if run.going:
        until = monotonic() + SLICE_SECONDS
        for chunk in run.chunks:
            run.parts.append(chunk)
            run.done += len(chunk)
            if monotonic() > until:
                break
        run.summary = summarise(np.concatenate(run.parts))
        if run.done == run.total:
            run.parts.clear()
    return run


def bar(words: Words, run: Run) -> None:
    """How far a long run is, with a button to stop it or to go on; nothing once all is there."""
    if run.done == run.total:
        return

    def turn() -> None:
        run.stopped = not run.stopped

    said = words("progress.stopped" if run.stopped else "progress.going", done=f"{run.done:,}", total=f"{run.total:,}")
    with st.container(horizontal=True, vertical_alignment="center", key="progress"):
        st.progress(run.done / run.total, said)
        st.button(words("progress.resume" if run.stopped else "progress.stop"), key="progress_turn", on_click=turn)


def again(run: Run) -> None:
    """At the end of a page: draw the next slice if one is missing."""
    if run.going:
        st.rerun()
