"""What the words of the cross-attention screen claim, where no other test asserts it."""

import numpy as np
import pytest

from tests.pages.app import alt, cards, open_screen
from tests.pages.test_cross_attention import SCORERS, SENTENCES, computed, matrix, words_of


@pytest.mark.parametrize("source", SENTENCES)
@pytest.mark.parametrize("scorer", SCORERS)
def test_outputs_that_look_at_different_words_are_given_different_contexts(source, scorer):
    outputs = words_of(source)[1]
    app = open_screen("cross_attention", source=source, scorer=scorer)
    looks, contexts = (matrix(app, name, len(outputs)) for name in ("alignment", "contexts"))
    for i in range(len(outputs)):
        for j in range(i):
            assert looks[i].argmax() == looks[j].argmax() or np.abs(contexts[i] - contexts[j]).max() > 0.5


@pytest.mark.parametrize("source", SENTENCES)
def test_the_encoder_keeps_half_of_its_state_at_every_word(source):
    app = open_screen("cross_attention", source=source)
    inputs, _ = words_of(source)
    states = matrix(app, "states", len(inputs))
    added = states[1:] - states[:-1] / 2
    assert set(np.unique(added)) <= {0, 1, 2}, "the word itself, in whole numbers"
    assert states[0, 0] == 2, "the first state is still there, in full"
    assert f"from {states.min():g} to {states.max():g}" in alt(app, "states")


@pytest.mark.parametrize("source", SENTENCES)
def test_effective_inputs_lie_between_one_and_all(source):
    inputs, outputs = words_of(source)
    for output in range(1, len(outputs) + 1):
        keys = cards(open_screen("cross_attention", source=source, output=output))[1]
        assert keys.bound == f"1 … {len(inputs)}"
        assert 1 <= float(keys.value) <= len(inputs)


def test_additive_scores_are_quite_different_numbers():
    dot, additive = (computed("en", scorer)[1] for scorer in ("dot", "additive"))
    assert (dot >= 0).all()
    assert (additive < 0).all()


def test_described_contexts_are_those_of_the_output_that_asks():
    app = open_screen("cross_attention", output=2)
    assert f"has {computed()[3][1, 0]:.2f} on the axis who" in alt(app, "contexts")
