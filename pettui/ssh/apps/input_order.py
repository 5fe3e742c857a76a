"""InputOrder: a key that acts before all widgets waits for what was typed before it.

Textual runs a binding with ``priority=True`` as soon as the app has the key, while letters before
it may still be in the queue of the focused widget: those of one packet over a bad line, or beside a
neighbour who holds up the event loop. "Save" would then save a text without them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from textual import events

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import App

INPUT: Final = (events.Key, events.Paste, events.MouseEvent)
HELD: Final = 1.0  # seconds, after which a widget that does not go on keeps a key no longer


class InputOrder:
    """The keys of one app, from the first that waits on."""

    def __init__(self, app: App[Any], pass_on: Callable[[events.Event], Awaitable[None]]) -> None:
        """Hold nothing yet.

        Args:
            app: whose they are.
            pass_on: has Textual handle one.
        """
        self._app = app
        self._pass_on = pass_on
        self._held: deque[events.Event] = deque()
        self._waits = 0  # how often it waited: a late timer is of an earlier time

    async def handle(self, event: events.Event) -> None:
        """Pass an event on, or hold it and all that come after it."""
        if not self._held and not self._has_to_wait(event):
            await self._pass_on(event)
            return
        self._held.append(event)
        if len(self._held) == 1:
            self._wait()

    def _has_to_wait(self, event: events.Event) -> bool:
        focused = self._app.focused
        if not isinstance(event, events.Key) or focused is None or not focused.message_queue_size:
            return False
        bound = self._app.screen.active_bindings.get(event.key)
        return bound is not None and bound.binding.priority

    def _wait(self) -> None:
        """Go on behind what the focused widget has in its queue."""
        self._waits += 1
        focused = self._app.focused
        if focused is None or not focused.call_later(self._go_on, self._waits):
            self._go_on(self._waits)
        else:
            asyncio.get_running_loop().call_later(HELD, self._go_on, self._waits)

    def _go_on(self, waited: int) -> None:
        if waited == self._waits:
            self._waits += 1
            self._app.call_later(self._pass_all_on)

    async def _pass_all_on(self) -> None:
        is_first = True
        while self._held:
            if not is_first and self._has_to_wait(self._held[0]):
                self._wait()
                return
            is_first = False
            try:
                await self._pass_on(self._held[0])
            finally:
                self._held.popleft()
