"""A long run: in slices, in order, each chunk once, whatever clicks come between."""

from threading import Thread

import numpy as np
import pytest

from ui import progress
from ui.progress import Run, go_on
from ui.text import Words

WORDS = Words("scaling", "en")


def chunks(n, size=3):
    return iter([np.arange(start, start + size) for start in range(0, n * size, size)])


class Bar:
    """Stands for Streamlit's bar, which interrupts a script when somebody has clicked."""

    def __init__(self, clicked_at):
        self.moves, self.clicked_at = 0, clicked_at

    def progress(self, share, _said):
        assert 0 < share <= 1
        self.moves += 1
        if self.moves == self.clicked_at:
            raise InterruptedError


def test_a_slice_draws_one_chunk_at_least():
    run = Run("state", 15, chunks(5))
    run.draw(0)
    assert run.done == 3
    assert run.going


def test_a_run_ends_by_itself():
    run = Run("state", 15, chunks(5))
    run.draw(60)
    assert not run.going
    np.testing.assert_array_equal(np.concatenate(run.parts), np.arange(15))


def test_after_stop_not_one_chunk_is_drawn_and_after_go_on_it_resumes():
    run = Run("state", 15, chunks(5))
    run.draw(0)
    run.turn()
    run.draw(60)
    assert run.done == 3
    run.turn()
    run.draw(60)
    np.testing.assert_array_equal(np.concatenate(run.parts), np.arange(15))


def test_a_click_while_drawing_loses_nothing(monkeypatch):
    monkeypatch.setattr(progress, "BAR", 0)
    run = Run("state", 15, chunks(5))
    with pytest.raises(InterruptedError):
        go_on(WORDS, run, Bar(clicked_at=2))
    run.sum_up(np.sum)
    assert run.done == run.summed_up == 6
    assert run.summary == sum(range(6))
    run.draw(60)
    run.sum_up(np.sum)
    assert run.summary == sum(range(15))


def test_a_script_on_its_way_out_and_the_next_one_draw_every_chunk_once_and_in_order():
    run = Run("state", 3000, chunks(1000))
    scripts = [Thread(target=run.draw, args=(60,)) for _ in range(4)]
    for script in scripts:
        script.start()
    for script in scripts:
        script.join()
    np.testing.assert_array_equal(np.concatenate(run.parts), np.arange(3000))


def test_samples_go_once_they_are_all_summed_up():
    run = Run("state", 15, chunks(5))
    run.draw(60)
    run.sum_up(np.mean)
    run.sum_up(lambda _: pytest.fail("summed up twice"))
    assert run.summary == 7
    assert not run.parts


def test_a_finished_or_stopped_run_is_left_alone():
    run = Run("state", 15, chunks(5))
    run.turn()
    go_on(WORDS, run, Bar(clicked_at=1))
    go_on(WORDS, run, None)
    assert run.done == 0
