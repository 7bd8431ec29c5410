"""The map to paint on: every cell can be clicked, and a second click on the same cell is told as well."""

from ui.charts.maps import MapWords, heatmap, paintable

WORDS = MapWords("query", "key", "score", "blocked")


def test_a_click_tells_the_cell_and_its_turn_where_other_maps_tell_the_row():
    fields = {
        chart: spec["params"][0]["select"]["fields"]
        for chart, spec in (
            ("paintable", paintable(("a",), ("b",), WORDS, 100).to_dict()),
            ("heatmap", heatmap(("a",), ("b",), WORDS, "score", 100).to_dict()),
        )
    }
    assert fields == {"paintable": ["query", "key", "turn"], "heatmap": ["query"]}


def test_a_blocked_cell_can_be_clicked_but_has_no_colour():
    cells = paintable(("a",), ("b",), WORDS, 100).to_dict()["layer"][0]["layer"][0]
    assert cells["mark"]["type"] == "rect"
    assert not any("filter" in step for step in cells["transform"])
    opacity = cells["encoding"]["fillOpacity"]
    assert opacity["condition"] == {"test": "datum.allowed", "value": 1}
    assert opacity["value"] == 0
