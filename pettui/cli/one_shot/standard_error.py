"""StandardError: what a command says on standard error, beside its data."""

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
    """Notices, progress and errors, each a line that is safe to draw; nobody has to read them."""

    def __init__(self, *, is_quiet: bool, kind: str) -> None:
        """Take whether errors alone are told, and the terminal's kind (TERM)."""
        self._is_quiet = is_quiet
        is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._shows_progress = is_terminal and not is_quiet and kind not in ("", "dumb", "unknown")
        self._is_on_progress = False  # the line that the cursor stands on is to be erased

    @property
    def is_watched(self) -> bool:
        """Whether somebody sits before a terminal that progress is shown on."""
        return self._shows_progress

    def error(self, text: str) -> None:
        """Say why the command ends, or what it had to leave out."""
        self._line(f"error: {text}")

    def warn(self, text: str) -> None:
        """Say what is wrong with data that is given all the same."""
        self._line(f"warning: {text}")

    def notice(self, text: str) -> None:
        """Say something that changes nothing now."""
        if not self._is_quiet:
            self._line(f"notice: {text}")

    def notices(self, notices: Iterable[Notice]) -> None:
        """Say what is going away."""
        from pettui.tui.wording.notice_texts import sentence

        for each in notices:
            self.notice(sentence(each, datetime.now(UTC).date()))

    def retry(self, pending: PendingRetry) -> None:
        """Say that a read is tried again."""
        times = f"try {pending.attempt} of {pending.of}"
        self.notice(f"{pending.why}; {times} in {pending.seconds:.1f} s")

    def progress(self, text: str) -> None:
        """Show how far it is, in place of what was shown before; only where somebody sits."""
        self.draw_progress(safe(text, 60))

    def draw_progress(self, line: str) -> None:
        """Show a line that is safe to draw, as ``progress`` does."""
        if self._shows_progress:
            self._is_on_progress = True
            write_error(f"{_ERASE}{line}")

    def clear_progress(self) -> None:
        """Take the progress away again."""
        if self._is_on_progress:
            self._is_on_progress = False
            write_error(_ERASE)

    def _line(self, text: str) -> None:
        self.clear_progress()
        write_error(f"{safe(text, LONGEST)}\n")
