"""What goes ahead of a slider: charts hold what is seen at each of its options, maps what the next ones would show."""

import re

import numpy as np
import pandas as pd
import pytest

from tests.pages.app import (
    ROOT,
    along,
    chart_keys,
    data,
    datasets,
    map_keys,
    open_screen,
    options,
    shown_map,
    spec,
    whole_data,
)
from ui.controls import CONTROLS
from ui.tidy import SINCE, UNTIL

# The control that a screen's pictures go along with, and another option of it, from the default and by a link.
MOVES = [
    ("overview", "turn", 90, {}),
    ("overview", "turn", 45, {"T": 0}),
    ("playground", "T", 2.0, {}),
    ("playground", "T", 0.0, {"mask": "causal", "heads": 4}),
    ("step_by_step", "step", "exp", {}),
    ("step_by_step", "step", "output", {"mask": "causal", "step": "dot", "seed": 3, "text": "one two three"}),
    ("temperature", "T", 0.5, {}),
    ("temperature", "T", float("inf"), {"z": "3,3,-1,0", "d_k": 256}),
    ("scaling", "d_k", 256, {}),
    ("scaling", "d_k", 1, {"law": "sign", "samples": 300, "scale": "d_k"}),
    ("saturation", "d_k", 1024, {}),
    ("saturation", "d_k", 1, {"scale": "1", "n_keys": 64, "seed": 5}),
    ("multi_head", "d_model", 24, {}),
    ("multi_head", "d_model", 512, {"h": 8, "d_model": 256, "w_o": "false"}),
    ("cross_attention", "output", 3, {}),
    ("cross_attention", "output", 2, {"scorer": "additive", "bottleneck": "true", "source": "ko"}),
    ("encoder_block", "depth", 64, {}),
    ("encoder_block", "depth", 1, {"norm": "none", "residual": "false"}),
    ("cost", "cost_n", 65536, {}),
    ("cost", "cost_n", 16, {"cost_d": 4096, "layers": 96}),
    ("self_attention", "positions", True, {}),
    ("self_attention", "positions", False, {"positions": "true", "shuffled": "true", "text": "one two three"}),
    ("masks", "left", 4, {"mask": "window"}),
    ("masks", "keep", 200, {"mask": "padding"}),
    ("masks", "keep", 0, {"mask": "causal", "padded": "true", "cached": "true", "last": 3}),
    ("masks", "prefix_length", 5, {"mask": "prefix", "cached": "true", "last": 4, "align": "top-left"}),
    ("claims", "T", 0.0, {}),
    ("claims", "claim_d_k", 4, {"claim": "variance"}),
    ("claims", "claim_d_k", 1024, {"claim": "divide"}),
    ("claims", "heaviest", 0.5, {"claim": "importance"}),
    ("claims", "hidden", 6, {"claim": "multiply"}),
    ("claims", "claim_h", 32, {"claim": "width"}),
    ("claims", "tie", 0.55, {"claim": "disagree"}),
]
MAPS = [("claims", "T", 2.0, {"claim": "first"}), ("claims", "shift", 1, {"claim": "order"})]


def move(app, control, option):
    app.session_state[control] = option
    app.run()
    assert not app.exception


def sent(app, key):
    return {name: whole_data(app, key, name) for name in datasets(app, key)}


@pytest.mark.parametrize(("screen", "control", "option", "link"), MOVES)
def test_a_move_of_the_slider_sends_every_chart_the_same_data(screen, control, option, link):
    app = open_screen(screen, **link)
    moving = [key for key in chart_keys(app) if along(app, key) == control]
    assert moving
    before = {key: (spec(app, key), sent(app, key)) for key in moving}
    move(app, control, option)
    assert [key for key in chart_keys(app) if along(app, key) == control] == moving
    for key in moving:
        assert spec(app, key) == before[key][0]
        for name, rows in sent(app, key).items():
            pd.testing.assert_frame_equal(rows, before[key][1][name])


