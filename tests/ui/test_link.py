"""The address and the controls: who has the last word."""

from urllib.parse import parse_qsl

from streamlit.testing.v1 import AppTest

from tests.pages.app import open_screen


def address(app: AppTest) -> str:
    """What the session has last written into the browser's address."""
    return app.session_state["addresses_written"][-1]


def browser_shows(app: AppTest, address: str) -> None:
    """From now on every run carries this address, as it does once the browser has replaced its own."""
    app.query_params.clear()
    app.query_params.update(dict(parse_qsl(address)))


def test_a_change_is_not_undone_by_the_address_of_the_change_before():
    app = open_screen("temperature")
    for value in (2.0, 5.0, 10.0):
        app.select_slider(key="T").set_value(value).run()
        browser_shows(app, address(app))
        assert app.select_slider(key="T").value == value
    assert address(app) == "lang=en&T=10"


def test_a_change_is_not_undone_by_an_address_that_lags_behind():
    app = open_screen("temperature")
    app.select_slider(key="T").set_value(2.0).run()
    lagging = address(app)
    app.select_slider(key="T").set_value(5.0).run()
    browser_shows(app, lagging)
    app.select_slider(key="T").set_value(10.0).run()
    assert app.select_slider(key="T").value == 10


def test_a_new_address_has_the_last_word():
    app = open_screen("temperature")
    app.select_slider(key="T").set_value(2.0).run()
    browser_shows(app, "lang=ko&T=0.5&z=3,2,1")
    app.run()
    assert (app.select_slider(key="T").value, app.text_input(key="z").value) == (0.5, "3, 2, 1")
    assert app.title[0].value == "T는 무엇을 바꿀까요?"
