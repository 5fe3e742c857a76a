"""The progress of loading all pages, as text."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from pettui.transfer.results import duration

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST_SECONDS = 1.0  # before that, rows a second say little


@dataclass
class LoadingProgress:
    """The rows and pages loaded so far; no service says how many there will be."""

    rows: int = 0
    pages: int = 0
    wanted: int | None = None  # pages, if that is known
    clock: Callable[[], float] = monotonic

    def __post_init__(self) -> None:
        self._started_at = self.clock()

    def add_page(self, rows: int) -> None:
        """Count a page of so many rows."""
        self.rows += rows
        self.pages += 1

    @property
    def seconds(self) -> float:
        """The time since loading started."""
        return self.clock() - self._started_at

    @property
    def counts(self) -> str:
        """Rows and pages: "1,300 rows, 13 pages", "300 rows, 3 of 13 pages"."""
        of = "" if self.wanted is None else f"of {self.wanted} "
        pages = _plural(self.pages if self.wanted is None else self.wanted, "page")
        return f"{self.rows:,} {_plural(self.rows, 'row')}, {self.pages} {of}{pages}"

    @property
    def text(self) -> str:
        """The whole line: "loading: 1,300 rows, 13 pages, 420 rows/s, 3 s"."""
        seconds = self.seconds
        speed = f", {self.rows / seconds:,.0f} rows/s" if seconds >= LEAST_SECONDS else ""
        return f"loading: {self.counts}{speed}, {duration(seconds)}"


def _plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"
