"""From a key press to the last paint of the pictures, on every screen and on the same screen written the obvious way.

    python -m benchmarks.slider_to_paint [--drag] [--tokens N] [screen ...]

A real Chromium (named in CHROMIUM, or found) opens both, and they take turns: five key presses here, five there. The
time goes from the key to the frame after the last change in any chart, when nothing has been painted for 600 ms.
`--drag` drags the slider to and fro for two seconds instead, and counts how often the busiest chart is painted.
`--tokens` shows a sentence of N words in the app, against the naive playground with 44.
"""

import argparse
import os
import shutil
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from urllib.parse import urlencode

from playwright.sync_api import BrowserContext, Page, sync_playwright

from benchmarks.moved import MOVED, SLIDER
from benchmarks.serving import APP, ROOT, serve
from ui import frame

NAIVE = ROOT / "benchmarks" / "naive" / "app.py"
WATCH = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
QUIET = """() => watched.paints.length && performance.now() > watched.paints.at(-1)[0] + 600
  && document.querySelector('[data-testid="stApp"][data-test-script-state="notRunning"]')"""
BLOCKS, PRESSES, DRAG_SECONDS = 4, 5, 2


@dataclass
class Screen:
    """One screen in its own page, and what came of its changes so far."""

    page: Page
    name: str
    milliseconds: list[float] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    frames: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    messages: list[int] = field(default_factory=list)

    @classmethod
    def open(cls, context: BrowserContext, host: str, name: str, state: dict[str, str]) -> "Screen":
        screen = cls(context.new_page(), name)
        screen.page.set_default_timeout(60_000)
        screen.page.on(
            "websocket", lambda socket: socket.on("framereceived", lambda data: screen.frames.append(len(data)))
        )
        path = "" if name == frame.FIRST else name
        screen.page.goto(f"http://{host}/{path}?{urlencode(state)}")
        screen.page.wait_for_function(QUIET, polling=50)
        screen.page.wait_for_timeout(1000)
        return screen

    def presses(self, count: int) -> None:
        """Move to and fro by the keys; a page in the background is slowed down, so this one comes to the front."""
        self.page.bring_to_front()
        key, ways, _ = MOVED[self.name]
        moved = self.page.locator(f".st-key-{key} input")
        if moved.count():
            moved.first.focus()
        self.page.wait_for_timeout(200)
        for _ in range(count):
            self.frames.clear()
            self.page.keyboard.press(ways[len(self.sizes) % 2])
            self.page.wait_for_function(QUIET, polling=50)
            pressed, paints = self.page.evaluate("[watched.pressed, watched.paints]")
            self.milliseconds.append(paints[-1][0] - pressed)
            self.weights += [at - pressed for at, chart in paints if chart == "weights"][-1:]
            self.sizes.append(sum(self.frames))
            self.messages.append(len(self.frames))

    def remounted(self) -> str:
        """Whether a change makes a chart anew or leaves a frame without one; not timed, because looking costs time."""
        self.page.evaluate("tagCharts()")
        self.presses(2)
        lost, gone = self.page.evaluate("chartsLost()")
        return f"{lost}, blank in {gone} frames" if lost or gone else "none"

    def drag(self) -> float:
        """Drag over the whole slider and back once a second: how often a second the busiest chart is painted."""
        self.page.bring_to_front()
        slider = self.page.locator(f".st-key-{MOVED[self.name][0]}").first
        slider.scroll_into_view_if_needed()
        box, thumb = slider.bounding_box(), slider.locator("input").first.locator("xpath=..").bounding_box()
        assert box is not None
        assert thumb is not None
        mouse, y = self.page.mouse, thumb["y"] + thumb["height"] / 2
        mouse.move(thumb["x"] + thumb["width"] / 2, y)
        mouse.down()
        self.page.evaluate("watched.paints.length = 0")
        start = monotonic()
        while (passed := monotonic() - start) < DRAG_SECONDS:
            mouse.move(box["x"] + box["width"] * abs(1 - 2 * (passed % 1)), y)
            self.page.wait_for_timeout(16)
        charts = [chart for _, chart in self.page.evaluate("watched.paints")]
        mouse.up()
        return max((charts.count(chart) for chart in set(charts)), default=0) / DRAG_SECONDS


@contextmanager
def chromium() -> Iterator[BrowserContext]:
    """A browser without a window of its own."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(viewport={"width": 1280, "height": 860}, locale="en-US")
        context.add_init_script(WATCH)
        yield context


def compare(app: Screen, naive: Screen) -> None:
    """Take turns, and print a row for the screen; on the playground, one for the matrix of weights as well."""
    for _ in range(BLOCKS):
        for screen in (app, naive):
            screen.presses(PRESSES)
    rows = [(app.name, app.milliseconds, naive.milliseconds)]
    if app.weights and naive.weights:
        rows.append((f"{app.name}, weights", app.weights, naive.weights))
    for name, ours, theirs in rows:
        medians, least = [statistics.median(times) for times in (ours, theirs)], [min(ours), min(theirs)]
        cells = [name, MOVED[app.name][0], *(f"{median:.0f}" for median in medians)]
        cells += [f"{medians[0] / medians[1]:.2f}", f"{least[0] / least[1]:.2f}"]
        cells += [f"{statistics.median(app.sizes) / 1000:.0f}", f"{statistics.median(app.messages):.0f}"]
        print(f"| {' | '.join(cells)} | {app.remounted()} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("screens", nargs="*")
    parser.add_argument("--drag", action="store_true")
    parser.add_argument("--tokens", type=int)
    asked = parser.parse_args()
    long = {"text": " ".join(f"w{i}" for i in range(asked.tokens or 0))} if asked.tokens else {}
    names = asked.screens or (["playground", "masks"] if long else [name for name in frame.ORDER if name in MOVED])
    if asked.drag:
        print("| screen | slider | paints a second |\n|---|---|---|")
    else:
        print("| screen | slider | app, median ms | naive, ms | ratio | of the fastest | kB | messages | remounted |")
        print("|---|---|---|---|---|---|---|---|---|")
    with serve(APP) as app, serve(NAIVE) as plain, chromium() as context:
        for name in names:
            key, ways, state = MOVED[name]
            ours = Screen.open(context, app.host, name, state | long)
            if asked.drag:
                if ways == SLIDER and ours.page.locator(f".st-key-{key} input[type=range]").count():
                    print(f"| {name} | {key} | {ours.drag():.1f} |", flush=True)
            else:
                other = {"text": " ".join(f"w{i}" for i in range(44))} if long else state
                theirs = Screen.open(context, plain.host, "playground" if long else name, other)
                compare(ours, theirs)
                theirs.page.close()
            ours.page.close()


if __name__ == "__main__":
    main()
