import numpy as np

from ui import tidy


def test_columns_are_short_numbers_and_single_values_are_repeated():
    frame = tidy.columns(n=np.arange(3), y=np.array([0.5, 1.5, 2.5]), seen=np.array([True, False, True]), d_k=64)
    assert [str(kind) for kind in frame.dtypes] == ["int32", "float32", "bool", "int32"]
    assert frame["d_k"].tolist() == [64, 64, 64]
