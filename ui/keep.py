"""What a page has computed, kept from run to run and for all visitors."""

from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import Any, ParamSpec, TypeVar, cast

Asked = ParamSpec("Asked")
Told = TypeVar("Told")

_kept: dict[tuple[str, CodeType], Callable[..., Any]] = {}


def keep(most: int) -> Callable[[Callable[Asked, Told]], Callable[Asked, Told]]:
    """Keep the last `most` results of a function of a page, by its arguments, which must be hashable.

    A page is a new module at every run, and its functions are new ones; those whose code is the same share what they
    keep. Streamlit's caches read a function's source at every run to find that out, which takes half a millisecond. A
    result is shared by all who ask: nobody may change it. The function of some run is called, which may have ended
    early: it may use imports, constants, and functions that stand above it.
    """

    def keeping(function: Callable[Asked, Told]) -> Callable[Asked, Told]:
        # Code is compared without the name of its file.
        code = function.__code__.co_filename, function.__code__
        return cast(Callable[Asked, Told], _kept.setdefault(code, lru_cache(most)(function)))

    return keeping
