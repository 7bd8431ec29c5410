"""Every screen and its main states as pictures, or the four pictures of the README.

    python -m docs.pictures FOLDER [screen ...]
    python -m docs.pictures --readme

FOLDER gets each state in both languages, light and dark, on a laptop and on a phone, as high as the page is, and one
sheet of thumbnails for each width, theme and language.
"""

import argparse
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Browser, Page, sync_playwright

from core import masks
from tests.browser.conftest import CHROMIUM, FLAGS, serve, settle
from ui import frame, painting
from ui.text import LANGUAGES

DOCS = Path(__file__).parent
WIDTHS = {1280: 860, 390: 844}
THEMES = ("light", "dark")
# A light and a dark page are told apart from the sheet they lie on.
SHEET = {"light": "#C9CDD8", "dark": "#4A5163"}
THUMBNAILS = 6


class State(NamedTuple):
    """What is in a picture: a screen, what its link says, and what is clicked."""

    screen: str
    name: str = ""
    query: str = ""
    clicks: str = ""

    @property
    def file(self) -> str:
        return f"{self.screen}-{self.name}" if self.name else self.screen


def painted() -> str:
    """A link to eleven words with a painted ring of open cells around the diagonal."""
    distance = np.abs(np.subtract.outer(np.arange(11), np.arange(11)))
    return f"mask=painted&query=it&paint={painting.written((distance % 5 < 2) | masks.causal(11))}"


def words(count: int) -> str:
    return "+".join(f"w{i}" for i in range(1, count + 1))


STATES = (
    *(State(screen) for screen in (*frame.ORDER, frame.BESIDE)),
    *(State(screen, "open", clicks=".st-key-shelf button") for screen in frame.ORDER),
    State("playground", "heads", "heads=8&mask=causal"),
    State("playground", "256", f"mask=causal&text={words(256)}"),
    State("playground", "refused", f"text={words(257)}"),
    State("playground", "bad-link", "T=0.333&heads=5&query=%3Cb%3Enobody%3C%2Fb%3E"),
    State("playground", "nobody", "mask=padding&keep=0"),
    State("self_attention", "44", f"text={words(44)}"),
    State("masks", "painted", painted()),
    State("step_by_step", "middle", "step=exp"),
    State("step_by_step", "output", "step=output"),
    State("saturation", "terms", clicks=".st-key-terms button"),
)


@contextmanager
def app() -> Iterator[Callable[[State, str], Page]]:
    """A function that opens a state in a language."""
    with serve() as address, sync_playwright() as playwright:
        browser: Browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)

        def opened(state: State, language: str) -> Page:
            page = browser.new_page(locale="ko-KR" if language == "ko" else "en-US")
            page.set_default_timeout(120_000)
            screen = "" if state.screen == frame.FIRST else state.screen
            page.goto(f"{address}/{screen}?lang={language}&{state.query}")
            settle(page)
            for number in range(page.locator(state.clicks).count() if state.clicks else 0):
                page.locator(state.clicks).nth(number).click()
                settle(page)
            return page

        yield opened


def seen(page: Page, width: int, theme: str, *, whole: bool = True, top: str = "") -> Image.Image:
    """The page in this width and theme: all of it, or what a screen shows at once, from the element `top` on."""
    page.emulate_media(color_scheme=theme)
    size = {"width": width, "height": WIDTHS[width]}
    page.set_viewport_size(size)
    page.wait_for_timeout(700)
    if whole:
        high = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
        page.set_viewport_size(size | {"height": max(high, WIDTHS[width])})
        page.wait_for_timeout(300)
    if top:
        page.locator(top).evaluate("place => { place.style.scrollMarginTop = '7rem'; place.scrollIntoView() }")
        page.wait_for_timeout(300)
    page.mouse.move(0, 0)
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def sheet(pictures: Sequence[tuple[str, Image.Image]], theme: str, across: int) -> Image.Image:
    """Labelled thumbnails in columns, each in the column that is shortest so far."""
    wide = 2400 // across
    ends = [0] * across
    placed = []
    for label, picture in pictures:
        small = picture.resize((wide - 20, round(picture.height * (wide - 20) / picture.width)), Image.Resampling.BOX)
        column = ends.index(min(ends))
        placed.append((label, small, column * wide + 10, ends[column]))
        ends[column] += small.height + 34
    whole = Image.new("RGB", (across * wide, max(ends) + 10), SHEET[theme])
    ink, font = ImageDraw.Draw(whole), ImageFont.load_default(15)
    for label, small, x, y in placed:
        ink.text((x, y + 8), label, "black" if theme == "light" else "white", font)
        whole.paste(small, (x, y + 30))
    return whole


def everything(folder: Path, screens: Sequence[str]) -> None:
    """Save every state of these screens, and the sheets."""
    folder.mkdir(parents=True, exist_ok=True)
    states = [state for state in STATES if state.screen in screens]
    sheets: dict[tuple[str, int, str], list[tuple[str, Image.Image]]] = {}
    with app() as opened:
        for state, language in product(states, LANGUAGES):
            page = opened(state, language)
            for width, theme in product(WIDTHS, THEMES):
                picture = seen(page, width, theme)
                picture.save(folder / f"{state.file}-{language}-{theme}-{width}.png")
                sheets.setdefault((language, width, theme), []).append((state.file, picture))
            page.close()
    for (language, width, theme), pictures in sheets.items():
        across = THUMBNAILS if width > 640 else 2 * THUMBNAILS
        sheet(pictures, theme, across).save(folder / f"sheet-{language}-{theme}-{width}.png")


def readme() -> None:
    """Save the README's pictures: three screens on a laptop, and three on a phone side by side."""
    laptop = (
        ("playground", State("playground"), "en", "light"),
        ("scaling-ko", State("scaling"), "ko", "dark"),
        ("masks", State("masks", query=painted()), "en", "light"),
    )
    phone = (
        (State("temperature"), "light", ""),
        (State("step_by_step", query="step=exp"), "dark", ".st-key-stepper_step"),
        (State("masks", query="mask=causal"), "light", ".st-key-chart_scores"),
    )
    with app() as opened:
        for name, state, language, theme in laptop:
            saved(seen(opened(state, language), 1280, theme, whole=False), name)
        row = Image.new("RGB", (1280, WIDTHS[390]), "white")
        for place, (state, theme, top) in enumerate(phone):
            picture = seen(opened(state, "ko"), 390, theme, whole=False, top=top)
            row.paste(picture, (place * 445, 0))
        saved(row, "phone-ko")


def saved(picture: Image.Image, name: str) -> None:
    """A palette is a third of the size; of the ways to choose it, this one leaves out no colour that is rare."""
    palette = picture.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    palette.save(DOCS / f"{name}.png", optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("screens", nargs="*", metavar="screen", default=[*frame.ORDER, frame.BESIDE])
    parser.add_argument("--readme", action="store_true")
    asked = parser.parse_args()
    if asked.readme:
        readme()
    elif asked.folder:
        everything(asked.folder, asked.screens)
    else:
        parser.error("name a folder, or --readme")


if __name__ == "__main__":
    main()
