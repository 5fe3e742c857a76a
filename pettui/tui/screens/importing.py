"""PetImportScreen: shows the checked lines of a file, and sends them on Enter."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import VerticalScroll
from textual.reactive import reactive

from pettui import actions
from pettui.client import PetClientError
from pettui.models import Pet
from pettui.text import duration
from pettui.transfer.files import TransferError
from pettui.transfer.importing import DuplicateChoice, Import, Phase
from pettui.transfer.results import (
    NOT_ADDED,
    OutcomeKind,
    counted_lines,
)
from pettui.tui.fitting import fitted, from_the_last
from pettui.tui.keys import bindings, hints, key_of
from pettui.tui.runs import Run, separator, width_of
from pettui.tui.screens.app_screen import AppScreen
from pettui.tui.widgets.line_widget import CuttingWidget, Drawing, LineWidget

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator, Mapping, Sequence
    from pathlib import Path

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from pettui.glyphs import GlyphSet
    from pettui.transfer.import_run import ImportProgress
    from pettui.transfer.searching import Duplicates
    from pettui.tui.runs import Section, StyledText
    from pettui.tui.session import UserSession

    RawText = tuple[str, str]  # and the name of its style

TO_CHOOSE: Final = (Phase.READY, Phase.OVER)
NAMED: Final = ("view_lines", "leave_out_bad", "leave_out_duplicates", "send_duplicates")
DUPLICATE_RISK: Final = (
    "The service may already have them, and can't change or delete what is added."
)
SHOWN: Final = 100  # lines of a kind; the result file has all


class PetImportScreen(AppScreen[int]):
    """Enter sends; Esc stops what is running, then closes the screen.

    Returns how many animals were added.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_IMPORT,
        lines_up="scroll_lines(-1)",
        lines_down="scroll_lines(1)",
        lines_page_up="scroll_pages(-1)",
        lines_page_down="scroll_pages(1)",
    )
    TITLE_TEXT = "Import"
    PLACE = "in an import"
    STOPS: ClassVar[str] = "close"

    def __init__(self, session: UserSession, file: Path, importing: Import) -> None:
        """Show the import of a file, and close it with the screen."""
        super().__init__(session)
        self._file = file
        self._import = importing
        self._received = 0  # added animals that are in the receipt
        self._is_stopping = False
        self.lines = ImportLines(session.glyphs)
        self.cutting += (self.lines,)
        self.scroll = VerticalScroll(self.lines, id="import-lines", can_focus=False)
        self.bar = ImportBar(session.glyphs)

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        yield self.header
        yield self.error_banner
        yield self.notice_bar
        yield self.scroll
        yield self.bar
        yield self.status_line
        yield self.key_bar

    def on_mount(self) -> None:
        """Look for duplicates, to show them before anything is sent."""
        self.request.start(self._look_for_duplicates)

    async def on_unmount(self) -> None:
        """Stop what is running, and close the journal.

        This waits a moment for responses, since the client is closed next.
        """
        self.request.cancel()
        await self._import.close()
        self._receive()

    def _receive(self) -> None:
        """Put into the receipt what was sent here and is added."""
        importing = self._import
        for each in importing.added[self._received :]:
            if each.pet_id is not None and each.line.position in importing.sent:
                new = each.line.new_pet
                pet = Pet(
                    id=each.pet_id, name=new.name, category_id=new.category_id, status=new.status
                )
                self.session.receipt.add(f"import {each.pet_id}", pet)
        self._received = len(importing.added)

    # What is shown

    def draw(self) -> None:
        """Draw the lines, and what is running, or what to press."""
        keys = {name: key_of(self, name) for name in NAMED}
        importing = self._import
        self.lines.show(tuple(import_texts(self._file.name, importing, keys)), line_rows(importing))
        self.notice_bar.show(self.warnings, importing.notices)
        self.bar.progress = importing.progress if importing.phase is Phase.SENDING else None
        if self.request.text:
            texts: tuple[StyledText, ...] = ((self.request.text, "accent"),)
        elif self._import.options.again:
            texts = (("animals already added are sent again", "notice"),)
        elif self._import.phase is Phase.OVER:
            texts = (("animals already added are never sent twice", "muted"),)
        else:
            texts = (("nothing has been sent yet", "muted"),)
        self.status_line.texts = texts
        self.status_line.keys = (*hints("{send_lines} Send", self), *self.short_keys())

    # The tasks of the import, each sent as the screen's request

    async def _look_for_duplicates(self) -> None:
        """Look for duplicates, and count the animals of the list meanwhile."""
        searched = 0

        def words() -> str:
            count = f": {searched:,} animals" if searched else ""
            return f"looking for duplicates in the list{count}{self.session.glyphs.ellipsis}"

        def on_page(count: int) -> None:
            nonlocal searched
            searched = count

        with self.request.busy(words):
            await self._try(
                self._import.look_for_duplicates(
                    self.session.client, self.request.count_down, on_page
                )
            )

    async def _look_for_unknown(self) -> None:
        """Look for unknown lines in the service's list."""
        with self.request.busy("looking for unknown lines in the list"):
            await self._try(
                self._import.look_for_unknown(
                    self.session.client,
                    self.request.count_down,
                    lambda _: self.request.end_countdown(),
                )
            )
        self._receive()

    async def _send(self) -> None:
        """Send the chosen lines."""
        self.error_banner.close()
        key = key_of(self, self.STOPS)
        self._is_stopping = False

        def on_progress(progress: ImportProgress) -> None:
            self.request.end_countdown()
            self.bar.progress = progress

        def words() -> str:
            what = "stopping: waiting for the last responses"
            doing = what if self._is_stopping else f"sending, {key} stops"
            return f"{doing}{self.session.glyphs.ellipsis}"

        try:
            with self.request.busy(words, is_shown_at_once=True):
                await self._try(
                    self._import.send(self.session.client, on_progress, self.request.count_down)
                )
        finally:
            self._receive()

    async def _try(self, task: Awaitable[object]) -> None:
        """Run a task, and show in the banner why it failed."""
        try:
            await task
        except PetClientError as error:
            self.request_failed(error)
        except TransferError as error:
            self.error_banner.show_problem("The import stopped", str(error))

    # What can be done

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether the action would do something now."""
        importing = self._import
        if action in ("scroll_lines", "scroll_pages"):
            return self.scroll.max_scroll_y > 0
        if action == "close":
            return True
        if action == "refresh":
            return self.error_banner.failure is not None and not self.request.is_running
        choice, has_duplicates = importing.duplicate_choice, importing.has_duplicates
        unknown = importing.count_of(OutcomeKind.UNKNOWN)
        offered = {
            "send_lines": not importing.is_held and importing.count,
            "view_lines": importing.count,
            "leave_out_bad": importing.can_leave_out_bad and not importing.leaves_out_bad,
            "leave_out_duplicates": has_duplicates and choice is not DuplicateChoice.LEFT_OUT,
            "send_duplicates": has_duplicates and choice is not DuplicateChoice.SENT,
            "look_for_unknown": unknown,
            "send_unknown": unknown,
            "send_earlier": importing.count_of(OutcomeKind.ADDED_EARLIER),
        }
        if action in offered:
            is_offered = self._is_idle and bool(offered[action])
            return is_offered if action != "send_lines" else is_offered or None
        return super().check_action(action, parameters)

    def action_leave_out_bad(self) -> None:
        """Leave bad lines out."""
        self._import.leaves_out_bad = True

    def action_leave_out_duplicates(self) -> None:
        """Leave duplicates out."""
        self._import.choose_duplicates(DuplicateChoice.LEFT_OUT)

    async def action_send_duplicates(self) -> None:
        """Send duplicates too, after a question."""
        from pettui.tui.screens.boxes import ConfirmationScreen

        what = counted_duplicates(self._import.duplicates_to_send)
        send = partial(self._import.choose_duplicates, DuplicateChoice.SENT)
        await self.app.push_screen(
            ConfirmationScreen(self.session.glyphs, f"Send {what} too?", DUPLICATE_RISK, send)
        )

    async def action_view_lines(self) -> None:
        """Show the lines that would be sent."""
        from pettui.tui.screens.line_boxes import LineViewScreen

        session, lines = self.session, self._import.to_send
        await self.app.push_screen(LineViewScreen(session.glyphs, lines, session.categories))

    def action_send_unknown(self) -> None:
        """Choose whether to send unknown lines again."""
        options = self._import.options
        self._import.choose(replace(options, retry_unknown=not options.retry_unknown))

    def action_send_earlier(self) -> None:
        """Choose whether to send lines again that an earlier import added."""
        options = self._import.options
        self._import.choose(replace(options, again=not options.again))

    def action_send_lines(self) -> None:
        """Send the chosen lines."""
        self.scroll.scroll_home(animate=False)
        self.request.start(self._send)

    @property
    def _is_idle(self) -> bool:
        """Whether the clerk can choose what to do next."""
        return self._import.phase in TO_CHOOSE and not self.request.is_running

    def why_not(self, action: str) -> str | None:
        """Return why Enter sends nothing, too."""
        if action != "send_lines" or not self._is_idle:
            return super().why_not(action)
        if self._import.count and not self._import.is_held:
            return None
        return why_held(self._import, {name: key_of(self, name) for name in NAMED})

    def action_look_for_unknown(self) -> None:
        """Look for unknown lines in the service's list."""
        self.request.start(self._look_for_unknown)

    def action_refresh(self) -> None:
        """Retry what failed."""
        self.error_banner.close()
        if self._import.phase is Phase.LOOKING:
            self.request.start(self._look_for_duplicates)
        elif self.check_action("send_lines", ()):
            self.action_send_lines()

    def action_close(self) -> None:
        """Stop what is running, close the banner, or close the screen."""
        if self.request.is_running:
            self._is_stopping = True
            self.request.cancel()
        elif self.error_banner.failure is not None:
            self.error_banner.close()
        else:
            self.dismiss(len(self._import.added))

    def action_scroll_lines(self, by: int) -> None:
        """Scroll by lines."""
        self.scroll.scroll_relative(y=by, animate=False)

    def action_scroll_pages(self, by: int) -> None:
        """Scroll by pages."""
        self.scroll.scroll_relative(y=by * max(self.scroll.size.height - 1, 1), animate=False)


