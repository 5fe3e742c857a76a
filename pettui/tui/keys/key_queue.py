"""Keys take effect one after the other, also when they are typed faster than screens open.

Textual forwards a key to the focused widget at once, while the action of the key before may
still be under way: of "a", "R", "e", "x" typed in one go, letters would reach the list instead of
the form that "a" opens. Here a key waits until the one before is done, its action included.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeAlias

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from textual import events
    from textual.dom import DOMNode

    Typed: TypeAlias = events.Key | events.Paste

KEYS_MAXIMUM = 100_000  # a flood beyond is dropped: bounded memory


class KeyDone(Message, bubble=True):
    """The key of this number went all the way up, or was stopped on it."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class KeyOrder:
    """The keys and pastes that wait for the one that is out."""

    def __init__(self) -> None:
        self._waiting: deque[Typed | asyncio.Future[int]] = deque()
        self._is_out = False
        self.number = 0  # of the one that is out, or was out last
        self.holder: DOMNode | None = None  # where it went

    def __len__(self) -> int:
        """Count what waits."""
        return len(self._waiting)

    @property
    def is_resting(self) -> bool:
        """Say whether nothing is out, and nothing waits."""
        return not self._is_out and not self._waiting

    @property
    def is_lost(self) -> bool:
        """Say whether the one that is out went to a widget that is gone, and cannot come back."""
        return self._is_out and self.holder is not None and not self.holder.is_attached

    def take(self, event: Typed) -> int | None:
        """Give the number of an event that may go on now; None where it waits."""
        if not self._is_out:
            return self._begin()
        if len(self._waiting) < KEYS_MAXIMUM:
            self._waiting.append(event)
        return None

    def done(self, number: int) -> Typed | None:
        """Give the event that is next, after the one of this number."""
        if number != self.number or not self._is_out:
            return None
        self._is_out = False
        while self._waiting:
            first = self._waiting.popleft()
            if not isinstance(first, asyncio.Future):
                return first
            if not first.cancelled():
                first.set_result(self._begin())
                return None
        return None

    @asynccontextmanager
    async def between(self, holder: DOMNode) -> AsyncIterator[None]:
        """Do something that no key comes into the middle of; those typed meanwhile wait."""
        number = await self._turn()
        self.holder = holder
        try:
            yield
        finally:
            holder.app.post_message(KeyDone(number))

    async def _turn(self) -> int:
        if not self._is_out:
            return self._begin()
        turn: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        return await turn

    def _begin(self) -> int:
        self._is_out = True
        self.number += 1
        return self.number
