"""Seventy published numbers: operator suites, library tests, tutorials and bug reports, each with its source.

`expected` is what the source prints, within `tol`; `expected_f64` the same computed independently in double precision.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from core.attention import attend
from core.encoder import EncoderWeights, encoder_layer, layer_norm, rms_norm
from core.masks import causal, combine, window
from core.multi_head import Projections, merge_heads, multi_head_attention, split_heads
from core.scores import additive, dot, scaled_dot
from core.softmax import entropy, jacobian, log_softmax, softmax

cases = json.loads((Path(__file__).parents[1] / "data" / "golden_cases.json").read_text())


def numbers(inputs):
    """The inputs as arrays; boolean ones stay boolean, prose stays prose."""
    arrays = {name: np.array(x) for name, x in inputs.items()}
    return {name: x if x.dtype == bool or x.ndim == 0 else x.astype(float) for name, x in arrays.items()}


def axis_of(params):
    axis = params["axis"]
    return tuple(axis) if isinstance(axis, list) else axis


def base_of(params):
    return np.e if params["base"] == "e" else params["base"]


def align_of(params):
    return params["align"].replace("_", "-")


def attention(inputs, params):
    scale = None if params["scale"] == "1/sqrt(d)" else params["scale"]
    masks = [inputs[name] for name in ("mask", "key_mask") if name in inputs]
    if params.get("causal"):
        masks.append(causal(len(inputs["q"]), len(inputs["k"])))
    mask = combine(*masks) if masks else None
    result = attend(inputs["q"], inputs["k"], inputs["v"], scale=scale, mask=mask)
    seen = inputs.get("query_mask", np.ones(len(inputs["q"]), bool))
    return {"weights": result.weights, "output": np.where(seen[:, None], result.output, 0)}


def attention_4d(inputs, params):
    if "heads" in params:
        heads = (split_heads(inputs[name], params["heads"]) for name in ("q3d", "k3d", "v3d"))
        return {"output": merge_heads(attend(*heads).output)}
    q, k, v, mask = inputs["q"], inputs["k"], inputs["v"], inputs["mask"]
    if mask.dtype != bool:
        return {"output": attend(q, k, v, bias=mask, softcap=params["softcap"]).output}
    if params.get("causal"):
        mask = combine(mask, causal(q.shape[-2], k.shape[-2]))
    return {"output": attend(q, k, v, mask=mask).output}


def additive_attention(inputs, params):
    weights = softmax(additive(inputs["q"], inputs["k"], inputs["Wq"], inputs["Wk"], inputs["va"]))
    return {"weights": weights, "output": weights @ inputs["v"]}


def multi_head(inputs, params):
    """The source projects keys and values from two inputs: here they are the two halves of one."""
    n_heads, d = params["heads"], 8
    each_head = np.tile(np.eye(d), n_heads)
    nothing = np.zeros_like(each_head)
    projections = Projections(
        w_q=each_head,
        w_k=np.concatenate([each_head, nothing]),
        w_v=np.concatenate([nothing, each_head]),
        w_o=np.repeat(np.eye(n_heads), d, axis=0),
    )
    key_input = np.concatenate([inputs["k"], inputs["v"]], axis=-1)
    result = multi_head_attention(inputs["q"], key_input, projections, n_heads)
    assert np.ptp(result.heads.weights, axis=0).max() < 1e-15
    return {"weights": result.heads.weights[0], "output": result.output}


def projected_scores(inputs, params):
    query, key = inputs["x"] @ inputs["Wq"], inputs["x"] @ inputs["Wk"]
    scaled = scaled_dot(query, key)
    return {"raw": dot(query, key), "scaled": scaled, "weights_row0": softmax(scaled)[0]}


def composed_mask(inputs, params):
    query_valid, key_valid = inputs["query_valid"] == 1, inputs["key_valid"] == 1
    mask = causal(params["n_q"], params["n_k"], align=params["causal"].replace("_", "-"))
    return {"keep": combine(mask, key_valid, query_valid[:, None])}


def shared_heads(inputs, params):
    """Each key-value head holds its own number as its value."""
    h, shared = params["q_heads"], params["kv_heads"]
    x = np.arange(shared)[None].astype(float)
    projections = Projections(np.ones((shared, h)), np.eye(shared), np.eye(shared), np.eye(h))
    return {"kv_index": multi_head_attention(x, x, projections, h, n_kv_heads=shared).output[0]}


def scale_divisor(inputs, params):
    head = split_heads(np.ones((1, params["d_model"])), params["heads"])[0]
    return {"divisor": (dot(head, head) / scaled_dot(head, head)).item()}


def encoder(inputs, params):
    # The source fills every weight with PyTorch's single-precision cosines of 0, 1, 2, ...; these six end one bit off.
    cosines = np.cos(np.arange(64.0)).astype(np.float32)
    for i, towards in {1: 1, 32: -1, 45: 1, 46: -1, 47: 1, 50: 1}.items():
        cosines[i] = np.nextafter(cosines[i], np.float32(towards))

    def waves(*shape):
        return cosines[: np.prod(shape)].reshape(shape)

    d, d_ff = params["d_model"], params["d_ff"]
    w_q, w_k, w_v = np.split(waves(3 * d, d), 3)
    b_q, b_k, b_v = np.split(waves(3 * d), 3)
    weights = EncoderWeights(
        Projections(w_q.T, w_k.T, w_v.T, waves(d, d).T, b_q, b_k, b_v, waves(d)),
        w_1=waves(d_ff, d).T,
        b_1=waves(d_ff),
        w_2=waves(d, d_ff).T,
        b_2=waves(d),
        gain_1=waves(d),
        bias_1=waves(d),
        gain_2=waves(d),
        bias_2=waves(d),
    )
    ignored = inputs.get("key_padding_mask(True=ignore)")
    mask = None if ignored is None else ~ignored[:, None]
    layer = encoder_layer(
        inputs["x"],
        weights,
        n_heads=params["heads"],
        norm=params["norm"],
        activation=params["activation"],
        mask=mask,
    )
    return {"y": layer.output}


def keras_rms(inputs, params):
    """A published quirk: divides by the deviation but keeps the mean, so it is no RMSNorm."""
    x, eps = inputs["x"], params["eps"]
    y = layer_norm(x, eps=eps) + x.mean() / np.sqrt(x.var() + eps)
    assert np.abs(y - rms_norm(x, eps=eps)).max() > 1
    return {"y": y}


def variance(inputs, params):
    deviations = inputs["x"].ravel() - inputs["x"].mean()
    n = deviations.size
    squares = (dot(deviations[None], deviations[None])).item()
    return {"ddof0": squares / n, "ddof1": squares / (n - 1), "std1": (squares / (n - 1)) ** 0.5}


def moments(inputs, params):
    from core.theory import dot_product_moments

    mean, var = dot_product_moments(
        params["d_k"],
        mean_q=params["mu_q"],
        mean_k=params["mu_k"],
        std_q=params["sigma_q"],
        std_k=params["sigma_k"],
    )
    return {"mean": mean, "var": var}


def self_moments(inputs, params):
    from core.theory import dot_product_moments

    d_k = params["d_k"]
    mean, var = dot_product_moments(d_k, same=True)
    return {"mean": mean, "var": var, "mean_scaled": mean / d_k**0.5, "var_scaled": var / d_k}


operations = {
    "softmax": lambda x, p: {"y": softmax(x["x"], axis=axis_of(p))},
    "log_softmax": lambda x, p: {"y": log_softmax(x["x"], axis=axis_of(p))},
    "softmax_temperature": lambda x, p: {"y": softmax(x["x"], temperature=p["T"])},
    "masked_softmax": lambda x, p: {"y": softmax(x["x"], mask=x["mask"], axis=axis_of(p))},
    "softmax_jacobian": lambda x, p: {"J": jacobian(softmax(x["x"], temperature=p["T"]), temperature=p["T"])},
    "masked_softmax_grad": lambda x, _: {"g": jacobian(softmax(x["x"], mask=x["mask"]))[0]},
    "entropy": lambda x, p: {"H": entropy(x["p"], base=base_of(p), axis=axis_of(p))},
    "entropy_of_softmax": lambda x, p: {"H": entropy(softmax(x["logits"]), base=base_of(p))},
    "attention": attention,
    "attention_4d": attention_4d,
    "additive_attention": additive_attention,
    "multi_head_attention": multi_head,
    "scores": projected_scores,
    "causal_mask": lambda _, p: {"keep": causal(p["n_q"], p["n_k"], align=align_of(p))},
    "window_mask": lambda _, p: {"keep": window(p["n_q"], p["n_k"], left=p["left"], right=p["right"])},
    "mask_compose": composed_mask,
    "gqa_head_map": shared_heads,
    "merge_heads": lambda x, _: {"y": merge_heads(x["x_heads(h,token,dim)"])},
    "split_heads": lambda x, p: {"head0": split_heads(x["x(token,d)"], p["heads"])[0]},
    "scale_divisor": scale_divisor,
    "layer_norm": lambda x, p: {
        "y": layer_norm(x["x"], gain=x.get("gamma"), bias=x.get("beta"), eps=p["eps"]),
    },
    "keras_rms_scaling": keras_rms,
    "encoder_layer": encoder,
    "variance": variance,
    "qk_moments": moments,
    "qq_moments": self_moments,
}


def test_there_are_seventy_cases():
    assert len({case["id"] for case in cases}) == len(cases) == 70


@pytest.mark.parametrize("case", cases, ids=[case["id"] for case in cases])
def test_golden_case(case):
    results = operations[case["op"]](numbers(case["inputs"]), case["params"])
    for name, right in case["expected_f64"].items():
        np.testing.assert_allclose(np.asarray(results[name], float), right, rtol=1e-9, atol=1e-9, err_msg=name)
    for name, printed in case["expected"].items():
        np.testing.assert_allclose(np.asarray(results[name], float), printed, rtol=0, atol=case["tol"], err_msg=name)
