"""What samples of q·k cost beside their random numbers, and how much memory a million of them needs.

    python -m benchmarks.monte_carlo

CPU time of the thread, least of interleaved repetitions, as ratios: the component method over drawing its numbers alone
(same generator, precision and chunks), and over the exact law per sample. Then the growth of the process over a million
samples at d_k = 1024 by components, kept by a caller who reads them chunk by chunk.
"""

import resource
import time
from collections.abc import Callable, Iterable
from typing import Any, get_args

import numpy as np

from core.monte_carlo import _CHUNK, _DRAW, sample_chunks
from core.theory import Components

REPETITIONS = 7
NUMBERS = 1 << 22
SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "ρ = 0.6": {"correlation": 0.6},
    "same": {"same": True},
    "μ = 1, σ = 2": {"mean": 1, "std": 2},
}


def consume(chunks: Iterable[object]) -> None:
    for _ in chunks:
        pass


def numbers(d_k: int, n: int, components: Components, vectors: int, rng: np.random.Generator) -> Iterable[object]:
    """The components alone, in the chunks of `sample_chunks`."""
    size = max(1, _CHUNK // (2 * d_k))
    return (_DRAW[components](rng, (min(size, n - start), vectors, d_k)) for start in range(0, n, size))


def least(*contenders: Callable[[], None]) -> list[float]:
    """The least CPU seconds of each, taken in turns."""
    seconds: list[list[float]] = [[] for _ in contenders]
    for _ in range(REPETITIONS):
        for contender, taken in zip(contenders, seconds, strict=True):
            start = time.thread_time()
            contender()
            taken.append(time.thread_time() - start)
    return [min(taken) for taken in seconds]


def over_numbers(d_k: int, components: Components, settings: dict[str, Any]) -> float:
    rng = np.random.Generator(np.random.SFC64(0))
    n = NUMBERS // (2 * d_k)
    vectors = 1 if "same" in settings else 2
    ours, alone = least(
        lambda: consume(sample_chunks(d_k, n, components=components, rng=rng, **settings)),
        lambda: consume(numbers(d_k, n, components, vectors, rng)),
    )
    return ours / alone


def over_exact(d_k: int) -> float:
    """Cost of a sample by components over cost of a sample from the exact law, of which more are drawn."""
    rng = np.random.Generator(np.random.SFC64(0))
    n, more = NUMBERS // (2 * d_k), NUMBERS // 8
    components, exact = least(
        lambda: consume(sample_chunks(d_k, n, rng=rng)),
        lambda: consume(sample_chunks(d_k, more, method="exact", rng=rng)),
    )
    return (components / n) / (exact / more)


def main() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    samples = np.empty(10**6)
    filled = 0
    for chunk in sample_chunks(1024, len(samples), rng=0):
        samples[filled : filled + len(chunk)] = chunk
        filled += len(chunk)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"| d_k | components | {' | '.join(SETTINGS)} | over exact |")
    print("|---|---|" + "---|" * (len(SETTINGS) + 1))
    for d_k in 1, 2, 4, 64, 1024:
        for components in get_args(Components):
            ratios = [f"{over_numbers(d_k, components, settings):.2f}" for settings in SETTINGS.values()]
            exact = f"{over_exact(d_k):.1f}" if components == "normal" else ""
            print(f"| {d_k} | {components} | {' | '.join(ratios)} | {exact} |", flush=True)
    print(f"\nA million samples at d_k = 1024: process {after / 1024:.0f} MB, {(after - before) / 1024:.0f} MB more.")


if __name__ == "__main__":
    main()
