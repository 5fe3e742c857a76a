"""How the parts of a row fit into a width: what matters least gives way first."""

from __future__ import annotations

from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, TypeVar

from pettui.tui.widgets.runs import Run, cut_runs, width_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pettui.appearance.glyphs import GlyphSet

Runs: TypeAlias = "Sequence[Run]"

Value = TypeVar("Value")

NOTHING: Final[Run] = ("", "")


class Part(NamedTuple):
    """A part of a row, and what becomes of it where there is no room for all.

    Steps have numbers, from 1 on: all parts of a row take the same step at once, until it fits.
    """

    runs: Runs
    shorter: Mapping[int, Runs] = MappingProxyType({})  # from a step on; () leaves it out
    least: Mapping[int, int] = MappingProxyType({})  # cells, to which it may be cut then
    before: Run = NOTHING  # between it and what stands at its left

    def at(self, step: int) -> Runs:
        """Return what is shown after a step."""
        return _newest(self.shorter, step, self.runs)

    def most_cut(self, step: int) -> int:
        """Return how many cells can be cut of it after a step."""
        cells = width_of(self.at(step))
        return max(cells - _newest(self.least, step, cells), 0)


def _newest(by_step: Mapping[int, Value], step: int, otherwise: Value) -> Value:
    """Return what the newest step that was taken has set."""
    taken = [each for each in by_step if each <= step]
    return by_step[max(taken)] if taken else otherwise


class Fitted(NamedTuple):
    """A row that fits, if it can."""

    shown: Sequence[Runs]  # of each part; empty where it is left out
    runs: list[Run]  # of the whole row
    is_cut: bool  # a part is cut with an ellipsis


def fitted(glyphs: GlyphSet, parts: Sequence[Part], room: int) -> Fitted:
    """Take as few steps as a row needs to fit into a room of some cells."""
    steps = {0}.union(*(part.shorter for part in parts), *(part.least for part in parts))
    for step in sorted(steps):
        shown = [part.at(step) for part in parts]
        missing = width_of(_joined(parts, shown)) - room
        cuts = [part.most_cut(step) for part in parts] if missing > 0 else []
        if missing <= sum(cuts):
            break
    is_cut = False
    for index, cut in enumerate(cuts):
        if cells := min(cut, missing):
            shown[index] = cut_runs(glyphs, shown[index], width_of(shown[index]) - cells)
            missing -= cells
            is_cut = True
    return Fitted(shown, _joined(parts, shown), is_cut)


def index_at(shown: Iterable[Runs], x: int) -> int | None:
    """Return the index of the part at a cell of a row without separators; None behind the last."""
    ends = accumulate(map(width_of, shown))
    return next((index for index, end in enumerate(ends) if x < end), None)


def _joined(parts: Sequence[Part], shown: Sequence[Runs]) -> list[Run]:
    row: list[Run] = []
    for part, runs in zip(parts, shown, strict=True):
        if width_of(runs):  # what is cut to nothing leaves no separator
            row += [part.before, *runs] if row and part.before != NOTHING else runs
    return row


def from_the_last(runs: Sequence[Run], before: Run) -> list[Part]:
    """Return parts which go one after the other, the last one first; the first one stays.

    Args:
        runs: one a part, the most important first.
        before: what stands between two of them.
    """
    return [
        Part([run], {len(runs) - index: ()} if index else {}, before=before)
        for index, run in enumerate(runs)
    ]


def first_that_fits(glyphs: GlyphSet, texts: Sequence[str], room: int) -> str:
    """Return the first text that fits, or else the last one, cut."""
    shorter: dict[int, Runs] = {step: [(text, "")] for step, text in enumerate(texts) if step}
    part = Part([(texts[0], "")], shorter, {len(texts): 0})
    return "".join(text for text, _ in fitted(glyphs, [part], room).runs)


def as_many_as_fit(glyphs: GlyphSet, texts: Sequence[str], room: int, gap: str = " ") -> str:
    """Return as many of the texts as fit, joined; the first one always."""
    parts = from_the_last([(text, "") for text in texts], (gap, ""))
    return "".join(text for text, _ in fitted(glyphs, parts, room).runs).removesuffix(",")
