"""What only the browser can do: name the state in the address, describe charts, follow controls, copy the link."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from ui.text import Words

WEB = Path(__file__).parent / "web"


def begin() -> None:
    """Make what sliders and choices show known to charts and maps as soon as they show it."""
    st.html(f"<script>{_SHOWN}</script>", unsafe_allow_javascript=True)


def finish(query: str, descriptions: Mapping[str, str]) -> None:
    """Make the address say `query`, and each chart what `descriptions` (chart key -> text) says of it."""
    # The number of the run makes every run's end known to the browser, also one that changed nothing else.
    run = st.session_state["run"] = st.session_state.get("run", 0) + 1
    data = {"query": query, "descriptions": dict(descriptions), "run": run}
    _finish(data=[data], key="finish", height=1, on_drag_change=lambda: None)


def dragged(key: str) -> str | None:
    """What the slider with this key shows under the visitor's thumb; None unless it is being dragged."""
    drag = (st.session_state.get("finish") or {}).get("drag") or {}
    return drag.get("value") if drag.get("key") == key else None


def copy_button(words: Words) -> None:
    """A button that copies the address, which always says what is on the screen."""
    _copy(data=[{"copy": words("link.copy"), "copied": words("link.copied")}], key="copy_link", width="content")


def component(name: str) -> Any:
    """The Components v2 element whose HTML, style and program are the files of this name in `ui/web`."""
    parts = {kind: WEB / f"{name}.{kind}" for kind in ("html", "css", "js")}
    texts: dict[str, Any] = {kind: path.read_text(encoding="utf-8") for kind, path in parts.items() if path.exists()}
    return st.components.v2.component(f"attention_explorer_{name}", **texts)


_SHOWN = (WEB / "shown.js").read_text(encoding="utf-8")
_finish = component("finish")
_copy = component("copy")