# The file


# What the screen says: texts about the whole file, and about single lines; raw


def import_texts(name: str, importing: Import, keys: Mapping[str, str]) -> Iterator[RawText]:
    """Yield the texts about the file, from top to bottom.

    Args:
        name: of the file.
        importing: in any phase.
        keys: what runs an action now, by its name; "" for none.
    """
    preview, count = importing.preview, importing.count
    yield name, "strong"
    if importing.phase is Phase.OVER:
        yield from _ending(importing)
    if importing.phase is not Phase.SENDING and (count or importing.phase is not Phase.OVER):
        key = keys["view_lines"]
        shows = f", {key} shows {'it' if count == 1 else 'them'}" if key else ""
        yield f"{counted_lines(count)} to add{shows}", "accent"
    if bad := len(preview.bad_lines):
        text = _bad_text(bad, keys["leave_out_bad"], are_left_out=importing.leaves_out_bad)
        yield text, "muted" if importing.leaves_out_bad else "error"
    if importing.duplicates is not None:
        decided = importing.duplicate_choice if importing.has_duplicates else None
        text = _duplicates_text(
            importing.duplicates, keys["leave_out_duplicates"], keys["send_duplicates"], decided
        )
        yield text, "error" if importing.is_held_by_duplicates else "muted"
    yield from _earlier(importing)
    if (check := importing.check) is not None:
        whole = "" if check.is_complete else ", which is not all that are newer than the import"
        lines = counted_lines(len(check.outcomes))
        yield f"{check.found:,} of {lines} found among {check.checked:,} animals{whole}", "notice"
    if preview.ignored_columns:
        yield f"columns that are ignored: {', '.join(preview.ignored_columns)}", "muted"


