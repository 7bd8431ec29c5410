"""The terms of the field: what they are called and mean, and which of them a screen uses.

No screen lists its terms. It uses one when its texts do, in any of the term's `forms`, and what explains that term
comes with it. So what is offered as new is new, whichever way a visitor takes.
"""

import re
import string
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ui.text import LANGUAGES, TEXT, _flat

PAGES = Path(__file__).parent.parent / "pages"
# What a page asks for of the words that screens share: a control by its key, anything else by its own.
CONTROL = re.compile(r"\b(?:control|numbers|stepper|token|token_or_none)\(\s*\"(\w+)\"")
WORDS = re.compile(r"\bwords\(\s*\"([\w.]+)\"")
# What says where other screens lead to uses their terms already, but nobody meets these there.
ANNOUNCED = "summaries."
COLOURED = re.compile(r":\w+\[([^\]]*)\]")
# What may follow a Korean noun without making another word of it: 키는, but not 키워.
PARTICLE = "[은는이가을를과와의에도만로으라란나며였입일인마끼들부까보처뿐당별하해한할합했되된됩]"


class Term(NamedTuple):
    """A term in one language; `other` is its name in the other one, `forms` are the words that stand for it."""

    key: str
    name: str
    other: str
    says: str
    forms: tuple[str, ...]


@cache
def terms(language: str) -> dict[str, Term]:
    """All terms, each below those that explain it."""
    here, there = (_table(spoken) for spoken in sorted(LANGUAGES, key=lambda spoken: spoken != language))
    return {
        key: Term(key, term["name"], there[key]["name"], term["says"], tuple(term["forms"]))
        for key, term in here.items()
    }


def named(text: str, language: str) -> set[str]:
    """The keys of the terms in `text`; where one is part of another, as in self-attention, the longer one counts."""
    pattern, keys = _forms(language)
    return {keys[form] for form in pattern.findall(bare(text))}


@cache
def used(screen: str, language: str) -> frozenset[str]:
    """The keys of the terms that a screen uses."""
    return _explained(_texts(screen, language).values(), language)


def new(screen: str, way: Sequence[str], language: str) -> list[Term]:
    """The terms that a visitor who takes this way meets on `screen` and on no earlier one."""
    earlier = (_met(before, language) for before in way[: way.index(screen)])
    fresh = _met(screen, language).difference(*earlier)
    return [term for key, term in terms(language).items() if key in fresh]


def also(screen: str, way: Sequence[str], language: str) -> list[Term]:
    """The other terms that `screen` uses."""
    fresh = new(screen, way, language)
    return [term for key, term in terms(language).items() if key in used(screen, language) and term not in fresh]


def matching(given: str, language: str) -> set[str]:
    """The keys of the terms with `given` in their name in either language, or in what they mean."""
    sought = given.strip().casefold()
    return {
        key
        for key, term in terms(language).items()
        if sought in bare(f"{term.name} · {term.other} · {term.says}").casefold()
    }


def written(listed: Iterable[Term]) -> str:
    """Terms as Markdown: the name here in bold, the other one after it, and below what it means."""
    return "\n\n".join(
        f"**{term.name}**{f' · :gray[{bare(term.other)}]' if term.other != term.name else ''}  \n{term.says}"
        for term in listed
    )


def bare(text: str) -> str:
    """`text` without its colours, the values that a page fills in, and the ends of its lines."""
    filled = "".join(before for before, *_ in string.Formatter().parse(text))
    return " ".join(COLOURED.sub(r"\1", filled).split())


@cache
def _met(screen: str, language: str) -> frozenset[str]:
    texts = _texts(screen, language).items()
    return _explained((text for key, text in texts if not key.startswith(ANNOUNCED)), language)


def _explained(texts: Iterable[str], language: str) -> frozenset[str]:
    """The terms in `texts`, the terms in what these mean, and so on."""
    found: set[str] = set()
    more = named("\n".join(texts), language)
    while more:
        found |= more
        more = named("\n".join(terms(language)[key].says for key in more), language) - found
    return frozenset(found)


@cache
def _texts(screen: str, language: str) -> dict[str, str]:
    """The words of a screen by their keys, those that it shares with others among them."""
    page = (PAGES / f"{screen}.py").read_text(encoding="utf-8")
    controls, own = tuple(f"controls.{key}." for key in CONTROL.findall(page)), set(WORDS.findall(page))
    shared = {key: text for key, text in _flat(language, "app").items() if key.startswith(controls) or key in own}
    return shared | _flat(language, screen)


def _table(language: str) -> dict[str, dict[str, Any]]:
    with (TEXT / language / "glossary.toml").open("rb") as file:
        found: dict[str, dict[str, Any]] = tomllib.load(file)["terms"]
    return found


@cache
def _forms(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """What finds the forms of all terms, and the term that each stands for; a form may begin a sentence."""
    keys = {form: term.key for term in terms(language).values() for form in term.forms}
    # The capital of σ is Σ, which means something else.
    keys |= {form[0].upper() + form[1:]: key for form, key in keys.items() if form[0].isascii()}
    whole = (
        re.escape(form) + (rf"(?=\W|$|{PARTICLE})" if "가" <= form[-1] <= "힣" else r"(?![A-Za-z0-9_])")
        for form in sorted(keys, key=len, reverse=True)
    )
    return re.compile(rf"(?<!\w)(?:{'|'.join(whole)})"), keys
