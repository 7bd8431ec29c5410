"""True or false: every verdict holds over the whole range of its experiment, and what is shown is what was computed."""

import re
from functools import cache
from urllib.parse import parse_qsl

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.distance import jensenshannon
from scipy.special import softmax
from scipy.stats import entropy, norm

from core import examples
from tests.pages.app import alt, cards, data, open_screen, run_program, spec
from ui import formula
from ui.controls import CONTROLS
from ui.text import LANGUAGES, Words

# What this file proves of each claim, and the control that its experiment has.
CLAIMS = {
    "sharpen": (False, "T"),
    "variance": (True, "claim_d_k"),
    "divide": (False, "claim_d_k"),
    "match": (False, "lower"),
    "importance": (False, "heaviest"),
    "first": (True, "T"),
    "multiply": (False, "hidden"),
    "order": (True, "shift"),
    "width": (False, "claim_h"),
    "disagree": (False, "tie"),
}
RANGES = [(claim, value) for claim, (_, knob) in CLAIMS.items() for value in CONTROLS[knob].options]
ENDS = [(claim, CONTROLS[knob].options[end]) for claim, (_, knob) in CLAIMS.items() for end in (0, -1)]
TYPICAL = (1.42360, 0.85222, 0.47282, 0.15251, -0.15251, -0.47282, -0.85222, -1.42360)
SURE = (0.95, 0.05)


@cache
def sentence(lang):
    """The worked sentence: its example and its scores, from the hand-set queries and keys of four components."""
    example = next(e for e in examples.EXAMPLES if e.text == examples.TWINS[0][lang])
    look = example.look()
    return example, look.query @ look.key.T / 2


def asked(lang):
    example, scores = sentence(lang)
    return scores[example.focus]


def tempered(z, t):
    """The softmax at a temperature, limits included."""
    z = np.asarray(z)
    if t == 0:
        return (z == z.max()) / (z == z.max()).sum()
    return np.full(len(z), 1 / len(z)) if np.isinf(t) else softmax(z / t)


@cache
def drawn_variance(d_k):
    rng = np.random.Generator(np.random.SFC64(2))
    q, k = np.moveaxis(rng.standard_normal((2000, 2, d_k)), 1, 0)
    return (q * k).sum(axis=1).var(ddof=1)


def left_out(heaviest):
    """Weights of A, B and C, and the output with all of them, without A, without B and without C."""
    scores, values = np.array([heaviest, 0, 0]), np.array([3, 1, 5])
    keep = [np.arange(3) != i for i in range(3)]
    return softmax(scores), softmax(scores) @ values, [softmax(scores[k]) @ values[k] for k in keep]


def causal(lang, t, n=6):
    return np.array([np.pad(tempered(sentence(lang)[1][i, : i + 1], t), (0, n - 1 - i)) for i in range(n)])


def hidden_row(lang, hidden):
    """The row of the animal with its last words hidden: by a product with 0, and by leaving them out."""
    example, scores = sentence(lang)
    row = scores[next(i for i, token in enumerate(example.tokens) if token in ("animal", "동물이"))]
    times_zero = np.concatenate([row[:-hidden], np.zeros(hidden)])
    return softmax(times_zero), np.pad(softmax(row[:-hidden]), (0, hidden))


def changes(n, shift):
    """The largest change of each word's output when n random words move on, without and with positions."""
    x = np.random.default_rng(2).standard_normal((n, 8))
    angle = np.arange(n)[:, None] / 10000 ** (np.arange(4) / 4)
    place = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, 8)
    order = (np.arange(n) - shift) % n
    output = lambda h: softmax(h @ h.T / 8**0.5, axis=1) @ h  # noqa: E731
    return [np.abs(output(x[order] + p) - output(x + p)[order])[np.argsort(order)].max(axis=1) for p in (0, place)]


def multiply_adds(h, width, n=64, d_model=512):
    """Every product of every head, counted one matrix after the other."""
    project, compare, mix, back = 3 * n * d_model * width, n * width * n, n * n * width, n * width * d_model
    return h * (project + compare + mix + back)


def distances(tie):
    """Heads 1 and 2 prefer different words, heads 1 and 3 the same."""
    first = (tie, 1 - tie)
    return jensenshannon(first, first[::-1], base=2), jensenshannon(first, SURE, base=2)


