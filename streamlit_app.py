"""Attention Explorer: `streamlit run streamlit_app.py`."""

import streamlit as st

from ui import frame

st.set_page_config(page_title="Attention Explorer", page_icon="ui/icon.svg", layout="wide")
frame.run()
