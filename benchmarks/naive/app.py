"""Every screen as one would write it first, with Streamlit as it comes: `streamlit run benchmarks/naive/app.py`."""

from pathlib import Path

import streamlit as st

st.set_page_config(layout="wide")
screens = [path for path in sorted(Path(__file__).parent.glob("*.py")) if path.stem not in ("app", "pictures")]
pages = [st.Page(path, url_path=path.stem, title=path.stem, default=path.stem == "overview") for path in screens]
st.navigation(pages, position="top").run()
