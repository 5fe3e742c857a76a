"""HelpScreen: the keys of a screen, and a field that finds among them."""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.reactive import reactive

from pettui.keyboard import actions
from pettui.text.folding import folded_words, has_words
from pettui.tui.screens.box_screen import FindBoxScreen
from pettui.tui.widgets.bindings import HelpSection, bindings
from pettui.tui.widgets.form_input import FormInput
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.widgets.runs import Run, cut_runs, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType
    from textual.widgets import Input

    from pettui.appearance.glyphs import GlyphSet


COLUMN_LEAST = 36  # cells of a column of keys and what they do
COLUMNS_MOST = 3


class KeyTable(LineWidget):
    """Keys and what they do, in groups and by the field that they work in."""

    words: reactive[tuple[str, ...]] = reactive((), layout=True)  # of a find, folded

    def __init__(self, glyphs: GlyphSet, sections: Sequence[HelpSection]) -> None:
        super().__init__(glyphs)
        self._sections = sections

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return a line for each action that contains the words or, if none does, of its group.

        Where there is room, the groups stand in columns, and are read down each.
        """
        groups = self._groups(width // self._count(width))
        if not groups:
            return [[("no key matches", "muted")]]
        columns = in_columns(groups, self._count(width))
        return [
            self._row(row, width // len(columns)) for row in zip_longest(*columns, fillvalue=())
        ]

    def _count(self, width: int) -> int:
        return max(1, min(width // COLUMN_LEAST, COLUMNS_MOST))

    def _row(self, cells: Sequence[Sequence[Run]], width: int) -> list[Run]:
        *before, last = cells
        padded = (
            (*runs, (" " * (width - width_of(runs)), ""))
            for runs in (cut_runs(self.glyphs, each, width - 1) for each in before)
        )
        return [*chain.from_iterable(padded), *last]

    def _groups(self, width: int) -> list[list[list[Run]]]:
        """Return the lines of each group, its title first."""
        longest = max(cell_len(key) for _, keys in self._sections for key, *_ in keys)
        column = min(longest + 2, width // 2)
        groups: list[list[list[Run]]] = []
        has_any = any(has_words(self.words, *each) for _, keys in self._sections for each in keys)
        for title, keys in self._sections:
            found = [each for each in keys if has_words(self.words, *each)]
            if not found and not has_any and has_words(self.words, title):
                found = keys
            if found:
                rows = [
                    [(self.glyphs.fit(key, column), "key"), (what, "")] for key, what, _ in found
                ]
                groups.append([[(title, "strong")], *rows])
        return groups


def in_columns(groups: Sequence[list[list[Run]]], count: int) -> list[list[list[Run]]]:
    """Return groups of lines in at most so many columns, as low as their order allows.

    No group is divided; there is an empty line between two.
    """
    height = 0
    while True:
        columns: list[list[list[Run]]] = [[]]
        for group in groups:
            if columns[-1] and len(columns[-1]) + 1 + len(group) > height:
                columns.append([])
            columns[-1] += [*([[]] if columns[-1] else []), *group]
        if len(columns) <= count:
            return columns
        height += 1


class HelpScreen(FindBoxScreen):
    """The keys, and a field that finds among them; Esc ends the find, and then closes the box."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.HELP_BOX, find_key="find", close_help="close"
    )
    HINT = "{find_key} Find  {close_help} Close"

    def __init__(self, glyphs: GlyphSet, sections: Sequence[HelpSection]) -> None:
        line = FormInput(glyphs, id="find-key", placeholder="key, or what it does")
        self._table = KeyTable(glyphs, sections)
        super().__init__(glyphs, "Keys", line, [self._table])

    def action_find(self) -> None:
        """Open the field; the box keeps its height."""
        self.box.styles.min_height = self.box.outer_size.height
        super().action_find()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show the keys that contain the words."""
        self._table.words = folded_words(event.value)
        self.box.scroll_home(animate=False)
