"""StatusLine: what is shown, what is waited for, and what was added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.tui.widgets.drawn import Bar, Run

if TYPE_CHECKING:
    from collections.abc import Sequence


class StatusLine(Bar):
    """One row of plain facts."""

    facts: reactive[tuple[Run, ...]] = reactive(())
    counts: reactive[tuple[str, ...]] = reactive(())  # the most pressing first

    def left(self) -> Sequence[Run]:
        """Give the facts."""
        return [(" ", ""), *self.facts]

    def right(self) -> Sequence[Run]:
        """Give the counts, those that leave half of the row to the facts."""
        counts = self.counts
        while len(counts) > 1 and len(self._joined(counts)) > self.size.width // 2:
            counts = counts[:-1]
        return [(f"{self._joined(counts)} ", "muted")] if counts else []

    def _joined(self, counts: tuple[str, ...]) -> str:
        return f" {self.look.dot} ".join(counts)
