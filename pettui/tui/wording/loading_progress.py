"""How far the loading of all pages is, in words."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST_SECONDS = 1.0  # from when on rows a second mean something


@dataclass
class LoadingProgress:
    """Rows and pages that came, and for how long; how many there will be no service says."""

    rows: int = 0
    pages: int = 0
    wanted: int | None = None  # pages, where it is known how many
    clock: Callable[[], float] = monotonic

    def __post_init__(self) -> None:
        self._started_at = self.clock()

    def came(self, rows: int) -> None:
        """Count a page."""
        self.rows += rows
        self.pages += 1

    @property
    def seconds(self) -> float:
        """Since the loading was started."""
        return self.clock() - self._started_at

    @property
    def counts(self) -> str:
        """Rows and pages: "1,300 rows, 13 pages", "300 rows, 3 of 13 pages"."""
        of = "" if self.wanted is None else f"of {self.wanted} "
        pages = _plural(self.pages if self.wanted is None else self.wanted, "page")
        return f"{self.rows:,} {_plural(self.rows, 'row')}, {self.pages} {of}{pages}"

    @property
    def text(self) -> str:
        """The whole: "loading: 1,300 rows, 13 pages, 420 rows/s, 3 s"."""
        seconds = self.seconds
        speed = f", {self.rows / seconds:,.0f} rows/s" if seconds >= LEAST_SECONDS else ""
        return f"loading: {self.counts}{speed}, {duration(seconds)}"


def duration(seconds: float) -> str:
    """Return whole seconds as people say them: "3 s", "2 min 5 s"."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"
