"""BaseApp: an app that handles keys in order and shows notifications in its own lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.binding import Binding
from textual.content import Content

from pettui.tui.key_order import OrderedKeys
from pettui.tui.keys import is_declared, key_of
from pettui.tui.screens.boxes import BoxScreen
from pettui.tui.screens.pet_list import PetListScreen, is_on_rows
from pettui.tui.screens.screen import AppScreen
from pettui.tui.textual_app import TextualApp
from pettui.tui.widgets.line_widget import LineStyles
from pettui.tui.widgets.pet_table import PetTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.notifications import SeverityLevel

    from pettui.tui.key_order import KeyDone, KeyQueue, Wait
    from pettui.tui.user_session import UserSession

UNBOUND_MAXIMUM = 100  # different unbound keys that get a message


class BaseApp(TextualApp, LineStyles):
    """Shows each notification until the next key."""

    session: UserSession

    def __init__(self) -> None:
        super().__init__()
        self._keys = OrderedKeys(
            self, self._move_at_once, self._forward, self._clear_message, self._what_keys_wait_for
        )
        self._unbound: set[str] = set()  # unbound keys that were reported
        self.is_asked_to_end = False  # by a signal, or since the terminal is gone

    # Keys

    async def _move_at_once(self, key: str) -> bool:
        """Run the action of a key that is the table's own, unless something is under way.

        The way through the screen and back is a third of what a move of the cursor costs. Nothing
        is overtaken: all messages that were posted before are handled.
        """
        table = self.focused
        if not isinstance(table, PetTable) or table.is_loading or self.message_queue_size:
            return False
        bound = self.bound_to(key, priority=False)
        if not bound or bound[0][0] is not table or self.bound_to(key, priority=True):
            return False
        if not self.is_at_rest:
            return False
        return self.app_focus and await self.run_action(bound[0][1].action, table)

    async def _forward(self, event: events.Event) -> None:
        """Let Textual handle an event, unless it is a key that the screen does not take yet."""
        if (
            isinstance(event, events.Key | events.Paste)
            and not event.is_forwarded
            and isinstance(screen := self.screen, AppScreen | BoxScreen)
            and not await screen.before_key(event)
        ):
            return
        await super().on_event(event)

    def _what_keys_wait_for(self, event: events.Key | events.Paste) -> Wait | None:
        """Return what waits for the prompt for a missing API key, or for the first animals.

        What is typed before the prompt is there may be the key.
        """
        screen = self.screen
        if not isinstance(screen, PetListScreen):
            return None
        if screen.is_key_missing:
            return screen.key_prompt_opened
        return self._wait_for_rows(screen, event.key) if isinstance(event, events.Key) else None

    def _wait_for_rows(self, screen: PetListScreen, key: str) -> Wait | None:
        """Return what waits for the first animals, if a key acts on one before there is any."""
        if screen.have_rows_come:
            return None
        if self.focused not in (None, screen.table):
            return None
        bound = self.bound_to(key, priority=False)
        # While the screen opens, nothing has the focus, and the table's keys have no binding.
        is_early = is_on_rows(bound[0][1].action) if bound else self.focused is None
        return screen.wait_for_rows if is_early else None

    def report_unbound(self, key: str) -> None:
        """Show that a key does nothing, the first time.

        A box shows its keys in the line where this would be.
        """
        is_new = key not in self._unbound and len(self._unbound) < UNBOUND_MAXIMUM
        if (
            is_new
            and isinstance(self.screen, AppScreen)
            and not is_declared(self.screen, key, self.rebound)
        ):
            self._unbound.add(key)
            self._show_message(f"{self.get_key_display(Binding(key, ''))} does nothing here")

    def action_focus_next(self) -> None:
        """Go to the next field, or report that there is none."""
        self._move_focus("tab", self.screen.focus_next)

    def action_focus_previous(self) -> None:
        """Go to the field before, or report that there is none."""
        self._move_focus("shift+tab", self.screen.focus_previous)

    def _move_focus(self, key: str, move: Callable[[], object]) -> None:
        before = self.focused
        move()
        if self.focused is before:
            self.report_unbound(key)

    @property
    def key_queue(self) -> KeyQueue:
        """The queue of keys that wait for the one before."""
        return self._keys.queue

    async def on_event(self, event: events.Event) -> None:
        """Queue a key or a paste until the one before is done."""
        if isinstance(event, events.Key | events.Paste):
            await self._keys.handle(event)
        else:
            await super().on_event(event)

    async def on_key_done(self, message: KeyDone) -> None:
        """Handle the next key."""
        await self._keys.done(message.number)

    def get_key_display(self, binding: Binding) -> str:
        """Return a key as it is shown: F5, esc, the arrows."""
        glyphs = self.session.glyphs
        if binding.key in glyphs.keys:
            return glyphs.keys[binding.key]
        if binding.key[0] == "f" and binding.key[1:].isdigit():
            return binding.key.upper()
        return glyphs.safe(super().get_key_display(binding))

    # Ending

    def end(self) -> None:
        """End the app once the keys typed so far have taken effect, or after some seconds.

        A signal, or a terminal that goes away, would otherwise overtake keys that wait for a screen
        to open.
        """
        self.is_asked_to_end = True
        if not self.has_terminal or not self.screen_stack:  # no key was handled yet
            self.exit()
        else:
            self._keys.exit_after_all()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow suspending the program only where a shell can continue it."""
        if action == "suspend_process":
            return self.can_suspend
        return super().check_action(action, parameters)

    def action_help_quit(self) -> None:
        """Show how to quit in the screen's own line; Textual would show a toast over it."""
        key = key_of(self.screen, "quit") or self._key_anywhere
        self._show_message(f"{key} quits")

    @property
    def _key_anywhere(self) -> str:
        """The key that quits on every screen, boxes included."""
        key = self.session.settings.keys.get("quit_anywhere", "ctrl+q").partition(",")[0]
        return key.upper() if key[0] == "f" and key[1:].isdigit() else key

    # Notifications

    def notify(
        self,
        message: str,
        *,
        title: str = "",  # noqa: ARG002
        severity: SeverityLevel = "information",  # noqa: ARG002
        timeout: float | None = None,  # noqa: ARG002
        markup: bool = True,
    ) -> None:
        """Show in the screen's own line what Textual would show in a toast."""
        self._show_message(Content.from_markup(message).plain if markup else message)

    def _show_message(self, text: str) -> None:
        if isinstance(self.screen, AppScreen | BoxScreen):
            self.screen.show_message(self.session.glyphs.line(text))

    def _clear_message(self, event: events.Key | events.Paste) -> None:
        """Clear the message before a key, unless that shows the whole of it."""
        bound = self.bound_to(event.key, priority=False) if isinstance(event, events.Key) else []
        if not any(binding.action == "view_full_text" for _, binding in bound):
            self._show_message("")