def why_held(importing: Import, keys: Mapping[str, str]) -> str:
    """Return why nothing can be sent now, and which keys of ``import_texts`` change that."""
    if importing.preview.bad_lines and not importing.leaves_out_bad:
        bad, key = counted_bad(len(importing.preview.bad_lines)), keys["leave_out_bad"]
        return f"{bad}: {key} skips" if key else f"{bad}, and no other line to add"
    if importing.is_held_by_duplicates:
        count = counted_duplicates(importing.duplicates_to_send)
        return f"{count}: {keys['leave_out_duplicates']} skips, {keys['send_duplicates']} sends"
    return "no line to add"


def line_rows(importing: Import) -> list[tuple[str, str]]:
    """Return the position of single lines, and a text about each: the first ones of a kind."""
    rows = []
    if importing.phase is Phase.OVER:
        failed = [each for each in importing.outcomes if each.kind in NOT_ADDED]
        rows += _first(
            [(each.line.position.label, f"{each.kind.value}: {each.error}") for each in failed],
            "not added",
        )
    bad_lines = importing.preview.bad_lines
    rows += _first([(bad.position.label, bad.sentence) for bad in bad_lines], "bad")
    if importing.duplicates is not None:
        names = importing.duplicates.names.items()
        rows += _first([(at.label, f"a duplicate of {name}") for at, name in names], "duplicates")
    return rows


