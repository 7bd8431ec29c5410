"""A painted mask as text: what goes into a link comes out of it, and nothing else does."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ui import painting
from ui.controls import CONTROLS, MAX_TOKENS

masks = st.integers(1, MAX_TOKENS).flatmap(lambda n: arrays(bool, (n, n)))


def test_the_sample_is_the_causal_mask_of_three_words():
    assert painting.written(np.tri(3, dtype=bool)) == CONTROLS["paint"].sample
    # 100 110 111 and seven idle bits: 10011011 10000000 is 9b 80, in base64 m4A.
    np.testing.assert_array_equal(painting.read("3.m4A"), np.tri(3))


@given(masks)
def test_a_mask_survives_the_link(mask):
    text = painting.written(mask)
    assert CONTROLS["paint"].read(text) == text
    assert re.fullmatch(r"[\w.-]+", text, flags=re.ASCII)
    np.testing.assert_array_equal(painting.read(text), mask)


@pytest.mark.parametrize("text", ["", "3", "x.m4A", "3.m4", "3.m4AA", "3.m4!", "0.", "45.AA", "3.한글", "-3.m4A"])
def test_a_text_that_is_no_mask_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        painting.read(text)


@given(masks, st.integers(1, MAX_TOKENS))
def test_another_size_keeps_the_cells_that_are_there_and_opens_the_rest(mask, n):
    result = painting.resized(mask, n)
    kept = min(len(mask), n)
    np.testing.assert_array_equal(result[:kept, :kept], mask[:kept, :kept])
    assert result[kept:].all()
    assert result[:, kept:].all()
