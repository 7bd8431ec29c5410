"""Every control, declared once: its key is its name in the link, its label and help are words of the screen.

A control's value lives in the session under its key and stays there from screen to screen.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import streamlit as st

from ui import browser
from ui.charts.tokens import READ_UP_TO
from ui.text import LANGUAGES, Words, plain

MAX_TOKENS = 256
ON_MAPS_ALONE = ("playground", "masks")
POWERS = tuple(2**i for i in range(11))
SAMPLES = (4, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
# 20 steps a decade, rounded as preferred numbers are (ISO 3), between the two limits of the softmax.
TEMPERATURES = (
    0.0,
    *(round(step * 10.0**decade, 3) for decade in (-2, -1, 0) for step in (1, 1.1, 1.25, 1.4, 1.6, 1.8, 2, 2.2, 2.5,
      2.8, 3.2, 3.6, 4, 4.5, 5, 5.6, 6.3, 7.1, 8, 9) if step * 10.0**decade >= 0.05),
    10.0,
    float("inf"),
)  # fmt: skip


@dataclass(frozen=True)
class Control:
    """One control: `options` for a slide or a choice, `low` to `high` for a number, or for `count` numbers in a row."""

    kind: Literal["text", "token", "slide", "choice", "pills", "radio", "number", "numbers", "switch", "coded"]
    default: Any = None
    options: tuple[Any, ...] = ()
    low: int = 0
    high: int = 0
    # The fewest and the most numbers that a row of them may have.
    count: tuple[int, int] = (1, 1)
    # What a coded value must match as a whole, and what one looks like.
    pattern: str = ""
    sample: str = ""
    # Options that not every screen with this control offers.
    also: tuple[Any, ...] = ()
    # Options shown in the words of `controls.<key>.options`; the link holds the option itself.
    translated: bool = False

    def initial(self) -> Any:
        """The value before anybody touches it; a callable default depends on the visitor."""
        return self.default() if callable(self.default) else self.default

    def written(self, value: Any) -> str:
        """The value as a link holds it."""
        if isinstance(value, bool):
            return str(value).lower()
        if self.kind == "numbers":
            return ",".join(_pieces(value))
        return f"{value:g}" if isinstance(value, float) else str(value)

    def read(self, given: str) -> Any:
        """The value that a link's `given` stands for; ValueError if it stands for none."""
        match self.kind:
            case "text" | "token":
                return given
            case "coded" if re.fullmatch(self.pattern, given):
                return given
            case "switch" if given in ("true", "false"):
                return given == "true"
            case "number" if given.lstrip("-").isdecimal() and self.low <= int(given) <= self.high:
                return int(given)
            case "numbers" if not self.wrong(given):
                return ", ".join(_pieces(given))
        for option in (*self.options, *self.also):
            if given == self.written(option):
                return option
        raise ValueError(f"expected {self.expected()}, got {given!r}")

    def expected(self) -> str:
        """What a link may say here."""
        match self.kind:
            case "switch":
                return "true, false"
            case "coded":
                return self.sample
            case "number":
                return f"{self.low} … {self.high}"
            case "numbers":
                return f"{self.count[0]} … {self.count[1]} × ({self.low} … {self.high})"
        options = [self.written(option) for option in self.options]
        return ", ".join(options) if len(options) <= 6 else f"{options[0]}, {options[1]}, …, {options[-1]}"

    def wrong(self, text: str) -> tuple[str, dict[str, object]] | None:
        """What is wrong with the row of numbers in `text`: the name of a message under `numbers`, and its values."""
        pieces, (fewest, most) = _pieces(text), self.count
        if not fewest <= len(pieces) <= most:
            return "count", {"count": len(pieces), "fewest": fewest, "most": most}
        for position, piece in enumerate(pieces, 1):
            number = _number(piece)
            if math.isnan(number):
                return "text", {"position": position, "given": piece}
            if not self.low <= number <= self.high:
                return "range", {"position": position, "given": piece, "low": self.low, "high": self.high}
        return None


def _pieces(row: str) -> list[str]:
    """The numbers of a row as they were typed, with commas, semicolons or spaces between them."""
    return re.findall(r"[^,;\s]+", row)


def _number(piece: str) -> float:
    try:
        return float(piece)
    except ValueError:
        return math.nan


def _browser_language() -> str:
    spoken = (st.context.locale or "en").split("-")[0].lower()
    return spoken if spoken in LANGUAGES else "en"


