"""The engine's attention against PyTorch's mathematics on the CPU and against textbook NumPy, in float32.

    python -m benchmarks.attention [n ...]

PyTorch (`pip install torch`) is needed here alone, in an environment of the benchmark's own. All compute scores,
weights and output, 8 heads of 64. Ratios of wall time, least of interleaved turns. "peak" is the most memory the engine
held at once (tracemalloc) over that of its scores and weights.
"""

import math
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from core.attention import attend
from core.encoder import EncoderWeights, encoder_layer, seeded_encoder_weights
from core.multi_head import multi_head_attention

HEADS, D_K = 8, 64
D_MODEL = HEADS * D_K
TURNS = 5
Contender = Callable[[], Any]


def textbook(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, ...]:
    scores = query @ key.swapaxes(-1, -2) / math.sqrt(query.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return scores, weights, weights @ value


def textbook_heads(x: np.ndarray, w: Any) -> np.ndarray:
    query, key, value = ((x @ m).reshape(len(x), HEADS, D_K).swapaxes(0, 1) for m in (w.w_q, w.w_k, w.w_v))
    return textbook(query, key, value)[-1].swapaxes(0, 1).reshape(len(x), D_MODEL) @ w.w_o


def textbook_norm(x: np.ndarray) -> np.ndarray:
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


def textbook_layer(x: np.ndarray, w: EncoderWeights) -> np.ndarray:
    z = textbook_norm(x + textbook_heads(x, w.projections))
    return textbook_norm(z + np.maximum(z @ w.w_1 + w.b_1, 0) @ w.w_2 + w.b_2)


def torch_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> tuple[torch.Tensor, ...]:
    scores = query @ key.transpose(-1, -2) * D_K**-0.5
    weights = torch.softmax(scores, -1)
    return scores, weights, weights @ value


def torch_layer(layer: torch.nn.TransformerEncoderLayer, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    heads, weights = layer.self_attn(x, x, x, average_attn_weights=False)
    z = layer.norm1(x + heads)
    return layer.norm2(z + layer.linear2(torch.relu(layer.linear1(z)))), weights


def single(weights: Any) -> Any:
    """The dataclass with every array in float32."""
    fields = vars(weights).items()
    arrays = {name: x.astype(np.float32) if isinstance(x, np.ndarray) else x and single(x) for name, x in fields}
    return type(weights)(**arrays)


def contenders(n: int) -> dict[str, tuple[Contender, Contender, Contender]]:
    """Engine, PyTorch and textbook, each with what it needs already in its own form."""
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((HEADS, n, D_K), dtype=np.float32) for _ in range(3)]
    tensors = [torch.from_numpy(array) for array in arrays]
    x = rng.standard_normal((n, D_MODEL), dtype=np.float32)
    t = torch.from_numpy(x)[None]
    w = single(seeded_encoder_weights(D_MODEL, HEADS, 4 * D_MODEL, rng=0))
    layer = torch.nn.TransformerEncoderLayer(D_MODEL, HEADS, 4 * D_MODEL, batch_first=True).eval()
    p = w.projections
    return {
        "attend": (lambda: attend(*arrays), lambda: torch_attention(*tensors), lambda: textbook(*arrays)),
        "multi_head_attention": (
            lambda: multi_head_attention(x, x, p, HEADS),
            lambda: layer.self_attn(t, t, t, average_attn_weights=False),
            lambda: textbook_heads(x, p),
        ),
        "encoder_layer": (
            lambda: encoder_layer(x, w, n_heads=HEADS),
            lambda: torch_layer(layer, t),
            lambda: textbook_layer(x, w),
        ),
    }


def least(n: int, *functions: Contender) -> list[float]:
    """The least seconds of a call of each, taken in turns."""
    seconds = [math.inf] * len(functions)
    for _ in range(TURNS):
        for i, function in enumerate(functions):
            # The threads of the library before wait busily for more work; let them fall asleep.
            time.sleep(0.04)
            function()
            for _ in range(max(2, 1024 // n)):
                start = time.perf_counter()
                function()
                seconds[i] = min(seconds[i], time.perf_counter() - start)
    return seconds


def peak(n: int, function: Contender) -> float:
    tracemalloc.start()
    function()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / (2 * 4 * HEADS * n * n)


def main() -> None:
    torch.set_grad_enabled(False)
    print("| | n | engine, ms | / PyTorch | textbook / engine | peak |\n|---|---|---|---|---|---|")
    for n in [int(n) for n in sys.argv[1:]] or [128, 256, 512, 1024, 2048]:
        for name, functions in contenders(n).items():
            ours, theirs, plain = least(n, *functions)
            row = f"{1000 * ours:.2f} | {ours / theirs:.2f} | {plain / ours:.2f} | {peak(n, functions[0]):.2f}"
            print(f"| {name} | {n} | {row} |", flush=True)


if __name__ == "__main__":
    main()
