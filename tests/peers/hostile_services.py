"""Hostile services for tests that wait for terminals and processes."""

from __future__ import annotations

import asyncio
import threading

from tests.client.hostile.server import PAGE, HostileServer, Step, http


class Services:
    """Services on an event loop in a thread of their own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._servers: list[HostileServer] = []

    def open(self, *steps: Step) -> HostileServer:
        """Open a service with these steps; one with an animal where none is given."""
        server = HostileServer(*(steps or [http(200, PAGE)]))
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
