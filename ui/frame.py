"""What surrounds every screen: navigation, title row, charts, metrics, code, the way to the next screen."""

from __future__ import annotations

import math
import re
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.dataframe_util import convert_pandas_df_to_arrow_bytes

from ui import browser, glossary, link, tidy
from ui.charts import Chart
from ui.charts.guess import GuessWords, guess_line
from ui.charts.tokens import PICK
from ui.controls import CONTROLS, control, max_tokens, on_screen
from ui.late import pd
from ui.text import Words

ROOT = Path(__file__).parent.parent
SCREENS = {
    "start": ("overview", "playground"),
    "one_query": ("step_by_step", "temperature", "scaling", "saturation"),
    "whole_matrix": ("self_attention", "multi_head", "masks"),
    "in_a_model": ("cross_attention", "encoder_block", "cost", "claims"),
}
FIRST = "overview"
# Where one looks something up: in the menu, on no way.
BESIDE = "glossary"
# So many cells, in all heads together, are sent at a change and still painted at once.
MAX_CELLS = 2**16
# The first course takes every screen in its order. A lab meeting starts with why one looks back at all, and comes back
# to it once everything that a model adds has been seen.
ORDER = tuple(screen for screens in SCREENS.values() for screen in screens)
LAB_MEETING = (
    "overview",
    "cross_attention",
    "step_by_step",
    "scaling",
    "saturation",
    "self_attention",
    "multi_head",
    "masks",
    "cross_attention",
    "cost",
    "claims",
)


def run() -> None:
    """Show the screen that the address names inside the menu."""
    link.read()
    page = _navigation()
    st.session_state["framed"] = True
    page.run()


def begin(screen: str) -> Words:
    """Open a screen: its question as the title, language and link at its right, and what was wrong with the link."""
    if not st.session_state.pop("framed", False):
        # Until some session has called st.navigation, a fresh server finds pages/ by itself and runs the page alone,
        # without the menu; announcing the navigation once turns that off for good.
        _navigation()
        st.rerun()
    words = Words(screen, _language())
    before = st.session_state.get("screen")
    st.session_state["entered"] = before != screen
    if before not in (None, screen):
        st.session_state["came_from"] = before
    st.session_state["screen"] = screen
    st.session_state["descriptions"] = {}
    st.session_state["tables"] = 0
    st.session_state["panels"] = {}
    on_screen().clear()
    st.html(ROOT / "ui" / "style.css")
    browser.begin()
    with st.container(horizontal=True, vertical_alignment="center", key="title_row"):
        st.title(words("question"), anchor=False, width="stretch")
        with st.container(horizontal=True, width="content", key="title_tools"):
            control("lang", words, label_visible=False)
            if screen != BESIDE:
                _terms(words)
            browser.copy_button(words)
    link.tell(words)
    return words


def end(words: Words) -> None:
    """Close a screen: the ways back and on along the visitor's path, and the address of what is shown."""
    if st.session_state["panels"]:
        _shelf(words)
    on_screen()["path"] = CONTROLS["path"].default
    way = _way(words.screen)
    st.divider()
    with st.container(horizontal=True, horizontal_alignment="distribute", key="foot"):
        if words.screen == BESIDE:
            page_link(st.session_state.get("came_from", FIRST), words, "← {}")
        else:
            # A screen that comes twice on a path is the stop nearest to the last one.
            stops = [i for i, screen in enumerate(way) if screen == words.screen]
            at = min(stops, key=lambda stop: abs(stop - st.session_state.get("stop", 0)))
            st.session_state["stop"] = at
            for step, arrow in ((-1, "← {}"), (1, "{} →")):
                if 0 <= at + step < len(way):
                    page_link(way[at + step], words, arrow)
    browser.finish(link.query(), st.session_state["descriptions"])


def path(name: str) -> tuple[str, ...]:
    """The screens of a path, "course" or "lab", in their order, as far as they exist."""
    return tuple(screen for screen in (LAB_MEETING if name == "lab" else ORDER) if screen in ORDER)


