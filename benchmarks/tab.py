"""A browser tab without the browser: Streamlit's own protocol, spoken as its page speaks it.

A tab sends the values of all its widgets with every change, and names the messages that it keeps, so that the server
may refer to them instead of sending them again.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.Slider_pb2 import Slider
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

TIMEOUT = 30
# Streamlit's global.maxCachedMessageAge, in runs.
KEPT_FOR = 2
# What each kind of widget holds before anybody touches it; a switch or button that is off need not be sent.
FIRST_VALUES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "text_area": lambda box: {"string_value": box.value or box.default},
    "selectbox": lambda box: {"string_value": box.raw_value or box.options[box.default]},
    "number_input": lambda box: {"int_value": int(box.value or box.default)},
    "button_group": lambda group: {
        "string_array_value": {"data": group.raw_values or [group.options[i].content for i in group.default]}
    },
    "slider": lambda slider: (
        {"string_array_value": {"data": slider.raw_value or [slider.options[int(i)] for i in slider.default]}}
        if slider.options
        else {"double_array_value": {"data": slider.value or slider.default}}
    ),
}


@dataclass
class Tab:
    """One tab: its connection, its widgets' values, its sliders, the messages it keeps (hash -> run when last used)."""

    socket: ClientConnection
    page: str
    states: dict[str, WidgetState] = field(default_factory=dict)
    sliders: dict[str, Slider] = field(default_factory=dict)
    kept: dict[str, int] = field(default_factory=dict)
    query: str = ""
    script: str = ""
    runs: int = 0
    messages: int = 0
    bytes: int = 0

    @classmethod
    async def open(cls, host: str, page: str) -> "Tab":
        """Open `page` and wait for its first run."""
        socket = await connect(
            f"ws://{host}/_stcore/stream",
            origin=f"http://{host}",  # type: ignore[arg-type]
            subprotocols=["streamlit", "PLACEHOLDER_AUTH_TOKEN"],  # type: ignore[list-item]
            max_size=None,
            ping_interval=None,
        )
        tab = cls(socket, page)
        await tab.run()
        return tab

    async def change(self, key: str, turn: int) -> None:
        """Move the select slider `key` to its option number `turn`, around its end, and wait for the answer."""
        slider = self.sliders[key]
        self.states[slider.id].string_array_value.data[:] = [slider.options[turn % len(slider.options)]]
        await self.run()

    async def run(self) -> None:
        """Ask for a run of the script and read until it has finished; RuntimeError if it fails."""
        ask = BackMsg()
        rerun = ask.rerun_script
        rerun.page_name, rerun.page_script_hash = ("", self.script) if self.script else (self.page, "")
        rerun.query_string = self.query
        rerun.widget_states.widgets.extend(self.states.values())
        rerun.cached_message_hashes.extend(self.kept)
        rerun.context_info.locale = "en-US"
        await self.socket.send(ask.SerializeToString())
        while True:
            message = await asyncio.wait_for(self.socket.recv(decode=False), TIMEOUT)
            self.messages += 1
            self.bytes += len(message)
            if self._finishes(ForwardMsg.FromString(message)):
                return

    def _finishes(self, said: ForwardMsg) -> bool:
        match said.WhichOneof("type"):
            case "new_session":
                self.script = said.new_session.page_script_hash
                self.sliders.clear()
            case "navigation":
                self.script = said.navigation.page_script_hash
            case "ref_hash":
                self.kept[said.ref_hash] = self.runs
            case "delta" if said.delta.HasField("new_element"):
                if said.metadata.cacheable:
                    self.kept[said.hash] = self.runs
                self._learn(said.delta.new_element)
            case "session_event" | "page_not_found":
                raise RuntimeError(str(said))
            # A run that was cut short for another one is followed by it.
            case "script_finished" if said.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                if said.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY:
                    raise RuntimeError(str(said))
                self.runs += 1
                self.kept = {name: used for name, used in self.kept.items() if self.runs - used <= KEPT_FOR}
                return True
        return False

    def _learn(self, element: Element) -> None:
        """Take a widget's first value, as the browser does, and the address that the page asks for."""
        kind = element.WhichOneof("type")
        if kind == "exception":
            raise RuntimeError(element.exception.message)
        if kind == "bidi_component" and "query" in (data := json.loads(element.bidi_component.json or "{}")):
            self.query = data["query"]
        if kind in FIRST_VALUES:
            widget = getattr(element, kind)
            self.states.setdefault(widget.id, WidgetState(id=widget.id, **FIRST_VALUES[kind](widget)))
            if kind == "slider":
                self.sliders[widget.id.split("-", 2)[2]] = widget
