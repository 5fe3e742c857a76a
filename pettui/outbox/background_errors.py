"""Bugs of pettui's own in the background: reported, while the work goes on."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)


class Faults:
    """The faults of one outbox, each kind once, so that none fills a disk with reports."""

    def __init__(
        self,
        report: Callable[[Exception], None] | None = None,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """Start without a fault.

        Args:
            report: called with the first fault of each kind; by default it is logged.
            changed: called when the lines change.
        """
        self._report = report or _log
        self._changed = changed
        self._lines: dict[str, None] = {}

    @property
    def lines(self) -> tuple[str, ...]:
        """One line a kind, in order; no text of an exception, which may hold the key."""
        return tuple(self._lines)

    def report(self, doing: str, error: Exception) -> str:
        """Return the line of a fault, after reporting one of a new kind."""
        line = f"a bug of pettui's own while {doing} ({type(error).__name__})"
        if line not in self._lines:
            self._lines[line] = None
            self._report(error)
            self._changed()
        return line


def _log(error: Exception) -> None:
    logger.error("a fault in the outbox", exc_info=error)