def holds(claim, value):
    """Whether the claim is borne out where the experiment is set to `value`, in both languages."""
    match claim:
        case "sharpen":
            hotter = [t for t in CONTROLS["T"].options if t > value]
            return any(tempered(asked(lang), t).max() > tempered(asked(lang), value).max() + 1e-12
                       for lang in LANGUAGES for t in hotter) or (not hotter and not np.isinf(value))  # fmt: skip
        case "variance":
            error = np.sqrt((2 + 6 / value) / 2000)
            return abs(drawn_variance(value) / value - 1) < 3 * error
        case "divide":
            # The deviation of q·k is √d_k, whatever d_k; the claim wants it to be 1 after the division.
            return np.isclose(value**0.5 / value, 1)
        case "match":
            return any(softmax(asked(lang) - value).max() < 0.5 * softmax(asked(lang)).max() for lang in LANGUAGES)
        case "importance":
            weights, output, without = left_out(value)
            return np.argmax(weights) == np.argmax(np.abs(np.array(without) - output))
        case "first":
            random = np.random.default_rng(5).normal(0, 50, 100)
            return all(causal(lang, value)[0, 0] == 1 for lang in LANGUAGES) and all(
                tempered([score], value) == [1] for score in random
            )
        case "multiply":
            return any(np.allclose(*hidden_row(lang, value)) for lang in LANGUAGES)
        case "order":
            return all(changes(len(asked(lang)), value)[0].max() < 1e-12 for lang in LANGUAGES)
        case "width":
            return multiply_adds(value, 512 // value) == value * multiply_adds(1, 512)
        case "disagree":
            different, same = distances(value)
            return different > same
    raise AssertionError(claim)


@pytest.mark.parametrize(("claim", "value"), RANGES)
def test_the_verdict_is_the_same_over_the_whole_range_of_the_experiment(claim, value):
    assert bool(holds(claim, value)) is CLAIMS[claim][0]


def test_ten_claims_are_listed_and_both_verdicts_occur():
    assert len(CLAIMS) == 10
    assert tuple(CLAIMS) == CONTROLS["claim"].options
    assert tuple(formula.CLAIMS) == CONTROLS["claim"].options
    assert 3 <= sum(verdict for verdict, _ in CLAIMS.values()) <= 7


def expected(claim, value, lang):
    """What the picture holds, and the numbers that verdict, description and program have to say."""
    z = asked(lang)
    match claim:
        case "sharpen":
            weight = tempered(z, value)
            return ("bars", "value", weight), [f"{weight.max():.3f}"]
        case "variance":
            measured = np.array([drawn_variance(d_k) for d_k in (4, 16, 64, 256, 1024)])
            now = drawn_variance(value)
            error = now * np.sqrt(2 / 1999 + 6 / value / 2000)
            digits = max(0, 1 - int(np.floor(np.log10(error))))
            points = np.concatenate([measured, measured / [4, 16, 64, 256, 1024]])
            return ("points", "y", points), [f"{now:,.{digits}f} ± {error:.{digits}f}"]
        case "divide":
            rows = softmax(np.outer([value**0.5, 1, value**-0.5], TYPICAL), axis=1)
            return ("bars", "value", rows.ravel()), [f"{row.max():.2f}" for row in rows]
        case "match":
            weight = softmax(z - value)
            return ("bars", "value", weight), [f"{weight.max():.3f}"]
        case "importance":
            weights, output, without = left_out(value)
            moved = np.abs(np.array(without) - output)
            return ("bars", "value", np.column_stack([weights, moved]).ravel()), [
                f"{number:.2f}" for number in (weights[0], moved[0], weights[1], moved[1])]  # fmt: skip
        case "first":
            return ("cells", "value", causal(lang, value).ravel()), ["1.000"]
        case "multiply":
            rows = hidden_row(lang, value)
            return ("cells", "value", np.concatenate(rows)), [f"{rows[0][-value:].sum():.3f}", "0.000"]
        case "order":
            without, with_positions = changes(len(z), value)
            return ("cells", "value", np.concatenate([without, with_positions])), [f"{with_positions.max():.2f}"]
        case "width":
            counts = [multiply_adds(1, 512), multiply_adds(value, 512 // value), multiply_adds(value, 512)]
            return ("amounts", "value", counts), [f"{counts[0] / 1e6:.3g} M", str(value)]
        case "disagree":
            rows = [(value, 1 - value), (1 - value, value), SURE]
            return ("bars", "value", np.ravel(rows)), [f"{distance:.3f}" for distance in distances(value)]
    raise AssertionError(claim)


def figures(claim, value, lang):
    """The row of figures, each as (value, what its bound has to say); rounding errors are left open."""
    (_, _, numbers), said = expected(claim, value, lang)
    match claim:
        case "sharpen":
            keys, at_one = np.exp(entropy(numbers)), softmax(asked(lang))
            return [(said[0], f"{at_one.max():.3f}"), (f"{keys:.2f}", f"{np.exp(entropy(at_one)):.2f}")]
        case "variance":
            return [(said[0], str(value)), (f"{drawn_variance(value) / value:.2f}"[:4], "1")]
        case "divide":
            largest = [f"{row.max():.3f}" for row in np.reshape(numbers, (3, 8))]
            return list(zip((f"{value**0.5:g}", "1", f"{value**-0.5:.4g}"), largest, strict=True))
        case "match":
            return [(f"{3 - value}", str(value)), (f"{softmax(asked(lang)).max():.3f}", ""), ("1.000", "1")]
        case "importance":
            weights, output, without = left_out(value)
            a, b = (f"{weight:.3f}" for weight in weights[:2])
            return [(f"{output:.3f}", ""), (f"{without[0]:.3f}", a), (f"{without[1]:.3f}", b)]
        case "first":
            return [("1.000", ""), (f"{np.max(numbers[-6:]):.3f}", "6")]
        case "multiply":
            return [(said[0], ""), ("0.000", "")]
        case "order":
            return [("", ""), (said[0], "")]
        case "width":
            return [
                (f"{512 // value}", f"512 / {value}"),
                (said[0], said[0]),
                (f"{value * 64 * 64:,}", f"{value} · 64²"),
            ]
        case "disagree":
            return [(number, "") for number in said]
    raise AssertionError(claim)


def opened(claim, value, lang="en", **link):
    knob = CLAIMS[claim][1]
    return open_screen("claims", lang, claim=claim, **{knob: CONTROLS[knob].written(value)}, **link)


def verdict(app):
    return next(block.value for block in app.markdown if "✓ " in block.value or "✗ " in block.value)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("claim", "value"), ENDS)
def test_every_experiment_shows_what_its_definition_gives_at_both_ends(claim, value, lang):
    app = opened(claim, value, lang)
    (frame, column, numbers), said = expected(claim, value, lang)
    np.testing.assert_allclose(data(app, claim, frame)[column], numbers, rtol=1e-5, atol=1e-6)
    assert all(number in alt(app, claim) for number in said), (said, alt(app, claim))
    for metric, (number, bound) in zip(cards(app), figures(claim, value, lang), strict=True):
        assert metric.value.startswith(number), (metric.label, metric.value, number)
        assert bound in metric.bound


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("claim", CLAIMS)
def test_a_vote_is_answered_with_the_verdict_and_the_current_numbers(claim, lang):
    words, (is_true, knob) = Words("claims", lang), CLAIMS[claim]
    value = CONTROLS[knob].options[-2]
    app = opened(claim, value, lang)
    assert words("vote.first") in [caption.value for caption in app.caption]
    app.button(key="vote_true").click().run()
    told = verdict(app)
    assert words("verdict.right" if is_true else "verdict.wrong") in told
    assert words("verdict.true" if is_true else "verdict.false") in told
    first_number = expected(claim, value, lang)[1][0]
    if claim not in ("divide", "importance", "first"):
        assert first_number in told
    listed = next(radio for radio in app.radio if radio.key == "claim").options
    assert [option for option in listed if option.endswith("✓]" if is_true else "✗]")] == [
        f"{words(f'{claim}.short')} {':green[✓]' if is_true else ':red[✗]'}"
    ]


def test_the_first_vote_counts_and_the_score_is_kept_from_claim_to_claim():
    words = Words("claims", "en")

    def score(app):
        return [block.value for block in app.markdown if " of " in block.value and "right" in block.value]

    app = open_screen("claims")
    assert words("score.none") in [block.value for block in app.markdown]
    for number, (_, (is_true, _)) in enumerate(CLAIMS.items(), 1):
        vote = is_true if number != 2 else not is_true
        app.button(key="vote_true" if vote else "vote_false").click().run()
        assert app.button(key="vote_false" if vote else "vote_true").disabled
        app.button(key="vote_true" if vote else "vote_false").click().run()
        right = number - (number >= 2)
        form = "score.some" if number < len(CLAIMS) else "score.all"
        assert words(form, right=right, voted=number, count=len(CLAIMS)) in score(app)
        app.button(key="next").click().run()
    # After the last claim comes the first one, with its verdict.
    assert app.session_state["claim"] == "sharpen"
    assert words("verdict.right") in verdict(app)
    app.button(key="again").click().run()
    assert not app.session_state["votes"]
    assert words("vote.first") in [caption.value for caption in app.caption]


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_link_opens_the_same_experiment(claim):
    app = opened(claim, CONTROLS[CLAIMS[claim][1]].options[1], "ko")
    link = dict(parse_qsl(app.session_state["addresses_written"][-1]))
    again = open_screen("claims", **link)
    assert again.session_state["descriptions"] == app.session_state["descriptions"]
    assert again.session_state["addresses_written"][-1] == app.session_state["addresses_written"][-1]


def test_a_claim_that_does_not_exist_is_named():
    app = open_screen("claims", claim="everything")
    assert any("everything" in warning.value for warning in app.warning)
    assert app.session_state["claim"] == "sharpen"


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim not in ("first", "order")])
def test_moving_the_slider_keeps_the_chart_in_the_page(claim):
    knob = CLAIMS[claim][1]
    app = opened(claim, CONTROLS[knob].options[0])
    before = spec(app, claim)
    app.select_slider(key=knob).set_value(CONTROLS[knob].options[-1]).run()
    assert spec(app, claim) == before


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_program_prints_what_is_shown(claim):
    value = CONTROLS[CLAIMS[claim][1]].options[1]
    app = opened(claim, value)
    printed = [float(number) for number in re.findall(r"-?\d+\.?\d*(?:e-\d+)?", run_program(app))]
    for text in expected(claim, value, "en")[1]:
        number = float(re.match(r"[\d.]+", text.replace(",", "")).group()) * (1e6 if text.endswith("M") else 1)
        assert any(found == pytest.approx(number, rel=5e-3, abs=6e-3) for found in printed), (text, printed)


