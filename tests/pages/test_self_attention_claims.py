"""What the words of the self-attention screen claim, where no other test asserts it."""

import numpy as np
import pytest

from core import examples
from tests.pages.app import alt, cards, open_screen
from tests.pages.test_self_attention import OWN, all_seven, choose, rows
from ui.text import LANGUAGES


@pytest.mark.parametrize("text", [OWN, None])
def test_shuffling_moves_rows_everywhere_and_the_columns_of_scores_and_weights(text):
    app = open_screen("self_attention", **({"text": text} if text else {}))
    before, names = all_seven(app), rows(app, "project")
    choose(app, shuffled=True)
    after, order = all_seven(app), [names.index(name) for name in rows(app, "project")]
    for matrix, moved in zip(before, after, strict=True):
        square = matrix.shape == (len(names), len(names))
        np.testing.assert_allclose(moved, matrix[order][:, order] if square else matrix[order], atol=1e-6)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_scores_animal_as_animal_scores_it_under_one_matrix_and_not_before(lang):
    app = open_screen("self_attention", lang)
    example = examples.find(examples.TWINS[0][lang])
    it, animal = example.focus, example.features[:, example.axes.index("living")].argmax()
    *_, s, _, _ = all_seven(app)
    assert s[it, animal] > s[animal, it]
    app.button(key="preset_mirror").click().run()
    *_, s, _, _ = all_seven(app)
    assert s[it, animal] == s[animal, it]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_wider_gaze_reads_four_axes_and_finds_several_reasons_neither_of_them_tone(lang):
    for example in (examples.find(examples.TWINS[i][lang]) for i in (2, 3)):
        feeling, everything = example.gazes
        for gaze, axes in ((feeling, 1), (everything, 4)):
            read = (np.abs(gaze.w_q) + np.abs(gaze.w_k)).any(axis=1)
            assert read.sum() == axes
            assert not read[example.axes.index("tone")]
        look = example.look(1)
        reasons = (look.query[:, None] * look.key != 0).sum(axis=-1)
        assert reasons.max() > 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_projections_carry_four_axes_and_leave_out_what_is_only_asked(lang):
    gaze = examples.find(examples.TWINS[0][lang]).gazes[0]
    only_asked = gaze.w_q.any(axis=1) & ~gaze.w_k.any(axis=1)
    assert only_asked.sum() == 4
    assert not gaze.w_v[only_asked].any()
    assert gaze.w_v.any(axis=1).sum() == 4


def test_the_shuffle_is_described_by_its_two_largest_changes():
    app = open_screen("self_attention", text=OWN)
    told = alt(app, "shuffle")
    choose(app, shuffled=True)
    assert f"at most {cards(app)[3].value} without" in told
    choose(app, positions=True)
    assert f"up to {cards(app)[3].value} with" in told


def test_one_word_has_no_order_to_show():
    app = open_screen("self_attention", text="alone")
    assert "One word has no order." in [info.value for info in app.info]
