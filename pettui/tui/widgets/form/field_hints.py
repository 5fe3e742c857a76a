"""FieldHints: the row below each field, for errors, warnings and suggestions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Static

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.glyphs import GlyphSet
    from pettui.tui.wording.text_runs import Section

SHOWN = 200  # characters of a text


class FieldHints:
    """A message stays until the field is checked again, and hides suggestions."""

    def __init__(self, glyphs: GlyphSet, fields: Iterable[str]) -> None:
        self._glyphs = glyphs
        self.rows = {field: Static("", classes="hint -empty", markup=False) for field in fields}
        self._messages: dict[str, str] = {}  # raw

    def show(self, field: str, text: str, *, is_error: bool = True) -> None:
        """Show a message below a field; "" for none."""
        self._messages[field] = text
        self.rows[field].set_class(is_error and bool(text), "-error")
        self._draw(field, text, self._glyphs.error if is_error else self._glyphs.notice)

    def offer(self, field: str, text: str) -> None:
        """Show a suggestion below a field, unless it has a message."""
        if not self._messages.get(field):
            self._draw(field, text)

    def cut_sections(self) -> list[Section]:
        """Return the messages that are cut; suggestions may be."""
        return [
            (field.capitalize(), text)
            for field, text in self._messages.items()
            if text and not self._glyphs.has_room(text, self._room(field), 1)
        ]

    def _room(self, field: str) -> int:
        return self.rows[field].content_size.width - 2

    def _draw(self, field: str, text: str, sign: str = "") -> None:
        row = self.rows[field]
        row.set_class(not text, "-empty")
        shown = f"{sign} {self._glyphs.line(text, SHOWN)}".lstrip() if text else ""
        row.update(shown, layout=False)
