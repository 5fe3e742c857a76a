"""What happened in this session: its errors and notices."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual import on

from pettui.keyboard import actions
from pettui.text.amounts import time_text
from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.screens.requests import RequestsScreen
from pettui.tui.session.session import EntryChanged, OutboxChanged
from pettui.tui.widgets.bindings import bindings
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.widgets.runs import separator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from pettui.tui.session.session import UserSession
    from pettui.tui.widgets.runs import Run

NOTHING_HAPPENED: Final = "No error and no notice so far."
ROWS_EACH: Final = 6  # of one error or notice
ROWS_OF_LINE: Final = 1_000  # of a program's output
INDENT: Final = 2  # cells


class HistoryLines(LineWidget):
    """Errors and notices, the newest first: a row with time and title, and the text below."""

    def __init__(self, session: UserSession) -> None:
        super().__init__(session.glyphs)
        self._session = session

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines."""
        glyphs, now, lines = self.glyphs, self._session.clock.now(), []
        for each in reversed(self._session.history):
            times = f" ({each.times} times)" if each.times > 1 else ""
            title = f"{glyphs.line(each.title, 80)}{times}"
            style = "notice" if each.title == "Notice" else "strong"
            lines.append([(time_text(each.at, now), "muted"), separator(glyphs), (title, style)])
            rows = glyphs.wrap(glyphs.line(each.text, 1000), width - INDENT, ROWS_EACH)
            for line in map(glyphs.safe, each.output.expandtabs().splitlines()):
                rows += glyphs.wrap(line, width - INDENT, ROWS_OF_LINE)
            lines += [[(" " * INDENT, ""), (row, "")] for row in rows]
        return lines or [[(NOTHING_HAPPENED, "muted")]]


class HistoryScreen(BoxScreen):
    """The box; Esc closes it."""

    HINT = "{requests} Requests  {close_history} Close"
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.HISTORY_BOX, requests="requests", close_history="dismiss"
    )

    def __init__(self, session: UserSession) -> None:
        self._session = session
        self._lines = HistoryLines(session)
        super().__init__(session.glyphs, "What happened", [self._lines])

    @on(EntryChanged)
    @on(OutboxChanged)
    def show_what_came(self) -> None:
        """Show what happened meanwhile, such as why adds wait."""
        self._lines.refresh(layout=True)

    async def action_requests(self) -> None:
        """Show the last requests in place of this box."""
        await self.app.switch_screen(RequestsScreen(self._session))
