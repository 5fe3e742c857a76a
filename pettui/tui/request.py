"""Request: what a screen has asked for in the background, and what it says while it waits.

At most one runs at a time, and only its response counts. It knows no screen: a screen starts the
worker, and its header looks at each frame what there is to draw. A timer that fires late finds
nothing.
"""

from __future__ import annotations

from contextlib import contextmanager
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textual.worker import Worker

    from pettui.client import PendingRetry
    from pettui.glyphs import GlyphSet

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

    def __init__(self, glyphs: GlyphSet, clock: Callable[[], float] = monotonic) -> None:
        self._glyphs = glyphs
        self._clock = clock
        self.worker: Worker[None] | None = None
        self._asked: tuple[object, ...] = ()  # what loads, a function, and its query
        self._waiting: _Waiting | None = None
        self.text = ""  # what the status line says of it, as of the last frame

    def follow(self, worker: Worker[None], asked: tuple[object, ...]) -> None:
        """Follow a worker from now on, which does what was asked."""
        self.worker, self._asked = worker, asked

    @property
    def is_running(self) -> bool:
        """Whether it is running, or pausing between two attempts."""
        return self.worker is not None and self.worker.is_running

    def is_under_way(self, asked: tuple[object, ...]) -> bool:
        """Whether the same is running, so that it would only start over.

        A pause between two attempts is worth cutting short.
        """
        return self.is_running and self._asked == asked and self.pending_retry is None

    def cancel(self) -> None:
        """Cancel it if it is running."""
        if self.worker is not None:
            self.worker.cancel()

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
