"""The link is the state: read and checked when the address changes, written back whenever a control does.

Streamlit can bind widgets to the query itself, but then it drops bad values without a word, forgets a pasted value at
the first change of screen, makes an entry in the history for every value it carries over, and puts the words of one
language into the link. So the query is read and written here: the session's own values are the truth.
"""

from urllib.parse import urlencode

import streamlit as st

from ui.controls import CONTROLS, note, on_screen
from ui.text import Words, plain

# Replaces the address without an entry in the history, so that Back leaves the screen and not the last slider step.
_ADDRESS = """
export default function ({ data }) {
  const address = new URL(window.location.href)
  if (address.search.slice(1) === data.query) return
  address.search = data.query
  window.history.replaceState(window.history.state, "", address)
}
"""

_COPY_STYLE = """
button {
  font: inherit; font-size: 0.875rem; color: var(--st-text-color); background: transparent; cursor: pointer;
  border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius);
  padding: 0 0.8rem; min-height: 2.1rem; white-space: nowrap;
}
button:hover { color: var(--st-primary-color); border-color: var(--st-primary-color); }
button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
@media (max-width: 640px) { button { min-height: 44px; } }
"""
_COPY = """
export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button")
  button.textContent = data.copy
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(window.location.href)
    } catch {
      // Plain http off this machine has no clipboard interface.
      const field = document.createElement("textarea")
      field.value = window.location.href
      document.body.append(field)
      field.select()
      document.execCommand("copy")
      field.remove()
    }
    button.textContent = data.copied
    setTimeout(() => { button.textContent = data.copy }, 1600)
  }
}
"""


def read() -> None:
    """Take over what a new address says; what it does not mention stays as it is."""
    query = st.query_params.to_dict()
    if query == st.session_state.get("address_read"):
        return
    st.session_state["address_read"] = query
    for key, given in query.items():
        if (control := CONTROLS.get(key)) is None:
            continue
        try:
            st.session_state[key] = control.read(given)
        except ValueError:
            note(key, given, control.expected(), control.written(st.session_state.get(key, control.initial())))


def write() -> None:
    """Make the address say what is on the screen."""
    _address(data={"query": _query()}, key="address", height=1)


def copy_button(words: Words) -> None:
    """A button that copies the address, which always says what is on the screen."""
    _copy(data={"copy": words("link.copy"), "copied": words("link.copied")}, key="copy_link", width="content")


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


def _query() -> str:
    """Every control on the screen that is not at its default, and the language always: it opens alike everywhere."""
    changed = {
        key: CONTROLS[key].written(st.session_state[key])
        for key, default in on_screen().items()
        if key == "lang" or st.session_state[key] != default
    }
    return urlencode(changed, safe=",")


_copy = st.components.v2.component(
    "attention_explorer_copy", html='<button type="button" aria-live="polite"></button>', css=_COPY_STYLE, js=_COPY
)
_address = st.components.v2.component("attention_explorer_address", js=_ADDRESS)
