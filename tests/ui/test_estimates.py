from ui.charts.estimates import GrowthWords, SettlingWords, growth, settling

SERIES = ("÷ 1", "÷ √d_k", "÷ d_k", "Var = d_k")


def layers(spec):
    """Every mark with its data, which Altair moves to the layer above when all marks share it."""
    for layer in spec["layer"]:
        layer = {"data": spec.get("data"), **layer}
        yield from layers(layer) if "layer" in layer else [layer]


def drawn(spec, data, mark):
    return [layer for layer in layers(spec) if layer["data"]["name"] == data and layer["mark"]["type"] == mark]


GROWTH = growth(SERIES, GrowthWords("d_k", "variance", "draws"), 200).to_dict()
SETTLING = settling(SettlingWords("draws so far", "variance", "theory", "theory ± 2 standard errors"), 150).to_dict()


def test_variance_against_d_k_has_two_logarithmic_axes():
    (lines,) = drawn(GROWTH, "theory", "line")
    assert lines["encoding"]["x"]["scale"]["type"] == lines["encoding"]["y"]["scale"]["type"] == "log"
    assert lines["encoding"]["x"]["axis"]["values"][-1] == 1024


def test_the_reference_is_dashed_and_the_current_line_stronger():
    (lines,) = drawn(GROWTH, "theory", "line")
    dash, opacity = lines["encoding"]["strokeDash"], lines["encoding"]["opacity"]
    assert (dash["condition"]["test"], dash["condition"]["value"]) == ("datum.series == 3", [2, 3])
    assert (opacity["condition"]["test"], opacity["value"]) == ("datum.current", 0.35)


def test_every_line_carries_its_name():
    names = drawn(GROWTH, "theory", "text")
    assert len(names) == 2
    assert all("Var = d_k" in str(layer["transform"]) for layer in names)


def test_a_measured_point_has_its_interval_and_a_click_picks_its_d_k():
    (errors,) = drawn(GROWTH, "errors", "rule")
    assert (errors["encoding"]["y"]["field"], errors["encoding"]["y2"]["field"]) == ("low", "high")
    assert drawn(GROWTH, "points", "point")
    assert drawn(GROWTH, "now", "point")[0]["mark"]["filled"] is False
    (pick,) = GROWTH["params"]
    assert pick["select"]["fields"] == ["d_k"]


def test_the_estimate_runs_inside_a_named_band_around_a_dashed_theory():
    (area,) = drawn(SETTLING, "band", "area")
    assert (area["encoding"]["y"]["field"], area["encoding"]["y2"]["field"]) == ("low", "high")
    assert area["encoding"]["x"]["scale"]["type"] == "log"
    assert drawn(SETTLING, "theory", "rule")[0]["mark"]["strokeDash"]
    assert drawn(SETTLING, "running", "line")
    assert "theory ± 2 standard errors" in str(drawn(SETTLING, "band", "text"))


def test_specifications_depend_on_words_alone():
    assert growth(SERIES, GrowthWords("d_k", "variance", "draws"), 200).to_dict() == GROWTH
