// A map of a matrix, or of several side by side, painted on a canvas in a fraction of a frame at each change of its data.
// What it knows comes from ui/maps.py; here are places and colours alone.
// A slider shows its new value before the server hears of it: what came ahead for that option is painted at once.
// The run that follows brings them again, and then nothing is left to paint.

const LONGEST_LABEL = 96
const SLANT = (40 * Math.PI) / 180
const SLANTED_FROM = 18
const LEGEND = { thick: 9, gap: 14, label: 6, text: 32, high: 150 }
const STRIP = { gap: 18, title: 22, frame: 4 }
const PAINTED = "codes blocked unit limit diverging prints rows columns panels across picked words height".split(" ")
const maps = new Map()
// One for which nothing else came ahead has nothing to do.
const moved = () => maps.forEach((map) => toldAhead(map.latest) !== map.there && show(map))
// What sliders show: shown.js.
document.body.addEventListener("shown", moved)

export default function ({ data: [data], parentElement, setTriggerValue }) {
  if (!maps.has(parentElement)) maps.set(parentElement, build(parentElement.querySelector(".map")))
  const map = maps.get(parentElement)
  Object.assign(map, { latest: data, tell: setTriggerValue })
  map.box.setAttribute("aria-label", data.alt)
  map.box.classList.toggle("picks", data.picks)
  show(map)
  return () => {
    map.resized.disconnect()
    maps.delete(parentElement)
  }
}

// Paint what is to be seen, unless it is what was painted last.
function show(map) {
  // A map that has left the page has no colours and no width any more.
  if (!map.box.isConnected) return
  map.there = toldAhead(map.latest)
  const data = (map.data = { ...map.latest, ...map.there })
  const painted = JSON.stringify([PAINTED.map((name) => data[name]), theme(map), map.box.clientWidth])
  if (painted === map.painted) return
  Object.assign(map, { painted, codes: numbers(data), blocked: flags(data) })
  draw(map)
  if (map.cursor) point(map, map.cursor.panel, map.cursor.query, map.cursor.key)
}

function toldAhead({ ahead }) {
  for (const [key, places] of Object.entries(ahead)) {
    const there = places[document.body.value?.[key]]
    if (there) return there
  }
}

function theme({ box }) {
  const style = getComputedStyle(box)
  const palette = (name) => style.getPropertyValue(`--st-chart-${name}-colors`)
  return { text: style.color, sequential: palette("sequential"), diverging: palette("diverging") }
}

function build(box) {
  const part = (name) => box.querySelector(name)
  const map = { box, canvas: part("canvas"), picked: part(".picked"), outline: part(".cursor"), tip: part(".tip") }
  Object.assign(map, { said: part(".said"), cursor: null, latest: null })
  map.resized = new ResizeObserver(() => map.latest && show(map))
  map.resized.observe(box)
  map.canvas.addEventListener("pointermove", (event) => {
    const cell = under(map, event)
    cell ? point(map, ...cell) : leave(map)
  })
  map.canvas.addEventListener("pointerleave", () => leave(map))
  map.canvas.addEventListener("click", (event) => {
    const cell = under(map, event)
    if (!cell) return
    // A finger that is lifted has left the map: what it tapped is told nevertheless.
    point(map, ...cell)
    choose(map, ...cell)
  })
  box.addEventListener("keydown", (event) => walk(map, event))
  box.addEventListener("blur", () => leave(map))
  return map
}

const bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))

function numbers({ codes, bits }) {
  const { buffer } = bytes(codes)
  return bits === 16 ? new Int16Array(buffer) : new Int32Array(buffer)
}

function flags({ blocked }) {
  const packed = bytes(blocked)
  return (i) => Boolean((packed[i >> 3] << (i & 7)) & 128)
}

