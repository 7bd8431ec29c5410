"""Every control, declared once: its key is its name in the link, its label and help are words of the screen.

The link holds what the visitor sees, so an option's label is the same in every language: a number, a symbol or a
field term such as `causal`; the words around it explain it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from ui.text import Words

MAX_TOKENS = 44
POWERS = tuple(2**i for i in range(11))
# 20 steps a decade, rounded as preferred numbers are (ISO 3), between the two limits of the softmax.
TEMPERATURES = (
    0.0,
    *(round(step * 10.0**decade, 3) for decade in (-2, -1, 0) for step in (1, 1.1, 1.25, 1.4, 1.6, 1.8, 2, 2.2, 2.5,
      2.8, 3.2, 3.6, 4, 4.5, 5, 5.6, 6.3, 7.1, 8, 9) if step * 10.0**decade >= 0.05),
    10.0,
    float("inf"),
)  # fmt: skip


def number_label(value: float) -> str:
    return "∞" if value == float("inf") else f"{value:g}"


@dataclass(frozen=True)
class Control:
    """One control: `options` for a slide or a choice, `low`..`high` for a number."""

    kind: Literal["text", "slide", "choice", "pills", "number", "switch"]
    default: Any
    options: tuple[Any, ...] = ()
    low: int = 0
    high: int = 0
    label: Callable[[Any], str] = str

    def read(self, given: str) -> Any:
        """The value that a link's `given` stands for; ValueError if it stands for none."""
        match self.kind:
            case "text":
                return given
            case "switch":
                if given.lower() not in ("true", "false"):
                    raise ValueError(f"expected true or false, got {given!r}")
                return given.lower() == "true"
            case "number":
                if not given.lstrip("-").isdecimal() or not self.low <= int(given) <= self.high:
                    raise ValueError(f"expected a whole number {self.low} to {self.high}, got {given!r}")
                return int(given)
        for option in self.options:
            if given == self.label(option):
                return option
        raise ValueError(f"expected one of {', '.join(map(self.label, self.options))}, got {given!r}")

    def expected(self) -> str:
        """What a link may say here, in symbols that need no translation."""
        match self.kind:
            case "text":
                return "…"
            case "switch":
                return "true, false"
            case "number":
                return f"{self.low} … {self.high}"
        labels = [self.label(option) for option in self.options]
        return ", ".join(labels) if len(labels) <= 6 else f"{labels[0]}, {labels[1]}, … {labels[-1]}"


PROBLEMS = "link_problems"


def note(key: str, given: str, expected: str, used: str) -> None:
    """Remember that the link gave `key` a value that cannot be used, and what is used instead."""
    st.session_state.setdefault(PROBLEMS, {})[key] = (given, expected, used)


CONTROLS: Mapping[str, Control] = {
    "text": Control("text", ""),
    "d_k": Control("slide", 64, POWERS),
    "T": Control("slide", 1.0, TEMPERATURES, label=number_label),
    "scale": Control("choice", "√d_k", ("1", "√d_k", "d_k")),
    "heads": Control("choice", 1, (1, 2, 4, 8)),
    "mask": Control("pills", "none", ("none", "causal", "padding", "window", "prefix")),
    "seed": Control("number", 1, low=0, high=9999),
    "keep": Control("number", 4, low=0, high=MAX_TOKENS),
    "left": Control("number", 2, low=0, high=MAX_TOKENS),
    "right": Control("number", 0, low=0, high=MAX_TOKENS),
    "prefix_length": Control("number", 3, low=0, high=MAX_TOKENS),
    "head": Control("choice", 1, tuple(range(1, 9))),
}
# Which sizes each mask asks for.
MASK_SIZES = {"padding": ("keep",), "window": ("left", "right"), "prefix": ("prefix_length",)}


