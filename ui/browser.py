"""What only the browser can do: name the state in the address, describe charts, follow a drag, copy the link."""

from collections.abc import Mapping

import streamlit as st

from ui.text import Words

# The address is replaced without an entry in the history, so that Back leaves the screen and not the last slider step.
# Streamlit's own `alt` is part of a chart's specification, and another one would draw the chart anew at every change:
# the descriptions are set from outside, and set again when the chart sets its own.
# A slider tells Streamlit its value on release. While one is dragged, the value under the thumb is sent as a trigger,
# and the next one when that has been answered: a busy server slows the drag down, and nothing piles up. Nothing writes
# into the slider, so its thumb, its keys and its settled value are Streamlit's own.
_FINISH = """
let observer
const drag = { slider: null, key: "", sent: "", answered: true, send: null }
const follow = () => {
  if (!drag.slider) return
  const value = drag.slider.getAttribute("aria-valuetext")
  if (drag.answered && value !== null && value !== drag.sent) {
    drag.answered = false
    drag.sent = value
    drag.send("drag", { key: drag.key, value })
  }
  requestAnimationFrame(follow)
}
const grab = (event) => {
  const box = event.target.closest?.('[data-testid="stSlider"]')
  const named = box?.closest('[class*="st-key-"]')
  drag.slider = (named && box.querySelector('input[type="range"]')) ?? null
  if (!drag.slider) return
  drag.key = [...named.classList].find((name) => name.startsWith("st-key-")).slice("st-key-".length)
  drag.sent = drag.slider.getAttribute("aria-valuetext")
  requestAnimationFrame(follow)
}
const release = () => { drag.slider = null }
document.addEventListener("pointerdown", grab, true)
document.addEventListener("pointerup", release, true)
document.addEventListener("pointercancel", release, true)

export default function ({ data: [data], setTriggerValue }) {
  drag.send = setTriggerValue
  drag.answered = true
  const address = new URL(window.location.href)
  if (address.search.slice(1) !== data.query) {
    address.search = data.query
    window.history.replaceState(window.history.state, "", address)
  }
  // The function runs again with every change of its data and is left only with the page.
  observer?.disconnect()
  observer = new MutationObserver((changes) => changes.forEach(({ target }) => describe(target)))
  const texts = new Map()
  const describe = (chart) => {
    if (chart.getAttribute("aria-label") !== texts.get(chart)) chart.setAttribute("aria-label", texts.get(chart))
  }
  const find = (missing, tries) => {
    const absent = missing.filter(([key, text]) => {
      const chart = document.querySelector(`.st-key-chart_${key} [data-testid="stVegaLiteChart"]`)
      if (!chart) return true
      texts.set(chart, text)
      describe(chart)
      observer.observe(chart, { attributeFilter: ["aria-label"] })
      return false
    })
    // On a first visit the charts' own program is still on its way.
    if (absent.length && tries && observer === mine) setTimeout(() => find(absent, tries - 1), 100)
  }
  const mine = observer
  find(Object.entries(data.descriptions), 100)
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
export default function ({ data: [data], parentElement }) {
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


_finish = st.components.v2.component("attention_explorer_finish", js=_FINISH)
_copy = st.components.v2.component(
    "attention_explorer_copy", html='<button type="button" aria-live="polite"></button>', css=_COPY_STYLE, js=_COPY
)
