"""The words of both languages say the same things in the same places."""

import string

import pytest

from ui import frame
from ui.text import LANGUAGES, TEXT, Words, _flat, plain, rounded, scientific, short, uncertain

FILES = sorted(path.stem for path in (TEXT / "en").glob("*.toml"))


@pytest.mark.parametrize("name", FILES)
def test_both_languages_have_the_same_keys_in_the_same_order(name: str):
    english, korean = (list(_flat(language, name)) for language in LANGUAGES)
    assert english == korean


@pytest.mark.parametrize("name", FILES)
def test_both_languages_fill_in_the_same_values(name: str):
    def values(text: str) -> set[str | None]:
        return {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}

    for key, text in _flat("en", name).items():
        assert values(text) == values(_flat("ko", name)[key]), key


@pytest.mark.parametrize("name", FILES)
def test_korean_is_written_in_korean(name: str):
    untranslated = {
        key
        for key, text in _flat("ko", name).items()
        if text == _flat("en", name)[key] and sum(c.isalpha() and c.isascii() for c in text) > 24
    }
    assert not untranslated


def test_there_are_words_for_every_screen_and_no_others():
    assert set(FILES) == {"app", frame.BESIDE, *frame.ORDER}
    assert {path.stem for path in (TEXT / "ko").glob("*.toml")} == set(FILES)


@pytest.mark.parametrize("screen", [frame.BESIDE, *frame.ORDER])
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_template_holds_latex_or_markup(screen: str, language: str):
    for key, text in _flat(language, screen).items():
        assert not any(mark in text for mark in ("\\frac", "$", "<b", "<i", "<s")), key


def test_a_missing_key_is_an_error_and_not_another_language():
    with pytest.raises(KeyError, match=r"figures\.of_speech"):
        Words("playground", "ko")("figures.of_speech")


def test_a_missing_value_is_an_error():
    with pytest.raises(KeyError, match="limit"):
        Words("playground", "en")("sentence.empty", count=3)


def test_plain_keeps_every_character_and_hides_the_markup():
    tricky = '$5 *a* _b_ <script> [x](y) :smile: `c` "q" ~z~ #1 | a&b \\'
    escaped = plain(tricky)
    assert "".join(c for i, c in enumerate(escaped) if not _escapes(escaped, i)) == tricky
    assert "*a*" not in escaped
    assert "<script>" not in escaped
    assert ":smile:" not in escaped


def _escapes(text: str, i: int) -> bool:
    backslashes = len(text[: i + 1]) - len(text[: i + 1].rstrip("\\"))
    return text[i] == "\\" and backslashes % 2 == 1


@pytest.mark.parametrize(
    ("value", "error", "expected"),
    [
        (64.3142, 0.4163, "64.31 ± 0.42"),
        (1013.66, 6.72, "1,013.7 ± 6.7"),
        (79.2, 65.4, "79 ± 65"),
        (-0.00412, 0.00081, "−0.00412 ± 0.00081"),
        (12345.6, 789.0, "12,346 ± 789"),
        (35.5512, float("inf"), "35.55"),
        (64.0, 0.0, "64"),
    ],
)
def test_a_number_is_rounded_to_the_second_digit_of_its_error(value: float, error: float, expected: str):
    assert uncertain(value, error) == expected
    assert rounded(value, error) == expected.split(" ")[0]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(64.0, "64"), (13.8564, "13.86"), (1024.0, "1,024"), (331_776.0, "331,776"), (1 / 1024, "0.0009766"),
     (float("inf"), "∞")],
)  # fmt: skip
def test_a_number_keeps_four_digits_or_all_its_whole_ones(value: float, expected: str):
    assert short(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.456e18, "1.5·10¹⁸"),
        (0.00317, "3.2·10⁻³"),
        (139.666, "139.67"),
        (-0.0, "0.00"),
        (0.01, "0.01"),
        (1000, "1.0·10³"),
    ],
)
def test_a_number_far_from_one_is_written_with_its_power_of_ten(value: float, expected: str):
    assert scientific(value) == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_slider_is_called_holds_no_markup_since_it_is_read_aloud_as_it_stands(language):
    labels = {
        f"{file.stem}.{key}": text
        for file in (TEXT / language).glob("*.toml")
        for key, text in _flat(language, file.stem).items()
        if key.startswith("controls.") and key.endswith(".label")
    }
    assert len(labels) > 30
    assert not [key for key, text in labels.items() if ":" in text and "[" in text]
