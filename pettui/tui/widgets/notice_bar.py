"""NoticeBar: deprecation and other notices, inline, for as long as they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.tui.widgets.drawn import Drawn, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

ROWS_MAXIMUM = 3


class NoticeBar(Drawn):
    """Each notice on as many rows as it needs, at most three; away when there is none."""

    notices: reactive[tuple[str, ...]] = reactive((), layout=True)

    def watch_notices(self) -> None:
        """Be there only when there is something to say."""
        self.display = bool(self.notices)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Give the notices, each with its sign, the rest of it indented."""
        shown: list[list[Run]] = []
        for notice in self.notices:
            rows = self.look.wrap(self.look.line(notice), width - 4, ROWS_MAXIMUM)
            for place, row in enumerate(rows):
                sign = f" {self.look.notice} " if place == 0 else "   "
                shown.append([(sign, "notice"), (row, "")])
        return shown
