"""What the words shared by all screens claim, where no other test asserts it."""

import numpy as np
import pytest

from core.examples import sentence_vectors
from core.pairs import Pair
from tests.pages.app import data, open_screen
from ui.text import LANGUAGES, Words


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_link_remembers_the_language(lang):
    app = open_screen("overview", lang)
    assert f"lang={lang}" in app.session_state["addresses_written"][-1]
    assert Words("overview", lang)("question") in [title.value for title in app.title]


def test_a_seed_draws_the_same_numbers_on_every_machine():
    # Frozen: another machine, or another release of NumPy, has to give these.
    vectors = sentence_vectors(["it"], 1, 2, seed=7)
    projected = [vectors.query[0, 0], vectors.key[0, 0]]
    np.testing.assert_allclose(projected, [[1.57978325, 0.44616360], [-0.55480553, 1.52497519]], atol=1e-8)
    drawn = np.concatenate(list(Pair().chunks(3, 2, method="components", rng=7)))
    np.testing.assert_allclose(drawn, [-2.01214274, -2.72852018], atol=1e-8)


@pytest.mark.parametrize(("scale", "power"), [("1", 0.5), ("sqrt", 0), ("d_k", -0.5)])
def test_of_random_scores_only_the_root_keeps_the_deviation_at_one(scale, power):
    points = data(open_screen("scaling", scale=scale), "grows", "points")
    np.testing.assert_allclose(points["theory"] ** 0.5, points["x"] ** power, rtol=1e-6)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_guess_and_its_answer_are_read_out(lang):
    app = open_screen("temperature", lang)
    app.button(key="predict_show").click().run()
    said = app.session_state["descriptions"]["guess"]
    answer = np.exp([4, 2, 0.2])
    assert said == Words("app", lang)("predict.alt", guess="0.500", answer=f"{answer[0] / answer.sum():.3f}")
