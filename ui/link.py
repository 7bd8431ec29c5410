"""The link is the state: read and checked when the address changes, written back whenever a control does.

Streamlit can bind widgets to the query itself, but then it drops bad values without a word, forgets a pasted value at
the first change of screen, makes an entry in the history for every value it carries over, and puts the words of one
language into the link. So the query is read and written here: the session's own values are the truth.
"""

from urllib.parse import urlencode

import streamlit as st

from ui.controls import CONTROLS, note, on_screen
from ui.text import Words, plain


def read() -> None:
    """Take over what a new address says; what it does not mention stays as it is.

    An address that this session wrote itself is no news: it comes back with the next change of a control, and taking
    it over would undo that change.
    """
    query = st.query_params.to_dict()
    if query == st.session_state.get("address_read") or urlencode(query, safe=",") in _written():
        return
    st.session_state["address_read"] = query
    # Until its control has been drawn once, a value that does not fit is the link's fault and is told.
    st.session_state["link_given"] = dict(query)
    for key, given in query.items():
        if (control := CONTROLS.get(key)) is None:
            continue
        try:
            st.session_state[key] = control.read(given)
        except ValueError:
            note(key, given, control.expected(), control.written(st.session_state.get(key, control.initial())))


def tell(words: Words) -> None:
    """Say what was wrong with the link, until the visitor has read it."""
    problems = st.session_state.get("link_problems")
    if not problems:
        return
    with st.container(key="link_problems_box"):
        for name, (given, expected, used) in problems.items():
            shown = given if len(given) <= 40 else given[:40] + "…"
            values = {"name": name, "given": shown, "expected": expected, "used": used}
            st.warning(words("link.problem", **{name: plain(value) for name, value in values.items()}))
        st.button(words("link.read"), on_click=problems.clear)


def query() -> str:
    """Every control on the screen that is not at its default, and the language always: it opens alike everywhere."""
    changed = {
        key: CONTROLS[key].written(st.session_state[key])
        for key, default in on_screen().items()
        if key == "lang" or st.session_state[key] != default
    }
    address = urlencode(changed, safe=",")
    # The browser may still be a few addresses behind when it sends the next change.
    st.session_state["addresses_written"] = [*_written()[-20:], address]
    return address


def _written() -> list[str]:
    return st.session_state.get("addresses_written", [])
