"""NoticeBar: deprecation and other notices, inline, for as long as they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive

from pettui.tui.appearance.breakpoints import is_short
from pettui.tui.keys.available_actions import hints
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording.notice_texts import brief, sentence
from pettui.tui.wording.text_runs import Run, cut_runs, width_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pettui.client import Notice
    from pettui.tui.user_session import UserSession
    from pettui.tui.wording.text_runs import Section

ROWS_EACH = 3
ROWS_WHERE_SCROLLED = 12  # what is cut cannot be scrolled to
ROWS_MAXIMUM = 9
ROWS_WHERE_SHORT = 2  # there the rows of the list are worth more
MARGINS = 4  # cells beside a notice
CHARACTERS = 500
TOLD_MAXIMUM = 20  # notices that are remembered; a service may state another each time


class NoticeBar(LineWidget):
    """Each notice on as many rows as it needs, within bounds; away when there is none.

    One that was told before stands on one line, and so does each where the screen is short.
    """

    notices: reactive[tuple[str, ...]] = reactive((), layout=True)

    def __init__(self, session: UserSession, *, tells_once: bool) -> None:
        super().__init__(session.look)
        self._tells_once = tells_once  # else a notice stays whole until it is put away
        self._session = session
        self._given: tuple[tuple[str, ...], tuple[Notice, ...], tuple[str, ...]] = ((), (), ())
        self._briefs: Mapping[str, str] = {}  # of the sentences that have one
        self._told: frozenset[str] = frozenset()  # sentences that were told before they came here
        self._told_here: tuple[Notice, ...] = ()
        self._put_away: frozenset[str] = frozenset()  # lines that are not to be shown again

    def give(
        self, lines: Iterable[str], notices: Iterable[Notice], more: Iterable[str] = ()
    ) -> None:
        """Show raw lines, notices of the service, and further lines.

        A notice stands whole on the first screen of the session that shows it, and for as long as
        that shows it; after that on one line.
        """
        self._given = lines, notices, more = tuple(lines), tuple(notices), tuple(more)
        today = self._session.clock.now().date()
        sentences = {sentence(notice, today): notice for notice in notices}
        before = self._briefs, self._told
        self._briefs = {text: brief(notice, today) for text, notice in sentences.items()}
        told = {text for text, notice in sentences.items() if self._was_told(notice)}
        self._told = frozenset(told)
        shown = dict.fromkeys((*lines, *sentences, *more))
        self.notices = tuple(line for line in shown if line not in self._put_away)
        if before != (self._briefs, self._told):
            self.refresh(layout=True)

    def give_again(self) -> None:
        """Show the same where the room is another."""
        self.give(*self._given)

    def forget_here(self) -> None:
        """Count what stands here as told before: something else is shown beside it now."""
        self._told_here = ()

    def put_away(self) -> None:
        """Take away what stands there; other notices may come."""
        self._put_away |= frozenset(self.notices)
        self.notices = ()

    def _was_told(self, notice: Notice) -> bool:
        """Whether a notice was told before it came here; one that has room counts as told now."""
        if notice in self._told_here:
            return False
        if self._tells_once and self._session.was_shown(notice):
            return True
        if not is_short(self):
            self._told_here = (*self._told_here[-TOLD_MAXIMUM:], notice)
            self._session.remember_shown(notice)
        return False

    def on_mount(self) -> None:
        """Draw again when other keys work."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.refresh())

    def watch_notices(self) -> None:
        """Be there only when there is something to say."""
        self.display = bool(self.notices)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Give the notices, each with its sign, the rest of it indented."""
        notices = [self._rows(notice, width) for notice in self.notices]
        if sum(map(len, notices)) <= self._rows_in_all:
            return [row for rows in notices for row in rows]
        shown: list[list[Run]] = []
        for place, rows in enumerate(notices):
            if len(shown) + len(rows) > self._rows_in_all - 1:
                text = f"{self.look.ellipsis} and {len(notices) - place} more"
                return [*shown, self._with_key([("   ", ""), (text, "")], width)]
            shown += rows
        return shown

    def _rows(self, notice: str, width: int) -> list[list[Run]]:
        sign: Run = (f" {self.look.notice} ", "notice")
        if self._is_brief(notice):
            return [self._with_key([sign, (self.look.line(self._briefs[notice]), "")], width)]
        lines = self.look.wrap(self.look.line(notice, CHARACTERS), width - MARGINS, self._rows_each)
        rows: list[list[Run]] = [
            [("   ", "") if place else sign, (line, "")] for place, line in enumerate(lines)
        ]
        if rows and self._is_cut(notice, width):
            rows[-1] = self._with_key(rows[-1], width)
        return rows

    def _height(self, notice: str, width: int) -> int:
        if self._is_brief(notice):
            return 1
        line = self.look.line(notice, CHARACTERS)
        return len(self.look.wrap(line, width - MARGINS, self._rows_each))

    def _with_key(self, runs: Sequence[Run], width: int) -> list[Run]:
        """Return a row with the key for the whole of it behind it: the row is cut for that."""
        key = "".join(hints("{view_answer}", self.screen))
        behind: list[Run] = [(f" {self.look.dot} ", "muted"), (key, "key")] if key else []
        return [*cut_runs(self.look, runs, width - width_of(behind)), *behind]

    def _is_brief(self, notice: str) -> bool:
        return notice in self._briefs and (notice in self._told or is_short(self))

    def _is_cut(self, notice: str, width: int) -> bool:
        rows = self._rows_each
        return not self.look.has_room(notice, width - MARGINS, rows, CHARACTERS)

    def cut_sections(self) -> list[Section]:
        """Return the notices that do not stand there whole."""
        # Not by ``_rows``: what those name depends on whether there is anything cut.
        width, rows, cut = self.drawn_width, 0, []
        for notice in self.notices:
            rows += self._height(notice, width)
            is_beyond = rows > self._rows_in_all
            if is_beyond or self._is_brief(notice) or self._is_cut(notice, width):
                cut.append(notice)
        if rows > self._rows_in_all and len(self.notices) > 1:
            cut = [*self.notices]  # the last that fits gives its row to the count of the others
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
