"""A walk through every screen: nothing cut, blank or jumping, on a laptop in English and on a phone in Korean."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.conftest import settle
from ui import frame


def address(screen: str, language: str) -> str:
    return f"/{'' if screen == frame.FIRST else screen}?lang={language}"


def charts(page: Page) -> list[Locator]:
    return page.locator("[data-testid=stVegaLiteChart], .map").all()


def places(page: Page) -> list[tuple[float, ...]]:
    """Where each chart stands below the title, whatever the page is scrolled to."""
    boxes = [locator.bounding_box() for locator in (page.locator(".st-key-title_row"), *charts(page))]
    return [(b["x"], b["y"] - boxes[0]["y"], b["width"], b["height"]) for b in boxes if b and boxes[0]]


def is_whole(page: Page) -> None:
    """Every chart is drawn within the page and says what it shows; nothing is broken or scrolls sideways."""
    assert page.locator("[data-testid=stException]").count() == 0
    assert page.locator(".st-key-foot").is_visible()
    width = page.viewport_size["width"]  # type: ignore[index]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert charts(page)
    for chart in charts(page):
        box = chart.bounding_box()
        assert box is not None
        assert box["width"] > 60
        assert box["height"] > 60
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width + 1
        said = chart.get_attribute("aria-label")
        assert said, "a chart without a description"
        assert "nan" not in said.split()
    drawn = page.locator("[data-testid=stVegaLiteChart] svg").evaluate_all(
        "svgs => svgs.map(svg => svg.querySelectorAll('path, text').length)"
    )
    assert all(count > 3 for count in drawn), drawn


def cut(page: Page) -> list[str]:
    """Labels of buttons, metrics and headings that are wider than their place, and tables that leave the page."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll('button p, h1, h2, .figures dd')]
             .filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflow !== "visible")
             .concat([...document.querySelectorAll("table")].filter(table => {
               let place = table
               const scrolls = e => ["auto", "scroll"].includes(getComputedStyle(e).overflowX)
               while (place.parentElement && !scrolls(place)) place = place.parentElement
               const inside = place.matches("[data-testid=stMain], html") ? table : place
               return inside.getBoundingClientRect().right > innerWidth + 1
             }))
             .map(e => e.innerText)"""
    )
    return found


@pytest.mark.parametrize("screen", frame.ORDER)
def test_a_screen_is_whole_on_a_laptop_and_on_a_phone_and_nothing_jumps(screen: str, visit: Callable[..., Page]):
    page = visit(address(screen, "en"))
    is_whole(page)
    assert cut(page) == []
    before = places(page)
    slider = page.locator("[data-testid=stMain] input[type=range]").first
    if slider.count():
        slider.focus()
        slider.press("ArrowRight")
        settle(page)
        slider.press("ArrowLeft")
        settle(page)
        assert places(page) == before

    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".st-key-lang").get_by_text("한국어").click()
    page.wait_for_function("location.search.includes('lang=ko')")
    settle(page)
    is_whole(page)
    assert cut(page) == []


def test_a_table_too_wide_for_a_phone_scrolls_in_its_place_by_keys(visit: Callable[..., Page]):
    page = visit("/temperature?lang=en&z=8,7,6,5,4,3,2,1", width=390)
    assert cut(page) == []
    table = page.locator(".scrolling").first
    table.focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    last = table.locator("tbody tr").first.locator("td").last.bounding_box()
    assert last is not None
    assert 0 < last["x"] + last["width"] <= 391


def test_the_foot_leads_on(visit: Callable[..., Page]):
    page = visit(address(frame.FIRST, "en"))
    for screen in frame.ORDER[1:3]:
        page.locator(".st-key-foot a").last.click()
        page.wait_for_url(f"**/{screen}**")
        settle(page)
        is_whole(page)
