"""Terms from the first use to their meaning: opened beside the title, read, looked up, and back."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import settle
from ui import glossary


def inside(page: Page, selector: str) -> bool:
    box, width = page.locator(selector).bounding_box(), page.viewport_size["width"]  # type: ignore[index]
    return box is not None and 0 <= box["x"] <= box["x"] + box["width"] <= width


def test_a_term_is_read_looked_up_and_left_again_on_a_phone(visit: Callable[..., Page]):
    page = visit("/saturation?lang=ko")
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    for tool in ("lang", "terms", "copy_link"):
        assert inside(page, f".st-key-title_tools .st-key-{tool}"), tool
    page.locator(".st-key-terms button").click()
    body = page.locator("[data-testid=stPopoverBody]")
    expect(body.get_by_text("야코비안 · Jacobian")).to_be_visible()
    assert inside(page, "[data-testid=stPopoverBody]")
    body.locator("a").click()
    page.wait_for_url("**/glossary**")
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".st-key-foot a").click()
    page.wait_for_url("**/saturation**")


def test_the_glossary_is_filtered_at_every_letter_and_the_link_says_by_what(visit: Callable[..., Page]):
    page = visit("/glossary?lang=en")
    names = page.locator(".st-key-found p strong")
    expect(names).to_have_count(len(glossary.terms("en")))
    page.locator(".st-key-term input").press_sequentially("소프트")
    expect(names).to_have_count(len(glossary.matching("소프트", "en")))
    page.wait_for_function("decodeURIComponent(location.search).includes('term=소프트')")
    expect(page.get_by_role("link", name="Overview →")).to_be_visible()
    expect(names.get_by_text("softmax", exact=True)).to_be_visible()
