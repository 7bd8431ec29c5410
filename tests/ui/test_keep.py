"""What is kept from run to run."""

import ast
import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ui import frame, tidy
from ui.keep import keep

PAGES = sorted((Path(frame.__file__).parent.parent / "pages").glob("*.py"))
PAGE = """
@keep(10)
def computed(x):
    calls.append(x)
    return [x]
"""


def run(page: str, calls: list[Any], name: str) -> Any:
    """Run a page as a new module, and return its function."""
    module = {"keep": keep, "calls": calls}
    exec(compile(page, name, "exec"), module)
    return module["computed"]


def test_a_page_that_runs_again_keeps_what_it_has_computed() -> None:
    calls: list[Any] = []
    first = run(PAGE, calls, "again.py")(3)
    assert run(PAGE, calls, "again.py")(3) is first
    assert calls == [3]


def test_a_page_whose_code_has_changed_computes_anew() -> None:
    calls: list[Any] = []
    run(PAGE, calls, "changed.py")(4)
    assert run(PAGE.replace("[x]", "[x, x]"), calls, "changed.py")(4) == [4, 4]
    assert run(PAGE, calls, "another.py")(4) == [4]
    assert calls == [4, 4, 4]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (np.zeros(2), np.zeros(2, dtype=np.float32)),
        (np.zeros((2, 1)), np.zeros((1, 2))),
        (np.array(["a", "b"], dtype=object), np.array(["a", "c"], dtype=object)),
        ([1, 2], [1, 2, 3]),
        ((("a", "b"), "c"), ("a", ("b", "c"))),
    ],
)
def test_arguments_are_told_apart_by_what_they_hold(one: object, other: object) -> None:
    asked = keep(10)(lambda x: [x])
    assert asked(one) is not asked(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.arange(6.0), np.arange(6.0)),
        (np.arange(6.0), np.arange(12.0)[::2] / 2),
        ([np.ones(2), 3], [np.ones(2), 3]),
        (["a", ("b", None)], ["a", ("b", None)]),
    ],
)
def test_arguments_that_hold_the_same_give_the_same(one: object, other: object) -> None:
    asked = keep(10)(lambda x, *, y: [x, y])
    assert asked(one, y=other) is asked(other, y=one)


def test_no_more_is_kept_than_was_asked_for() -> None:
    asked = keep(2)(lambda x: [x])
    first = asked(1)
    asked(2), asked(3)
    assert asked(1) is not first


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        keep(2)(lambda x: x)({})


def test_a_frame_of_the_same_numbers_is_written_for_the_browser_once(monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    convert = frame.convert_pandas_df_to_arrow_bytes
    monkeypatch.setattr(frame, "convert_pandas_df_to_arrow_bytes", lambda rows: written.append(1) or convert(rows))
    x = np.linspace(0, 1, 7)
    sent = [frame._as_sent(tidy.curves(x + 0, [x**2])) for _ in range(3)]
    assert len(written) == 1
    assert sent[0] == sent[2] == convert(tidy.curves(x, [x**2]))


def test_what_was_written_is_forgotten_with_its_frame() -> None:
    rows = tidy.along([tidy.bars(np.array([0.25, 0.75]))])
    frame._as_sent(rows)
    before = len(frame._sent)
    del rows
    assert len(frame._sent) == before - 1


def _names(node: ast.AST, kind: type[ast.expr_context]) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, kind)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_kept_function_needs_nothing_of_the_run_that_made_it(page: Path) -> None:
    """It may be called in another run than its own: with another visitor's words, or after that run was broken off."""
    above = set(dir(builtins))
    for statement in ast.parse(page.read_text(encoding="utf-8")).body:
        match statement:
            case ast.Import() | ast.ImportFrom():
                above |= {(name.asname or name.name) for name in statement.names}
            case ast.Assign():
                above |= {name for name in _names(statement, ast.Store) if name.isupper()}
            case ast.ClassDef():
                above.add(statement.name)
            case ast.FunctionDef():
                body = ast.Module(statement.body, [])
                own = _names(body, ast.Store) | {part.arg for part in ast.walk(statement) if isinstance(part, ast.arg)}
                foreign = _names(body, ast.Load) - own - above
                kept = any(_names(mark, ast.Load) & {"keep"} for mark in statement.decorator_list)
                assert not (kept and foreign), f"{statement.name} uses {foreign}"
                if not foreign:
                    above.add(statement.name)
