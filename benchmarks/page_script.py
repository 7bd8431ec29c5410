"""What one slider change costs in page script, for every screen and for a naively written playground, in one run.

    python -m benchmarks.page_script [screen ...]

CPU time of the script's own thread over changes of one control: the median, and the fastest, which says what is left
when nobody else uses the machine.
"""

import logging
import statistics
import sys
import time
from pathlib import Path

from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import AppTest, app_test
from streamlit.testing.v1 import local_script_runner as runner

from ui import frame
from ui.controls import CONTROLS

ROOT = Path(__file__).parent.parent
CHANGES = 30


def _timed() -> list[float]:
    """Record the thread's CPU seconds of every script run from now on, run as a server runs it.

    A server compiles a page once for all its visitors and has announced its navigation long ago; Streamlit's test
    runner begins from nothing each time.
    """
    seconds: list[float] = []
    compiled = ScriptCache()
    app_test.ScriptCache = lambda: compiled  # type: ignore[assignment,misc]
    run_script = runner.LocalScriptRunner._run_script

    def timed(self: runner.LocalScriptRunner, rerun_data: RerunData) -> None:
        PagesManager.uses_pages_directory = False
        start = time.thread_time()
        run_script(self, rerun_data)
        seconds.append(time.thread_time() - start)

    runner.LocalScriptRunner._run_script = timed  # type: ignore[method-assign]
    return seconds


def _change(app: AppTest, turn: int) -> None:
    """Move the screen's first slider to and fro."""
    slider = next(iter(app.select_slider), None)
    if slider is not None:
        options = CONTROLS[slider.key].options if slider.key in CONTROLS else slider.options
        slider.set_value(options[len(options) // 2 + turn % 2])
    app.run()


def measure(name: str, seconds: list[float]) -> tuple[float, float]:
    """Median and least milliseconds of a change on one screen, or on the naive playground."""
    if name == "naive":
        app = AppTest.from_file(str(ROOT / "benchmarks" / "naive" / "playground.py"), default_timeout=60).run()
    else:
        app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60).run()
        if name != frame.FIRST:
            app.switch_page(f"pages/{name}.py").run()
    assert not app.exception, app.exception
    for turn in range(6):
        _change(app, turn)
    seconds.clear()
    for turn in range(CHANGES):
        _change(app, turn)
    return 1000 * statistics.median(seconds), 1000 * min(seconds)


def main() -> None:
    logging.disable()
    names = sys.argv[1:] or list(frame.ORDER)
    seconds = _timed()
    naive, least = measure("naive", seconds)
    print("| screen | median, ms | fastest, ms | median of the naive playground's |\n|---|---|---|---|")
    print(f"| naive playground | {naive:.1f} | {least:.1f} | 1.00 |")
    for name in names:
        cost, least = measure(name, seconds)
        print(f"| {name} | {cost:.1f} | {least:.1f} | {cost / naive:.2f} |")


if __name__ == "__main__":
    main()
