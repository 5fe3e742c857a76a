"""The bars of a screen: header, tabs of statuses, error banner, notices, status line and keys."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.message import Message
from textual.reactive import reactive

from pettui.statuses import STATUSES, status_word
from pettui.tui.appearance import is_short
from pettui.tui.fitting import Fitted, Part, Runs, fitted
from pettui.tui.keys import Offer, ScreenPart, hints, offers
from pettui.tui.runs import (
    GAP,
    Run,
    Section,
    StyledText,
    beside,
    cut_runs,
    separated,
    separator,
    width_of,
)
from pettui.tui.widgets.line_widget import CuttingWidget, Drawing, LineWidget

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from textual import events

    from pettui.client import Notice
    from pettui.glyphs import GlyphSet
    from pettui.settings import Profile
    from pettui.tui.session import UserSession
    from pettui.tui.wording import Failure


SPINNER_WIDTH = 2  # cells
LOCATION_MINIMUM = 7  # cells of the store's name, which matters more than the duration


class HeaderBar(LineWidget):
    """The first row of every screen; its left part is cut first."""

    age: reactive[str] = reactive("")  # of what is shown: "12:01:03 · 38 ms"
    staged: reactive[tuple[str, ...]] = reactive(())  # a word for each fault staged in a demo
    spinner: reactive[str] = reactive("")  # its current frame; "" while nothing loads
    help_key: reactive[str] = reactive("")  # where no key bar names it

    def __init__(self, glyphs: GlyphSet, profile: Profile, location: str, title: str = "") -> None:
        super().__init__(glyphs)
        self._label = f" {glyphs.line(profile.label, 24)} "
        self._colour = f"label-{profile.colour}"
        self._location = glyphs.line(location, 200)
        self._title = title

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the row; without room the age gets shorter, then the faults, then the location."""
        age = f"as of {self.age}" if self.age else ""
        without_duration, time = age.partition(f" {self.glyphs.dot}")[0], self.age.partition(" ")[0]
        faults = f"staged: {', '.join(self.staged)}" if self.staged else ""
        counted = f"{len(self.staged)} faults" if len(self.staged) > 1 else faults
        left = [
            Part([(self._label, self._colour), (" ", "")]),
            Part(self._on_yellow(faults), {2: self._on_yellow(counted)}),
            Part([(f"{self._title}  ", "strong")] if self._title else []),
            Part([(self._location, "muted")], least={0: LOCATION_MINIMUM, 3: 0}),
        ]
        ages = [[(f"{each} ", "muted")] if each else [] for each in (age, without_duration, time)]
        right = Part(ages[0], {1: ages[1], 4: ages[2], 5: ()})
        # The spinner has its room also while nothing turns.
        help_key = f"{self.help_key} " if self.help_key else ""
        room = width - SPINNER_WIDTH - 1 - cell_len(help_key)
        row = fitted(self.glyphs, [*left, right], room)
        *shown, _, age_shown = row.shown
        spinner = f"{self.spinner} " if self.spinner else ""
        end = [(spinner, "accent"), *age_shown, *([(help_key, "key")] if help_key else ())]
        start = [*chain.from_iterable(shown), (self._location, "muted")]
        if not width_of(end):
            return [start]
        start = cut_runs(self.glyphs, start, width - width_of(end) - 1)
        return [[*start, (" " * (width - width_of(start) - width_of(end)), ""), *end]]

    @staticmethod
    def _on_yellow(text: str) -> list[Run]:
        return [(f" {text} ", "label-yellow"), (" ", "")] if text else []


FILTERS: tuple[str | None, ...] = (None, *STATUSES)


