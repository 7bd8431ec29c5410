"""Charts as pure functions of labels and sizes over named data: no language, colour, engine or Streamlit.

A label is drawn by position, so that equal tokens keep their own places and a token is never a column name. Colours
are the theme's own ranges, so a chart turns with light and dark: weights take the sequential ramp on the fixed domain
0 to 1, scores the diverging one around 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ui.late import alt

if TYPE_CHECKING:
    Chart = alt.Chart | alt.LayerChart | alt.FacetChart | alt.ConcatChart | alt.HConcatChart | alt.VConcatChart
else:
    Chart = Any
