"""What a driver writes to: somebody's channel, or nobody's yet."""

from __future__ import annotations

from typing import Protocol


class Output(Protocol):
    """Where a driver writes to."""

    def write(self, text: str) -> None:
        """Send text; it is never lost while the client is there."""
        ...

    def has_room(self) -> bool:
        """Say whether the client took what was sent before; if not, ``caught_up`` comes later."""
        ...


class NoTerminal:
    """The wire of an app that nobody has yet: what it draws is kept for who comes."""

    def write(self, text: str) -> None:
        """Send nothing."""

    def has_room(self) -> bool:
        """Take no picture."""
        return False
