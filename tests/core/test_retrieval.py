import math

import numpy as np
import pytest
from scipy.optimize import check_grad

from core.retrieval import losses_and_gradient, train


def last(**settings):
    *_, step = train(**settings)
    return step


@pytest.mark.parametrize("loss", ["value", "log"])
def test_the_gradient_is_that_of_finite_differences(loss):
    scores = 2 * np.random.default_rng(0).standard_normal(25)

    def total(flat):
        return losses_and_gradient(flat.reshape(5, 5), loss)[0].sum()

    def gradient(flat):
        return losses_and_gradient(flat.reshape(5, 5), loss)[1].ravel()

    assert check_grad(total, gradient, scores) < 1e-6


@pytest.mark.parametrize("loss", ["value", "log"])
def test_a_small_step_lowers_the_loss_as_the_gradient_by_queries_and_keys_says(loss):
    d_k, divisor, rate = 7, math.sqrt(7), 1e-5
    query, key = np.random.default_rng(3).standard_normal((2, 5, d_k))
    start, after = train(5, d_k, divisor=divisor, learning_rate=rate, n_steps=1, loss=loss, rng=3)

    def total(parameters):
        q, k = parameters.reshape(2, 5, d_k)
        return losses_and_gradient(q @ k.T / divisor, loss)[0].sum()

    parameters = np.stack([query, key]).ravel()
    h = 1e-5 * np.eye(parameters.size)
    gradient = np.array([(total(parameters + e) - total(parameters - e)) / 2e-5 for e in h])
    # Along steepest descent the total falls by rate · |gradient|².
    assert 5 * (start.loss - after.loss) == pytest.approx(rate * gradient @ gradient, rel=1e-3)


def test_the_losses_on_paper():
    value, _ = losses_and_gradient(np.zeros((2, 2)), "value")
    log, _ = losses_and_gradient(np.zeros((2, 2)), "log")
    np.testing.assert_allclose(value, 0.25)
    np.testing.assert_allclose(log, math.log(2))


def test_every_divisor_starts_from_the_same_queries_and_keys():
    one, root = (next(train(5, 11, divisor=divisor, rng=4)) for divisor in (1, math.sqrt(11)))
    scores = [np.log(step.weights) - np.log(step.weights[:, :1]) for step in (one, root)]
    np.testing.assert_allclose(scores[0], math.sqrt(11) * scores[1], atol=1e-9)


def test_a_run_yields_its_start_and_every_update():
    steps = list(train(3, 5, divisor=2, n_steps=7, rng=0))
    assert [step.step for step in steps] == list(range(8))
    assert steps[0].weights.shape == (3, 3)


@pytest.mark.parametrize("d_k", [64, 1024])
def test_in_many_dimensions_only_the_root_learns_in_time_whatever_the_seed(d_k):
    for seed in range(5):
        root, raw = (last(n_keys=8, d_k=d_k, divisor=divisor, rng=seed) for divisor in (math.sqrt(d_k), 1))
        assert root.accuracy > 0.85
        assert root.loss < 0.1 < raw.loss
        assert raw.accuracy < 0.9


def test_dividing_by_d_k_is_too_much_of_a_good_thing():
    root, full = (last(n_keys=8, d_k=256, divisor=divisor, rng=0) for divisor in (16, 256))
    assert full.loss > 100 * root.loss


@pytest.mark.parametrize("learning_rate", [0.01, 0.1, 1, 8])
def test_no_learning_rate_saves_the_saturated_run(learning_rate):
    raw = [last(n_keys=8, d_k=256, divisor=1, learning_rate=learning_rate, rng=seed) for seed in range(3)]
    # The scaled run at its default rate ends below 0.01.
    assert np.mean([step.loss for step in raw]) > 0.3


def test_the_saturated_run_starts_with_little_gradient_and_the_scaled_one_with_more():
    raw, root = (np.mean([next(train(8, 1024, divisor=d, rng=s)).gradient for s in range(20)]) for d in (1, 32))
    assert raw < root / 4


def test_in_few_dimensions_the_divisor_hardly_matters():
    for divisor in (1, 2):
        assert last(n_keys=8, d_k=4, divisor=divisor, rng=1).loss < 0.01


def test_where_the_jacobian_cancels_saturation_does_no_harm():
    raw, root = (last(n_keys=8, d_k=1024, divisor=divisor, loss="log", rng=2) for divisor in (1, 32))
    assert raw.accuracy == root.accuracy == 1
    assert raw.loss <= root.loss


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_keys": 0}, "n_keys must be at least 1, got 0"),
        ({"d_k": 0}, "d_k must be at least 1, got 0"),
        ({"divisor": 0}, "divisor must be positive, got 0"),
        ({"learning_rate": -1}, "learning_rate must be positive, got -1"),
        ({"loss": "hinge"}, "loss must be value or log, got 'hinge'"),
    ],
)
def test_bad_settings_are_refused_before_the_first_step(settings, message):
    with pytest.raises(ValueError, match=message):
        train(**{"n_keys": 2, "d_k": 3, "divisor": 1, "rng": 0} | settings)
