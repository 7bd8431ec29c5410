"""The worked sentences: hand-set vectors with named axes, the same pattern in English and Korean.

Features stand for vectors as they arrive in the middle of a model, where a word already carries what its sentence says
of it: that is why "it" differs between the tired and the wide sentence although the word is the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.tokens import embed, tokenize

Array = NDArray[np.float64]
Sparse = Mapping[str, int]  # axis -> number, zeros left out

D_MODEL = 64


@dataclass(frozen=True, eq=False)
class Gaze:
    """Three hand-set projections: what a word looks for, what it offers, and what it hands over when it is chosen.

    w_q, w_k: (m, 4), columns named in `compared`; w_v: (m, 4), columns named in `carried`.
    """

    name: str
    compared: tuple[str, ...]
    carried: tuple[str, ...]
    w_q: Array
    w_k: Array
    w_v: Array


@dataclass(frozen=True, eq=False)
class Vectors:
    """What attention works on: query and key (..., n, d_k), value (..., n, d_v)."""

    query: Array
    key: Array
    value: Array


@dataclass(frozen=True, eq=False)
class Example:
    """A sentence with features (n, m), columns named in `axes`, and the gazes that read them (none: seeded vectors)."""

    name: str
    language: str
    tokens: tuple[str, ...]
    axes: tuple[str, ...]
    features: Array
    gazes: tuple[Gaze, ...]

    @property
    def text(self) -> str:
        """The sentence as one would type it."""
        return " ".join(self.tokens)

    @property
    def focus(self) -> int:
        """The word worth asking first: the one that points back ("it"), else the first."""
        wanted = [self.axes.index(axis) for axis in ("pointer", "subject") if axis in self.axes]
        points_back = (self.features[:, wanted] > 0).all(axis=1) if len(wanted) == 2 else np.zeros(1)
        return int(points_back.argmax())

    def look(self, gaze: int = 0) -> Vectors:
        """Project the features by one gaze: query, key and value (n, 4) of small integers, so that √d_k = 2."""
        if not 0 <= gaze < len(self.gazes):
            raise ValueError(f"gaze must be below {len(self.gazes)}, the number of gazes of {self.name!r}, got {gaze}")
        chosen = self.gazes[gaze]
        return Vectors(self.features @ chosen.w_q, self.features @ chosen.w_k, self.features @ chosen.w_v)


def _frozen(array: Array) -> Array:
    array.flags.writeable = False
    return array


def _table(rows: Sequence[Sparse], axes: Sequence[str]) -> Array:
    return np.array([[row.get(axis, 0) for axis in axes] for row in rows], dtype=np.float64).reshape(-1, len(axes))


def _gaze(
    name: str, axes: Sequence[str], query: Mapping[str, Sparse], key: Mapping[str, Sparse], value: Mapping[str, Sparse]
) -> Gaze:
    w_q, w_k, w_v = (_frozen(_table(list(columns.values()), axes).T.copy()) for columns in (query, key, value))
    return Gaze(name, tuple(query), tuple(value), w_q, w_k, w_v)


# What a word is, where it stands, and what it asks for.
_KINDS = ("living", "place", "action", "quality")
_IT_AXES = (*_KINDS, "pointer", "link", "subject", "first", "second", *(f"asks_{kind}" for kind in _KINDS))
_CARRY_KINDS = {kind: {kind: 1} for kind in _KINDS}
_ALIKE: Mapping[str, Sparse] = {
    "thing": {"living": 2, "place": 2},
    "predicate": {"action": 2, "quality": 2},
    "pointer": {"pointer": 2},
    "link": {"link": 2},
}
_IT_GAZES = (
    _gaze(
        "reference",
        _IT_AXES,
        query={kind: {f"asks_{kind}": 1} for kind in _KINDS},
        key={kind: {kind: 3} for kind in _KINDS},
        value=_CARRY_KINDS,
    ),
    _gaze(
        "actor",
        _IT_AXES,
        query={
            "subject": {"action": 2, "quality": 2},
            "living": {"asks_living": 1},
            "first": {"first": 1},
            "second": {"second": 1},
        },
        key={"subject": {"subject": 2}, "living": {"living": 1}, "first": {"first": 2}, "second": {"second": 2}},
        value={axis: {axis: 1} for axis in ("living", "place", "pointer", "subject")},
    ),
    _gaze("kind", _IT_AXES, query=_ALIKE, key=_ALIKE, value=_CARRY_KINDS),
    _gaze(
        "clause",
        _IT_AXES,
        query={
            "first": {"first": 2},
            "second": {"second": 2},
            "subject": {"first": 1, "second": 1},
            "predicate": {"first": 1, "second": 1},
        },
        key={
            "first": {"first": 2},
            "second": {"second": 2},
            "subject": {"subject": 2},
            "predicate": {"action": 2, "quality": 2},
        },
        value={"action": {"action": 1}, "quality": {"quality": 1}, "link": {"link": 1}, "subject": {"subject": 1}},
    ),
)


def _it_words(*, tired: bool) -> dict[str, Sparse]:
    # Either noun could be meant: "it" asks for both, and twice for the one that can be tired, or wide.
    meant, other = ("asks_living", "asks_place") if tired else ("asks_place", "asks_living")
    asks_description = {"asks_action": 1, "asks_quality": 2}
    return {
        "The": {"pointer": 1, "first": 1, "asks_living": 2},
        "animal": {"living": 1, "subject": 1, "first": 1, **(asks_description if tired else {"asks_action": 2})},
        "not": {"link": 1, "first": 1, "asks_action": 2},
        "cross": {"action": 1, "first": 1, "asks_living": 2, "asks_place": 2},
        "the": {"pointer": 1, "first": 1, "asks_place": 2},
        "street": {"place": 1, "first": 1, **({"asks_action": 2} if tired else asks_description)},
        "because": {"link": 1, "first": 1, "second": 1, "asks_action": 2, "asks_quality": 2},
        "it": {"pointer": 1, "subject": 1, "second": 1, meant: 2, other: 1},
        "was": {"link": 1, "second": 1, "asks_quality": 2},
        "too": {"link": 1, "second": 1, "asks_quality": 2},
        "quality": {"quality": 1, "second": 1, meant: 2},
    }


_FEELING_AXES = ("feeling", "tone", "thing", "quality", "time", "link")
_FEELING_COMPARED = ("feeling", "thing", "quality", "time")
_FEELING_CARRIED: Mapping[str, Sparse] = {axis: {axis: 1} for axis in ("feeling", "tone", "thing", "quality")}
_FEELING_GAZES = (
    _gaze(
        "feeling",
        _FEELING_AXES,
        query={axis: {"feeling": 2} if axis == "feeling" else {} for axis in _FEELING_COMPARED},
        key={axis: {"feeling": 1} if axis == "feeling" else {} for axis in _FEELING_COMPARED},
        value=_FEELING_CARRIED,
    ),
    _gaze(
        "everything",
        _FEELING_AXES,
        query={axis: {axis: 2} for axis in _FEELING_COMPARED},
        key={axis: {axis: 1} for axis in _FEELING_COMPARED},
        value=_FEELING_CARRIED,
    ),
)


def _feeling_words(*, tone: int) -> dict[str, Sparse]:
    return {
        "It": {"thing": 1},
        "was": {"time": 1},
        "a": {"link": 1},
        "quality": {"feeling": 2, "tone": tone, "quality": 1},
        "noun": {"feeling": 1, "thing": 1},
        "noun_was": {"feeling": 1, "thing": 1, "time": 1},  # Korean says both in one word
    }


def _hand_set(
    name: str, sentences: Mapping[str, str], axes: tuple[str, ...], words: Mapping[str, Sparse], gazes: tuple[Gaze, ...]
) -> tuple[Example, ...]:
    """Read one sentence a language, written as tokens with the word they stand for: `동물이=animal`."""
    examples = []
    for language, sentence in sentences.items():
        pairs = [token.partition("=") for token in sentence.split()]
        features = _table([words[word or token] for token, _, word in pairs], axes)
        examples.append(Example(name, language, tuple(token for token, _, _ in pairs), axes, _frozen(features), gazes))
    return tuple(examples)


def _seeded(name: str, sentences: Mapping[str, str]) -> tuple[Example, ...]:
    return tuple(
        Example(name, language, tokens, (), _frozen(np.zeros((len(tokens), 0))), ())
        for language, tokens in ((language, tokenize(sentence)) for language, sentence in sentences.items())
    )


EXAMPLES: tuple[Example, ...] = (
    *_hand_set(
        "it_tired",
        {
            "en": "The animal didn't=not cross the street because it was too tired=quality",
            "ko": "동물이=animal 길을=street 건너지=cross 않았다=not 왜냐하면=because"
            " 그것이=it 너무=too 피곤했기=quality 때문이다=was",
        },
        _IT_AXES,
        _it_words(tired=True),
        _IT_GAZES,
    ),
    *_hand_set(
        "it_wide",
        {
            "en": "The animal didn't=not cross the street because it was too wide=quality",
            "ko": "동물이=animal 길을=street 건너지=cross 않았다=not 왜냐하면=because"
            " 그것이=it 너무=too 넓었기=quality 때문이다=was",
        },
        _IT_AXES,
        _it_words(tired=False),
        _IT_GAZES,
    ),
    *_hand_set(
        "film",
        {"en": "It was a sad=quality film=noun", "ko": "슬픈=quality 영화였다=noun_was"},
        _FEELING_AXES,
        _feeling_words(tone=-1),
        _FEELING_GAZES,
    ),
    *_hand_set(
        "scene",
        {"en": "It was a beautiful=quality scene=noun", "ko": "아름다운=quality 장면이었다=noun_was"},
        _FEELING_AXES,
        _feeling_words(tone=1),
        _FEELING_GAZES,
    ),
    *_seeded(
        "cat",
        {"en": "The cat sat on the mat and the cat dozed", "ko": "고양이가 방석 위에 앉았다 고양이가 졸았다"},
    ),
)


def find(text: str) -> Example | None:
    """Return the worked example whose tokens these are, or None for a text of one's own."""
    tokens = tokenize(text)
    return next((example for example in EXAMPLES if example.tokens == tokens), None)


