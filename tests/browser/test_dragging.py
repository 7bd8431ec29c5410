"""The pictures follow the thumb while it is held, and the settled value is Streamlit's own."""

from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.conftest import settle

WATCH = """() => {
  const figure = () => document.querySelector(".figures dt + dd").innerText
  window.seen = [figure()]
  new MutationObserver(() => { if (figure() !== window.seen.at(-1)) window.seen.push(figure()) })
    .observe(document.querySelector("[data-testid=stMain]"), { subtree: true, childList: true, characterData: true })
}"""


def test_figures_follow_a_held_slider_and_settle_on_release(visit: Callable[..., Page]):
    page = visit("/playground")
    slider = page.locator(".st-key-T input[type=range]")
    x, y = slider.evaluate("e => { const b = e.parentElement.getBoundingClientRect(); return [b.x, b.y] }")
    page.evaluate(WATCH)
    charts = page.locator("[data-testid=stVegaLiteChart] svg")
    charts.evaluate_all("svgs => svgs.forEach(svg => svg.dataset.mine = '1')")
    page.mouse.move(x, y)
    page.mouse.down()
    shown = []
    for step in range(1, 9):
        page.mouse.move(x + 10 * step, y)
        shown.append(slider.get_attribute("aria-valuetext"))
        page.wait_for_timeout(250)
    settle(page)
    assert "T=" not in page.evaluate("location.search"), "the link waits for the release"
    held = page.evaluate("window.seen")
    assert len(held) >= 5, held
    assert held == sorted(held, reverse=True), "hotter is flatter at every step"
    page.mouse.up()
    settle(page)
    assert slider.get_attribute("aria-valuetext") == shown[-1]
    assert f"T={shown[-1]}" in page.evaluate("location.search")
    assert page.evaluate("window.seen").pop() == held[-1], "the release changes nothing that the drag had not shown"
    assert page.locator("svg[data-mine='1']").count() == charts.count()

    fresh = visit(f"/playground?T={shown[-1]}")
    assert fresh.locator(".figures dt + dd").first.inner_text() == held[-1]
