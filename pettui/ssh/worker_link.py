"""The link of the parent and a worker: messages, which are lines of JSON over a socket pair."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pettui.ssh.load import LoadHistory

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

    def receive(self) -> list[Any] | None:
        """Return the messages that have arrived, perhaps none; None once the worker has ended.

        Raises:
            ValueError: something else has arrived, such as what an app wrote by accident.
            RecursionError: the same.
        """
        try:
            more = self._end.recv(_READ)
        except BlockingIOError:
            return []
        except OSError:
            return None
        if not more:
            return None
        *lines, self._received = (self._received + more).split(b"\n")
        if len(self._received) > MESSAGE_MAXIMUM:
            raise ValueError("a line without end")
        return [json.loads(line) for line in lines]

    def close(self) -> None:
        """Close this end."""
        self._end.close()


@dataclass(slots=True, eq=False)
class WorkerProcess:
    """A worker, as its parent knows it."""

    number: int  # of its sockets, from 0
    pid: int
    link: Link
    since: float  # its start
    stack: int = -1  # a descriptor of a file, for that of its main thread
    load: LoadHistory = field(default_factory=LoadHistory)
    messages: int = 0  # from it so far
    is_linked: bool = True  # it may send further ones
    status: str = ""  # in words, for systemd; "" for as usual
    waits_for: str = ""  # why it cannot do all that it should; a raw line
    writes_stack: bool = False  # it was asked for that, and is then killed

    @property
    def is_serving(self) -> bool:
        """Whether it has begun to serve, and nothing ends it yet."""
        return self.is_linked and self.messages > 0 and not self.writes_stack
