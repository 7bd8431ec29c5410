import numpy as np
import pytest
from scipy.special import softmax

from core.examples import D_MODEL, EXAMPLES, TWINS, find, random_words, sentence_vectors, twin
from core.tokens import tokenize

IT = [example for example in EXAMPLES if example.name.startswith("it_")]
FEELING = [example for example in EXAMPLES if example.name in ("film", "scene")]
HAND_SET = IT + FEELING
MEANT = {"it_tired": {"en": "animal", "ko": "동물이"}, "it_wide": {"en": "street", "ko": "길을"}}


def name(example):
    return f"{example.name}-{example.language}"


def weights(example, gaze=0, divisor=2.0):
    look = example.look(gaze)
    return softmax(look.query @ look.key.T / divisor, axis=-1)


def row(example, token, gaze=0, divisor=2.0):
    return dict(zip(example.tokens, weights(example, gaze, divisor)[example.tokens.index(token)], strict=True))


def it_row(example, divisor):
    return row(example, {"en": "it", "ko": "그것이"}[example.language], divisor=divisor)


@pytest.mark.parametrize("example", IT, ids=name)
def test_it_looks_at_what_it_stands_for_and_at_nothing_else_half_as_much(example):
    seen = it_row(example, divisor=2.0)
    largest = seen.pop(MEANT[example.name][example.language])
    assert 0.5 < largest < 0.7
    assert max(seen.values()) < largest / 2


@pytest.mark.parametrize("example", IT, ids=name)
def test_without_scaling_it_collapses_toward_one_token(example):
    assert it_row(example, divisor=1.0)[MEANT[example.name][example.language]] > 0.85


def test_the_arithmetic_of_it_can_be_followed_by_hand():
    example = find("The animal didn't cross the street because it was too tired")
    look = example.look()
    np.testing.assert_array_equal(look.query[7], [2, 1, 0, 0])  # asks: living 2, place 1
    np.testing.assert_array_equal(look.key[1], [3, 0, 0, 0])  # animal: living
    np.testing.assert_array_equal(look.key[5], [0, 3, 0, 0])  # street: place
    np.testing.assert_array_equal(look.query[7] @ look.key.T, [0, 6, 0, 0, 0, 3, 0, 0, 0, 0, 0])
    e = np.exp(1)
    assert weights(example)[7, 1] == pytest.approx(e**3 / (e**3 + e**1.5 + 9))


@pytest.mark.parametrize(
    ("asker", "answers"),
    [
        ("The", {"animal"}),
        ("didn't", {"cross"}),
        ("cross", {"animal", "street"}),
        ("the", {"street"}),
        ("because", {"cross", "tired"}),
        ("was", {"tired"}),
        ("too", {"tired"}),
        ("tired", {"animal"}),
    ],
)
def test_every_row_of_the_reference_gaze_makes_sense(asker, answers):
    seen = row(twin(IT[0], "en"), asker)
    assert sum(seen[answer] for answer in answers) > 0.6
    assert {token for token, weight in seen.items() if weight == max(seen.values())} == answers


def test_the_actor_gaze_finds_who_does_it():
    tired, wide = (find(f"The animal didn't cross the street because it was too {q}") for q in ("tired", "wide"))
    assert row(tired, "cross", gaze=1)["animal"] > 0.6
    assert row(tired, "tired", gaze=1)["animal"] + row(tired, "tired", gaze=1)["it"] > 0.6
    assert max(row(wide, "wide", gaze=1), key=row(wide, "wide", gaze=1).get) == "it"


def test_the_kind_gaze_is_the_same_question_and_answer_so_its_scores_are_symmetric():
    for example in IT:
        look = example.look(2)
        np.testing.assert_array_equal(look.query @ look.key.T, look.key @ look.query.T)


@pytest.mark.parametrize("example", IT, ids=name)
def test_the_clause_gaze_stays_in_its_clause(example):
    first, second = (example.features[:, example.axes.index(axis)].astype(bool) for axis in ("first", "second"))
    seen = weights(example, gaze=3)
    assert (seen[np.ix_(first & ~second, first)].sum(axis=-1) > 0.85).all()
    assert (seen[np.ix_(second & ~first, second)].sum(axis=-1) > 0.85).all()


