"""ServedApp: a Textual app on a channel, one of many in a process.

Any app becomes one with this as its first base: ``class Served(ServedApp[None], TheApp)``.

It uses these private names of Textual; ``tests/ssh/apps/test_private_names.py`` fails without them:

- ``App._capture_stdout``, ``_capture_stderr``: where they change, apps that end leave the process's
  streams redirected to a closed one.
- ``App._thread_init``, ``_context``, ``_process_messages``, ``_shutdown``, ``_loop``,
  ``_thread_id``: what ``run_async`` does, which would set a task factory for the whole loop.
- ``App._exception``: where it changes, bugs that end an app are not reported.
- ``App._set_pointer_shape``: where it changes, clients get a sequence that few terminals know.
- ``App._workers``, ``_register_child`` and ``_start_widget``, which are called for each screen and
  widget: without them an app that has ended is freed later.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from rich.console import Console
from textual.app import ReturnType

from pettui.ssh.apps.first_screen import FirstScreen
from pettui.ssh.apps.reference_cycles import Workers, take_apart
from pettui.ssh.apps.shared_stylesheet import SharedStylesheet
from pettui.terminal.cell_app import CellApp
from pettui.terminal.channel_driver import ChannelDriver

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.dom import DOMNode
    from textual.message import Message
    from textual.screen import Screen
    from textual.widget import Widget

    from pettui.ssh.apps.routed_prints import RoutedPrints
    from pettui.ssh.apps.shared_stylesheet import ParsedStyles

SOON = 0.05  # seconds until the first screen is drawn, for a user who sees nothing yet


class ServedApp(CellApp[ReturnType]):
    """One user's app, among others in its process."""

    takes_mouse: bool = True  # if the terminal has one; may be changed before the app runs

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Pass everything on to the app."""
        super().__init__(*arguments, **options)
        self.draws_before_user = True  # may be changed before it runs
        self._on_presented: Callable[[], None] = lambda: None
        self._first: FirstScreen | None = None
        self._has_user = self._is_behind = self._is_presented = False
        self._longest = SOON
        self._workers = Workers(self)
        self._all_nodes: WeakSet[DOMNode] = WeakSet()  # that it ever had, and that exist
        self._shutting_down: asyncio.Task[None] | None = None

    def _register_child(
        self, parent: DOMNode, child: Widget, before: int | None, after: int | None
    ) -> None:
        self._all_nodes.add(child)
        super()._register_child(parent, child, before, after)

    def _start_widget(self, parent: Widget, widget: Widget) -> None:
        self._all_nodes.add(widget)
        super()._start_widget(parent, widget)

    def take_apart(self) -> bool:
        """Let an app that has ended be freed; return False while some of it is still running."""
        is_shut_down = self._shutting_down is None or self._shutting_down.done()
        if self.workers or not is_shut_down:
            return False
        driver = self.channel_driver
        take_apart((*self._all_nodes, *filter(None, [driver]), self.animator, self))
        return True

    def share(self, prints: RoutedPrints, styles: ParsedStyles) -> None:
        """Use the resources that all apps of the process share; call it before the app runs.

        Textual redirects the process's streams while an app runs. Apps end in any order and would
        restore streams of other apps, so all use the same ones. Without the quiet console a
        traceback with local variables would be printed on the server's terminal.
        """
        self.error_console = Console(quiet=True)
        self._capture_stdout = self._capture_stderr = prints  # type: ignore[assignment]
        self.stylesheet = SharedStylesheet(self.get_css_variables(), styles)

    @property
    def channel_driver(self) -> ChannelDriver | None:
        """The driver; None before the app runs."""
        driver = self.cell_driver
        return driver if isinstance(driver, ChannelDriver) else None

    @property
    def is_ending(self) -> bool:
        """Whether the app was asked to end, or ends because of a bug."""
        return self.return_code is not None

    @property
    def bug(self) -> Exception | None:
        """The exception that ended the app."""
        return self._exception

    @property
    def pending_events(self) -> int:
        """How many keys and other messages are in the app's queue."""
        return self.message_queue_size

    @property
    def unhandled_input(self) -> Sequence[Message]:
        """The keys and pastes that an app which is to be restarted leaves to the next one."""
        return ()

    def request_end(self) -> None:
        """Ask the app to end; may be called from outside of its context."""
        self.exit()

    def caught_up(self) -> None:
        """Draw what was skipped while the client was behind."""
        if (driver := self.channel_driver) is not None:
            driver.caught_up()

    def hold_frames(self, screen: Screen[Any]) -> Callable[[], None]:
        """Hold back the frames of the first screen for a moment.

        Args:
            screen: that is not drawn yet.

        Returns:
            what releases them with the next change, to be called when all that it shows is there.
        """
        needs_user = not self.draws_before_user
        self._first = FirstScreen(self, screen, self.presented, needs_user=needs_user)
        if self._has_user:
            self._first.begin(is_behind=self._is_behind, longest=self._longest)
        return self._first.complete

    def begin(
        self, on_presented: Callable[[], None], *, is_behind: bool = False, longest: float = SOON
    ) -> None:
        """Begin with a user.

        Args:
            on_presented: called once when the user sees the first screen.
            is_behind: whether the terminal shows its first frame already, drawn by another app.
            longest: seconds until the first screen is drawn although something is missing.
        """
        self._has_user, self._is_behind, self._longest = True, is_behind, longest
        self._on_presented = on_presented
        if self._first is not None and self._first.is_held:
            self._first.begin(is_behind=is_behind, longest=longest)

    @property
    def is_drawn(self) -> bool:
        """Whether its first screen is drawn, or may be at any time."""
        return self._first is None or not self._first.is_held

    def presented(self) -> None:
        """Notice that the user sees the first screen."""
        if not self._is_presented:
            self._is_presented = True
            self._on_presented()

    def post_display_hook(self) -> None:
        """Notice the first frame."""
        if not self._is_presented and self._has_user and self.is_running and self.is_drawn:
            self.presented()

    async def run_on_channel(self, size: tuple[int, int]) -> None:
        """Run the app until it ends.

        Args:
            size: columns and rows.
        """
        self._thread_init()  # type: ignore[no-untyped-call]
        self._loop = asyncio.get_running_loop()
        with self._context():
            try:
                await self._process_messages(mouse=self.takes_mouse, terminal_size=size)
            finally:
                if self._first is not None:
                    self._first.stop()
                # If it is cancelled now, the rest of the app still ends by itself.
                self._shutting_down = asyncio.create_task(self._shutdown(), name="app shutdown")
                with suppress(asyncio.CancelledError):
                    await asyncio.shield(self._shutting_down)
                self._loop = None
                self._thread_id = 0

    def _set_pointer_shape(self, shape: str) -> None:
        """Do nothing: few terminals know the sequence."""