def random_words(count: int, language: str, *, rng: int | np.random.Generator) -> str:
    """Draw a text of so many words, with replacement, from the worked sentences of a language."""
    known = sorted({token for example in EXAMPLES if example.language == language for token in example.tokens})
    if not known:
        raise ValueError(f"no worked sentence is in language {language!r}")
    return " ".join(np.random.default_rng(rng).choice(known, count))


def twin(example: Example, language: str) -> Example:
    """Return the same example in another language; ValueError if there is none."""
    for other in EXAMPLES:
        if (other.name, other.language) == (example.name, language):
            return other
    raise ValueError(f"example {example.name!r} has no twin in language {language!r}")


def _normal(d_k: int, n_rows: int, *key: int) -> Array:
    # Drawn dimension by dimension, so that a larger d_k adds dimensions and keeps the first ones.
    return np.random.Generator(np.random.PCG64(key)).standard_normal((d_k, n_rows)).T


@lru_cache(maxsize=32)
def _projections(d_k: int, seed: int, head: int) -> Array:
    """W_Q, W_K and W_V of one seeded head: (3, D_MODEL, d_k), entries N(0, 1/D_MODEL)."""
    return _frozen(np.stack([_normal(d_k, D_MODEL, seed, head, role) for role in range(3)]) / np.sqrt(D_MODEL))


