"""How many connections the service holds, and how long each may stay in a state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SWEEP: Final = 0.5  # seconds between two looks at the deadlines of all connections


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
