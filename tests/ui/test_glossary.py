"""Nobody meets a term before it is explained, on either way through the screens and in either language."""

import re

import pytest

from ui import frame, glossary
from ui.text import LANGUAGES, _flat

WAYS = ("course", "lab")
# Words that a first-time reader cannot know; whatever text holds one of them must name a term there.
FIELD = {
    "en": re.compile(
        r"(?i)\b(?:softmax|entrop(?:y|ies)|nats?|gradients?|jacobian|trace|variances?|kurtosis|correlation|covariance|residuals?"
        r"|logits?|embeddings?|projections?|projected|queries|tokens?|masks?|causal|padding|heads|saturat\w+"
        r"|monte carlo|standard errors?|encoders?|decoders?|recurrent|convolution\w*|dilated|float16|nan|cosine|rms\w*"
        r"|layernorm|sublayers?|feed-forward|multiply-adds?|kv cache|transformers?|sinusoidal|bottleneck|tanh"
        r"|d_k|d_model|w_[qkvo])\b"
    ),
    "ko": re.compile(
        r"소프트맥스|엔트로피|nats|기울기|야코비안|대각합|분산|첨도|상관계수|공분산|잔차|로짓|임베딩|투영|쿼리|토큰|마스크"
        r"|인과|패딩|헤드|포화|몬테카를로|표준오차|인코더|디코더|순환층|합성곱|float16|NaN|코사인|RMS|LayerNorm|하위 층"
        r"|피드포워드|곱셈-덧셈|KV 캐시|트랜스포머|사인파 위치|d_k|d_model|W_[QKVO]|tanh|병목"
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_meaning_uses_only_terms_that_stand_above_it(language: str):
    above: set[str] = set()
    for key, term in glossary.terms(language).items():
        above.add(key)
        assert glossary.named(term.says, language) <= above, key


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("way", WAYS)
def test_what_a_screen_uses_is_explained_there_or_before(way: str, language: str):
    explained: set[str] = set()
    for at, screen in enumerate(frame.path(way)):
        here = (screen, frame.path(way)[: at + 1], language)
        listed = {term.key for term in (*glossary.new(*here), *glossary.also(*here))}
        explained |= listed
        assert glossary.named("\n".join(_flat(language, screen).values()), language) <= listed
        assert all(glossary.named(glossary.terms(language)[key].says, language) <= explained for key in listed)


@pytest.mark.parametrize("way", WAYS)
def test_a_term_is_new_once_and_on_the_same_screen_in_both_languages(way: str):
    stops = dict.fromkeys(frame.path(way))
    news = [{s: [term.key for term in glossary.new(s, frame.path(way), spoken)] for s in stops} for spoken in LANGUAGES]
    assert news[0] == news[1]
    once = [key for keys in news[0].values() for key in keys]
    assert len(once) == len(set(once))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_term_is_met_on_the_course_and_named_and_explained(language: str):
    met = {term.key for screen in frame.ORDER for term in glossary.new(screen, frame.ORDER, language)}
    assert met == set(glossary.terms(language))
    for term in glossary.terms(language).values():
        assert all((term.name, term.other, term.forms))
        assert term.says.endswith("." if language == "en" else "니다.")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("screen", ["app", *frame.ORDER])
def test_every_word_of_the_field_belongs_to_a_term(screen: str, language: str):
    for key, text in _flat(language, screen).items():
        for found in FIELD[language].findall(glossary.bare(text)):
            assert glossary.named(found, language), f"{key}: {found}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_form_stands_for_two_terms(language: str):
    forms = [form for term in glossary.terms(language).values() for form in term.forms]
    assert len(forms) == len(set(forms))
    assert all(glossary.named(form, language) == {t.key} for t in glossary.terms(language).values() for form in t.forms)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Self-attention is one layer.", {"self_attention", "layer"}),
        ("en", ":blue[Queries] meet :orange[**keys**]: {score:.2f} at {weight}", {"query", "key"}),
        ("en", "The keyboard, a subquery, headless; at last to T", {"temperature"}),
        ("en", "1 − Σp² and σ", {"let_through", "deviation"}),
        ("ko", "키를 더 키워도, 시키기, 비키는", {"key"}),
        ("ko", "정규 성분을 정규화하면", {"normal", "component", "layer_norm"}),
        ("ko", "d_k개의 성분, √d_k로", {"d_k", "component"}),
        ("ko", "셀프 어텐션은 층마다", {"self_attention", "layer"}),
    ],
)
def test_the_longest_whole_word_counts(language: str, text: str, expected: set[str]):
    assert glossary.named(text, language) == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_that_screens_share_count_where_a_page_asks_for_them(language: str):
    # The help of the heads speaks of projections, that of the mask of a prefix, and no other words of these screens do.
    assert {"projection", "prefix", "seed"} <= glossary.used("playground", language)
    assert not {"projection", "prefix", "seed"} & glossary.used("temperature", language)


def test_what_the_front_page_announces_is_listed_there_and_new_where_it_is_met():
    assert "residual" in glossary.used("overview", "en")
    assert "residual" in {term.key for term in glossary.new("encoder_block", frame.ORDER, "en")}


def test_a_search_knows_both_languages_and_the_meanings():
    for language in LANGUAGES:
        assert "softmax" in glossary.matching(" SOFTMAX ", language)
        assert "softmax" in glossary.matching("소프트", language)
        assert glossary.matching("", language) == set(glossary.terms(language))
        assert not glossary.matching("zebra", language)
    assert glossary.matching("bell-shaped", "en") == {"normal"}
    assert not glossary.matching(":blue", "en")


def test_no_meaning_holds_what_markdown_would_eat():
    # An underscore between letters, as in d_k, is left alone.
    for language in LANGUAGES:
        for term in glossary.terms(language).values():
            assert not re.search(r"[*$`<>\[\]~]|(?<!\w)_|_(?!\w)", glossary.bare(f"{term.name} {term.says}")), term.key
