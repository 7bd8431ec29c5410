"""On a phone the menu lies over the page: it goes when a screen has been chosen, and does not come by itself."""

from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.conftest import settle


def is_open(page: Page) -> bool:
    return page.locator("[data-testid=stSidebar]").get_attribute("data-collapsed") == "false"


def opened(page: Page) -> Page:
    page.locator("[data-testid=stExpandSidebarButton]").click()
    page.wait_for_timeout(400)
    assert is_open(page)
    return page


def test_a_chosen_screen_is_not_covered_by_the_menu(visit: Callable[..., Page]):
    page = opened(visit("/playground", width=390, new_profile=True))
    page.locator("[data-testid=stSidebarNavLink][href$='/masks']").click()
    page.wait_for_url("**/masks**")
    settle(page)
    assert not is_open(page)
    opened(page)
    page.locator(".st-key-mask [role=radio]").last.evaluate("option => option.click()")
    settle(page)
    assert is_open(page), "the same screen takes nothing away"


def test_a_menu_that_was_left_open_does_not_cover_the_next_visit(visit: Callable[..., Page]):
    page = opened(visit("/playground", width=390, new_profile=True))
    page.reload()
    page.get_by_role("heading", level=1).wait_for()
    settle(page)
    assert not is_open(page)
