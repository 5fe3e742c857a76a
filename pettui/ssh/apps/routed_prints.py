"""Standard output and error of a process in which many apps run.

Of Textual's own it uses ``_context.active_app``: where it changes, what apps print stands among the
lines of the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual._context import active_app

if TYPE_CHECKING:
    from pettui.log_writer import Log


class RoutedPrints:
    """Standard output and error of a process with many apps: what an app prints goes nowhere."""

    def __init__(self, output: Log) -> None:
        self._output = output

    def write(self, text: str) -> int:
        """Write, unless an app is what runs."""
        if active_app.get(None) is None:
            self._output.write(text)
        return len(text)

    def flush(self) -> None:
        """Write out what was written."""
        self._output.flush()

    def isatty(self) -> bool:
        """Whether somebody looks: nobody does."""
        return False

    def fileno(self) -> int:
        """Return the descriptor of the log."""
        return self._output.fileno()
