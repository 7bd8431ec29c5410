"""What has been computed, kept from run to run and for all visitors."""

from collections.abc import Callable
from functools import lru_cache, wraps
from types import CodeType
from typing import Any, ParamSpec, TypeVar

import numpy as np

Asked = ParamSpec("Asked")
Told = TypeVar("Told")

_kept: dict[tuple[str, CodeType], Callable[..., Any]] = {}


def keep(most: int) -> Callable[[Callable[Asked, Told]], Callable[Asked, Told]]:
    """Keep the last `most` results of a function, by what its arguments hold: numbers, words, arrays, lists of them.

    A page is a new module at every run, and its functions are new ones; those whose code is the same share what they
    keep. Streamlit's caches read a function's source at every run to find that out, which takes half a millisecond. A
    result is shared by all who ask: nobody may change it. The function of some run is called, which may have ended
    early: it may use imports, constants, and functions that stand above it.
    """

    def keeping(function: Callable[Asked, Told]) -> Callable[Asked, Told]:
        # Code is compared without the name of its file.
        code = function.__code__.co_filename, function.__code__
        return _kept[code] if code in _kept else _kept.setdefault(code, _keeping(function, most))

    return keeping


def _keeping(function: Callable[Asked, Told], most: int) -> Callable[Asked, Told]:
    @lru_cache(most)
    def answer(call: "_Call") -> Told:
        return function(*call.arguments, **call.named)

    @wraps(function)
    def ask(*arguments: Asked.args, **named: Asked.kwargs) -> Told:
        return answer(_Call(arguments, named))

    return ask


class _Call:
    """The arguments of a call, equal to those that hold the same."""

    def __init__(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        self.arguments, self.named = arguments, named
        self._content = _content(arguments), *((name, _content(value)) for name, value in named.items())

    def __hash__(self) -> int:
        return hash(self._content)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Call) and self._content == other._content


def _content(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, (np.ndarray, list, tuple, range)):
        return tuple(map(_content, value))
    # 1 and 1.0 and True are equal, but not to a frame.
    return type(value), value
