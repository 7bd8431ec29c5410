"""Nothing is imported before it is needed."""

import subprocess
import sys

import pytest

from tests.pages.app import ROOT

# Says what is imported when a screen has come to its first map, and leaves.
AT_THE_FIRST_MAP = """
import logging, os, sys
logging.disable()
from streamlit.testing.v1 import AppTest
from ui import maps

def show(*given, **named):
    print(*(name for name in ("altair", "pandas", "pyarrow", "scipy") if name in sys.modules), flush=True)
    os._exit(0)

maps.show = show
AppTest.from_file("streamlit_app.py", default_timeout=60).switch_page(f"pages/{sys.argv[1]}.py").run()
"""
LATE = """
import gc, sys
from ui.late import alt, pd
early, frozen = {"altair", "pandas"} & set(sys.modules), gc.get_freeze_count()
print(alt.Chart.__name__, pd.DataFrame.__name__, len(early), gc.get_freeze_count() > frozen)
"""


def printed(program, *arguments):
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("screen", ["playground", "masks", "multi_head"])
def test_a_first_map_waits_neither_for_charts_nor_for_statistics(screen):
    assert printed(AT_THE_FIRST_MAP, screen) == ""


def test_a_late_module_is_imported_when_it_is_asked_and_stays_out_of_collections():
    assert printed(LATE) == "Chart DataFrame 0 True"
