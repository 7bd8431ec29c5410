"""The planted mistakes keep up with the engine that they are planted in."""

import pytest

from tests.mutations import mistakes, root


@pytest.mark.parametrize("mistake", mistakes, ids=lambda mistake: mistake.name)
def test_every_mistake_has_its_place_in_the_engine(mistake):
    source = (root / "core" / f"{mistake.module}.py").read_text(encoding="utf-8")
    assert source.count(mistake.right) == 1
    assert mistake.right != mistake.wrong
