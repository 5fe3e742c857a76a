"""StoreScreen: what every screen has: header, strip, keys, help, and a sign that it waits."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from pettui.tui.failures import failure_of
from pettui.tui.widgets.drawn import STYLES
from pettui.tui.widgets.error_strip import ErrorStrip, Failure
from pettui.tui.widgets.header_bar import HeaderBar
from pettui.tui.widgets.key_bar import KeyBar
from pettui.tui.widgets.notice_bar import NoticeBar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from textual.widget import Widget
    from textual.worker import Worker

    from pettui.client import PetClientError
    from pettui.client.waiting import Waiting
    from pettui.tui.session import Session
    from pettui.tui.widgets.key_prompt import KeyPrompt

SAYS_AFTER = 0.3  # seconds of waiting, after which the screen says what for
FRAME = 0.1  # seconds that a frame of the spinner stays

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause between two tries, and when it ends."""

    waiting: Waiting
    until: float  # seconds of the loop's clock


class StoreScreen(Screen[Result], Generic[Result]):
    """A screen on the store, for one person's session."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "put_away", "Stop, or put the error away", show=False, id="put_away"),
        Binding("f6", "view_answer", "What came", id="view_answer"),
        Binding("f7", "enter_key", "Another key", id="enter_key"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = set(STYLES)
    AUTO_FOCUS = ""  # each screen says where its keys go
    TITLE_TEXT: ClassVar[str] = ""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.header = HeaderBar(
            session.look, session.settings.profile, session.place, self.TITLE_TEXT
        )
        self.strip = ErrorStrip(session.look)
        self.notice_bar = NoticeBar(session.look)
        self.key_bar = KeyBar(session.look)
        self.waiting_for = ""  # what the screen says that it waits for; "" for less than 300 ms
        self._open_wait: object = None
        self._pause: Pause | None = None
        self._focused_before: Widget | None = None
        self._asked: tuple[object, ...] = ()
        self._asking: Worker[None] | None = None

    # Asking, and waiting for the answer

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
        self._asking = self.run_worker(load(*question), group="question", exclusive=True)

    @contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        """Turn the spinner, and after 300 ms say what for; the newest wait is the one shown."""
        wait = self._open_wait = object()
        self.header.waiting = self.session.look.spinner[0]
        timers = (
            self.set_interval(FRAME, self._turn),
            self.set_timer(SAYS_AFTER, lambda: self._say(what)),
        )
        try:
            yield
        finally:
            for timer in timers:
                timer.stop()
            if self._open_wait is wait:
                self._pause = None
                self.header.waiting = ""
                self._say("")

    def pause(self, waiting: Waiting) -> None:
        """Count down to the next try of the call that is out."""
        self._pause = Pause(waiting, asyncio.get_running_loop().time() + waiting.seconds)
        self._count_down()
        self.refresh_bindings()

    @property
    def is_pausing(self) -> bool:
        """Say whether the call that is out pauses between two tries."""
        return self._pause is not None

    def _turn(self) -> None:
        spinner = self.session.look.spinner
        place = spinner.find(self.header.waiting) if self.header.waiting else 0
        self.header.waiting = spinner[(place + 1) % len(spinner)]
        self._count_down()

    def _count_down(self) -> None:
        if self._pause is None:
            return
        waiting = self._pause.waiting
        seconds = max(self._pause.until - asyncio.get_running_loop().time(), 0)
        text = (
            f"again in {ceil(seconds)} s (try {waiting.attempt} of {waiting.of}), esc stops: "
            f"{self.session.look.line(waiting.why)}"
        )
        if text != self.waiting_for:
            self._say(text)

    def _say(self, what: str) -> None:
        self.waiting_for = what
        self.show_facts()

    def show_facts(self) -> None:
        """Draw what depends on ``waiting_for``; for the screens to fill."""

    def show_failure(self, error: PetClientError | Failure) -> None:
        """Put a failure on the strip."""
        self.strip.failure = error if isinstance(error, Failure) else failure_of(error)
        self.refresh_bindings()

    def clear_failure(self) -> None:
        """Take the strip away."""
        self.strip.failure = None
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Offer a key only when there is something behind it."""
        failure = self.strip.failure
        if action == "view_answer":
            return failure is not None and bool(failure.beginning)
        if action == "put_away":
            return failure is not None or self._pause is not None
        if action == "enter_key":
            return failure is not None and failure.is_unauthorized
        return True

    def action_put_away(self) -> None:
        """Stop waiting for another try, or take the strip away; F5 still asks again."""
        if self._pause is None:
            self.clear_failure()
            return
        error = self._pause.waiting.error
        self.workers.cancel_group(self, "question")
        self.show_failure(error)

    # Another key

    async def action_enter_key(self) -> None:
        """Ask for another API key, on the strip."""
        from pettui.tui.widgets.key_prompt import KeyPrompt  # noqa: PLC0415 - not for the first frame

        self._focused_before = self.focused
        prompt = KeyPrompt()
        await self.mount(prompt, after=self.strip)
        prompt.take_focus()

    async def on_key_prompt_given(self, message: KeyPrompt.Given) -> None:
        """Use the key from now on, for what waits to be sent too, and ask again."""
        await self._close_prompt()
        try:
            self.session.use_key(message.key)
        except ValueError as error:
            self.show_failure(
                Failure("Not a key", str(error), hint="F7 Another key", is_unauthorized=True)
            )
            return
        self.action_refresh()

    async def on_key_prompt_left(self) -> None:
        """Go on without."""
        await self._close_prompt()

    async def _close_prompt(self) -> None:
        await self.query("KeyPrompt").remove()
        self.set_focus(self._focused_before)

    # The rest of the strip

    def action_refresh(self) -> None:
        """Ask again; for the screens to fill."""

    def action_view_answer(self) -> None:
        """Look at the beginning of what came in place of an answer."""
        from pettui.tui.screens.text_view import TextViewScreen  # noqa: PLC0415 - not for the first frame

        if self.strip.failure is not None:
            self.app.push_screen(
                TextViewScreen(
                    self.session.look, self.strip.failure.title, self.strip.failure.beginning
                )
            )

    def on_error_strip_clicked(self) -> None:
        """Ask again."""
        self.action_refresh()
