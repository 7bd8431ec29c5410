import numpy as np
import pandas as pd

from ui import tidy


def test_columns_are_short_numbers_and_single_values_are_repeated():
    frame = tidy.columns(n=np.arange(3), y=np.array([0.5, 1.5, 2.5]), seen=np.array([True, False, True]), d_k=64)
    assert [str(kind) for kind in frame.dtypes] == ["int32", "float32", "bool", "int32"]
    assert frame["d_k"].tolist() == [64, 64, 64]


def at(frame, option):
    """The rows that a chart shows at an option, without what says so."""
    here = frame[(frame[tidy.SINCE] <= option) & (option <= frame[tidy.UNTIL])]
    return here.drop(columns=[tidy.SINCE, tidy.UNTIL]).reset_index(drop=True)


def test_frames_along_a_slider_are_found_again_at_their_options():
    frames = [tidy.columns(x=np.arange(n), name=np.array(list("abc"))[:n]) for n in (2, 0, 3)]
    joined = tidy.along(frames)
    assert joined.dtypes[["x", "since", "until"]].astype(str).tolist() == ["int32", "int16", "int16"]
    for option, frame in enumerate(frames):
        pd.testing.assert_frame_equal(at(joined, option), frame, check_dtype=len(frame) > 0)
    placed = tidy.along(frames, [1, 4, 7])
    assert at(placed, 0).empty
    pd.testing.assert_frame_equal(at(placed, 7), frames[2])


def test_what_is_always_there_is_there_at_every_option():
    frame = tidy.columns(x=np.arange(3))
    for option in (0, 1, 48):
        pd.testing.assert_frame_equal(at(tidy.always(frame), option), frame)


def test_bars_marks_and_points_along_a_slider_are_those_of_each_option():
    rng = np.random.default_rng(0)
    rows, allowed = rng.random((4, 3)), np.array([True, False, True])
    x, curves = np.arange(4) * 2.0, rng.random((2, 4))
    for option in range(4):
        pd.testing.assert_frame_equal(at(tidy.bars_along(rows, allowed), option), tidy.bars(rows[option], allowed))
        pd.testing.assert_frame_equal(at(tidy.at_each(x=x), option), tidy.columns(x=x[option]))
        expected = tidy.curves(x[option : option + 1], curves[:, option : option + 1])
        pd.testing.assert_frame_equal(at(tidy.curves_along(x, curves), option), expected)
