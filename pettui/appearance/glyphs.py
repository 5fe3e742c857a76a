"""GlyphSet: the characters to draw with, on a terminal with Unicode or without."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, chop_cells, set_cell_size

from pettui.models.statuses import Look, look_of, status_word
from pettui.system.capabilities import Glyphs
from pettui.text.safe import LATIN_1, NOTHING, on_one_line, safe

if TYPE_CHECKING:
    from collections.abc import Mapping


class GlyphSet(NamedTuple):
    """The symbols that a terminal can draw, and texts fitted to it."""

    ascii_only: bool = False  # symbols are ASCII, and so are texts, except ``also``
    also: frozenset[str] = NOTHING  # further characters that the terminal draws
    cursor: str = "▌"
    new: str = "+"
    changed: str = "~"
    selected: str = "■"
    error: str = "✖"
    notice: str = "▲"
    ascending: str = "▲"
    descending: str = "▼"
    done: str = "✔"
    waiting: str = "◌"
    dot: str = "·"
    ellipsis: str = "…"
    spinner: str = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
    left: str = "◂"
    right: str = "▸"
    keys: Mapping[str, str] = MappingProxyType(
        {"left": "←", "right": "→", "up": "↑", "down": "↓", "enter": "↵"}
    )

    def safe(self, text: str, limit: int | None = None) -> str:
        """Return text from outside as this terminal can draw it (see ``pettui.text.safe``)."""
        return safe(text, limit, ascii_only=self.ascii_only, also=self.also)

    def line(self, text: str, limit: int = 500) -> str:
        """Return it on one line: blanks and ends of lines of any length become one space."""
        line = on_one_line(text[: limit * 2])
        is_cut = len(text) > limit * 2 and len(line) <= limit
        return self.safe(line, limit) + (self.ellipsis if is_cut else "")

    def status_glyph(self, status: str | None) -> str:
        """Return the glyph of a status; unknown statuses have one of their own."""
        return self.glyph_of(look_of(status))

    def glyph_of(self, look: Look) -> str:
        """Return a status's glyph."""
        return look.ascii_glyph if self.ascii_only else look.glyph

    def status_word(self, status: str | None) -> str:
        """Return the word of a status; an unknown one as it was sent."""
        return self.line(status_word(status), 40)

    def status_text(self, status: str | None, *, is_worded: bool = True) -> str:
        """Return glyph and word of a status, or its glyph alone."""
        glyph = self.status_glyph(status)
        return f"{glyph} {self.status_word(status)}" if is_worded else glyph

    def fit(self, text: str, width: int) -> str:
        """Return text in exactly ``width`` cells: padded, or cut with an ellipsis."""
        if text.isascii() and len(text) <= width:
            return text.ljust(width)
        return set_cell_size(self.cut(text, width), width)

    def cut(self, text: str, width: int) -> str:
        """Return text in at most ``width`` cells, cut with an ellipsis if it is longer."""
        if width <= 0:
            return ""
        if cell_len(text) <= width:
            return text
        room = width - len(self.ellipsis)
        if room < 0:
            return self.ellipsis[:width]
        return set_cell_size(text, room).rstrip() + self.ellipsis

    def wrap(self, text: str, width: int, rows: int) -> list[str]:
        """Return text in at most ``rows`` lines of ``width`` cells, wrapped between words."""
        return self._wrapped(text, width, rows)[0]

    def shown(self, text: str, width: int, rows: int, limit: int = 500) -> tuple[list[str], bool]:
        """Return text from outside in rows, as ``line`` and ``wrap`` do, and whether it is cut."""
        lines, is_cut = self._wrapped(self.line(text, limit), width, rows)
        is_long = len(text) > limit * 2 or len(on_one_line(text[: limit * 2])) > limit
        return lines, is_cut or is_long

    def _wrapped(self, text: str, width: int, rows: int) -> tuple[list[str], bool]:
        if width <= 0:
            return [], False
        lines = [""]
        for word in text.split(" "):
            joined = f"{lines[-1]} {word}" if lines[-1] else word
            if cell_len(joined) <= width:
                lines[-1] = joined
                continue
            pieces = chop_cells(word, width) if cell_len(word) > width else [word]
            lines = [*lines, *pieces] if lines[-1] else [*lines[:-1], *pieces]
            if len(lines) > rows:
                break
        if len(lines) <= rows:
            return lines, False
        last = self.cut(f"{lines[rows - 1]} {' ' * width}|", width)
        return [*lines[: rows - 1], last], True


def glyphs_for(glyphs: Glyphs, *, has_latin_1: bool = False) -> GlyphSet:
    """Return the symbols of a terminal; with ASCII ones, texts may still contain Latin-1."""
    if glyphs is Glyphs.UNICODE:
        return GlyphSet()
    return GlyphSet(
        ascii_only=True,
        also=LATIN_1 if has_latin_1 else NOTHING,
        cursor=">",
        selected="*",
        error="x",
        notice="!",
        ascending="^",
        descending="v",
        done="v",
        waiting=".",
        dot="-",
        ellipsis="...",
        spinner="|/-\\",
        left="<",
        right=">",
        keys=MappingProxyType({key: key for key in ("left", "right", "up", "down", "enter")}),
    )