class StatusTabs(LineWidget):
    """One tab a status, with its number, glyph and word; the active one is underlined.

    An ellipsis marks one whose rows are being loaded.
    """

    active: reactive[str | None] = reactive(None)  # the status of the rows
    wanted: reactive[str | None] = reactive(None)  # of those that take their place
    notes: reactive[tuple[str, ...]] = reactive(())  # at the right, the most important first

    class Picked(Message):
        """A tab was clicked."""

        def __init__(self, status: str | None) -> None:
            super().__init__()
            self.status = status

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the one row."""
        *tabs, notes = self._fitted(width)
        shown = [run for runs in tabs for run in runs]
        return [[*shown, (" " * (width - width_of([*shown, *notes])), ""), *notes]]

    def _fitted(self, width: int) -> Sequence[Runs]:
        """Return the tabs, and the notes; with little room, tabs with glyphs in place of words.

        The first note always gets its room, if need be from the word of the active tab.
        """
        fewer = {step: self._joined(self.notes[:-step]) for step in range(1, len(self.notes))}
        then = len(fewer) + 1
        tabs = []
        for index, status in enumerate(FILTERS, 1):
            words, sign = (self._tab(status, index, is_worded=each) for each in (True, False))
            tabs.append(Part(words, {then + (status == self.active): sign}))
        notes = Part(self._joined(self.notes), {**fewer, then + 2: self._joined(())})
        return fitted(self.glyphs, [*tabs, notes], width).shown

    def _tab(self, status: str | None, index: int, *, is_worded: bool) -> list[Run]:
        glyph = "All" if status is None else self.glyphs.status_glyph(status)
        word = f" {status_word(status).capitalize()}" if status is not None and is_worded else ""
        state = self.glyphs.ellipsis if status == self.wanted != self.active else ""
        style = "tab-active" if status == self.active else "tab"
        return [(f" {index} {glyph}{word}{state} ", style)]

    def _joined(self, notes: Sequence[str]) -> list[Run]:
        return [(f" {f' {self.glyphs.dot} '.join(notes)} " if notes else "", "accent")]

    def on_click(self, event: events.Click) -> None:
        """Post which tab was clicked."""
        right = 0
        for status, runs in zip(FILTERS, self._fitted(self.size.width), strict=False):
            right += width_of(runs)
            if event.x < right:
                self.post_message(self.Picked(status))
                return


MESSAGE_MARGINS = 4  # cells beside a message
TITLE_CHARACTERS = 200
MESSAGE_ROWS = 4  # of a message
MESSAGE_ROWS_WHERE_SHORT = 1  # the rows of the list need the room
FULL_TEXT = "{view_full_text} Full text"


class ErrorBanner(CuttingWidget):
    """A row with sign and title, then the message and hints of keys."""

    failure: reactive[Failure | None] = reactive(None, layout=True)

    class Clicked(Message):
        """The banner was clicked, to retry."""

    def on_mount(self) -> None:
        """Redraw when other keys work."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self._update_hints())

    def watch_failure(self) -> None:
        """Hide the banner without a failure."""
        self.display = self.failure is not None

    def _update_hints(self) -> None:
        if self.display:
            self.refresh(layout=len(self.lines(self.drawn_width)) != self.size.height)

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return title, message and hints, the hints beside the last row if they fit."""
        if self.failure is None:
            return []
        drawing = self.drawing(width)
        rows = [[*row] for row in drawing.lines]
        self._add_hints(rows, hints(self.failure.hint, self.screen), width)
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

    def _add_hints(self, rows: list[list[Run]], found: Sequence[str], width: int) -> None:
        """Put the hints beside the last row, or on rows of their own."""
        text = "  ".join(found)
        if not text:
            return
        if width - width_of(rows[-1]) - cell_len(text) - 1 >= GAP:
            rows[-1] = beside(self.glyphs, rows[-1], text, width)
            return
        lines = [""]
        for hint in found:
            joined = f"{lines[-1]}  {hint}" if lines[-1] else hint
            lines[-1:] = (
                [joined] if cell_len(joined) <= width - MESSAGE_MARGINS else [lines[-1], hint]
            )
        rows += [[("   ", ""), (line, "key")] for line in lines if line]

    def on_click(self, event: events.Click) -> None:
        """Post ``Clicked``."""
        event.stop()
        self.post_message(self.Clicked())


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
        for line in shown:
            self._session.note_once("Notice", line)
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
        """Return the notices, and beside each that is cut the key for its full text."""
        notices = [
            [*rows[:-1], self._with_key(rows[-1], width)] if is_cut and rows else rows
            for rows, is_cut in self._drawn_notices(width)
        ]
        if sum(map(len, notices)) <= self._rows_in_all:
            return [row for rows in notices for row in rows]
        shown: list[list[Run]] = []
        for index, rows in enumerate(notices):
            if len(shown) + len(rows) > self._rows_in_all - 1:
                text = f"{self.glyphs.ellipsis} and {len(notices) - index} more"
                return [*shown, self._with_key([("   ", ""), (text, "")], width)]
            shown += rows
        return shown

    def cut_sections(self) -> Sequence[Section]:
        """Return the notices that are cut; all of them, if some have no room at all."""
        drawn = self._drawn_notices(self.drawn_width)
        are_all = sum(len(rows) for rows, _ in drawn) > self._rows_in_all
        cut = zip(self.notices, (is_cut or are_all for _, is_cut in drawn), strict=True)
        return [("Notice", notice) for notice, is_cut in cut if is_cut]

    def _drawn_notices(self, width: int) -> list[tuple[list[list[Run]], bool]]:
        """Return each notice in rows behind its sign, and whether it is cut.

        No key is named yet: which keys work depends on what is cut.
        """
        sign: Run = (f" {self.glyphs.notice} ", "notice")
        drawn: list[tuple[list[list[Run]], bool]] = []
        for notice in self.notices:
            if self._is_brief(notice):
                drawn.append(([[sign, (self.glyphs.line(self._briefs[notice]), "")]], True))
                continue
            room = width - NOTICE_MARGINS
            lines, is_cut = self.glyphs.shown(notice, room, self._rows_each, CHARACTERS)
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

    def _is_brief(self, notice: str) -> bool:
        return notice in self._briefs and (notice in self._seen_before or is_short(self))

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


MARGINS = 2  # a cell at each end
TEXT_MINIMUM = 8  # cells of the first text; hints but the first and the last give way to it
TEXT_BESIDE_UNDECIDED = 14  # cells of the first text, to which what waits for a decision gives way
# What gives way, one after the other; before all of it the counts, from the last one on.
SHORTER = 100  # all texts get shorter
TEXTS = 200  # and go, from the last one on, but the first
UNDECIDED = 201  # gets shorter, without any count
FIRST_TEXT = 202  # is cut
RIGHT = 203  # all of it goes
FIRST_TEXT_ALONE = 204  # is cut to a few cells
KEYS = 300  # go, but the first and the last
LAST = 400  # nothing is left of the first text


class StatusLine(CuttingWidget):
    """One row: texts, hints of keys, and counts at the right.

    Without room for all of it, the hints stay longest. First the counts go, from the last one on,
    then the texts likewise; the first text stays, cut if need be, and in the end keeps a few cells.
    What waits for a decision gives way to a message, and to a few more cells.
    """

    texts: reactive[tuple[StyledText, ...]] = reactive(())  # the most important first
    keys: reactive[tuple[str, ...]] = reactive(())  # hints: "m: more"
    counts: reactive[tuple[str, ...]] = reactive(())  # the most important first
    undecided: reactive[tuple[str, str]] = reactive(("", ""))  # what waits for a decision, shorter
    message: reactive[str] = reactive("")  # until the next key, in place of the texts

    def left(self) -> list[Run]:
        """Return all texts and hints."""
        texts = [(text, style) for text, style, *_ in self._texts()]
        return separated(self.glyphs, [*texts, *((key, "key") for key in self.keys)])

    def drawing(self, width: int) -> Drawing:
        """Return the row, and the first text if it is cut."""
        row = self._fitted(width)
        right = row.shown[-1]
        cut = [("Status", self._texts()[0][0])] if row.is_cut else []
        if not right:
            return Drawing([[(" ", ""), *row.runs]], cut)
        left = row.runs[: -len(right)]
        gap = width - MARGINS - width_of(left) - width_of(right)
        return Drawing([[(" ", ""), *left, (" " * gap, ""), *right, (" ", "")]], cut)

    def _fitted(self, width: int) -> Fitted:
        """Fit texts, hints and what stands at the right into a width."""
        dot, texts, end = separator(self.glyphs), self._texts(), len(self.keys) - 1
        first_least = {} if self.message else {FIRST_TEXT: TEXT_BESIDE_UNDECIDED}
        first_least |= {FIRST_TEXT_ALONE: TEXT_MINIMUM, LAST: 0}
        parts = [
            Part(
                [(text, style)],
                {SHORTER: [(next(iter(short), text), style)]}
                | ({TEXTS - index: ()} if index else {}),
                {} if index else first_least,
                before=dot,
            )
            for index, (text, style, *short) in enumerate(texts)
        ]
        parts += [
            Part([(key, "key")], {KEYS - index: ()} if 0 < index < end else {}, before=dot)
            for index, key in enumerate(self.keys)
        ]
        undecided, short = self.undecided
        fewer = range(1, len(self.counts) + (1 if undecided else 0))
        right = {step: self._right(undecided, self.counts[:-step]) for step in fewer}
        parts.append(
            Part(
                self._right(undecided, self.counts),
                {**right, UNDECIDED: self._right(short, ()), RIGHT: ()},
                before=(" " * GAP, ""),
            )
        )
        return fitted(self.glyphs, parts, width - MARGINS)

    def _texts(self) -> Sequence[StyledText]:
        return [(self.message, "notice")] if self.message else self.texts

    def _right(self, undecided: str, counts: Sequence[str]) -> list[Run]:
        texts = [(undecided, "notice"), *((count, "muted") for count in counts)]
        return separated(self.glyphs, [text for text in texts if text[0]])


KEPT = (
    "close_line",
    "enter_key",
    "take_back",
    "help",
    "quit",
    "close",
    "view_full_text",
)  # even with little room, the most important first


class KeyBar(LineWidget):
    """One row made from the screen's bindings; they can be clicked."""

    left_out: Sequence[str] = ()  # names of actions that are not worth their room now

    def on_mount(self) -> None:
        """Redraw when the bindings change."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.refresh())

    def _fitted(self, width: int) -> list[tuple[Offer, Runs]]:
        """Return what fits: the first key, then those in KEPT, then the others from the first on.

        The keys of an open prompt come before those of its screen.
        """
        around = self.screen, self.app
        shown = [
            offer
            for offer in offers(self.screen)
            if offer.binding.show and offer.binding.id not in self.left_out
        ]
        shown.sort(key=lambda each: each.node in around or isinstance(each.node, ScreenPart))
        by_rank = sorted(range(len(shown)), key=lambda index: _rank(index, shown[index]))
        steps = {index: len(shown) - rank for rank, index in enumerate(by_rank)}
        parts = [
            Part(
                [(f" {offer.keys[0]}", "key"), (f" {offer.description} ", "muted")],
                {steps[index]: ()},
            )
            for index, offer in enumerate(shown)
        ]
        return [*zip(shown, fitted(self.glyphs, parts, width).shown, strict=True)]

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the one row."""
        return [[run for _, runs in self._fitted(width) for run in runs]]

    async def on_click(self, event: events.Click) -> None:
        """Do what the clicked key does."""
        right = 0
        for offer, runs in self._fitted(self.size.width):
            right += width_of(runs)
            if event.x < right:
                await self.app.run_action(offer.binding.action, offer.node)
                return


def _rank(index: int, offer: Offer) -> tuple[int, int]:
    """Return how little it matters that a key is shown; the first is what a screen is there for."""
    if index == 0:
        return (0, 0)
    name = offer.binding.id
    return (1, KEPT.index(name)) if name in KEPT else (2, index)
