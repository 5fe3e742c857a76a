"""How far one request has come, as httpcore tells it while it works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_STEPS: Final[Mapping[str, tuple[str, bool]]] = {
    "connect_tcp": ("connect to", False),
    "start_tls": ("agree on TLS with", False),
    "send_request_headers": ("send to", True),
    "receive_response_headers": ("read from", True),
}


class Progress:
    """A ``trace`` extension of httpcore: which step is under way, and whether anything was sent."""

    def __init__(self) -> None:
        self.step = "read from"
        self.sent = True  # for all that is known: a way that tells nothing is an app in the process

    def begin(self) -> None:
        """Note that a request waits for a connection of a way that will tell the rest."""
        self.step, self.sent = "get a free connection to", False

    async def __call__(self, event: str, _: Mapping[str, object]) -> None:
        """Note an event, such as ``connection.connect_tcp.started``."""
        name, stage = event.split(".")[-2:]
        if stage == "started" and name in _STEPS:
            self.step, self.sent = _STEPS[name]
