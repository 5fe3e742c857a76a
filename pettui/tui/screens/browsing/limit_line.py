"""LimitLine: a prompt line for the limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.settings import LIMIT_BOUNDS
from pettui.tui.lists.listing import VALID_LIMIT, limit_of

if TYPE_CHECKING:
    from pettui.tui.screens.browsing.open_line import OpenLine
    from pettui.tui.screens.pet_list import PetListScreen
    from pettui.tui.widgets.prompt import PromptLine


class LimitLine:
    """A prompt line for the limit."""

    def __init__(self, screen: PetListScreen, open_line: OpenLine) -> None:
        self._screen = screen
        self._open_line = open_line
        self._line: PromptLine | None = None

    async def open(self) -> None:
        """Open the line."""
        from pettui.tui.widgets.prompt import PromptLine

        self._line = PromptLine(
            self._screen.session.glyphs,
            "Limit",
            id="limit-line",
            placeholder=f"{self._screen.loader.query.limit}",
            keys="{submit_line} use  {close_line} close",
        )
        await self._open_line.open(self._line, self)
        self._show_choices()

    async def line_changed(self, text: str) -> None:  # noqa: ARG002 - any change will do
        """Show what can be typed."""
        self._show_choices()

    def _show_choices(self) -> None:
        if self._line is not None:
            text = f"{LIMIT_BOUNDS}, or nothing for {self._screen.unchosen_limit}"
            self._line.show_note(text, short=f"{LIMIT_BOUNDS}, or nothing")

    async def line_submitted(self, text: str) -> None:
        """Use the limit, or show that this is not one."""
        limit = limit_of(text)
        if text.strip() and limit is None:
            if self._line is not None:
                self._line.show_note(VALID_LIMIT, "error", short=LIMIT_BOUNDS)
            return
        await self._open_line.close()
        self._screen.choose_limit(limit)

    async def line_closed(self) -> None:
        """Close the line."""
        await self._open_line.close()
