"""stub"""

import streamlit as st
from ui import frame
from ui.controls import control

words = frame.begin("temperature")
st.write(control("T", words), control("seed", words))
frame.end(words)
