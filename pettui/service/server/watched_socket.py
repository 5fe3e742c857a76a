"""A socket that knows whether its client receives what is sent."""

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

    A transport below TLS does not say how much it still has to send. So the socket records since
    when it could not send everything, and when it last sent something.
    """

    def __init__(self, accepted: socket.socket) -> None:
        """Take over the descriptor of an accepted socket."""
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        self.setblocking(False)
        self.stalled_since: float | None = None  # by time.monotonic
        self.sent_at = 0.0
        # Else a large send buffer would hide that the client receives nothing; this also bounds the
        # memory of such a client.
        with suppress(AttributeError, OSError):  # not on every system
            self.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT)

    def send(self, data: Any, flags: int = 0, /) -> int:
        """Send, and record how much."""
        try:
            sent = super().send(data, flags)
        except (BlockingIOError, InterruptedError):
            self._record(0, is_all=False)
            raise
        self._record(sent, is_all=sent == len(data))
        return sent

    def sendmsg(self, buffers: Iterable[Any], /, *more: Any) -> int:
        """Send, and record how much."""
        parts = list(buffers)
        try:
            sent = super().sendmsg(parts, *more)
        except (BlockingIOError, InterruptedError):
            self._record(0, is_all=False)
            raise
        self._record(sent, is_all=sent == sum(map(len, parts)))
        return sent

    def _record(self, sent: int, *, is_all: bool) -> None:
        if is_all:
            self.stalled_since = None
            return
        now = time.monotonic()
        if self.stalled_since is None:
            self.stalled_since = self.sent_at = now
        elif sent:
            self.sent_at = now
