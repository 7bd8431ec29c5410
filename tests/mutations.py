"""Do the tests notice? Plant the field's classic mistakes in the engine, one at a time, and run its tests on each.

    python -m tests.mutations

No file is changed: a child process loads the module from altered source. Prints which test caught each mistake, and
fails if one survives.
"""

import io
import multiprocessing
import sys
from contextlib import redirect_stdout
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import NamedTuple

import pytest

root = Path(__file__).parents[1]


class Mistake(NamedTuple):
    name: str
    module: str
    right: str
    wrong: str


mistakes = [
    Mistake("mask inverted", "softmax", "np.where(mask, scores, -np.inf)", "np.where(~mask, scores, -np.inf)"),
    Mistake("blocked scores filled with -1e9", "softmax", "(mask, scores, -np.inf)", "(mask, scores, -1e9)"),
    Mistake("mask multiplied into the scores", "softmax", "np.where(mask, scores, -np.inf)", "scores * mask"),
    Mistake("mask added to the scores as 0 and 1", "softmax", "np.where(mask, scores, -np.inf)", "scores + mask"),
    Mistake("highest score not subtracted", "softmax", "np.where(np.isinf(highest), 0, highest)", "0 * highest"),
    Mistake("temperature multiplies", "softmax", "logits /= t", "logits *= t"),
    Mistake("temperature ignored", "softmax", "logits /= t", "logits /= 1"),
    Mistake("ties at temperature 0 go to all", "softmax", "logits[logits < 0] = -np.inf", "logits *= 0"),
    Mistake("empty row divided by its sum of 0", "softmax", "np.where(total == 0, 1, total)", "total"),
    Mistake("input overwritten", "softmax", "out=None if mask is None else s", "out=s"),
    Mistake("Jacobian without temperature", "softmax", "slope / p.dtype.type(temperature)", "slope"),
    Mistake("Jacobian of its diagonal alone", "softmax", "- p[..., None, :])", "* (1 - p[..., None, :]))"),
    Mistake("entropy in bits unasked", "softmax", "base: float = np.e", "base: float = 2"),
    Mistake("0 log 0 is NaN", "softmax", "np.log(np.where(p == 0, 1, p))", "np.log(p)"),
    Mistake("entropy of -0.0", "softmax", "(np.maximum(nats, 0) + 0.0)", "nats"),
    Mistake("effective keys in bits", "softmax", "np.exp(entropy(p, axis=axis))", "np.exp2(entropy(p, axis=axis))"),
    Mistake("mask of numbers accepted", "masks", "array.dtype != np.bool_", "array.dtype == object"),
    Mistake("causal without the token itself", "masks", "align) <= 0", "align) < 0"),
    Mistake("causal looks ahead", "masks", "align) <= 0", "align) >= 0"),
    Mistake("causal always from the top left", "masks", 'n_k - n_q if align == "bottom-right" else 0', "0"),
    Mistake("window one short on the left", "masks", "distance >= -_whole", "distance > -_whole"),
    Mistake("window one short on the right", "masks", "distance <= _whole", "distance < _whole"),
    Mistake("padding shows one key too many", "masks", "np.arange(n_k) < lengths", "np.arange(n_k) <= lengths"),
    Mistake("masks joined by OR", "masks", "np.logical_and.reduce", "np.logical_or.reduce"),
    Mistake("prefix only where causal", "masks", "causal(n) | ", "causal(n) & "),
    Mistake("scores not scaled", "scores", "1 / math.sqrt(d_k)", "1"),
    Mistake("scores divided by d_k", "scores", "1 / math.sqrt(d_k)", "1 / d_k"),
    Mistake("scores multiplied by the root", "scores", "1 / math.sqrt(d_k)", "math.sqrt(d_k)"),
    Mistake("general score through the transpose", "scores", "_product(q @ w, k)", "_product(q @ w.T, k)"),
    Mistake("additive score without its vector", "scores", "np.tanh(hidden) @ v", "np.tanh(hidden).sum(axis=-1)"),
    Mistake("softmax over the queries", "attention", "temperature=temperature, mask", "axis=-2, mask"),
    Mistake(
        "mask after the softmax, not renormalised",
        "attention",
        "temperature=temperature, mask=mask)",
        "temperature=temperature) * (1 if mask is None else mask)",
    ),
    Mistake("blocked NaN leaks through 0 · NaN", "attention", "if np.isfinite(value).all():", "if True:"),
    Mistake("temperature before the bias", "attention", "scores + bias", "scores + bias * temperature"),
    Mistake("bias subtracted", "attention", "scores + bias", "scores - bias"),
    Mistake("softcap without its division", "attention", "scores /= softcap", "pass"),
    Mistake("softcap around the bias too", "attention", "scores = scores + bias", "scores = np.tanh(scores + bias)"),
    Mistake("bias stretches the queries", "attention", '_check_fit("bias", bias, scores)', "pass"),
    Mistake(
        "heads split by reshape alone",
        "multi_head",
        "n_heads, d).swapaxes(-3, -2)",
        "n_heads, d).reshape(*x.shape[:-2], n_heads, -1, d)",
    ),
    Mistake("heads merged by reshape alone", "multi_head", "x.swapaxes(-3, -2).reshape", "x.reshape"),
    Mistake("scaled by d_model", "multi_head", "scale=scale", "scale=scale or np.shape(query_input)[-1] ** -0.5"),
    Mistake("shared key heads tiled", "multi_head", "np.repeat(key, group, axis=-3)", "np.tile(key, (group, 1, 1))"),
    Mistake(
        "shared value heads tiled", "multi_head", "np.repeat(value, group, axis=-3)", "np.tile(value, (group, 1, 1))"
    ),
    Mistake("W_O forgotten", "multi_head", '_project("concat", concat, "o", w.w_o, w.b_o)', "concat"),
    Mistake("values from W_K", "multi_head", "w.w_v, w.b_v", "w.w_k, w.b_v"),
    Mistake(
        "keys from the query's tokens", "multi_head", '"key_input", key_input, "k"', '"key_input", query_input, "k"'
    ),
    Mistake("bias of a projection forgotten", "multi_head", "return x @ w + b", "return x @ w"),
    Mistake(
        "batch axis of a mask taken for the heads", "multi_head", "if 2 < array.ndim < n_axes", "if array.ndim == 99"
    ),
    Mistake("weights drawn with deviation 1/d_model", "multi_head", "1 / math.sqrt(d_model)", "1 / d_model"),
    Mistake(
        "LayerNorm with the unbiased variance",
        "encoder",
        "np.mean(np.square(x), axis=-1, keepdims=True)",
        "np.sum(np.square(x), axis=-1, keepdims=True) / (x.shape[-1] - 1)",
    ),
    Mistake("eps outside the root", "encoder", " + x.dtype.type(eps))", ") + x.dtype.type(eps)"),
    Mistake("LayerNorm over the tokens", "encoder", "x - x.mean(axis=-1", "x - x.mean(axis=0"),
    Mistake("LayerNorm without its mean", "encoder", "x - x.mean(axis=-1, keepdims=True)", "x"),
    Mistake(
        "residual taken after the pre-norm", "encoder", "x + attention.output", "attention_input + attention.output"
    ),
    Mistake("residual of the feed-forward forgotten", "encoder", "stream + answer", "answer"),
    Mistake(
        "norm of the attention used twice",
        "encoder",
        "normalise(after_feed_forward, w.gain_2",
        "normalise(after_feed_forward, w.gain_1",
    ),
    Mistake(
        "pre-norm drops its second norm",
        "encoder",
        'w.bias_2) if norm == "pre" else stream',
        'w.bias_2) if norm == "" else stream',
    ),
    Mistake("no activation", "encoder", "np.maximum(hidden, 0)", "hidden"),
    Mistake("GELU by a sigmoid", "encoder", "hidden * ndtr(hidden)", "hidden / (1 + np.exp(-1.702 * hidden))"),
    Mistake("similarity counts a token with itself", "encoder", "(of_sum - same)", "of_sum"),
    Mistake("sine and cosine at two frequencies", "positions", "column // 2 * 2", "column"),
    Mistake("rotation that is a reflection", "positions", "a * cos - b * sin", "a * cos + b * sin"),
    Mistake("pairs of the other layout", "positions", "if interleaved else", "if not interleaved else"),
    Mistake("rotary paces of the full width", "positions", "rotary_dim, 2) / rotary_dim", "rotary_dim, 2) / d"),
    Mistake(
        "correlation forgotten in the mean of q·k", "theory", " + correlation * spread\n    variance", "\n    variance"
    ),
    Mistake("means forgotten in the variance of q·k", "theory", "(mean_q * std_k) ** 2", "0"),
    Mistake("cross term forgotten in the variance of q·k", "theory", "2 * correlation * mean_q", "0 * mean_q"),
    Mistake("variance divides by n", "monte_carlo", "x.var(ddof=1)", "x.var()"),
    Mistake("standard error of normal samples always", "monte_carlo", "- 1) + excess_kurtosis / n", "- 1)"),
    Mistake("drawn pairs not correlated", "monte_carlo", "products += correlation", "products += 0"),
    Mistake("correlated pairs of the wrong variance", "monte_carlo", "rest = np.sqrt(1 - correlation**2)", "rest = 1"),
]


