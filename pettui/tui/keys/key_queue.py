"""Keys take effect one after the other, even if they are typed faster than screens open.

Textual forwards a key to the focused widget at once, while the action of the key before may still
be running: if "a", "R", "e", "x" are typed in one go, letters would reach the list instead of the
form that "a" opens. Here a key waits until the one before is done, including its action.
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

KEYS_MAXIMUM = 100_000  # that wait; more are dropped, to bound memory


class KeyDone(Message, bubble=True):
    """The key of this number was handled: it bubbled all the way up, or was stopped."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class KeyQueue:
    """The keys and pastes that wait for the one that is being handled."""

    def __init__(self) -> None:
        self._queue: deque[Typed | asyncio.Future[int]] = deque()
        self._is_busy = False  # one is being handled
        self._is_held = False  # none is handled any more
        self.number = 0  # of the one that is being handled, or was last
        self.holder: DOMNode | None = None  # the widget that it was passed to

    def __len__(self) -> int:
        """Return how many wait."""
        return len(self._queue)

    @property
    def is_idle(self) -> bool:
        """Whether no key is being handled, and none waits."""
        return not self._is_busy and not self._queue

    @property
    def is_lost(self) -> bool:
        """Whether the key went to a widget that is gone, so that no KeyDone can come back."""
        return self._is_busy and self.holder is not None and not self.holder.is_attached

    @property
    def waiting(self) -> list[Typed]:
        """The keys and pastes that wait, in order."""
        return [event for event in self._queue if not isinstance(event, asyncio.Future)]

    def hold(self) -> None:
        """Let all events wait from now on, for another app that is to handle them."""
        self._is_held = True

    def enqueue(self, event: Typed) -> int | None:
        """Return the number of an event that is next now; None where it has to wait."""
        if not self._is_busy and not self._is_held:
            return self._begin()
        if len(self._queue) < KEYS_MAXIMUM:
            self._queue.append(event)
        return None

    def put_first(self, event: Typed) -> None:
        """Let an event be the next, before all that wait."""
        self._queue.appendleft(event)

    def done(self, number: int) -> Typed | None:
        """Return the event that comes after the one of this number; None where none waits."""
        if number != self.number or not self._is_busy or self._is_held:
            return None
        self._is_busy = False
        while self._queue:
            first = self._queue.popleft()
            if not isinstance(first, asyncio.Future):
                return first
            if not first.cancelled():
                first.set_result(self._begin())
                return None
        return None

    @asynccontextmanager
    async def between(self, holder: DOMNode) -> AsyncIterator[None]:
        """Run a block between two keys; those typed meanwhile wait."""
        number = await self._turn()
        self.holder = holder
        try:
            yield
        finally:
            holder.app.post_message(KeyDone(number))

    async def _turn(self) -> int:
        if not self._is_busy:
            return self._begin()
        turn: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        return await turn

    def _begin(self) -> int:
        self._is_busy = True
        self.number += 1
        return self.number
