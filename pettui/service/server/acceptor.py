"""Accepting connections: as many as there is room for; then one is closed for the next."""

from __future__ import annotations

import asyncio
import logging
import time
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from pettui.service.server.eviction import Handshake, most_dispensable
from pettui.service.server.watched_socket import WatchedSocket

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Callable, Collection, Iterable

    from pettui.service.server.connection_deadlines import ConnectionLimits
    from pettui.service.server.eviction import Connection

AT_ONCE: Final = 64  # connections, before the event loop does something else
PAUSE: Final = 0.05  # seconds without accepting connections
LOG_EVERY: Final = 60.0  # seconds
SWEEP: Final = 0.5  # seconds between two checks of the deadlines of all connections

logger = logging.getLogger(__name__)


class Acceptor:
    """Accepts connections for a protocol from several listening sockets, until it is closed.

    Without room for another, the connection that has been idle longest is closed: first one without
    a valid key, and of these first one of the address with most connections. asyncio itself would
    go on until there are no descriptors left, and then log that a thousand times a second.
    """

    def __init__(
        self,
        listeners: Iterable[socket.socket],
        protocol: Callable[[WatchedSocket], asyncio.Protocol],
        connections: Collection[Connection],
        context: Callable[[], ssl.SSLContext | None],
        limits: ConnectionLimits,
    ) -> None:
        self._listeners = tuple(listeners)
        self._protocol = protocol
        self._connections = connections
        self._context = context
        self._limits = limits
        self._capacity = min(limits.connections, max(1, _descriptors() // 2))
        self._handshakes: set[Handshake] = set()
        self._logged_at = -LOG_EVERY
        self._is_closed = False
        self._loop = asyncio.get_running_loop()

    def start(self) -> None:
        """Start to accept connections."""
        for listener in self._listeners:
            listener.setblocking(False)
        self._listen()
        self._sweep()

    def close(self) -> None:
        """Accept no more connections; those in a handshake are closed."""
        self._is_closed = True
        self._stop_listening()
        for handshake in tuple(self._handshakes):
            handshake.abort()

    async def wait_closed(self) -> None:
        """Return at once: there is nothing to wait for."""

    async def end(self) -> None:
        """Close every remaining connection, and stop checking deadlines."""
        self._sweeping.cancel()
        for connection in tuple(self._connections):
            connection.abort()
        tasks = [handshake.task for handshake in self._handshakes if handshake.task]
        if tasks:
            await asyncio.wait(tasks, timeout=1.0)
        await asyncio.sleep(0)

    def _listen(self) -> None:
        if not self._is_closed:
            for listener in self._listeners:
                self._loop.add_reader(listener.fileno(), self._accept, listener)

    def _stop_listening(self) -> None:
        for listener in self._listeners:
            self._loop.remove_reader(listener.fileno())

    def _pause(self) -> None:
        self._stop_listening()
        self._loop.call_later(PAUSE, self._listen)

    def _accept(self, listener: socket.socket) -> None:
        for _ in range(AT_ONCE):
            if not self._has_room():
                if not self._make_room():
                    self._pause()
                return
            try:
                accepted, address = listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:  # no descriptors, no memory, no network
                self._log(error)
                self._make_room()
                self._pause()
                return
            self._open_later(accepted, str(address[0]))

    def _open_later(self, accepted: socket.socket, address: str) -> None:
        client, handshake = WatchedSocket(accepted), Handshake(address)
        self._handshakes.add(handshake)
        handshake.task = self._loop.create_task(self._open(client))
        handshake.task.add_done_callback(partial(self._opened, client, handshake))

    async def _open(self, client: WatchedSocket) -> None:
        context, protocol = self._context(), partial(self._protocol, client)
        if context is None:
            await self._loop.connect_accepted_socket(protocol, client)
            return
        await self._loop.connect_accepted_socket(
            protocol,
            client,
            ssl=context,
            ssl_handshake_timeout=self._limits.handshake_seconds,
            ssl_shutdown_timeout=self._limits.response_seconds,  # ``check`` comes first
        )

    def _opened(
        self, client: WatchedSocket, handshake: Handshake, task: asyncio.Task[None]
    ) -> None:
        self._handshakes.discard(handshake)
        error = None if task.cancelled() else task.exception()
        if task.cancelled() or error is not None:
            client.close()
        # Errors of the client's, also in TLS, are not logged.
        if error is not None and not isinstance(error, OSError):
            logger.error("a connection could not be opened", exc_info=error)
        if error is not None:
            # Its frames and asyncio's TLS objects (0.3 MB) refer to each other: a cycle that would
            # be collected only after hundreds of them.
            error.__traceback__ = None

    def _has_room(self) -> bool:
        if self._context() is not None and len(self._handshakes) >= self._limits.handshakes:
            return False
        return len(self._connections) + len(self._handshakes) < self._capacity

    def _make_room(self) -> bool:
        """Close one idle connection; whether there was one."""
        connections = chain(self._connections, self._handshakes)
        connection = most_dispensable(connections, before=time.monotonic() - self._limits.grace)
        if connection is not None:
            connection.abort()
        return connection is not None

    def _log(self, error: OSError) -> None:
        now = time.monotonic()
        if now - self._logged_at >= LOG_EVERY:
            self._logged_at = now
            count = len(self._connections) + len(self._handshakes)
            logger.error("no connection can be accepted: %s; %d are open", error.strerror, count)

    def _sweep(self) -> None:
        # First, so that an error does not end it.
        self._sweeping = self._loop.call_later(SWEEP, self._sweep)
        now = time.monotonic()
        for connection in tuple(self._connections):
            self._loop.call_soon(connection.check, now)  # each on its own, since one may raise


def _descriptors() -> int:
    """Return how many descriptors the process may open; connections get half of them."""
    import resource  # noqa: PLC0415 - not on Windows

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1_000_000 if soft == resource.RLIM_INFINITY else soft
