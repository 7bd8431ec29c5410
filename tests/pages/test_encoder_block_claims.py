"""What the words of the encoder block claim, over more seeds and sentences than any one link shows."""

import numpy as np
import pytest

from core import examples
from core.depth import left_after, seeded_layers
from core.tokens import embed, tokenize
from tests.pages.app import data, open_screen
from tests.pages.test_encoder_block import embedded, layer


@pytest.mark.parametrize("text", [examples.TWINS[0]["ko"], examples.TWINS[2]["ko"], "a a b"])
@pytest.mark.parametrize("seed", [4, 17])
def test_what_the_presets_say_holds_for_other_sentences_and_seeds(text, seed):
    x, layers = embed(tokenize(text), 64, seed=seed), seeded_layers(64, 64, 8, seed=seed)
    forgotten = left_after(x, layers[:4], n_heads=8, residual=False)
    assert forgotten[3, 1] > 0.999
    assert abs(forgotten[0, 2]) < 0.3
    post, pre, none = (left_after(x, layers, n_heads=8, norm=norm) for norm in ("post", "pre", "none"))
    before = slice(50 - 1)
    assert none[before, 0].max() > 1e12  # a trillion
    assert none[-1, 0] ** (1 / 64) == pytest.approx(2, abs=0.2)
    assert 7 < pre[-1, 0] < 14  # about ten
    assert pre[-1, 1] < min(post[-1, 1], none[-1, 1])


def test_rms_norm_only_divides_and_layer_norm_takes_the_mean_away():
    z = layer(embedded(), 0)["Z"]
    rms, centred = (layer(embedded(), 0, kind=kind)["N"] for kind in ("rms", "layer"))
    np.testing.assert_allclose(rms / rms[:, :1], z / z[:, :1])
    np.testing.assert_allclose(centred.mean(axis=1), 0, atol=1e-12)


def test_the_description_of_the_steps_carries_both_ways():
    app = open_screen("encoder_block")
    with_, without = data(app, "cosines", "cosines")["value"].to_numpy().reshape(2, -1)[:, -1]
    assert f"{with_:.2f} with the residual and {without:.2f} without" in app.session_state["descriptions"]["cosines"]
