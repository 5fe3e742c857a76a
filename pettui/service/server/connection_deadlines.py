"""How long a connection may stay in each state, and how many connections there may be."""

from __future__ import annotations

import enum
import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pettui.service.server.watched_socket import WatchedSocket

SHUTDOWN_SECONDS: Final = 3.0  # for a client to receive its response when the service ends


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Bounds on connections, with a valid key or without one."""

    connections: int = 500  # a TLS connection takes 0.3 MB
    handshakes: int = 64  # TLS handshakes at once
    grace: float = 1.0  # seconds of idling, after which one may be closed to make room
    handshake_seconds: float = 10.0
    head_seconds: float = 10.0  # from the connection, or a request's first byte, to its body
    keep_alive_seconds: int = 15  # from a response to the next request
    rest_seconds: float = 30.0  # for the rest of a body, after its response
    stalled_seconds: float = 20.0  # without the client receiving a byte of its response
    response_seconds: float = 300.0  # for the client to receive a whole response
    closing_seconds: float = 10.0  # for the TLS shutdown


DEFAULT_CONNECTIONS: Final = ConnectionLimits()


class Phase(enum.Enum):
    """What a connection waits for."""

    HEAD = enum.auto()  # the rest of a request's head, or the first request
    BODY = enum.auto()
    RESPONSE = enum.auto()  # from the app
    REST = enum.auto()  # of a body whose response was sent before it was complete
    NEXT = enum.auto()  # another request


class Overdue(enum.Enum):
    """How to close a connection that waits too long."""

    CLOSE = enum.auto()
    ABORT = enum.auto()  # without sending what is left


class Deadlines:
    """The deadlines of one connection, by ``time.monotonic``."""

    def __init__(self, client: WatchedSocket, limits: ConnectionLimits) -> None:
        self.phase = Phase.HEAD
        self._client = client
        self._limits = limits
        self._since = time.monotonic()
        self._closing_since: float | None = None

    def enter(self, phase: Phase) -> None:
        """Enter a phase and start its time, unless it is the current one."""
        if phase is not self.phase:
            self.phase, self._since = phase, time.monotonic()

    def shorten(self) -> None:
        """Use shorter deadlines, since the service ends."""
        stalled = min(self._limits.stalled_seconds, SHUTDOWN_SECONDS)
        closing = min(self._limits.closing_seconds, SHUTDOWN_SECONDS)
        self._limits = replace(self._limits, stalled_seconds=stalled, closing_seconds=closing)

    @property
    def idle_since(self) -> float | None:
        """Since when the connection has been idle; None during a request."""
        if self.phase in {Phase.BODY, Phase.RESPONSE}:
            return self._client.stalled_since  # pipelined requests whose responses are not received
        return self._since

    def overdue(self, now: float, *, is_closing: bool) -> Overdue | None:
        """Return how to close the connection now, or None to keep it.

        Args:
            now: by the same clock.
            is_closing: whether the transport is closing.
        """
        limits, stalled_since = self._limits, self._client.stalled_since
        if is_closing and self._closing_since is None:
            self._closing_since = now
        if stalled_since is not None:
            is_stalled = now - self._client.sent_at > limits.stalled_seconds
            is_late = now - stalled_since > limits.response_seconds
            return Overdue.ABORT if is_stalled or is_late else None
        if self._closing_since is not None:
            is_late = now - self._closing_since > limits.closing_seconds
            return Overdue.ABORT if is_late else None
        return Overdue.CLOSE if now - self._since > self._seconds() else None

    def _seconds(self) -> float:
        """Return how long the phase may take; bodies and responses have deadlines in the app."""
        limits = self._limits
        seconds = {
            Phase.HEAD: limits.head_seconds,
            Phase.REST: limits.rest_seconds,
            Phase.NEXT: limits.keep_alive_seconds,
        }
        return seconds.get(self.phase, math.inf)
