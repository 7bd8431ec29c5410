import math

import numpy as np
import pytest
from scipy import stats

from core.cost import (
    attention_cost,
    convolution_cost,
    crossing_length,
    fit_exponent,
    kv_cache_bytes,
    recurrent_cost,
)


def test_attention_counts_what_its_matrix_products_count():
    n, d_model, n_heads, d_ff = 7, 15, 3, 11
    cost = attention_cost(n, d_model, n_heads, d_ff=d_ff)

    def product(left, right):  # (a, b) @ (b, c)
        assert left[1] == right[0]
        return left[0] * left[1] * right[1]

    d_head = d_model // n_heads
    assert cost.multiply_adds == {
        "projections": 4 * product((n, d_model), (d_model, d_model)),
        "scores": n_heads * product((n, d_head), (d_head, n)),
        "mix": n_heads * product((n, n), (n, d_head)),
        "feed_forward": product((n, d_model), (d_model, d_ff)) + product((n, d_ff), (d_ff, d_model)),
    }
    arrays = {
        "parameters": [np.empty((d_model, d_model), np.float32)] * 4 + [np.empty((d_model, d_ff), np.float32)] * 2,
        "query_key_value": [np.empty((n, d_model), np.float32)] * 3,
        "scores": [np.empty((n_heads, n, n), np.float32)],
        "hidden": [np.empty((n, d_ff), np.float32)],
    }
    assert cost.bytes == {part: sum(array.nbytes for array in kept) for part, kept in arrays.items()}


def test_the_base_transformer_encoder_has_its_known_number_of_parameters():
    # Without embeddings, norms and biases: 6 layers of 12 · 512².
    assert attention_cost(1, 512, 8, 6, bytes_per_number=1).bytes["parameters"] == 18_874_368


def test_totals_add_the_parts_and_layers_multiply_them():
    one, five = (attention_cost(7, 15, 3, n_layers) for n_layers in (1, 5))
    assert one.total_multiply_adds == sum(one.multiply_adds.values())
    assert five.total_multiply_adds == 5 * one.total_multiply_adds
    assert five.total_bytes == 5 * one.total_bytes


@pytest.mark.parametrize("d_model", [3, 64, 512])
def test_scores_and_mix_pass_the_four_projections_at_twice_d_model(d_model):
    n = crossing_length(d_model)
    parts = attention_cost(n, d_model, 1).multiply_adds
    assert parts["scores"] + parts["mix"] == parts["projections"]
    longer = attention_cost(n + 1, d_model, 1).multiply_adds
    assert longer["scores"] + longer["mix"] > longer["projections"]


def test_the_table_of_layer_types():
    n, d, k = 1000, 512, 3
    attention, recurrent = attention_cost(n, d, 8, d_ff=0), recurrent_cost(n, d)
    convolution = convolution_cost(n, d, k)
    assert (attention.sequential_steps, recurrent.sequential_steps, convolution.sequential_steps) == (1, n, 1)
    assert (attention.path_length, recurrent.path_length) == (1, n)
    assert convolution.path_length == math.ceil(math.log(n, k)) == 7
    assert recurrent.total_multiply_adds == 2 * n * d**2
    assert convolution.total_multiply_adds == k * n * d**2


@pytest.mark.parametrize(("n", "path"), [(1, 1), (3, 1), (4, 2), (9, 2), (10, 3), (3**9, 9)])
def test_a_power_of_the_kernel_is_reached_without_rounding_up(n, path):
    assert convolution_cost(n, 2, 3).path_length == path


def test_stacked_recurrent_layers_run_like_a_wave():
    assert recurrent_cost(7, 2, n_layers=3).sequential_steps == 9


def test_the_cache_of_a_known_model():
    # 32 layers, 32 heads of 128, 2 bytes: 0.5 MiB a token, 2 GiB for 4096 tokens; 8 key-value heads keep a quarter.
    assert kv_cache_bytes(4096, 4096, 32, 32, 2) == 2 * 2**30
    assert kv_cache_bytes(4096, 4096, 32, 32, 2, n_kv_heads=8) == 2**29


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: attention_cost(0, 4, 2), "n must be at least 1, got 0"),
        (lambda: attention_cost(5, 10, 3), "d_model = 10 must be a multiple of n_heads = 3"),
        (lambda: convolution_cost(5, 10, 1), "kernel must be at least 2, got 1"),
        (lambda: kv_cache_bytes(5, 12, 4, n_kv_heads=3), "n_heads = 4 must be a multiple of n_kv_heads = 3"),
        (lambda: crossing_length(0), "d_model must be at least 1, got 0"),
        (lambda: fit_exponent([1, 2, 2], [1, 2, 3]), "sizes must have at least 3 different values, got 2"),
        (lambda: fit_exponent([1, 2, 3], [1, 2, 0]), "sizes and seconds must be positive"),
        (lambda: fit_exponent([1, 2, 3], [1, 2]), "shapes are .3,. and .2,."),
    ],
)
def test_impossible_sizes_are_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_pure_power_is_found_exactly():
    sizes = np.array([64, 128, 256, 512])
    law = fit_exponent(sizes, 3e-7 * sizes**2.0)
    assert (law.exponent, law.low, law.high) == pytest.approx((2, 2, 2))
    assert law.factor == pytest.approx(3e-7)


def test_the_interval_of_the_exponent_is_the_textbook_one():
    rng = np.random.default_rng(1)
    sizes = np.geomspace(10, 1000, 11)
    seconds = sizes**1.7 * np.exp(0.1 * rng.standard_normal(11))
    law = fit_exponent(sizes, seconds, confidence=0.9)
    expected = stats.linregress(np.log(sizes), np.log(seconds))
    margin = stats.t(9).ppf(0.95) * expected.stderr
    assert law.exponent == pytest.approx(expected.slope)
    assert (law.low, law.high) == pytest.approx((expected.slope - margin, expected.slope + margin))
