"""A negative number has a minus sign: a hyphen is too short, breaks at the end of a line, and is not read out."""

import re

import pytest

from tests.pages.app import chart_keys, datasets, map_keys, open_screen, shown_map, whole_data
from ui import frame
from ui.text import LANGUAGES, Words

HYPHEN = re.compile(r"(?<![\w)\]^_{(-])-(?=[\d∞.])|[(\[=:,] ?-(?=[\d∞.])")
FORMULA = re.compile(r"\$\$?.*?\$\$?", re.DOTALL)
# States in which numbers that are told are negative.
STATES = [
    *((screen, {}) for screen in (*frame.ORDER, frame.BESIDE)),
    ("overview", {"turn": 180}),
    ("scaling", {"d_k": 1, "samples": 10, "seed": 3, "law": "sign"}),
    ("scaling", {"d_k": 2, "correlation": -0.5}),
    ("cross_attention", {"scorer": "additive"}),
    ("encoder_block", {"norm": "none", "residual": "false"}),
    ("masks", {"mask": "causal"}),
    ("step_by_step", {"step": "output"}),
    ("claims", {"claim": "match", "lower": 100}),
]


def told(app):
    """All that the screen says in words: its prose, what is read out of its pictures, and what stands in charts."""
    for kind in ("markdown", "caption", "info", "success", "warning", "error", "title"):
        yield from (FORMULA.sub("", element.value) for element in app.get(kind))
    yield from app.session_state["descriptions"].values()
    yield from (shown_map(app, key).told["alt"] for key in map_keys(app))
    for key in chart_keys(app):
        for name in datasets(app, key):
            rows = whole_data(app, key, name).select_dtypes(["object", "string"])
            yield from rows.to_numpy().ravel().astype(str)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("screen", "link"), STATES, ids=lambda value: str(value))
def test_no_number_has_a_hyphen_before_it(screen, link, lang):
    said = [*told(open_screen(screen, lang, **link))]
    assert len(said) > 10
    assert not [text for text in said if HYPHEN.search(text)]


def test_a_value_is_given_its_minus_sign_in_whatever_form_it_is_written():
    words = Words("encoder_block", "en")
    assert words("moments", mean=-0.5, deviation=0.25) == words("moments", mean=0.5, deviation=0.25).replace(
        "0.50", "−0.50"
    )
