"""Altair and pandas, imported when a chart is made: half a second for which the rest of a first page need not wait."""

import gc
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["alt", "pd"]


class Late:
    """A module that is imported when something in it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        is_new = self._name not in sys.modules
        module = import_module(self._name)
        if is_new:
            # What has been imported stays for good: looking through it again at every full collection would stop all
            # visitors for a tenth of a second.
            gc.freeze()
        return getattr(module, attribute)


if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
else:
    alt, pd = Late("altair"), Late("pandas")
