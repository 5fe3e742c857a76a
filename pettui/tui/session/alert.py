"""Alert: a bell and a mark in the terminal's title, for who looks at something else.

The title from before is put on the terminal's stack (XTWINOPS 22) and comes back with the next key;
a terminal without a stack keeps the name of the program.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

RINGS_EVERY: Final = timedelta(seconds=10)
MARK: Final = "\x1b[22;2t\x1b]2;(!) pettui\x07"
UNMARK: Final = "\x1b]2;pettui\x07\x1b[23;2t"
BELL: Final = "\x07"


class Alert:
    """What was rung and marked; it returns what the terminal is to be sent for it."""

    def __init__(self, *, rings: bool) -> None:
        self._rings = rings
        self._rang_at: datetime | None = None
        self._is_marked = False
        self._told: set[str] = set()  # facts that hold still

    def is_news(self, fact: str, *, holds: bool) -> bool:
        """Whether a fact, such as that an entry of this id was refused, began to hold just now."""
        is_new = holds and fact not in self._told
        (self._told.add if holds else self._told.discard)(fact)
        return is_new

    def ring(self, now: datetime) -> str:
        """Return what marks the title and rings, unless it rang moments ago."""
        mark, self._is_marked = ("" if self._is_marked else MARK), True
        if not self._rings or (self._rang_at and abs(now - self._rang_at) < RINGS_EVERY):
            return mark
        self._rang_at = now
        return mark + BELL

    def stop(self) -> str:
        """Return what takes the mark away; "" where there is none."""
        was_marked, self._is_marked = self._is_marked, False
        return UNMARK if was_marked else ""
