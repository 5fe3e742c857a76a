"""CommandList: the commands that match what is typed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from textual.reactive import reactive

from pettui.tui.widgets.row_table import RowTable
from pettui.tui.widgets.runs import Run, beside, width_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pettui.appearance.glyphs import GlyphSet


class PaletteCommand(NamedTuple):
    """A command of the palette."""

    name: str
    keys: str  # that run it without the palette; "" for none
    run: Callable[[], Awaitable[Any]]
    words: str = ""  # what other people call it
    can_run: bool = True  # False: ``run`` says why not


def found(commands: Sequence[PaletteCommand], text: str) -> list[PaletteCommand]:
    """Return the commands that match a text, the best first.

    Each word of the text must occur in the name, or begin one of its other words. If that matches
    nothing, its letters must occur in their order: ``lmt`` finds ``Larger limit``.
    """
    words = text.casefold().split()
    ranked = ((_rank(each, text.casefold(), words), each) for each in commands)
    fitting = [(rank, command) for rank, command in ranked if rank is not None]
    exact = [(rank, command) for rank, command in fitting if rank[1] == 0]
    return [command for _, command in sorted(exact or fitting, key=lambda each: each[0])]


def _rank(command: PaletteCommand, text: str, words: Sequence[str]) -> tuple[int, int] | None:
    """Return how well a command matches, lower being better; None if it does not."""
    name = command.name.casefold()
    if not all(word in name for word in words) and all(
        word in name or _other_words(command, [word]) for word in words
    ):
        return (2, 0)
    spans = [_span(name, word) for word in words]
    if None in spans:
        return None
    loose = sum(span - len(word) for span, word in zip(spans, words, strict=True) if span)
    return (0 if name.startswith(text.strip()) else 1, loose)


def _other_words(command: PaletteCommand, words: Sequence[str]) -> list[str]:
    """Return the other words of a command that one of some words begins."""
    return [each for each in command.words.split() if any(map(each.startswith, words))]


def _span(name: str, word: str) -> int | None:
    """Return the length of the shortest part of a name with the letters of a word in order."""
    first, *others = map(re.escape, word)
    letters = first + "".join(f"[^{each}]*{each}" for each in others)
    return min((len(found[1]) for found in re.finditer(f"(?=({letters}))", name)), default=None)


class CommandList(RowTable[PaletteCommand], can_focus=False):
    """The commands that match what is typed, the best first."""

    HEADER_ROWS: ClassVar[int] = 0
    CLICKS: ClassVar[int] = 1

    text: reactive[str] = reactive("")

    def __init__(self, glyphs: GlyphSet, commands: Sequence[PaletteCommand]) -> None:
        super().__init__(glyphs)
        self._commands = commands

    def watch_text(self, text: str) -> None:
        """Find what matches, and move the cursor to the best."""
        self.put_rows(found(self._commands, text), 0)

    def empty_lines(self) -> Sequence[Sequence[Run]]:
        """Return that nothing matches."""
        return [[(" no command matches", "muted")]]

    def runs_of(self, row: PaletteCommand, sign: str, width: int) -> list[Run]:
        """Return a command with its keys at the right."""
        others = _other_words(row, self.text.casefold().split())
        name: list[Run] = [(f"{sign} ", ""), (row.name, "" if row.can_run else "muted")]
        if others:
            name.append((f"  {', '.join(others)}", "muted"))
        key = "key" if row.can_run else "muted"
        gap = width - width_of([*name, (row.keys, "")]) - 1
        if gap >= 2 or not row.keys:
            return [*name, (" " * gap, ""), (row.keys, key)]
        return beside(self.glyphs, name, row.keys, width)
