"""A guess beside the answer on one line."""

from __future__ import annotations

from typing import NamedTuple

from ui.charts import Chart
from ui.charts.tokens import inked
from ui.late import alt


class GuessWords(NamedTuple):
    """The words on the line: what is guessed, and the names of the two marks."""

    quantity: str
    guess: str
    answer: str


def guess_line(words: GuessWords, low: float, high: float, form: str) -> Chart:
    """Two labelled marks over `marks` (value, who: "guess" or "answer"): the guess below the line, the answer above."""
    x = alt.X(
        "value",
        type="quantitative",
        title=words.quantity,
        scale=alt.Scale(domain=[low, high], nice=False),
        axis=alt.Axis(grid=False, tickCount=6),
    )
    base = alt.Chart(alt.NamedData(name="marks")).transform_calculate(
        label=f"(datum.who == 'guess' ? '{words.guess} ' : '{words.answer} ') + format(datum.value, '{form}')"
    )
    layers = []
    for who, shape, y, dy in (("answer", "triangle-down", 26, -13), ("guess", "triangle-up", 46, 15)):
        mark = base.transform_filter(f"datum.who == '{who}'").encode(x=x, y=alt.value(y))
        colour = alt.Color(
            "who", type="nominal", legend=None, scale=alt.Scale(domain=["answer", "guess"], range="category")
        )
        layers.append(mark.mark_point(shape=shape, size=130, filled=True, opacity=1).encode(color=colour))
        layers.append(inked(mark.mark_text(dy=dy, fontSize=13, fontWeight=600).encode(text="label:N")))
    return alt.layer(*layers).resolve_scale(color="independent").properties(height=128)
