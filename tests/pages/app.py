"""The app as a visitor meets it: through its own entry point, with a link and a language."""

import base64
import itertools
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test

from ui.controls import CONTROLS
from ui.tidy import SINCE, UNTIL


class Card(NamedTuple):
    """One figure of a screen: its name, its value, and what is said below it."""

    label: str
    value: str
    bound: str


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
    app.session_state["examples"] = True
    app.session_state["open_panels"] = {"predict", "formula", "code", *(f"table_{number}" for number in range(1, 6))}
    app.switch_page(f"pages/{screen}.py").run()
    assert_no_exception(app)
    return app


def assert_no_exception(app: AppTest) -> None:
    assert not app.exception, [error.value for error in app.exception]


def alt(app: AppTest, key: str) -> str:
    """What a screen reader says of the chart or map with this key, which must be on the screen."""
    if key in _maps(app):
        return str(shown_map(app, key).told["alt"])
    assert key in _charts(app), f"no chart {key!r} among {[*_charts(app), *_maps(app)]}"
    return str(app.session_state["descriptions"][key])


@dataclass(frozen=True)
class Map:
    """A map as sent to the browser: what it is told, and its numbers and open cells, both (n_panels, n_q, n_k)."""

    told: dict[str, Any]
    numbers: np.ndarray
    allowed: np.ndarray


def shown_map(app: AppTest, key: str) -> Map:
    """The map with this key."""
    maps = _maps(app)
    assert key in maps, f"no map {key!r} among {list(maps)}"
    (told,) = json.loads(maps[key])
    codes = np.frombuffer(base64.b64decode(told["codes"]), f"<i{told['bits'] // 8}")
    shape = len(told["panels"]), len(told["rows"]), len(told["columns"])
    blocked = np.frombuffer(base64.b64decode(told["blocked"]), np.uint8)
    allowed = ~np.unpackbits(blocked, count=len(codes)).astype(bool) if told["blocked"] else np.ones(shape, dtype=bool)
    return Map(told, (codes * told["unit"]).reshape(shape), allowed.reshape(shape))


def data(app: AppTest, key: str, name: str) -> pd.DataFrame:
    """The named data that a chart draws, of a slider's options those of the one it shows; of a map, its cells."""
    if key in _maps(app):
        shown = shown_map(app, key)
        panel, query, column = np.indices(shown.numbers.shape).reshape(3, -1)
        value, allowed = shown.numbers.ravel(), shown.allowed.ravel()
        return pd.DataFrame({"panel": panel, "query": query, "key": column, "value": value, "allowed": allowed})
    rows = whole_data(app, key, name)
    if SINCE not in rows:
        return rows
    moved = along(app, key)
    at = options(moved).index(app.session_state[moved]) if moved else 0
    here = rows[(rows[SINCE] <= at) & (at <= rows[UNTIL])]
    return here.drop(columns=[SINCE, UNTIL]).reset_index(drop=True)


def whole_data(app: AppTest, key: str, name: str) -> pd.DataFrame:
    """The named data of a chart as they are sent, for all options of the slider that it is drawn along."""
    return next(_frame(dataset.data.data) for dataset in _charts(app)[key].datasets if dataset.name == name)


def chart_keys(app: AppTest) -> list[str]:
    """The keys of all charts on the screen, in their order."""
    return [*_charts(app)]


def map_keys(app: AppTest) -> list[str]:
    """The keys of all maps on the screen, in their order."""
    return [*_maps(app)]


def datasets(app: AppTest, key: str) -> list[str]:
    """The names of the data that a chart is sent."""
    return [dataset.name for dataset in _charts(app)[key].datasets]


def along(app: AppTest, key: str) -> str:
    """The key of the control whose options a chart goes through by itself; empty if there is none on the screen."""
    by_name = {param["name"]: param for param in spec(app, key).get("params", ())}
    found = re.findall(r"\? shown\['(\w+)'\]", by_name.get("option", {}).get("expr", ""))
    return next((control for control in found if control in app.session_state["on_screen"]), "")


def options(control: str) -> Sequence[Any]:
    """What a slider, a choice, a number or a switch can be set to, in the order in which the browser counts."""
    declared = CONTROLS[control]
    if declared.kind == "switch":
        return False, True
    return declared.options or range(declared.low, declared.high + 1)


def spec(app: AppTest, key: str) -> dict[str, Any]:
    """The Vega-Lite specification of a chart."""
    return json.loads(_charts(app)[key].spec)


def cards(app: AppTest) -> list[Card]:
    """The figures of a screen, in their order."""
    said = "".join(element.proto.body for element in app.get("html"))
    found = re.findall(r"<div><dt>(.*?)</dt><dd>(.*?)</dd><dd>(.*?)</dd></div>", said)
    assert not re.search(r"-[\d∞]", " ".join(itertools.chain(*found))), "a hyphen before a number"
    return [Card(unescape(label), *(unescape(said).replace("−", "-") for said in numbers)) for label, *numbers in found]


def grids(app: AppTest) -> list[pd.DataFrame]:
    """The small tables of a screen, in their order, as they are read; rows with names have them as index."""
    found = []
    for element in app.get("html"):
        rows = re.findall("<tr>(.*?)</tr>", element.proto.body)
        cells = [[unescape(cell) for cell in re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]
        if cells:
            table = pd.DataFrame(cells[1:], columns=cells[0]).replace("−", "-", regex=True)
            found.append(table.set_index(cells[0][0]) if rows[1].startswith('<th scope="row">') else table)
    return found


def run_program(app: AppTest) -> str:
    """What the screen's NumPy program prints in a fresh interpreter."""
    programs = [block.value for block in app.code if "import numpy" in block.value]
    assert len(programs) == 1
    done = subprocess.run([sys.executable, "-c", programs[0]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _charts(app: AppTest) -> dict[str, Any]:
    return {json.loads(element.proto.spec)["name"]: element.proto for element in app.get("vega_lite_chart")}


def _maps(app: AppTest) -> dict[str, str]:
    """What each map is told, by its key."""
    components = [element.proto for element in app.get("bidi_component")]
    maps = [proto for proto in components if proto.component_name == "attention_explorer_map"]
    return {proto.id.rpartition("chart_")[2]: proto.json for proto in maps}


def _frame(arrow: bytes) -> pd.DataFrame:
    import pyarrow

    return pyarrow.ipc.open_stream(arrow).read_pandas()
