"""RoutedPrints: standard output and error of a process in which many apps run.

It uses Textual's private ``_context.active_app``: where it changes, apps print into the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual._context import active_app

if TYPE_CHECKING:
    from pettui.log_writer import Log


class RoutedPrints:
    """A stream that discards what apps print."""

    def __init__(self, output: Log) -> None:
        self._output = output

    def write(self, text: str) -> int:
        """Write, unless an app is running in this context."""
        if active_app.get(None) is None:
            self._output.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush the output."""
        self._output.flush()

    def isatty(self) -> bool:
        """Return that it is not a terminal."""
        return False

    def fileno(self) -> int:
        """Return the descriptor of the log."""
        return self._output.fileno()
