"""BaseApp: an app that handles keys in order and shows notifications in its own lines.

The private names of Textual that this room uses are all in this module. If one of them goes,
``tests/tui/test_private_names.py`` fails, and this breaks:

- ``App._handle_exception`` is called for each bug. Without it a bug ends the app without a report.
  A traceback, which may hold API keys, is not printed even then: its console is quiet.
- ``App._exception`` and ``_exception_event``: ``App.run_test`` raises the app's errors from them.
- ``App._return_code``: the exit code after a bug.
- ``App._exit``: whether the app is exiting; without it a screen that was still opening looks like
  a bug.
- ``App._driver``: whether there is a terminal yet, and a shell that Ctrl+Z can return to.
- ``App._register_child`` is called for each screen and widget, and ``_bindings`` holds the keys of
  one: without them keys cannot be rebound.
- ``App._check_bindings`` runs a key's action, and returns whether it had one: without it an unbound
  key is silent.
- ``App._message_queue``, which each widget waits for while it has nothing to do: without it a key
  of the table may overtake an earlier message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.css.query import NoMatches
from textual.dom import NoScreen
from textual.worker import WorkerFailed

from pettui.tui.keys.available_actions import key_of
from pettui.tui.keys.bindings import normal_keys
from pettui.tui.keys.bound_actions import bound_actions
from pettui.tui.keys.key_clashes import is_declared
from pettui.tui.keys.ordered_keys import OrderedKeys
from pettui.tui.screens.boxes.box_screen import BoxScreen
from pettui.tui.screens.store_screen import StoreScreen
from pettui.tui.widgets.line_styles import LineStyles
from pettui.tui.widgets.pet_table import PetTable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.dom import DOMNode
    from textual.notifications import SeverityLevel
    from textual.widget import Widget

    from pettui.tui.keys.key_queue import KeyDone, KeyQueue
    from pettui.tui.user_session import UserSession


UNBOUND_MAXIMUM = 100  # different unbound keys that get a message


class BaseApp(LineStyles):
    """Shows each notification until the next key."""

    session: UserSession

    def __init__(self) -> None:
        super().__init__()
        self.error_console = Console(quiet=True)
        self.failure: Exception | None = None  # a bug of ours that ended the app
        self._keys = OrderedKeys(self, self._move_at_once, super().on_event, self._clear_message)
        self._rebound: Mapping[str, str] = {}  # keys by binding id
        self._unbound: set[str] = set()  # unbound keys that were reported
        self.is_asked_to_end = False  # by a signal, or since the terminal is gone

    # Keys

    def rebind_keys(self, keys: Mapping[str, str]) -> None:
        """Bind actions to other keys; call it before there is a screen.

        Textual (8.2.8) applies its own keymap only after removing the keys that a field types: a
        letter would run an action in the middle of a name, and F10 in place of a colon would do
        nothing there.

        Args:
            keys: by binding id.
        """
        self._rebound = {name: normal_keys(each) for name, each in keys.items()}
        self._bindings.apply_keymap(self._rebound)

    def _register_child(
        self, parent: DOMNode, child: Widget, before: int | None, after: int | None
    ) -> None:
        if self._rebound:
            child._bindings.apply_keymap(self._rebound)  # noqa: SLF001 - it has no public name
        super()._register_child(parent, child, before, after)

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """Run a key's action; report a key that has none, the first time."""
        is_done = await self._run_bound(key, priority=priority)
        is_new = key not in self._unbound and len(self._unbound) < UNBOUND_MAXIMUM
        if not is_done and not priority and is_new:
            self._report_unbound(key)
        return is_done

    async def _run_bound(self, key: str, *, priority: bool) -> bool:
        for node, binding in self._bound(key, priority=priority):
            if await self.run_action(binding.action, node):
                return True
        return False

    def _bound(self, key: str, *, priority: bool) -> list[tuple[DOMNode, Binding]]:
        focused = self.focused
        nodes = (self.screen, self) if focused is None else focused.ancestors_with_self
        chain = ((node, node._bindings) for node in nodes)  # noqa: SLF001 - as above
        return bound_actions(key, chain, priority=priority)

    async def _move_at_once(self, key: str) -> bool:
        """Run the action of a key that is the table's own, unless something is under way.

        The way through the screen and back is a third of what a move of the cursor costs. Nothing
        is overtaken: all messages that were posted before are handled.
        """
        table = self.focused
        if not isinstance(table, PetTable) or table.is_loading or self.message_queue_size:
            return False
        bound = self._bound(key, priority=False)
        if not bound or bound[0][0] is not table or self._bound(key, priority=True):
            return False
        if not all(map(self._is_at_rest, self.screen.walk_children(with_self=True))):
            return False
        return self.app_focus and await self.run_action(bound[0][1].action, table)

    @staticmethod
    def _is_at_rest(widget: DOMNode) -> bool:
        """Whether a widget has handled all its messages, and waits for the next."""
        posted: Any = widget._message_queue.ready_event  # noqa: SLF001 - as above
        return bool(posted._waiters) and not posted.is_set()  # noqa: SLF001 - asyncio's

    def _report_unbound(self, key: str) -> None:
        # A box shows its keys in the line where this would be.
        if isinstance(self.screen, StoreScreen) and not is_declared(
            self.screen, key, self._rebound
        ):
            self._unbound.add(key)
            self._show_message(f"{self.get_key_display(Binding(key, ''))} does nothing here")

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
        if self._driver is None or not self.screen_stack:  # no key was handled yet
            self.exit()
        else:
            self._keys.exit_after_all()

    def _handle_exception(self, error: Exception) -> None:
        """Close the app, and keep the error for its caller.

        Textual would print a traceback with the values of variables, API keys among them. A screen
        that is still opening while the app exits finds its widgets gone: that is no bug.
        """
        if self._exit and isinstance(error, NoScreen | NoMatches):
            return
        self._return_code = 1
        if isinstance(error, WorkerFailed):
            error.__cause__ = error.error  # Textual never raises it "from" the worker's own error
        if self._exception is None:
            self._exception = self.failure = error
            self._exception_event.set()
        self.panic()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow suspending the program only where a shell can continue it."""
        if action == "suspend_process":
            return self._driver is not None and self._driver.can_suspend
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
        if isinstance(self.screen, StoreScreen | BoxScreen):
            self.screen.show_message(self.session.glyphs.line(text))

    def _clear_message(self) -> None:
        self._show_message("")
