"""FindLine: a prompt line that filters the loaded rows by what is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.columns import BESIDE_NAME, NAME
from pettui.tui.keys import hints
from pettui.tui.wording import found_text

if TYPE_CHECKING:
    from pettui.tui.screens.browsing.open_line import OpenLine
    from pettui.tui.screens.pet_list import PetListScreen
    from pettui.tui.widgets.prompt import PromptLine


class FindLine:
    """It filters at each letter; Enter keeps the filter, and Esc restores the one before."""

    def __init__(self, screen: PetListScreen, open_line: OpenLine) -> None:
        self._screen = screen
        self._open_line = open_line
        self._words_before = ""
        self._more = ""  # the hint of the key that loads all pages, which works after Enter
        self._line: PromptLine | None = None

    @property
    def is_open(self) -> bool:
        """Whether the line is open."""
        return self._open_line.owner is self

    @property
    def is_on(self) -> bool:
        """Whether the rows are filtered, with the line open or closed."""
        return bool(self._screen.view.words)

    async def open(self) -> None:
        """Open the line, with the current words."""
        from pettui.tui.widgets.prompt import PromptLine

        if self._line is not None and self.is_open:
            self._line.take_focus()
            return
        self._words_before = self._screen.view.words
        # While the line is open the key would be typed into it.
        self._more = "".join(hints(", then {all_pages}: all pages", self._screen.table.screen))
        self._line = PromptLine(
            self._screen.session.glyphs,
            "/",
            id="find-line",
            text=self._words_before,
            placeholder=", ".join(column.name for column in (NAME, *BESIDE_NAME)),
            keys=self._keys,
        )
        await self._open_line.open(self._line, self)
        self.show_count()

    @property
    def _keys(self) -> str:
        """The hints of the line's keys (see ``keys.hints``)."""
        listing = self._screen.listing
        more = self._more if listing is not None and listing.goes_on else ""
        closes = "back" if self._words_before else "clear"
        return f"{{submit_line}} keep{more}  {{close_line}} {closes}"

    def show_count(self) -> None:
        """Show in the line how many rows were found."""
        if self._line is not None and self.is_open:
            text, short = found_text(self._screen.shown)
            self._line.show_hints(self._keys)
            self._line.show_note(text, short=short)

    async def line_changed(self, text: str) -> None:
        """Filter by what is typed."""
        self._filter(text)

    async def line_submitted(self, text: str) -> None:  # noqa: ARG002 - it is filtered by already
        """Close the line, and keep the filter."""
        await self._open_line.close()

    async def line_closed(self) -> None:
        """Close the line, and restore the filter from before."""
        await self._open_line.close()
        self._filter(self._words_before)

    def clear(self) -> None:
        """Show all rows again."""
        self._filter("")

    def _filter(self, words: str) -> None:
        self._screen.show_view(self._screen.view.with_words(words))
