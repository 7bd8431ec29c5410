"""What the words of the temperature screen claim, where no other test asserts it."""

import re

import numpy as np
import pytest

from tests.pages.app import cards, data, open_screen
from ui.controls import CONTROLS
from ui.text import LANGUAGES, Words

LOGITS = ["2,1,0.1", "5,5,5", "3,3,-100,100,0,0,7,7", "-1,-2,-3,-3"]


@pytest.mark.parametrize("z", LOGITS)
def test_entropy_and_effective_keys_never_fall_as_the_temperature_rises(z):
    app = open_screen("temperature", z=z)
    for key in ("entropy", "keys"):
        limit, _, other = data(app, key, "points")["y"]
        along = [limit, *data(app, key, "curves")["y"], other]
        assert (np.diff(along) >= -1e-6).all()


@pytest.mark.parametrize("z", LOGITS)
def test_every_figure_lies_within_its_bounds(z):
    app = open_screen("temperature", z=z)
    n = z.count(",") + 1
    for t in (0.0, 0.05, 1.0, 10.0, np.inf):
        app.select_slider(key="T").set_value(t).run()
        largest, entropy, keys = (float(re.match(r"[\d.]+", metric.value)[0]) for metric in cards(app))
        assert float(f"{1 / n:.3f}") <= largest <= 1
        assert 0 <= entropy <= float(f"{np.log(n):.2f}")
        assert 1 <= keys <= n


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_help_of_the_logits_tells_their_bounds(lang):
    z = CONTROLS["z"]
    told = [int(number) for number in re.findall(r"\d+", Words("temperature", lang)("controls.z.help"))]
    assert sorted(told) == sorted([*z.count, -z.low, z.high])
