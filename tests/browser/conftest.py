"""A real Chromium against a real server: started once for the folder, and afresh where a test needs a first visitor."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, sync_playwright

ROOT = Path(__file__).parent.parent.parent
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Streamlit probes for its own base path on every address below the root, and says so in the console.
EXPECTED_IN_CONSOLE = ("404 (Not Found)",)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = [item for item in items if Path(__file__).parent in item.path.parents]
    for item in here:
        item.add_marker(pytest.mark.browser)
        if CHROMIUM is None and os.environ.get("REQUIRE_BROWSER") != "1":
            item.add_marker(pytest.mark.skip(reason="no Chromium on this machine (REQUIRE_BROWSER=1 makes this fail)"))


@contextmanager
def serve() -> Iterator[str]:
    """A fresh server on a free port of this machine; nobody has visited it yet."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py", "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1", "--server.fileWatcherType", "none"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=1)
                break
            except OSError:
                time.sleep(0.1)
        else:
            raise RuntimeError("the server did not start within 30 s")
        yield address
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with serve() as address:
        yield address


@pytest.fixture
def fresh_server() -> Iterator[str]:
    """A server that nobody has visited yet; name it before `visit`, so that it outlives the pages."""
    with serve() as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    assert CHROMIUM is not None, "no Chromium found: install it, or name it in the environment variable CHROMIUM"
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)


@pytest.fixture(scope="session")
def profiles() -> dict[str, BrowserContext]:
    """Browser profiles by their options; the app keeps nothing in them, so visitors share what Chromium has cached."""
    return {}


@pytest.fixture
def visit(server: str, browser: Browser, profiles: dict[str, BrowserContext]) -> Iterator[Callable[..., Page]]:
    """Open an address as a new visitor; no visit may leave an error in the console or ask another host for anything."""
    complaints: list[str] = []
    pages, contexts = [], []

    def open_page(
        path: str,
        *,
        base: str = server,
        locale: str = "en-US",
        width: int = 1280,
        new_profile: bool = False,
        **options: Any,
    ) -> Page:
        options |= {"locale": locale, "viewport": {"width": width, "height": 860 if width > 640 else 844}}
        name = repr(options)
        if new_profile:
            # What such a visit leaves in the browser, an open menu for example, is no other test's.
            contexts.append(browser.new_context(**options))
            page = contexts[-1].new_page()
        else:
            if name not in profiles:
                profiles[name] = browser.new_context(**options)
            page = profiles[name].new_page()
        pages.append(page)
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: None if _is_local(request.url) else complaints.append(request.url))
        page.goto(base + path)
        page.get_by_role("heading", level=1).wait_for()
        settle(page)
        return page

    yield open_page
    for opened in (*pages, *contexts):
        opened.close()
    assert not [text for text in complaints if not any(known in text for known in EXPECTED_IN_CONSOLE)]


def _is_local(url: str) -> bool:
    return url.startswith(("http://127.0.0.1:", "data:", "blob:"))


AT_REST = """() => {
  const idle = document.querySelector('[data-testid="stApp"][data-test-script-state="notRunning"]')
  const whole = document.querySelector(".st-key-foot") && location.search.includes("lang=")
    && !document.querySelector('[data-testid="stSkeleton"]')
  const charts = [...document.querySelectorAll('[class*="st-key-chart_"]')]
  const painted = part => part.shadowRoot?.querySelector("canvas")
  const drawn = chart => chart.querySelector("svg, canvas") || [...chart.querySelectorAll("*")].some(painted)
  return idle && whole && charts.every(drawn)
}"""


def go(page: Page, section: str, screen: str) -> None:
    """Go to another screen by the menu."""
    page.locator("header").get_by_text(section).click()
    page.locator(f"[data-testid=stTopNavDropdownLink][href$='/{screen}']").click()
    page.wait_for_url(f"**/{screen}**")
    settle(page)


def settle(page: Page) -> None:
    """Wait until the server has answered, the address says what is shown, and the charts have been drawn."""
    # On a busy machine a change reaches the server late: what is at rest has to be at rest a while later, too.
    page.wait_for_timeout(60)
    page.wait_for_function(AT_REST)
    page.wait_for_timeout(250)
    page.wait_for_function(AT_REST)


def map_of(page: Page, key: str) -> Locator:
    """The map with this key."""
    return page.locator(f".st-key-chart_{key} .map")


def cells_of(page: Page, key: str) -> list[list[str]]:
    """What the arrow keys tell of each cell of a map, row by row."""
    said: list[list[str]] = map_of(page, key).evaluate(
        """box => {
          const told = () => box.querySelector(".said").textContent
          const press = (key, ctrlKey = false) => box.dispatchEvent(new KeyboardEvent("keydown", { key, ctrlKey }))
          const rows = []
          press("Home", true)
          for (let row = null; row !== told(); press("ArrowDown")) {
            row = told()
            rows.push([])
            for (let cell = null; cell !== told(); press("ArrowRight")) rows.at(-1).push((cell = told()))
            press("Home")
          }
          press("Escape")
          return rows
        }"""
    )
    return said


def move_to(page: Page, key: str, query: str, token: str) -> str:
    """Go over a map by its keys to the first cell of a query and a key, and return what is said of it."""
    names = [[said.split(", ")[0].split(" → ") for said in row] for row in cells_of(page, key)]
    shown = map_of(page, key)
    shown.press("Control+Home")
    for step, way in (("ArrowDown", [row[0][0] for row in names]), ("ArrowRight", [cell[1] for cell in names[0]])):
        for _ in range(way.index(query if step == "ArrowDown" else token)):
            shown.press(step)
    return shown.locator(".said").inner_text()
