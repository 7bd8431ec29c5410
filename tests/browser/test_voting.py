"""A vote marks its claim in the list, and the claim stays chosen although the list now reads differently."""

from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.conftest import settle
from ui.text import Words


def chosen(page: Page) -> list[str]:
    return page.locator(".st-key-claim label:has(input:checked)").all_inner_texts()


def test_the_chosen_claim_stays_chosen_after_a_vote_and_in_the_other_language(visit: Callable[..., Page]):
    english, korean = Words("claims", "en"), Words("claims", "ko")
    page = visit("/claims?lang=en&claim=multiply")
    assert chosen(page) == [english("multiply.short")]
    page.locator(".st-key-vote_true button").click()
    settle(page)
    assert chosen(page) == [f"{english('multiply.short')} ✗"]
    page.locator(".st-key-lang").get_by_text("한국어").click()
    page.wait_for_url("**lang=ko**")
    settle(page)
    assert chosen(page) == [f"{korean('multiply.short')} ✗"]
    page.locator(".st-key-next button").click()
    page.wait_for_url("**claim=order**")
    settle(page)
    assert chosen(page) == [korean("order.short")]
    page.locator(".st-key-claim").get_by_text(korean("divide.short")).click()
    page.wait_for_url("**claim=divide**")
    settle(page)
    assert chosen(page) == [korean("divide.short")]
    assert page.locator(".st-key-claim_said h2").inner_text() == f"“{korean('divide.claim')}”"
