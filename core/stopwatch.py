"""Real seconds: attention timed for growing numbers of tokens."""

from collections.abc import Iterator, Sequence
from time import perf_counter

import numpy as np

from core.arrays import Floats
from core.attention import attend

# A single short call measures the machine's other work; the least of several measures attention.
AT_LEAST = 0.03


def attention_seconds(
    sizes: Sequence[int], *, d_k: int = 64, passes: int = 4, budget: float = 10.0, rng: int | np.random.Generator
) -> Iterator[Floats]:
    """Time one head of `attend` in single precision for each number of tokens, and all of them again each pass.

    Yields rows (n, seconds) as (1, 2) arrays, len(sizes) * passes rows in all; seconds is the least of as many calls as
    go into 0.03 seconds. Once the calls have taken `budget` seconds, the rows left come at once, their seconds NaN.
    Two (n, n) matrices of 4-byte numbers are in memory at a time: 8 n² bytes.
    """
    rng = np.random.default_rng(rng)
    query, key, value = rng.standard_normal((3, max(sizes), d_k), dtype=np.float32)
    attend(query[:2], key[:2], value[:2])  # the first product of all starts the threads
    rows = list(sizes) * passes
    spent = 0.0
    for i, n in enumerate(rows):
        if spent > budget:
            yield np.array([(left, np.nan) for left in rows[i:]])
            return
        calls: list[float] = []
        while sum(calls) < AT_LEAST:
            start = perf_counter()
            attend(query[:n], key[:n], value[:n])
            calls.append(perf_counter() - start)
        spent += sum(calls)
        yield np.array([(n, min(calls))])


def shortest(timings: Floats) -> Floats:
    """The least seconds of each size: (m, 2) rows (n, seconds) -> (k, 2), sizes ascending, those never timed left out.

    What disturbs a measurement only ever adds to it.
    """
    timed = timings[np.isfinite(timings[:, 1])]
    return np.array([(n, timed[timed[:, 0] == n, 1].min()) for n in np.unique(timed[:, 0])]).reshape(-1, 2)
