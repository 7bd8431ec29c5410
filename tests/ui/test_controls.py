"""A control's value goes into a link and comes back; what no control takes is refused with what was expected."""

import itertools
import math

import pytest

from ui.controls import CONTROLS, TEMPERATURES, near


def known_values() -> list[tuple[str, object]]:
    pairs: list[tuple[str, object]] = []
    for key, control in CONTROLS.items():
        if control.options:
            pairs += [(key, option) for option in control.options]
        elif control.kind == "number":
            pairs += [(key, control.low), (key, control.high)]
        elif control.kind == "switch":
            pairs += [(key, True), (key, False)]
    return pairs


@pytest.mark.parametrize(("key", "value"), known_values())
def test_every_value_survives_the_link(key: str, value: object):
    control = CONTROLS[key]
    assert control.read(control.written(value)) == value


@pytest.mark.parametrize("key", [key for key, control in CONTROLS.items() if control.kind not in ("text", "token")])
@pytest.mark.parametrize("garbage", ["", "garbage", "-1", "1e400", "nan", "None", "0x10", "٣٤٥٦٧", "<script>", "0.333"])
def test_garbage_is_refused_with_what_was_expected(key: str, garbage: str):
    control = CONTROLS[key]
    if garbage in [control.written(option) for option in control.options]:
        return
    with pytest.raises(ValueError, match="expected"):
        control.read(garbage)


def test_what_is_near_a_value_of_a_slide_is_found_by_its_position():
    assert near("d_k", 64, 2) == {4: 16, 5: 32, 7: 128, 8: 256}
    assert near("d_k", 1, 1) == {1: 2}
    assert near("T", math.inf, 1) == {len(TEMPERATURES) - 2: 10.0}
    assert near("T", 1.0, 0) == {}


def test_defaults_are_among_the_options():
    for key, control in CONTROLS.items():
        if control.options and key != "lang":
            assert control.default in control.options, key


def test_temperatures_run_from_limit_to_limit_in_even_ratios():
    assert TEMPERATURES[0] == 0
    assert TEMPERATURES[-1] == math.inf
    finite = TEMPERATURES[1:-1]
    assert (finite[0], finite[-1]) == (0.05, 10.0)
    assert {0.5, 1.0, 2.0} <= set(finite)
    # A twentieth of a decade is a ratio of 1.122; rounding moves it a little.
    assert all(1.09 < after / before < 1.16 for before, after in itertools.pairwise(finite))
