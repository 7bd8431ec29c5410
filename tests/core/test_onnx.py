"""The engine against the operator suite of the ONNX standard (version 1.23.2), within the suite's own tolerances.

Here stands only what is ONNX's and not attention's: inputs by position, key-value caches, output modes, rounding to
16 bits. The expected numbers are those the suite ships.
"""

from collections import Counter
from importlib import import_module

import numpy as np
import pytest
from onnx.backend.test.case import node as suite
from onnx.helper import get_attribute_value

from core.attention import attend
from core.encoder import layer_norm, rms_norm
from core.masks import combine, padding, window
from core.multi_head import merge_heads, split_heads
from core.positions import rotate_pairs
from core.scores import scaled_dot
from core.softmax import log_softmax, softmax


def run_attention(
    q,
    k,
    v,
    attn_mask=None,
    past_key=None,
    past_value=None,
    nonpad_kv_seqlen=None,
    *,
    is_causal=0,
    left_window_size=-1,
    right_window_size=-1,
    q_num_heads=None,
    kv_num_heads=None,
    scale=None,
    softcap=0.0,
    qk_matmul_output_mode=0,
    softmax_precision=None,
):
    dtype, flat = q.dtype, q.ndim == 3
    if flat:
        q, k, v = split_heads(q, q_num_heads), split_heads(k, kv_num_heads), split_heads(v, kv_num_heads)
    q, k, v = (x.astype(np.float32) for x in (q, k, v))
    n_past = 0
    if past_key is not None:
        n_past = past_key.shape[-2]
        k, v = np.concatenate([past_key, k], axis=-2), np.concatenate([past_value, v], axis=-2)
    present = k, v
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    n_q, n_k = q.shape[-2], k.shape[-2]

    left = None if left_window_size < 0 else left_window_size
    right = 0 if is_causal else None if right_window_size < 0 else right_window_size
    if nonpad_kv_seqlen is None:
        mask = window(n_past + n_q, n_k, left=left, right=right)[n_past:]
    else:
        places = [window(n_q, n, left=left, right=right, align="bottom-right") for n in nonpad_kv_seqlen]
        places = [np.pad(place, [(0, 0), (0, n_k - place.shape[1])]) for place in places]
        mask = combine(np.stack(places), padding(nonpad_kv_seqlen, n_k))[:, None]
    bias = None
    if attn_mask is not None:
        missing = [(0, 0)] * (attn_mask.ndim - 1) + [(0, n_k - attn_mask.shape[-1])]
        if attn_mask.dtype == bool:
            mask = combine(mask, np.pad(attn_mask, missing))
        else:
            bias = np.pad(attn_mask.astype(np.float32), missing, constant_values=-np.inf)
    result = attend(q, k, v, mask=mask, bias=bias, scale=scale, softcap=softcap or None)

    steps = {
        0: lambda: scaled_dot(q, k, scale=scale),
        1: lambda: attend(q, k, v, scale=scale, softcap=softcap or None).scores,
        2: lambda: np.where(mask, result.scores, -np.inf),
        3: lambda: result.weights,
    }
    output = merge_heads(result.output) if flat else result.output
    return [x.astype(dtype) for x in (output, *present, steps[qk_matmul_output_mode]())]


def run_softmax(x, *, axis=-1):
    return [softmax(x, axis=axis)]


def run_log_softmax(x, *, axis=-1):
    return [log_softmax(x, axis=axis)]


def run_layer_norm(x, scale, bias, *, axis=-1, epsilon=1e-5):
    rows = x.reshape(*x.shape[:axis], -1)
    y = layer_norm(rows, gain=scale.ravel(), bias=bias.ravel(), eps=epsilon)
    kept = (*x.shape[:axis], *[1] * len(x.shape[axis:]))
    inverse_deviation = 1 / np.sqrt(rows.var(axis=-1) + epsilon)
    return [y.reshape(x.shape), rows.mean(axis=-1).reshape(kept), inverse_deviation.reshape(kept)]


def run_rms_norm(x, scale, *, axis=-1, epsilon=1e-5):
    rows = x.reshape(*x.shape[:axis], -1)
    return [rms_norm(rows, gain=scale.ravel(), eps=epsilon).reshape(x.shape)]


def run_rotary(x, cos, sin, positions=None, *, interleaved=0, rotary_embedding_dim=0, num_heads=None):
    if positions is not None:
        cos, sin = cos[positions], sin[positions]
    heads = split_heads(x, num_heads) if x.ndim == 3 else x
    turned = rotate_pairs(heads, cos[:, None], sin[:, None], interleaved=bool(interleaved))
    return [merge_heads(turned) if x.ndim == 3 else turned]


operators = {
    "Attention": run_attention,
    "Softmax": run_softmax,
    "LogSoftmax": run_log_softmax,
    "LayerNormalization": run_layer_norm,
    "RMSNormalization": run_rms_norm,
    "RotaryEmbedding": run_rotary,
}


def collected():
    for operator in operators:
        import_module(f"{suite.__name__}.{operator.lower()}")
    # suite.collect_testcases() would build the cases of all other operators too, which takes seconds.
    for case in suite._NodeTestCases:
        node = case.model.graph.node[0]
        if "_expanded" not in case.name and node.op_type in operators:
            yield case, node


cases = list(collected())


def test_the_suite_is_complete():
    assert Counter(node.op_type for _, node in cases) == {
        "Attention": 93,
        "Softmax": 7,
        "LogSoftmax": 7,
        "LayerNormalization": 19,
        "RMSNormalization": 19,
        "RotaryEmbedding": 8,
    }


@pytest.mark.parametrize(("case", "node"), [pytest.param(*pair, id=pair[0].name) for pair in cases])
def test_the_operator_suite(case, node):
    attributes = {attribute.name: get_attribute_value(attribute) for attribute in node.attribute}
    for given, expected in case.data_sets:
        present = iter(given)
        inputs = [next(present) if name else None for name in node.input]
        outputs = operators[node.op_type](*inputs, **attributes)
        shown = [output for output, name in zip(outputs, node.output, strict=False) if name]
        for output, right in zip(shown, expected, strict=True):
            assert output.dtype == right.dtype
            assert output.shape == right.shape
            # The suite's own runner grants bfloat16 two units in the last place.
            rtol = max(case.rtol, 2**-6) if right.dtype.name == "bfloat16" else case.rtol
            output, right = output.astype(float), right.astype(float)
            np.testing.assert_allclose(output, right, rtol=rtol, atol=case.atol)
            if given[0].dtype == np.float32:
                np.testing.assert_allclose(output, right, rtol=1e-5, atol=1e-6)
