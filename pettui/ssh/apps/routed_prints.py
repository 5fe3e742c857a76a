"""Standard output and error of a process in which many apps run."""

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
        """Say that nobody looks."""
        return False

    def fileno(self) -> int:
        """Give the number of the stream below."""
        return self._output.fileno()
