"""A mask that the visitor paints: in the link, as buttons, and as the row of one query.

The link holds its size and its cells row by row as bits in URL-safe base64: `3.m4A`.
"""

import base64
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import streamlit as st

from ui.controls import MAX_TOKENS, note, on_screen
from ui.text import Words


def written(allowed: np.ndarray) -> str:
    """The square mask (n, n) as text."""
    bits = base64.urlsafe_b64encode(np.packbits(allowed).tobytes()).decode()
    return f"{len(allowed)}.{bits.rstrip('=')}"


def read(text: str) -> np.ndarray:
    """The mask (n, n) that a text stands for; ValueError if it stands for none."""
    size, _, bits = text.partition(".")
    n = int(size)
    if not 1 <= n <= MAX_TOKENS:
        raise ValueError(f"expected 1 to {MAX_TOKENS} words, got {n}")
    packed = np.frombuffer(base64.b64decode(bits + "=" * (-len(bits) % 4), altchars=b"-_", validate=True), np.uint8)
    if len(packed) != -(-n * n // 8):
        raise ValueError(f"expected the bits of {n} × {n} cells, got {8 * len(packed)} bits")
    return np.unpackbits(packed, count=n * n).reshape(n, n).astype(bool)


def resized(allowed: np.ndarray, n: int) -> np.ndarray:
    """The mask for n words: the cells that are still there, and open ones beside them."""
    kept = min(len(allowed), n)
    result = np.ones((n, n), dtype=bool)
    result[:kept, :kept] = allowed[:kept, :kept]
    return result


def painted(start: np.ndarray) -> np.ndarray:
    """The visitor's mask, in the size of `start` and from there if nothing is painted yet.

    What came with the link and does not fit is not changed without a word.
    """
    on_screen()["paint"] = ""
    given, n = st.session_state.get("paint", ""), len(start)
    try:
        allowed = resized(read(given), n) if given else start
    except ValueError:
        allowed = start
    st.session_state["paint"] = used = written(allowed)
    from_link = st.session_state.get("link_given", {}).pop("paint", None)
    if used != given and given and given == from_link:
        note("paint", given, f"{n}.…", used)
        st.rerun()
    return allowed


def paint(allowed: np.ndarray) -> None:
    """Show this mask (n, n) as the painted one."""
    st.session_state.update(mask="painted", paint=written(allowed))


def tools(words: Words, allowed: np.ndarray, starts: Mapping[str, np.ndarray]) -> None:
    """Buttons that clear the painted mask, invert it, or start again from one of `starts`, named as in the control."""
    with st.container(horizontal=True, gap="xsmall"):
        st.button(words("paint.clear"), on_click=paint, args=(np.ones_like(allowed),))
        st.button(words("paint.invert"), on_click=paint, args=(~allowed,))
        with st.popover(words("paint.start")):
            for name, start in starts.items():
                label = words(f"controls.mask.options.{name}")
                st.button(label, key=f"start_{name}", on_click=paint, args=(start,), width="stretch")


def row(words: Words, labels: Sequence[str], allowed: np.ndarray, choose: Callable[[np.ndarray], None]) -> None:
    """The keys that one query may look at (n_k), as pills to switch; the way to paint without a mouse.

    With each change of anything, the page sends what all its pills show. Where something else has changed the row, a
    page that has not heard of it yet would switch it back: then these are new pills, and what the old ones say is void.
    """
    session = st.session_state
    shown = [label for label, is_allowed in zip(labels, allowed, strict=True) if is_allowed]
    version = session.setdefault("row_version", 0)
    if version == 0 or set(session.get(f"row_keys_{version}", ())) != set(shown):
        version = session["row_version"] = version + 1
    pills = f"row_keys_{version}"

    def switched() -> None:
        if version == session["row_version"]:
            choose(np.array([label in session[pills] for label in labels]))

    session[pills] = shown
    st.pills(words("paint.row"), labels, selection_mode="multi", wrap=True, key=pills, on_change=switched)