def control(key: str, words: Words, *, options: Sequence[Any] = ()) -> Any:
    """Draw the declared control `key` and return its value; `options` narrows a choice."""
    declared = CONTROLS[key]
    if options:
        _check_among(key, [declared.label(option) for option in options], declared.label(declared.default))
    label = words(f"controls.{key}.label")
    common: dict[str, Any] = {
        "key": key,
        "help": words(f"controls.{key}.help"),
        "bind": "query-params",
    }
    match declared.kind:
        case "slide":
            return st.select_slider(
                label, declared.options, value=declared.default, format_func=declared.label, **common
            )
        case "choice" | "pills":
            return (st.pills if declared.kind == "pills" else st.segmented_control)(
                label,
                options or declared.options,
                default=declared.default,
                format_func=declared.label,
                required=True,
                **common,
            )
        case "number":
            return st.number_input(label, declared.low, declared.high, declared.default, **common)
        case "switch":
            return st.toggle(label, declared.default, **common)
    raise ValueError(f"control {key!r} of kind {declared.kind!r} has a function of its own")


def sentence(words: Words, examples: Sequence[Mapping[str, str]]) -> str:
    """The visitor's sentence; the first of `examples` (language -> sentence) in the current language is the default.

    An example follows a live language switch to its twin; a sentence of the visitor's own stays as it is.
    """
    language = words.language
    before = st.session_state.get("text_language")
    if before is not None and before != language:
        for twins in examples:
            if st.session_state.get("text") == twins[before]:
                st.session_state["text"] = twins[language]
    st.session_state["text_language"] = language

    def choose(text: str) -> None:
        st.session_state["text"] = text

    text = st.text_area(
        words("controls.text.label"),
        examples[0][language],
        key="text",
        height=68,
        help=words("controls.text.help", limit=MAX_TOKENS),
        bind="query-params",
    )
    with st.popover(words("controls.text.examples"), width="stretch"):
        for i, twins in enumerate(examples):
            st.button(twins[language], key=f"example_{i}", on_click=choose, args=(twins[language],), width="stretch")
    return str(text or "")


def mask_sizes(kind: str, words: Words) -> dict[str, int]:
    """Draw the sizes that a mask of this kind has, side by side."""
    keys = MASK_SIZES.get(kind, ())
    if not keys:
        return {}
    with st.container(horizontal=True):
        return {key: control(key, words) for key in keys}


def token(key: str, words: Words, labels: Sequence[str], default: int) -> int:
    """A picker of one token by its unique label; the first run and a vanished token fall back to `default`."""
    default = min(default, len(labels) - 1)
    _check_among(key, labels, labels[default])
    if st.session_state.get(key) not in (None, *labels):
        del st.session_state[key]
    chosen = st.selectbox(
        words(f"controls.{key}.label"),
        labels,
        index=default,
        key=key,
        help=words(f"controls.{key}.help"),
        bind="query-params",
    )
    return labels.index(chosen)


def _check_among(key: str, labels: Sequence[str], default: str) -> None:
    """Note a link's value that is not among options which depend on other controls."""
    given = st.query_params.get(key)
    if given is not None and given not in labels and key not in st.session_state:
        note(key, given, ", ".join(labels), default)


def presets(words: Words, settings: Mapping[str, Mapping[str, Any]]) -> None:
    """Buttons that set controls and then say what to see; `settings` maps a preset's name to control values."""

    def apply(name: str) -> None:
        st.session_state.update(settings[name])
        st.session_state["preset"] = (words.screen, name)

    st.markdown(f"##### {words('try_this')}")
    for column, name in zip(st.columns(len(settings)), settings, strict=True):
        column.button(
            words(f"presets.{name}.do"), key=f"preset_{name}", on_click=apply, args=(name,), width="stretch"
        )
    screen, name = st.session_state.get("preset", (None, None))
    if screen == words.screen and all(st.session_state.get(k) == v for k, v in settings[name].items()):
        st.info(words(f"presets.{name}.see"))
