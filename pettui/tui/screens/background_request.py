"""BackgroundRequest: what a screen asks for in the background, and what it waits for meanwhile."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, Protocol

from pettui.tui.keys.available_actions import key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from textual.screen import Screen
    from textual.worker import Worker

    from pettui.client import PendingRetry
    from pettui.tui.look import Look

SAYS_AFTER = 0.3  # seconds of waiting, after which the screen says what for
FRAME = 0.1  # seconds that a frame of the spinner stays


class Shown(Protocol):
    """How the screen shows that it waits."""

    def show_spinner(self, frame: str) -> None:
        """Draw a frame of the spinner; "" for none."""

    def show_facts(self) -> None:
        """Draw what depends on ``BackgroundRequest.waiting_for``."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """The time between two tries, and when it ends."""

    pending: PendingRetry
    until: float  # seconds of the loop's clock


class BackgroundRequest:
    """One request of a screen is out at a time, and only its response counts."""

    def __init__(self, screen: Screen[Any], shown: Shown, look: Look, stops: str) -> None:
        """Take what it shows itself on.

        Args:
            screen: whose workers and timers it uses.
            shown: the same screen.
            look: the spinner.
            stops: the action whose key stops waiting for another try.
        """
        self.waiting_for = ""  # what the screen says that it waits for; "" for less than 300 ms
        self._screen = screen
        self._shown = shown
        self._look = look
        self._stops = stops
        self._open_wait: object = None
        self._backoff: Backoff | None = None
        self._words: Callable[[], str] | None = None  # that are said of the wait
        self._frame = 0
        self._sent: tuple[object, ...] = ()
        self.worker: Worker[None] | None = None  # the newest, running or done

    def send(self, load: Callable[..., Coroutine[Any, Any, None]], *query: object) -> None:
        """Load in the background; the request before is dropped, and its response with it.

        The same one is not sent again while it is out: over a bad line a second press of a key
        would otherwise begin from the start. The time between two tries is cut short.
        """
        sent = (load, *query)
        if self.is_out and self._sent == sent and self._backoff is None:
            return
        self._sent = sent
        # Not the coroutine itself: one whose worker is dropped before it begins is never awaited.
        work = partial(load, *query)
        self.worker = self._screen.run_worker(work, group="request", exclusive=True)

    @property
    def is_out(self) -> bool:
        """Whether a response is waited for, or the time between two tries."""
        return self.worker is not None and self.worker.is_running

    def cancel(self) -> None:
        """Drop the request that is out."""
        self._screen.workers.cancel_group(self._screen, "request")

    @contextmanager
    def waiting(
        self, what: str | Callable[[], str], *, says_after: float = SAYS_AFTER
    ) -> Iterator[None]:
        """Turn the spinner, and after 300 ms say what for; the newest wait is the one shown.

        Args:
            what: what is waited for; what changes meanwhile is asked for with each frame.
            says_after: seconds, until it is said; 0 is at once.
        """
        wait = self._open_wait = object()
        self._frame = 0
        self._shown.show_spinner(self._look.spinner[0])
        self._backoff = self._words = None
        words = what if callable(what) else f"{what}{self._look.ellipsis}".__str__
        timers = [self._screen.set_interval(FRAME, self._turn)]
        if says_after:
            timers.append(self._screen.set_timer(says_after, lambda: self._begin_to_say(words)))
        else:
            self._begin_to_say(words)
        try:
            yield
        finally:
            for timer in timers:
                timer.stop()
            if not self._is_screen_open:
                raise asyncio.CancelledError  # nobody is there to be shown what came
            if self._open_wait is wait:
                self._backoff = self._words = None
                self._shown.show_spinner("")
                self._say("")

    @property
    def _is_screen_open(self) -> bool:
        """Whether the screen is in use; one that is being closed has widgets no more."""
        return self._screen.app.is_running and self._screen in self._screen.app.screen_stack

    @property
    def pending_retry(self) -> PendingRetry | None:
        """What the request waits for before it is tried again; None where it does not."""
        return self._backoff.pending if self._backoff is not None else None

    def count_down(self, pending: PendingRetry) -> None:
        """Count down to the next try."""
        self._backoff = Backoff(pending, asyncio.get_running_loop().time() + pending.seconds)
        self._say_what_for()
        self._screen.refresh_bindings()

    def came(self) -> None:
        """Take note that a part of what is waited for came: no pause between tries is left."""
        self._backoff = None

    def _turn(self) -> None:
        spinner = self._look.spinner
        self._frame = (self._frame + 1) % len(spinner)
        self._shown.show_spinner(spinner[self._frame])
        self._say_what_for()

    def _begin_to_say(self, words: Callable[[], str]) -> None:
        self._words = words
        self._say_what_for()

    def _say_what_for(self) -> None:
        if self._backoff is not None:
            self._say_seconds(self._backoff)
        elif self._words is not None and (text := self._words()) != self.waiting_for:
            self._say(text)

    def _say_seconds(self, backoff: Backoff) -> None:
        pending = backoff.pending
        seconds = max(backoff.until - asyncio.get_running_loop().time(), 0)
        key = key_of(self._screen, self._stops)
        stops = f", {key} stops" if key else ""
        text = (
            f"again in {ceil(seconds)} s (try {pending.attempt} of {pending.of}){stops}: "
            f"{self._look.line(pending.why)}"
        )
        if text != self.waiting_for:
            self._say(text)

    def _say(self, what: str) -> None:
        self.waiting_for = what
        self._shown.show_facts()
