"""Steps through the options of a choice: two buttons, the keys Right and Left, and Esc to leave a control for them."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from ui.controls import CONTROLS, control
from ui.text import Words

# The keys choose the next option itself, which the page shows before the server has heard of it. They stay with what
# has the focus and uses them itself: a field, a slider, a table, a group of options; Esc gives up that focus.
# Streamlit's own shortcuts would stop at the steps, which are such a group.
_KEYS = """
const own = "input, textarea, select, canvas, [contenteditable], [role=slider], [role=radiogroup], [role=toolbar], "
  + "[role=listbox], [role=menu], [role=tablist]"

export default function ({ data, parentElement }) {
  const listen = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.isComposing) return
    const focused = document.activeElement ?? document.body
    if (event.key === "Escape") {
      // Only after the control's own Esc, which closes its list or takes back what was typed.
      setTimeout(() => document.activeElement?.blur())
      return
    }
    const on = data.steps[event.key]
    if (!on || (focused.closest(own) && !focused.closest(data.stepper))) return
    event.preventDefault()
    event.stopPropagation()
    const steps = [...document.querySelectorAll(`${data.stepper} [role=radio]`)]
    steps[steps.findIndex((step) => step.ariaChecked === "true") + on]?.click()
  }
  // This runs again whenever the data change, and the clean-up only when the screen is left.
  document.removeEventListener("keydown", parentElement.listen, true)
  document.addEventListener("keydown", listen, true)
  parentElement.listen = listen
  return () => document.removeEventListener("keydown", parentElement.listen, true)
}
"""
_keys = st.components.v2.component("attention_explorer_keys", js=_KEYS)


def stepper(key: str, words: Words, *, options: Sequence[Any] = (), shown: Callable[[Any], str] | None = None) -> Any:
    """Draw the choice `key` as steps between a button back and a button on, and return the step.

    `options` narrows the steps, `shown` names them.
    """
    options = tuple(options) or CONTROLS[key].options
    step = st.session_state.get(key)
    at = options.index(step if step in options else CONTROLS[key].initial())

    def go(step: Any) -> None:
        st.session_state[key] = step

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"stepper_{key}"):
        st.button(
            words("stepper.back"), key=f"{key}_back", on_click=go, args=(options[max(at - 1, 0)],), disabled=at == 0
        )
        chosen = control(key, words, options=options, shown=shown, label_visible=False)
        last = len(options) - 1
        st.button(
            words("stepper.on"),
            key=f"{key}_on",
            on_click=go,
            args=(options[min(at + 1, last)],),
            disabled=at == last,
            type="primary",
        )
        keys = {"stepper": f".st-key-stepper_{key}", "steps": {"ArrowLeft": -1, "ArrowRight": 1}}
        _keys(data=keys, key=f"{key}_keys", width="content", height=1)
        st.caption(words("stepper.keys"), width="content")
    return chosen
