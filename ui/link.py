"""The link is the state: what a link says is checked before the widgets are made, and what was wrong is told."""

from urllib.parse import urlencode, urlsplit

import streamlit as st

from ui.controls import CONTROLS, PROBLEMS, note
from ui.text import LANGUAGES, Words, plain


def check() -> None:
    """Note every parameter whose value no control takes; Streamlit itself would drop it without a word."""
    for key, control in CONTROLS.items():
        given = st.query_params.get(key)
        if given is None:
            continue
        try:
            control.read(given)
        except ValueError:
            note(key, given, control.expected(), control.label(control.default))


def tell(words: Words) -> None:
    """Say what was wrong with the link, until the visitor has read it."""
    problems = st.session_state.get(PROBLEMS)
    if not problems:
        return
    with st.container(border=True, key="link_problems_box"):
        for key, (given, expected, used) in problems.items():
            shown = given if len(given) <= 40 else given[:40] + "…"
            st.warning(
                words("link.problem", key=plain(key), given=plain(shown), expected=plain(expected), used=plain(used))
            )
        st.button(words("link.read"), on_click=problems.clear)


def address(language: str) -> str:
    """The link to what is on the screen now: this page, every control that is not at its default, the language."""
    here = urlsplit(st.context.url or "")._replace(query="", fragment="").geturl()
    parameters = {key: value for key, value in st.query_params.items() if key != "lang"}
    return f"{here}?{urlencode({'lang': language, **parameters})}"


def language() -> str:
    """The language of this run: the link's, else the one chosen in this session, else the browser's."""
    given = st.query_params.get("lang")
    if given in LANGUAGES:
        st.session_state["chosen_language"] = given
    elif given is not None:
        note("lang", given, ", ".join(LANGUAGES), _browser_language())
    return str(st.session_state.get("chosen_language") or _browser_language())


def _browser_language() -> str:
    spoken = (st.context.locale or "en").split("-")[0].lower()
    return spoken if spoken in LANGUAGES else "en"


def choose_language() -> None:
    """The language switch was used: the link says so from now on."""
    st.session_state["chosen_language"] = st.session_state["language"]
    st.query_params["lang"] = st.session_state["language"]