CONTROLS: Mapping[str, Control] = {
    "lang": Control("choice", _browser_language, LANGUAGES, translated=True),
    "path": Control("choice", "course", ("course", "lab"), translated=True),
    "term": Control("text", ""),
    "text": Control("text"),
    "query": Control("token"),
    "d_k": Control("slide", 64, POWERS),
    "T": Control("slide", 1.0, TEMPERATURES),
    "scale": Control("choice", "sqrt", ("1", "sqrt", "d_k"), translated=True),
    "heads": Control("choice", 1, (1, 2, 4, 8)),
    "head": Control("choice", 1, tuple(range(1, 9))),
    "mask": Control(
        "pills", "none", ("none", "causal", "padding", "window", "prefix"), also=("painted",), translated=True
    ),
    "keep": Control("number", 4, low=0, high=MAX_TOKENS),
    "left": Control("number", 2, low=0, high=MAX_TOKENS),
    "right": Control("number", 0, low=0, high=MAX_TOKENS),
    "prefix_length": Control("number", 3, low=0, high=MAX_TOKENS),
    "padded": Control("switch", False),
    "cached": Control("switch", False),
    "last": Control("number", 3, low=1, high=MAX_TOKENS),
    "align": Control("choice", "bottom-right", ("bottom-right", "top-left"), translated=True),
    # The words it is for, and its cells as bits; see ui.painting.
    "paint": Control("coded", "", pattern=r"[1-9]\d{0,2}\.[\w-]+", sample="3.m4A"),
    "one_matrix": Control("switch", False),
    "identity_v": Control("switch", False),
    "shuffled": Control("switch", False),
    "positions": Control("switch", False),
    "gaze": Control("choice", "feeling", ("feeling", "everything"), translated=True),
    "seed": Control("number", 1, low=0, high=9999),
    "d_model": Control("slide", 16, (8, 10, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512)),
    "h": Control("pills", 4, (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)),
    "gqa": Control("switch", False),
    "kv": Control("choice", 1, (1, 2, 3, 4, 5, 6, 8)),
    "w_o": Control("switch", True),
    "residual": Control("switch", True),
    "norm": Control("choice", "post", ("post", "pre", "none"), translated=True),
    "norm_kind": Control("choice", "layer", ("layer", "rms"), translated=True),
    "width": Control("choice", 32, (16, 32, 64)),
    "depth": Control("slide", 8, (1, 2, 4, 8, 16, 32, 64)),
    "cost_n": Control("slide", 512, tuple(2**i for i in range(4, 21))),
    "cost_d": Control("slide", 512, (64, 128, 256, 512, 768, 1024, 2048, 4096, 8192, 12288, 16384)),
    "cost_h": Control("slide", 8, (1, 2, 4, 8, 12, 16, 32, 64, 96, 128)),
    "layers": Control("slide", 6, (1, 2, 4, 6, 12, 24, 32, 48, 80, 96, 128)),
    "bytes": Control("choice", 4, (1, 2, 4, 8)),
    "kernel": Control("choice", 3, (3, 5, 7, 9)),
    "samples": Control("slide", 10_000, SAMPLES),
    "law": Control("pills", "normal", ("normal", "uniform", "sign", "laplace", "student"), translated=True),
    "mean": Control("slide", 0.0, (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0)),
    "deviation": Control("slide", 1.0, (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0)),
    "correlation": Control("slide", 0.0, (-1.0, -0.9, -0.7, -0.5, -0.3, -0.1, 0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)),
    "k_is_q": Control("switch", False),
    "draw": Control("choice", "exact", ("exact", "components"), translated=True),
    "step": Control(
        "choice", "vectors", ("vectors", "dot", "divide", "mask", "exp", "weights", "mix", "output"), translated=True
    ),
    "key": Control("token"),
    # A sentence's mark and then its changed numbers; see ui.tables.
    "edit": Control(
        "coded",
        "",
        pattern=r"[0-9a-f]{4}(_[qkv][1-9]\d?\.[1-4]~-?(10|\d(\.\d{1,2})?))+",
        sample="1a2b_q8.1~5_k2.4~-0.5",
    ),
    "turn": Control("slide", 30, tuple(range(0, 360, 15))),
    "z": Control("numbers", "2, 1, 0.1", low=-100, high=100, count=(3, 8)),
    "source": Control("choice", "en", LANGUAGES, translated=True),
    "scorer": Control("choice", "dot", ("dot", "general", "additive")),
    "bottleneck": Control("switch", False),
    "output": Control("choice", 1, (1, 2, 3, 4)),
    "n_keys": Control("slide", 8, (2, 4, 8, 16, 32, 64)),
    "train": Control("switch", False),
    "loss": Control("choice", "value", ("value", "log"), translated=True),
    "rate": Control("choice", 0.5, (0.05, 0.5, 2.0, 8.0)),
    "claim": Control(
        "radio",
        "sharpen",
        ("sharpen", "variance", "divide", "match", "importance", "first", "multiply", "order", "width", "disagree"),
    ),
    "claim_d_k": Control("slide", 64, (4, 16, 64, 256, 1024)),
    "lower": Control("slide", 10, (5, 10, 20, 50, 100)),
    "heaviest": Control("slide", 2.0, (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)),
    "hidden": Control("slide", 4, (2, 3, 4, 5, 6)),
    "shift": Control("slide", 3, (1, 2, 3, 4, 5, 6)),
    "claim_h": Control("slide", 8, (2, 4, 8, 16, 32)),
    "tie": Control("slide", 0.51, (0.51, 0.52, 0.53, 0.54, 0.55)),
}
# Which sizes each mask asks for.
MASK_SIZES = {"padding": ("keep",), "window": ("left", "right"), "prefix": ("prefix_length",)}


