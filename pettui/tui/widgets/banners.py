"""What needs attention: ErrorBanner, and NoticeBar with the notices of the service."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.message import Message
from textual.reactive import reactive

from pettui.keyboard.actions import VIEW_FULL_TEXT
from pettui.outbox.entries import OutboxError
from pettui.tui.widgets.appearance import is_short
from pettui.tui.widgets.bindings import hints
from pettui.tui.widgets.failures import Failure
from pettui.tui.widgets.line_widget import CuttingWidget, Drawing, LineWidget
from pettui.tui.widgets.runs import GAP, Run, Section, beside, cut_runs, width_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    from textual import events

    from pettui.client import Notice
    from pettui.tui.session.session import UserSession


MESSAGE_MARGINS = 4  # cells beside a message
TITLE_CHARACTERS = 200
MESSAGE_ROWS = 4  # of a message
MESSAGE_ROWS_WHERE_SHORT = 1  # the rows of the list need the room
FULL_TEXT = f"{{view_full_text}} {VIEW_FULL_TEXT.label}"


class ErrorBanner(CuttingWidget):
    """A row with sign and title, then the message and hints of keys."""

    failure: reactive[Failure | None] = reactive(None, layout=True, bindings=True)

    def __init__(self, session: UserSession) -> None:
        super().__init__(session.glyphs)
        self._session = session
        self.came_at = 0.0  # in the time of events: no key from before is for what it shows
        self.has_replaced = False  # another one

    def show(self, failure: Failure) -> None:
        """Show a failure, and record it."""
        self.failure = failure
        self._session.record(failure.title, failure.whole)

    def show_problem(self, title: str, text: str) -> None:
        """Show why something could not be done that asked the service for nothing.

        What is loaded is as current as before, and F5 does not retry it.
        """
        self.show(Failure(title, text, hint=""))

    @contextmanager
    def showing_why(self, title: str) -> Iterator[None]:
        """Show why the outbox did not do what the rest of the block depends on."""
        try:
            yield
        except OutboxError as error:
            self.show_problem(title, str(error))

    def close(self) -> None:
        """Close the banner."""
        self.failure = None

    def watch_failure(self, before: Failure | None, now: Failure | None) -> None:
        """Hide the banner without a failure; note when another one came."""
        self.display = now is not None
        if now is not None and (before is None or before[:2] != now[:2]):
            self.came_at, self.has_replaced = Message().time, before is not None

    def show_hints(self) -> None:
        """Name the keys that work now."""
        if self.display:
            self.refresh(layout=len(self.lines(self.drawn_width)) != self.size.height)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return title, message and hints, the hints beside the last row if they fit."""
        if self.failure is None:
            return []
        drawing = self.drawing(width)
        rows = [[*row] for row in drawing.lines]
        found = hints(self.failure.hint, self.screen)
        text = "  ".join(found)
        if text and width - width_of(rows[-1]) - cell_len(text) - 1 >= GAP:
            rows[-1] = beside(self.glyphs, rows[-1], text, width)
        elif text:
            lines = [text] if cell_len(text) <= width - MESSAGE_MARGINS else found
            rows += ([("   ", ""), (line, "key")] for line in lines)
        for hint in hints(FULL_TEXT, self.screen) if drawing.cut else ():
            rows[0] = beside(self.glyphs, rows[0], hint, width)
        return rows

    def drawing(self, width: int) -> Drawing:
        """Return title and message, without hints: which of them work depends on what is cut."""
        failure, room = self.failure, width - MESSAGE_MARGINS
        if failure is None:
            return Drawing(())
        title = self.glyphs.line(failure.title, TITLE_CHARACTERS)
        _, is_title_cut = self.glyphs.shown(failure.title, room, 1, TITLE_CHARACTERS)
        most = MESSAGE_ROWS_WHERE_SHORT if is_short(self) else MESSAGE_ROWS
        message, is_cut = self.glyphs.shown(failure.message, room, most)
        rows = [
            [(f" {self.glyphs.error} ", "error-title"), (title, "error-title")],
            *([("   ", ""), (row, "")] for row in message if row),
        ]
        is_whole = not (is_cut or is_title_cut or failure.excerpt)
        return Drawing(rows, [] if is_whole else [(failure.title, failure.whole)])

    async def on_click(self, event: events.Click) -> None:
        """Retry."""
        event.stop()
        await self.app.run_action("refresh", self.screen)


ROWS_EACH = 3
ROWS_WHERE_SCROLLED = 12  # there is room to scroll
NOTICE_ROWS = 9
NOTICE_ROWS_WHERE_SHORT = 2  # the rows of the list need the room
NOTICE_MARGINS = 4  # cells beside a notice
CHARACTERS = 500
SEEN_MAXIMUM = 20  # notices that are remembered; a service may send new ones for ever


