"""Nothing comes from anywhere but the app's own server: fonts, formulas, maps and charts are whole without the rest."""

from collections.abc import Callable
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page, Route

from tests.browser.conftest import map_of, settle


def alone(route: Route) -> None:
    route.continue_() if urlsplit(route.request.url).hostname == "127.0.0.1" else route.abort()


def test_a_screen_is_whole_where_only_this_machine_answers(
    visit: Callable[..., Page], profiles: dict[str, BrowserContext]
):
    # A profile of its own: nothing is in its cache yet.
    page = visit("/playground?lang=en&heads=2", new_profile=True, timezone_id="Asia/Seoul")
    page.context.route("**/*", alone)
    page.reload()
    settle(page)
    for button in page.locator(".st-key-shelf button").all():
        button.click()
        settle(page)
    assert (
        map_of(page, "weights")
        .locator("canvas")
        .evaluate(
            "canvas => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean)"
        )
    )
    assert page.locator("[data-testid=stVegaLiteChart] svg path").count() > 3
    assert page.locator(".st-key-panel_formula .katex .mfrac").count()
    assert page.locator(".st-key-panel_table_1 canvas").first.is_visible()
    assert page.locator(".st-key-panel_code code span").count() > 20
    fonts = page.evaluate(
        "document.fonts.ready.then(fonts => [...fonts].map(f => [f.family.replaceAll('\"', ''), f.status]))"
    )
    assert "error" not in {status for _, status in fonts}
    assert {"Source Sans", "Source Code Pro", "KaTeX_Main", "KaTeX_Math"} <= {
        family for family, status in fonts if status == "loaded"
    }
