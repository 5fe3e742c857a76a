"""Animals as a table, no line wider than the terminal."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from pettui.presentation.glyphs import glyphs_for
from pettui.settings import Colours
from pettui.statuses import look_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pettui.models import Pet
    from pettui.presentation.glyphs import GlyphSet
    from pettui.settings import Settings

_HEADER: Final = ("id", "name", "category", "status")
_ID, _NAME, _CATEGORY, _STATUS = range(len(_HEADER))
_GAP: Final = 2
_NAME_MINIMUM: Final = 8
_LONGEST: Final = 500  # characters of a text
_USUAL_WIDTH: Final = 80
_PLAIN_KINDS: Final = ("", "dumb", "unknown")  # of a terminal
_BOLD, _END = "\x1b[1m", "\x1b[m"


def table(pets: Sequence[Pet], settings: Settings, environment: Mapping[str, str]) -> bytes:
    """Return the lines of a table with a header, cut to the terminal's width."""
    glyphs = glyphs_for(settings.glyphs, has_latin_1=settings.has_latin_1)
    rows = [_HEADER, *(_cells(pet, settings, glyphs) for pet in pets)]
    width = _terminal_width()
    widths = _widths(rows, width)
    has_styles = (
        settings.colours is not Colours.NONE and environment.get("TERM", "") not in _PLAIN_KINDS
    )
    styles = [_BOLD, *(_status_style(pet) for pet in pets)] if has_styles else ()
    lines = [_line(row, widths, width, glyphs) for row in rows]
    styled = map(_styled, lines, styles, rows) if has_styles else lines
    return "".join(f"{line}\n" for line in styled).encode()


def safe_record(record: bytes, settings: Settings) -> bytes:
    """Return a record for programs, made safe for a terminal."""
    glyphs = glyphs_for(settings.glyphs, has_latin_1=settings.has_latin_1)
    text = record.decode()
    end = "\0" if text.endswith("\0") else "\n"
    body = text.removesuffix(end).removesuffix("\r")
    # Tabs between fields are harmless.
    return ("\t".join(map(glyphs.safe, body.split("\t"))) + end).encode()


def _terminal_width() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or _USUAL_WIDTH
    except OSError:
        return _USUAL_WIDTH


def _cells(pet: Pet, settings: Settings, glyphs: GlyphSet) -> tuple[str, ...]:
    category = f"{pet.category_id} {settings.profile.categories.get(pet.category_id, '')}"
    name = glyphs.line(pet.name, _LONGEST) or "(no name)"
    return (str(pet.id), name, glyphs.line(category), glyphs.status_word(pet.status))


def _widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the width of each column; if there is too little room, name and category shrink."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    room = width - _GAP * (len(widths) - 1)
    for column, least in ((_NAME, _NAME_MINIMUM), (_CATEGORY, len("category")), (_NAME, 1)):
        too_many = sum(widths) - room
        if too_many > 0:
            widths[column] = max(widths[column] - too_many, min(widths[column], least))
    return widths


def _line(row: Sequence[str], widths: Sequence[int], width: int, glyphs: GlyphSet) -> str:
    cells = [
        row[_ID].rjust(widths[_ID]),
        glyphs.fit(row[_NAME], widths[_NAME]),
        glyphs.fit(row[_CATEGORY], widths[_CATEGORY]),
        row[_STATUS],
    ]
    return glyphs.cut((" " * _GAP).join(cells), width)


def _status_style(pet: Pet) -> str | None:
    sgr = look_of(pet.status).sgr
    return f"\x1b[{sgr}m" if sgr else None


def _styled(line: str, style: str | None, row: Sequence[str]) -> str:
    """Return a line with a styled header or status."""
    if style == _BOLD:
        return f"{_BOLD}{line}{_END}"
    status = row[_STATUS]
    if style is None or not line.endswith(status):
        return line
    return f"{line.removesuffix(status)}{style}{status}{_END}"
