"""What n² costs, held against the formulas of each part and against a clock whose answer is known."""

import numpy as np
import pytest
from scipy.stats import linregress, t

import core.stopwatch
from tests.pages.app import alt, assert_no_exception, cards, data, grids, open_screen, run_program, spec

PREFIXES = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18, "Z": 1e21}


def number(said):
    value, _, prefix = said.removesuffix("B").partition(" ")
    return float(value) * PREFIXES[prefix.removesuffix("B")]


def metric(app, label):
    return next(figure for figure in cards(app) if label in figure.label)


def shown_text(app):
    return " ".join(element.value for element in (*app.markdown, *app.caption, *app.info))


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize(
    ("n", "d", "h", "layers", "size", "kernel"),
    [(512, 512, 8, 6, 4, 3), (16, 64, 1, 1, 1, 3), (1048576, 16384, 128, 128, 8, 9), (2048, 768, 12, 12, 2, 5)],
)
def test_every_part_is_its_formula(lang, n, d, h, layers, size, kernel):
    app = open_screen("cost", lang, cost_n=n, cost_d=d, cost_h=h, layers=layers, bytes=size, kernel=kernel)
    multiply_adds = layers * np.array([4.0 * n * d**2, n**2 * d, n**2 * d, 8 * n * d**2])
    in_bytes = layers * size * np.array([12.0 * d**2, 3 * n * d, h * n**2, 4 * n * d])
    for key, expected in (("multiply_adds", multiply_adds), ("bytes", in_bytes)):
        bars = data(app, key, "amounts")
        np.testing.assert_allclose(bars["value"], expected)
        np.testing.assert_allclose([number(said) for said in bars["said"]], expected, rtol=6e-3)
        assert bars["said"][expected.argmax()] in alt(app, key)
    share, crossing, scores, cache = cards(app)
    assert share.value == f"{100 * 2 * n / (2 * n + 12 * d):.1f}%"
    assert crossing.value == f"n = {2 * d:,}"
    assert number(scores.value) == pytest.approx(layers * size * h * n**2, rel=6e-3)
    assert number(cache.value) == pytest.approx(2 * layers * n * d * size, rel=6e-3)


def test_heads_change_the_bytes_of_the_scores_alone():
    one, many = (open_screen("cost", cost_h=h) for h in (1, 128))
    np.testing.assert_array_equal(*(data(app, "multiply_adds", "amounts")["value"] for app in (one, many)))
    ratio = data(many, "bytes", "amounts")["value"] / data(one, "bytes", "amounts")["value"]
    assert ratio.tolist() == [1, 1, 128, 1]


@pytest.mark.parametrize("d", [64, 12288])
def test_the_curves_meet_where_they_are_marked(d):
    app = open_screen("cost", cost_d=d, cost_h=1)
    (mark,) = data(app, "growth", "points").to_dict("records")
    assert mark["x"] == 2 * d
    assert mark["y"] == pytest.approx(2 * mark["x"] ** 2 * d)
    assert mark["y"] == pytest.approx(4 * mark["x"] * d**2)
    curves = data(app, "growth", "curves")
    projections, products = (curves[curves["series"] == i] for i in (0, 3))
    before = projections["x"].to_numpy() < 2 * d
    assert (products["y"].to_numpy()[before] < projections["y"].to_numpy()[before]).all()
    after = projections["x"].to_numpy() > 2 * d
    assert (products["y"].to_numpy()[after] > projections["y"].to_numpy()[after]).all()


@pytest.mark.parametrize(("n", "said"), [(512, "is not past it"), (1024, "is not past it"), (2048, "is past it")])
def test_the_text_beside_the_curves_says_on_which_side_n_is(n, said):
    told = alt(open_screen("cost", cost_n=n), "growth")
    assert said in told
    assert "n = 1,024" in told


def test_the_names_of_the_curves_do_not_touch():
    labels = data(open_screen("cost"), "growth", "labels")
    ends = np.sort(np.log10(labels["y"].to_numpy()[:3]))
    assert np.diff(ends).min() > 0.79


