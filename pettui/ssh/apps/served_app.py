"""The app that is fit to be one of many in a process, on a channel in place of a terminal."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType

from pettui.ssh.apps.shared_stylesheet import SharedStylesheet
from pettui.terminal.cell_app import CellApp
from pettui.terminal.channel_driver import ChannelDriver
from pettui.terminal.compositor import PieceCompositor
from pettui.tui import app as app_module
from pettui.tui.app import PetApp
from pettui.tui.screens.confirmation import ConfirmationScreen
from pettui.tui.screens.listing_screen import ListingScreen

if TYPE_CHECKING:
    from textual.css.model import RuleSet
    from textual.screen import Screen

    from pettui.ssh.apps.dependencies import Dependencies
    from pettui.ssh.apps.routed_prints import RoutedPrints

GREETING = (
    "A demo, for you alone: it is gone when you leave.  {reset_demo} starts over,"
    "  {put_away} puts this away."
)
LOST = "What was added here is lost; the sample animals come back."
RESET = 75  # the return code of an app whose person asked for a fresh demo
SOON = 0.05  # seconds until the first picture, where there are no animals by then
FRESH = timedelta(seconds=10)  # how old a list may be when somebody comes


class ServedApp(CellApp[None], PetApp):
    """One person's app among many of one process."""

    CSS_PATH = str(Path(app_module.__file__).with_name("pettui.tcss"))  # not beside this module
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f9", "reset_demo", "Start the demo over", show=False, id="reset_demo"),
    ]

    def __init__(
        self, parts: Dependencies, rules: dict[Any, list[RuleSet]], prints: RoutedPrints
    ) -> None:
        super().__init__(parts.client, parts.settings, outbox=parts.outbox)
        self.session.person = parts.shown_name
        self._is_demo = parts.is_demo
        self.session.greeting = GREETING if parts.is_demo else ""
        self.animation_level = "none"
        # Textual redirects the process's streams to these for as long as the app lives; apps end
        # in any order, and would leave each other's behind.
        self._capture_stdout = self._capture_stderr = prints  # type: ignore[assignment]
        self.stylesheet = SharedStylesheet(self.get_css_variables(), rules)

    @property
    def channel_driver(self) -> ChannelDriver | None:
        """Give the driver, once there is one."""
        return self._driver if isinstance(self._driver, ChannelDriver) else None

    @property
    def is_ending(self) -> bool:
        """Say whether the app was asked to end."""
        return self._exit

    @property
    def waiting(self) -> int:
        """Count the keys and the like that the app was given and has not come to yet."""
        return len(self.session.key_order) + self._message_queue.qsize()

    def caught_up(self) -> None:
        """Draw what was held back while the client was behind."""
        if (driver := self.channel_driver) is not None:
            driver.caught_up()

    def welcome(self) -> None:
        """Ask for the animals again where they have stood there for a while."""
        screen = self.screen
        if not isinstance(screen, ListingScreen) or screen.listing is None:
            return
        age = self.session.clock.now() - screen.listing.answered_at
        if age > FRESH:
            screen.action_refresh()

    async def run_on_channel(self, size: tuple[int, int], *, mouse: bool) -> None:
        """Run until the app ends.

        As Textual's ``run_async``, which would set a task factory for the whole loop.
        """
        self._thread_init()  # type: ignore[no-untyped-call]
        self._loop = asyncio.get_running_loop()
        with self._context():
            try:
                await self._process_messages(mouse=mouse, terminal_size=size)
            finally:
                with suppress(asyncio.CancelledError):
                    await asyncio.shield(self._shutdown())
                self._loop = None
                self._thread_id = 0

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer a fresh demo where there is a demo."""
        if action == "reset_demo":
            return self._is_demo
        return super().check_action(action, parameters)

    async def action_reset_demo(self) -> None:
        """Ask, and then end, and begin again with the sample animals."""
        await self.push_screen(
            ConfirmationScreen(self.session.look, "Start the demo over?", LOST, self._reset)
        )

    def _reset(self) -> None:
        self.exit(return_code=RESET)

    @property
    def wants_reset(self) -> bool:
        """Say whether the person asked for a fresh demo."""
        return self.return_code == RESET and self.failure is None

    def get_default_screen(self) -> Screen[Any]:
        """Begin with the list, and with the animals in it where they come soon.

        An empty list, its bars and its first size would be three pictures more, and a third of the
        time that an app takes to begin.
        """
        screen = super().get_default_screen()
        compositor = screen._compositor  # noqa: SLF001
        if not isinstance(compositor, PieceCompositor):
            return screen
        compositor.is_held = True

        def came(age: str) -> None:
            if age:  # of the animals; a watcher is told of the beginning too
                compositor.is_held = False

        def draw() -> None:
            if compositor.is_held:
                compositor.is_held = False
                screen.refresh()

        self.set_timer(SOON, draw)
        if isinstance(screen, ListingScreen):
            self.watch(screen.header, "age", came, init=False)
        return screen

    def _set_pointer_shape(self, shape: str) -> None:
        """Leave the pointer as it is: a sequence that few terminals know."""

    def _print_error_renderables(self) -> None:
        """Print nothing: it would be on the server's terminal."""
        self._exit_renderables.clear()
