"""A visitor's whole way through the playground, from a first request to a shared link."""

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page

from core import examples, masks
from core.attention import attend
from core.tokens import tokenize
from tests.browser.conftest import cells_of, go, map_of, move_to, settle

SENTENCE = "고양이가 쥐를 보았다 그리고 고양이가 웃었다"


def cells(page: Page, chart: str) -> list[str]:
    """What a map says of each of its cells, in reading order."""
    return [said for row in cells_of(page, chart) for said in row]


def numbers(page: Page, chart: str) -> np.ndarray:
    """The numbers of the open cells."""
    found = [re.findall(r" ([−-]?[\d.]+)$", said) for said in cells(page, chart)]
    return np.array([float(number.replace("−", "-")) for (number,) in filter(None, found)])


def picture(page: Page) -> tuple[object, ...]:
    figures = page.locator(".figures > div").all_inner_texts()
    return cells(page, "scores"), cells(page, "weights"), figures


def press(page: Page, key: str, *names: str) -> None:
    slider = page.locator(f".st-key-{key} input[type=range]")
    slider.focus()
    for name in names:
        slider.press(name)
        settle(page)


def choose(page: Page, key: str, label: str) -> None:
    page.locator(f".st-key-{key}").get_by_text(label, exact=True).click()
    settle(page)


def test_a_first_visitor_plays_and_shares_what_is_seen(fresh_server: str, visit: Callable[..., Page]):
    page = visit("/playground?lang=ko", base=fresh_server)
    assert page.get_by_role("heading", level=1).inner_text().startswith("각 단어는")
    assert page.get_by_text("쿼리 하나").first.is_visible(), "the menu is in Korean"
    seen = [picture(page)]

    page.locator(".st-key-text textarea").fill(SENTENCE)
    page.keyboard.press("Control+Enter")
    settle(page)
    seen.append(picture(page))
    assert len(cells(page, "weights")) == 36, "a repeated word keeps its own row and column"
    for change in (
        lambda: press(page, "d_k", "ArrowLeft", "ArrowLeft"),
        lambda: press(page, "T", "ArrowRight", "ArrowRight"),
        lambda: choose(page, "scale", "1"),
        lambda: choose(page, "mask", "인과"),
        lambda: choose(page, "heads", "2"),
        lambda: choose(page, "head", "2"),
        lambda: page.locator(".st-key-seed button[data-testid=stNumberInputStepUp]").click(),
    ):
        change()
        settle(page)
        seen.append(picture(page))
    # Every change moved something; only the number of heads leaves the first head's map as it is.
    assert len({str(one) for one in seen}) == len(seen) - 1

    link = page.evaluate("location.href")
    query = {key: values[0] for key, values in parse_qs(urlsplit(link).query).items()}
    assert query == {"lang": "ko", "text": SENTENCE, "d_k": "16", "T": "1.25", "scale": "1", "mask": "causal",
                     "heads": "2", "head": "2", "seed": "2"}  # fmt: skip
    other = visit(link.removeprefix(fresh_server), base=fresh_server, locale="en-US", new_profile=True)
    assert picture(other) == picture(page)

    tokens = tokenize(SENTENCE)
    vectors = examples.sentence_vectors(tokens, 2, 16, seed=2)
    truth = attend(
        vectors.query, vectors.key, vectors.value, mask=masks.causal(len(tokens)), scale=1.0, temperature=1.25
    )
    allowed = masks.causal(len(tokens))
    np.testing.assert_allclose(numbers(page, "scores"), truth.scores[1][allowed], atol=6e-5)
    np.testing.assert_allclose(numbers(page, "weights"), truth.weights[1][allowed], atol=6e-5)
    largest = page.locator(".figures dt + dd").first.inner_text()
    assert float(largest) == pytest.approx(truth.weights[1, 0].max(), abs=6e-4)


