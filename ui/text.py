"""The words of the screens: one TOML a screen and language under text/, the same keys in every language."""

import math
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from numbers import Real
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "ko")
TEXT = Path(__file__).parent.parent / "text"


@dataclass(frozen=True)
class Words:
    """One screen's words in one language: `words("presets.sharp.say", token="it")`.

    A key the screen does not have is looked up in app.toml, which holds what the screens share.
    A missing key or a missing value is a KeyError: nothing falls back to another language.
    """

    screen: str
    language: str

    def __call__(self, key: str, /, **values: object) -> str:
        found = _flat(self.language, self.screen).get(key)
        if found is None:
            found = _flat(self.language, "app")[key]
        return found.format(**{name: _signed(value) for name, value in values.items()}) if values else found

    def keys(self, prefix: str) -> list[str]:
        """The names right below `prefix`, in the order of the file."""
        start = prefix + "."
        below = (key[len(start) :] for key in _flat(self.language, self.screen) if key.startswith(start))
        return list(dict.fromkeys(name.split(".")[0] for name in below))


@dataclass(frozen=True)
class _Negative:
    """A number that is written with a minus sign in place of a hyphen."""

    value: object

    def __format__(self, form: str) -> str:
        return minus(format(self.value, form))


def _signed(value: object) -> object:
    return _Negative(value) if isinstance(value, Real) and value < 0 else value


def minus(number: str) -> str:
    """A written number with a minus sign in place of the hyphen of a keyboard."""
    return number.replace("-", "−")


@cache
def _flat(language: str, screen: str) -> dict[str, str]:
    with (TEXT / language / f"{screen}.toml").open("rb") as file:
        return dict(_leaves(tomllib.load(file)))


def _leaves(table: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield prefix + name, str(value).strip()


def plain(text: str) -> str:
    """`text` with every character that Markdown, LaTeX or a shortcode could eat escaped, for a visitor's own words."""
    return "".join("\\" + c if c in r"\`*_{}[]<>()#+-.!|$:~&" else c for c in text)


def prefixed(value: float) -> str:
    """`value`, 0 or at least 1, to three digits with a decimal prefix, as `1.07 G`."""
    value = float(f"{value:.3g}")
    power = int(math.log10(value) // 3) if value else 0
    return f"{value / 1000**power:.3g} {('', 'k', 'M', 'G', 'T', 'P', 'E', 'Z')[power]}".strip()


def short(value: float) -> str:
    """`value` to four digits, or to its last whole one."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return minus(f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}")


def rounded(value: float, error: float) -> str:
    """`value` to the second digit of its standard error."""
    if not 0 < error < math.inf:
        return short(value)
    return minus(f"{value:,.{max(0, 1 - math.floor(math.log10(error)))}f}")


def uncertain(value: float, error: float) -> str:
    """`value` with its standard error, if there is one, as `64.31 ± 0.92`."""
    return f"{rounded(value, error)} ± {rounded(error, error)}" if 0 < error < math.inf else short(value)


def scientific(value: float) -> str:
    """`value` to two digits behind the point, or as a power of ten where that would say little, as `1.5·10¹⁸`."""
    if value == 0 or 0.01 <= abs(value) < 1000:
        return minus(f"{value:z.2f}")
    digits, power = f"{value:.1e}".split("e")
    return f"{minus(digits)}·10{str(int(power)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"
