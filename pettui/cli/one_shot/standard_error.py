"""StandardError: the messages of a command."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pettui.cli.error_lines import write_error
from pettui.text import safe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.client import Notice, PendingRetry

LONGEST = 2_000  # characters of a line
_ERASE = "\r\x1b[K"


class StandardError:
    """Notices, progress and errors, each a line made safe for a terminal."""

    def __init__(self, *, is_quiet: bool, kind: str) -> None:
        """Make it quiet (only errors and warnings) or not, on a terminal of this type (TERM)."""
        self._is_quiet = is_quiet
        is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._shows_progress = is_terminal and not is_quiet and kind not in ("", "dumb", "unknown")
        self._is_on_progress = False  # the cursor is on a line of progress

    @property
    def is_watched(self) -> bool:
        """Whether progress is shown, on a terminal."""
        return self._shows_progress

    def error(self, text: str) -> None:
        """Print why the command fails, or what it left out."""
        self._line(f"error: {text}")

    def warn(self, text: str) -> None:
        """Print what is wrong with data that is used nevertheless."""
        self._line(f"warning: {text}")

    def notice(self, text: str) -> None:
        """Print information, unless it is quiet."""
        if not self._is_quiet:
            self._line(f"notice: {text}")

    def notices(self, notices: Iterable[Notice]) -> None:
        """Print notices of deprecation."""
        for each in notices:
            self.notice(each.sentence(datetime.now(UTC).date()))

    def retry(self, pending: PendingRetry) -> None:
        """Print that a read is retried."""
        times = f"attempt {pending.attempt} of {pending.of}"
        self.notice(f"{pending.why}; {times} in {pending.seconds:.1f} s")

    def progress(self, text: str) -> None:
        """Replace the progress shown, if progress is shown."""
        self.draw_progress(safe(text, 60))

    def draw_progress(self, line: str) -> None:
        """Show a line that is already safe for a terminal, as ``progress`` does."""
        if self._shows_progress:
            self._is_on_progress = True
            write_error(f"{_ERASE}{line}")

    def clear_progress(self) -> None:
        """Erase the progress."""
        if self._is_on_progress:
            self._is_on_progress = False
            write_error(_ERASE)

    def _line(self, text: str) -> None:
        self.clear_progress()
        write_error(f"{safe(text, LONGEST)}\n")