def test_a_click_on_a_row_picks_its_query(visit: Callable[..., Page]):
    page = visit("/playground?text=one+two+three")
    move_to(page, "weights", "three", "two")
    cell = map_of(page, "weights").locator(".cursor").bounding_box()
    page.mouse.click(cell["x"] + cell["width"] / 2, cell["y"] + cell["height"] / 2)
    settle(page)
    assert page.locator(".st-key-query input").input_value() == "three"
    assert "query=three" in page.evaluate("location.href")


def test_values_go_along_to_other_screens_and_back(visit: Callable[..., Page]):
    page = visit("/playground?T=0.5&heads=4&seed=7")
    go(page, "One query", "temperature")
    assert page.locator(".st-key-T input[type=range]").get_attribute("aria-valuetext") == "0.5"
    page.go_back()
    page.wait_for_url("**/playground**")
    settle(page)
    assert "T=0.5" in page.evaluate("location.href")
    assert "heads=4" in page.evaluate("location.href")


def test_the_link_is_copied_with_one_click(visit: Callable[..., Page]):
    page = visit("/playground?T=0.5", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.evaluate("location.href")
    assert "T=0.5" in page.evaluate("location.href")


def test_the_first_language_is_the_browsers(visit: Callable[..., Page]):
    assert visit("/playground", locale="ko-KR").get_by_role("heading", level=1).inner_text().startswith("각 단어")
    assert visit("/playground", locale="fr-FR").get_by_role("heading", level=1).inner_text().startswith("Which words")


def test_markup_in_a_sentence_stays_text(visit: Callable[..., Page]):
    page = visit("/playground?text=%245+*a*+%3Cscript%3Ewindow.bad%3D1%3C%2Fscript%3E+%3Asmile%3A+%5Bx%5D(y)+%22q%22")
    assert page.evaluate("window.bad") is None
    assert page.get_by_text("<script>window.bad=1</script>").first.is_visible()
    assert [text.split(" → ")[0] for text in cells(page, "weights")[::6]] == [
        "$5", "*a*", "<script>window.bad=1</script>", ":smile:", "[x](y)", '"q"'
    ]  # fmt: skip


def test_a_slider_leaves_every_chart_in_its_place(visit: Callable[..., Page]):
    page = visit("/playground?heads=4")
    charts = page.locator(".map canvas, [data-testid=stVegaLiteChart] svg")
    charts.evaluate_all("charts => charts.forEach(chart => { chart.dataset.mine = '1' })")
    boxes = [chart.bounding_box() for chart in charts.all()]
    press(page, "T", "ArrowRight", "ArrowRight", "ArrowLeft")
    press(page, "d_k", "End", "Home")
    assert page.locator("[data-mine='1']").count() == charts.count() == 4
    assert [chart.bounding_box() for chart in charts.all()] == boxes


def test_fast_moves_end_on_the_last_value_with_every_chart_drawn(visit: Callable[..., Page]):
    page = visit("/playground?heads=2")
    slider = page.locator(".st-key-T input[type=range]")
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("location.search.includes('T=3.2')")
    settle(page)
    assert slider.get_attribute("aria-valuetext") == "3.2"
    moved = picture(page)
    assert picture(visit("/playground?heads=2&T=3.2")) == moved
    assert len(moved[1]) == 121


def test_a_bad_link_is_told_and_the_page_still_works(visit: Callable[..., Page]):
    page = visit("/playground?lang=ko&T=0.333&heads=5&query=%3Cb%3Enobody%3C%2Fb%3E")
    told = page.locator("[data-testid=stAlert]").all_inner_texts()
    assert len(told) == 3
    assert any("0.333" in text for text in told)
    assert any("<b>nobody</b>" in text for text in told)
    page.get_by_role("button", name="확인").click()
    settle(page)
    assert page.locator("[data-testid=stAlert]").count() == 0
    assert page.evaluate("location.search") == "?lang=ko"


def test_a_phone_shows_everything_without_sideways_scrolling(visit: Callable[..., Page]):
    page = visit("/playground?lang=ko&heads=4", width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for chart in page.locator("[data-testid=stVegaLiteChart]").all():
        box = chart.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
