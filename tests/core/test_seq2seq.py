import numpy as np
import pytest
from scipy.special import softmax

from core.seq2seq import ScorerWeights, decode, encode, worked_translation

ALIGNED = {
    "en": {"나는": "I", "책을": "book", "읽었다": "read"},
    "ko": {"I": "나는", "read": "읽었다", "the": "책을", "book": "책을"},
}
SCORERS = ["dot", "general", "additive"]


@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("source", ALIGNED)
def test_every_scorer_looks_back_at_the_word_that_is_meant(source, scorer):
    worked = worked_translation(source)
    seen = decode(worked.encoder_states, worked.decoder_states, scorer, weights=worked.weights).weights
    found = {word: worked.source[i] for word, i in zip(worked.target, seen.argmax(axis=1), strict=True)}
    assert found == ALIGNED[source]
    assert (seen.max(axis=1) > 0.7).all()


@pytest.mark.parametrize("source", ALIGNED)
def test_the_two_languages_cross(source):
    worked = worked_translation(source)
    order = [worked.source.index(ALIGNED[source][word]) for word in worked.target]
    assert order != sorted(order)


@pytest.mark.parametrize("source", ALIGNED)
def test_the_gap_between_languages_is_bridged_by_meaning_not_by_position(source):
    worked = worked_translation(source)
    shuffled = np.random.default_rng(0).permutation(len(worked.target))
    straight, mixed = (
        decode(worked.encoder_states, states, "dot").weights
        for states in (worked.decoder_states, worked.decoder_states[shuffled])
    )
    np.testing.assert_array_equal(mixed, straight[shuffled])


@pytest.mark.parametrize("scorer", SCORERS)
def test_through_the_bottleneck_every_word_sees_the_last_state_alone(scorer):
    worked = worked_translation("en")
    result = decode(worked.encoder_states, worked.decoder_states, scorer, weights=worked.weights, bottleneck=True)
    np.testing.assert_array_equal(result.weights, [[0, 0, 0, 1]] * 3)
    np.testing.assert_array_equal(result.output, worked.encoder_states[[-1, -1, -1]])


def test_the_first_word_fades_from_the_last_state():
    worked = worked_translation("en")
    who = worked.axes.index("who")
    np.testing.assert_array_equal(worked.encoder_states[:, who], [2, 1, 0.5, 0.25])
    context = decode(worked.encoder_states, worked.decoder_states, "dot").output[0]
    assert context[who] > 6 * worked.encoder_states[-1, who]


def test_an_encoder_without_memory_returns_its_inputs_and_leaves_them_alone():
    inputs = np.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(encode(inputs, memory=0), inputs)
    np.testing.assert_array_equal(encode(inputs), [[0, 1], [2, 3.5], [5, 6.75]])
    np.testing.assert_array_equal(inputs, np.arange(6).reshape(3, 2))


@pytest.mark.parametrize("scorer", ["general", "additive"])
def test_scores_of_two_state_spaces_are_the_formulas_word_by_word(scorer):
    rng = np.random.default_rng(1)
    n, m, d_k, d_q, d_a = 3, 2, 5, 7, 11
    states, queries = rng.standard_normal((n, d_k)), rng.standard_normal((m, d_q))
    learned = ScorerWeights(*(rng.standard_normal(shape) for shape in ((d_q, d_k), (d_q, d_a), (d_k, d_a), (d_a,))))
    formula = {
        "general": lambda s, h: s @ learned.w @ h,
        "additive": lambda s, h: learned.v @ np.tanh(s @ learned.w_query + h @ learned.w_key),
    }[scorer]
    expected = np.array([[formula(s, h) for h in states] for s in queries])
    result = decode(states, queries, scorer, weights=learned)
    np.testing.assert_allclose(result.scores, expected)
    np.testing.assert_allclose(result.weights, softmax(expected, axis=1))
    np.testing.assert_allclose(result.output, softmax(expected, axis=1) @ states)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: decode(np.eye(3), np.eye(3), "cosine"), "scorer must be dot, general or additive, got 'cosine'"),
        (lambda: decode(np.eye(3), np.eye(3), "general"), "scorer 'general' needs weights"),
        (lambda: decode(np.eye(3), np.eye(5), "dot"), "key has d_k = 3 but query has d_k = 5"),
        (lambda: worked_translation("fr"), "source must be en or ko, got 'fr'"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
