"""Every claim on the screens is held by a test, and both languages claim the same."""

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.claims import CLAIMS, IN_WORDS, NO_CLAIM, literal, numbers, states_something
from ui.text import LANGUAGES, TEXT, _flat

ROOT = Path(__file__).parent.parent
SCREENS = sorted(path.stem for path in (TEXT / "en").glob("*.toml"))


@cache
def numbers_in(file: str) -> dict[str, set[float]]:
    """The numbers in each test of a file; comments do not count."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    return {function.name: {float(n) for n in numbers(ast.unparse(function))} for function in functions}


def named(key: str) -> list[tuple[str, str]]:
    """File and name of each test that is named for a text."""
    return [(file, name) for file, name in (test.split("::") for test in CLAIMS[key].split())]


def said(screen: str) -> dict[str, tuple[str, str]]:
    """Every text of a screen by its key, in English and in Korean."""
    english, korean = (_flat(language, screen) for language in LANGUAGES)
    return {f"{screen}:{key}": (text, korean[key]) for key, text in english.items()}


@pytest.mark.parametrize("screen", SCREENS)
def test_every_claim_has_a_test(screen: str):
    claimed = {key for key, texts in said(screen).items() if states_something(*texts)}
    assert not claimed - CLAIMS.keys() - NO_CLAIM, "name the test that holds it in tests/claims.py, or write one"


def test_every_text_that_is_named_exists():
    texts = {key for screen in SCREENS for key in said(screen)}
    assert not (CLAIMS.keys() | NO_CLAIM | IN_WORDS.keys()) - texts
    assert not CLAIMS.keys() & NO_CLAIM


def test_every_test_that_is_named_exists():
    assert not [(key, name) for key in CLAIMS for file, name in named(key) if name not in numbers_in(file)]


@pytest.mark.parametrize("key", [key for key in CLAIMS if key.endswith(".see")])
def test_the_numbers_that_a_preset_promises_stand_in_its_tests(key: str):
    screen, _, name = key.partition(":")
    promised = {float(n) for n in numbers(literal(_flat("en", screen)[name]))}
    assert not promised - set().union(*(numbers_in(file)[test] for file, test in named(key)))


@pytest.mark.parametrize("screen", SCREENS)
def test_both_languages_state_the_same_numbers(screen: str):
    for key, (english, korean) in said(screen).items():
        here, there = Counter(numbers(literal(english))), Counter(numbers(literal(korean)))
        in_one_only = sorted(((here - there) + (there - here)).elements())
        assert " ".join(in_one_only) == IN_WORDS.get(key, ""), key


@pytest.mark.parametrize(
    ("english", "korean", "expected"),
    [
        ("The largest of them", "그중 하나", True),
        ("One of them", "그중 가장 큰 것", True),
        ("It is {answer}.", "{answer}입니다.", False),
        ("Half of {n:.2f}", "{n:.2f}", True),
        ("Does every word look?", "모든 단어가 볼까요?", False),
        ("It never does. Does it?", "그렇지 않습니다. 그럴까요?", True),
        ("The rest", "나머지", False),
        ("Words to the left", "자기보다 앞에 있는 단어", False),
    ],
)
def test_a_number_a_comparison_or_a_word_without_exception_is_a_claim(english: str, korean: str, expected: bool):
    assert states_something(english, korean) == expected
