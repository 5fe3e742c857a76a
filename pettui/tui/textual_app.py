"""TextualApp: offers under public names what Textual has under private ones.

All private names that this room uses are in this module. If one of them goes,
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
- ``App._disable_notifications`` and ``_disable_tooltips``: without them each screen has two more
  widgets, which show nothing here, a tenth of what it takes to open.
- ``App._check_bindings`` runs a key's action, and returns whether it had one: without it an unbound
  key is silent.
- ``App._message_queue``, and in it ``Event._waiters`` of asyncio: each widget waits for its queue
  while it has nothing to do. Without them a key of the table may overtake an earlier message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from textual.app import App
from textual.css.query import NoMatches
from textual.dom import NoScreen
from textual.worker import WorkerFailed

from pettui.tui.keys import bound_actions, normal_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.binding import Binding
    from textual.dom import DOMNode
    from textual.widget import Widget


class TextualApp(App[None]):
    """An app whose keys can be rebound, and which keeps its bugs for its caller."""

    def __init__(self) -> None:
        super().__init__()
        self.error_console = Console(quiet=True)
        self._disable_notifications = self._disable_tooltips = True
        self.failure: Exception | None = None  # a bug of ours that ended the app
        self.rebound: Mapping[str, str] = {}  # keys by binding id

    # The terminal

    @property
    def has_terminal(self) -> bool:
        """Whether the app has begun to read keys."""
        return self._driver is not None

    @property
    def can_suspend(self) -> bool:
        """Whether a shell can continue the program once it is suspended."""
        return self._driver is not None and self._driver.can_suspend

    # Keys

    def rebind_keys(self, keys: Mapping[str, str]) -> None:
        """Bind actions to other keys; call it before there is a screen.

        Textual (8.2.8) applies its own keymap only after removing the keys that a field types: a
        letter would run an action in the middle of a name, and F10 in place of a colon would do
        nothing there.

        Args:
            keys: by binding id.
        """
        self.rebound = {name: normal_keys(each) for name, each in keys.items()}
        self._bindings.apply_keymap(self.rebound)

    def _register_child(
        self, parent: DOMNode, child: Widget, before: int | None, after: int | None
    ) -> None:
        if self.rebound:
            child._bindings.apply_keymap(self.rebound)  # noqa: SLF001 - it has no public name
        super()._register_child(parent, child, before, after)

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        for node, binding in self.bound_to(key, priority=priority):
            if await self.run_action(binding.action, node):
                return True
        if not priority:
            self.report_unbound(key)
        return False

    def report_unbound(self, key: str) -> None:
        """Report a key that had no action; for subclasses."""

    def bound_to(self, key: str, *, priority: bool) -> list[tuple[DOMNode, Binding]]:
        """Return the bindings of a key, each with its widget, from the focused one upwards."""
        focused = self.focused
        nodes = (self.screen, self) if focused is None else focused.ancestors_with_self
        chain = ((node, node._bindings) for node in nodes)  # noqa: SLF001 - as above
        return bound_actions(key, chain, priority=priority)

    @property
    def is_at_rest(self) -> bool:
        """Whether the screen and its widgets have handled all messages that were posted."""
        return all(map(self._waits, self.screen.walk_children(with_self=True)))

    @staticmethod
    def _waits(widget: DOMNode) -> bool:
        """Whether a widget has handled all its messages, and waits for the next."""
        posted: Any = widget._message_queue.ready_event  # noqa: SLF001 - as above
        return bool(posted._waiters) and not posted.is_set()  # noqa: SLF001 - asyncio's

    # Bugs

    def _handle_exception(self, error: Exception) -> None:
        """Close the app, and keep the error for its caller.

        Textual would print a traceback with the values of variables, API keys among them. A screen
        that is still opening while the app exits, or is cancelled, finds its widgets gone: that is
        no bug.
        """
        if (self._exit or not self.is_running) and isinstance(error, NoScreen | NoMatches):
            return
        self._return_code = 1
        if isinstance(error, WorkerFailed):
            error.__cause__ = error.error  # Textual never raises it "from" the worker's own error
        if self._exception is None:
            self._exception = self.failure = error
            self._exception_event.set()
        self.panic()
