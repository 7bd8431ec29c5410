"""From the launch of the server to the first painted chart in a fresh page, against the naive version, in one run.

    python -m benchmarks.start

Chromium (named in CHROMIUM, or found) is running already, with nothing in its cache; the page is asked for as soon as
the server answers. Each round starts both servers once for each address.
"""

import os
import shutil
import statistics
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.serving import APP, ROOT, serve

NAIVE = ROOT / "benchmarks" / "naive" / "app.py"
WATCH = (ROOT / "benchmarks" / "slider_to_paint.js").read_text(encoding="utf-8")
ROUNDS = 7
PATHS = ("", "playground")


def first_paint(browser: Browser, script: Path, path: str) -> tuple[float, float]:
    """Seconds from the launch until the server answers, and until a chart is painted."""
    launched = time.time()
    with serve(script) as server:
        answered = time.time() - launched
        context = browser.new_context(viewport={"width": 1280, "height": 860}, locale="en-US")
        context.add_init_script(WATCH)
        page = context.new_page()
        page.goto(f"http://{server.host}/{path}", wait_until="commit")
        page.wait_for_function("watched.paints.length", timeout=60_000)
        painted = page.evaluate("performance.timeOrigin + watched.paints[0][0]") / 1000 - launched
        context.close()
    return answered, painted


def main() -> None:
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    seconds: dict[tuple[Path, str], list[tuple[float, float]]] = {(s, p): [] for p in PATHS for s in (APP, NAIVE)}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(ROUNDS):
            for (script, path), times in seconds.items():
                times.append(first_paint(browser, script, path))
    print("| address | app: answers, s | painted, s | naive: answers, s | painted, s | ratio | of the fastest |")
    print("|---|---|---|---|---|---|---|")
    for path in PATHS:
        ours, theirs = seconds[APP, path], seconds[NAIVE, path]
        medians = [statistics.median(times) for runs in (ours, theirs) for times in zip(*runs, strict=True)]
        least = min(painted for _, painted in ours) / min(painted for _, painted in theirs)
        cells = [f"/{path}", *(f"{median:.2f}" for median in medians), f"{medians[1] / medians[3]:.2f}", f"{least:.2f}"]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
