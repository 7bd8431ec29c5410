"""Charts move with their slider in the browser, before the server has heard of it, and are not painted again."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import go, map_of, settle

# What the marks of a chart say, in whatever order they came, and where a rule stands: to a hundredth of a wide chart,
# because Vega makes room for the labels of axes once, and not anew when they become longer.
MARKS = """key => [...document.querySelectorAll(`.st-key-chart_${key} svg.marks .role-mark :is(path, text, line)`)]
  .map(mark => mark.tagName === "line"
    ? mark.getAttribute("transform").replace(/[\\d.]+/g, place => Math.round(place / 8))
    : mark.getAttribute("aria-label") ?? mark.textContent).filter(Boolean).sort()"""
CUT_OFF = "() => { WebSocket.prototype.send = () => {} }"
COUNT = """key => {
  window.painted = 0
  const chart = document.querySelector(`.st-key-chart_${key} svg.marks`)
  new MutationObserver(changes => { if (changes.some(({ attributeName }) => !attributeName?.startsWith("aria")))
    window.painted += 1 }).observe(chart, { subtree: true, childList: true, attributes: true, characterData: true })
}"""


@pytest.mark.parametrize(
    ("screen", "control", "presses", "link", "charts"),
    [
        ("saturation", "d_k", 2, "d_k=256", ["bars", "largest", "keys", "gradient"]),
        ("temperature", "T", 3, "T=1.4", ["bars", "curves", "entropy", "dial"]),
        ("scaling", "d_k", 1, "d_k=128", ["scores", "grows", "settles"]),
        ("multi_head", "d_model", 2, "d_model=32", ["entropies", "concat", "output"]),
        ("encoder_block", "depth", 1, "depth=16", ["scale", "similarity", "cosine"]),
        ("cost", "cost_n", 1, "cost_n=1024", ["multiply_adds", "bytes", "growth"]),
        ("playground", "T", 3, "T=1.4", ["bars"]),
        ("claims", "T", 3, "T=1.4", ["sharpen"]),
        ("", "turn", 4, "turn=90", ["compare", "weigh", "mix"]),
    ],
)
def test_a_chart_shows_without_the_server_what_it_would_answer(
    visit: Callable[..., Page], screen: str, control: str, presses: int, link: str, charts: list[str]
):
    later = visit(f"/{screen}?lang=en&{link}")
    page = visit(f"/{screen}?lang=en")
    before = {key: page.evaluate(MARKS, key) for key in charts}
    page.evaluate(CUT_OFF)
    page.locator(f".st-key-{control} input[type=range]").focus()
    for _ in range(presses):
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(100)
    for key in charts:
        expected = later.evaluate(MARKS, key)
        assert page.evaluate(MARKS, key) == expected != before[key], key


def test_steps_are_shown_without_the_server_by_keys_and_by_a_click(visit: Callable[..., Page]):
    pages = {step: visit(f"/step_by_step?lang=en&step={step}") for step in ("vectors", "dot", "exp")}
    page = pages["vectors"]
    page.evaluate(CUT_OFF)
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(100)
    for step, act in (("dot", None), ("exp", lambda: page.locator(".st-key-step").get_by_text("exp").click())):
        if act:
            act()
            page.wait_for_timeout(100)
        assert page.evaluate(MARKS, "tape") == pages[step].evaluate(MARKS, "tape")
        assert picture(page, "matrix") == picture(pages[step], "matrix")


def test_a_mask_of_another_size_is_shown_without_the_server_once_it_is_asked_for(visit: Callable[..., Page]):
    pages = {left: visit(f"/masks?lang=en&mask=window&left={left}") for left in (2, 3, 4, 7)}
    page, number = pages[2], pages[2].locator(".st-key-left input")
    page.evaluate(CUT_OFF)

    def as_on(other: Page) -> bool:
        page.wait_for_timeout(100)
        same = [page.evaluate(MARKS, "ways") == other.evaluate(MARKS, "ways")]
        return all(same + [picture(page, key) == picture(other, key) for key in ("scores", "weights")])

    number.press("ArrowUp")
    assert as_on(pages[3])
    page.locator(".st-key-left [data-testid=stNumberInputStepUp]").click()
    assert as_on(pages[4])
    number.fill("7")
    assert as_on(pages[4])
    number.press("Enter")
    page.wait_for_timeout(100)
    assert page.evaluate(MARKS, "ways") == pages[7].evaluate(MARKS, "ways")


def test_a_switch_is_followed_without_the_server_by_keys_and_by_a_click(visit: Callable[..., Page]):
    without, added = (visit(f"/self_attention?lang=en&positions={positions}") for positions in ("false", "true"))
    seen = [[page.evaluate(MARKS, key) for key in ("project", "mix")] for page in (without, added)]
    assert seen[0] != seen[1]
    without.evaluate(CUT_OFF)
    switch = without.locator(".st-key-positions input")
    for act, expected in ((lambda: switch.press("Space"), 1), (lambda: switch.click(force=True), 0)):
        act()
        without.wait_for_timeout(100)
        assert [without.evaluate(MARKS, key) for key in ("project", "mix")] == seen[expected]


def picture(page: Page, key: str) -> str:
    shot: str = map_of(page, key).locator("canvas").evaluate("canvas => canvas.toDataURL()")
    return shot


@pytest.mark.parametrize(
    ("screen", "control", "chart"), [("saturation", "d_k", "bars"), ("temperature", "T", "curves")]
)
def test_a_chart_that_went_ahead_is_not_painted_again(
    visit: Callable[..., Page], screen: str, control: str, chart: str
):
    page = visit(f"/{screen}?lang=en")
    page.evaluate(COUNT, chart)
    page.locator(f".st-key-{control} input[type=range]").focus()
    for painted in (1, 2):
        page.keyboard.press("ArrowRight")
        settle(page)
        assert page.evaluate("window.painted") == painted
    assert f"{control}=" in page.url


def test_a_slider_moved_on_one_screen_is_where_it_was_on_another(visit: Callable[..., Page]):
    page = visit("/playground?lang=en")
    page.locator(".st-key-d_k input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    settle(page)
    go(page, "One query", "saturation")
    fresh = visit("/saturation?lang=en&d_k=128")
    assert page.evaluate(MARKS, "bars") == fresh.evaluate(MARKS, "bars") != []
    page.get_by_role("button", name="Divide by d_k").click()
    settle(page)
    preset = visit(f"/saturation?{page.url.partition('?')[2]}")
    assert page.evaluate(MARKS, "bars") == preset.evaluate(MARKS, "bars")


def test_a_chart_whose_slider_is_not_known_shows_the_first_option(visit: Callable[..., Page]):
    page, first = visit("/saturation?lang=en"), visit("/saturation?lang=en&d_k=1")
    for unknown in ("undefined", "{}"):
        page.evaluate(f"document.body.value = {unknown}; document.body.dispatchEvent(new Event('shown'))")
        page.wait_for_timeout(100)
        assert page.evaluate(MARKS, "bars") == first.evaluate(MARKS, "bars") != []
