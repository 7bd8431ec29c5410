"""The encoder block through the app's entry point: every number held against a layer written out in plain NumPy."""

import re
import unicodedata
from hashlib import blake2b

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.special import softmax

from core import examples
from tests.pages.app import alt, assert_no_exception, cards, data, grids, open_screen, run_program, spec
from ui.text import Words

NORMS = ("post", "pre", "none")
FIGURES = ("scale", "similarity", "cosine")
STEPS = {"post": "XAZNFYO", "pre": "XMAZNFY", "none": "XAZFY"}
IT = examples.TWINS[0]["en"]


def embedded(text=IT, width=32, seed=1, positions=False):
    tokens = text.split()
    x = np.empty((len(tokens), width))
    for i, token in enumerate(tokens):
        digest = blake2b(f"{seed}:{unicodedata.normalize('NFC', token)}".encode(), digest_size=16).digest()
        x[i] = np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little"))).standard_normal(width)
        if positions:
            turns = i / 10000 ** (np.arange(0, width, 2) / width)
            x[i] += np.stack([np.sin(turns), np.cos(turns)], axis=1).ravel()
    return x


def layer(x, number, *, seed=1, heads=1, norm="post", kind="layer", residual=True):
    """One layer's steps by their letters, drawn and computed as the definition says."""
    d = x.shape[1]
    rng = np.random.default_rng([seed, number])
    w_q, w_k, w_v, w_o = (rng.normal(0, d**-0.5, (d, d)) for _ in range(4))
    w_1, w_2 = rng.normal(0, d**-0.5, (d, 4 * d)), rng.normal(0, (2 / (4 * d)) ** 0.5, (4 * d, d))

    def normalised(y):
        y = y - y.mean(axis=1, keepdims=True) if kind == "layer" else y
        return y / np.sqrt(np.mean(y**2, axis=1, keepdims=True) + 1e-5)

    m = normalised(x) if norm == "pre" else x
    outputs = []
    for columns in np.split(np.arange(d), heads):
        q, k, v = (m @ w[:, columns] for w in (w_q, w_k, w_v))
        outputs.append(softmax(q @ k.T / np.sqrt(d / heads), axis=1) @ v)
    a = np.hstack(outputs) @ w_o
    z = a + residual * x
    n_ = normalised(z) if norm != "none" else z
    f = np.maximum(n_ @ w_1, 0) @ w_2
    y = f + residual * (n_ if norm == "post" else z)
    steps = {"X": x, "M": m, "A": a, "Z": z, "N": n_, "F": f, "Y": y, "O": normalised(y) if norm == "post" else y}
    return {letter: steps[letter] for letter in STEPS[norm]}


def cosine(x, y):
    return np.sum(x * y, axis=-1) / np.linalg.norm(x, axis=-1) / np.linalg.norm(y, axis=-1)


def deep(x, depth, **settings):
    y = x
    for number in range(depth):
        *_, y = layer(y, number, **settings).values()
    return np.sqrt(np.mean(y**2)), np.mean(1 - pdist(y, "cosine")) if len(y) > 1 else np.nan, cosine(x, y).mean()


def curves(app, figure):
    return data(app, figure, "curves")["y"].to_numpy().reshape(3, -1)


def pressed(app, preset):
    app.button(key=f"preset_{preset}").click().run()
    assert_no_exception(app)
    assert app.info[-1].value == Words("encoder_block", "en")(f"presets.{preset}.see")
    return {figure: curves(app, figure) for figure in FIGURES}


STATES = [
    {},
    {"norm": "pre", "heads": 4, "width": 16},
    {"norm": "none", "residual": "false", "positions": "true", "seed": 7},
    {"norm": "pre", "norm_kind": "rms", "residual": "false", "width": 64, "heads": 8},
    {"norm_kind": "rms", "positions": "true", "text": "a b c"},
]


def settings_of(link):
    of_input = {"text": link.get("text", IT), "width": link.get("width", 32), "seed": link.get("seed", 1)}
    of_layer = {"seed": link.get("seed", 1), "heads": link.get("heads", 1), "norm": link.get("norm", "post")}
    of_layer |= {"kind": link.get("norm_kind", "layer"), "residual": link.get("residual") != "false"}
    return of_input | {"positions": link.get("positions") == "true"}, of_layer