def _first(rows: list[tuple[str, str]], what: str) -> list[tuple[str, str]]:
    more = len(rows) - SHOWN
    if more <= 0:
        return rows
    return [*rows[:SHOWN], ("", f"{counted_lines(more)} more {what}")]


def counted_bad(count: int) -> str:
    """Return a number of bad lines in words."""
    return "1 bad line" if count == 1 else f"{count:,} bad lines"


def counted_duplicates(count: int) -> str:
    """Return a number of duplicates in words."""
    return "1 duplicate" if count == 1 else f"{count:,} duplicates"


def _bad_text(count: int, key: str, *, are_left_out: bool) -> str:
    """Return how many lines are bad, and what happens to them or which key leaves them out."""
    lines, verb = counted_bad(count), "is" if count == 1 else "are"
    if are_left_out:
        return f"{lines} {verb} left out"
    leaves = f", or {key} leaves {'it' if count == 1 else 'them'} out" if key else ""
    return f"{lines}, so nothing is sent: correct the file{leaves}"


def _duplicates_text(
    found: Duplicates, left_out_by: str, sent_by: str, choice: DuplicateChoice | None
) -> str:
    """Return how many lines are duplicates, among how many animals, and what happens to them.

    Args:
        found: in the file and in the list.
        left_out_by: the key that leaves them out; "" for none.
        sent_by: the key that sends them; "" for none.
        choice: what is done with them; None if none of them is left to send.
    """
    if choice is None:
        return found.sentence
    count, _, where = found.sentence.partition(": ")
    it, verb = ("it", "is") if len(found.names) == 1 else ("them", "are")
    if choice is DuplicateChoice.LEFT_OUT:
        sends = f", {sent_by} sends {it} too" if sent_by else ""
        return f"{count} {verb} left out{sends}: {where}"
    if choice is DuplicateChoice.SENT:
        return f"{count} {verb} sent too: {where}"
    keys = ((left_out_by, f"leaves {it} out"), (sent_by, f"sends {it} too"))
    ways = ", ".join(f"{key} {does}" for key, does in keys if key)
    return f"{count}, so nothing is sent{': ' if ways else ''}{ways}; {where}"


def _earlier(importing: Import) -> Iterator[RawText]:
    if importing.phase is Phase.SENDING:
        return
    options = importing.options
    earlier = importing.count_of(OutcomeKind.ADDED_EARLIER)
    if earlier and (importing.phase is not Phase.OVER or options.again):
        then = "sent again" if options.again else "left out"
        yield f"{counted_lines(earlier)} added already, {then}", "muted"
    if unknown := importing.count_of(OutcomeKind.UNKNOWN):
        then = ", sent again" if options.retry_unknown else ""
        yield f"{counted_lines(unknown)} may have been added: unknown{then}", "notice"


def _ending(importing: Import) -> Iterator[RawText]:
    summary = importing.summary
    style = "error" if summary.refused or summary.unknown else "good"
    if importing.was_stopped:
        yield f"stopped: {summary.sentence()}", "notice"
    else:
        yield summary.sentence(), style
    if importing.advice:
        yield importing.advice, "notice"
    if importing.result_error:
        yield importing.result_error, "error"
    elif importing.result is not None:
        yield f"the result is in {importing.result.name}", "muted"