def on_screen() -> dict[str, Any]:
    """The controls drawn in this run and the value each would have untouched; `ui.frame.begin` empties it."""
    drawn: dict[str, Any] = st.session_state.setdefault("on_screen", {})
    return drawn


def note(name: str, given: str, expected: str, used: str) -> None:
    """Remember that the link gave `name` a value that cannot be used, and what is used instead."""
    st.session_state.setdefault("link_problems", {})[name] = (given, expected, used)


def control(
    key: str,
    words: Words,
    *,
    options: Sequence[Any] = (),
    shown: Callable[[Any], str] | None = None,
    label_visible: bool = True,
) -> Any:
    """Draw the declared control `key` and return its value; `options` narrows a choice, `shown` names its options."""
    declared = CONTROLS[key]
    offered = tuple(options) or declared.options
    _settle(key, declared.initial(), offered)
    if shown is None:
        shown = declared.written
    if declared.translated:
        shown = lambda option: words(f"controls.{key}.options.{option}")  # noqa: E731
    elif declared.kind == "slide":
        shown = _ticks(key).__getitem__
    label = words(f"controls.{key}.label")
    common: dict[str, Any] = {"key": key, "persist_state": "session"}
    if label_visible:
        common["help"] = words(f"controls.{key}.help")
    else:
        common["label_visibility"] = "collapsed"
    match declared.kind:
        case "slide":
            settled = st.select_slider(label, offered, format_func=shown, **common)
            under_thumb = browser.dragged(key)
            return next((option for option in offered if shown(option) == under_thumb), settled)
        case "choice":
            return st.segmented_control(label, offered, format_func=shown, required=True, **common)
        case "pills":
            return st.pills(label, offered, format_func=shown, required=True, **common)
        case "radio":
            # The browser knows an option by its words: where they change, the choice has to be sent anew.
            worded = tuple(shown(option) for option in offered)
            if worded != st.session_state.get(f"{key}_worded"):
                st.session_state.update({key: st.session_state[key], f"{key}_worded": worded})
            return st.radio(label, offered, format_func=shown, **common)
        case "number":
            return st.number_input(label, declared.low, declared.high, **common)
        case "switch":
            return st.toggle(label, **common)
    raise ValueError(f"control {key!r} of kind {declared.kind!r} has a function of its own")


@cache
def _ticks(key: str) -> Mapping[Any, str]:
    """What a slide shows for each of its options; Streamlit asks for each of them several times a run."""

    def tick(option: Any) -> str:
        if option == float("inf"):
            return "∞"
        return f"{option:,}" if isinstance(option, int) and option >= 10_000 else slide.written(option)

    slide = CONTROLS[key]
    return {option: tick(option) for option in slide.options}


def near(key: str, value: Any, places: int) -> dict[int, Any]:
    """The options of a slide, or of a number, up to so many `places` from `value`, by their positions; without it."""
    declared = CONTROLS[key]
    options = declared.options or range(declared.low, declared.high + 1)
    at = options.index(value)
    return {i: option for i, option in enumerate(options) if 0 < abs(i - at) <= places}


def max_tokens(screen: str) -> int:
    """How many words a screen can show."""
    return MAX_TOKENS if screen in ON_MAPS_ALONE else READ_UP_TO


def sentence(words: Words, examples: Sequence[Mapping[str, str]], *, random: Callable[[int], str] | None = None) -> str:
    """The visitor's sentence; the first of `examples` (language -> sentence) in the current language is the default.

    An example follows a live language switch to its twin; a sentence of the visitor's own stays as it is. `random`
    makes a text of so many words, and is offered beside the examples.
    """
    most = max_tokens(words.screen)
    language = words.language
    for twins in examples:
        if st.session_state.get("text") in twins.values():
            st.session_state["text"] = twins[language]
    _settle("text", examples[0][language])

    def choose(text: str) -> None:
        st.session_state.update(text=text, examples=False)

    text = st.text_area(
        words("controls.text.label"),
        key="text",
        height=68,
        help=words("controls.text.help", limit=most),
        persist_state="session",
    )
    # Filled when it is opened, like a panel of `ui.frame`.
    with st.popover(words("controls.text.examples"), width="stretch", key="examples", on_change="rerun") as offered:
        for i, twins in enumerate(examples if offered.open else ()):
            st.button(twins[language], key=f"example_{i}", on_click=choose, args=(twins[language],), width="stretch")
        if offered.open and random:
            label = words("controls.text.random", count=most)
            st.button(label, key="example_random", on_click=lambda: choose(random(most)), width="stretch")
    return text or ""