@pytest.mark.parametrize("link", STATES)
def test_the_bars_are_one_words_vector_after_every_step(link):
    app = open_screen("encoder_block", **link)
    of_input, of_layer = settings_of(link)
    x = embedded(**of_input)
    at = x.shape[0] - 4 if len(x) == 11 else 0  # "it"
    steps = layer(x, 0, **of_layer)
    expected = np.array([step[at] for step in steps.values()])
    components = data(app, "vectors", "components")
    np.testing.assert_allclose(components["value"].to_numpy().reshape(expected.shape), expected, atol=1e-5)
    rows = data(app, "vectors", "rows")
    for said, vector in zip(rows["said"], expected, strict=True):
        mean, deviation = map(float, re.findall(r"-?[\d.]+", said.replace("−", "-")))
        assert mean == pytest.approx(vector.mean(), abs=0.0051)
        assert deviation == pytest.approx(vector.std(), abs=0.0051)
    band = np.array([expected.mean(axis=1) - expected.std(axis=1), expected.mean(axis=1) + expected.std(axis=1)])
    np.testing.assert_allclose(rows[["low", "high"]].to_numpy().T, band / np.abs(expected).max(), atol=1e-5)
    series = {"X": 3, "Z": 3, "Y": 3, "A": 4, "F": 4, "M": 5, "N": 5, "O": 5}
    assert components.groupby("row")["series"].first().tolist() == [series[letter] for letter in steps]


@pytest.mark.parametrize("link", STATES)
def test_both_ways_are_compared_step_by_step(link):
    app = open_screen("encoder_block", **link)
    of_input, of_layer = settings_of(link)
    x = embedded(**of_input)
    at = len(x) - 4 if len(x) == 11 else 0
    expected = np.array([
        [cosine(x[at], step[at]) for step in layer(x, 0, **of_layer | {"residual": residual}).values()]
        for residual in (True, False)
    ])  # fmt: skip
    drawn = data(app, "cosines", "cosines")["value"].to_numpy().reshape(2, -1)
    np.testing.assert_allclose(drawn, expected, atol=1e-5)
    here = 0 if of_layer["residual"] else 1
    letters = STEPS[of_layer["norm"]]
    for metric, step in zip(cards(app)[:2], (letters.index("Z"), -1), strict=True):
        assert float(metric.value) == pytest.approx(expected[here, step], abs=0.0051)
        assert float(re.search(r"-?[\d.]+", metric.bound)[0]) == pytest.approx(expected[1 - here, step], abs=0.0051)
    for value in expected[:, -1]:
        assert f"{value:.2f}".replace("-", "−") in alt(app, "cosines")


@pytest.mark.parametrize(("link", "depth"), [*zip(STATES, (8, 1, 4, 2, 16), strict=True)])
def test_figures_by_depth_are_those_of_layers_run_one_after_the_other(link, depth):
    app = open_screen("encoder_block", depth=depth, **link)
    of_input, of_layer = settings_of(link)
    x = embedded(**of_input)
    table = grids(app)[0].T
    for residual, way in ((True, "with"), (False, "without")):
        for i, norm in enumerate(NORMS):
            expected = deep(x, depth, **of_layer | {"norm": norm, "residual": residual})
            for figure, value in zip(FIGURES, expected, strict=True):
                cell = table[f"{figure}, {way}"].iloc[i]
                said = float(cell.split("·")[0])
                if "·" not in cell:
                    assert said == pytest.approx(value, abs=0.0051)
                if residual == of_layer["residual"]:
                    assert curves(app, figure)[i, depth - 1] == pytest.approx(value, rel=1e-4, abs=1e-5)
    for figure in FIGURES:
        points = data(app, figure, "points")
        assert points["x"].tolist() == [depth] * 3
        np.testing.assert_array_equal(points["y"], curves(app, figure)[:, depth - 1])
        assert data(app, figure, "now")["x"].tolist() == [depth]
        for value in points["y"]:
            shown = f"{value:z.2f}" if figure != "scale" or 0.01 <= value < 1000 else "·10"
            assert shown in alt(app, figure)


