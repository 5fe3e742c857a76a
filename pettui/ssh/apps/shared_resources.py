"""What the apps of one process share."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pettui.capabilities import Colours
from pettui.ssh.apps.routed_prints import RoutedPrints
from pettui.ssh.apps.shared_stylesheet import ParsedStyles
from pettui.terminal.channel_driver import ChannelDriver
from pettui.terminal.output.output import NoTerminal
from pettui.terminal.output.sgr import Palette

if TYPE_CHECKING:
    from pettui.log_writer import Log
    from pettui.ssh.apps.served_app import ServedApp
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.terminal.output.output import Output


class SharedResources:
    """What is made once for all sessions of a process, and lets an app be one of them."""

    def __init__(self, log: Log) -> None:
        """Make it.

        Args:
            log: where what is printed outside of all apps goes.
        """
        self._palettes = {colours: Palette(colours) for colours in Colours}
        self._styles = ParsedStyles()
        self.prints = RoutedPrints(log)

    def fit(
        self, app: ServedApp[Any], terminal: ClientTerminal, output: Output | None = None
    ) -> None:
        """Let an app that does not run yet draw on a terminal, or on none until ``attach``."""
        app.share(self.prints, self._styles)
        app.driver_class = partial(  # type: ignore[assignment]
            ChannelDriver,
            output=output or NoTerminal(),
            palette=self._palettes[terminal.colours],
            erases=terminal.erases,
        )

    def attach(self, app: ServedApp[Any], terminal: ClientTerminal, output: Output) -> None:
        """Let an app that runs on no terminal go on on this one."""
        driver = app.channel_driver
        if driver is not None:
            palette = self._palettes[terminal.colours]
            driver.attach(output, palette, terminal.size, erases=terminal.erases)
