"""Tables for a terminal, no line wider than it, and the same rows for programs."""

from __future__ import annotations

import sys
from contextlib import suppress
from sys import maxsize
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len

from pettui.appearance.glyphs import glyphs_for
from pettui.cli.output import (
    ClosedPipeError,
    is_terminal,
    terminal_width,
    write_json,
    write_output,
)
from pettui.rows.widths import Width, divided
from pettui.transfer.writing import field_record

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from pettui.cli.output import Characters
    from pettui.settings.settings import Settings

_GAP: Final = 2
_CUT_TO: Final = 8  # cells of a column, for the sake of the others
_BOLD: Final = "1"  # as of SGR


class Table:
    """A table that is printed while its rows come: a column only becomes wider, never narrower."""

    def __init__(
        self,
        header: Sequence[str],
        characters: Settings | Characters,
        *,
        at_right: Container[int] = (),
        has_styles: bool = False,
    ) -> None:
        """Print nothing yet.

        Args:
            header: the titles of the columns.
            characters: of the terminal.
            at_right: the indices of columns of numbers, which are never cut.
            has_styles: whether the terminal shows them.
        """
        self.glyphs = glyphs_for(characters.glyphs, has_latin_1=characters.has_latin_1)
        self._header = header
        self._at_right = at_right
        self._has_styles = has_styles
        self._widths: Sequence[int] = ()  # of the widest cells so far; none before the header

    def lines(
        self, rows: Sequence[Sequence[str]], styles: Sequence[Sequence[str]] | None = None
    ) -> str:
        """Return the next lines, behind the header, cut to the terminal's width if there is one.

        Args:
            rows: of texts that are safe to draw.
            styles: of each cell, as parameters of SGR.
        """
        plain = [""] * len(self._header)
        lines = [*zip(rows, styles or [plain] * len(rows), strict=True)]
        if not self._widths:
            lines.insert(0, (self._header, [_BOLD] * len(self._header)))
        columns = zip(
            self._widths or [0] * len(self._header), *(row for row, _ in lines), strict=True
        )
        self._widths = [max(before, *map(cell_len, texts)) for before, *texts in columns]
        room = terminal_width(sys.stdout) if is_terminal() else maxsize
        widths = self._divided(room)
        return "".join(f"{self._line(*line, widths, room)}\n" for line in lines)

    def _divided(self, room: int) -> Sequence[int]:
        """Return the cells of each column: one of texts that takes more than its share is cut."""
        share = max(room // len(self._widths) - _GAP, _CUT_TO)
        columns = [
            Width(cells, least={} if index in self._at_right else {1: share, 2: _CUT_TO}, gap=_GAP)
            for index, cells in enumerate(self._widths)
        ]
        return divided(columns, room)[1]

    def _line(
        self, row: Sequence[str], styles: Sequence[str], widths: Sequence[int], room: int
    ) -> str:
        """Return a line of at most the room; one that is cut has no styles."""
        cells = [
            " " * (cells - cell_len(text)) + text
            if index in self._at_right
            else self.glyphs.fit(text, cells)
            for index, (text, cells) in enumerate(zip(row, widths, strict=True))
        ]
        cells[-1] = cells[-1].rstrip()
        gap = " " * _GAP
        line = gap.join(cells)
        if cell_len(line) > room:
            return self.glyphs.cut(line, room)
        return gap.join(map(_styled, cells, styles)) if self._has_styles else line


def _styled(cell: str, style: str) -> str:
    return f"\x1b[{style}m{cell}\x1b[m" if style else cell


def write_rows(
    fields: Sequence[str],
    rows: Iterable[Mapping[str, Any]],
    characters: Settings | Characters,
    *,
    as_json: bool = False,
) -> None:
    """Write some fields of rows, behind a header: a table on a terminal, elsewhere tab-separated.

    JSON Lines have all fields. A reader that has read enough, such as head, is no error; raises as
    write_output else.
    """
    with suppress(ClosedPipeError):
        if as_json:
            write_json(rows, characters)
            return
        found = [*rows]
        cells = [[_cell(row[field]) for field in fields] for row in found]
        if not is_terminal():
            text = "".join(f"{field_record(row)}\n" for row in [fields, *cells])
            write_output(text.encode(errors="replace"))
            return
        numbers = {
            index
            for index, field in enumerate(fields)
            if all(type(row[field]) in (int, type(None)) for row in found)
        }
        write_output(table_of(fields, cells, characters, at_right=numbers).encode())


def _cell(value: bool | int | str | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def table_of(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    characters: Settings | Characters,
    *,
    at_right: Container[int] = (),
) -> str:
    """Return rows of texts from outside as a table."""
    table = Table(header, characters, at_right=at_right)
    return table.lines([[table.glyphs.line(cell) for cell in row] for row in rows])
