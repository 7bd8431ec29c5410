"""A painted mask as a link holds it: its size, and its cells row by row as bits in URL-safe base64 (`3.m4A`)."""

import base64

import numpy as np


def written(allowed: np.ndarray) -> str:
    """The square mask (n, n) as text."""
    bits = base64.urlsafe_b64encode(np.packbits(allowed).tobytes()).decode()
    return f"{len(allowed)}.{bits.rstrip('=')}"


def read(text: str, largest: int) -> np.ndarray:
    """The mask (n, n) that a text stands for; ValueError if it stands for none, or for one of more than `largest`."""
    size, _, bits = text.partition(".")
    n = int(size)
    if not 1 <= n <= largest:
        raise ValueError(f"expected 1 to {largest} words, got {n}")
    packed = np.frombuffer(base64.b64decode(bits + "=" * (-len(bits) % 4), altchars=b"-_", validate=True), np.uint8)
    if len(packed) != -(-n * n // 8):
        raise ValueError(f"expected the bits of {n} × {n} cells, got {8 * len(packed)} bits")
    return np.unpackbits(packed, count=n * n).reshape(n, n).astype(bool)


def resized(allowed: np.ndarray, n: int) -> np.ndarray:
    """The mask for n words: the cells that are still there, and open ones beside them."""
    kept = min(len(allowed), n)
    result = np.ones((n, n), dtype=bool)
    result[:kept, :kept] = allowed[:kept, :kept]
    return result
