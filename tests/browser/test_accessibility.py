"""Every screen for everybody: by axe's rules in both themes, by keys, by finger, without motion, and as numbers."""

import re
from collections.abc import Callable, Sequence

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import settle
from ui import frame

SCREENS = (*frame.ORDER, frame.BESIDE)


def open_whole(visit: Callable[..., Page], screen: str) -> Page:
    """The screen in English with everything on its shelf open."""
    page = visit(f"/{'' if screen == frame.FIRST else screen}?lang=en")
    for button in page.locator(".st-key-shelf button").all():
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
    settle(page)
    return page


def violations(page: Page) -> list[str]:
    """What axe finds, and in which elements; the minor is the empty corner of Streamlit's data frames."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{violation['id']}: {node['target']} {node['html'][:200]} {node['failureSummary']}"
        for violation in found
        if violation["impact"] != "minor"
        for node in violation["nodes"]
    ]


def turned_dark(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("getComputedStyle(document.querySelector('.stApp')).backgroundColor === 'rgb(18, 21, 29)'")
    page.wait_for_timeout(600)


@pytest.mark.parametrize("query", ["T=0.333&heads=5", "text=+", "heads=8&mask=padding&keep=0"])
def test_axe_finds_nothing_in_what_is_said_when_something_is_wrong(query: str, visit: Callable[..., Page]):
    page = visit(f"/playground?lang=ko&{query}")
    assert page.locator("[data-testid=stAlert]").count()
    assert violations(page) == []
    turned_dark(page)
    assert violations(page) == []


def luminance(colour: str) -> float:
    """Relative luminance of `rgb(r, g, b)` as WCAG 2 defines it."""
    shares = [int(channel) / 255 for channel in re.findall(r"\d+", colour)[:3]]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return sum(part * channel for part, channel in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_labels_of_a_chart_s_axes_are_as_readable_as_text_has_to_be(visit: Callable[..., Page], scheme: str):
    """axe looks at no text in a picture."""
    page = visit("/temperature?lang=en", color_scheme=scheme)
    ground = luminance(page.locator(".stApp").evaluate("app => getComputedStyle(app).backgroundColor"))
    inks = page.locator("svg :is(.role-axis-label, .role-axis-title) text").evaluate_all(
        "texts => texts.map(text => getComputedStyle(text).fill)"
    )
    assert len(inks) > 20
    for ink in map(luminance, set(inks)):
        assert (max(ink, ground) + 0.05) / (min(ink, ground) + 0.05) >= 4.5


# The element with the focus, also inside a component; where it is; and how it and what surrounds it closely look.
FOCUSED = """() => {
  let element = document.activeElement
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
  let place = element
  while (!place.closest('[class*="st-key-"]') && place.getRootNode().host) place = place.getRootNode().host
  const key = place.closest('[class*="st-key-"]')?.className.match(/st-key-([\\w-]+)/)[1] ?? element.tagName
  const look = () => {
    const looks = []
    for (let around = element; around && looks.length < 4; around = around.parentElement) {
      const { outlineStyle, outlineColor, boxShadow } = getComputedStyle(around)
      looks.push(outlineStyle === "none" ? "" : outlineColor, boxShadow)
    }
    return looks.join()
  }
  const before = window.focused
  window.focused = { key, look, seen: look() }
  return [key, before && before.look() === before.seen ? before.key : ""]
}"""


def in_order(expected: Sequence[str], found: Sequence[str]) -> bool:
    rest = iter(found)
    return all(name in rest for name in expected)


def test_tab_goes_down_the_playground_and_shows_where_it_is(visit: Callable[..., Page]):
    page = visit("/playground?lang=en&heads=2", reduced_motion="reduce")
    stops, unseen = [], []
    while "foot" not in stops[:-1]:
        page.keyboard.press("Tab")
        page.wait_for_timeout(120)
        stop, without_sign = page.evaluate(FOCUSED)
        stops.append(stop)
        unseen.append(without_sign)
        assert len(stops) < 80, stops
    assert [name for name in unseen if name] == []
    controls = ("text", "examples", "d_k", "T", "scale", "heads", "mask", "seed")
    pictures = ("query", "head", "chart_scores", "chart_weights", "chart_heads")
    assert in_order(("lang", "terms", "copy_link", *controls, *pictures, "preset_collapse", "shelf", "foot"), stops)


# Every duration, in seconds, of a transition or an animation that still moves something.
MOTION = """() => [...document.querySelectorAll("*")].flatMap(element => ["", "::before", "::after"].flatMap(part => {
  const { transitionDuration, animationDuration } = getComputedStyle(element, part)
  return `${transitionDuration},${animationDuration}`.split(",").map(parseFloat).filter(seconds => seconds > 0.001)
}))"""


def test_whoever_wants_no_motion_gets_none(visit: Callable[..., Page]):
    page = visit("/playground?lang=en")
    assert page.evaluate(MOTION), "there is something to turn off"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(MOTION) == []
    page.locator(".st-key-terms button").click()
    page.locator("[data-testid=stPopoverBody]").wait_for()
    assert page.evaluate(MOTION) == []


# What a finger aims at: a thumb instead of its hidden input, a label with its switch, and what else can be pressed. A
# target is too small if a tap 21 px from its middle is not its own.
TOO_SMALL = """whole => {
  const deep = root => [...root.querySelectorAll("*")].flatMap(e => [e, ...(e.shadowRoot ? deep(e.shadowRoot) : [])])
  const pressed = "button, a[href], input, textarea, summary, [role=button], [role=radio], [role=option], [role=tab]"
  const inline = "p a, [data-testid=stSkipToContent]"
  const aim = e => {
    if (e.type === "range") return e.closest(":has(> [data-testid=stSliderThumbValue])")
    return e.matches("button") ? e : e.closest("label") ?? e
  }
  const misses = target => {
    target.scrollIntoView({ block: "center", behavior: "instant" })
    const { x, y, width, height, right } = target.getBoundingClientRect()
    if (!width || right <= 0 || x >= innerWidth) return false
    return [[-21, 0], [21, 0], [0, -21], [0, 21]].some(([across, down]) => {
      const hit = target.getRootNode().elementFromPoint(x + width / 2 + across, y + height / 2 + down)
      return !target.contains(hit)
    })
  }
  return deep(whole)
    .filter(e => e.matches(pressed) && !e.closest(inline) && e.checkVisibility({ opacityProperty: true }))
    .filter(e => misses(aim(e)))
    .map(e => `${e.closest("[class*=st-key-]")?.className.match(/st-key-[\\w-]+/) ?? ""} ${e.outerHTML.slice(0, 150)}`)
}"""


def test_a_finger_finds_44_pixels_in_the_menu_and_in_what_opens(visit: Callable[..., Page]):
    page = visit("/playground?lang=en", width=390, has_touch=True, new_profile=True)
    opened = page.locator("[data-testid=stPopoverBody]")
    for name, inside in (("terms", "a"), ("examples", "button")):
        page.locator(f".st-key-{name} button").click()
        opened.locator(inside).first.wait_for()
        assert opened.evaluate(TOO_SMALL) == []
        page.keyboard.press("Escape")
        opened.wait_for(state="detached")
    page.locator("[data-testid=stExpandSidebarButton]").click()
    page.locator("[data-testid=stSidebarNavLink]").first.wait_for()
    page.wait_for_timeout(500)
    assert page.locator("[data-testid=stSidebar]").evaluate(TOO_SMALL) == []


@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_has_nothing_by_axe_a_table_for_its_charts_and_room_for_fingers(
    screen: str, visit: Callable[..., Page]
):
    page = open_whole(visit, screen)
    assert violations(page) == []
    turned_dark(page)
    assert violations(page) == []
    if page.locator("[data-testid=stVegaLiteChart], .map").count():
        assert page.locator("[class*='st-key-panel_table_']").count()
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    assert page.locator("body").evaluate(TOO_SMALL) == []
