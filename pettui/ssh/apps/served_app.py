"""ServedApp: a Textual app that is fit to be one of many in a process, on channels, not terminals.

Any app is one with this class before its own: ``class Served(ServedApp[None], TheApp)``.

Of Textual's own it uses, and ``tests/ssh/apps/test_private_names.py`` fails without them:

- ``App._capture_stdout``, ``_capture_stderr``: where they change, apps that end leave the process's
  streams redirected to one that is no more.
- ``App._thread_init``, ``_context``, ``_process_messages``, ``_shutdown``, ``_loop``,
  ``_thread_id``: what ``run_async`` does, which would set a task factory for the whole loop.
- ``App._exception``: where it changes, nobody is told of a bug that ended an app.
- ``Screen._compositor``: where it changes, the first frame is drawn in parts.
- ``App._set_pointer_shape``: where it changes, clients get a sequence that few terminals know.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rich.console import Console
from textual.app import ReturnType

from pettui.ssh.apps.shared_stylesheet import SharedStylesheet
from pettui.terminal.cell_app import CellApp
from pettui.terminal.channel_driver import ChannelDriver
from pettui.terminal.output.compositor import PieceCompositor

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen

    from pettui.ssh.apps.routed_prints import RoutedPrints
    from pettui.ssh.apps.shared_stylesheet import ParsedStyles


class ServedApp(CellApp[ReturnType]):
    """One user's app among many of one process."""

    takes_mouse: bool = True  # where the terminal has one; an app may say otherwise before it runs

    def share(self, prints: RoutedPrints, styles: ParsedStyles) -> None:
        """Use what all apps of the process use; before the app runs.

        Textual redirects the process's streams for as long as an app lives. Apps end in any order,
        and would leave each other's behind: all have the same. A traceback with the values of
        variables would be printed on the server's terminal.
        """
        self.error_console = Console(quiet=True)
        self._capture_stdout = self._capture_stderr = prints  # type: ignore[assignment]
        self.stylesheet = SharedStylesheet(self.get_css_variables(), styles)

    @property
    def channel_driver(self) -> ChannelDriver | None:
        """The driver, once there is one."""
        driver = self.cell_driver
        return driver if isinstance(driver, ChannelDriver) else None

    @property
    def is_ending(self) -> bool:
        """Whether the app was asked to end, or ends by a bug."""
        return self.return_code is not None

    @property
    def bug(self) -> Exception | None:
        """The exception that ended the app."""
        return self._exception

    @property
    def pending_events(self) -> int:
        """How many keys and the like the app was given and has not come to yet."""
        return self.message_queue_size

    def request_end(self) -> None:
        """Have the app end, from outside of it."""
        self.exit()

    def caught_up(self) -> None:
        """Draw what was held back while the client was behind."""
        if (driver := self.channel_driver) is not None:
            driver.caught_up()

    def hold_frames(self, screen: Screen[Any], longest: float) -> Callable[[], None]:
        """Draw nothing of a screen for now; return what lets the next change be drawn, with all.

        Args:
            screen: that is not drawn yet.
            longest: seconds, after which it is drawn anyway.
        """
        compositor = screen._compositor  # noqa: SLF001
        if not isinstance(compositor, PieceCompositor):
            return lambda: None
        compositor.is_held = True

        def release() -> None:
            compositor.is_held = False

        def draw() -> None:
            if compositor.is_held:
                release()
                screen.refresh()

        self.set_timer(longest, draw)
        return release

    async def run_on_channel(self, size: tuple[int, int]) -> None:
        """Run until the app ends.

        Args:
            size: columns and rows.
        """
        self._thread_init()  # type: ignore[no-untyped-call]
        self._loop = asyncio.get_running_loop()
        with self._context():
            try:
                await self._process_messages(mouse=self.takes_mouse, terminal_size=size)
            finally:
                with suppress(asyncio.CancelledError):
                    await asyncio.shield(self._shutdown())
                self._loop = None
                self._thread_id = 0

    def _set_pointer_shape(self, shape: str) -> None:
        """Leave the pointer as it is."""
