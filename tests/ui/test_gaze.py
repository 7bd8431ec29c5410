import pytest

from ui.charts.gaze import GazeWords, look_back


def layers(spec):
    for layer in spec["layer"]:
        yield from layers(layer) if "layer" in layer else [layer]


def drawn():
    spec = look_back(("a", "b"), ("p", "q", "r"), GazeWords("output", "input", "weight"), 300).to_dict()
    return list(layers(spec))


def calculated(layer):
    return {step["as"]: step["calculate"] for step in layer["transform"] if "calculate" in step}


def links(mark="rule"):
    return [
        layer for layer in drawn() if layer.get("data", {}).get("name") == "links" and layer["mark"]["type"] == mark
    ]


def test_a_line_goes_from_its_output_above_to_its_input_below():
    for line in links():
        assert calculated(line)["start"] == "(datum.query + 0.5) / 2"
        assert calculated(line)["end"] == "(datum.key + 0.5) / 3"
        assert line["encoding"]["y"]["value"] < line["encoding"]["y2"]["value"]
        assert line["encoding"]["size"]["scale"]["domain"] == [0, 1]


def test_the_lines_of_one_output_stand_out_by_more_than_colour():
    others, now = links()
    assert {"filter": "!datum.now"} in others["transform"]
    assert {"filter": "datum.now"} in now["transform"]
    assert others["mark"]["opacity"] < now["mark"]["opacity"]
    (numbers,) = links("text")
    assert {"filter": "datum.now"} in numbers["transform"]
    assert numbers["encoding"]["text"]["format"] == ".2f"


@pytest.mark.parametrize(("role", "tokens"), [("query", '["a", "b"]'), ("key", '["p", "q", "r"]')])
def test_both_sequences_are_chains_of_named_nodes(role, tokens):
    own = [layer for layer in drawn() if layer.get("data", {}).get("sequence", {}).get("as") == role]
    names = [layer for layer in own if layer["mark"]["type"] == "text"]
    assert calculated(names[0])["name"] == f"{tokens}[datum.{role}]"
    (chain,) = (layer for layer in own if layer["mark"]["type"] == "rule")
    n = len(tokens.split(","))
    assert chain["data"]["sequence"] == {"start": 0, "stop": n - 1, "as": role}


def test_what_a_line_says_is_read_aloud():
    _, now = links()
    assert now["encoding"]["description"]["field"] == "said"
    assert "datum.query_token + ' → ' + datum.key_token" in calculated(now)["said"]
