"""OrderedKeys: a key or a paste waits until what the one before brought about is done.

See ``key_order``, which says whose turn it is.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING, Any

from textual import events

from pettui.tui.keys.key_queue import KeyDone, KeyOrder

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import App
    from textual.worker import Worker


LAST_KEYS = 5.0  # seconds in which what was typed before the end may still take effect
ONE_ENTER = 0.01  # seconds that a terminal takes for both halves of an Enter; nobody types so fast


class OrderedKeys:
    """The keys of an app, handed on one after the other."""

    def __init__(
        self,
        app: App[Any],
        forward: Callable[[events.Event], Awaitable[None]],
        before_key: Callable[[], None],
    ) -> None:
        """Take the keys of an app.

        Args:
            app: whose keys they are.
            forward: what Textual does with a key.
            before_key: is called before each.
        """
        self.order = KeyOrder()
        self._app = app
        self._forward = forward
        self._before_key = before_key
        self._ending: Worker[None] | None = None
        self._entered_at = -inf  # when the Enter came that was the last key; -inf if it was another

    async def take(self, event: events.Key | events.Paste) -> None:
        """Hand an event on, or hold it back until the one before is done."""
        if not self._app.screen_stack:
            return  # the app is closing, and nobody is left to take it
        if event.is_forwarded:
            await self._forward(event)
            return
        if isinstance(event, events.Key) and self._is_escape_and_letter(event):
            await self.take(events.Key("escape", None))
            await self.take(events.Key(event.key.removeprefix("alt+"), event.character))
            return
        if isinstance(event, events.Key) and self._is_line_feed(event):
            if not self._is_of_one_enter(event):
                await self.take(events.Key("enter", "\r"))
            return
        if isinstance(event, events.Key):
            self._entered_at = event.time if event.key == "enter" else -inf
        number = self.order.take(event)
        if number is not None:
            self._before_key()
            await self._forward(event)
            self._follow(number)
        elif self.order.is_lost:
            self._app.post_message(KeyDone(self.order.number))

    async def done(self, number: int) -> None:
        """Hand on what is next, after the one of this number."""
        event = self.order.done(number)
        if event is not None:
            await self.take(event)

    def end_after_all(self) -> None:
        """End the app once what was typed by now has taken effect, or soon."""
        loop = asyncio.get_running_loop()
        # As keys come from a terminal's thread, so that it is behind all that were read.
        asyncio.run_coroutine_threadsafe(self._post_end(), loop)

    async def _post_end(self) -> None:
        self._app.post_message(events.Callback(callback=self._end_in_turn))

    async def _end_in_turn(self) -> None:
        # In the background: keys need the app's own messages.
        self._ending = self._app.run_worker(self._exit_after_keys, group="end")

    async def _exit_after_keys(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_KEYS), self.order.between(self._app):
                pass
        self._app.exit()

    def _follow(self, number: int) -> None:
        """Send a message after a key that went on; when that is back, the key is done."""
        if not self._app.screen_stack:
            return
        self.order.holder = holder = self._app.focused or self._app.screen
        if not holder.post_message(KeyDone(number)):
            self._app.post_message(KeyDone(number))

    def _is_escape_and_letter(self, key: events.Key) -> bool:
        """Tell what was typed in one go from a chord with alt, which none is unless it is bound."""
        is_alt = key.key.startswith("alt+") and bool(key.character)
        return is_alt and key.key not in self._app.screen.active_bindings

    def _is_line_feed(self, key: events.Key) -> bool:
        """Tell an Enter that was sent as a line feed.

        A terminal sends it so until the app has made it raw (ICRNL, termios(3)): all that is typed
        during the start of the program. Some send it always. As a chord it is bound to nothing.
        """
        return key.key == "ctrl+j" and key.key not in self._app.screen.active_bindings

    def _is_of_one_enter(self, line_feed: events.Key) -> bool:
        """Tell the second half of an Enter from a terminal in its new line mode: CR, then LF."""
        return line_feed.time - self._entered_at < ONE_ENTER
