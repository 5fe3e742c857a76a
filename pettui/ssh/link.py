"""The messages between the parent and its workers: lines of JSON over a socket pair each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import socket

MESSAGE_MAXIMUM: Final = 16 * 1024 * 1024  # bytes; the longest one has every client of a queue
_READ: Final = 65_536  # bytes at once


def encoded(message: tuple[object, ...]) -> bytes:
    """Return a message as a line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


class Link:
    """The parent's end of a socket pair, which never blocks."""

    def __init__(self, end: socket.socket) -> None:
        """Use one end of a pair."""
        end.setblocking(False)
        self._end = end
        self._received = b""  # the beginning of a message
        self._unsent = bytearray()

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._end.fileno()

    @property
    def is_behind(self) -> bool:
        """Whether the worker has not read yet what was sent before."""
        return bool(self._unsent)

    def send(self, *message: object) -> None:
        """Send a message, as far as there is room; the rest waits for ``flush``."""
        self._unsent += encoded(message)
        self.flush()

    def flush(self) -> None:
        """Send what waits."""
        try:
            del self._unsent[: self._end.send(self._unsent)]
        except BlockingIOError:
            return
        except OSError:  # the worker has ended, which ``receive`` tells
            self._unsent.clear()

    def receive(self) -> list[list[Any]] | None:
        """Return the messages that have arrived, perhaps none; None once the worker has ended."""
        try:
            more = self._end.recv(_READ)
        except BlockingIOError:
            return []
        except OSError:
            return None
        if not more:
            return None
        *lines, self._received = (self._received + more).split(b"\n")
        return [json.loads(line) for line in lines]

    def close(self) -> None:
        """Close this end."""
        self._end.close()
