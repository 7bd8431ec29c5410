"""What one slider change costs in page script, for every screen and for a naively written playground, in one run.

    python -m benchmarks.page_script [screen ...]

CPU time of the script's own thread over changes of the control that `slider_to_paint` moves, to and fro: the median,
and the fastest, which says what is left when nobody else uses the machine.
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

from benchmarks.moved import MOVED
from ui import frame
from ui.controls import CONTROLS

ROOT = Path(__file__).parent.parent
CHANGES = 30
KINDS = ("select_slider", "button_group", "number_input", "toggle")


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


def _change(app: AppTest, key: str, there: bool) -> None:
    """Move a control by one option, a number by one, a switch over; `there`, or back."""
    moved = next(widget for kind in KINDS for widget in app.get(kind) if widget.key == key)
    declared = CONTROLS[key]
    places = declared.options or (declared.default, declared.default + 1)
    value = places[(len(places) - 1) // 2 + there]
    moved.set_value(there if moved.type == "toggle" else value)
    app.run()


def measure(name: str, seconds: list[float]) -> tuple[float, float]:
    """Median and least milliseconds of a change on one screen, or on the naive playground."""
    key, _, link = MOVED.get(name, ("T", (), {}))
    if name == "naive":
        app = AppTest.from_file(str(ROOT / "benchmarks" / "naive" / "playground.py"), default_timeout=60).run()
        key = "d_k"
    else:
        app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60)
        for given, value in link.items():
            app.query_params[given] = value
        app.switch_page(f"pages/{name}.py").run()
    assert not app.exception, app.exception
    for turn in range(6):
        _change(app, key, bool(turn % 2))
    seconds.clear()
    for turn in range(CHANGES):
        _change(app, key, bool(turn % 2))
    assert not app.exception, app.exception
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
