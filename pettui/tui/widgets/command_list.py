"""CursorList, and CommandList: the commands that match what is typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from textual.message import Message
from textual.reactive import reactive

from pettui.tui.runs import Run, bar_of, beside, cut_runs, width_of
from pettui.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from textual import events

    from pettui.glyphs import GlyphSet

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the palette."""

    name: str
    keys: str  # that run it without the palette; "" for none
    run: Callable[[], Awaitable[Any]]


def found(commands: Sequence[Command], text: str) -> list[Command]:
    """Return the commands that match a text, the best first.

    Each word of the text must occur in the name. If that matches nothing, its letters must occur in
    their order: ``lmt`` finds ``Larger limit``.
    """
    words = text.casefold().split()
    ranked = ((_rank(each.name.casefold(), text.casefold(), words), each) for each in commands)
    fitting = [(rank, command) for rank, command in ranked if rank is not None]
    exact = [(rank, command) for rank, command in fitting if rank[1] == 0]
    return [command for _, command in sorted(exact or fitting, key=lambda each: each[0])]


def _rank(name: str, text: str, words: Sequence[str]) -> tuple[int, int] | None:
    """Return how well a name matches, lower being better; None if it does not."""
    spans = [_span(name, word) for word in words]
    if None in spans:
        return None
    loose = sum(span - len(word) for span, word in zip(spans, words, strict=True) if span)
    return (0 if name.startswith(text.strip()) else 1, loose)


def _span(name: str, word: str) -> int | None:
    """Return the length of the shortest part of a name with the letters of a word in order."""
    spans = (_span_from(name, start, word) for start in range(len(name)) if name[start] == word[0])
    return min((span for span in spans if span is not None), default=None)


def _span_from(name: str, start: int, word: str) -> int | None:
    index = start - 1
    for letter in word:
        index = name.find(letter, index + 1)
        if index < 0:
            return None
    return index - start + 1


class CursorList(LineWidget, Generic[Item]):
    """One item a row, with a cursor; as many rows are drawn as fit, the cursor's among them."""

    no_items = ""  # what stands there if there are none

    items: reactive[Sequence[Item]] = reactive(())
    cursor: reactive[int] = reactive(0)

    class Picked(Message):
        """A row was clicked; the cursor stands on it."""

    def runs_of(self, item: Item, sign: str, width: int) -> list[Run]:
        """Return a row behind its sign, which shows where the cursor is."""
        raise NotImplementedError

    @property
    def highlighted(self) -> Item | None:
        """The item under the cursor."""
        return self.items[min(self.cursor, len(self.items) - 1)] if self.items else None

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(cursor, len(self.items) - 1))

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the rows that fit."""
        if not self.items:
            return [[(f" {self.no_items}", "muted")]]
        first = self._first
        last = min(first + max(self.size.height, 1), len(self.items))
        return [self._row(index, width) for index in range(first, last)]

    @property
    def _first(self) -> int:
        return max(self.cursor - self.size.height + 1, 0)

    def _row(self, index: int, width: int) -> list[Run]:
        item = self.items[index]
        if index != self.cursor:
            return self.runs_of(item, " ", width)
        row = cut_runs(self.glyphs, self.runs_of(item, self.glyphs.cursor, width), width)
        return bar_of(row, width, "cursor")

    def on_click(self, event: events.Click) -> None:
        """Post which row was clicked."""
        if event.y < len(self.items) - self._first:
            self.cursor = self._first + event.y
            self.post_message(self.Picked())


class CommandList(CursorList[Command]):
    """The commands that match what is typed, the best first."""

    no_items = "no command matches"

    text: reactive[str] = reactive("")

    def __init__(self, glyphs: GlyphSet, commands: Sequence[Command]) -> None:
        super().__init__(glyphs)
        self._commands = commands
        self.items = found(commands, "")

    def watch_text(self, text: str) -> None:
        """Find what matches, and move the cursor to the best."""
        self.items = found(self._commands, text)
        self.cursor = 0

    def runs_of(self, item: Command, sign: str, width: int) -> list[Run]:
        """Return a command with its keys at the right."""
        name: Run = (f"{sign} {item.name}", "")
        gap = width - width_of([name, (item.keys, "")]) - 1
        if gap >= 2 or not item.keys:
            return [name, (" " * gap, ""), (item.keys, "key")]
        return beside(self.glyphs, [name], item.keys, width)