@pytest.mark.parametrize(("n", "d", "k"), [(512, 512, 3), (16, 64, 9), (1048576, 1024, 5)])
def test_the_table_is_that_of_the_paper_with_the_current_numbers(n, d, k):
    (table,) = grids(open_screen("cost", cost_n=n, cost_d=d, cost_h=1, kernel=k))
    rows = table.to_numpy().tolist()
    assert [row[0] for row in rows] == ["self-attention", "recurrent", "convolution"]
    orders = {"O(n² · d)": n * n * d, "O(n · d²)": n * d * d, "O(k · n · d²)": k * n * d * d}
    assert [row[1].split(": ")[0] for row in rows] == list(orders)
    np.testing.assert_allclose([number(row[1].split(": ")[1]) for row in rows], list(orders.values()), rtol=6e-3)
    assert [row[2] for row in rows] == ["O(1): 1", f"O(n): {n:,}", "O(1): 1"]
    layers = next(m for m in range(1, 99) if k**m >= n)
    assert [row[3] for row in rows] == ["O(1): 1", f"O(n): {n:,}", f"O(logₖ n): {layers}"]


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_heads_that_do_not_divide_are_refused_by_both_numbers(lang):
    (refusal,) = open_screen("cost", lang, cost_d=512, cost_h=12).error
    assert "d_model = 512" in refusal.value
    assert "12" in refusal.value
    assert refusal.value.endswith("1, 2, 4, 8, 16, 32, 64, 128.")


def test_where_they_meet_both_cost_the_same():
    app = open_screen("cost")
    app.button(key="preset_meeting").click().run()
    projections, scores, mix, feed_forward = data(app, "multiply_adds", "amounts")["value"]
    assert projections == scores + mix
    assert feed_forward == projections + scores + mix
    assert app.info


def test_in_a_sentence_n_squared_is_two_percent():
    app = open_screen("cost")
    app.button(key="preset_sentence").click().run()
    assert metric(app, "Share").value == "2.0%"
    assert app.info


def test_in_a_long_document_n_squared_is_nearly_everything():
    app = open_screen("cost")
    app.button(key="preset_document").click().run()
    assert metric(app, "Share").value == "84.2%"
    assert metric(app, "Score").value == "35.2 TB"
    assert app.info


@pytest.mark.parametrize(("n", "d"), [(512, 512), (64, 4096), (1048576, 64)])
def test_doubling_n_is_predicted_from_the_share_of_n_squared(n, d):
    app = open_screen("cost", cost_n=n, cost_d=d, cost_h=1)
    app.button(key="predict_show").click().run()
    answer = (12 * 2 * n * d**2 + 2 * (2 * n) ** 2 * d) / (12 * n * d**2 + 2 * n**2 * d)
    assert answer == pytest.approx(2 + 2 * 2 * n / (2 * n + 12 * d))
    assert f"**{answer:.2f}** times" in shown_text(app)


@pytest.fixture
def stopwatch(monkeypatch):
    """A stopwatch that shows 2 ns · nᵉ, a little off, and counts how often it is started."""

    def replace(exponent, rows=None):
        started = []

        def attention_seconds(sizes, *, passes, **_):
            started.append(passes)
            noise = np.random.default_rng(0).uniform(1, 1.02, len(sizes) * passes)
            for i, n in enumerate(list(sizes) * passes):
                seconds = 2e-9 * n**exponent * noise[i] if rows is None or i < rows else np.nan
                yield np.array([(n, seconds)])

        monkeypatch.setattr(core.stopwatch, "attention_seconds", attention_seconds)
        return started

    return replace


def test_nothing_is_measured_before_it_is_asked_for(stopwatch):
    started = stopwatch(2.0)
    app = open_screen("cost")
    assert not started
    assert "measured" not in [element.proto.id for element in app.get("vega_lite_chart")]
    assert "134 MB" in shown_text(app)


