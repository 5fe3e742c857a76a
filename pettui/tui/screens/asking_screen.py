"""AskingScreen: asks in the background, and says what it waits for."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from textual.screen import Screen

from pettui.tui.keys.available_actions import key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from textual.worker import Worker

    from pettui.client.pending_retry import PendingRetry
    from pettui.tui.user_session import UserSession

SAYS_AFTER = 0.3  # seconds of waiting, after which the screen says what for
FRAME = 0.1  # seconds that a frame of the spinner stays

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause between two tries, and when it ends."""

    waiting: PendingRetry
    until: float  # seconds of the loop's clock


class AskingScreen(Screen[Result], Generic[Result]):
    """One question is out at a time, and only its answer counts."""

    STOPS: ClassVar[str] = "put_away"  # the binding that stops waiting for another try

    def __init__(self, session: UserSession) -> None:
        super().__init__()
        self.session = session
        self.waiting_for = ""  # what the screen says that it waits for; "" for less than 300 ms
        self._open_wait: object = None
        self._pause: Pause | None = None
        self._frame = 0
        self._asked: tuple[object, ...] = ()
        self._asking: Worker[None] | None = None

    def ask(self, load: Callable[..., Coroutine[Any, Any, None]], *question: object) -> None:
        """Ask in the background; the question before is dropped, and its answer with it.

        The same question is not asked again while it is out: over a bad line a second press of
        a key would otherwise begin from the start. A pause between two tries is cut short.
        """
        asked = (load, *question)
        is_out = self._asking is not None and self._asking.is_running
        if is_out and self._asked == asked and self._pause is None:
            return
        self._asked = asked
        # Not the coroutine itself: one whose worker is dropped before it begins is never awaited.
        work = partial(load, *question)
        self._asking = self.run_worker(work, group="question", exclusive=True)

    def stop_asking(self) -> None:
        """Drop the question that is out."""
        self.workers.cancel_group(self, "question")

    @contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        """Turn the spinner, and after 300 ms say what for; the newest wait is the one shown."""
        wait = self._open_wait = object()
        self._frame = 0
        self.show_spinner(self.session.look.spinner[0])
        words = f"{what}{self.session.look.ellipsis}"
        timers = (
            self.set_interval(FRAME, self._turn),
            self.set_timer(SAYS_AFTER, lambda: self._say(words)),
        )
        try:
            yield
        finally:
            for timer in timers:
                timer.stop()
            if not self.is_open:
                raise asyncio.CancelledError  # nobody is there to be shown what came
            if self._open_wait is wait:
                self._pause = None
                self.show_spinner("")
                self._say("")

    @property
    def is_open(self) -> bool:
        """Say whether the screen is in use; one that is being closed has widgets no more."""
        return self.app.is_running and self in self.app.screen_stack

    @property
    def pause_between_tries(self) -> PendingRetry | None:
        """Give what the call that is out waits for before it is tried again, if it does."""
        return self._pause.waiting if self._pause is not None else None

    def pause(self, waiting: PendingRetry) -> None:
        """Count down to the next try of the call that is out."""
        self._pause = Pause(waiting, asyncio.get_running_loop().time() + waiting.seconds)
        self._count_down()
        self.refresh_bindings()

    def _turn(self) -> None:
        spinner = self.session.look.spinner
        self._frame = (self._frame + 1) % len(spinner)
        self.show_spinner(spinner[self._frame])
        self._count_down()

    def _count_down(self) -> None:
        if self._pause is None:
            return
        waiting = self._pause.waiting
        seconds = max(self._pause.until - asyncio.get_running_loop().time(), 0)
        key = key_of(self, self.STOPS)
        stops = f", {key} stops" if key else ""
        text = (
            f"again in {ceil(seconds)} s (try {waiting.attempt} of {waiting.of}){stops}: "
            f"{self.session.look.line(waiting.why)}"
        )
        if text != self.waiting_for:
            self._say(text)

    def _say(self, what: str) -> None:
        self.waiting_for = what
        self.show_facts()

    def show_spinner(self, frame: str) -> None:
        """Draw a frame of the spinner, or none; for the screens to fill."""

    def show_facts(self) -> None:
        """Draw what depends on ``waiting_for``; for the screens to fill."""
