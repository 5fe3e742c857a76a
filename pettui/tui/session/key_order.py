"""Keys take effect one after the other, even if they are typed faster than screens open.

Textual forwards a key to the focused widget at once, while the action of the key before may still
be running: if "a", "R", "e", "x" are typed in one go, letters would reach the list instead of the
form that "a" opens. Here a key or a paste waits until the one before is done, including its action.
From a key to the bytes that show what it did:

1. ``CellDriver.feed`` gets bytes of a tty or of ssh, and posts what ``KeyParser`` makes of them.
2. ``OrderedKeysApp.on_event`` gives a key its number, or ``KeyQueue`` keeps it for its turn.
3. ``PetApp.wait_for`` lets it wait for what it acts on, and ``before_key`` draws what is due.
4. ``run_at_once`` moves the table's cursor; any other key Textual forwards to the focused widget. A
   binding there, or further up, runs its action (``PetApp.run_action``); ``KeyDone`` follows it.
5. ``AppScreen.draw_if_due`` draws what the action changed: a screen's ``draw`` sets its widgets.
6. ``PieceCompositor`` renders what changed, ``CellApp`` hands it to ``CellDriver.paint``, and
   ``ScreenBuffer.changes`` returns the bytes of the cells that the terminal does not have.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from functools import partial
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from textual import events
from textual.app import App
from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.dom import DOMNode
    from textual.worker import Worker

    Wait: TypeAlias = Callable[[], Awaitable[object]]
    Typed: TypeAlias = events.Key | events.Paste
    Click: TypeAlias = events.MouseDown | events.MouseUp


CLICKS = (events.MouseDown, events.MouseUp)
LAST_KEYS = 5.0  # seconds that the keys typed before the end have to take effect
ONE_ENTER = 0.01  # seconds between the halves of one Enter, at most; nobody types so fast


class OrderedKeysApp(App[None]):
    """An app that handles its keys one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.key_queue = KeyQueue()
        self._waiting: Worker[None] | None = None
        self._ending: Worker[None] | None = None
        self._entered_at = -inf  # when the last key came, if it was Enter

    # What a subclass does with a key whose turn has come, in this order

    def wait_for(self, event: Typed) -> Wait | None:  # noqa: ARG002 - for subclasses
        """Return what waits for what a key or paste needs; None: it can act now."""
        return None

    def before_key(self, event: Typed) -> None:
        """Prepare for a key or a paste."""

    async def run_at_once(self, key: str) -> bool:  # noqa: ARG002 - for subclasses
        """Run a key's action without a message, if that can be; return whether it was."""
        return False

    async def forward(self, event: Typed) -> None:
        """Let Textual handle an event."""
        await super().on_event(event)

    # One after the other

    async def on_event(self, event: events.Event) -> None:
        """Queue a key or a paste until the one before is done, and a click behind them."""
        if isinstance(event, events.Key | events.Paste):
            await self._handle(event)
        elif isinstance(event, CLICKS) and not (event.is_forwarded or self.key_queue.is_idle):
            await self._click(event)
        else:
            await super().on_event(event)

    async def _click(self, event: Click) -> None:
        """Pass a click on, or queue it until the keys before it are done."""
        if not self.screen_stack:
            return  # the app is closing: no screen is left
        if (number := self._turn_of(event)) is not None:
            await super().on_event(event)
            self._follow(number)

    async def _handle(self, event: Typed) -> None:
        """Pass an event on, or queue it until the one before is done."""
        if not self.screen_stack:
            return  # the app is closing: no screen is left
        if event.is_forwarded:
            await self.forward(event)
            return
        if isinstance(event, events.Key) and self._is_line_feed(event):
            if not self._is_of_one_enter(event):
                await self._handle(events.Key("enter", "\r"))
            return
        if isinstance(event, events.Key):
            self._entered_at = event.time if event.key == "enter" else -inf
        if (number := self._turn_of(event)) is None:
            return
        if isinstance(event, events.Key):
            event = self._as_meant(event)
        wait = self.wait_for(event)
        if wait is None:
            await self._pass_on(event, number)
        else:
            self.key_queue.holder = self.screen
            work = partial(self._pass_on_after, wait, event, number)
            self._waiting = self.run_worker(work, group="keys")

    def _turn_of(self, event: Typed | Click) -> int | None:
        """Return the number of an event that is next now; None where it has to wait."""
        number = self.key_queue.enqueue(event)
        if number is None and self.key_queue.is_lost:
            self.post_message(KeyDone(self.key_queue.number))
        return number

    async def _pass_on(self, event: Typed, number: int) -> None:
        self.before_key(event)
        if isinstance(event, events.Key) and await self.run_at_once(event.key):
            self._done_at_once(number)
            return
        await self.forward(event)
        self._follow(number)

    async def _pass_on_after(self, wait: Wait, event: Typed, number: int) -> None:
        await wait()
        self.call_later(self._pass_on, event, number)

    async def on_key_done(self, message: KeyDone) -> None:
        """Handle the next key."""
        event = self.key_queue.done(message.number)
        if isinstance(event, CLICKS):
            await self._click(event)
        elif event is not None:
            await self._handle(event)

    def _done_at_once(self, number: int) -> None:
        """Handle the next key; by a message and not a call, since there may be many."""
        if len(self.key_queue):
            self.post_message(KeyDone(number))
        else:
            self.key_queue.done(number)

    def exit_after_keys(self) -> None:
        """Exit once the keys typed so far have taken effect, or after LAST_KEYS."""
        loop = asyncio.get_running_loop()
        # The way that keys come from a terminal's thread: so it is behind all that were read.
        asyncio.run_coroutine_threadsafe(self._post_end(), loop)

    async def _post_end(self) -> None:
        self.post_message(events.Callback(callback=self._end_in_turn))

    async def _end_in_turn(self) -> None:
        # In a worker: the keys that are left need the app's own message loop.
        self._ending = self.run_worker(self._exit_after_keys, group="end")

    async def _exit_after_keys(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_KEYS):
                await self.key_queue.turn()
        self.exit()

    def _follow(self, number: int) -> None:
        """Send a message after a key that was passed on; when it bubbles up, the key is done."""
        if not self.screen_stack:
            return
        self.key_queue.holder = holder = self.focused or self.screen
        if not holder.post_message(KeyDone(number)):
            self.post_message(KeyDone(number))

    def _as_meant(self, key: events.Key) -> events.Key:
        """Return what a key is for the widget that gets it, once its turn has come."""
        if key.character is not None and not key.character.isascii():
            return self._by_layout(key)
        return self._by_alt(key)

    def _by_layout(self, key: events.Key) -> events.Key:
        """Return the Latin key of a letter of another script, which is neither text nor bound.

        The terminal's parser tells it as an alias.
        """
        focused = self.focused
        is_text = focused is not None and focused.check_consume_key(key.key, key.character)
        if len(key.aliases) == 1 or is_text or key.key in self.screen.active_bindings:
            return events.Key(key.key, key.character)  # handlers go by the exact class
        return events.Key(key.aliases[-1], None)

    def _by_alt(self, key: events.Key) -> events.Key:
        """Return Esc where it was typed in one go with a letter, which then is the next key.

        A bound chord with alt is one key; so it matters which widget gets it, which is known only
        when its turn has come.
        """
        if not key.key.startswith("alt+") or not key.character:
            return key
        if key.key in self.screen.active_bindings:
            return events.Key(key.key, None)  # it types nothing
        self.key_queue.put_first(events.Key(key.key.removeprefix("alt+"), key.character))
        escape = events.Key("escape", None)
        escape.time = key.time
        return escape

    def _is_line_feed(self, key: events.Key) -> bool:
        """Whether an Enter was sent as a line feed.

        A terminal does so until the app has made it raw (ICRNL, termios(3)), that is, for all that
        is typed while the program starts; some always do. ctrl+j itself is bound to nothing.
        """
        return key.key == "ctrl+j" and key.key not in self.screen.active_bindings

    def _is_of_one_enter(self, line_feed: events.Key) -> bool:
        """Whether this is the second half of an Enter of a terminal in new line mode: CR, LF."""
        return line_feed.time - self._entered_at < ONE_ENTER


