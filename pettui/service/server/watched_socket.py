"""A socket that knows whether its client takes what is sent."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

UNSENT: Final = 16 * 1024  # bytes; see the comment at its use


class WatchedSocket(socket.socket):
    """An accepted socket, for asyncio's transports.

    A transport below TLS does not say how much it still has to send, so that the socket itself
    takes note: since when it did not take all that it was given, and when it last took some.
    """

    def __init__(self, accepted: socket.socket) -> None:
        """Take over the descriptor of an accepted socket."""
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        self.setblocking(False)
        self.held_since: float | None = None  # by time.monotonic()
        self.took_at = 0.0
        # What the kernel takes and the client does not would look as if it were taken; it also
        # bounds the memory of a client that takes nothing.
        with suppress(AttributeError, OSError):  # not everywhere
            self.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT)

    def send(self, data: Any, flags: int = 0, /) -> int:
        """Send, and take note of how much."""
        try:
            sent = super().send(data, flags)
        except (BlockingIOError, InterruptedError):
            self._note(0, is_all=False)
            raise
        self._note(sent, is_all=sent == len(data))
        return sent

    def sendmsg(self, buffers: Iterable[Any], /, *more: Any) -> int:
        """Send, and take note of how much."""
        parts = list(buffers)
        try:
            sent = super().sendmsg(parts, *more)
        except (BlockingIOError, InterruptedError):
            self._note(0, is_all=False)
            raise
        self._note(sent, is_all=sent == sum(map(len, parts)))
        return sent

    def _note(self, sent: int, *, is_all: bool) -> None:
        if is_all:
            self.held_since = None
            return
        now = time.monotonic()
        if self.held_since is None:
            self.held_since = self.took_at = now
        elif sent:
            self.took_at = now
