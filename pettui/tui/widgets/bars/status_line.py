"""StatusLine: what is shown, what is waited for, and what was added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording.text_runs import Fact, Run, Section, cut_runs, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

MARGINS = 2  # a cell at each end


class StatusLine(LineWidget):
    """One row. Where it has no room for all, the keys that it names stay longest.

    What is told least urgently goes first: counts from the last to the first, then facts likewise;
    the first fact stays, cut where it must be.
    """

    facts: reactive[tuple[Fact, ...]] = reactive(())  # the most pressing first
    keys: reactive[tuple[str, ...]] = reactive(())  # hints: "m: more"
    counts: reactive[tuple[str, ...]] = reactive(())  # the most pressing first
    said: reactive[str] = reactive("")  # once, in place of the facts

    def left(self) -> list[Run]:
        """Return facts and keys, all of them."""
        return self._joined(self._texts(short=False))

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Give the row."""
        facts, counts = self._texts(short=False), [*self.counts]
        room = width - MARGINS
        while counts and self._width(facts, counts) > room and len(counts) > 1:
            del counts[-1]
        if self._width(facts, counts) > room:
            facts = self._texts(short=True)
        while len(facts) > 1 and self._width(facts, counts) > room:
            del facts[-1]
        if self._width(facts, counts) > room:
            counts = []
        return [self._row(facts, counts, width)]

    def _row(self, facts: Sequence[Run], counts: Sequence[str], width: int) -> list[Run]:
        behind: list[Run] = self._joined([])
        if facts and behind:
            behind = [self._separator, *behind]
        right = self._right(counts)
        room = width - MARGINS - width_of(behind) - width_of(right)
        row = [*cut_runs(self.look, self._between(facts), max(room, 0)), *behind]
        if not right:
            return [(" ", ""), *row]
        gap = width - MARGINS - width_of(row) - width_of(right)
        return [(" ", ""), *row, (" " * gap, ""), *right, (" ", "")]

    def cut_sections(self) -> list[Section]:
        """Return the first fact, where it is cut."""
        facts = self._texts(short=True)[:1]
        room = self.drawn_width - MARGINS
        if not facts or self._width(facts, []) <= room:
            return []
        return [("Status", self._texts(short=False)[0][0])]

    def _texts(self, *, short: bool) -> list[Run]:
        if self.said:
            return [(self.said, "notice")]
        return [(fact[2] if short and len(fact) > 2 else fact[0], fact[1]) for fact in self.facts]

    def _joined(self, facts: Sequence[Run]) -> list[Run]:
        return self._between([*facts, *((key, "key") for key in self.keys)])

    def _between(self, runs: Sequence[Run]) -> list[Run]:
        return [each for run in runs for each in (self._separator, run)][1:]

    @property
    def _separator(self) -> Run:
        return (f" {self.look.dot} ", "muted")

    def _right(self, counts: Sequence[str]) -> list[Run]:
        return [(f" {self.look.dot} ".join(counts), "muted")] if counts else []

    def _width(self, facts: Sequence[Run], counts: Sequence[str]) -> int:
        gap = 2 if counts and (facts or self.keys) else 0
        return width_of(self._joined(facts)) + gap + width_of(self._right(counts))