KEYS_MAXIMUM = 100_000  # that wait; more are dropped, to bound memory


class KeyDone(Message, bubble=True):
    """The key of this number was handled: it bubbled all the way up, or was stopped."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class KeyQueue:
    """The keys, pastes and clicks that wait for the one that is being handled."""

    def __init__(self) -> None:
        self._queue: deque[Typed | Click | asyncio.Future[int]] = deque()
        self._is_busy = False  # one is being handled
        self._is_held = False  # none is handled any more
        self.number = 0  # of the one that is being handled, or was last
        self.holder: DOMNode | None = None  # the widget that it was passed to
        self.settled = asyncio.Event()  # what an action went on to do is done, or asks something
        self.settled.set()

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
        return [event for event in self._queue if isinstance(event, events.Key | events.Paste)]

    def hold(self) -> None:
        """Let all events wait from now on, for another app that is to handle them."""
        self._is_held = True

    def enqueue(self, event: Typed | Click) -> int | None:
        """Return the number of an event that is next now; None where it has to wait."""
        if not self._is_busy and not self._is_held:
            return self._begin()
        if len(self._queue) < KEYS_MAXIMUM:
            self._queue.append(event)
        return None

    def put_first(self, event: Typed) -> None:
        """Let an event be the next, before all that wait."""
        self._queue.appendleft(event)

    def done(self, number: int) -> Typed | Click | None:
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

    async def turn(self) -> int:
        """Wait until all that waits is done, and return a number; what comes later waits for it."""
        if not self._is_busy:
            return self._begin()
        turn: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        return await turn

    def _begin(self) -> int:
        self._is_busy = True
        self.number += 1
        return self.number