// Places: every panel's corner, the size of a panel and of a cell, and how labels stand, for the width there is.
function laidOut(map, ink) {
  const { rows, columns, panels, across, height } = map.data
  const width = map.box.clientWidth
  if (panels.length > 1) {
    const down = Math.ceil(panels.length / across)
    const wide = (width - STRIP.gap * (across - 1) - 2 * STRIP.frame) / across
    const high = height / down - STRIP.title - 8
    const corners = panels.map((_, i) => ({
      x: STRIP.frame + (i % across) * (wide + STRIP.gap),
      y: Math.floor(i / across) * (high + STRIP.title + 8) + STRIP.title,
    }))
    return { width, height, corners, wide, high, cw: wide / columns.length, ch: high / rows.length }
  }
  ink.font = font(map, 12)
  const label = (text) => Math.min(ink.measureText(text).width, LONGEST_LABEL)
  const widest = (labels) => Math.max(...labels.map(label))
  const title = 22
  const left = title + widest(rows) + 8
  // Maps side by side stay equal: their legends take the same room whatever they say.
  let right = LEGEND.gap + LEGEND.thick + LEGEND.label + LEGEND.text
  const slanted = (width - left - right) / columns.length >= SLANTED_FROM && columns.length <= 20
  if (slanted) {
    const cw = (width - left - right) / columns.length
    const reach = columns.map((text, j) => label(text) * Math.cos(SLANT) - (columns.length - 1 - j + 0.5) * cw)
    right = Math.max(right, ...reach)
  }
  const top = title + (slanted ? widest(columns) * Math.sin(SLANT) + 10 : widest(columns)) + 8
  const wide = Math.max(width - left - right, 10)
  const high = Math.max(height - top - 4, 10)
  const corners = [{ x: left, y: top }]
  return { width, height, corners, wide, high, cw: wide / columns.length, ch: high / rows.length, slanted }
}

function draw(map) {
  const { canvas, data } = map
  const ratio = window.devicePixelRatio || 1
  const ink = canvas.getContext("2d")
  const place = (map.place = laidOut(map, ink))
  const [wide, high] = [Math.round(place.width * ratio), Math.round(place.height * ratio)]
  if (canvas.width !== wide || canvas.height !== high) {
    Object.assign(canvas, { width: wide, height: high })
    Object.assign(canvas.style, { width: `${place.width}px`, height: `${place.height}px` })
  }
  ink.setTransform(ratio, 0, 0, ratio, 0, 0)
  ink.clearRect(0, 0, place.width, place.height)
  const { text, sequential, diverging } = theme(map)
  const ramp = sequential.split(",").map(rgb)
  map.text = text
  map.shades = shades(data.diverging ? diverging.split(",").map(rgb) : ramp)
  map.inks = map.shades.map((shade) => css(clearer(shade, ramp[0], ramp.at(-1))))
  const size = data.rows.length * data.columns.length
  place.corners.forEach((corner, panel) => {
    const from = panel * size
    const cells = { codes: map.codes.subarray(from, from + size), isBlocked: (i) => map.blocked(from + i) }
    if (Math.min(place.cw, place.ch) < 5) paintPixels(map, ink, corner, cells)
    else paintCells(map, ink, corner, cells)
    if (data.panels.length > 1) write(map, ink, data.panels[panel], corner.x + place.wide / 2, corner.y - 8, place.wide)
    else if (data.prints) writeNumbers(map, ink, corner, cells)
  })
  if (data.panels.length === 1) {
    writeAxes(map, ink)
    drawLegend(map, ink)
  }
  frame(map)
}

const rgb = (text) => {
  const number = parseInt(text.trim().slice(1), 16)
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255]
}
const css = (colour) => `rgb(${colour.join()})`

// 256 steps through the theme's ten colours.
function shades(palette) {
  return Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * (palette.length - 1)
    const low = Math.min(Math.floor(at), palette.length - 2)
    return palette[low].map((channel, c) => Math.round(channel + (palette[low + 1][c] - channel) * (at - low)))
  })
}

