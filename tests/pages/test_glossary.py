"""The glossary and the terms beside each title, as a visitor meets them."""

import pytest

from tests.pages.app import assert_no_exception, open_screen
from ui import frame, glossary
from ui.text import LANGUAGES, Words


def said(app):
    """All that is written in Markdown on the screen."""
    return "\n".join(element.value for element in app.markdown)


def links(app):
    return [element.proto.label for element in app.get("page_link")]


def captions(app):
    return [element.value for element in app.caption]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_term_stands_in_both_languages_under_the_screen_that_first_uses_it(lang):
    app = open_screen("glossary", lang)
    terms = glossary.terms(lang)
    for term in terms.values():
        assert f"**{term.name}**" in said(app)
        assert glossary.bare(term.other) in said(app)
        assert term.says in said(app)
    first = [screen for screen in frame.ORDER if glossary.new(screen, frame.ORDER, lang)]
    assert links(app)[:-1] == [f"{Words(screen, lang)('name')} →" for screen in first]
    assert Words("glossary", lang)("found", count=len(terms), total=len(terms)) in captions(app)[0]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("given", ["jacob", "야코비"])
def test_a_search_in_either_language_leaves_what_fits(lang, given):
    app = open_screen("glossary", lang)
    app.text_input(key="term").set_value(given).run()
    assert_no_exception(app)
    named = [line for line in said(app).splitlines() if line.startswith("**")]
    assert any("Jacobian" in line and "야코비안" in line for line in named)
    assert len(named) == len(glossary.matching(given, lang)) < 5
    assert all("→" in label or "←" in label for label in links(app))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_where_nothing_fits_it_is_said_in_words_and_as_typed(lang):
    app = open_screen("glossary", lang, term="*zebra*")
    assert [info.value for info in app.info] == [Words("glossary", lang)("nothing", given=r"\*zebra\*")]
    assert len(links(app)) == 1


def test_what_is_searched_for_is_in_the_link_and_comes_back_with_it():
    app = open_screen("glossary")
    assert "term" not in app.session_state["addresses_written"][-1]
    app.text_input(key="term").set_value("소프트 맥").run()
    address = app.session_state["addresses_written"][-1]
    assert "term=" in address
    app = open_screen("glossary", term="residual")
    assert app.text_input(key="term").value == "residual"
    assert "**residual connection**" in said(app)
    assert "**softmax**" not in said(app)


def test_a_closed_list_of_terms_holds_nothing():
    app = open_screen("playground")
    assert Words("playground", "en")("terms.new") not in captions(app)
    assert Words("glossary", "en")("name") + " →" not in links(app)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("screen", ["overview", "step_by_step", "saturation", "cross_attention"])
def test_the_terms_of_a_screen_are_listed_when_asked_for_the_new_ones_first(screen, lang):
    app = open_screen(screen, lang)
    app.session_state["terms"] = True
    app.run()
    assert_no_exception(app)
    fresh, others = (f(screen, frame.ORDER, lang) for f in (glossary.new, glossary.also))
    titles = [Words("app", lang)(key) for key, listed in (("terms.new", fresh), ("terms.also", others)) if listed]
    assert [title for title in captions(app) if title in titles] == titles
    lists = [glossary.written(listed) for listed in (fresh, others) if listed]
    assert [element.value for element in app.markdown if element.value in lists] == lists
    assert f"{Words('glossary', lang)('name')} →" in links(app)


def test_what_is_new_depends_on_the_way_that_was_taken():
    app = open_screen("cross_attention", path="lab")
    app.session_state["terms"] = True
    app.run()
    assert glossary.written(glossary.new("cross_attention", frame.path("lab"), "en")) in said(app)
    assert len(glossary.new("cross_attention", frame.path("lab"), "en")) > len(
        glossary.new("cross_attention", frame.ORDER, "en")
    )


def test_the_glossary_leads_back_to_where_one_came_from_and_lies_on_no_way():
    assert "glossary" not in (*frame.ORDER, *frame.path("lab"))
    app = open_screen("scaling", path="lab")
    app.switch_page("pages/glossary.py").run()
    assert links(app)[-1] == "← Scaling"
    app.text_input(key="term").set_value("mask").run()
    assert links(app)[-1] == "← Scaling"
    app.switch_page("pages/scaling.py").run()
    assert links(app)[-2:] == [f"← {Words('step_by_step', 'en')('name')}", f"{Words('saturation', 'en')('name')} →"]
