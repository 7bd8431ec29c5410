"""Maps as they are painted: each cell in its place and colour, blocked ones struck, read by pointer and by keys."""

import io
import tomllib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page

from tests.browser.conftest import ROOT, cells_of, map_of, move_to, settle

RAMPS = {
    scheme: tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"][scheme]["chartSequentialColors"]
    for scheme in ("light", "dark")
}


def colour_at(shown: Locator, x: float, y: float) -> list[int]:
    """The colour of the canvas at a place of the page."""
    script = """(canvas, [x, y]) => {
      const box = canvas.getBoundingClientRect(), ratio = canvas.width / box.width
      return [...canvas.getContext("2d").getImageData((x - box.left) * ratio, (y - box.top) * ratio, 1, 1).data]
    }"""
    return shown.locator("canvas").evaluate(script, [x, y])


def ramp(scheme: str, share: float) -> np.ndarray:
    colours = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in RAMPS[scheme]])
    return np.array([np.interp(9 * share, np.arange(10), channel) for channel in colours.T])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colour_of_a_cell_is_its_weight_on_the_theme_s_ramp(visit: Callable[..., Page], scheme: str):
    page = visit("/playground?lang=en&mask=causal&T=0.5", color_scheme=scheme)
    for query, key in (("animal", "animal"), ("it", "street"), ("tired", "animal")):
        said = move_to(page, "weights", query, key)
        weight = float(said.rpartition(" ")[2])
        cell = map_of(page, "weights").locator(".cursor").bounding_box()
        assert cell is not None
        painted = colour_at(map_of(page, "weights"), cell["x"] + 4, cell["y"] + cell["height"] / 2)
        np.testing.assert_allclose(painted[:3], ramp(scheme, weight), atol=4)
    assert move_to(page, "weights", "The", "tired").endswith("blocked")
    cell = map_of(page, "weights").locator(".cursor").bounding_box()
    assert colour_at(map_of(page, "weights"), cell["x"] + 4, cell["y"] + 4)[3] == 0, "a blocked cell has no colour"
    assert colour_at(map_of(page, "weights"), cell["x"] + cell["width"] / 2, cell["y"] + cell["height"] / 2)[3] > 0


def test_pointer_and_keys_tell_the_same_and_enter_picks_the_row(visit: Callable[..., Page]):
    page = visit("/playground?lang=en")
    said = move_to(page, "weights", "tired", "animal")
    cell = map_of(page, "weights").locator(".cursor").bounding_box()
    page.keyboard.press("Escape")
    assert not map_of(page, "weights").locator(".tip").is_visible()
    page.mouse.move(cell["x"] + cell["width"] / 2, cell["y"] + cell["height"] / 2)
    assert map_of(page, "weights").locator(".tip").inner_text().replace("\n", ", ") == said
    page.mouse.move(0, 0)
    move_to(page, "weights", "street", "The")
    page.keyboard.press("Enter")
    page.get_by_text("What “street” looks at").wait_for()


def test_a_click_on_one_of_many_heads_shows_it_large(visit: Callable[..., Page]):
    page = visit("/playground?lang=en&heads=4")
    map_of(page, "heads").scroll_into_view_if_needed()
    box = map_of(page, "heads").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.62, box["y"] + box["height"] * 0.6)
    page.wait_for_function("location.search.includes('head=3')")


def test_a_tap_tells_its_cell_and_picks_its_row(visit: Callable[..., Page]):
    page = visit("/playground?lang=en", width=390, has_touch=True)
    shown = map_of(page, "weights")
    canvas, tip = shown.locator("canvas"), shown.locator(".tip")
    box = canvas.bounding_box()
    canvas.tap(position={"x": box["width"] * 0.4, "y": box["height"] * 0.5})
    tip.wait_for()
    told = tip.inner_text()
    assert " → " in told
    page.get_by_text(f"What “{told.split(' → ')[0]}” looks at").wait_for()


def test_a_theme_and_a_width_that_change_repaint_the_map(visit: Callable[..., Page]):
    page = visit("/playground?lang=en")
    before = picture(page)
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(600)
    assert (picture(page).mean(axis=(0, 1)) < before.mean(axis=(0, 1))).all()
    page.set_viewport_size({"width": 900, "height": 860})
    page.wait_for_timeout(600)
    canvas = map_of(page, "weights").locator("canvas").bounding_box()
    column = page.locator(".st-key-chart_weights").bounding_box()
    assert canvas["width"] == pytest.approx(column["width"], abs=1)


COUNT = """() => {
  const clear = CanvasRenderingContext2D.prototype.clearRect
  window.painted = 0
  CanvasRenderingContext2D.prototype.clearRect = function (...place) {
    const said = this.canvas.closest(".map").getAttribute("aria-label")
    if (said.includes("attention weights")) window.painted += 1
    return clear.apply(this, place)
  }
}"""


def test_a_map_moves_with_its_slider_before_the_server_has_heard_of_it(visit: Callable[..., Page]):
    later = visit("/playground?lang=en&T=1.4")
    expected = cells_of(later, "weights")
    page = visit("/playground?lang=en")
    before = cells_of(page, "weights")
    page.evaluate("() => { WebSocket.prototype.send = () => {} }")
    page.locator(".st-key-T input[type=range]").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert page.locator(".st-key-T input[type=range]").get_attribute("aria-valuetext") == "1.4"
    assert cells_of(page, "weights") == expected != before


def test_what_was_painted_ahead_is_not_painted_again(visit: Callable[..., Page]):
    page = visit("/playground?lang=en")
    page.evaluate(COUNT)
    page.locator(".st-key-T input[type=range]").focus()
    for painted in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        settle(page)
        assert page.evaluate("window.painted") == painted
    assert "T=1.4" in page.url


def test_256_words_are_shown_and_every_cell_can_be_read(visit: Callable[..., Page]):
    page = visit(f"/playground?lang=en&mask=causal&text={'+'.join(f'w{i}' for i in range(256))}")
    shown = map_of(page, "weights")
    box = shown.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.9)
    told = shown.locator(".tip").inner_text()
    assert told.startswith("w2")
    assert "weight 0." in told
    assert shown.get_attribute("aria-label").startswith("Heat map of 256 by 256")
    page.locator(".st-key-T input[type=range]").focus()
    page.keyboard.press("ArrowLeft")
    settle(page)
    assert "T=0.9" in page.url


def test_a_map_that_has_left_the_page_is_at_rest(visit: Callable[..., Page]):
    """A visit fails for an error in the page."""
    page = visit("/playground?lang=en")
    page.evaluate(COUNT)
    map_of(page, "weights").evaluate("box => { window.removed = box; box.remove() }")
    page.locator(".st-key-T input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(600)
    assert page.evaluate("[window.removed.isConnected, window.painted]") == [False, 0]


def picture(page: Page) -> Any:
    """The weights' map as (height, width, 3) bytes."""
    from PIL import Image

    shot = map_of(page, "weights").screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), dtype=float)
