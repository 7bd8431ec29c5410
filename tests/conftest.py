"""What every test shares."""

import os

# A screen that fails shows its reason in the test's report.
os.environ["STREAMLIT_CLIENT_SHOW_ERROR_DETAILS"] = "full"
