"""Clicks on the pictures of the matrix screens: a cell is painted, and painted again; a row is followed everywhere."""

from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.conftest import map_of, move_to, settle


def click(page: Page, chart: str, said: str) -> None:
    """Click the middle of the cell that says this of itself, whatever lies on top of it."""
    box = page.locator(f'.st-key-chart_{chart} path[aria-label^="{said}"]').first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    # Streamlit waits a moment for further clicks before it sends one.
    page.wait_for_timeout(300)
    settle(page)


def paint(page: Page, query: str, key: str) -> None:
    """Click the middle of a cell of the scores."""
    move_to(page, "scores", query, key)
    box = map_of(page, "scores").locator(".cursor").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    settle(page)


def allowed(page: Page) -> str:
    return page.locator(".figures dt + dd").first.inner_text()


def test_clicks_on_one_cell_open_and_block_it_in_turn_and_the_link_keeps_them(visit: Callable[..., Page]):
    page = visit("/masks?lang=en&mask=causal")
    assert allowed(page) == "66 of 121"
    paint(page, "didn't", "too")
    assert allowed(page) == "67 of 121"
    paint(page, "didn't", "too")
    assert allowed(page) == "66 of 121"
    paint(page, "it", "animal")
    paint(page, "it", "animal")
    paint(page, "it", "animal")
    assert allowed(page) == "65 of 121"

    path = page.url[page.url.index("/masks") :]
    assert "mask=painted" in path
    again = visit(path)
    assert allowed(again) == "65 of 121"
    assert again.locator("[data-testid=stAlert]").count() == 0


def test_a_size_that_changes_faster_than_the_server_answers_paints_nothing(visit: Callable[..., Page]):
    """With every change the page sends what its pills show, which may be the row before the last change."""
    page = visit("/masks?lang=en&mask=window&padded=true")
    for key, presses in (("left", 8), ("right", 6), ("keep", 5)):
        page.locator(f".st-key-{key} input").focus()
        for _ in range(presses):
            page.keyboard.press("ArrowUp")
            page.wait_for_timeout(40)
    settle(page)
    assert "mask=window&left=10&right=6&padded=true&keep=9" in page.url


def test_a_click_on_any_matrix_follows_its_row(visit: Callable[..., Page]):
    page = visit("/self_attention?lang=en")
    assert page.get_by_text("Follow “it”").is_visible()
    click(page, "mix", "A 11×11, street, cross:")
    assert page.get_by_text("Follow “street”").is_visible()
    click(page, "project", "V 11×4, tired, living:")
    assert page.get_by_text("Follow “tired”").is_visible()