def test_the_limits_of_the_temperature_are_in_the_program():
    for value in (0.0, float("inf")):
        for claim in ("sharpen", "first"):
            assert "nan" not in run_program(opened(claim, value))


def test_eight_typical_scores_are_the_expected_order_statistics_of_normal_numbers():
    page = (examples.__file__.rpartition("core")[0]) + "pages/claims.py"
    with open(page, encoding="utf-8") as file:
        written = re.search(r"TYPICAL = np\.array\(\[(.*)\]\)", file.read()).group(1)
    assert tuple(map(float, written.split(","))) == TYPICAL
    for rank, typical in enumerate(TYPICAL):
        # The density of the (rank + 1)-th highest of eight: 8! / (rank! (7 - rank)!) φ (1 - Φ)^rank Φ^(7 - rank).
        count = 8 * np.prod(np.arange(1, 8)) / np.prod(np.arange(1, rank + 1)) / np.prod(np.arange(1, 8 - rank))
        law = lambda x: x * count * norm.pdf(x) * norm.sf(x) ** rank * norm.cdf(x) ** (7 - rank)  # noqa: B023, E731
        assert quad(law, -9, 9)[0] == pytest.approx(typical, abs=6e-6)


def test_the_verdicts_say_why():
    temperatures = CONTROLS["T"].options
    for lang in LANGUAGES:
        nats = [entropy(tempered(asked(lang), t)) for t in temperatures]
        assert (np.diff(nats) > -1e-12).all()
    # The larger d_k, the flatter; after √d_k nothing changes.
    largest = [softmax(np.array(TYPICAL) / d_k**0.5).max() for d_k in CONTROLS["claim_d_k"].options]
    assert (np.diff(largest) < 0).all()
    assert all(float(np.sqrt(d_k)).is_integer() for d_k in CONTROLS["claim_d_k"].options)
    # A's value is what B and C give together; leaving A out moves nothing, leaving B out does.
    for heaviest in CONTROLS["heaviest"].options:
        weights, output, without = left_out(heaviest)
        assert without[0] == pytest.approx(output)
        assert abs(without[1] - output) > 0.01
        assert weights[0] > weights[1] == weights[2]
    # Rows of heads that prefer different words are nearly the same.
    assert all(distances(tie)[0] < 0.1 < 0.3 < distances(tie)[1] for tie in CONTROLS["tie"].options)
    # With positions the order counts, and hidden words get weight by a product with 0, none by −∞.
    for lang in LANGUAGES:
        n = len(asked(lang))
        assert all(changes(n, shift)[1].max() > 0.1 for shift in CONTROLS["shift"].options)
        assert all(hidden_row(lang, hidden)[0][-hidden:].sum() > 0.1 for hidden in CONTROLS["hidden"].options)
    # Heads share d_model: products stay the same, only the weights grow in number.
    for h in CONTROLS["claim_h"].options:
        assert multiply_adds(h, 512 // h) == multiply_adds(1, 512)
    # Lowered scores: the best is below 0 and keeps its weight.
    for lower in CONTROLS["lower"].options:
        assert (asked("en") - lower).max() < 0
        np.testing.assert_allclose(softmax(asked("en") - lower), softmax(asked("en")), rtol=1e-12)
        assert softmax(asked("en") - lower).sum() == pytest.approx(1)
