"""The app as a visitor meets it: through its own entry point, with a link and a language."""

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test

ROOT = Path(__file__).parent.parent.parent


class Announced(PagesManager):
    """The pages of a server that has announced its navigation, as every server has after its first visitor."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        PagesManager.uses_pages_directory = False


# Streamlit's test runner begins from nothing at every run: it would compile each page, announce the navigation and read
# the metadata of every installed package in search of components anew.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
compiled = ScriptCache()
app_test.ScriptCache = lambda: compiled  # type: ignore[assignment,misc]
app_test.PagesManager = Announced  # type: ignore[misc]


def open_screen(screen: str, lang: str = "en", **link: object) -> AppTest:
    """Open `screen` by a link that holds `link`, with every panel open; no screen may end in an exception."""
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60)
    for key, value in {"lang": lang, **link}.items():
        app.query_params[key] = str(value)
    for number in range(1, 7):
        app.session_state[f"panel_{number}"] = True
    app.switch_page(f"pages/{screen}.py").run()
    assert_no_exception(app)
    return app


def assert_no_exception(app: AppTest) -> None:
    assert not app.exception, [error.value for error in app.exception]


@dataclass(frozen=True)
class Chart:
    """A chart as sent to the browser, and what a screen reader says of it."""

    proto: Any
    alt: str


def chart(app: AppTest, key: str) -> Chart:
    """The chart with this key."""
    charts = {json.loads(element.proto.spec)["name"]: element.proto for element in app.get("vega_lite_chart")}
    assert key in charts, f"no chart {key!r} among {list(charts)}"
    return Chart(charts[key], app.session_state["descriptions"][key])


def data(app: AppTest, key: str, name: str) -> pd.DataFrame:
    """The named data that a chart draws."""
    return next(_frame(dataset.data.data) for dataset in chart(app, key).proto.datasets if dataset.name == name)


def spec(app: AppTest, key: str) -> dict[str, Any]:
    """The Vega-Lite specification of a chart."""
    return json.loads(chart(app, key).proto.spec)


def run_program(app: AppTest) -> str:
    """What the screen's NumPy program prints in a fresh interpreter."""
    programs = [block.value for block in app.code if "import numpy" in block.value]
    assert len(programs) == 1
    done = subprocess.run([sys.executable, "-c", programs[0]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _frame(arrow: bytes) -> pd.DataFrame:
    import pyarrow

    return pyarrow.ipc.open_stream(arrow).read_pandas()
