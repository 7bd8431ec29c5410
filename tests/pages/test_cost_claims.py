"""What the words of the cost screen claim, where no other test asserts it."""

import inspect
import re

import numpy as np
import pytest

from core.stopwatch import attention_seconds
from tests.pages.app import alt, data, open_screen
from tests.pages.test_cost import metric, number
from ui.controls import CONTROLS
from ui.text import LANGUAGES, Words


@pytest.mark.parametrize("d", [64, 16384])
def test_the_curves_are_the_formulas_they_are_named_by(d):
    curves = data(open_screen("cost", cost_d=d, cost_h=1), "growth", "curves")
    for series, formula in ((0, lambda n: 4 * n * d**2), (1, lambda n: 8 * n * d**2), (3, lambda n: 2 * n**2 * d)):
        curve = curves[curves["series"] == series]
        np.testing.assert_allclose(curve["y"], formula(curve["x"].to_numpy(dtype=float)))


def test_numbers_of_8_4_2_and_1_bytes_are_the_formats_that_are_named():
    sizes = {np.float64: 8, np.float32: 4, np.float16: 2, np.int8: 1}
    assert {np.dtype(kind).itemsize for kind in sizes} == set(CONTROLS["bytes"].options)
    assert all(np.dtype(kind).itemsize == size for kind, size in sizes.items())
    told = Words("cost", "en")("controls.bytes.help")
    assert re.findall(r"(\d): (\w+)", told) == [("8", "double"), ("4", "single"), ("2", "half"), ("1", "8")]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_stopwatch_times_what_it_is_said_to_time(lang):
    given = {name: parameter.default for name, parameter in inspect.signature(attention_seconds).parameters.items()}
    assert (given["d_k"], given["budget"]) == (64, 10)
    told = Words("cost", lang)("measure.how", longest=4096, passes=4, megabytes=134)
    assert told in [caption.value for caption in open_screen("cost", lang).caption]
    assert "d_k = 64" in told


def test_at_twice_d_model_scores_and_mix_cost_as_much_as_the_four_projections():
    app = open_screen("cost")
    app.button(key="preset_meeting").click().run()
    assert app.select_slider(key="cost_n").value == 2 * app.select_slider(key="cost_d").value == 2 * 512 == 1_024
    projections, scores, mix, feed_forward = data(app, "multiply_adds", "amounts")["value"]
    assert scores + mix == projections
    assert feed_forward == projections + scores + mix


def test_in_a_long_document_scores_take_84_percent_of_the_work_and_35_terabytes():
    app = open_screen("cost")
    app.button(key="preset_document").click().run()
    n, d, heads, layers, size = 131_072, 4096, 32, 32, 2
    assert app.select_slider(key="cost_n").value == n
    assert f"{2 * n / (2 * n + 12 * d):.0%}" == "84%"
    assert f"{layers * heads * n**2 * size / 1e12:.0f} TB" == "35 TB"
    assert data(app, "bytes", "amounts")["value"][2] == layers * heads * n**2 * size


def test_the_fastest_attention_saves_no_more_than_the_share_of_n_squared():
    app = open_screen("cost")
    app.button(key="preset_sentence").click().run()
    assert app.select_slider(key="cost_n").value == 64
    projections, scores, mix, feed_forward = data(app, "multiply_adds", "amounts")["value"]
    saved = (scores + mix) / (projections + scores + mix + feed_forward)
    assert f"{saved:.0%}" == "2%"
    assert metric(app, "Share").value == f"{saved:.1%}"


def test_the_feed_forward_network_is_four_times_as_wide():
    d = 64
    app = open_screen("cost", cost_d=d, cost_n=128, cost_h=1, layers=1)
    *_, feed_forward = data(app, "multiply_adds", "amounts")["value"]
    assert feed_forward == 2 * 128 * d * (4 * d)  # up and down again


def test_every_layer_costs_the_same():
    one, many = (data(open_screen("cost", layers=layers), "multiply_adds", "amounts")["value"] for layers in (1, 96))
    np.testing.assert_allclose(many, 96 * one)


def test_doubling_n_doubles_projections_and_feed_forward_and_quadruples_scores_and_mix():
    one, two = (data(open_screen("cost", cost_n=n), "multiply_adds", "amounts")["value"] for n in (512, 1024))
    assert (two / one).tolist() == [2, 4, 4, 2]


def test_fewer_key_heads_shrink_the_cache_to_that_of_one():
    cache = metric(open_screen("cost", cost_h=8), "KV")
    assert (cache.value, cache.bound) == ("12.6 MB", "one key/value head: 1.57 MB")
    assert f"{2 * 6 * 512 * 64 * 4 / 1e6:.3g}" == "1.57"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_totals_are_the_sums_of_their_parts_and_the_largest_part_is_named(lang):
    app, words = open_screen("cost", lang, cost_n=4096), Words("cost", lang)
    parts = {
        "multiply_adds": ("projections", "scores", "mix", "feed_forward"),
        "bytes": ("parameters", "query_key_value", "scores", "hidden"),
    }
    for key, names in parts.items():
        amounts, told = data(app, key, "amounts")["value"], alt(app, key)
        assert number(re.search(r"[\d.]+ [A-Z]B?", told)[0]) == pytest.approx(amounts.sum(), rel=6e-3)
        assert words(f"{key}.{names[amounts.argmax()]}") in told
        total = re.search(r"[\d.]+ [A-Z]B?", told)[0]
        assert f"## {words(f'{key}.title', total=total)}" in [text.value for text in app.markdown]
