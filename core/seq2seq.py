"""From a fixed vector to a look back: a decoder's states attend to the states of a recurrent encoder."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from core.arrays import Floats, as_floats
from core.attention import Attention, mix
from core.scores import additive, dot, general
from core.softmax import softmax

Scorer = Literal["dot", "general", "additive"]


@dataclass(frozen=True, eq=False)
class ScorerWeights:
    """What a scorer has learned: general w (d_q, d_k); additive w_query (d_q, d_a), w_key (d_k, d_a) and v (d_a)."""

    w: Floats
    w_query: Floats
    w_key: Floats
    v: Floats


def encode(inputs: npt.ArrayLike, *, memory: float = 0.5) -> Floats:
    """Run the smallest recurrent encoder: h_t = memory · h_(t−1) + x_t, inputs and states (n, d).

    A word that lies j steps back is left in the state with memoryʲ of its strength.
    """
    (states,) = as_floats(inputs)
    states = states.copy()
    for t in range(1, len(states)):
        states[t] += memory * states[t - 1]
    return states


def decode(
    encoder_states: npt.ArrayLike,
    decoder_states: npt.ArrayLike,
    scorer: Scorer,
    *,
    weights: ScorerWeights | None = None,
    bottleneck: bool = False,
) -> Attention:
    """Let every decoder state (one row for each output word) look back at the encoder states.

    encoder_states (n, d_k), decoder_states (m, d_q); scores and weights (m, n), output (m, d_k): the context vectors.
    dot: s · h, which needs d_q = d_k; general: s W h; additive: v · tanh(s W_query + h W_key); the last two need
    weights. With bottleneck only the last encoder state can be seen, as before attention.
    Source: Bahdanau et al. 2015, section 3; Luong et al. 2015, equation 8.
    """
    if scorer not in get_args(Scorer):
        raise ValueError(f"scorer must be dot, general or additive, got {scorer!r}")
    if scorer == "dot":
        scores = dot(decoder_states, encoder_states)
    elif weights is None:
        raise ValueError(f"scorer {scorer!r} needs weights")
    elif scorer == "general":
        scores = general(decoder_states, encoder_states, weights.w)
    else:
        scores = additive(decoder_states, encoder_states, weights.w_query, weights.w_key, weights.v)
    n = scores.shape[-1]
    seen = softmax(scores, mask=np.arange(n) >= (n - 1 if bottleneck else 0))
    return Attention(scores, seen, mix(seen, *as_floats(encoder_states)))


@dataclass(frozen=True, eq=False)
class Translation:
    """A worked translation: words of both sides, and hand-set states of the decoder as it is about to write each word.

    encoder_inputs and encoder_states (n_source, d), decoder_states (n_target, d), their columns named in `axes`.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    axes: tuple[str, ...]
    encoder_inputs: Floats
    encoder_states: Floats
    decoder_states: Floats
    weights: ScorerWeights


# In this small world both languages share one space of meaning. Only the decoder asks: the additive scorer's bias.
_AXES = ("who", "does", "what", "which", "asking")
_WORDS = {
    "en": {"I": (2, 0, 0, 0), "read": (0, 2, 0, 0), "the": (0, 0, 1, 1), "book": (0, 0, 2, 0)},
    "ko": {"나는": (2, 0, 0, 0), "책을": (0, 0, 2, 1), "읽었다": (0, 2, 0, 0)},
}


def worked_translation(source: Literal["en", "ko"]) -> Translation:
    """I read the book = 나는 책을 읽었다, from source into the other language: the words cross, so must the gaze."""
    if source not in _WORDS:
        raise ValueError(f"source must be en or ko, got {source!r}")
    asked, written = _WORDS[source], _WORDS["ko" if source == "en" else "en"]
    inputs = np.array([(*word, 0) for word in asked.values()], dtype=np.float64)
    decoder_states = np.array([(*word, 1) for word in written.values()], dtype=np.float64)
    # Each hidden unit of the additive scorer is an AND: it turns positive when state and key share an axis.
    w_query = np.vstack([np.eye(4), np.full((1, 4), -3.0)])
    w_key = np.eye(5, 4)
    weights = ScorerWeights(np.diag([1.0, 1.0, 1.0, 2.0, 0.0]), w_query, w_key, np.full(4, 3.0))
    return Translation(tuple(asked), tuple(written), _AXES, inputs, encode(inputs), decoder_states, weights)
