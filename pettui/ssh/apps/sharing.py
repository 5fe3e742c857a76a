"""What the apps of one process share."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pettui.capabilities import Colours
from pettui.ssh.apps.routed_prints import RoutedPrints
from pettui.ssh.apps.served_app import ServedApp
from pettui.terminal.channel_driver import ChannelDriver
from pettui.terminal.output import NoTerminal
from pettui.terminal.sgr import Palette

if TYPE_CHECKING:
    from textual.css.model import RuleSet

    from pettui.log_writer import Log
    from pettui.ssh.apps.dependencies import Dependencies
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.terminal.output import Output


class Sharing:
    """What is made once for all sessions of a process."""

    def __init__(self, output: Log) -> None:
        """Take the log that what is printed outside of all apps goes to."""
        self._palettes = {colours: Palette(colours) for colours in Colours}
        self._rules: dict[Any, list[RuleSet]] = {}
        self.prints = RoutedPrints(output)

    def app(
        self, parts: Dependencies, terminal: ClientTerminal, wire: Output | None = None
    ) -> ServedApp:
        """Make an app that draws on a terminal by a wire, or on none until ``attach``."""
        app = ServedApp(parts, self._rules, self.prints)
        app.driver_class = partial(  # type: ignore[assignment]
            ChannelDriver,
            output=wire or NoTerminal(),
            palette=self._palettes[terminal.colours],
            erases=terminal.erases,
        )
        return app

    def attach(self, app: ServedApp, terminal: ClientTerminal, wire: Output) -> None:
        """Let an app that runs on no terminal go on on this one."""
        driver = app.channel_driver
        if driver is not None:
            palette = self._palettes[terminal.colours]
            app.draw_in(terminal.colours)
            driver.attach(wire, palette, terminal.size, erases=terminal.erases)
            app.call_later(app.welcome)
