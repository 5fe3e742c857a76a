"""OrderedApp: an app whose keys take effect one after the other (see ``key_order``)."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING

from textual import events
from textual.app import App

from pettui.tui.keys.key_order import KeyDone

if TYPE_CHECKING:
    from textual.worker import Worker

    from pettui.tui.keys.key_order import KeyOrder


LAST_KEYS = 5.0  # seconds in which what was typed before the end may still take effect
ONE_ENTER = 0.01  # seconds that a terminal takes for both halves of an Enter; nobody types so fast


class OrderedApp(App[None]):
    """A key or a paste waits until what the one before brought about is done."""

    def __init__(self) -> None:
        super().__init__()
        self._ending: Worker[None] | None = None
        self._entered_at = -inf  # when the Enter came that was the last key; -inf if it was another

    @property
    def key_order(self) -> KeyOrder:
        """Give the keys that wait."""
        raise NotImplementedError

    def before_key(self) -> None:
        """Do what is to be done before each key; for the app to fill."""

    def end(self) -> None:
        """End the app from outside of it, once what was typed by now has taken effect, or soon.

        A signal, or a terminal that goes away, overtakes the keys that wait for a screen to open.
        """
        if self._driver is None or not self.screen_stack:  # no key was taken yet
            self.exit()
        else:  # as keys come, so that it is behind all that were read
            self._driver.send_message(events.Callback(callback=self._end_in_turn))

    async def _end_in_turn(self) -> None:
        # In the background: keys need the app's own messages.
        self._ending = self.run_worker(self._exit_after_keys, group="end")

    async def _exit_after_keys(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_KEYS), self.key_order.between(self):
                pass
        self.exit()

    async def on_event(self, event: events.Event) -> None:
        """Hold a key or a paste back until the one before is done."""
        if not isinstance(event, events.Key | events.Paste):
            await super().on_event(event)
        elif self.screen_stack:  # with none the app is closing, and nobody is left to take it
            await self._take(event)

    async def _take(self, event: events.Key | events.Paste) -> None:
        if event.is_forwarded:
            await super().on_event(event)
            return
        if isinstance(event, events.Key) and self._is_escape_and_letter(event):
            await self.on_event(events.Key("escape", None))
            await self.on_event(events.Key(event.key.removeprefix("alt+"), event.character))
            return
        if isinstance(event, events.Key) and self._is_line_feed(event):
            if not self._is_of_one_enter(event):
                await self.on_event(events.Key("enter", "\r"))
            return
        if isinstance(event, events.Key):
            self._entered_at = event.time if event.key == "enter" else -inf
        number = self.key_order.take(event)
        if number is not None:
            self.before_key()
            await super().on_event(event)
            self._follow(number)
        elif self.key_order.is_lost:
            self.post_message(KeyDone(self.key_order.number))

    def _follow(self, number: int) -> None:
        """Send a message after a key that went on; when that is back, the key is done."""
        if not self.screen_stack:
            return
        self.key_order.holder = holder = self.focused or self.screen
        if not holder.post_message(KeyDone(number)):
            self.post_message(KeyDone(number))

    def _is_escape_and_letter(self, key: events.Key) -> bool:
        """Tell what was typed in one go from a chord with alt, which none is unless it is bound."""
        is_alt = key.key.startswith("alt+") and bool(key.character)
        return is_alt and key.key not in self.screen.active_bindings

    def _is_line_feed(self, key: events.Key) -> bool:
        """Tell an Enter that was sent as a line feed.

        A terminal sends it so until the app has made it raw (ICRNL, termios(3)): all that is typed
        during the start of the program. Some send it always. As a chord it is bound to nothing.
        """
        return key.key == "ctrl+j" and key.key not in self.screen.active_bindings

    def _is_of_one_enter(self, line_feed: events.Key) -> bool:
        """Tell the second half of an Enter from a terminal in its new line mode: CR, then LF."""
        return line_feed.time - self._entered_at < ONE_ENTER

    async def on_key_done(self, message: KeyDone) -> None:
        """Let the next key go on."""
        event = self.key_order.done(message.number)
        if event is not None:
            await self.on_event(event)
