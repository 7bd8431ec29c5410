"""Long computations between the clicks: the page shows what is there, then goes on, and every control comes first."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.text import Words

# What takes less is simply there; what takes longer moves its bar, and now and then its pictures.
AT_ONCE = 0.25
BAR = 0.2
PICTURES = 2.0


@dataclass
class Run:
    """What has been drawn of `total` samples, and its summary; the samples themselves go when all are there."""

    state: Hashable
    total: int
    chunks: Iterator[np.ndarray]
    parts: list[np.ndarray] = field(default_factory=list)
    done: int = 0
    summary: Any = None
    summed_up: int = 0
    stopped: bool = False
    # After a click Streamlit starts the new script at once, while the old one is still on its way to where it ends.
    lock: Lock = field(default_factory=Lock)

    @property
    def going(self) -> bool:
        return self.done < self.total and not self.stopped

    def draw(self, seconds: float) -> None:
        """Draw for about so long, one chunk at least."""
        until = monotonic() + seconds
        while True:
            with self.lock:
                if not self.going:
                    return
                self.parts.append(next(self.chunks))
                self.done += len(self.parts[-1])
            if monotonic() > until:
                return

    def sum_up(self, summarise: Callable[[np.ndarray], Any]) -> None:
        """Make the summary one of all that has been drawn."""
        with self.lock:
            if self.summed_up < self.done:
                self.summary, self.summed_up = summarise(np.concatenate(self.parts)), self.done
            if self.done == self.total:
                self.parts.clear()

    def turn(self) -> None:
        """Stop, or go on."""
        with self.lock:
            self.stopped = not self.stopped


def begin(
    name: str,
    state: Hashable,
    total: int,
    start: Callable[[], Iterator[np.ndarray]],
    summarise: Callable[[np.ndarray], Any],
) -> Run:
    """The session's run `name` with a summary of all that it has drawn; another `state` starts it afresh."""
    run: Run | None = st.session_state.get(f"run_{name}")
    if run is None or run.state != state:
        run = Run(state, total, start())
        run.draw(AT_ONCE)
        st.session_state[f"run_{name}"] = run
    run.sum_up(summarise)
    return run


def bar(words: Words, run: Run) -> DeltaGenerator | None:
    """How far a long run is, with a button to stop it or to go on; None once all is there."""
    if run.summed_up == run.total:
        return None
    drawn = st.progress(*_told(words, run))
    word = words("progress.resume" if run.stopped else "progress.stop")
    st.button(word, key="progress_turn", on_click=run.turn, width="stretch")
    return drawn


def go_on(words: Words, run: Run, drawn: DeltaGenerator | None) -> None:
    """At the end of a page, when nothing on it is stale: draw on, and show the page again in a while.

    Whatever is clicked meanwhile comes first: moving the bar is where Streamlit interrupts a script.
    """
    if drawn is None or run.stopped:
        return
    until = monotonic() + PICTURES
    while True:
        run.draw(BAR)
        drawn.progress(*_told(words, run))
        if not run.going or monotonic() > until:
            st.rerun()


def _told(words: Words, run: Run) -> tuple[float, str]:
    said = words("progress.stopped" if run.stopped else "progress.going", done=f"{run.done:,}", total=f"{run.total:,}")
    return run.done / run.total, said