// Relative luminance and contrast as WCAG 2 defines them.
function luminance(colour) {
  const [r, g, b] = colour.map((c) => (c <= 10 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function clearer(ground, ...inks) {
  const on = luminance(ground) + 0.05
  const contrast = (ink) => Math.max(on / (luminance(ink) + 0.05), (luminance(ink) + 0.05) / on)
  return inks.reduce((best, ink) => (contrast(ink) > contrast(best) ? ink : best))
}

function shadeOf({ data }, code) {
  const share = (code * data.unit) / data.limit
  return Math.max(0, Math.min(255, Math.round(255 * (data.diverging ? (share + 1) / 2 : share))))
}

function paintCells(map, ink, corner, { codes, isBlocked }) {
  const { cw, ch } = map.place
  const columns = map.data.columns.length
  const radius = Math.min(cw, ch) >= 16 ? 3 : 1
  const gap = Math.min(cw, ch) >= 8 ? 1 : 0.5
  const fills = map.shades.map(css)
  const strokes = new Path2D()
  const half = Math.min(4, cw / 3, ch / 3)
  codes.forEach((code, i) => {
    const x = corner.x + (i % columns) * cw
    const y = corner.y + Math.floor(i / columns) * ch
    if (isBlocked(i)) {
      strokes.moveTo(x + cw / 2 - half, y + ch / 2 + half)
      strokes.lineTo(x + cw / 2 + half, y + ch / 2 - half)
      return
    }
    ink.fillStyle = fills[shadeOf(map, code)]
    ink.beginPath()
    ink.roundRect(x + gap / 2, y + gap / 2, cw - gap, ch - gap, radius)
    ink.fill()
  })
  ink.strokeStyle = "rgb(128 128 128 / 0.7)"
  ink.lineWidth = 1.2
  ink.stroke(strokes)
}

// Cells too small to be drawn one by one: a picture of one pixel a cell, stretched; blocked ones let hatching through.
function paintPixels(map, ink, corner, { codes, isBlocked }) {
  const { wide, high } = map.place
  const [across, down] = [map.data.columns.length, map.data.rows.length]
  const picture = new ImageData(across, down)
  const pixels = new Uint32Array(picture.data.buffer)
  const packed = map.shades.map(([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0)
  codes.forEach((code, i) => { pixels[i] = isBlocked(i) ? 0 : packed[shadeOf(map, code)] })
  const small = new OffscreenCanvas(across, down)
  small.getContext("2d").putImageData(picture, 0, 0)
  if (map.data.blocked) hatch(ink, corner, map.place)
  ink.imageSmoothingEnabled = false
  ink.drawImage(small, corner.x, corner.y, wide, high)
}

function hatch(ink, { x, y }, { wide, high }) {
  ink.save()
  ink.beginPath()
  ink.rect(x, y, wide, high)
  ink.clip()
  ink.beginPath()
  for (let from = x; from < x + wide + high; from += 7) {
    ink.moveTo(from, y)
    ink.lineTo(from - high, y + high)
  }
  ink.strokeStyle = "rgb(128 128 128 / 0.6)"
  ink.lineWidth = 1
  ink.stroke()
  ink.restore()
}

const font = (map, size, weight = 400) => `${weight} ${size}px ${getComputedStyle(map.box).fontFamily}`

function write(map, ink, text, x, y, room) {
  ink.font = font(map, 12, 600)
  ink.fillStyle = map.text
  ink.textAlign = "center"
  ink.textBaseline = "alphabetic"
  ink.fillText(cut(ink, text, room), x, y)
}

function cut(ink, text, room) {
  if (ink.measureText(text).width <= room) return text
  const letters = [...text]
  while (letters.length && ink.measureText(letters.join("") + "…").width > room) letters.pop()
  return letters.join("") + "…"
}

function writeNumbers(map, ink, corner, { codes, isBlocked }) {
  const { data, place } = map
  const { least, digits, trim } = data.prints
  const columns = data.columns.length
  const texts = [...codes].map((code, i) => {
    if (isBlocked(i) || Math.abs(code * data.unit) < least) return ""
    const text = signed((code * data.unit).toFixed(digits))
    return trim ? text.replace(/\.?0+$/, "") || "0" : text
  })
  ink.font = font(map, 10.5)
  const widest = Math.max(...texts.map((text) => ink.measureText(text).width))
  if (widest > place.cw - 3 || place.ch < 13) return
  ink.textAlign = "center"
  ink.textBaseline = "middle"
  texts.forEach((text, i) => {
    if (!text) return
    ink.fillStyle = map.inks[shadeOf(map, codes[i])]
    const row = Math.floor(i / columns)
    ink.fillText(text, corner.x + ((i % columns) + 0.5) * place.cw, corner.y + (row + 0.5) * place.ch + 0.5)
  })
}

function writeAxes(map, ink) {
  const { data, place } = map
  const { cw, ch, wide, high } = place
  const { x: left, y: top } = place.corners[0]
  ink.fillStyle = map.text
  ink.globalAlpha = 0.8
  ink.textBaseline = "middle"
  const size = (room) => Math.max(8, Math.min(12, room * 0.92))
  const every = (room) => Math.max(1, Math.ceil(9 / room))
  ink.font = font(map, size(ch))
  ink.textAlign = "right"
  for (let i = 0; i < data.rows.length; i += every(ch))
    ink.fillText(cut(ink, data.rows[i], LONGEST_LABEL), left - 8, top + (i + 0.5) * ch)
  ink.font = font(map, place.slanted ? 12 : size(cw))
  ink.textAlign = "left"
  for (let j = 0; j < data.columns.length; j += every(cw)) {
    ink.save()
    ink.translate(left + (j + 0.5) * cw, top - 6)
    ink.rotate(place.slanted ? -SLANT : -Math.PI / 2)
    ink.fillText(cut(ink, data.columns[j], LONGEST_LABEL), 0, 0)
    ink.restore()
  }
  ink.globalAlpha = 1
  write(map, ink, data.words.key, left + wide / 2, 12, wide)
  ink.save()
  ink.translate(12, top + high / 2)
  ink.rotate(-Math.PI / 2)
  write(map, ink, data.words.query, 0, 0, high)
  ink.restore()
}

const signed = (text) => text.replace(/^-(?=[0.]*$)/, "").replace("-", "−")

function legendText({ diverging, limit }, end) {
  return end < 0 && !diverging ? "0" : signed(String(Number((end * limit).toPrecision(2))))
}

function drawLegend(map, ink) {
  const { data, place } = map
  const { x, y } = place.corners[0]
  const [left, high] = [x + place.wide + LEGEND.gap, Math.min(place.high, LEGEND.high)]
  const gradient = ink.createLinearGradient(0, y + high, 0, y)
  map.shades.forEach((shade, i) => i % 15 || gradient.addColorStop(i / 255, css(shade)))
  ink.fillStyle = gradient
  ink.beginPath()
  ink.roundRect(left, y, LEGEND.thick, high, 2)
  ink.fill()
  ink.fillStyle = map.text
  ink.globalAlpha = 0.8
  ink.font = font(map, 11)
  ink.textAlign = "left"
  const middle = data.diverging ? "0" : legendText(data, 0.5)
  for (const [text, at] of [[legendText(data, 1), 5], [middle, high / 2], [legendText(data, -1), high - 5]]) {
    ink.textBaseline = "middle"
    ink.fillText(text, left + LEGEND.thick + LEGEND.label, y + at)
  }
  ink.globalAlpha = 1
}

function put(element, x, y, wide, high) {
  element.hidden = false
  Object.assign(element.style, { left: `${x}px`, top: `${y}px`, width: `${wide}px`, height: `${high}px` })
}

// The picked row of a map, or the picked one of several maps.
function frame(map) {
  const { data, place } = map
  map.picked.hidden = data.picked === null
  if (data.picked === null) return
  const several = data.panels.length > 1
  const { x, y } = place.corners[several ? data.picked : 0]
  if (several) put(map.picked, x - STRIP.frame, y - STRIP.frame, place.wide + 2 * STRIP.frame, place.high + 2 * STRIP.frame)
  else put(map.picked, x - 2, y + data.picked * place.ch - 1, place.wide + 4, place.ch + 2)
}

function under(map, event) {
  const { place, data } = map
  const bounds = map.canvas.getBoundingClientRect()
  const [px, py] = [event.clientX - bounds.left, event.clientY - bounds.top]
  for (const [panel, { x, y }] of place.corners.entries()) {
    const [query, key] = [Math.floor((py - y) / place.ch), Math.floor((px - x) / place.cw)]
    if (query >= 0 && key >= 0 && query < data.rows.length && key < data.columns.length) return [panel, query, key]
  }
  return null
}

function point(map, panel, query, key) {
  const { data, place } = map
  if (panel >= data.panels.length || query >= data.rows.length || key >= data.columns.length) return leave(map)
  map.cursor = { panel, query, key }
  const at = (panel * data.rows.length + query) * data.columns.length + key
  const value = map.blocked(at) ? data.words.blocked : signed((map.codes[at] * data.unit).toFixed(data.digits))
  const lines = [`${data.rows[query]} → ${data.columns[key]}`, `${data.words.value} ${value}`]
  if (data.panels.length > 1) lines.unshift(`${data.words.panel} ${data.panels[panel]}`)
  map.told = lines.join(", ")
  const { x, y } = place.corners[panel]
  const [left, top] = [x + key * place.cw, y + query * place.ch]
  put(map.outline, left - 1, top - 1, Math.max(place.cw, 4) + 2, Math.max(place.ch, 4) + 2)
  map.tip.replaceChildren(...lines.flatMap((line, i) => [...(i ? [document.createElement("br")] : []), line]))
  map.tip.hidden = false
  const beside = left + place.cw + 12
  const room = map.box.clientWidth - map.tip.offsetWidth
  map.tip.style.left = `${Math.max(0, beside <= room ? beside : Math.min(left - map.tip.offsetWidth - 12, room))}px`
  map.tip.style.top = `${Math.max(0, Math.min(top + place.ch + 8, place.height - map.tip.offsetHeight))}px`
}

function leave(map) {
  map.cursor = null
  map.outline.hidden = map.tip.hidden = true
}

function choose(map, panel, query, key) {
  if (map.data.picks) map.tell("pick", { panel, query, key })
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }

// Arrow keys go from cell to cell, Home and End along a row, with Ctrl to the first cell and the last; Enter chooses a
// cell, Escape ends it. What stands there is said aloud.
function walk(map, event) {
  const { data, cursor } = map
  const [bottom, last] = [data.rows.length - 1, data.columns.length - 1]
  let { panel, query, key } = cursor ?? { panel: 0, query: data.panels.length === 1 ? (data.picked ?? 0) : 0, key: 0 }
  if (event.key in STEPS) {
    const [down, right] = cursor ? STEPS[event.key] : [0, 0]
    ;[query, key] = [Math.max(0, Math.min(query + down, bottom)), key + right]
    if (key > last && panel < data.panels.length - 1) [panel, key] = [panel + 1, 0]
    if (key < 0 && panel > 0) [panel, key] = [panel - 1, last]
    key = Math.max(0, Math.min(key, last))
  } else if (event.key === "Home") {
    key = 0
    if (event.ctrlKey) [panel, query] = [0, 0]
  } else if (event.key === "End") {
    key = last
    if (event.ctrlKey) [panel, query] = [data.panels.length - 1, bottom]
  } else if ((event.key === "Enter" || event.key === " ") && cursor) {
    choose(map, panel, query, key)
  } else if (event.key === "Escape" && cursor) {
    leave(map)
  } else return
  event.preventDefault()
  event.stopPropagation()
  if (event.key === "Escape") return
  point(map, panel, query, key)
  map.said.textContent = map.told
}