class FirstFailure:
    """A pytest plugin that keeps the name of the first test that failed."""

    name: str | None = None

    def pytest_runtest_logreport(self, report):
        if report.failed and self.name is None:
            self.name = report.nodeid.split("::")[1].split("[")[0]


def plant(mistake: Mistake) -> None:
    """Load the module with its mistake before anything imports the right one."""
    name = f"core.{mistake.module}"
    path = root / "core" / f"{mistake.module}.py"
    source = path.read_text(encoding="utf-8")
    if source.count(mistake.right) != 1:
        raise ValueError(f"{mistake.name}: {mistake.right!r} stands {source.count(mistake.right)} times in {path.name}")
    module = module_from_spec(spec_from_loader(name, loader=None))
    sys.modules[name] = module
    exec(compile(source.replace(mistake.right, mistake.wrong), path, "exec"), module.__dict__)


def caught_by(mistake: Mistake) -> str | None:
    """The first test that fails with this mistake, None if all pass; runs in a process of its own."""
    plant(mistake)
    failure = FirstFailure()
    files = [str(root / f"tests/core/test_{name}.py") for name in (mistake.module, "golden_cases", "onnx")]
    with redirect_stdout(io.StringIO()) as output:
        # Workers would import the right module again, hence -n0.
        code = pytest.main(["-x", "-n0", "--tb=no", "-p", "no:cacheprovider", *files], plugins=[failure])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError(f"{mistake.name}: the tests did not run\n{output.getvalue()}")
    return failure.name


def main() -> int:
    survivors = 0
    with multiprocessing.Pool(maxtasksperchild=1) as pool:
        for mistake, test in zip(mistakes, pool.imap(caught_by, mistakes, chunksize=1), strict=True):
            survivors += test is None
            sys.stdout.write(f"{mistake.module:12}{mistake.name:45}{test or 'SURVIVED'}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(mistakes) - survivors} of {len(mistakes)} mistakes caught\n")
    return survivors


if __name__ == "__main__":
    sys.exit(main())
