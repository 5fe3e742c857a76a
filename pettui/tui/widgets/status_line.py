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
    counts: reactive[str] = reactive("")

    def left(self) -> Sequence[Run]:
        """Give the facts."""
        return [(" ", ""), *self.facts]

    def right(self) -> Sequence[Run]:
        """Give the counts."""
        return [(f"{self.counts} ", "muted")] if self.counts else []
