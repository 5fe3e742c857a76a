"""How the columns of a table, or the parts of a row, share a width: what matters least gives way.

Steps have numbers, from 1 on: all take the same step at once, until they fit.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Value = TypeVar("Value")


class Width(NamedTuple):
    """The cells of a column, and what becomes of them where there is no room for all."""

    cells: int
    shorter: Mapping[int, int] = MappingProxyType({})  # from a step on; 0 leaves it out
    least: Mapping[int, int] = MappingProxyType({})  # to which it may be cut then
    gap: int = 0  # between it and what stands at its left


def divided(widths: Sequence[Width], room: int) -> tuple[int, list[int]]:
    """Take as few steps as are needed; return the last one, and the cells of each column.

    What may be cut at an earlier step is cut first, and of one step the last column first.
    """
    steps = sorted({0}.union(*(each.shorter for each in widths), *(each.least for each in widths)))
    for step in steps:
        cells = [newest(each.shorter, step, each.cells) for each in widths]
        least = [newest(each.least, step, now) for each, now in zip(widths, cells, strict=True)]
        missing = _total(widths, cells) - room
        if missing <= sum(max(now - most, 0) for now, most in zip(cells, least, strict=True)):
            break
    for earlier in steps[: steps.index(step) + 1] if missing > 0 else ():
        for index in reversed(range(len(widths))):
            cut = cells[index] - newest(widths[index].least, earlier, cells[index])
            less = max(min(cut, missing), 0)
            cells[index] -= less
            missing -= less
    return step, cells


def newest(by_step: Mapping[int, Value], step: int, otherwise: Value) -> Value:
    """Return what the newest step that was taken has set."""
    taken = [each for each in by_step if each <= step]
    return by_step[max(taken)] if taken else otherwise


def _total(widths: Sequence[Width], cells: Sequence[int]) -> int:
    """Return the cells of a row: what is cut to nothing leaves no gap."""
    total = 0
    for each, now in zip(widths, cells, strict=True):
        total += now + (each.gap if total and now else 0)
    return total
