"""AppScreen: bars, keys, and what each screen has: a request, prompts, an API key.

From a 401 to another API key:

1. ``Request`` runs what a screen loads; ``PetClient`` raises a ``PetClientError`` of the 401.
2. ``request_failed`` has the session drop the last lists, and shows it in the banner
   (``failure_of``), whose keys name ``F7``.
3. ``F7`` opens an ``ApiKeyLine``; what is typed into it is posted once (``ApiKeyLine.Typed``).
4. ``UserSession.use_api_key`` makes a client with it, with which the outbox sends what waited.
5. ``request_again`` refreshes the screens below that have asked for anything, then this one.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeAlias, TypeVar

from textual import on
from textual.screen import Screen

from pettui.keyboard import actions
from pettui.tui.session.request import Request
from pettui.tui.session.session import EntryChanged, OutboxChanged, PasteRefused, UserSession
from pettui.tui.session.wording import FORM, too_long, why_not_taken_back
from pettui.tui.widgets.appearance import STYLES_OF_OTHER_SCREENS, fit_size, is_short, set_room
from pettui.tui.widgets.banners import FULL_TEXT, ErrorBanner, NoticeBar
from pettui.tui.widgets.bindings import bindings, hints, key_of
from pettui.tui.widgets.failures import CHANGE_KEY, Failure, failure_of, is_away
from pettui.tui.widgets.header import HeaderBar
from pettui.tui.widgets.prompt import ApiKeyLine, PromptPlace
from pettui.tui.widgets.status_line import KeyBar, StatusLine

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine

    from textual.binding import BindingType
    from textual.events import Key, Paste, Resize, ScreenResume
    from textual.types import CSSPathType
    from textual.widget import Widget
    from textual.worker import Worker

    from pettui.client import PetClientError
    from pettui.keyboard.actions import Action
    from pettui.tui.widgets.line_widget import CutsTexts
    from pettui.tui.widgets.runs import Section

STOPPED: Final = Failure("Stopped", "there was no response yet")
INVALID_KEY: Final = Failure("Invalid API key", "", hint=CHANGE_KEY, is_unauthorized=True)
NOT_TAKEN_BACK: Final = "Can't take it back"

Result = TypeVar("Result")
Asking: TypeAlias = "Callable[..., Coroutine[Any, Any, None]]"


def asks(action: Asking) -> Asking:
    """Have an action go on beside the keys, so that it can await the answer to a question.

    The next key waits until the action is done or asks, and again from the answer on.
    """

    @wraps(action)
    async def begin(node: AppScreen[Any], *args: object) -> None:  # or the app, or a box
        app, settled = node.app, node.session.key_queue.settled

        async def run() -> None:
            try:
                await action(node, *args)
            finally:
                settled.set()
            for screen in app.screen_stack[-1:]:
                if isinstance(screen, AppScreen):
                    screen.changed()

        settled.clear()
        _: Worker[None] = app.run_worker(run, group="asking")

    return begin


def why_not_on_the_list(screen: Screen[Any]) -> str | None:
    """Return why the list cannot be gone back to; None if it can."""
    below = (each for each in screen.app.screen_stack if isinstance(each, AppScreen))
    is_typed = any(each.HAS_FIELDS for each in below)
    return f"the {FORM} is open below: close it first" if is_typed else None


class AppScreen(Screen[Result], Generic[Result]):
    """A screen of one user's session."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.EVERY_SCREEN)
    DECLARED: ClassVar[tuple[Action, ...]] = ()  # its actions and those of its parts, if it has any
    CSS_PATH: ClassVar[CSSPathType | None] = STYLES_OF_OTHER_SCREENS
    AUTO_FOCUS = ""  # each screen sets its own focus
    STOPS: ClassVar[str] = "put_away"  # the action that stops waiting for another attempt
    TITLE_TEXT: ClassVar[str] = ""
    NAMES_REFUSED: ClassVar[bool] = False  # and says what adds wait for
    HAS_FIELDS: ClassVar[bool] = False  # in which letters are text
    RUNS_COMMANDS: ClassVar[bool] = False  # those of the user's own
    SHOWS_NOTICES_ONCE: ClassVar[bool] = True  # later in a session a notice is one line

    def __init__(self, session: UserSession) -> None:
        super().__init__()
        self.session = session
        self.request = Request(self, session.glyphs)
        self.header = HeaderBar(session, self.request, self.TITLE_TEXT, self.STOPS)
        self.error_banner = ErrorBanner(session)
        self.key_prompt = PromptPlace(self.error_banner, is_below=True)
        self.notice_bar = NoticeBar(session, shows_once=self.SHOWS_NOTICES_ONCE)
        self.status_line = StatusLine(session.glyphs)
        self.prompt = PromptPlace(self.status_line)
        self.key_bar = KeyBar(session.glyphs)
        bars = (self.error_banner, self.notice_bar, self.status_line)
        self.cutting: tuple[CutsTexts, ...] = (*bars, self.prompt)
        self._is_draw_due = False
        self._cuts = False  # a text, as of the newest drawing
        self._was_away = False  # the newest request did not reach the service

    def on_mount(self) -> None:
        """Update the hints whenever other keys work."""
        self.bindings_updated_signal.subscribe(self, self._bindings_changed, immediate=True)

    # Drawing: what is known is drawn once, after the handler that changed it, and before a key.
    # An action has changed something (``PetApp.run_action``), and so has a reactive with bindings.

    def draw(self) -> None:
        """Draw what is known; for subclasses."""

    def changed(self) -> None:
        """Draw what is known once what came before is handled; a key brings several messages."""
        if not self._is_draw_due:
            self._is_draw_due = True
            self.call_later(self.draw_if_due)

    def draw_if_due(self) -> None:
        """Draw now what has changed, and which keys work."""
        if self._is_draw_due and self.app.is_running and self in self.app.screen_stack:
            for _ in range(2):  # the second time with the key for the full text, or without
                self.draw()
                self.prompt.describe()
                before, self._cuts = self._cuts, bool(self.cut_sections())
                if self._cuts == before:
                    break
            self.refresh_bindings()
        self._is_draw_due = False

    def _bindings_changed(self, _: Screen[Any]) -> None:
        self.error_banner.show_hints()
        self.notice_bar.refresh()
        self.key_bar.left_out = self.idle_actions
        self.key_bar.refresh()
        self.changed()

    @property
    def idle_actions(self) -> Collection[str]:
        """The names of actions whose keys work, and are not worth their room in the key bar now."""
        failure = self.error_banner.failure
        is_refused = failure is not None and failure.is_unauthorized  # or was typed, and not sent
        return () if is_refused or self.session.is_api_key_needed else ("enter_key",)

    @on(EntryChanged)
    @on(OutboxChanged)
    def _draw_outbox(self) -> None:
        """Draw what follows from it; Textual calls this after a subclass's own handlers."""
        self.changed()

    def on_resize(self, event: Resize) -> None:
        """Lay out for the current size only, and not for earlier ones."""
        if fit_size(self, event):
            self.call_after_refresh(self.room_changed)

    def on_screen_resume(self, event: ScreenResume) -> None:
        """Adapt to the current size; Textual restyles the whole screen next, but for a new one."""
        if not self.outer_size:  # not laid out yet: all of it was styled when it was mounted
            event.refresh_styles = False
        set_room(self, self.app.size, update=not event.refresh_styles)

    def on_faults_changed(self) -> None:
        """Show in the header which faults are staged."""
        self.header.staged = self.session.staged

    def room_changed(self) -> None:
        """Adapt to a new size."""
        self.header.help_key = key_of(self, "help") if is_short(self) else ""  # there is no key bar
        self.notice_bar.show_again()
        self.changed()

    @property
    def is_on_top(self) -> bool:
        """Whether this screen gets the keys; is_current is true below a modal screen too."""
        return self.app.screen is self

    # The banner and the status line

    def request_succeeded(self, *, is_automatic: bool = False) -> bool:
        """Close the banner, and send what waits; return whether the service was away until now.

        Animals that wait for a key are sent only if the clerk asked for this request.
        """
        self.session.request_succeeded()
        self.session.outbox.sending.service_responded(is_automatic=is_automatic)
        self.error_banner.close()
        is_back, self._was_away = self._was_away, False
        return is_back

    def request_failed(self, error: PetClientError | Failure) -> None:
        """Show why a request failed or was stopped; a refused API key drops the last lists."""
        self.show_remark("")  # on a narrow screen it would hide that the rows are older
        if not isinstance(error, Failure):
            self._was_away = is_away(error)
            self.session.request_failed(error)
        self.error_banner.show(error if isinstance(error, Failure) else failure_of(error))

    def on_paste_refused(self, event: PasteRefused) -> None:
        """Show that the terminal driver refused a paste."""
        self.error_banner.show_problem("Not pasted", too_long(event.size, event.maximum))

    def show_remark(self, text: str) -> None:
        """Show a remark on the status line until the next key."""
        self.status_line.remark = text

    # Keys

    def short_keys(self) -> tuple[str, ...]:
        """Return the hints that the status line shows when there is no key bar."""
        if not is_short(self):
            return ()
        is_cut = self.error_banner.cut_sections() or self.notice_bar.cut_sections()
        takes_back = f"{{take_back}} {self.take_back_word}" if self.take_back_word else ""
        return tuple(hints(takes_back if is_cut else f"{takes_back}  {FULL_TEXT}", self))

    async def before_key(self, event: Key | Paste) -> bool:  # noqa: ARG002 - for subclasses
        """Prepare for a key or a paste; return False where it comes too early to be handled."""
        return True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Whether an action would do something now; None: it would not, and ``why_not`` knows."""
        if action == "put_away":
            return self.error_banner.failure is not None or self.request.is_shown
        if action == "enter_key" and self.key_prompt.is_open:
            return False
        return self.why_not(action) is None or None

    def why_not(self, action: str) -> str | None:
        """Return why the key of an action does nothing now, by its declared name; None for none."""
        if action == "take_back" and not self.take_back_word:
            return why_not_taken_back(self.session.outbox)
        if action == "enter_key" and not self.session.can_change_key:
            return "this store has no API key"
        if action == "view_full_text" and not self._cuts:
            return "no text is cut here"
        return None

    def explain(self, action: str) -> bool:
        """Show why the key of an action does nothing; return whether there is a reason."""
        if (reason := self.why_not(action)) is None:
            return False
        if action == "take_back":
            self.error_banner.show_problem(NOT_TAKEN_BACK, reason)
        else:
            self.show_remark(reason)
        return True

    async def action_put_away(self) -> None:
        """Stop the request, or close the banner; F5 still retries."""
        if not self.request.is_shown:
            self.error_banner.close()
            return
        retry = self.request.pending_retry
        self.request.cancel()
        self.request_failed(retry.error if retry else STOPPED)

    @property
    def take_back_word(self) -> str:
        """What the key for it would do; "" for nothing."""
        return actions.TAKE_BACK.label if self.session.outbox.waiting else ""

    async def action_take_back(self) -> None:
        """Bring the newest unsent entry back into the form, where a screen has a key for it."""
        is_taken = False
        with self.error_banner.showing_why(NOT_TAKEN_BACK):
            is_taken = await self.session.outbox.take_newest_back() is not None
            if not is_taken:
                self.explain("take_back")
        if is_taken:
            await self.run_action("app.open_form(False)")

    async def ask(self, title: str, text: str) -> bool:
        """Return whether somebody says yes; for an action that ``asks``."""
        from pettui.tui.screens import boxes

        return await boxes.ask(self.session, self.app, title, text)

    # Texts that are cut

    def cut_sections(self) -> list[Section]:
        """Return the full texts that this screen cuts."""
        return [section for each in self.cutting for section in each.cut_sections()]

    def action_view_full_text(self) -> None:
        """Show the texts that are cut, and the excerpt of an unexpected response."""
        from pettui.tui.screens.boxes import TextViewScreen

        if sections := self.cut_sections():
            self.app.push_screen(TextViewScreen(self.session.glyphs, sections))

    # The API key

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        """Focus a widget, as Textual does at a click too; beside an open prompt nothing is."""
        line = self.key_prompt.line
        if line is None or widget is None or line in widget.ancestors:
            super().set_focus(widget, scroll_visible, from_app_focus)

    async def action_enter_key(self) -> None:
        """Open the prompt for another API key, below the banner."""
        await self.key_prompt.ask(ApiKeyLine(self.session.glyphs))

    async def on_api_key_line_typed(self, message: ApiKeyLine.Typed) -> None:
        """Use the new key, if one was typed, for unsent animals too, and refresh all screens."""
        await self.key_prompt.close()
        if not message.key:
            return
        try:
            self.session.use_api_key(message.key)
        except ValueError as error:
            self.error_banner.show(INVALID_KEY._replace(message=str(error)))
            return
        for below in self.app.screen_stack:
            if isinstance(below, AppScreen) and below.request.has_begun and below is not self:
                await below.request_again()
        if not await self.request_again():
            self.error_banner.close()
            self.show_remark("API key changed")

    async def request_again(self) -> bool:
        """Refresh with another API key; return whether there is something to refresh."""
        self.request.outdate()
        return await self.app.run_action("refresh", self)
