"""BaseApp: an app whose keys are done in order, and which says on its own lines what there is.

Names of Textual's that are not public stand here, and nowhere else in this room. Where one is gone
``tests/tui/test_private_names.py`` fails, and this breaks:

- ``App._handle_exception`` is told of each bug. Where it is gone, a bug ends the app without a
  report. A traceback, which holds keys, is not printed even then: Textual's console for it is mute.
- ``App._exception`` and ``_exception_event``: by them ``App.run_test`` raises what the app did not.
- ``App._return_code``: that the app did not end well.
- ``App._exit``: that it was asked to end; without it a screen that was still opening is a bug.
- ``App._driver``: whether there is a terminal yet, and a shell that Ctrl+Z can go back to.
- ``App._register_child`` is told of each screen and widget, and ``_bindings`` are the keys of one:
  without them keys cannot be moved.
- ``App._check_bindings`` does what a key is bound to, and returns whether there was anything:
  without it a key that nothing is bound to says nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.css.query import NoMatches
from textual.dom import NoScreen
from textual.worker import WorkerFailed

from pettui.tui.keys.available_actions import key_of
from pettui.tui.keys.bindings import normal_keys
from pettui.tui.keys.key_clashes import is_declared
from pettui.tui.keys.ordered_keys import OrderedKeys
from pettui.tui.screens.boxes.box_screen import BoxScreen
from pettui.tui.screens.store_screen import StoreScreen
from pettui.tui.widgets.line_styles import LineStyles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.dom import DOMNode
    from textual.notifications import SeverityLevel
    from textual.widget import Widget

    from pettui.tui.keys.key_queue import KeyDone, KeyOrder
    from pettui.tui.user_session import UserSession


UNBOUND_MAXIMUM = 100  # keys of which it is said that nothing is bound to them


class BaseApp(LineStyles):
    """What is said stands there until the next key."""

    session: UserSession

    def __init__(self) -> None:
        super().__init__()
        self.error_console = Console(quiet=True)
        self.failure: Exception | None = None  # a bug of ours that ended the app
        self._keys = OrderedKeys(self, super().on_event, self._unsay)
        self._moved: Mapping[str, str] = {}  # keys by the names of their bindings
        self._unbound: set[str] = set()  # keys of which that was said
        self.is_asked_to_end = False  # from outside of it

    # Keys

    def move_keys(self, keys: Mapping[str, str]) -> None:
        """Let actions have other keys, before there is a screen.

        Textual's own keymap counts only after it took those keys out that a field types (8.2.8): a
        letter would act in the middle of a name, and F10 in place of a colon do nothing there.

        Args:
            keys: by the names of their bindings.
        """
        self._moved = {name: normal_keys(each) for name, each in keys.items()}
        self._bindings.apply_keymap(self._moved)

    def _register_child(
        self, parent: DOMNode, child: Widget, before: int | None, after: int | None
    ) -> None:
        if self._moved:
            child._bindings.apply_keymap(self._moved)  # noqa: SLF001 - it has no public name
        super()._register_child(parent, child, before, after)

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """Do what a key is bound to; of one that nothing is bound to, say so, the first time."""
        is_done = await super()._check_bindings(key, priority)
        is_new = key not in self._unbound and len(self._unbound) < UNBOUND_MAXIMUM
        if not is_done and not priority and is_new:
            self._tell_unbound(key)
        return is_done

    def _tell_unbound(self, key: str) -> None:
        # A box names its keys where this would be said.
        if isinstance(self.screen, StoreScreen) and not is_declared(self.screen, key, self._moved):
            self._unbound.add(key)
            self._say(f"{self.get_key_display(Binding(key, ''))} does nothing here")

    @property
    def key_order(self) -> KeyOrder:
        """The keys that wait."""
        return self._keys.order

    async def on_event(self, event: events.Event) -> None:
        """Hold a key or a paste back until the one before is done."""
        if isinstance(event, events.Key | events.Paste):
            await self._keys.take(event)
        else:
            await super().on_event(event)

    async def on_key_done(self, message: KeyDone) -> None:
        """Let the next key go on."""
        await self._keys.done(message.number)

    def get_key_display(self, binding: Binding) -> str:
        """Return a key as people write it: F5, esc, the arrows."""
        look = self.session.look
        if binding.key in look.keys:
            return look.keys[binding.key]
        if binding.key[0] == "f" and binding.key[1:].isdigit():
            return binding.key.upper()
        return look.safe(super().get_key_display(binding))

    # Ending

    def end(self) -> None:
        """End the app from outside of it, once what was typed by now has taken effect, or soon.

        A signal, or a terminal that goes away, overtakes the keys that wait for a screen to open.
        """
        self.is_asked_to_end = True
        if self._driver is None or not self.screen_stack:  # no key was taken yet
            self.exit()
        else:
            self._keys.end_after_all()

    def _handle_exception(self, error: Exception) -> None:
        """Close, and keep the error for whoever ran the app.

        Textual would print a traceback, with the values of variables: keys among them. A screen
        that was still opening when the app was asked to end finds its widgets gone: no bug.
        """
        if self._exit and isinstance(error, NoScreen | NoMatches):
            return
        self._return_code = 1
        if isinstance(error, WorkerFailed):
            # It was never raised: what the worker raised stands in no traceback but its own.
            error.__cause__ = error.error
        if self._exception is None:
            self._exception = self.failure = error
            self._exception_event.set()
        self.panic()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to suspend the program where there is a shell to continue it."""
        if action == "suspend_process":
            return self._driver is not None and self._driver.can_suspend
        return super().check_action(action, parameters)

    def action_help_quit(self) -> None:
        """Say how to quit, on the screen; Textual would show a toast over it."""
        key = key_of(self.screen, "quit") or self._key_anywhere
        self._say(f"{key} quits")

    @property
    def _key_anywhere(self) -> str:
        """The key that quits wherever one is, boxes included."""
        key = self.session.settings.keys.get("quit_anywhere", "ctrl+q").partition(",")[0]
        return key.upper() if key[0] == "f" and key[1:].isdigit() else key

    # Saying

    def notify(
        self,
        message: str,
        *,
        title: str = "",  # noqa: ARG002
        severity: SeverityLevel = "information",  # noqa: ARG002
        timeout: float | None = None,  # noqa: ARG002
        markup: bool = True,
    ) -> None:
        """Say on the screen's own lines what Textual would show in a toast over them."""
        self._say(Content.from_markup(message).plain if markup else message)

    def _say(self, text: str) -> None:
        if isinstance(self.screen, StoreScreen | BoxScreen):
            self.screen.say(self.session.look.line(text))

    def _unsay(self) -> None:
        """Take away what was said once: with the next key it is read."""
        self._say("")
