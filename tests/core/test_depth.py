"""Deep stacks: what is measured after each layer, and the laws it is held against."""

import numpy as np
import pytest

from core.depth import FIGURES, expected_cosine, expected_scale, left_after, seeded_layers

NORMS = ("post", "pre", "none")


def tokens(seed, n=7, d_model=32):
    return np.random.default_rng(seed).normal(size=(n, d_model))


def test_more_layers_keep_the_first_ones_and_differ_from_each_other():
    few, many = seeded_layers(2, 6, 3, seed=5), seeded_layers(3, 6, 3, seed=5)
    for one, other in zip(few, many, strict=False):
        np.testing.assert_array_equal(one.w_2, other.w_2)
    assert not np.allclose(many[0].w_1, many[1].w_1)
    assert many[0].w_1.shape == (6, 24)


def test_figures_are_measured_after_every_layer():
    x, layers = tokens(0, 3, 6), seeded_layers(2, 6, 3, seed=1)
    figures = left_after(x, layers, n_heads=3, norm="pre", kind="rms", residual=False)
    assert figures.shape == (2, len(FIGURES))
    np.testing.assert_array_equal(
        figures[:1], left_after(x, layers[:1], n_heads=3, norm="pre", kind="rms", residual=False)
    )


def test_a_layer_that_adds_nothing_leaves_everything():
    layer = seeded_layers(1, 6, 1, seed=0)[0]
    layer.projections.w_o[:] = layer.w_2[:] = 0
    x = tokens(3, 2, 6)
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    expected = [np.sqrt(np.mean(x**2)), unit[0] @ unit[1], 1]
    np.testing.assert_allclose(left_after(x, [layer], n_heads=1, norm="none")[0], expected, rtol=1e-12)


def test_the_laws_on_paper():
    assert expected_scale("post", [1, 5]).tolist() == [1, 1]
    assert expected_scale("pre", [0, 4, 12]).tolist() == [1, 3, 5]
    assert expected_scale("none", [0, 3]).tolist() == [1, 8]
    assert expected_cosine("post", 3) == expected_cosine("none", 3) == 0.125
    assert expected_cosine("pre", 4) == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match='norm must be "post", "pre" or "none", not \'Pre\''):
        expected_scale("Pre", 1)


def test_the_laws_hold_in_the_mean_for_answers_of_full_size_in_unrelated_directions():
    # A residual stream to which independent vectors are added, each of the scale of what its sublayer would read.
    rng = np.random.default_rng(2)
    x = rng.normal(size=(1, 20_000))
    for norm in NORMS:
        stream = x
        for _ in range(6):
            answer = rng.normal(size=x.shape) * (1 if norm == "pre" else np.sqrt(np.mean(stream**2)))
            stream = stream + answer
            if norm == "post":
                stream = stream / np.sqrt(np.mean(stream**2))
        assert np.sqrt(np.mean(stream**2)) == pytest.approx(float(expected_scale(norm, 3)), rel=0.03)
        cosine = np.sum(x * stream) / np.linalg.norm(x) / np.linalg.norm(stream)
        assert cosine == pytest.approx(float(expected_cosine(norm, 3)), abs=0.03)


@pytest.mark.parametrize("seed", range(4))
def test_measured_stacks_stay_near_the_laws(seed):
    x, layers = tokens(seed), seeded_layers(24, 32, 4, seed=seed)
    depth = np.arange(1, 25)
    scales, _, cosines = np.moveaxis([left_after(x, layers, n_heads=4, norm=norm) for norm in NORMS], -1, 0)
    np.testing.assert_allclose(scales[0], 1, atol=1e-4)
    assert (np.abs(scales[1] / expected_scale("pre", depth) - 1) < 0.35).all()
    assert 1.7 < scales[2, -1] ** (1 / 24) < 2.1
    for norm, measured in zip(NORMS, cosines, strict=True):
        assert np.abs(measured - expected_cosine(norm, depth)).mean() < 0.15
