// What each slider, choice, number and switch shows, as the position of its option, before the server hears of it. It is
// the value of the page's body: Vega binds a parameter to the value of an element (ui/frame.py), and maps look there
// (map.js). It has to be known before the first chart is made, for which an element of Components v2 would come too
// late. Once in a page is enough.
if (!document.body.value) {
  const ONE = 'input:is([type="range"], [type="number"], [role="switch"]), [role="radio"][aria-checked="true"]'
  const STEPS = ["ArrowUp", "ArrowDown", "Enter"]
  const keyOf = (control) => {
    const named = control.closest('[class*="st-key-"]')
    return named && [...named.classList].find((name) => name.startsWith("st-key-")).slice("st-key-".length)
  }
  const choice = (one) => [...one.closest('[role="radiogroup"]').querySelectorAll('[role="radio"]')].indexOf(one)
  const POSITION = {
    range: ({ valueAsNumber }) => valueAsNumber,
    number: ({ valueAsNumber, min, validity }) => (validity.valid ? valueAsNumber - min : undefined),
    checkbox: ({ checked }) => Number(checked),
  }
  const position = (control) => (POSITION[control.type] ?? choice)(control)
  let last
  const look = () => {
    const shown = Object.fromEntries([...document.querySelectorAll(ONE)].map((one) => [keyOf(one), position(one)]))
    const now = JSON.stringify(shown)
    if (now === last) return
    last = now
    document.body.value = shown
    document.body.dispatchEvent(new Event("shown"))
  }
  const brings = ({ type, addedNodes }) =>
    type === "attributes" || [...addedNodes].some((node) => node.matches?.(ONE) || node.querySelector?.(ONE))
  new MutationObserver((changes) => changes.some(brings) && look()).observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ["aria-valuetext", "aria-checked", "value", "data-selected"],
  })
  // A number with the focus changes no attribute. What is being typed does not count before it is done.
  document.addEventListener("keydown", ({ key, target }) => target.type === "number" && STEPS.includes(key) && look())
  document.addEventListener("change", look)
  look()
}
