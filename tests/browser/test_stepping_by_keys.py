"""Right and Left step, unless something that has the focus needs them itself; Esc gives that focus up."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import settle
from ui.steps import STEPS


def step(url: str) -> str:
    return parse_qs(urlsplit(url).query).get("step", [STEPS[0]])[0]


def press(page: Page, key: str, expected: str) -> None:
    page.keyboard.press(key)
    page.wait_for_url(lambda url: step(url) == expected)
    settle(page)
    assert step(page.url) == expected


def test_arrows_step_one_at_a_time_and_stop_at_the_ends(visit: Callable[..., Page]):
    page = visit("/step_by_step")
    press(page, "ArrowLeft", STEPS[0])
    # Every run hands the listener new data; it must not listen twice.
    for expected in (*STEPS[1:], STEPS[-1]):
        press(page, "ArrowRight", expected)
    press(page, "ArrowLeft", STEPS[-2])


def test_a_clicked_step_has_the_focus_and_the_arrows_step_on_from_it(visit: Callable[..., Page]):
    page = visit("/step_by_step")
    page.locator(".st-key-step").get_by_text("mask", exact=True).click()
    page.wait_for_url("**step=mask**")
    settle(page)
    press(page, "ArrowRight", "exp")


def test_a_field_and_a_group_of_options_keep_their_arrows_until_esc(visit: Callable[..., Page]):
    page = visit("/step_by_step?step=mask")
    for take_focus in (
        lambda: page.locator(".st-key-text textarea").click(),
        lambda: page.locator(".st-key-scale [role=radio]").first.focus(),
    ):
        take_focus()
        press(page, "ArrowRight", "mask")
        page.keyboard.press("Escape")
        page.wait_for_function("document.activeElement === document.body")
        press(page, "ArrowRight", "exp")
        press(page, "ArrowLeft", "mask")


def test_another_screen_is_not_stepped(visit: Callable[..., Page]):
    page = visit("/step_by_step?step=mask")
    page.locator(".st-key-foot a").first.click()
    page.wait_for_url("**/playground**")
    settle(page)
    address = page.url
    page.keyboard.press("ArrowRight")
    settle(page)
    assert page.url == address


def test_numbers_typed_down_a_column_of_a_table_reach_the_link(visit: Callable[..., Page]):
    page = visit("/step_by_step?step=dot")
    page.get_by_text("Change the numbers").click()
    page.get_by_role("tabpanel").first.wait_for()
    settle(page)
    table = page.get_by_role("tabpanel").first.locator(".stDataFrame")
    table.scroll_into_view_if_needed()
    settle(page)
    box = table.bounding_box()
    assert box
    # The second row of the first column: the heading and every row are 35 pixels tall.
    page.mouse.click(box["x"] + 140, box["y"] + 35 * 2 + 17)
    page.wait_for_function("document.activeElement.getAttribute('role') === 'gridcell'")
    for number, change in (("5", "_q2.1~5"), ("-2.5", "_q2.1~5_q3.1~-2.5")):
        page.keyboard.type(number, delay=150)
        page.locator("#portal input").wait_for()
        page.keyboard.press("Enter")
        page.wait_for_url(f"**{change}&**")
        settle(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_button_that_leads_nowhere_is_pale_and_not_blank(visit: Callable[..., Page], scheme: str):
    def colour(step: str, button: str) -> str:
        page = visit(f"/step_by_step?step={step}", color_scheme=scheme)
        found = page.locator(f".st-key-step_{button} button")
        assert found.is_disabled()
        ink: str = found.evaluate("button => getComputedStyle(button).color")
        return ink

    assert colour(STEPS[-1], "on") == colour(STEPS[0], "back")
