"""What only the browser can do: say what is on the screen in the address and to a screen reader, and copy the link."""

from collections.abc import Mapping

import streamlit as st

from ui.text import Words

# The address is replaced without an entry in the history, so that Back leaves the screen and not the last slider step.
# Streamlit's own `alt` is part of a chart's specification, and another one would draw the chart anew at every change:
# the descriptions are set from outside, and set again when the chart sets its own.
_FINISH = """
let observer
export default function ({ data }) {
  const address = new URL(window.location.href)
  if (address.search.slice(1) !== data.query) {
    address.search = data.query
    window.history.replaceState(window.history.state, "", address)
  }
  const describe = () => {
    for (const [key, text] of Object.entries(data.descriptions)) {
      const chart = document.querySelector(`.st-key-chart_${key} [data-testid="stVegaLiteChart"]`)
      if (chart && chart.getAttribute("aria-label") !== text) chart.setAttribute("aria-label", text)
    }
  }
  // The function runs again with every change of its data and is left only with the page.
  observer?.disconnect()
  describe()
  observer = new MutationObserver(describe)
  const page = document.querySelector('[data-testid="stMain"]')
  observer.observe(page, { subtree: true, childList: true, attributeFilter: ["aria-label"] })
  return () => observer.disconnect()
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


def finish(query: str, descriptions: Mapping[str, str]) -> None:
    """Make the address say `query`, and each chart what `descriptions` (chart key -> text) says of it."""
    _finish(data={"query": query, "descriptions": dict(descriptions)}, key="finish", height=1)


def copy_button(words: Words) -> None:
    """A button that copies the address, which always says what is on the screen."""
    _copy(data={"copy": words("link.copy"), "copied": words("link.copied")}, key="copy_link", width="content")


_finish = st.components.v2.component("attention_explorer_finish", js=_FINISH)
_copy = st.components.v2.component(
    "attention_explorer_copy", html='<button type="button" aria-live="polite"></button>', css=_COPY_STYLE, js=_COPY
)
