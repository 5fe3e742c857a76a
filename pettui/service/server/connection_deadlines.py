"""How long a connection may stay in each state, and how many connections there may be."""

from __future__ import annotations

import enum
import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pettui.service.server.watched_socket import WatchedSocket

HURRY: Final = 3.0  # seconds for a client to take an answer, once the service is to end


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Bounds on what clients, with a key or without one, can hold of the service."""

    connections: int = 500  # a TLS connection takes 0.3 MB
    handshakes: int = 64  # TLS handshakes at once
    grace: float = 1.0  # seconds without a request, after which one makes room where there is none
    handshake_seconds: float = 10.0
    head_seconds: float = 10.0  # from the connection, or a request's first byte, to its body
    keep_alive_seconds: int = 15  # from an answer to the next request
    rest_seconds: float = 30.0  # for the rest of a body, after its answer
    stalled_seconds: float = 20.0  # without one byte of an answer taken
    answer_seconds: float = 300.0  # for the whole of an answer to be taken
    closing_seconds: float = 10.0  # for TLS to say goodbye


DEFAULT_CONNECTIONS: Final = ConnectionLimits()


class Phase(enum.Enum):
    """What a connection waits for."""

    HEAD = enum.auto()  # of a request that has begun, or of the first one
    BODY = enum.auto()
    ANSWER = enum.auto()  # ours
    REST = enum.auto()  # of a body that was answered before it was here
    NEXT = enum.auto()  # a further request


class Overdue(enum.Enum):
    """What is to be done about a connection that waits too long."""

    CLOSE = enum.auto()
    ABORT = enum.auto()  # without waiting for what was not sent yet


class Deadlines:
    """The deadlines of one connection, by ``time.monotonic``."""

    def __init__(self, client: WatchedSocket, limits: ConnectionLimits) -> None:
        self.phase = Phase.HEAD
        self._client = client
        self._limits = limits
        self._since = time.monotonic()
        self._closing_since: float | None = None

    def enter(self, phase: Phase) -> None:
        """Start the time of a phase, unless it is in it already."""
        if phase is not self.phase:
            self.phase, self._since = phase, time.monotonic()

    def hurry(self) -> None:
        """Have less patience, since the service is to end."""
        stalled = min(self._limits.stalled_seconds, HURRY)
        closing = min(self._limits.closing_seconds, HURRY)
        self._limits = replace(self._limits, stalled_seconds=stalled, closing_seconds=closing)

    @property
    def waiting_since(self) -> float | None:
        """Since when it is there for nothing, or None while a request is answered."""
        if self.phase in {Phase.BODY, Phase.ANSWER}:
            return self._client.held_since  # pipelined requests whose answers nobody takes
        return self._since

    def overdue(self, now: float, *, is_closing: bool) -> Overdue | None:
        """Return what is to be done now, if anything.

        Args:
            now: by the same clock.
            is_closing: whether the transport was told to close, and has not yet.
        """
        limits, held = self._limits, self._client.held_since
        if is_closing and self._closing_since is None:
            self._closing_since = now
        if held is not None:
            is_stalled = now - self._client.took_at > limits.stalled_seconds
            return Overdue.ABORT if is_stalled or now - held > limits.answer_seconds else None
        if self._closing_since is not None:
            is_late = now - self._closing_since > limits.closing_seconds
            return Overdue.ABORT if is_late else None
        return Overdue.CLOSE if now - self._since > self._seconds() else None

    def _seconds(self) -> float:
        """Return how long the phase may take; the service itself minds bodies and answers."""
        limits = self._limits
        seconds = {
            Phase.HEAD: limits.head_seconds,
            Phase.REST: limits.rest_seconds,
            Phase.NEXT: limits.keep_alive_seconds,
        }
        return seconds.get(self.phase, math.inf)
