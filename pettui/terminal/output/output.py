"""What a driver writes to: a terminal, a channel, or nothing yet."""

from __future__ import annotations

from typing import Protocol


class Output(Protocol):
    """The destination of a driver's output."""

    def write(self, text: str) -> None:
        """Send text; none is lost while the client is connected."""
        ...

    def has_room(self) -> bool:
        """Whether the client has received what was sent; if not, ``caught_up`` is called later."""
        ...


class NoTerminal:
    """The output of an app without a terminal yet: it is behind, and its screen is sent later."""

    def write(self, text: str) -> None:
        """Discard the text."""

    def has_room(self) -> bool:
        """Whether there is room: never."""
        return False
