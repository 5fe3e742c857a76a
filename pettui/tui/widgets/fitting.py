"""How the parts of a row fit into a width: what matters least gives way first."""

from __future__ import annotations

from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from pettui.rows.widths import Width, divided, newest
from pettui.tui.widgets.runs import Run, cut_runs, width_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pettui.appearance.glyphs import GlyphSet

Runs: TypeAlias = "Sequence[Run]"

NOTHING: Final[Run] = ("", "")


class Part(NamedTuple):
    """A part of a row, and what becomes of it where there is no room for all (see ``Width``)."""

    runs: Runs
    shorter: Mapping[int, Runs] = MappingProxyType({})  # from a step on; () leaves it out
    least: Mapping[int, int] = MappingProxyType({})  # cells, to which it may be cut then
    before: Run = NOTHING  # between it and what stands at its left

    @property
    def width(self) -> Width:
        """The cells that it takes."""
        shorter = {step: width_of(runs) for step, runs in self.shorter.items()}
        return Width(width_of(self.runs), shorter, self.least, width_of([self.before]))


class Fitted(NamedTuple):
    """A row that fits, if it can."""

    shown: Sequence[Runs]  # of each part; empty where it is left out
    runs: list[Run]  # of the whole row
    is_cut: bool  # a part is cut with an ellipsis


def fitted(glyphs: GlyphSet, parts: Sequence[Part], room: int) -> Fitted:
    """Take as few steps as a row needs to fit into a room of some cells."""
    step, widths = divided([part.width for part in parts], room)
    whole = [newest(part.shorter, step, part.runs) for part in parts]
    shown = [cut_runs(glyphs, runs, cells) for runs, cells in zip(whole, widths, strict=True)]
    row: list[Run] = []
    for part, runs in zip(parts, shown, strict=True):
        if width_of(runs):  # what is cut to nothing leaves no separator
            row += [part.before, *runs] if row and part.before != NOTHING else runs
    return Fitted(shown, row, sum(map(width_of, whole)) > sum(widths))


def index_at(shown: Iterable[Runs], x: int) -> int | None:
    """Return the index of the part at a cell of a row without separators; None behind the last."""
    ends = accumulate(map(width_of, shown))
    return next((index for index, end in enumerate(ends) if x < end), None)


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
