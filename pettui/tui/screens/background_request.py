"""BackgroundRequest: a screen's request in the background, and what it shows meanwhile."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, Protocol

from pettui.tui.keys import key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from textual.screen import Screen
    from textual.worker import Worker

    from pettui.client import PendingRetry
    from pettui.glyphs import GlyphSet

SHOWN_AFTER = 0.3  # seconds until the status line says what the screen is waiting for
FRAME = 0.1  # seconds that a frame of the spinner stays
FULL_FROM = 60  # columns: below, hints of keys would leave no room for the seconds


class BusyScreen(Protocol):
    """A screen that shows that a request is running."""

    def show_spinner(self, frame: str) -> None:
        """Draw a frame of the spinner; "" for none."""

    def update_status(self) -> None:
        """Draw what depends on ``BackgroundRequest.busy_text``."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """The time between two attempts, and when it ends."""

    pending: PendingRetry
    until: float  # seconds of the loop's clock


class BackgroundRequest:
    """At most one request of a screen runs at a time, and only its response counts."""

    def __init__(
        self, screen: Screen[Any], shown: BusyScreen, glyphs: GlyphSet, stops: str
    ) -> None:
        """Wait for the first request.

        Args:
            screen: provides workers and timers.
            shown: the same screen.
            glyphs: has the spinner.
            stops: the action whose key stops waiting for another attempt.
        """
        self.busy_text = ""  # what the status line says; "" during the first 300 ms
        self._screen = screen
        self._shown = shown
        self._glyphs = glyphs
        self._stops = stops
        self._newest: object = None  # which call of ``busy`` is shown; None after it
        self._backoff: Backoff | None = None
        self._text: Callable[[], str] | None = None  # once it is to be shown
        self._frame = 0
        self._sent: tuple[object, ...] = ()  # what loads, a method, and its query
        self.worker: Worker[None] | None = None  # the newest, running or done

    def send(self, load: Callable[..., Coroutine[Any, Any, None]], *query: object) -> None:
        """Load in the background; an earlier request is cancelled, and its response dropped.

        The same request is not sent again while it is running: over a slow line a second press of a
        key would otherwise start over. A pause between two attempts is cut short.
        """
        # Of a method the function alone: what it is bound to refers to this.
        sent = (getattr(load, "__func__", load), *query)
        if self.is_out and self._sent == sent and self._backoff is None:
            return
        self._sent = sent
        # Not the coroutine itself: if its worker were cancelled first, it would never be awaited.
        work = partial(load, *query)
        self.worker = self._screen.run_worker(work, group="request", exclusive=True)

    @property
    def is_out(self) -> bool:
        """Whether a request is running, or pausing between two attempts."""
        return self.worker is not None and self.worker.is_running

    def cancel(self) -> None:
        """Cancel the request that is running."""
        self._screen.workers.cancel_group(self._screen, "request")

    @contextmanager
    def busy(
        self, text: str | Callable[[], str], *, is_shown_at_once: bool = False
    ) -> Iterator[None]:
        """Turn the spinner, and after 300 ms show what is happening; the newest call is shown.

        Args:
            text: what is happening; a callable is called again for each frame.
            is_shown_at_once: do not wait until the text is shown.
        """
        call = self._newest = object()
        self._frame = 0
        self._shown.show_spinner(self._glyphs.spinner[0])
        self._backoff = self._text = None
        current = text if callable(text) else f"{text}{self._glyphs.ellipsis}".__str__
        # A timer that has fired may call only after it was stopped: Textual queues its callback.
        timers = [self._screen.set_interval(FRAME, self._if_newest(call, self._next_frame))]
        if is_shown_at_once:
            self._start_text(current)
        else:
            start = self._if_newest(call, partial(self._start_text, current))
            timers.append(self._screen.set_timer(SHOWN_AFTER, start))
        try:
            yield
        finally:
            for timer in timers:
                timer.stop()
            if not self._is_screen_open:
                raise asyncio.CancelledError  # there is no screen left to show the response
            if self._newest is call:
                self._newest = self._backoff = self._text = None
                self._shown.show_spinner("")
                self._show("")

    @property
    def _is_screen_open(self) -> bool:
        """Whether the screen is in use; while it closes, its widgets are gone."""
        return self._screen.app.is_running and self._screen in self._screen.app.screen_stack

    @property
    def pending_retry(self) -> PendingRetry | None:
        """The next attempt of the request; None while one is running."""
        return self._backoff.pending if self._backoff is not None else None

    def count_down(self, pending: PendingRetry) -> None:
        """Count down to the next attempt."""
        self._backoff = Backoff(pending, asyncio.get_running_loop().time() + pending.seconds)
        self._update_text()
        self._screen.refresh_bindings()

    def progressed(self) -> None:
        """End the countdown: a part of the response has arrived."""
        self._backoff = None

    def _if_newest(self, call: object, act: Callable[[], None]) -> Callable[[], None]:
        """Return what does something as long as a call of ``busy`` is shown."""
        return lambda: act() if self._newest is call else None

    def _next_frame(self) -> None:
        spinner = self._glyphs.spinner
        self._frame = (self._frame + 1) % len(spinner)
        self._shown.show_spinner(spinner[self._frame])
        self._update_text()

    def _start_text(self, text: Callable[[], str]) -> None:
        self._text = text
        self._update_text()

    def _update_text(self) -> None:
        text = self.busy_text
        if self._backoff is not None:
            text = self._countdown(self._backoff)
        elif self._text is not None:
            text = self._text()
        if text != self.busy_text:
            self._show(text)

    def _countdown(self, backoff: Backoff) -> str:
        pending = backoff.pending
        seconds = max(backoff.until - asyncio.get_running_loop().time(), 0)
        key = key_of(self._screen, self._stops)
        stops = f", {key} stops" if key else ""
        retry = "retrying in" if self._screen.app.size.width >= FULL_FROM else "retry:"
        return (
            f"{retry} {ceil(seconds)} s (attempt {pending.attempt} of {pending.of}){stops}: "
            f"{self._glyphs.line(pending.why)}"
        )

    def _show(self, text: str) -> None:
        self.busy_text = text
        self._shown.update_status()
