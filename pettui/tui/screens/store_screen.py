"""StoreScreen: what every screen has: header, error banner, notices, status line, key bar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from textual.screen import Screen

from pettui import actions
from pettui.client import ErrorBodyError
from pettui.outbox import OutboxError
from pettui.tui.appearance import fit_size, is_short, set_room
from pettui.tui.keys import bindings, clashes, hints
from pettui.tui.screens.api_key_change import ApiKeyChange
from pettui.tui.screens.background_request import BackgroundRequest
from pettui.tui.widgets.bars import FULL_TEXT, ErrorBanner, HeaderBar, KeyBar, NoticeBar, StatusLine
from pettui.tui.wording import Failure, failure_of, too_long, why_not_taken_back

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.events import Key, Paste, Resize, ScreenResume

    from pettui.client import PetClientError
    from pettui.tui.runs import Section
    from pettui.tui.user_session import PasteRefused, UserSession
    from pettui.tui.widgets.prompts.api_key_prompt import ApiKeyPrompt

Result = TypeVar("Result")


class StoreScreen(Screen[Result], Generic[Result]):
    """A screen of one user's session."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.EVERY_SCREEN, enter_key=("enter_key", "explain_no_key")
    )
    AUTO_FOCUS = ""  # each screen sets its own focus
    STOPS: ClassVar[str] = "put_away"  # the action that stops waiting for another attempt
    TITLE_TEXT: ClassVar[str] = ""
    SHOWS_NOTICES_ONCE: ClassVar[bool] = True  # later in a session a notice is one line

    def __init__(self, session: UserSession) -> None:
        super().__init__()
        self.session = session
        self.request = BackgroundRequest(self, self, session.glyphs, self.STOPS)
        self.header = HeaderBar(
            session.glyphs, session.settings.profile, session.location, self.TITLE_TEXT
        )
        self.header.staged = session.staged
        self.error_banner = ErrorBanner(session.glyphs)
        self.notice_bar = NoticeBar(session, shows_once=self.SHOWS_NOTICES_ONCE)
        self.status_line = StatusLine(session.glyphs)
        self.key_bar = KeyBar(session.glyphs)
        self._is_update_due = False  # since other keys work
        self.key_change = ApiKeyChange(self, session, self.error_banner, self.show_failure)

    def on_mount(self) -> None:
        """Update the hints whenever other keys work."""
        self.bindings_updated_signal.subscribe(self, self._bindings_changed, immediate=True)

    def _bindings_changed(self, _: Screen[Any]) -> None:
        """Update once for all changes of one handler; opening a screen makes three at a time."""
        self.key_bar.left_out = () if self.key_change.is_needed else ("enter_key",)
        if not self._is_update_due:
            self._is_update_due = True
            self.call_next(self._update_hints)

    def _update_hints(self) -> None:
        self._is_update_due = False
        self.update_status()

    def on_resize(self, event: Resize) -> None:
        """Lay out for the current size only, and not for earlier ones."""
        if fit_size(self, event):
            self.call_after_refresh(self.room_changed)

    def on_screen_resume(self, event: ScreenResume) -> None:
        """Adapt to the current size; Textual restyles the whole screen next."""
        set_room(self, self.app.size, update=not event.refresh_styles)

    def on_faults_changed(self) -> None:
        """Show in the header which faults are staged."""
        self.header.staged = self.session.staged

    def room_changed(self) -> None:
        """Adapt to a new size."""
        self.notice_bar.show_again()
        self.refresh_bindings()

    @property
    def warnings(self) -> list[str]:
        """Permanent notices of this screen, one raw line each: keys that clash."""
        return clashes(self, self.session.settings.keys)

    @property
    def is_on_top(self) -> bool:
        """Whether this screen gets the keys; is_current is true below a modal screen too."""
        return self.app.screen is self

    def show_spinner(self, frame: str) -> None:
        """Show a frame of the spinner in the header."""
        self.header.spinner = frame

    def update_status(self) -> None:
        """Update the status line; for subclasses."""

    def show_failure(self, error: PetClientError | Failure) -> None:
        """Show a failure in the banner."""
        self.error_banner.failure = error if isinstance(error, Failure) else failure_of(error)
        if self.error_banner.failure.is_unauthorized:
            self.session.refuse_key(error)
        elif isinstance(error, ErrorBodyError):
            self.session.is_key_refused = False  # the service accepted the key
        self.refresh_bindings()

    def show_problem(self, title: str, text: str) -> None:
        """Show in the banner why something could not be done; F5 does not retry it."""
        self.show_failure(Failure(title, text, hint=""))

    def on_paste_refused(self, event: PasteRefused) -> None:
        """Show that the terminal driver refused a paste."""
        self.show_problem("Not pasted", too_long(event.size, event.maximum))

    def show_message(self, text: str) -> None:
        """Show a message on the status line until the next key."""
        self.status_line.message = text

    def clear_failure(self) -> None:
        """Close the banner."""
        self.error_banner.failure = None
        self.refresh_bindings()

    def short_keys(self) -> tuple[str, ...]:
        """Return the hints that the status line shows when there is no key bar."""
        if not is_short(self):
            return ()
        is_cut = self.error_banner.cut_sections() or self.notice_bar.cut_sections()
        takes_back = "{take_back} Take back" if self.session.outbox.can_take_back else ""
        return tuple(hints(takes_back if is_cut else f"{takes_back}  {FULL_TEXT}", self))

    async def before_key(self, event: Key | Paste) -> bool:  # noqa: ARG002 - for subclasses
        """Prepare for a key or a paste; return False where it comes too early to be handled."""
        return True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Whether an action would do something now."""
        if action == "view_full_text":
            return bool(self.cut_sections())
        if action in ("take_back", "explain_too_late"):
            return self.session.outbox.can_take_back == (action == "take_back")
        if action == "put_away":
            return self.error_banner.failure is not None or bool(self.request.busy_text)
        if action == "enter_key":
            return self.session.can_change_key and not self.key_change.is_open
        if action == "explain_no_key":
            return not self.session.can_change_key
        return True

    async def action_put_away(self) -> None:
        """Stop the request, or close the banner; F5 still retries."""
        if not self.request.busy_text:
            self.clear_failure()
            return
        retry = self.request.pending_retry
        self.request.cancel()
        self.show_failure(retry.error if retry else Failure("Stopped", "there was no response yet"))

    async def action_take_back(self) -> None:
        """Bring the newest unsent entry back into the form, where a screen has a key for it."""
        try:
            entry = await self.session.outbox.take_back()
        except OutboxError as error:
            self.show_problem("Can't take it back", str(error))
            return
        if entry is None:
            self.action_explain_too_late()
        else:
            await self.run_action("app.open_form")

    def action_explain_too_late(self) -> None:
        """Show why nothing can be taken back."""
        self.show_problem("Can't take it back", why_not_taken_back(self.session.outbox))

    # Changing the API key

    async def action_enter_key(self) -> None:
        """Open the prompt for another API key."""
        await self.key_change.open()

    def action_explain_no_key(self) -> None:
        """Show why there is no key to change."""
        self.show_message("this store has no API key")

    async def on_api_key_prompt_submitted(self, message: ApiKeyPrompt.Submitted) -> None:
        """Use the new key, and refresh."""
        is_used = await self.key_change.use(message.key)
        if is_used and not await self.app.run_action("refresh", self):
            self.show_message("API key changed")

    async def on_api_key_prompt_cancelled(self) -> None:
        """Close the prompt."""
        await self.key_change.close()

    # Texts that are cut

    def cut_sections(self) -> list[Section]:
        """Return the full texts that this screen cuts."""
        widgets = (self.error_banner, self.notice_bar, self.status_line)
        return [
            section for widget in widgets if widget.display for section in widget.cut_sections()
        ]

    def action_view_full_text(self) -> None:
        """Show the texts that are cut, and the excerpt of an unexpected response."""
        from pettui.tui.screens.boxes import TextViewScreen

        if sections := self.cut_sections():
            self.app.push_screen(TextViewScreen(self.session.glyphs, sections))

    async def on_error_banner_clicked(self) -> None:
        """Retry."""
        await self.run_action("refresh")
