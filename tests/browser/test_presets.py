"""What a visitor is invited to try, on every screen, and every kind of mask."""

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from core import masks
from tests.browser.conftest import cells_of, settle
from ui import frame

TOLD = "[...document.querySelectorAll('[data-testid=stAlert]')].map(box => box.innerText).join()"


@pytest.mark.parametrize("screen", [screen for screen in frame.ORDER if screen != "claims"])
def test_each_preset_says_what_to_see_and_its_link_shows_it_again(screen: str, visit: Callable[..., Page]):
    page = visit(f"/{'' if screen == frame.FIRST else screen}?lang=en")
    presets = page.locator("[class*='st-key-preset_'] button")
    assert presets.count() == 3
    told = ""
    for preset in presets.all():
        preset.click()
        # One of the boxes tells what to see, and each preset something else; a screen may tell other things as well.
        page.wait_for_function(f"before => {{ const now = {TOLD}; return now && now !== before }}", arg=told)
        settle(page)
        told = page.evaluate(TOLD)
        assert page.locator("[data-testid=stException]").count() == 0
    figures = page.locator(".figures dt + dd")
    shown, address = figures.all_inner_texts(), urlsplit(page.url)
    again = visit(f"{address.path}?{address.query}", new_profile=True)
    assert again.locator(".figures dt + dd").all_inner_texts() == shown


def test_a_link_shows_the_same_numbers_in_the_other_language(visit: Callable[..., Page]):
    link = "/playground?text=the+cat+saw+the+dog&T=0.5&mask=causal&query=saw"
    english, korean = visit(f"{link}&lang=en"), visit(f"{link}&lang=ko", new_profile=True)
    assert cells_of(english, "weights")[2][1].startswith("saw → cat, weight")
    numbers = [[[said.split()[-1] for said in row[: i + 1]] for i, row in enumerate(cells_of(page, "weights"))]
               for page in (english, korean)]  # fmt: skip
    assert numbers[0] == numbers[1]
    assert [page.get_by_role("heading", level=1).inner_text()[:5] for page in (english, korean)] == [
        "Which",
        "각 단어는",
    ]


def test_every_kind_of_mask_opens_the_cells_that_it_names(visit: Callable[..., Page]):
    page = visit("/masks?lang=en")
    for label, expected in {
        "none": masks.named("none", 11),
        "causal": masks.causal(11),
        "padding": masks.named("padding", 11, keep=4),
        "window": masks.window(11, left=2),
        "prefix": masks.prefix(11, 3),
        "painted": masks.prefix(11, 3),
    }.items():
        page.locator(".st-key-mask").get_by_text(label, exact=True).click()
        settle(page)
        assert page.locator(".figures dt + dd").first.inner_text() == f"{expected.sum()} of 121"
        assert (f"mask={label}" in page.url) is (label != "none")