class NoticeBar(LineWidget):
    """Each notice takes as many rows as it needs, within bounds; without any the bar is hidden.

    Notices that were seen before take one row each, and so do all on a short screen.
    """

    # Raw, each with the line that it is where it is not shown whole, or ""
    notices: reactive[tuple[tuple[str, str], ...]] = reactive((), layout=True)

    def __init__(self, session: UserSession, *, shows_once: bool) -> None:
        super().__init__(session.glyphs)
        self._shows_once = shows_once  # otherwise a notice stays whole until it is dismissed
        self._session = session
        self._shown: tuple[tuple[str, ...], tuple[Notice, ...], tuple[str, ...]] = ((), (), ())
        self._new_here: tuple[Notice, ...] = ()  # shown whole on this screen
        self._dismissed: frozenset[str] = frozenset()

    def show(
        self, lines: Iterable[str], notices: Iterable[Notice], more: Iterable[str] = ()
    ) -> None:
        """Show raw lines, notices of the service, and further raw lines.

        The first screen of a session that shows a notice shows it whole, later ones in one row.
        """
        self._shown = lines, notices, more = tuple(lines), tuple(notices), tuple(more)
        today = self._session.clock.now().date()
        briefs = {each.sentence(today): self._brief(each, today) for each in notices}
        shown = dict.fromkeys(lines, "") | briefs | dict.fromkeys(more, "")
        for line in shown:
            self._session.record_once("Notice", line)
        self.notices = tuple(each for each in shown.items() if each[0] not in self._dismissed)

    def show_again(self) -> None:
        """Show the same notices at a new size."""
        self.show(*self._shown)

    def count_as_seen(self) -> None:
        """Count the notices as seen: the screen shows another animal now."""
        self._new_here = ()

    def put_away(self) -> None:
        """Dismiss the notices; other ones may come."""
        self._dismissed |= {text for text, _ in self.notices}
        self.notices = ()

    def _brief(self, notice: Notice, today: date) -> str:
        """Return a notice in one line; "" where there is room for all of it, and it is new."""
        if not is_short(self):
            if notice in self._new_here:
                return ""
            if not (self._shows_once and self._session.was_shown(notice)):
                self._new_here = (*self._new_here[-SEEN_MAXIMUM:], notice)
                self._session.remember_shown(notice)
                return ""
        return notice.brief(today)

    def watch_notices(self) -> None:
        """Hide the bar when it is empty."""
        self.display = bool(self.notices)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the notices, and beside each that is cut the key for its full text."""
        drawn = self._drawn_notices(width)
        are_all = sum(len(rows) for rows, _ in drawn) <= self._rows_in_all
        shown: list[list[Run]] = []
        for index, (rows, is_cut) in enumerate(drawn):
            if not are_all and len(shown) + len(rows) >= self._rows_in_all:
                text = f"{self.glyphs.ellipsis} and {len(drawn) - index} more"
                return [*shown, self._with_key([("   ", ""), (text, "")], width)]
            shown += [*rows[:-1], self._with_key(rows[-1], width)] if is_cut and rows else rows
        return shown

    def cut_sections(self) -> Sequence[Section]:
        """Return the notices that are cut; all of them, if some have no room at all."""
        drawn = self._drawn_notices(self.drawn_width)
        are_all = sum(len(rows) for rows, _ in drawn) <= self._rows_in_all
        cut = zip(self.notices, drawn, strict=True)
        return [("Notice", text) for (text, _), (_, is_cut) in cut if is_cut or not are_all]

    def _drawn_notices(self, width: int) -> list[tuple[list[list[Run]], bool]]:
        """Return each notice in rows behind its sign, and whether it is cut.

        No key is named yet: which keys work depends on what is cut.
        """
        sign: Run = (f" {self.glyphs.notice} ", "notice")
        drawn: list[tuple[list[list[Run]], bool]] = []
        for text, brief in self.notices:
            if brief:
                drawn.append(([[(sign[0], "muted"), (self.glyphs.line(brief), "muted")]], True))
                continue
            room = width - NOTICE_MARGINS
            lines, is_cut = self.glyphs.shown(text, room, self._rows_each, CHARACTERS)
            rows: list[list[Run]] = [
                [("   ", "") if index else sign, (line, "")] for index, line in enumerate(lines)
            ]
            drawn.append((rows, is_cut))
        return drawn

    def _with_key(self, runs: Sequence[Run], width: int) -> list[Run]:
        """Return a row, cut if need be, followed by the key for its full text."""
        key = "".join(hints("{view_full_text}", self.screen))
        hint: list[Run] = [(f" {self.glyphs.dot} ", "muted"), (key, "key")] if key else []
        return [*cut_runs(self.glyphs, runs, width - width_of(hint)), *hint]

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
        return NOTICE_ROWS_WHERE_SHORT if is_short(self) else NOTICE_ROWS
