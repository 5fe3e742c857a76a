"""Keys take effect one after the other, also when they are typed faster than screens open.

Textual forwards a key to the focused widget at once, while the action of the key before may
still be under way: of "a", "R", "e", "x" typed in one go, letters would reach the list instead of
the form that "a" opens. Here a key waits until the one before is done, its action included.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from textual import events

KEYS_MAXIMUM = 100_000  # a flood beyond is dropped: bounded memory


class KeyDone(Message, bubble=True):
    """The key of this number went all the way up, or was stopped on it."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class KeyOrder:
    """The keys and pastes that wait for the one that is out."""

    def __init__(self) -> None:
        self._waiting: deque[events.Key | events.Paste] = deque(maxlen=KEYS_MAXIMUM)
        self._number = 0
        self._is_out = False

    def __len__(self) -> int:
        """Count what waits."""
        return len(self._waiting)

    def take(self, event: events.Key | events.Paste) -> int | None:
        """Give the number of an event that may go on now; None where it waits."""
        if self._is_out:
            self._waiting.append(event)
            return None
        self._is_out = True
        self._number += 1
        return self._number

    def done(self, number: int) -> events.Key | events.Paste | None:
        """Give the event that is next, after the one of this number."""
        if number != self._number or not self._is_out:
            return None
        self._is_out = False
        return self._waiting.popleft() if self._waiting else None
