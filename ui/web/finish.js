// The address is replaced without an entry in the history, so that Back leaves the screen and not the last slider step.
// Streamlit's own `alt` is part of a chart's specification, and another one would draw the chart anew at every change:
// the descriptions are set from outside, and set again when the chart sets its own.
// A slider tells Streamlit its value on release. While one is dragged, the value under the thumb is sent as a trigger,
// and the next one when that has been answered: a busy server slows the drag down, and nothing piles up. Nothing writes
// into the slider, so its thumb, its keys and its settled value are Streamlit's own.
// On a phone Streamlit lays its menu over the page and leaves it there when a screen has been chosen, and keeps that for
// the next visit: on a screen that is new it is closed.
let observer
let screen
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
  if (address.pathname !== screen) {
    screen = address.pathname
    const menu = '[data-testid="stSidebar"][data-collapsed="false"] [data-testid="stSidebarCollapseButton"] button'
    if (window.innerWidth <= 768) document.querySelector(menu)?.click()
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
