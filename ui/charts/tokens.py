"""What charts of tokens share: labels by position, the stroke of a blocked cell, ink that can be read."""

from __future__ import annotations

import json

from ui.late import alt

STROKE = "M-1,1L1,-1"
# The selection by which a click on a chart tells what was clicked.
PICK = "pick"
# A number is printed in a cell where there are few enough to be read.
PRINTED_UP_TO = 12
# So many words each have a row, bar or line of their own to read.
READ_UP_TO = 44


def inked(text: alt.Chart, ink: str = "1") -> alt.Chart:
    """Colour a text mark from the ramp: the Vega expression `ink` is 1 for the end that stands out from the page, 0 for
    the end that stands out from a full cell. A text mark's own colour stays black in the dark theme."""
    colour = alt.Color("ink", type="quantitative", scale=alt.Scale(domain=[0, 1], range="ramp"), legend=None)
    return text.transform_calculate(ink=ink).encode(color=colour)


def lookup(labels: tuple[str, ...], position: str) -> str:
    """A Vega expression for the label at `position`; JSON escapes whatever the label holds."""
    return f"{json.dumps(labels)}[{position}]"
