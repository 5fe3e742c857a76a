"""LimitChoice: the limit of one page, and the prompt line for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.settings import LIMIT_BOUNDS
from pettui.tui.lists.listing import ListQuery
from pettui.tui.lists.page_limit import VALID_LIMIT, larger, limit_for, limit_of, smaller

if TYPE_CHECKING:
    from pettui.tui.screens.browsing.open_line import OpenLine
    from pettui.tui.screens.browsing.shown_list import ShownList
    from pettui.tui.widgets.prompt import PromptLine

PAUSE = 0.15  # seconds after the last + or - until the request


class LimitChoice:
    """The limit that the clerk chose, else the setting, else as many as the screen has rows."""

    def __init__(self, screen: ShownList) -> None:
        self._screen = screen
        self.chosen = screen.session.seen.first_view.limit  # None where none was chosen

    @property
    def limit(self) -> int:
        """The limit of the next list."""
        return self.chosen or self.unchosen

    @property
    def unchosen(self) -> int:
        """The limit without a choice."""
        return self._screen.session.settings.limit or limit_for(self._screen.app.size.height)

    def step(self, by: int) -> None:
        """Choose a larger or smaller limit; the request waits for further key presses."""
        limit = self._screen.loader.query.limit
        self.choose(larger(limit) if by > 0 else smaller(limit), after=PAUSE)

    def choose(self, limit: int, *, after: float = 0) -> None:
        """Use this limit from now on, also in later sessions."""
        self._use(limit, after=after)

    def choose_none(self) -> None:
        """Use the limit that needs no choice from now on, and say which that is."""
        self._use(None)
        is_set = self._screen.session.settings.limit is not None
        why = "the setting" if is_set else "automatic"
        self._screen.show_remark(f"limit {self.limit}: {why}")

    def _use(self, chosen: int | None, *, after: float = 0) -> None:
        query = self._screen.loader.query
        self.chosen = chosen
        self._screen.session.seen.leave(limit=chosen)
        if self.limit != query.limit:
            self._screen.loader.load(ListQuery(query.status, self.limit), after=after)


class LimitLine:
    """A prompt line for the limit."""

    def __init__(self, screen: ShownList, choice: LimitChoice, open_line: OpenLine) -> None:
        self._screen = screen
        self._choice = choice
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
            text = f"{LIMIT_BOUNDS}, or nothing for {self._choice.unchosen}"
            self._line.show_note(text, short=f"{LIMIT_BOUNDS}, or nothing")

    async def line_submitted(self, text: str) -> None:
        """Use the limit, or show that this is not one."""
        limit = limit_of(text)
        if text.strip() and limit is None:
            if self._line is not None:
                self._line.show_note(VALID_LIMIT, "error", short=LIMIT_BOUNDS)
            return
        await self._open_line.close()
        if limit is None:
            self._choice.choose_none()
        else:
            self._choice.choose(limit)

    async def line_closed(self) -> None:
        """Close the line."""
        await self._open_line.close()
