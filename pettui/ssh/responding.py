"""Short requests to the parent, each with one answer, and nobody is waited for.

An answer that is not known yet is asked for again, at each tick and by ``retry``.
"""

from __future__ import annotations

import selectors
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

CLIENTS: Final = 16  # at once; a further one takes the place of the oldest
SECONDS: Final = 5.0  # for a client to ask and to read
REQUEST_MAXIMUM: Final = 16_384  # bytes


@dataclass(slots=True, eq=False)
class _Client:
    connection: socket.socket
    until: float
    received: bytes = b""
    unsent: memoryview = field(default_factory=lambda: memoryview(b""))


class Responder:
    """Answers on one listening socket; it is driven by the selector of its owner."""

    def __init__(
        self,
        listening: socket.socket,
        selector: selectors.BaseSelector,
        end: bytes,
        answer: Callable[[bytes], bytes | None],
    ) -> None:
        """Answer nobody until the first ``tick``.

        Args:
            listening: does not block.
            selector: whose keys have the function to be called as their data.
            end: of a request.
            answer: to a whole request; None for not yet.
        """
        self._listening = listening
        self._selector = selector
        self._end = end
        self._answer = answer
        self._clients: list[_Client] = []  # the oldest first
        self._has_left = False

    def tick(self, now: float) -> None:
        """Close what is overdue, and listen again where there was no descriptor."""
        for client in tuple(self._clients):
            if now >= client.until:
                self._close(client)
        self.retry()
        if not self._has_left and self._listening not in self._selector.get_map():
            self._selector.register(self._listening, selectors.EVENT_READ, self._accept)

    def retry(self) -> None:
        """Ask for the answers that were not known yet."""
        for client in tuple(self._clients):
            if self._end in client.received and not client.unsent:
                self._answer_to(client)

    def leave(self) -> None:
        """Answer those who have come, and leave others to whoever has the port, too."""
        while self._accept():
            pass
        self._pause()
        self._listening.close()
        self._has_left = True

    def _pause(self) -> None:
        if self._listening in self._selector.get_map():
            self._selector.unregister(self._listening)

    def close(self) -> None:
        """Close the socket and all connections, without a word to the selector."""
        for one in (self._listening, *(client.connection for client in self._clients)):
            one.close()

    def _accept(self) -> bool:
        """Accept a connection; return whether there was one."""
        try:
            connection, _ = self._listening.accept()
        except (BlockingIOError, ConnectionError):
            return False
        except OSError:  # no descriptor: at the next tick
            self._pause()
            return False
        connection.setblocking(False)
        if len(self._clients) >= CLIENTS:
            self._close(self._clients[0])
        client = _Client(connection, time.monotonic() + SECONDS)
        self._clients.append(client)
        self._selector.register(connection, selectors.EVENT_READ, partial(self._read, client))
        return True

    def _read(self, client: _Client) -> None:
        if client not in self._clients:  # closed for a newer one since the selector looked
            return
        try:
            more = client.connection.recv(REQUEST_MAXIMUM)
        except BlockingIOError:
            return
        except OSError:
            more = b""
        client.received += more
        if not more or len(client.received) > 2 * REQUEST_MAXIMUM:
            self._close(client)
        elif self._end in client.received:
            self._answer_to(client)
        elif len(client.received) > REQUEST_MAXIMUM:
            self._close(client)

    def _answer_to(self, client: _Client) -> None:
        answer = self._answer(client.received)
        if answer is not None:
            client.unsent = memoryview(answer)
            self._selector.modify(
                client.connection, selectors.EVENT_WRITE, partial(self._write, client)
            )
            self._write(client)

    def _write(self, client: _Client) -> None:
        if client not in self._clients:
            return
        try:
            client.unsent = client.unsent[client.connection.send(client.unsent) :]
        except BlockingIOError:
            return
        except OSError:  # the client is gone
            client.unsent = memoryview(b"")
        if not client.unsent:
            self._close(client)

    def _close(self, client: _Client) -> None:
        self._clients.remove(client)
        self._selector.unregister(client.connection)
        client.connection.close()
