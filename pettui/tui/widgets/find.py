"""Find: its key opens a line over rows, and each letter shows those that contain the words.

Enter keeps what is found, Esc goes back to what was found before. What the words can say is
``pettui.rows.find_terms``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

from pettui.keyboard import actions
from pettui.tui.widgets.bindings import bindings
from pettui.tui.widgets.prompt import PromptLine
from pettui.tui.widgets.row_table import RowTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.binding import BindingType

    from pettui.tui.session.session import UserSession


class Found(NamedTuple):
    """How many rows contain the words."""

    text: str
    short: str  # the same, for less room
    is_part: bool = False  # there are rows that are not loaded


class SearchedRows(Protocol):
    """Rows in which is found: what is typed may hide the cursor's row at any letter."""

    FOUND_BY: ClassVar[str]  # what a find looks at

    @property
    def words(self) -> str:
        """The words that the rows contain, as typed; "" for all rows."""
        ...

    @property
    def found(self) -> Found:
        """How many rows contain the words."""
        ...

    def find(self, words: str) -> None:
        """Show only the rows that contain the words."""


class FindLine(PromptLine):
    """The prompt of a find, which filters at each letter."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.FIND_LINE)

    def __init__(
        self,
        session: UserSession,
        rows: SearchedRows,
        mark: Callable[[], bool] | None = None,
        all_pages: str = "",
    ) -> None:
        """Find the current words first.

        Args:
            session: whose earlier finds are offered; Up and Down go through them.
            rows: in which is found.
            mark: marks the rows that are found, and returns whether there are any; None: it can't.
            all_pages: the hint of the key, which works after the prompt: in it, it would be typed.
        """
        self._before = rows.words  # to which Esc goes back
        closes = "back" if self._before else "clear"
        super().__init__(
            session.glyphs,
            "/",
            id="find-line",
            text=self._before,
            placeholder=rows.FOUND_BY,
            keys={"submit_line": "keep", "mark_found": "mark", "close_line": closes},
        )
        self._session = session
        self._rows = rows
        self._mark = mark
        self._all_pages = all_pages
        # Earlier ones, the newest last, and then what is typed.
        self._texts = [*(text for text in session.finds if text != self._before), self._before]
        self._at = len(self._texts) - 1  # the index of what stands in the field

    def on_mount(self) -> None:
        """Let the cursor depend on the whole of what is typed, and not on each letter of it."""
        self._table = self.screen.query_one(RowTable)
        self._table.begin_find()

    def text_changed(self, text: str) -> None:
        """Find at each letter, before the next key."""
        super().text_changed(text)
        self._rows.find(text)

    def describe_now(self) -> None:
        """Describe how many rows are found."""
        found = self._rows.found
        self.describe(found.text, found.short, then=self._all_pages if found.is_part else "")

    async def action_submit(self) -> None:
        """Keep what is found."""
        self._session.remember_find(self.text)
        await self.close()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether the rows can be marked, and there are earlier texts."""
        if action == "mark_found":
            return self._mark is not None
        if action == "recall":
            return len(self._texts) > 1
        return super().check_action(action, parameters)

    def action_recall(self, step: int) -> None:
        """Go to the text before or after; what was typed stands behind the newest."""
        at = self._at + step
        if 0 <= at < len(self._texts):
            self._texts[self._at] = self.text
            self._at, self.text = at, self._texts[at]

    async def action_mark_found(self) -> None:
        """Mark what is found, and go back to what was found before."""
        if self._mark is None or not self._mark():
            self.show_error("there is nothing to mark", "nothing to mark", has_keys=True)
            return
        self._session.remember_find(self.text)
        await self.undo()

    async def undo(self) -> None:
        """Close, and go back to what was found before."""
        await self.close()
        self._rows.find(self._before)

    async def leave(self) -> None:
        """Let the cursor go on from where it is."""
        self._table.end_find()
        await super().leave()
