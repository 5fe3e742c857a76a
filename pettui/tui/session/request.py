"""Request: what a screen has asked for in the background, and what it says while it waits.

At most one runs at a time, and only its response counts. It draws nothing: the header looks at each
frame what there is to draw. A timer that fires late finds nothing.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from functools import partial
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from textual.signal import Signal
from textual.worker import Worker, WorkerCancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from textual.screen import Screen

    from pettui.appearance.glyphs import GlyphSet
    from pettui.client import PendingRetry

SHOWN_AFTER = 0.3  # seconds until it is said what the screen is waiting for
FRAME: Final = 0.1  # seconds that a frame of the spinner stays


class _Waiting(NamedTuple):
    """What is waited for."""

    words: Callable[[], str]
    began_at: float  # seconds of the clock
    words_at: float  # when the words are shown
    retry: PendingRetry | None = None  # while it pauses between two attempts
    retry_at: float = 0.0


class Request:
    """The newest request, running or done."""

    def __init__(
        self, screen: Screen[Any], glyphs: GlyphSet, clock: Callable[[], float] = monotonic
    ) -> None:
        """Ask for nothing yet; what is asked for later ends with the screen."""
        self._screen = screen
        self._glyphs = glyphs
        self._clock = clock
        self.worker: Worker[None] | None = None
        self._asked: tuple[object, ...] = ()  # what loads, and its query
        self._waiting: _Waiting | None = None
        self.turns = Signal[None](screen, "request turns")  # it begins to wait, or ends
        self.text = ""  # what the status line says of it, as of the last frame

    def start(self, load: Callable[..., Coroutine[Any, Any, None]], *query: object) -> None:
        """Load in the background; an earlier request is cancelled, and its response dropped.

        The same is not asked for again while it is running: over a slow line a second press of a
        key would otherwise start over. But a pause between two attempts is worth cutting short.
        """
        asked = (load, *query)
        if not self.is_running or asked != self._asked or self.pending_retry is not None:
            self._asked = asked
            # Not the coroutine itself: if its worker were cancelled first, it would never be
            # awaited.
            work = partial(load, *query)
            self.worker = self._screen.run_worker(work, group="request", exclusive=True)

    def outdate(self) -> None:
        """Have the same asked for again, although it is running: it has another API key now."""
        self._asked = ()

    @property
    def has_begun(self) -> bool:
        """Whether anything was asked for."""
        return self.worker is not None

    @property
    def is_running(self) -> bool:
        """Whether it is running, or pausing between two attempts."""
        return self.worker is not None and self.worker.is_running

    @property
    def is_stopping(self) -> bool:
        """Whether it was cancelled, and has not ended yet: an import waits for last responses."""
        return self.worker is not None and self.worker.is_running and self.worker.is_cancelled

    def cancel(self) -> None:
        """Cancel it if it is running."""
        if self.worker is not None:
            self.worker.cancel()

    async def wait(self) -> None:
        """Wait until it is done or cancelled; it is cancelled with who waits."""
        if self.worker is None:
            return
        with suppress(WorkerCancelled):
            await self.worker.wait()
        task = asyncio.current_task()
        if task is not None and task.cancelling():  # Textual (8.2.8) takes it for the worker's
            raise asyncio.CancelledError

    @contextmanager
    def busy(
        self, text: str | Callable[[], str], *, is_shown_at_once: bool = False
    ) -> Iterator[None]:
        """Turn the spinner, and after 300 ms show what is happening; the newest call is shown.

        Args:
            text: what is happening; a callable is called again for each frame.
            is_shown_at_once: do not wait until the text is shown.
        """
        try:
            with self.waiting(text, is_shown_at_once=is_shown_at_once):
                self.turns.publish(None)
                yield
        finally:
            self.end_if_closed()
            self.turns.publish(None)

    def end_if_closed(self) -> None:
        """Cancel what is loading if the screen is closed; while it closes, its widgets are gone."""
        app = self._screen.app
        if not app.is_running or self._screen not in app.screen_stack:
            raise asyncio.CancelledError

    @contextmanager
    def waiting(self, text: str | Callable[[], str], *, is_shown_at_once: bool) -> Iterator[None]:
        """Wait for something; the newest call is shown."""
        now, words_in = self._clock(), 0.0 if is_shown_at_once else SHOWN_AFTER
        words = text if callable(text) else f"{text}{self._glyphs.ellipsis}".__str__
        self._waiting = _Waiting(words, now, now + words_in)
        try:
            yield
        finally:
            if self._waiting is not None and self._waiting.words is words:
                self._waiting, self.text = None, ""

    @property
    def is_shown(self) -> bool:
        """Whether it is said what the screen is waiting for."""
        return bool(self.text) or self.pending_retry is not None

    @property
    def pending_retry(self) -> PendingRetry | None:
        """The next attempt; None while one is running."""
        return self._waiting.retry if self._waiting is not None else None

    def count_down(self, pending: PendingRetry) -> None:
        """Count down to the next attempt."""
        if self._waiting is not None:
            at = self._clock() + pending.seconds
            self._waiting = self._waiting._replace(retry=pending, retry_at=at)

    def end_countdown(self) -> None:
        """End the countdown: a part of the response has arrived."""
        if self._waiting is not None:
            self._waiting = self._waiting._replace(retry=None)

    @property
    def spinner(self) -> str:
        """The frame of the spinner now; "" without anything to wait for."""
        if self._waiting is None:
            return ""
        frames = self._glyphs.spinner
        return frames[int((self._clock() - self._waiting.began_at) / FRAME) % len(frames)]

    def look(self, stops: str, *, is_brief: bool) -> bool:
        """Bring the text up to date; return whether it is another one.

        Args:
            stops: the key that stops the attempts; "" for none.
            is_brief: hints would leave no room for the seconds.
        """
        before, waiting = self.text, self._waiting
        if waiting is None:
            self.text = ""
        elif waiting.retry is not None:
            self.text = self._countdown(waiting.retry, waiting.retry_at, stops, is_brief=is_brief)
        elif self._clock() >= waiting.words_at:
            self.text = waiting.words()
        return self.text != before

    def _countdown(self, pending: PendingRetry, at: float, key: str, *, is_brief: bool) -> str:
        stops = f", {key} stops" if key else ""
        retry = "retry:" if is_brief else "retrying in"
        return (
            f"{retry} {ceil(max(at - self._clock(), 0))} s "
            f"(attempt {pending.attempt} of {pending.of}){stops}: {self._glyphs.line(pending.why)}"
        )
