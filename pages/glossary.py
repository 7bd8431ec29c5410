"""What does this word mean? Every term in both languages, under the screen on which the first course meets it."""

import streamlit as st

from ui import controls, frame, glossary
from ui.text import plain

words = frame.begin("glossary")
every = glossary.terms(words.language)
left, right = st.columns([1, 3.2], gap="medium", vertical_alignment="bottom")
with left:
    given = controls.search("term", words)
found = glossary.matching(given, words.language)
with right:
    st.caption(f"{words('found', count=len(found), total=len(every))} {words('lead')}")
if not found:
    st.info(words("nothing", given=plain(given[:40])))

with st.container(key="found"):
    for section, screens in frame.SCREENS.items():
        met = {screen: glossary.new(screen, frame.ORDER, words.language) for screen in screens}
        listed = {screen: [term for term in new if term.key in found] for screen, new in met.items()}
        if any(listed.values()):
            st.markdown(f"## {words(f'sections.{section}')}")
        for screen, terms in listed.items():
            if terms:
                left, right = st.columns([1, 3.2], gap="medium")
                with left:
                    frame.page_link(screen, words, "{} →")
                with right.container(key=f"terms_{screen}"):
                    st.markdown(glossary.written(terms))
frame.end(words)