@lru_cache(maxsize=32)
def _lifts(d_k: int, seed: int, head: int) -> Array:
    """Maps of a gaze's query, key and value to d_k dimensions: (3, 4, d_k); query and key share theirs."""
    compared = _normal(d_k, 4, seed, head, 3) / (4 * d_k) ** 0.25
    carried = _normal(d_k, 4, seed, head, 4) / 2
    return _frozen(np.stack([compared, compared, carried]))


def sentence_vectors(
    tokens: Sequence[str], n_heads: int, d_k: int, *, seed: int, example: Example | None = None
) -> Vectors:
    """Give a sentence query, key and value in any number of dimensions: each (n_heads, n, d_k).

    Own text: X = embed(tokens) is projected by seeded matrices with entries N(0, 1/D_MODEL), so that components of q
    and k have mean 0 and variance 1 and Var(q·k) = d_k. A head does not depend on how many heads there are.

    A worked example: head g is gaze g, lifted by a seeded R (4, d_k) with entries N(0, 1): q' = q R / (4 d_k)^¼ and
    k' = k R / (4 d_k)^¼. As E[R Rᵀ] = d_k I, E[q'·k'] = q·k √(d_k / 4): divided by √d_k, the scores of the hand-set
    vectors divided by 2. They deviate from these by √((|q|²|k|² + (q·k)²) / 4 d_k): few dimensions distort the gaze.
    Heads beyond the gazes are seeded like own text.
    """
    if n_heads < 1 or d_k < 1:
        raise ValueError(f"n_heads and d_k must be at least 1, got {n_heads} and {d_k}")
    if example is not None and example.tokens != tuple(tokens):
        raise ValueError(f"tokens are {' '.join(tokens)!r} but the example is {example.text!r}")
    heads = np.empty((3, n_heads, len(tokens), d_k))
    looks = [example.look(gaze) for gaze in range(min(n_heads, len(example.gazes)))] if example else []
    for head, look in enumerate(looks):
        heads[:, head] = np.stack([look.query, look.key, look.value]) @ _lifts(d_k, seed, head)
    if len(looks) < n_heads:
        x = embed(tokens, D_MODEL, seed=seed)
        for head in range(len(looks), n_heads):
            heads[:, head] = x @ _projections(d_k, seed, head)
    return Vectors(*heads)


TWINS: tuple[dict[str, str], ...] = tuple(
    {example.language: example.text for example in EXAMPLES if example.name == name}
    for name in dict.fromkeys(example.name for example in EXAMPLES)
)