def _way(screen: str) -> tuple[str, ...]:
    """The visitor's path if it passes `screen`, otherwise the first course, which passes all."""
    chosen = path(st.session_state.setdefault("path", CONTROLS["path"].default))
    return chosen if screen in chosen else ORDER


def page_link(screen: str, words: Words, form: str = "{}") -> None:
    """A link to another screen: its name in the language of `words`, put into `form`."""
    st.page_link(_path(screen), label=form.format(Words(screen, words.language)("name")))


def refuse(words: Words, message: str) -> None:
    """Say why there is nothing to show, keep the rest of the frame, and stop."""
    st.error(message)
    end(words)
    st.stop()


def check_length(words: Words, count: int, n_heads: int = 1) -> None:
    """Refuse a sentence that has no word, or more than its maps can hold, by saying so."""
    most = max_tokens(words.screen)
    limit = min(most, math.isqrt(MAX_CELLS // n_heads))
    if count == 0:
        refuse(words, words("sentence.empty", limit=limit))
    if count > most:
        refuse(words, words("sentence.too_long", count=count, limit=most))
    if count > limit:
        refuse(words, words("sentence.too_long_heads", count=count, heads=n_heads, limit=limit))


def show(
    chart: Callable[..., Chart],
    *arguments: Any,
    key: str,
    alt_text: str,
    pick: tuple[str, Sequence[str]] | Callable[[dict[str, Any]], None] | None = None,
    along: str | tuple[str, ...] = "",
    **frames: pd.DataFrame,
) -> None:
    """Draw `chart(*arguments)` over the named `frames`.

    Building and converting a chart costs tens of milliseconds, its data one: the converted spec is kept for each
    (chart, arguments), and as long as it stays the same the chart stays in the page and only its data change.
    `alt_text` is what a screen reader says of the chart now; see `ui.browser` for how it gets there.
    `pick` names a control and its labels: a click on the chart sets the control to the label at the clicked position;
    or it is called with what was clicked.
    `along` is the key of a slider, a choice, a number or a switch: frames with the columns of `tidy.along` hold what is
    to be seen at each of its options, and the browser shows one after the other by itself. The run that follows brings
    the same frames, and then nothing is painted. Of several keys it is the first that is on the screen.
    """

    def picked() -> None:
        clicked = st.session_state[key].selection.get(PICK)
        if not clicked or pick is None:
            return
        if callable(pick):
            pick(clicked[0])
        else:
            control, labels = pick
            st.session_state[control] = labels[int(clicked[0][control])]

    choosing: dict[str, Any] = {"on_select": picked, "selection_mode": PICK} if pick else {}
    moving = tuple(name for name, rows in frames.items() if tidy.SINCE in rows) if along else ()
    sent = {name: _as_sent(rows) for name, rows in frames.items()}
    keys = (along,) if isinstance(along, str) and along else tuple(along)
    spec = {**_spec(chart, arguments, keys, moving), "name": key, "datasets": sent}
    st.session_state["descriptions"][key] = alt_text
    # A chart that is not clicked on bears no key in the page, and its container does.
    with st.container(key=f"chart_{key}"):
        st.vega_lite_chart(None, spec, key=key, width="stretch", **choosing)


_sent: dict[int, bytes] = {}


def _as_sent(rows: pd.DataFrame) -> bytes:
    """A frame as Arrow's bytes, which takes longer to write than all else about a chart.

    A frame that a page keeps is written once, and what was written is forgotten with it.
    """
    name = id(rows)
    if name not in _sent:
        _sent[name] = convert_pandas_df_to_arrow_bytes(rows)
        # Two threads may have come here with the same frame.
        weakref.finalize(rows, _sent.pop, name, None)
    return _sent[name]


@lru_cache(maxsize=512)
def _spec(
    chart: Callable[..., Chart], arguments: tuple[Any, ...], along: tuple[str, ...], moving: Sequence[str]
) -> dict[str, Any]:
    spec = chart(*arguments).to_dict()
    if along:
        now = {"filter": f"datum.{tidy.SINCE} <= option && option <= datum.{tidy.UNTIL}"}
        for view in _views(spec):
            if view.get("data", {}).get("name") in moving:
                view["transform"] = [now, *view.get("transform", [])]
        shown = {"name": "shown", "bind": {"element": "body", "event": "shown"}}
        # A chart that is made before its slider is known begins with the first option: of nothing, Vega would take no
        # measure for the labels of the axes.
        known = "".join(f"shown && isValid(shown['{key}']) ? shown['{key}'] : " for key in along)
        option = {"name": "option", "expr": f"{known}0"}
        spec["params"] = [*spec.get("params", []), shown, option]
        # Streamlit counts the rows of all options, and takes more than 2,000 for too many to be elements of the page.
        spec |= {"usermeta": {"embedOptions": {"renderer": "svg"}}, "config": {**spec.get("config", {}), "aria": True}}
    return spec


def _views(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A chart and all charts in it."""
    yield spec
    for part in ("layer", "concat", "hconcat", "vconcat"):
        for inner in spec.get(part, ()):
            yield from _views(inner)
    if "spec" in spec:
        yield from _views(spec["spec"])


def predict(
    words: Words,
    answer: Callable[[], float],
    *,
    low: float,
    high: float,
    step: float,
    digits: int = 2,
    **values: object,
) -> None:
    """One question to answer before looking: the visitor's guess is drawn beside the engine's answer.

    `predict.question`, `predict.quantity` and `predict.because` are words of the screen, filled with `values`. A guess
    counts for the question it was made for: when the state changes the question, the answer is hidden again. It is
    computed when it is asked for.
    """
    question = words("predict.question", **values)

    def reveal(guess: float) -> None:
        st.session_state["predicted"] = (question, guess)

    with panel("predict", words("predict.title")) as is_open:
        if not is_open:
            return
        st.markdown(question)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            guess = st.slider(words("predict.quantity"), low, high, (low + high) / 2, step, key=f"guess_{words.screen}")
            st.button(words("predict.show"), key="predict_show", on_click=reveal, args=(guess,))
        if st.session_state.get("predicted") == (question, guess):
            truth = answer()
            marks = pd.DataFrame({"who": ["answer", "guess"], "value": [min(max(truth, low), high), guess]})
            line = GuessWords(words("predict.quantity"), words("predict.guess"), words("predict.answer"))
            show(
                guess_line,
                line, low, high, f".{digits}f",
                key="guess",
                alt_text=words("predict.alt", guess=f"{guess:.{digits}f}", answer=f"{truth:.{digits}f}"),
                marks=marks,
            )  # fmt: skip
            st.markdown(words("predict.because", answer=f"{truth:.{digits}f}", **values))


def metrics(*figures: tuple[str, str, str]) -> None:
    """A row of figures, each (label, value, bound).

    They are one element, since four metrics of Streamlit's would be twelve texts in Markdown to the browser.
    """
    cards = (
        f"<div><dt>{_html(label)}</dt><dd>{_html(value)}</dd><dd>{_html(bound)}</dd></div>"
        for label, value, bound in figures
    )
    st.html(f'<dl class="figures">{"".join(cards)}</dl>')


def grid(columns: Mapping[str, Sequence[object]], *, label: str, rows: Sequence[str] = (), corner: str = "") -> None:
    """A small table of cells as they are to be read; its `rows` may have names, and `corner` says of what.

    Streamlit's own takes every cell for Markdown and reads it anew at every change, which costs more than a chart. What
    is wider or higher than its place scrolls inside it, by keys as well; `label` is what a screen reader calls it.
    """
    heads = [corner, *columns] if rows else columns
    head = "".join(f'<th scope="col">{_html(name)}</th>' if name else "<td></td>" for name in heads)
    body = ""
    for i, cells in enumerate(zip(*columns.values(), strict=True)):
        name = f'<th scope="row">{escape(rows[i])}</th>' if rows else ""
        body += f"<tr>{name}{''.join(f'<td>{_html(str(cell))}</td>' for cell in cells)}</tr>"
    table = f'<table class="grid"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    st.html(f'<div class="scrolling" role="region" aria-label="{escape(label)}" tabindex="0">{table}</div>')


def _html(text: str) -> str:
    """The text as it stands, where numbers have a minus sign in place of a hyphen."""
    return escape(re.sub(r"-(?=[\d.∞])", "−", text))


def table(words: Words, numbers: Callable[[], pd.DataFrame], *, label: str | None = None) -> None:
    """The numbers of a chart, one click away, and made when they are asked for."""
    number = st.session_state["tables"] = st.session_state["tables"] + 1
    with panel(f"table_{number}", label or words("table")) as is_open:
        if is_open:
            st.dataframe(numbers(), width="stretch")


def code(words: Words, program: Callable[[], str]) -> None:
    """The NumPy program of the current state, one click away, and written when it is asked for."""
    with panel("code", words("code")) as is_open:
        if is_open:
            # What scrolls sideways cannot be reached by keys everywhere.
            st.code(program(), language="python", wrap_lines=True)


@contextmanager
def panel(name: str, label: str) -> Iterator[bool]:
    """A panel on the shelf, to be filled if it is open: sending what nobody sees would slow every change.

    What is open stays open from screen to screen.
    """
    panels = st.session_state["panels"]
    if not panels:
        st.session_state["shelf_place"] = st.container()
    panels[name] = label
    if name in st.session_state.setdefault("open_panels", set()):
        with st.container(border=True, key=f"panel_{name}"):
            st.markdown(f"## {label}")
            yield True
    else:
        yield False


def _shelf(words: Words) -> None:
    """One button a panel, above the first of them; a closed expander would cost the browser more than a button."""
    panels, is_open = st.session_state["panels"], st.session_state["open_panels"]

    def chosen() -> None:
        st.session_state["open_panels"] = is_open - panels.keys() | set(st.session_state["shelf"])

    st.session_state["shelf"] = [name for name in panels if name in is_open]
    with st.session_state["shelf_place"]:
        names = {"options": panels, "format_func": panels.get, "selection_mode": "multi"}
        st.pills(words("shelf"), **names, wrap=True, key="shelf", on_change=chosen)


def _terms(words: Words) -> None:
    """The terms of a screen, those that are new on the visitor's way first; looked for when they are asked for."""
    with st.popover(words("terms.label"), key="terms", on_change="rerun") as offered:
        if offered.open:
            here = words.screen, _way(words.screen), words.language
            with st.container(key="terms_here"):
                for title, listed in (("terms.new", glossary.new(*here)), ("terms.also", glossary.also(*here))):
                    if listed:
                        st.caption(words(title))
                        st.markdown(glossary.written(listed))
                page_link(BESIDE, words, "{} →")


def _language() -> str:
    if st.session_state.get("lang") is None:
        st.session_state["lang"] = CONTROLS["lang"].initial()
    return str(st.session_state["lang"])


def _path(screen: str) -> str:
    return str(ROOT / "pages" / f"{screen}.py")


def _navigation() -> Any:
    language = _language()
    st.logo(ROOT / "ui" / "logo.svg", size="large")
    # Making pages resolves their files, which costs as much as a chart; a session makes them once a language.
    made: dict[str, dict[str, list[Any]]] = st.session_state.setdefault("pages", {})
    if language not in made:
        app = Words("app", language)
        made[language] = {
            app(f"sections.{section}"): [
                st.Page(_path(screen), title=Words(screen, language)("name"), url_path=screen, default=screen == FIRST)
                for screen in (*screens, *([BESIDE] if FIRST in screens else []))
            ]
            for section, screens in SCREENS.items()
        }
    return st.navigation(made[language], position="top")
