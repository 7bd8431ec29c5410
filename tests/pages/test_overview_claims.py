"""What the front page's words claim, where no other test asserts it."""

import numpy as np
import pytest

from core.scores import dot
from tests.pages.app import alt, data, open_screen
from tests.pages.test_overview import by_definition
from ui.controls import CONTROLS
from ui.text import LANGUAGES, Words


@pytest.mark.parametrize("lang", LANGUAGES)
def test_at_0_degrees_the_query_asks_for_a_living_thing_and_at_90_for_a_place(lang):
    words = Words("overview", lang)
    app = open_screen("overview", lang, turn=0)
    arrows = data(app, "compare", "arrows")
    assert arrows[["x", "y"]].to_numpy()[0] == pytest.approx([1.6, 0])
    assert words("tokens.animal") in alt(app, "compare")
    app.select_slider(key="turn").set_value(90).run()
    assert data(app, "compare", "arrows")[["x", "y"]].to_numpy()[0] == pytest.approx([0, 1.6], abs=1e-6)
    assert words("tokens.street") in alt(app, "compare")


@pytest.mark.parametrize("temperature", ["0", "0.05", "1", "10", "inf"])
def test_the_weights_add_up_to_1(temperature):
    for turn in (0, 225):
        bars = data(open_screen("overview", turn=turn, T=temperature), "weigh", "bars")
        assert bars["value"].sum() == pytest.approx(1, abs=1e-6)


def test_without_a_mask_only_the_limit_0_takes_a_weight_to_exactly_0():
    finite = [t for t in CONTROLS["T"].options if 0 < t < np.inf]
    for turn in CONTROLS["turn"].options:
        assert min(by_definition(turn, t)[1].min() for t in finite) > 0
    assert (data(open_screen("overview", T=0.05), "weigh", "bars")["value"] > 0).all()
    assert (data(open_screen("overview", T=0), "weigh", "bars")["value"] == 0).sum() == 3


def test_of_a_score_counts_its_distance_to_the_others():
    scores = np.append(by_definition(30, 1)[0], 0)
    for shift in (-1, 0, 7):
        powers = np.exp(scores + shift)
        np.testing.assert_allclose(powers / powers.sum(), np.exp(scores) / np.exp(scores).sum(), rtol=1e-12)


def test_a_key_at_a_right_angle_scores_0():
    for turn in CONTROLS["turn"].options:
        x, y = np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))
        assert dot([[x, y]], [[-y, x]]).item() == pytest.approx(0)
