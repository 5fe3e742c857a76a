"""SharedResources: what all apps of a process share."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pettui.capabilities import Colours
from pettui.ssh.apps.routed_prints import RoutedPrints
from pettui.ssh.apps.shared_stylesheet import ParsedStyles
from pettui.terminal.channel_driver import ChannelDriver
from pettui.terminal.driver import NoTerminal
from pettui.terminal.sgr import Palette

if TYPE_CHECKING:
    from pettui.logs import EventLog
    from pettui.ssh.apps.served_app import ServedApp
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.terminal.channel_driver import FirstFrame
    from pettui.terminal.driver import Output


class SharedResources:
    """Palettes, styles and streams, created once for all sessions of a process."""

    def __init__(self, event_log: EventLog) -> None:
        """Create the resources.

        Args:
            event_log: for output outside of all apps.
        """
        self._palettes = {colours: Palette(colours) for colours in Colours}
        self._styles = ParsedStyles()
        self.prints = RoutedPrints(event_log)

    def fit(
        self,
        app: ServedApp[Any],
        terminal: ClientTerminal,
        output: Output | None = None,
        shown: FirstFrame | None = None,
    ) -> None:
        """Configure an app, before it runs, for a terminal.

        Args:
            app: to be run.
            terminal: to draw on.
            output: of the terminal; without it the app needs ``attach``.
            shown: what the terminal shows already.
        """
        app.share(self.prints, self._styles)
        app.driver_class = partial(  # type: ignore[assignment]
            ChannelDriver,
            output=output or NoTerminal(),
            palette=self._palettes[terminal.colours],
            erases=terminal.erases,
            shown=shown,
        )

    def attach(
        self,
        app: ServedApp[Any],
        terminal: ClientTerminal,
        output: Output,
        shown: FirstFrame | None = None,
    ) -> None:
        """Attach a running app without a terminal to this one, which may show its first frame."""
        driver = app.channel_driver
        if driver is None:
            return
        palette = self._palettes[terminal.colours]
        if shown is not None:
            driver.attach_behind(output, palette, shown)
        else:
            driver.attach(output, palette, terminal.size, erases=terminal.erases)