@pytest.mark.parametrize(("exponent", "verdict"), [(2.0, "consistent"), (2.3, "faster"), (1.7, "slower")])
def test_the_exponent_is_that_of_a_straight_line_through_the_shortest_times(stopwatch, exponent, verdict):
    stopwatch(exponent)
    app = open_screen("cost")
    app.button(key="measure").click().run()
    assert_no_exception(app)
    points = data(app, "measured", "points")
    assert points["x"].tolist() == [512, 724, 1024, 1448, 2048, 2896, 4096]
    line = linregress(np.log(points["x"]), np.log(points["y"]))
    margin = t.ppf(0.975, len(points) - 2) * line.stderr
    text = shown_text(app)
    assert f"**n^{line.slope:.2f}** (95 % interval {line.slope - margin:.2f} … {line.slope + margin:.2f})" in text
    assert verdict in text
    assert f"n^{line.slope:.2f}" in alt(app, "measured")
    curves = data(app, "measured", "curves")
    fitted, formula = (curves[curves["series"] == i]["y"].to_numpy() for i in (1, 2))
    np.testing.assert_allclose(fitted, np.exp(line.intercept) * points["x"].to_numpy() ** line.slope, rtol=1e-4)
    assert np.log(formula[-1] / formula[0]) / np.log(8) == pytest.approx(2, abs=1e-6)


def test_a_measurement_outlives_other_changes_and_another_screen_until_it_is_repeated(stopwatch):
    started = stopwatch(2.0)
    app = open_screen("cost")
    app.button(key="measure").click().run()
    first = data(app, "measured", "points")["y"].tolist()
    app.button(key="preset_document").click().run()
    assert data(app, "measured", "points")["y"].tolist() == first
    app.switch_page("pages/multi_head.py").run()
    app.switch_page("pages/cost.py").run()
    assert data(app, "measured", "points")["y"].tolist() == first
    assert len(started) == 1
    app.button(key="measure").click().run()
    assert len(started) == 2


def test_what_time_did_not_allow_is_left_out(stopwatch):
    stopwatch(2.0, rows=4)
    app = open_screen("cost")
    app.button(key="measure").click().run()
    assert data(app, "measured", "points")["x"].tolist() == [512, 724, 1024, 1448]


def test_two_lengths_are_too_few_for_a_power(stopwatch):
    stopwatch(2.0, rows=2)
    app = open_screen("cost")
    app.button(key="measure").click().run()
    assert_no_exception(app)
    assert "three lengths" in shown_text(app)


@pytest.mark.parametrize(
    "link", [{}, {"cost_n": 131072, "cost_d": 768, "cost_h": 12, "layers": 1, "bytes": 1, "kernel": 9}]
)
def test_the_program_prints_what_is_shown(link):
    app = open_screen("cost", **link)
    printed = dict(line.replace("n =", "n:").split(": ") for line in run_program(app).strip().splitlines())
    assert float(printed["multiply-adds"]) == data(app, "multiply_adds", "amounts")["value"].sum()
    assert f"{float(printed['share of n²']):.1%}" == metric(app, "Share").value
    assert f"n = {int(printed['n² passes the projections at n']):,}" == metric(app, "passes").value
    assert float(printed["bytes of the score matrices"]) == data(app, "bytes", "amounts")["value"][2]
    assert number(metric(app, "KV").value) == pytest.approx(float(printed["bytes of the KV cache"]), rel=6e-3)
    assert grids(app)[0].iloc[2, 3].endswith(f": {printed['longest path of dilated convolutions']}")


def test_the_charts_stay_while_the_numbers_change():
    one, two = (open_screen("cost", cost_n=n, cost_d=d, cost_h=1) for n, d in ((16, 64), (8192, 4096)))
    for key in ("multiply_adds", "bytes", "growth"):
        specs = [spec(app, key) for app in (one, two)]
        for described in specs:
            described.pop("description", None)
        assert specs[0] == specs[1]
