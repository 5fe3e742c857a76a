"""OpenLine: the prompt line that is open on the list screen, and its owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from textual.screen import Screen
    from textual.widget import Widget

    from pettui.tui.runs import Section
    from pettui.tui.widgets.prompt import PromptLine


class LineOwner(Protocol):
    """Handles what is typed. Each call is awaited before the next key is handled."""

    async def line_changed(self, text: str) -> None:
        """Handle each letter."""

    async def line_submitted(self, text: str) -> None:
        """Use the text and close the line, or show in it what is wrong."""

    async def line_closed(self) -> None:
        """Close the line, and undo what its letters did."""


class OpenLine:
    """At most one line is open; its owner gets what is typed."""

    def __init__(self, screen: Screen[Any], above: Widget, then: Widget) -> None:
        """Open no line yet.

        Args:
            screen: where they are opened.
            above: the widget that they stand above.
            then: the widget that gets the focus when they are closed.
        """
        self._screen = screen
        self._above = above
        self._then = then
        self._line: PromptLine | None = None
        self._owner: LineOwner | None = None

    @property
    def owner(self) -> LineOwner | None:
        """The owner of the open line; None if none is open, or another's."""
        return self._owner if self._line is not None and self._line.is_attached else None

    async def changed(self, text: str) -> None:
        """Pass each letter to the owner of the line."""
        if self.owner is not None:
            await self.owner.line_changed(text)

    async def submitted(self, text: str) -> None:
        """Pass the text to the owner of the line."""
        if self.owner is not None:
            await self.owner.line_submitted(text)

    def cut_sections(self) -> list[Section]:
        """Return the full texts that the line cuts."""
        is_open = self._line is not None and self._line.is_attached
        return self._line.note.cut_sections() if self._line is not None and is_open else []

    async def open(self, line: PromptLine, owner: LineOwner) -> None:
        """Open a line in place of one that is open; it is focused when this returns."""
        from pettui.tui.widgets.prompt import (
            open_prompt_line,
        )

        self._line, self._owner = line, owner
        await open_prompt_line(line, above=self._above)

    async def close(self) -> None:
        """Close the line, and focus the rows."""
        from pettui.tui.widgets.prompt import (
            close_prompt_line,
        )

        self._line = self._owner = None
        await close_prompt_line(self._screen, then=self._then)
