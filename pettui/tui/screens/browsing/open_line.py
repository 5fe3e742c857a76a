"""OpenLine: the line to type in that stands on the list screen, and what it is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from textual.screen import Screen
    from textual.widget import Widget

    from pettui.tui.widgets.prompts.prompt_line import PromptLine
    from pettui.tui.wording.text_runs import Section


class LineOwner(Protocol):
    """What a line is typed for. Each is awaited before the next key is taken."""

    async def line_changed(self, text: str) -> None:
        """Do what can be done at each letter."""

    async def line_submitted(self, text: str) -> None:
        """Take the text; close the line, or say in it what is wrong."""

    async def line_closed(self) -> None:
        """Close the line, and undo what was done at its letters."""


class OpenLine:
    """At most one line is open; what is typed goes to its owner alone."""

    def __init__(self, screen: Screen[Any], above: Widget, then: Widget) -> None:
        """Take where lines stand.

        Args:
            screen: where they are opened.
            above: the widget that they stand above.
            then: the widget that has the keys when they are closed.
        """
        self._screen = screen
        self._above = above
        self._then = then
        self._line: PromptLine | None = None
        self._owner: LineOwner | None = None

    @property
    def owner(self) -> LineOwner | None:
        """What the line is for that is open; None where none is, or another's."""
        return self._owner if self._line is not None and self._line.is_attached else None

    def cut_sections(self) -> list[Section]:
        """Return the whole of what the line has no room for."""
        is_open = self._line is not None and self._line.is_attached
        return self._line.note.cut_sections() if self._line is not None and is_open else []

    async def open(self, line: PromptLine, owner: LineOwner) -> None:
        """Open a line, in place of one that is open; it has the keys when this returns."""
        from pettui.tui.widgets.prompts.prompt_line import (
            open_prompt_line,
        )

        self._line, self._owner = line, owner
        await open_prompt_line(line, above=self._above)

    async def close(self) -> None:
        """Take the line away; the keys go to the rows again."""
        from pettui.tui.widgets.prompts.prompt_line import (
            close_prompt_line,
        )

        self._line = self._owner = None
        await close_prompt_line(self._screen, then=self._then)
