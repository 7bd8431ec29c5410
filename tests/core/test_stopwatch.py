import tracemalloc

import numpy as np
import pytest

from core import stopwatch
from core.stopwatch import attention_seconds, shortest


@pytest.fixture
def clock(monkeypatch):
    """A clock on which attention over n tokens takes n² microseconds, and the first call of all a second more."""
    now = [0.0, 1.0]

    def attend(query, _key, _value):
        now[0] += len(query) ** 2 * 1e-6 + now[1]
        now[1] = 0.0

    monkeypatch.setattr(stopwatch, "attend", attend)
    monkeypatch.setattr(stopwatch, "perf_counter", lambda: now[0])
    return now


@pytest.mark.usefixtures("clock")
def test_every_size_is_timed_once_a_pass_in_growing_order():
    rows = np.concatenate(list(attention_seconds([100, 300], passes=3, rng=0)))
    assert rows[:, 0].tolist() == [100, 300] * 3
    np.testing.assert_allclose(rows[:, 1], [0.01, 0.09] * 3)


@pytest.mark.usefixtures("clock")
def test_no_call_is_begun_beyond_the_budget_and_the_rows_still_add_up():
    *timed, left = attention_seconds([1000], passes=7, budget=2.5, rng=0)
    assert len(timed) == 3  # one second each
    assert left.shape == (4, 2)
    assert np.isnan(left[:, 1]).all()


def test_a_real_time_is_positive_and_needs_two_matrices_of_scores():
    n, rows = 1024, attention_seconds([1024], passes=1, rng=0)
    tracemalloc.start()
    (row,) = rows
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert row.shape == (1, 2)
    assert row[0, 1] > 0
    inputs = 3 * n * 64 * 4
    assert 8 * n**2 <= peak <= 8 * n**2 * 1.1 + 2 * inputs


def test_the_shortest_time_of_each_size_counts():
    timings = np.array([(512, 3.0), (64, 1.0), (512, 2.0), (64, 4.0), (1024, np.nan)])
    assert shortest(timings).tolist() == [[64, 1.0], [512, 2.0]]


def test_nothing_timed_is_an_empty_table():
    assert shortest(np.array([(512, np.nan)])).shape == (0, 2)
