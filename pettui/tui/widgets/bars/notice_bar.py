"""NoticeBar: deprecation and other notices, inline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.tui.appearance.breakpoints import is_short
from pettui.tui.keys.available_actions import hints
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording.text_runs import Run, cut_runs, width_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pettui.client import Notice
    from pettui.tui.user_session import UserSession
    from pettui.tui.wording.text_runs import Section

ROWS_EACH = 3
ROWS_WHERE_SCROLLED = 12  # there is room to scroll
ROWS_MAXIMUM = 9
ROWS_WHERE_SHORT = 2  # the rows of the list need the room
MARGINS = 4  # cells beside a notice
CHARACTERS = 500
SEEN_MAXIMUM = 20  # notices that are remembered; a service may send new ones for ever


class NoticeBar(LineWidget):
    """Each notice takes as many rows as it needs, within bounds; without any the bar is hidden.

    Notices that were seen before take one row each, and so do all on a short screen.
    """

    notices: reactive[tuple[str, ...]] = reactive((), layout=True)

    def __init__(self, session: UserSession, *, shows_once: bool) -> None:
        super().__init__(session.glyphs)
        self._shows_once = shows_once  # otherwise a notice stays whole until it is dismissed
        self._session = session
        self._shown: tuple[tuple[str, ...], tuple[Notice, ...], tuple[str, ...]] = ((), (), ())
        self._briefs: Mapping[str, str] = {}  # by sentence
        self._seen_before: frozenset[str] = frozenset()  # sentences of notices seen before
        self._new_here: tuple[Notice, ...] = ()
        self._dismissed: frozenset[str] = frozenset()  # lines that were dismissed

    def show(
        self, lines: Iterable[str], notices: Iterable[Notice], more: Iterable[str] = ()
    ) -> None:
        """Show raw lines, notices of the service, and further raw lines.

        The first screen of a session that shows a notice shows it whole, later ones in one row.
        """
        self._shown = lines, notices, more = tuple(lines), tuple(notices), tuple(more)
        today = self._session.clock.now().date()
        sentences = {notice.sentence(today): notice for notice in notices}
        before = self._briefs, self._seen_before
        self._briefs = {text: notice.brief(today) for text, notice in sentences.items()}
        seen = {text for text, notice in sentences.items() if self._was_seen(notice)}
        self._seen_before = frozenset(seen)
        shown = dict.fromkeys((*lines, *sentences, *more))
        self.notices = tuple(line for line in shown if line not in self._dismissed)
        if before != (self._briefs, self._seen_before):
            self.refresh(layout=True)

    def show_again(self) -> None:
        """Show the same notices at a new size."""
        self.show(*self._shown)

    def count_as_seen(self) -> None:
        """Count the notices as seen: the screen shows another animal now."""
        self._new_here = ()

    def put_away(self) -> None:
        """Dismiss the notices; other ones may come."""
        self._dismissed |= frozenset(self.notices)
        self.notices = ()

    def _was_seen(self, notice: Notice) -> bool:
        """Whether a notice was seen before; one with room to stand whole counts as seen now."""
        if notice in self._new_here:
            return False
        if self._shows_once and self._session.was_shown(notice):
            return True
        if not is_short(self):
            self._new_here = (*self._new_here[-SEEN_MAXIMUM:], notice)
            self._session.remember_shown(notice)
        return False

    def on_mount(self) -> None:
        """Redraw when other keys work."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.refresh())

    def watch_notices(self) -> None:
        """Hide the bar when it is empty."""
        self.display = bool(self.notices)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the notices, each with its sign, and further rows indented."""
        notices = [self._rows(notice, width) for notice in self.notices]
        if sum(map(len, notices)) <= self._rows_in_all:
            return [row for rows in notices for row in rows]
        shown: list[list[Run]] = []
        for index, rows in enumerate(notices):
            if len(shown) + len(rows) > self._rows_in_all - 1:
                text = f"{self.glyphs.ellipsis} and {len(notices) - index} more"
                return [*shown, self._with_key([("   ", ""), (text, "")], width)]
            shown += rows
        return shown

    def _rows(self, notice: str, width: int) -> list[list[Run]]:
        sign: Run = (f" {self.glyphs.notice} ", "notice")
        if self._is_brief(notice):
            return [self._with_key([sign, (self.glyphs.line(self._briefs[notice]), "")], width)]
        lines = self.glyphs.wrap(
            self.glyphs.line(notice, CHARACTERS), width - MARGINS, self._rows_each
        )
        rows: list[list[Run]] = [
            [("   ", "") if index else sign, (line, "")] for index, line in enumerate(lines)
        ]
        if rows and self._is_cut(notice, width):
            rows[-1] = self._with_key(rows[-1], width)
        return rows

    def _height(self, notice: str, width: int) -> int:
        if self._is_brief(notice):
            return 1
        line = self.glyphs.line(notice, CHARACTERS)
        return len(self.glyphs.wrap(line, width - MARGINS, self._rows_each))

    def _with_key(self, runs: Sequence[Run], width: int) -> list[Run]:
        """Return a row, cut if need be, followed by the key for its full text."""
        key = "".join(hints("{view_full_text}", self.screen))
        hint: list[Run] = [(f" {self.glyphs.dot} ", "muted"), (key, "key")] if key else []
        return [*cut_runs(self.glyphs, runs, width - width_of(hint)), *hint]

    def _is_brief(self, notice: str) -> bool:
        return notice in self._briefs and (notice in self._seen_before or is_short(self))

    def _is_cut(self, notice: str, width: int) -> bool:
        rows = self._rows_each
        return not self.glyphs.has_room(notice, width - MARGINS, rows, CHARACTERS)

    def cut_sections(self) -> list[Section]:
        """Return the notices that are cut."""
        # Not by ``_rows``, which name a key that depends on this.
        width, rows, cut = self.drawn_width, 0, []
        for notice in self.notices:
            rows += self._height(notice, width)
            is_beyond = rows > self._rows_in_all
            if is_beyond or self._is_brief(notice) or self._is_cut(notice, width):
                cut.append(notice)
        if rows > self._rows_in_all and len(self.notices) > 1:
            cut = [*self.notices]  # the last one makes room for "and 2 more"
        return [("Notice", notice) for notice in cut]

    @property
    def _is_scrolled(self) -> bool:
        return self.parent is not self.screen

    @property
    def _rows_each(self) -> int:
        if is_short(self):
            return 1
        return ROWS_WHERE_SCROLLED if self._is_scrolled else ROWS_EACH

    @property
    def _rows_in_all(self) -> int:
        if self._is_scrolled:
            return 10_000
        return ROWS_WHERE_SHORT if is_short(self) else ROWS_MAXIMUM
