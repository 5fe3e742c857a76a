"""Runs: pieces of a line, each safe to draw and in one style; and how lines are made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from rich.cells import cell_len, set_cell_size

from pettui.settings import COLOURS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.tui.look import Look

Section = tuple[str, str]
"""What a text is about, and the whole of it: raw, as it came from outside."""


Run = tuple[str, str]
"""Text that is safe to draw, and the name of its style (one of STYLES, or "" for plain)."""


GAP = 2  # cells at least before a hint


STYLES = frozenset(
    (
        "muted", "strong", "title", "key", "accent", "good", "changed", "notice", "error",
        "error-title", "available", "pending", "sold", "not-set", "unknown", "mark",
        "tab", "tab-active", "table-header", "cursor", "cursor-blurred", "chosen", "found",
        *(f"label-{colour}" for colour in COLOURS),
    )
)  # fmt: skip
"""What pieces of lines are drawn in: component classes of the app."""


def width_of(runs: Iterable[Run]) -> int:
    """Give the cells that runs take."""
    return sum(cell_len(text) for text, _ in runs)


def cut_runs(look: Look, runs: Sequence[Run], width: int) -> list[Run]:
    """Give runs in at most ``width`` cells, ending in an ellipsis where that is not all."""
    if width_of(runs) <= width:
        return [*runs]
    room = max(width - cell_len(look.ellipsis), 0)
    shown: list[Run] = []
    for text, name in runs:
        if cell_len(text) > room:
            rest = set_cell_size(text, room).rstrip() + look.ellipsis[: max(width, 0)]
            return [*shown, (rest, name)]
        shown.append((text, name))
        room -= cell_len(text)
    return shown


def beside(look: Look, runs: Sequence[Run], hint: str, width: int) -> list[Run]:
    """Return runs with a hint of keys at the right of them: they are cut for it, and not it."""
    room = width - cell_len(hint) - 1
    shown = cut_runs(look, runs, room - GAP)
    return [*shown, (" " * max(room - width_of(shown), 0), ""), (hint, "key")]


def name_run(look: Look, name: str, limit: int = 500) -> Run:
    """Return an animal's name; where nothing of it would be seen, words in a style of their own.

    So an animal that is really called ``(no name)`` looks otherwise.
    """
    line = look.line(name, limit)
    return (line, "") if line else ("(no name)", "not-set")


StyledText: TypeAlias = Run | tuple[str, str, str]
"""A text, its style, and a shorter text for where there is no room, if it has one."""