@pytest.mark.parametrize(("screen", "control", "option", "link"), MOVES)
def test_every_option_of_the_slider_has_its_rows(screen, control, option, link):
    """A chart without rows for an option would be blank until the server has answered."""
    app = open_screen(screen, **link)
    places = range(len(options(control)))
    if screen == "multi_head":
        places = [i for i in places if CONTROLS["d_model"].options[i] % app.session_state["h"] == 0]
    if screen == "cross_attention":
        places = range(len(shown_map(app, "alignment").told["rows"]))
    for key in chart_keys(app):
        moving = [rows for rows in sent(app, key).values() if SINCE in rows]
        for at in places if moving else ():
            assert any(((rows[SINCE] <= at) & (at <= rows[UNTIL])).any() for rows in moving), (key, at)


def test_the_rows_of_other_options_are_not_those_of_this_one():
    app = open_screen("saturation")
    at_64 = data(app, "bars", "bars")
    move(app, "d_k", 1024)
    assert not np.allclose(at_64["value"], data(app, "bars", "bars")["value"])


@pytest.mark.parametrize(("screen", "control", "option", "link"), MOVES + MAPS)
def test_what_a_map_is_told_ahead_is_what_the_next_move_brings(screen, control, option, link):
    app = open_screen(screen, **link)
    move(app, control, option)
    told_ahead = {key: shown_map(app, key).told["ahead"].get(control, {}) for key in map_keys(app)}
    places = {int(at) for ahead in told_ahead.values() for at in ahead}
    for at in sorted(places, key=lambda at: abs(at - options(control).index(option)))[:3]:
        move(app, control, options(control)[at])
        for key, ahead in told_ahead.items():
            if str(at) in ahead:
                told = shown_map(app, key).told
                assert ahead[str(at)] == {name: told[name] for name in ahead[str(at)]}, (key, at)


def test_the_maps_of_every_screen_with_a_slider_for_them_go_ahead():
    for screen, control, keys, link in (
        ("playground", "T", {"weights"}, {}),
        ("step_by_step", "step", {"matrix"}, {}),
        ("saturation", "d_k", {"slopes"}, {}),
        ("multi_head", "d_model", {"heads", "rows", "apart"}, {}),
        ("cross_attention", "output", {"alignment", "asks", "states", "contexts"}, {}),
        ("masks", "left", {"scores", "weights"}, {"mask": "window"}),
        ("masks", "right", {"scores", "weights"}, {"mask": "window"}),
        ("claims", "T", {"first"}, {"claim": "first"}),
        ("claims", "shift", {"order"}, {"claim": "order"}),
    ):
        app = open_screen(screen, **link)
        assert {key for key in map_keys(app) if shown_map(app, key).told["ahead"].get(control)} == keys


def test_samples_that_take_long_are_drawn_for_the_shown_d_k_alone():
    few, many = open_screen("scaling"), open_screen("scaling", samples=100_000)
    assert whole_data(few, "scores", "bins")[SINCE].nunique() == len(CONTROLS["d_k"].options)
    bins = whole_data(many, "scores", "bins")
    assert set(bins[SINCE]) == {0}
    assert (bins[UNTIL] >= len(CONTROLS["d_k"].options)).all()
    assert spec(many, "scores") == spec(few, "scores"), "the chart stays in the page"


@pytest.mark.parametrize("screen", ["playground", "step_by_step", "multi_head", "self_attention", "masks"])
def test_the_program_that_tells_what_is_shown_is_one_file_and_no_word_of_a_visitor_reaches_it(screen):
    hostile = '</script><script>alert(1)</script> <img/src=x/onerror=alert(1)> "onload=alert(1)'
    app = open_screen(screen, text=f"one {hostile} two")
    told = (ROOT / "ui" / "web" / "shown.js").read_text()
    assert "</script" not in told
    elements = [element.proto for element in app.get("html")]
    assert [html.body for html in elements if html.unsafe_allow_javascript] == [f"<script>{told}</script>"]
    for html in elements:
        if not html.unsafe_allow_javascript:
            assert not re.search(r"<(script|img)|\"onload", html.body)