@pytest.mark.parametrize(
    "link",
    [
        {},
        {"lang": "ko"},
        {"norm": "none", "width": 64, "heads": 8, "depth": 64, "positions": "true", "seed": 9999},
        {"lang": "ko", "norm": "pre", "norm_kind": "rms", "residual": "false", "width": 16, "depth": 1, "seed": 0},
        {"text": "a a", "norm": "none", "residual": "false", "width": 16, "depth": 64},
        {"text": " ".join(["word"] * 22 + [f"w{i}" for i in range(22)]), "width": 16, "heads": 8},
        {"lang": "ko", "text": "$x$ *b* <i>", "depth": 32},
    ],
)
def test_extremes_show_finite_numbers(link):
    app = open_screen("encoder_block", **link)
    assert not app.error
    for figure in FIGURES:
        assert np.isfinite(curves(app, figure)).all()
        labels = data(app, figure, "labels")
        assert np.isfinite(labels["y"]).all()
    shown = " ".join(metric.value + metric.bound for metric in cards(app))
    assert not any(bad in shown for bad in ("nan", "inf", "-0.00"))


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_one_word_alone_is_compared_with_nothing(lang):
    app = open_screen("encoder_block", lang, text="one")
    words = Words("encoder_block", lang)
    assert words("alone") in [info.value for info in app.info]
    assert not any("similarity" in name or "유사도" in name for name in grids(app)[0].index)
    assert not any(frame.value.isna().any(axis=None) for frame in app.dataframe)
    app.button(key="preset_forget").click().run()
    assert_no_exception(app)
    assert app.session_state["text"] == examples.TWINS[0][lang]
    assert curves(app, "similarity").min() > -1


def test_too_many_words_are_refused_by_saying_so():
    app = open_screen("encoder_block", text="w " * 45)
    assert "45" in app.error[0].value
    assert not app.get("vega_lite_chart")
    assert open_screen("encoder_block", text="   ").error


def test_what_a_link_cannot_say_is_named():
    names = ("residual", "norm", "norm_kind", "width", "heads", "depth", "positions")
    app = open_screen("encoder_block", **dict.fromkeys(names, "7x"))
    for name in names:
        assert any(name in warning.value.replace("\\", "") and "7x" in warning.value for warning in app.warning)


@pytest.mark.parametrize(("norm", "old", "new"), [("post", "Z", "N"), ("pre", "Z", "N"), ("none", "X", "Y")])
@pytest.mark.parametrize("kind", ["layer", "rms"])
def test_size_and_mean_are_told_before_and_after(norm, old, new, kind):
    app = open_screen("encoder_block", norm=norm, norm_kind=kind)
    steps = layer(embedded(), 0, norm=norm, kind=kind)
    before, after = steps[old][7], steps[new][7]
    assert cards(app)[2].label == f"{'Deviation' if kind == 'layer' else 'RMS'}, {old} → {new}"
    size = np.std if kind == "layer" else lambda y: np.sqrt(np.mean(y**2))
    assert cards(app)[2].value == f"{size(before):.2f} → {size(after):.2f}"
    assert cards(app)[2].bound == f"mean {before.mean():z.2f} → {after.mean():z.2f}"
    if norm != "none":
        assert cards(app)[2].value.endswith("→ 1.00")


@pytest.mark.parametrize(
    "link", [{}, {"seed": 2, "heads": 4}, {"seed": 3, "heads": 8, "norm_kind": "rms", "positions": "true"}]
)
def test_the_presets_do_what_they_say(link):
    app = open_screen("encoder_block", **link)
    forgotten = pressed(app, "forget")
    assert (forgotten["similarity"][:, 3:] > 0.999).all()
    assert np.abs(forgotten["cosine"][:, 0]).max() < 0.3
    exploded = pressed(app, "explode")["scale"]
    assert exploded[2, 49] > 1e12
    assert 1.75 < exploded[2, -1] ** (1 / 64) < 2.15
    kept = pressed(app, "pre")
    assert 7 < kept["scale"][1, -1] < 14
    assert kept["scale"][1, -1] / kept["scale"][1, 15] == pytest.approx(2, abs=0.6)  # √(64 / 16)
    assert kept["similarity"][1, -1] < kept["similarity"][[0, 2], -1].min()
    np.testing.assert_allclose(kept["scale"][0], 1, atol=1e-3)