BAR_MINIMUM, BAR_MAXIMUM = 10, 40  # cells, with its ends
TEXT_ROWS = 3  # of one text
GAP = "  "


class ImportLines(CuttingWidget):
    """Texts about the file, wrapped; then single lines of it, cut."""

    def __init__(self, glyphs: GlyphSet) -> None:
        super().__init__(glyphs)
        self._texts: Sequence[Run] = ()
        self._rows: Sequence[tuple[str, str]] = ()

    def show(self, texts: Sequence[Run], rows: Sequence[tuple[str, str]]) -> None:
        """Show an import.

        Args:
            texts: raw, each with its style; errors and notices get a glyph.
            rows: the position of a line, and a text about it; raw.
        """
        if (texts, rows) != (self._texts, self._rows):
            self._texts, self._rows = texts, rows
            self.refresh(layout=True)

    def drawing(self, width: int) -> Drawing:
        """Return texts, a blank line, and rows."""
        heads: list[list[Run]] = []
        cut: list[Section] = []
        for text, style in self._texts:
            rows, is_cut = self.glyphs.shown(self._signed(text, style), width, TEXT_ROWS)
            heads += [[(row, style)] for row in rows]
            cut += [("Import", text)] * is_cut
        lines = [self._row(label, text) for label, text in self._rows]
        for (label, text), runs in zip(self._rows, lines, strict=True):
            if width_of(runs) > width or len(text) > len(self.glyphs.line(text)):
                cut.append((label, text))
        return Drawing([*heads, [], *lines] if lines else heads, cut)

    def _signed(self, text: str, style: str) -> str:
        sign = {"error": self.glyphs.error, "notice": self.glyphs.notice}.get(style, "")
        return f"{sign} {text}" if sign else text

    def _row(self, label: str, text: str) -> list[Run]:
        position = f"{self.glyphs.line(label)}{GAP}" if label else ""
        return [(position, "strong"), (self.glyphs.line(text), "" if label else "muted")]


class ImportBar(LineWidget):
    """One row: a bar and the progress; less important texts go if there is no room."""

    progress: reactive[ImportProgress | None] = reactive(None)

    def watch_progress(self, progress: ImportProgress | None) -> None:
        """Show the bar only while an import is running."""
        self.display = progress is not None

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the row."""
        if self.progress is None:
            return [[]]
        room = width - 2
        texts = [(self.glyphs.line(text), style) for text, style in progress_texts(self.progress)]
        parts = from_the_last(texts, separator(self.glyphs))
        shown = fitted(self.glyphs, parts, room).runs
        bar = self._bar(min(room - width_of(shown) - 1, BAR_MAXIMUM))
        return [[(" ", ""), *bar, *shown]]

    def _bar(self, width: int) -> list[Run]:
        if width < BAR_MINIMUM or self.progress is None:
            return []
        total, inner = self.progress.total, width - 2
        filled = inner * (total - self.progress.remaining) // total if total else inner
        full, empty = ("#", "-") if self.glyphs.ascii_only else ("█", "░")
        return [
            ("[", "muted"), (full * filled, "good"), (empty * (inner - filled), "muted"),
            ("] ", "muted"),
        ]  # fmt: skip


def progress_texts(progress: ImportProgress) -> Iterator[tuple[str, str]]:
    """Yield how far an import is, each fact with its style, the most important first; raw."""
    done = progress.total - progress.remaining
    yield f"{done:,} of {progress.total:,}", "strong"
    if progress.unknown:
        yield f"{progress.unknown:,} unknown", "notice"
    if progress.refused:
        yield f"{progress.refused:,} refused", "error"
    if progress.waiting is not None:
        yield f"retrying in {duration(progress.tries_in)}: {progress.waiting}", "notice"
        return
    if progress.remaining and progress.seconds_left is not None:
        yield f"{duration(progress.seconds_left)} left", ""
    yield f"{progress.rate:,.0f} a second", "muted"