def search(key: str, words: Words) -> str:
    """A field to search with, heard at every letter."""
    _settle(key, CONTROLS[key].initial())
    typed = st.text_input(
        words(f"controls.{key}.label"),
        key=key,
        type="search",
        help=words(f"controls.{key}.help"),
        placeholder=words(f"controls.{key}.placeholder"),
        live=True,
        persist_state="session",
    )
    return typed or ""


def numbers(key: str, words: Words) -> tuple[float, ...] | None:
    """A row of numbers to type; what is wrong with it is said right below it, and then there is no value."""
    declared = CONTROLS[key]
    _settle(key, declared.initial())
    text = st.text_input(
        words(f"controls.{key}.label"), key=key, help=words(f"controls.{key}.help"), persist_state="session"
    )
    if problem := declared.wrong(text or ""):
        what, values = problem
        # What no link could give back stays out of the link.
        del on_screen()[key]
        st.error(words(f"numbers.{what}", name=key, **{name: plain(str(value)[:20]) for name, value in values.items()}))
        return None
    return tuple(map(float, _pieces(text)))


def mask_sizes(kind: str, words: Words) -> dict[str, int]:
    """Draw the sizes that a mask of this kind has, side by side."""
    keys = MASK_SIZES.get(kind, ())
    if not keys:
        return {}
    with st.container(horizontal=True):
        return {key: control(key, words) for key in keys}


def token(key: str, words: Words, labels: Sequence[str], default: int) -> int:
    """A picker of one token by its unique label; a label that is gone falls back to the `default` position."""
    _settle(key, labels[min(default, len(labels) - 1)], labels)
    chosen = st.selectbox(
        words(f"controls.{key}.label"),
        labels,
        key=key,
        help=words(f"controls.{key}.help"),
        persist_state="session",
    )
    return labels.index(chosen)


def token_or_none(key: str, words: Words, labels: Sequence[str]) -> int | None:
    """A picker of one token by its unique label, where the first option, `controls.<key>.none`, leaves it open."""
    options = ("", *labels)
    _settle(key, "", options)
    chosen = st.selectbox(
        words(f"controls.{key}.label"),
        options,
        format_func=lambda option: option or words(f"controls.{key}.none"),
        key=key,
        help=words(f"controls.{key}.help"),
        persist_state="session",
    )
    return labels.index(chosen) if chosen else None


def presets(
    words: Words, settings: Mapping[str, Mapping[str, Any]], *, free: Sequence[str] = (), **values: object
) -> None:
    """Buttons that set controls and then say what to see, filled with `values`.

    `settings` maps a preset's name to control values. What it says stays as long as they do, those in `free` excepted.
    """

    def apply(name: str) -> None:
        st.session_state.update(settings[name])
        st.session_state["preset"] = (words.screen, name)

    st.markdown(f"## {words('try_this')}")
    with st.container(horizontal=True):
        for name in settings:
            st.button(words(f"presets.{name}.do"), key=f"preset_{name}", on_click=apply, args=(name,))
    screen, name = st.session_state.get("preset", (None, None))
    if screen == words.screen and all(st.session_state.get(k) == v for k, v in settings[name].items() if k not in free):
        st.info(words(f"presets.{name}.see", **values))


def _settle(key: str, default: Any, options: Sequence[Any] = ()) -> None:
    """Before the widget is made: give it its default, and replace a value that is no longer among its options.

    A value that has just come from the link is not replaced without a word.
    """
    on_screen()[key] = default
    value = st.session_state.get(key)
    given = st.session_state.get("link_given", {}).pop(key, None)
    if value is None:
        st.session_state[key] = default
    elif options and value not in options:
        st.session_state[key] = default
        if given == CONTROLS[key].written(value):
            expected = ", ".join(CONTROLS[key].written(option) for option in options if option != "")
            note(key, CONTROLS[key].written(value), expected, CONTROLS[key].written(default))
            st.rerun()
    elif st.session_state["entered"]:
        # On another screen this is another widget to Streamlit; only a value that is set anew goes over to it.
        st.session_state[key] = value