@pytest.mark.parametrize("example", FEELING, ids=name)
def test_the_feeling_gaze_reads_the_feeling_axis_alone(example):
    feeling = example.axes.index("feeling")
    for w in (example.gazes[0].w_q, example.gazes[0].w_k):
        assert np.flatnonzero(w.any(axis=1)).tolist() == [feeling]
    adjective, noun = np.argsort(-example.features[:, feeling])[:2]
    seen = weights(example)
    assert seen[noun].argmax() == seen[adjective].argmax() == adjective
    assert seen[adjective, noun] == np.sort(seen[adjective])[-2]


def test_a_film_takes_on_the_tone_of_its_adjective():
    for example in FEELING:
        tone = example.gazes[0].carried.index("tone")
        output = weights(example) @ example.look().value
        assert np.sign(output[-1, tone]) == (-1 if example.name == "film" else 1)


@pytest.mark.parametrize("example", HAND_SET, ids=name)
def test_queries_keys_and_values_are_small_integers_of_four_components(example):
    for gaze, w in enumerate(example.gazes):
        look = example.look(gaze)
        assert len(w.compared) == len(w.carried) == 4
        for vectors in (look.query, look.key, look.value):
            assert vectors.shape == (len(example.tokens), 4)
            np.testing.assert_array_equal(vectors, np.round(vectors))
            assert np.abs(vectors).max() <= 4


@pytest.mark.parametrize("example", HAND_SET, ids=name)
def test_a_worked_example_cannot_be_changed_by_accident(example):
    with pytest.raises(ValueError, match="read-only"):
        example.features[0, 0] = 1


def test_every_example_is_found_by_its_text_and_has_a_twin_in_the_other_language():
    for example in EXAMPLES:
        assert find(f"  {example.text}\n") is example
        other = twin(example, {"en": "ko", "ko": "en"}[example.language])
        assert (other.name, other.axes, other.gazes) == (example.name, example.axes, example.gazes)
        assert twin(other, example.language) is example


def test_the_word_asked_first_is_the_one_that_points_back():
    assert {example.tokens[example.focus] for example in IT} == {"it", "그것이"}
    assert {example.focus for example in EXAMPLES if example not in IT} == {0}


def test_every_sentence_is_offered_in_both_languages():
    assert [set(texts) for texts in TWINS] == [{"en", "ko"}] * 5
    assert all(find(text).language == language for texts in TWINS for language, text in texts.items())


def test_an_own_text_is_no_example():
    assert find("The animal") is None


def test_a_missing_twin_is_refused_by_name():
    with pytest.raises(ValueError, match="'it_tired' has no twin in language 'fr'"):
        twin(EXAMPLES[0], "fr")


def test_a_missing_gaze_is_refused_by_number():
    with pytest.raises(ValueError, match="gaze must be below 4, the number of gazes of 'it_tired', got 4"):
        EXAMPLES[0].look(4)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_seeded_example_repeats_a_word(language):
    cat = twin(next(example for example in EXAMPLES if example.name == "cat"), language)
    assert len(set(cat.tokens)) < len(cat.tokens)
    assert cat.gazes == ()


def test_a_lifted_gaze_scores_like_the_hand_set_one_on_average():
    example, d_k, n_seeds = EXAMPLES[0], 5, 3000
    look = example.look()
    expected = look.query @ look.key.T * np.sqrt(d_k / 4)
    draws = [sentence_vectors(example.tokens, 1, d_k, seed=seed, example=example) for seed in range(n_seeds)]
    scores = np.stack([draw.query[0] @ draw.key[0].T for draw in draws])
    standard_error = scores.std(axis=0) / np.sqrt(n_seeds)
    assert (np.abs(scores.mean(axis=0) - expected) <= 4 * standard_error + 1e-12).all()


