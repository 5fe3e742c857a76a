"""Hostile services for tests that drive a terminal, and a check of what must never reach it."""

from __future__ import annotations

import asyncio
import re
import threading
from typing import TYPE_CHECKING

from pettui.terminal.driver import ENTER_SCREEN
from tests.client.hostile.server import HostileServer
from tests.client.hostile.usual import UsualService

if TYPE_CHECKING:
    from tests.client.hostile.server import Step
    from tests.peers.terminal import Terminal

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Services:
    """Hostile services on an event loop in a thread of their own: tests wait for terminals."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._servers: list[HostileServer] = []

    def open(self, *steps: Step) -> HostileServer:
        """Open a service with these steps; a good one where none is given."""
        server = HostileServer(*steps)
        server.steps = [*steps] or [UsualService(server)]
        asyncio.run_coroutine_threadsafe(server.__aenter__(), self._loop).result()
        self._servers.append(server)
        return server

    def wait_until(self, event: asyncio.Event) -> None:
        """Wait for an event of a service, at most a minute."""
        waiting = asyncio.wait_for(event.wait(), 60)
        asyncio.run_coroutine_threadsafe(waiting, self._loop).result()

    def refuse(self, server: HostileServer) -> None:
        """Close a service: nobody listens on its port."""
        self._servers.remove(server)
        closing = server.__aexit__(None, None, None)
        asyncio.run_coroutine_threadsafe(closing, self._loop).result()

    def close(self) -> None:
        """Close the services, and end the thread."""
        for server in [*self._servers]:
            self.refuse(server)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def own_controls(text: str) -> set[bytes]:
    """Return the pieces of a text that start with a control character and are not common."""
    pieces = (text[found.start() : found.start() + 6] for found in CONTROL.finditer(text))
    return {piece.encode() for piece in pieces if len(piece) > 3}


def assert_no_controls_of(terminal: Terminal, texts: list[str]) -> None:
    """Check that no control sequence of the texts reached the terminal, and no C1 at all."""
    drawn = terminal.written.replace(ENTER_SCREEN.encode(), b"")
    for text in texts:
        for piece in own_controls(text):
            assert piece not in drawn
    assert not re.search("[\x80-\x9f]", terminal.written.decode())
    assert b"\x1b]52" not in terminal.written
    assert b"\x1b]8;" not in terminal.written
