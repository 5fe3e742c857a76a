"""StoreScreen: what every screen has: header, strip, notices, keys, and help."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from textual.screen import Screen

from pettui import actions
from pettui.client import ErrorBodyError
from pettui.outbox import EntryState
from pettui.tui.appearance.breakpoints import drop_former_size, is_short, set_room
from pettui.tui.keys.available_actions import hints
from pettui.tui.keys.bindings import bindings
from pettui.tui.keys.key_clashes import clashes
from pettui.tui.screens.api_key_change import KeyChange
from pettui.tui.screens.background_request import BackgroundRequest
from pettui.tui.widgets.bars.error_banner import WHOLE_TEXT, ErrorBanner
from pettui.tui.widgets.bars.header_bar import HeaderBar
from pettui.tui.widgets.bars.key_bar import KeyBar
from pettui.tui.widgets.bars.notice_bar import NoticeBar
from pettui.tui.widgets.bars.status_line import StatusLine
from pettui.tui.wording.failures import Failure, failure_of, too_long

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.events import Resize, ScreenResume

    from pettui.client import PetClientError
    from pettui.tui.messages import PasteRefused
    from pettui.tui.user_session import UserSession
    from pettui.tui.widgets.prompts.api_key_prompt import KeyPrompt
    from pettui.tui.wording.text_runs import Section

Result = TypeVar("Result")


class StoreScreen(Screen[Result], Generic[Result]):
    """A screen on the store, for one person's session."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.EVERY_SCREEN)
    AUTO_FOCUS = ""  # each screen says where its keys go
    STOPS: ClassVar[str] = "put_away"  # the action that stops waiting for another try
    TITLE_TEXT: ClassVar[str] = ""
    TELLS_ONCE: ClassVar[bool] = True  # a notice is one line after the first time in a session

    def __init__(self, session: UserSession) -> None:
        super().__init__()
        self.session = session
        self.request = BackgroundRequest(self, self, session.look, self.STOPS)
        self.header = HeaderBar(
            session.look, session.settings.profile, session.location, self.TITLE_TEXT
        )
        self.header.staged = session.staged
        self.strip = ErrorBanner(session.look)
        self.notice_bar = NoticeBar(session, tells_once=self.TELLS_ONCE)
        self.status_line = StatusLine(session.look)
        self.key_bar = KeyBar(session.look)
        self.key_change = KeyChange(self, session, self.strip, self.show_failure)

    def on_mount(self) -> None:
        """Name other keys where others work."""
        self.bindings_updated_signal.subscribe(self, lambda _: self.show_facts())

    def on_resize(self, event: Resize) -> None:
        """Take the size that the terminal has, and none that it had before."""
        if not drop_former_size(self, event):
            self.call_after_refresh(self.room_changed)

    def on_screen_resume(self, event: ScreenResume) -> None:
        """Take the room that there is by now; Textual styles the whole screen next."""
        set_room(self, self.app.size, update=not event.refresh_styles)

    def on_faults_changed(self) -> None:
        """Say in the header what is staged now."""
        self.header.staged = self.session.staged

    def room_changed(self) -> None:
        """Show what there is room for now."""
        self.notice_bar.give_again()
        self.refresh_bindings()

    @property
    def warnings(self) -> list[str]:
        """Give what is always to be said here, one raw line each: keys that clash."""
        return clashes(self, self.session.settings.keys)

    @property
    def is_on_top(self) -> bool:
        """Say whether keys come here; to Textual's is_current the screen below is current too."""
        return self.app.screen is self

    def show_spinner(self, frame: str) -> None:
        """Turn it in the header."""
        self.header.waiting = frame

    def show_facts(self) -> None:
        """Draw what is said here; for the screens to fill."""

    def show_failure(self, error: PetClientError | Failure) -> None:
        """Put a failure on the strip."""
        self.strip.failure = error if isinstance(error, Failure) else failure_of(error)
        if self.strip.failure.is_unauthorized:
            self.session.refuse_key(error)
        elif isinstance(error, ErrorBodyError):
            self.session.is_key_refused = False  # the service came to what was asked
        self.refresh_bindings()

    def tell(self, title: str, text: str) -> None:
        """Put on the strip what could not be done, and cannot be asked for again."""
        self.show_failure(Failure(title, text, hint=""))

    def on_paste_refused(self, event: PasteRefused) -> None:
        """Say that nothing of a paste was taken, which the terminal's driver refused."""
        self.tell("Not pasted", too_long(event.size, event.maximum))

    def say(self, text: str) -> None:
        """Say something on the status line, until the next key."""
        self.status_line.said = text

    def clear_failure(self) -> None:
        """Take the strip away."""
        self.strip.failure = None
        self.refresh_bindings()

    def short_keys(self) -> tuple[str, ...]:
        """Return the hints of keys that the status line names where there is no key bar."""
        if not is_short(self):
            return ()
        named = self.strip.cut_sections() or self.notice_bar.cut_sections()
        waits = any(each.state is EntryState.WAITING for each in self.session.outbox.entries)
        takes_back = "{take_back} Take back" if waits else ""
        return tuple(hints(takes_back if named else f"{takes_back}  {WHOLE_TEXT}", self))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Offer a key only when there is something behind it."""
        if action == "view_answer":
            return bool(self.cut_sections())
        if action == "put_away":
            return self.strip.failure is not None or bool(self.request.waiting_for)
        if action == "enter_key":
            return self.needs_key and not self.is_asking_for_key
        return True

    @property
    def needs_key(self) -> bool:
        """Whether another key would help."""
        return self.key_change.is_needed

    async def action_put_away(self) -> None:
        """Stop waiting, or take the strip away; F5 still asks again."""
        if not self.request.waiting_for:
            self.clear_failure()
            return
        retry = self.request.pending_retry
        self.request.cancel()
        self.show_failure(
            retry.error if retry else Failure("Stopped", "the answer had not come yet")
        )

    # Another key

    @property
    def is_asking_for_key(self) -> bool:
        """Whether the prompt for another key is open."""
        return self.key_change.is_open

    async def action_enter_key(self) -> None:
        """Ask for another API key."""
        await self.key_change.open()

    async def on_key_prompt_given(self, message: KeyPrompt.Given) -> None:
        """Use the key from now on."""
        await self.key_change.use(message.key)

    async def on_key_prompt_left(self) -> None:
        """Go on without."""
        await self.key_change.leave()

    # The whole of what is cut

    def cut_sections(self) -> list[Section]:
        """Return the whole of what this screen has no room for."""
        widgets = (self.strip, self.notice_bar, self.status_line)
        return [
            section for widget in widgets if widget.display for section in widget.cut_sections()
        ]

    def action_view_answer(self) -> None:
        """Look at the whole of what is cut, and the beginning of what came instead of an answer."""
        from pettui.tui.screens.boxes.text_view import TextViewScreen

        if sections := self.cut_sections():
            self.app.push_screen(TextViewScreen(self.session.look, sections))

    async def on_error_banner_clicked(self) -> None:
        """Ask again."""
        await self.run_action("refresh")