@pytest.mark.parametrize("text", [IT, examples.TWINS[2]["ko"]])
@pytest.mark.parametrize("seed", range(3))
def test_the_prose_on_depth_holds_for_every_sentence_and_width(text, seed):
    link = {"text": text, "seed": seed, "width": (16, 32, 64)[seed], "heads": (1, 4, 8)[seed]}
    app = open_screen("encoder_block", **link)
    with_ = {figure: curves(app, figure) for figure in FIGURES}
    app.toggle(key="residual").set_value(False).run()
    without = {figure: curves(app, figure) for figure in FIGURES}
    assert (without["similarity"][:, 5:] > 0.999).all()  # within a few layers, whatever the norm
    assert (with_["similarity"][:, 3] < without["similarity"][:, 3]).all()  # with it the words last longer
    assert with_["similarity"][1, 15] < with_["similarity"][0, 15]  # pre keeps them apart longest
    assert with_["similarity"][1, -1] < with_["similarity"][[0, 2], -1].min()
    assert with_["cosine"][1, 7] > with_["cosine"][0, 7]  # post shrinks what was carried
    assert 5 < with_["scale"][1, -1] < 18
    assert with_["scale"][2, -1] > 1e12
    assert (with_["cosine"][:, 0] - without["cosine"][:, 0] > 0.1).all()


def test_layer_norm_hardly_turns_the_sum_and_pre_norm_keeps_it_in_full():
    turned = []
    for seed in range(30):
        steps = layer(embedded(seed=seed), 0, seed=seed)
        turned += [*cosine(steps["Z"], steps["N"]), *cosine(steps["Y"], steps["O"])]
    assert np.median(turned) > 0.98
    assert np.min(turned) > 0.8
    steps = layer(embedded(), 0, norm="pre")
    np.testing.assert_allclose(steps["Y"] - steps["F"] - steps["A"], steps["X"], atol=1e-12)


def test_without_a_norm_answers_grow_with_what_they_read():
    x, sizes = embedded(), []
    for number in range(6):
        steps = layer(x, number, norm="none")
        sizes.append([np.sqrt(np.mean(steps[letter] ** 2)) for letter in "XZFY"])
        x = steps["Y"]
    read, _, answered, after = np.array(sizes).T
    assert (after > read).all()
    assert (np.diff(answered) > 0).all()


@pytest.mark.parametrize("link", [{}, {"width": 16, "seed": 5}, {"text": "one"}])
def test_the_predicted_scale_is_that_of_the_deepest_pre_norm_stack(link):
    app = open_screen("encoder_block", **link)
    app.button(key="predict_show").click().run()
    because = next(text.value for text in app.markdown if text.value.startswith("It is **"))
    expected = deep(
        embedded(link.get("text", IT), link.get("width", 32), link.get("seed", 1)),
        64,
        seed=link.get("seed", 1),
        norm="pre",
    )
    assert float(re.search(r"\*\*([\d.]+)\*\*", because)[1]) == pytest.approx(expected[0], abs=0.051)
    assert f"√(1 + 128) = {129**0.5:.1f}" in because
    assert "it would be 129" in because


@pytest.mark.parametrize("norm", NORMS)
def test_an_answer_is_about_as_large_as_what_its_sublayer_reads_or_less(norm):
    ratios = {"A": [], "F": []}
    for seed in range(20):
        steps = layer(embedded(seed=seed), 0, seed=seed, norm=norm)
        read = {"A": steps.get("M", steps["X"]), "F": steps.get("N", steps["Z"])}
        for letter, values in ratios.items():
            values.append(np.sqrt(np.mean(steps[letter] ** 2) / np.mean(read[letter] ** 2)))
    assert np.mean(ratios["F"]) == pytest.approx(1, abs=0.1)
    assert 0.2 < np.mean(ratios["A"]) < 1


def latex(app):
    return "\n".join(text.value for text in app.markdown if text.value.startswith("$$"))


def test_the_formula_holds_the_numbers_of_the_picked_word():
    app = open_screen("encoder_block", query="street")
    x = embedded()
    steps = layer(x, 0)
    z, shown = steps["Z"][5], latex(app)
    assert rf"{x[5, 0]:.3f} {steps['A'][5, 0]:+.3f} = {z[0]:.3f}" in shown
    assert rf"Z_i = {z.mean():.3f}" in shown
    assert rf"= {z.var():.3f}" in shown
    assert rf"= {steps['N'][5, 0]:.3f}" in shown
    assert f"= {17**0.5:.3f}" in shown
    assert r"2^{8} = 256" in shown
    assert rf"\approx {1 / 17**0.5:.3f}" in shown


