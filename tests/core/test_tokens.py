import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tokens import embed, labels, tokenize


@pytest.mark.parametrize(
    "token",
    ["$5", "*a*", "_b_", "<script>", "[x]", ":smile:", '"q"', "안녕", "שלום", "cafe\u0301", "👨‍👩‍👧", "&amp;"],
)
def test_a_token_is_shown_exactly_as_typed(token):
    assert tokenize(f"  {token}\u3000{token}\n") == (token, token)


@pytest.mark.parametrize("text", ["", " \t\n", "\u200b", "\u200b \ufeff", "\u3164", "\u2060\ufe0f \u00ad"])
def test_text_that_shows_nothing_has_no_tokens(text):
    assert tokenize(text) == ()


@given(st.text())
def test_tokens_lose_no_visible_character(text):
    assert set("".join(text.split())) - set("".join(tokenize(text))) <= {c for c in text if tokenize(c) == ()}


def test_a_repeated_token_is_numbered_and_its_first_occurrence_unchanged():
    assert labels(["the", "cat", "the", "the"]) == ("the", "cat", "the ₂", "the ₃")


def test_a_label_never_collides_with_a_token_that_looks_like_one():
    assert labels(["the", "the", "the ₂", "the ₂"]) == ("the", "the ₃", "the ₂", "the ₂ ₂")


@given(st.lists(st.sampled_from(["a", "a ₂", "a ₃", "a ₂ ₂", "é", "e\u0301", ""])))
def test_labels_are_unique_even_to_the_eye(tokens):
    seen = {unicodedata.normalize("NFC", label) for label in labels(tokens)}
    assert len(seen) == len(tokens)


def test_a_vector_is_the_same_on_every_machine():
    # Frozen: a change here changes the picture behind every shared link.
    expected = [[0.08024915, 0.87991075, 0.94877708], [1.49375072, 0.15073549, 0.87989960]]
    np.testing.assert_allclose(embed(["it", "그것이"], 3, seed=7), expected, atol=1e-8)


def test_a_vector_depends_on_token_and_seed_alone():
    alone = embed(["cat"], 5, seed=3)[0]
    among = embed(["the", "cat", "sat", "cat"], 7, seed=3)
    np.testing.assert_array_equal(among[1, :5], alone)
    np.testing.assert_array_equal(among[1], among[3])
    assert not np.allclose(embed(["cat"], 5, seed=4)[0], alone)


def test_composed_and_decomposed_spellings_share_a_vector():
    composed, decomposed = (unicodedata.normalize(form, "그것이") for form in ("NFC", "NFD"))
    assert composed != decomposed
    np.testing.assert_array_equal(embed([composed], 5, seed=0), embed([decomposed], 5, seed=0))


def test_seed_and_token_are_not_confused_when_joined():
    assert not np.allclose(embed(["2:a"], 3, seed=1), embed(["a"], 3, seed=12))


def test_components_are_standard_normal():
    x = embed([str(i) for i in range(400)], 50, seed=0).ravel()
    standard_error = 1 / np.sqrt(x.size)
    assert abs(x.mean()) < 4 * standard_error
    assert abs(x.var() - 1) < 4 * np.sqrt(2) * standard_error


def test_half_a_surrogate_pair_still_has_a_vector():
    assert embed(["\ud83d"], 3, seed=0).shape == (1, 3)


def test_no_tokens_have_no_vectors():
    assert embed([], 3, seed=0).shape == (0, 3)


def test_zero_components_are_refused():
    with pytest.raises(ValueError, match="d_model must be at least 1, got 0"):
        embed(["a"], 0, seed=0)
