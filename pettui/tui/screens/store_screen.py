"""StoreScreen: what every screen has: header, strip, keys, help, and a sign that it waits."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from pettui.tui.failures import failure_of
from pettui.tui.screens.text_view import TextViewScreen
from pettui.tui.widgets.error_strip import ErrorStrip, Failure
from pettui.tui.widgets.header_bar import HeaderBar
from pettui.tui.widgets.key_bar import KeyBar
from pettui.tui.widgets.notice_bar import NoticeBar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.timer import Timer

    from pettui.client import PetClientError
    from pettui.tui.session import Session

SAYS_AFTER = 0.3  # seconds of waiting, after which the screen says what for
FRAME = 0.1  # seconds that a frame of the spinner stays

Result = TypeVar("Result")


class StoreScreen(Screen[Result], Generic[Result]):
    """A screen on the store, for one person's session."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "put_away", "Put the error away", show=False, id="put_away"),
        Binding("f5", "refresh", "Ask again", show=False, id="refresh"),
        Binding("f6", "view_answer", "What came", id="view_answer"),
    ]
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
        self._wait: object = None

    @contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        """Turn the spinner, and after 300 ms say what for; the newest wait is the one shown."""
        wait = self._wait = object()
        spinner = self.session.look.spinner
        self.header.waiting = spinner[0]
        frames = self.set_interval(FRAME, self._turn)
        says = self.set_timer(SAYS_AFTER, lambda: self._say(what))
        try:
            yield
        finally:
            self._stop(frames, says)
            if self._wait is wait:
                self.header.waiting = ""
                self._say("")

    @staticmethod
    def _stop(*timers: Timer) -> None:
        for timer in timers:
            timer.stop()

    def _turn(self) -> None:
        spinner = self.session.look.spinner
        place = spinner.find(self.header.waiting) if self.header.waiting else 0
        self.header.waiting = spinner[(place + 1) % len(spinner)]

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
            return failure is not None
        return True

    def action_put_away(self) -> None:
        """Take the strip away; what failed can still be asked again."""
        self.clear_failure()

    def action_refresh(self) -> None:
        """Ask again; for the screens to fill."""

    def action_view_answer(self) -> None:
        """Look at the beginning of what came in place of an answer."""
        if self.strip.failure is not None:
            self.app.push_screen(
                TextViewScreen(
                    self.session.look, self.strip.failure.title, self.strip.failure.beginning
                )
            )

    def on_error_strip_clicked(self) -> None:
        """Ask again."""
        self.action_refresh()
