"""What the property tests of the engine draw from; importing it sets Hypothesis to a short, repeatable run."""

from dataclasses import dataclass

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

settings.register_profile("repeatable", max_examples=60, deadline=None, derandomize=True)
settings.load_profile("repeatable")

sizes = st.integers(0, 9)
temperatures = st.floats(0.05, 20)
seeds = st.integers(0, 2**32 - 1)
shapes = st.tuples(st.sampled_from([1, 2, 5]), st.sampled_from([1, 3, 7]))


def matrices(low, high, shape=shapes):
    return npst.arrays(float, shape, elements=st.floats(low, high))


any_scores = matrices(-1e4, 1e4)
gentle_scores = matrices(-20, 20)


@st.composite
def masked_scores(draw, scores=any_scores):
    x = draw(scores)
    return x, draw(npst.arrays(bool, x.shape))


@dataclass(frozen=True)
class Inputs:
    query: np.ndarray  # (2, 3, d_k): a batch of two, three queries
    key: np.ndarray  # (2, 5, d_k)
    value: np.ndarray  # (2, 5, 7)
    mask: np.ndarray  # (2, 3, 5)

    @property
    def arrays(self):
        return self.query, self.key, self.value


@st.composite
def inputs(draw):
    rng = np.random.default_rng(draw(seeds))
    d_k = draw(st.sampled_from([1, 4, 11]))
    size = draw(st.sampled_from([0.1, 1.0, 30.0]))
    allowed = draw(st.sampled_from([0.0, 0.3, 0.7, 1.0]))
    return Inputs(
        query=size * rng.normal(size=(2, 3, d_k)),
        key=rng.normal(size=(2, 5, d_k)),
        value=rng.normal(size=(2, 5, 7)),
        mask=rng.random((2, 3, 5)) < allowed,
    )
