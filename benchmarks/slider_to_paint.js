// Stamps key presses and paints of charts, and watches whether a chart stays. A chart may be an SVG or a canvas, and
// either may stand in the shadow of a component.
(() => {
  const NAMED = '[class*="st-key-chart_"]'
  const CHARTS = `${NAMED}, [data-testid="stVegaLiteChart"]`
  // Not the icons of its toolbar.
  const SURFACE = "svg.marks, canvas"
  const EVERYTHING = { subtree: true, childList: true, characterData: true, attributes: true }
  const DRAWING = ["putImageData", "drawImage", "fillRect", "clearRect", "fill", "stroke", "fillText"]
  const dirty = new Set()
  const watched = (window.watched = { pressed: 0, paints: [], tagged: 0, gone: 0 })

  const chartOf = (node) => {
    const inner = node?.closest?.(CHARTS)
    if (inner) return inner.parentElement.closest(NAMED) ?? inner
    const host = node?.getRootNode?.().host
    return host ? chartOf(host) : null
  }
  const nameOf = (chart) => chart.className.match(/st-key-chart_(\w+)/)?.[1] ?? ""
  const painted = (node) => {
    const chart = chartOf(node)
    if (!chart) return
    if (dirty.size === 0) requestAnimationFrame(() => {
      const now = performance.now()
      for (const chart of dirty) watched.paints.push([now, nameOf(chart)])
      dirty.clear()
    })
    dirty.add(chart)
  }

  const observer = new MutationObserver((changes) => {
    for (const { target, addedNodes, attributeName } of changes) {
      // What is said to a screen reader is not painted.
      if (attributeName?.startsWith("aria")) continue
      const node = target.nodeType === Node.TEXT_NODE ? target.parentElement : target
      const brings = (added) => added.matches?.(SURFACE) || added.querySelector?.(SURFACE)
      if (node?.closest?.(SURFACE) || node?.getRootNode().host || [...addedNodes].some(brings)) painted(node)
    }
  })
  observer.observe(document, EVERYTHING)
  const attachShadow = Element.prototype.attachShadow
  Element.prototype.attachShadow = function (options) {
    const root = attachShadow.call(this, options)
    observer.observe(root, EVERYTHING)
    return root
  }
  for (const name of DRAWING) {
    const draw = CanvasRenderingContext2D.prototype[name]
    CanvasRenderingContext2D.prototype[name] = function (...given) {
      if (this.canvas.isConnected) painted(this.canvas)
      return draw.apply(this, given)
    }
  }
  addEventListener("keydown", () => {
    watched.pressed = performance.now()
    watched.paints.length = 0
  }, true)

  const surfaceOf = (chart) => {
    const shadow = [...chart.querySelectorAll("*")].find((node) => node.shadowRoot)?.shadowRoot
    return chart.querySelector(SURFACE) ?? shadow?.querySelector(SURFACE)
  }
  const surfaces = () =>
    [...document.querySelectorAll(CHARTS)].filter((chart) => chartOf(chart) === chart).map(surfaceOf)
  const look = () => {
    if (!watched.tagged) return
    const now = surfaces()
    const blank = now.length < watched.tagged || now.some((surface) => !surface?.getBoundingClientRect().height)
    if (blank) watched.gone += 1
    requestAnimationFrame(look)
  }
  // Mark what the charts are drawn on, and look at every frame whether it is there.
  window.tagCharts = () => {
    const now = surfaces()
    for (const surface of now) if (surface) surface.tagged = true
    Object.assign(watched, { tagged: now.length, gone: 0 })
    requestAnimationFrame(look)
  }
  // How many charts have been made anew since, and in how many frames one was missing.
  window.chartsLost = () => {
    const lost = watched.tagged - surfaces().filter((surface) => surface?.tagged).length
    watched.tagged = 0
    return [lost, watched.gone]
  }
})()
