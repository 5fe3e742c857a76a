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
from pettui.rows.columns import COLUMNS
from pettui.settings.settings import Colours
from pettui.system.capabilities import PLAIN
from pettui.transfer.writing import field_record

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from pettui.appearance.glyphs import GlyphSet
    from pettui.cli.output import Characters
    from pettui.models.pets import Pet
    from pettui.rows.columns import Column
    from pettui.settings.settings import Settings

_GAP: Final = 2
_CUT_TO: Final = 8  # cells of a column, for the sake of the others
_BOLD, _END = "\x1b[1m", "\x1b[m"


class Table:
    """A table that is printed while its rows come: a column only becomes wider, never narrower."""

    def __init__(
        self,
        settings: Settings,
        environment: Mapping[str, str],
        columns: Sequence[Column] = COLUMNS,
    ) -> None:
        self._columns = columns
        self._settings = settings
        self._environment = environment
        self._widths: list[int] = []  # of the widest cells so far; none before the header

    def lines(self, pets: Sequence[Pet]) -> bytes:
        """Return the next lines, after the header, cut to the terminal's width."""
        settings = self._settings
        glyphs = glyphs_for(settings.glyphs, has_latin_1=settings.has_latin_1)
        names = settings.profile.categories
        header = [column.name for column in self._columns]
        rows = [
            [column.line(pet, lambda each: names.get(each, ""), glyphs) for column in self._columns]
            for pet in pets
        ]
        is_first = not self._widths
        cells = zip(header, *rows, strict=True)
        own = [max(map(cell_len, column)) for column in cells]
        self._widths = (
            own if is_first else [max(pair) for pair in zip(self._widths, own, strict=True)]
        )
        width = terminal_width(sys.stdout)
        at_right = {index for index, each in enumerate(self._columns) if each.is_at_right}
        widths = _narrowed(self._widths, width, at_right)
        terminal = self._environment.get("TERM", "")
        has_styles = settings.colours is not Colours.NONE and terminal not in PLAIN
        lines = []
        if is_first:
            title = _line(header, widths, width, glyphs, at_right)
            lines.append(f"{_BOLD}{title}{_END}" if has_styles else title)
        for pet, row in zip(pets, rows, strict=True):
            styles = [_style(column, pet) for column in self._columns] if has_styles else ()
            lines.append(_line(row, widths, width, glyphs, at_right, styles))
        return "".join(f"{line}\n" for line in lines).encode()


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
        else:
            _write_table(fields, [*rows], characters)


def _write_table(
    fields: Sequence[str], found: Sequence[Mapping[str, Any]], characters: Settings | Characters
) -> None:
    cells = [fields, *([_cell(row[field]) for field in fields] for row in found)]
    if not is_terminal():
        text = "".join(f"{field_record(row)}\n" for row in cells)
        write_output(text.encode(errors="replace"))
        return
    numbers = {
        index
        for index, field in enumerate(fields)
        if all(type(row[field]) in (int, type(None)) for row in found)
    }
    write_output(table_of(cells, characters, at_right=numbers).encode())


def _cell(value: bool | int | str | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def table_of(
    rows: Sequence[Sequence[str]],
    characters: Settings | Characters,
    *,
    at_right: Container[int] = (),
) -> str:
    """Return rows of texts from outside as a table, cut to the terminal's width if there is one.

    Args:
        rows: the first is the header.
        characters: of the terminal.
        at_right: the indices of columns of numbers.
    """
    glyphs = glyphs_for(characters.glyphs, has_latin_1=characters.has_latin_1)
    safe_rows = [[glyphs.line(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*safe_rows, strict=True)]
    width = terminal_width(sys.stdout) if is_terminal() else maxsize
    widths = _narrowed(widths, width, at_right)
    return "".join(f"{_line(row, widths, width, glyphs, at_right)}\n" for row in safe_rows)


def _narrowed(widths: Sequence[int], width: int, at_right: Container[int]) -> list[int]:
    """Return the widths of columns that fit into a line: the widest texts are cut, no number is."""
    narrowed = list(widths)
    room = width - _GAP * (len(widths) - 1)
    texts = [index for index in range(len(widths)) if index not in at_right]
    while texts and sum(narrowed) > room:
        widest = max(texts, key=narrowed.__getitem__)
        if narrowed[widest] <= _CUT_TO:
            break
        narrowed[widest] -= 1
    return narrowed


def _line(  # noqa: PLR0917 - what a line is made of
    row: Sequence[str],
    widths: Sequence[int],
    width: int,
    glyphs: GlyphSet,
    at_right: Container[int],
    styles: Sequence[str] = (),
) -> str:
    """Return a line of at most a width; one that is cut has no styles."""
    cells = [
        " " * (cells - cell_len(text)) + text if index in at_right else glyphs.fit(text, cells)
        for index, (text, cells) in enumerate(zip(row, widths, strict=True))
    ]
    cells[-1] = cells[-1].rstrip()
    line = (" " * _GAP).join(cells)
    if cell_len(line) > width:
        return glyphs.cut(line, width)
    styled = map(_styled, cells, styles) if styles else cells
    return (" " * _GAP).join(styled)


def _style(column: Column, pet: Pet) -> str:
    return column.look(column.value(pet)).sgr if column.look is not None else ""


def _styled(cell: str, sgr: str) -> str:
    return f"\x1b[{sgr}m{cell}{_END}" if sgr else cell