def test_the_formula_follows_the_kind_the_norm_and_the_residual():
    steps = layer(embedded(), 0, kind="rms", residual=False)
    shown = latex(open_screen("encoder_block", norm_kind="rms", residual="false"))
    assert r"\mu" not in shown
    assert f"Z_i^2 = {np.mean(steps['Z'][7] ** 2):.3f}" in shown
    assert "X + A" not in shown
    assert "RMS" not in shown
    assert r"\varepsilon" not in latex(open_screen("encoder_block", norm="none"))


def test_titles_tell_what_each_step_is_computed_from():
    def titles(**link):
        shown = str(spec(open_screen("encoder_block", **link), "vectors"))
        return [
            title
            for title in ("Z = X + A", "Z = A", "N + F", "Z + F", "Y = F", "RMSNorm(Z)", "Attention(M)")
            if title in shown
        ]

    assert titles() == ["Z = X + A", "N + F"]
    assert titles(norm="pre", norm_kind="rms") == ["Z = X + A", "Z + F", "RMSNorm(Z)", "Attention(M)"]
    assert titles(norm="none", residual="false") == ["Z = A", "Y = F"]


def test_the_tables_hold_every_step_and_every_depth():
    app = open_screen("encoder_block", norm="pre")
    steps, depths = (frame.value for frame in app.dataframe)
    vectors = [step[7] for step in layer(embedded(), 0, norm="pre").values()]
    np.testing.assert_allclose(steps["mean"], np.mean(vectors, axis=1), atol=1e-6)
    np.testing.assert_allclose(steps["deviation"], np.std(vectors, axis=1), atol=1e-6)
    assert len(depths) == 2 * 3 * 64
    chosen = depths[(depths["norm"] == "pre") & (depths["residual"] == "with")]
    np.testing.assert_allclose(chosen["scale"], curves(app, "scale")[1], rtol=1e-6)
    np.testing.assert_allclose(chosen["similarity"], curves(app, "similarity")[1], rtol=1e-6)


def test_the_charts_stay_while_the_numbers_change():
    one, two = (
        open_screen("encoder_block", seed=seed, depth=depth, residual="true") for seed, depth in ((1, 2), (8, 64))
    )
    for key in ("vectors", "cosines", *FIGURES):
        assert spec(one, key) == spec(two, key)


@pytest.mark.parametrize(
    "link",
    [
        {"depth": 2},
        {"norm": "pre", "norm_kind": "rms", "heads": 4, "depth": 4, "lang": "ko"},
        {"norm": "none", "residual": "false", "positions": "true", "width": 16, "depth": 1, "text": "one", "seed": 3},
    ],
)
def test_the_program_prints_what_is_shown(link):
    app = open_screen("encoder_block", **link)
    printed = run_program(app)
    drawn = data(app, "cosines", "cosines")["value"].to_numpy().reshape(2, -1)[int(link.get("residual") == "false")]
    rows = data(app, "vectors", "components").groupby("row")["value"]
    lines = re.findall(r"^([A-Z]): mean (\S+), deviation (\S+), cosine to X (\S+)$", printed, re.MULTILINE)
    assert "".join(name for name, *_ in lines) == STEPS[link.get("norm", "post")]
    numbers = np.array([line[1:] for line in lines], dtype=float)
    np.testing.assert_allclose(numbers[:, 0], rows.mean(), atol=6e-5)
    np.testing.assert_allclose(numbers[:, 1], rows.std(ddof=0), atol=6e-5)
    np.testing.assert_allclose(numbers[:, 2], drawn, atol=6e-5)
    at = NORMS.index(link.get("norm", "post")), link["depth"] - 1
    assert float(re.search(r"scale (\S+)", printed)[1]) == pytest.approx(curves(app, "scale")[at], rel=1e-4)
    assert float(re.search(r"cosine to the input (\S+)", printed)[1]) == pytest.approx(
        curves(app, "cosine")[at], abs=6e-5
    )
    if link.get("text") != "one":
        similarity = float(re.search(r"token similarity (\S+)", printed)[1])
        assert similarity == pytest.approx(curves(app, "similarity")[at], abs=6e-5)