@pytest.mark.parametrize("d_k", [7, 101, 1024])
def test_the_distortion_of_a_lifted_gaze_shrinks_like_one_over_the_root_of_d_k(d_k):
    example, n_seeds = EXAMPLES[0], 400
    look = example.look()
    exact = look.query @ look.key.T / 2
    norms = (look.query**2).sum(axis=1)[:, None] * (look.key**2).sum(axis=1)
    expected = np.sqrt((norms + (2 * exact) ** 2).mean() / (4 * d_k))
    draws = [sentence_vectors(example.tokens, 1, d_k, seed=seed, example=example) for seed in range(n_seeds)]
    errors = np.stack([draw.query[0] @ draw.key[0].T / np.sqrt(d_k) - exact for draw in draws])
    assert np.sqrt((errors**2).mean()) == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("example", IT, ids=name)
def test_in_64_dimensions_it_still_finds_what_it_stands_for(example):
    it = {"en": "it", "ko": "그것이"}[example.language]
    for seed in range(20):
        vectors = sentence_vectors(example.tokens, 1, 64, seed=seed, example=example)
        scores = vectors.query[0, example.tokens.index(it)] @ vectors.key[0].T
        assert example.tokens[scores.argmax()] == MEANT[example.name][example.language]


def test_own_text_gets_components_of_unit_variance_and_scores_of_variance_d_k():
    tokens, d_k, n_heads = [f"word{i}" for i in range(40)], 17, 8
    scores, components = [], []
    for seed in range(40):
        vectors = sentence_vectors(tokens, n_heads, d_k, seed=seed)
        components.append(vectors.query)
        scores.append((vectors.query @ vectors.key.swapaxes(-1, -2)) / np.sqrt(d_k))
    # Scores that share a token are correlated, so the standard error comes from the spread between seeds.
    for samples in (components, scores):
        variances = np.array([sample.var() for sample in samples])
        assert abs(variances.mean() - 1) < 4 * variances.std() / np.sqrt(len(variances)) + 2 / D_MODEL


def test_a_head_does_not_depend_on_how_many_heads_there_are():
    for example in (None, IT[0]):
        one, eight = (sentence_vectors(IT[0].tokens, n, 3, seed=5, example=example) for n in (1, 8))
        np.testing.assert_array_equal(one.query[0], eight.query[0])
        np.testing.assert_array_equal(one.value[0], eight.value[0])


def test_more_dimensions_keep_the_first_ones_of_own_text():
    few, many = (sentence_vectors(["a", "b"], 2, d_k, seed=1) for d_k in (3, 11))
    np.testing.assert_allclose(few.key, many.key[..., :3], atol=1e-12)


def test_heads_beyond_the_gazes_are_those_of_own_text():
    example = IT[0]
    seeded = sentence_vectors(example.tokens, 7, 3, seed=2)
    mixed = sentence_vectors(example.tokens, 7, 3, seed=2, example=example)
    assert mixed.query.shape == (7, 11, 3)
    np.testing.assert_array_equal(mixed.query[4:], seeded.query[4:])
    assert not np.allclose(mixed.query[:4], seeded.query[:4])


def test_the_seeded_example_is_treated_like_own_text():
    cat = find("The cat sat on the mat and the cat dozed")
    own, example = (sentence_vectors(cat.tokens, 2, 5, seed=3, example=given) for given in (None, cat))
    np.testing.assert_array_equal(own.query, example.query)


def test_tokens_of_another_sentence_are_refused():
    with pytest.raises(ValueError, match="tokens are 'a b' but the example is "):
        sentence_vectors(tokenize("a b"), 1, 3, seed=0, example=IT[0])


@pytest.mark.parametrize(("n_heads", "d_k"), [(0, 3), (2, 0)])
def test_no_heads_or_no_dimensions_are_refused(n_heads, d_k):
    with pytest.raises(ValueError, match=f"must be at least 1, got {n_heads} and {d_k}"):
        sentence_vectors(["a"], n_heads, d_k, seed=0)


def test_random_words_are_drawn_from_the_worked_sentences_and_again_the_same():
    known = {token for example in EXAMPLES if example.language == "ko" for token in example.tokens}
    drawn = random_words(500, "ko", rng=3).split()
    assert len(drawn) == 500
    assert set(drawn) == known
    assert drawn == random_words(500, "ko", rng=3).split()
    with pytest.raises(ValueError, match="no worked sentence is in language 'fr'"):
        random_words(3, "fr", rng=3)
