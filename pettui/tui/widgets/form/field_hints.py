"""FieldHints: the row under each field, for what is wrong with it or may be typed there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Static

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.tui.look import Look
    from pettui.tui.wording.text_runs import Section

SHOWN = 200  # characters of a text


class FieldHints:
    """What is said of a field stands there until it is checked again; an offer gives way to it."""

    def __init__(self, look: Look, fields: Iterable[str]) -> None:
        self._look = look
        self.rows = {field: Static("", classes="hint -empty", markup=False) for field in fields}
        self._said: dict[str, str] = {}  # raw

    def say(self, field: str, text: str, *, is_error: bool = True) -> None:
        """Put a line under a field; "" takes it away."""
        self._said[field] = text
        self.rows[field].set_class(is_error and bool(text), "-error")
        self._draw(field, text, self._look.error if is_error else self._look.notice)

    def offer(self, field: str, text: str) -> None:
        """Say under a field what may be typed there, unless something else is said of it."""
        if not self._said.get(field):
            self._draw(field, text)

    def cut_sections(self) -> list[Section]:
        """Return what is said of the fields, where that is cut; of offers the first are enough."""
        return [
            (field.capitalize(), text)
            for field, text in self._said.items()
            if text and not self._look.has_room(text, self._room(field), 1)
        ]

    def _room(self, field: str) -> int:
        return self.rows[field].content_size.width - 2

    def _draw(self, field: str, text: str, sign: str = "") -> None:
        row = self.rows[field]
        row.set_class(not text, "-empty")
        shown = f"{sign} {self._look.line(text, SHOWN)}".lstrip() if text else ""
        row.update(shown, layout=False)
