"""Text to tokens, to labels for charts, and to seeded vectors for text that nobody has set by hand."""

import unicodedata
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

# Fillers and variation selectors show nothing although their category is a letter, mark or symbol.
_BLANK = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0} | {
    *range(0x180B, 0x1810),
    *range(0xFE00, 0xFE10),
    *range(0xE0100, 0xE01F0),
}
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def _is_visible(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf") and ord(character) not in _BLANK


def _nfc(token: str) -> str:
    return unicodedata.normalize("NFC", token)


def tokenize(text: str) -> tuple[str, ...]:
    """Split text at Unicode white space; tokens stay as typed, and those that would show nothing are left out."""
    return tuple(token for token in text.split() if any(map(_is_visible, token)))


def labels(tokens: Sequence[str]) -> tuple[str, ...]:
    """Give every position its own label: a token's first occurrence is itself, later ones are numbered ("the ₂").

    Spellings that look alike (composed and decomposed accents) count as one token, as they do in `embed`.
    """
    taken = {_nfc(token) for token in tokens}
    occurrences: dict[str, int] = {}
    result = []
    for token in tokens:
        seen = _nfc(token)
        count = occurrences.get(seen, 0) + 1
        label = token
        if count > 1:
            while _nfc(label := f"{token} {str(count).translate(_SUBSCRIPTS)}") in taken:
                count += 1
            taken.add(_nfc(label))
        occurrences[seen] = count
        result.append(label)
    return tuple(result)


def embed(tokens: Sequence[str], d_model: int, *, seed: int) -> NDArray[np.float64]:
    """Give every token a vector of d_model independent standard normal components: (n, d_model).

    A vector depends on the token and the seed alone, not on position, neighbours or machine; composed and decomposed
    spellings of a word share theirs. A larger d_model adds components and keeps the first ones.
    """
    if d_model < 1:
        raise ValueError(f"d_model must be at least 1, got {d_model}")
    vectors = np.empty((len(tokens), d_model))
    for vector, token in zip(vectors, tokens, strict=True):
        # surrogatepass: half of a surrogate pair is not valid UTF-8, but a keyboard can still type it.
        digest = blake2b(f"{seed}:{_nfc(token)}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
        np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little"))).standard_normal(out=vector)
    return vectors
