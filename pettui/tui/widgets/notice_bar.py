"""NoticeBar: deprecation and other notices, inline, for as long as they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.tui.widgets.drawn import Drawn, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

ROWS_EACH = 3
ROWS_WHERE_SCROLLED = 12  # what is cut cannot be scrolled to
ROWS_MAXIMUM = 9
ROWS_WHERE_SHORT = 2  # there the rows of the list are worth more


class NoticeBar(Drawn):
    """Each notice on as many rows as it needs, within bounds; away when there is none."""

    notices: reactive[tuple[str, ...]] = reactive((), layout=True)

    def watch_notices(self) -> None:
        """Be there only when there is something to say."""
        self.display = bool(self.notices)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Give the notices, each with its sign, the rest of it indented."""
        each, most = self._room()
        shown: list[list[Run]] = []
        for notice in self.notices:
            rows = self.look.wrap(self.look.line(notice), width - 4, each)
            for place, row in enumerate(rows):
                sign = f" {self.look.notice} " if place == 0 else "   "
                shown.append([(sign, "notice"), (row, "")])
        if len(shown) > most:
            shown[most - 1 :] = [[("   ", ""), (f"{self.look.ellipsis} and more", "")]]
        return shown

    def _room(self) -> tuple[int, int]:
        """Give how many rows a notice may take, and all of them; where they scroll, any."""
        if self.parent is not self.screen:
            return ROWS_WHERE_SCROLLED, 10_000
        if self.screen.has_class("-short"):
            return 1, ROWS_WHERE_SHORT
        return ROWS_EACH, ROWS_MAXIMUM
