"""PetImportScreen: shows the checked lines of a file, and sends them on Enter.

From a file's name to its animals:

1. ``ImportLine`` has ``checked_file`` read the file in a thread; where only the user knows the
   encoding, or what the columns are, a box asks, and it is read again.
2. ``ImportLine`` opens the journal, which knows what earlier imports of the file added.
3. ``_look_for_duplicates`` has ``Import`` compare the lines with the list and other imports.
4. What holds the lines is decided by keys: they change what ``Import`` has chosen, and no request.
5. ``_send`` has ``Import.send`` run an ``ImportRun``: each line is in the journal as started, then
   sent, then in the journal as what it became. Afterwards the result is written beside the file.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from textual.containers import VerticalScroll
from textual.reactive import reactive
from textual.worker import get_current_worker

from pettui.client import PetClientError
from pettui.keyboard import actions
from pettui.text.amounts import age, counted
from pettui.transfer.files import TransferError
from pettui.transfer.import_run import HeldError, ImportProgress
from pettui.transfer.import_texts import ALIKE, SENT, import_texts, line_texts, why_held
from pettui.transfer.importing import Choice, Import, Likeness, Phase
from pettui.transfer.mapping import CATEGORY, STATUS, UNMAPPED, ReadingOptions
from pettui.transfer.results import OutcomeKind
from pettui.transfer.runs import LineId
from pettui.tui.screens.app_screen import AppScreen, asks
from pettui.tui.session.session import Samples, StoreEmptied, UserSession
from pettui.tui.unknown.undecided import NEITHER_DELETED, UnknownAdd
from pettui.tui.widgets.bindings import NamesActions, bindings, hints, key_of
from pettui.tui.widgets.failures import Failure
from pettui.tui.widgets.fitting import fitted, from_the_last
from pettui.tui.widgets.line_widget import CuttingWidget, Drawing, LineWidget
from pettui.tui.widgets.runs import Run, Section, StyledText, separator, width_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable, Sequence
    from pathlib import Path

    from textual.app import App, ComposeResult
    from textual.binding import BindingType

    from pettui.models.pets import Pet
    from pettui.transfer.searching import OnPage

TO_CHOOSE: Final = (Phase.READY, Phase.OVER)
NAMED: Final = (
    *("view_lines", "map_values", "leave_out_bad", "leave_out_duplicates", "send_duplicates"),
    *("leave_out_changed", "send_changed", "send_earlier", "mark_added"),
    *("begin_empty", "keep_samples"),
)
TRIES_NOW: Final = "{refresh*} tries now"
DUPLICATE_RISK: Final = (
    "The service may already have them, and can't change or delete what is added."
)
RISKS: Final = MappingProxyType(
    {
        Likeness.DUPLICATE: DUPLICATE_RISK,
        Likeness.CHANGED: "The service lists them with another status, and can't change it: they "
        "would be there twice.",
    }
)
EARLIER_RISK: Final = (
    "This file's import has added them, and they would be there twice: nothing can be deleted."
)


class Imported(NamedTuple):
    """What became of an import, for the list behind it."""

    added: int  # animals
    to_mark: Sequence[Pet] = ()


class PetImportScreen(AppScreen[Imported], NamesActions):
    """Enter sends; Esc stops what is running, then closes the screen."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_IMPORT,
        moves="lines_",
        leave_out_duplicates="leave_out('DUPLICATE')",
        leave_out_changed="leave_out('CHANGED')",
        send_duplicates="send_alike('DUPLICATE')",
        send_changed="send_alike('CHANGED')",
    )
    TITLE_TEXT = "Import"
    STOPS: ClassVar[str] = "close"

    def __init__(
        self, session: UserSession, file: Path, importing: Import, reading: ReadingOptions
    ) -> None:
        """Show the import of a file, read with these options, and close it with the screen."""
        super().__init__(session)
        self._reading = reading
        self._file = file
        self._import = importing
        self._keeps_samples = False  # of the store
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

    # What is shown

    def draw(self) -> None:
        """Draw the lines, and what is running, or what to press."""
        keys = {name: key_of(self, name) for name in NAMED}
        importing = self._import
        self.lines.texts = tuple(
            import_texts(self._file.name, importing, keys, self.session.categories.label)
        )
        self.lines.rows = [(each.label, each.text) for each in line_texts(importing)]
        self.notice_bar.show((), importing.notices)
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
            await self._try(self._look(on_page))

    async def _look(self, on_page: OnPage) -> None:
        """Look for samples, too, until it is decided about them."""
        importing, samples = self._import, self.session.samples
        if samples is not None and not self._keeps_samples:
            importing.samples = await asyncio.to_thread(samples.count)
        await importing.look_for_duplicates(self.session.client, self.request.count_down, on_page)

    async def _begin_empty(self, samples: Samples) -> None:
        """Take the samples out, and look again for duplicates."""
        with self.request.busy("emptying the store"):
            await self._try(self._empty(samples))

    async def _empty(self, samples: Samples) -> None:

        try:
            remark = await empty_store(samples, self.app)
        finally:
            self._import.samples = await asyncio.to_thread(samples.count)
        await self._look(lambda _: None)
        self.show_remark(remark)

    async def _send(self) -> None:
        """Send the chosen lines."""
        self.error_banner.close()
        key, worker = key_of(self, self.STOPS), get_current_worker()

        def on_progress(progress: ImportProgress) -> None:
            self.request.end_countdown()
            self.bar.progress = progress

        def words() -> str:
            what = "stopping: waiting for the last responses"
            doing = what if worker.is_cancelled else f"sending, {key} stops"
            return f"{doing}{self.session.glyphs.ellipsis}"

        with self.request.busy(words, is_shown_at_once=True):
            await self._try(
                self._import.send(self.session.client, on_progress, self.request.count_down)
            )

    async def _try(self, task: Awaitable[object]) -> None:
        """Run a task, and show in the banner why it failed."""
        try:
            await task
        except PetClientError as error:
            self.request_failed(error)
        except HeldError as error:
            self.error_banner.show(Failure("The import waits", str(error), hint=TRIES_NOW))
        except TransferError as error:
            self.error_banner.show_problem("The import stopped", str(error))

    # What can be done

    def words_for(self, binding_id: str) -> str:
        """Return what Esc does now."""
        if binding_id != "close":
            return ""
        if self.request.is_running:
            return "Stop"
        return "Close the banner" if self.error_banner.failure is not None else ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether the action would do something now."""
        importing = self._import
        if action in ("move", "move_page"):
            return self.scroll.max_scroll_y > 0
        if action == "close":
            return True
        if action == "refresh":
            return self.error_banner.failure is not None and not self.request.is_running
        is_before, is_over = importing.phase is Phase.READY, importing.phase is Phase.OVER
        unknown = importing.count_of(OutcomeKind.UNKNOWN)
        offered = {
            "send_lines": not importing.is_held and importing.count,
            "view_lines": importing.candidates,
            "map_values": is_before and self._has_unknown,
            "begin_empty": importing.samples,
            "keep_samples": importing.samples,
            "leave_out_bad": is_before and importing.can_leave_out_bad,
            "mark_added": is_over and importing.added,
            "look_for_unknown": unknown,
            "send_unknown": unknown - importing.repeated,
            "send_earlier": importing.count_of(OutcomeKind.ADDED_EARLIER) or importing.lost,
        }
        if action in ("leave_out", "send_alike"):
            choices = (Choice.UNDECIDED,) if is_over else (*Choice,)
            if action == "send_alike":
                choices = (Choice.UNDECIDED, Choice.LEFT_OUT)
            alike = Likeness[str(parameters[0])]
            return self._is_idle and importing.count_alike(alike, *choices) > 0
        if action in offered:
            is_offered = self._is_idle and bool(offered[action])
            return is_offered if action != "send_lines" else is_offered or None
        return super().check_action(action, parameters)

    @property
    def _has_unknown(self) -> bool:
        """Whether the file has categories or statuses that are not known, or were asked about."""
        unknown = any(self._import.preview.unknown(field) for field in (CATEGORY, STATUS))
        return unknown or self._reading.mapping is not UNMAPPED

    async def action_map_values(self) -> None:
        """Ask what columns and values of the file mean, and read it again as the user says."""
        self.request.start(self._ask_what_it_means)

    async def _ask_what_it_means(self) -> None:
        """Show the box that asks it; what it says is a request of its own."""
        from pettui.tui.transfer.import_line import surveyed_file
        from pettui.tui.transfer.mapping_box import MappingScreen

        read = partial(surveyed_file, self._file, self.session.settings.profile.categories)
        try:
            survey = await asyncio.to_thread(read, self._reading)
        except TransferError as error:
            self.error_banner.show_problem("It cannot be read again", str(error))
            return
        box = MappingScreen(self.session, self._file.name, survey, read)

        def read_again(result: str | None) -> None:
            if result is not None:
                self.request.start(self._read_again, box.options, box.survey.digest)

        await self.app.push_screen(box, read_again)

    async def _read_again(self, options: ReadingOptions, digest: str) -> None:
        """Read the file as the user says, and look for duplicates again."""
        from pettui.tui.transfer.import_line import checked_file

        names = self.session.settings.profile.categories
        try:
            preview = await asyncio.to_thread(checked_file, self._file, names, options, digest)
        except TransferError as error:
            self.error_banner.show_problem("It cannot be read like that", str(error))
            return
        self._reading, self._import = options, self._import.read_as(preview)
        await self._look_for_duplicates()

    @asks
    async def action_begin_empty(self) -> None:
        """Take the samples out, after a question."""

        samples = self.session.samples
        if samples is not None and await may_empty(self, self._import.samples):
            self.request.start(self._begin_empty, samples)

    def action_keep_samples(self) -> None:
        """Add to the samples, which stay."""
        self._keeps_samples, self._import.samples = True, 0

    def action_leave_out_bad(self) -> None:
        """Leave bad lines out, or decide nothing of them yet."""
        self._import.leaves_out_bad = not self._import.leaves_out_bad

    def action_leave_out(self, likeness: str) -> None:
        """Leave lines out that are so alike, or decide nothing of them yet."""
        importing, alike = self._import, Likeness[likeness]
        is_done = importing.count_alike(alike, Choice.LEFT_OUT) == importing.count_alike(alike)
        importing.choose_alike(alike, Choice.UNDECIDED if is_done else Choice.LEFT_OUT)

    @asks
    async def action_send_alike(self, likeness: str) -> None:
        """Send lines too that are so alike, after a question."""
        alike = Likeness[likeness]
        count = self._import.count_alike(alike)
        title = f"Send {counted(count, ALIKE[alike].noun)} too?"
        if await self.ask(title, RISKS[alike]):
            self._import.choose_alike(alike, Choice.SENT)

    async def action_view_lines(self) -> None:
        """Show the lines that would be sent; single ones may be taken out there."""
        from pettui.tui.transfer.line_view import LineViewScreen

        session = self.session
        screen = LineViewScreen(session.glyphs, self._import, session.categories)
        await self.app.push_screen(screen, lambda _: self.changed())

    def action_mark_added(self) -> None:
        """Go back to the list, and mark there what was added."""
        added = self._import.added
        self.dismiss(Imported(len(added), added))

    @asks
    async def action_send_unknown(self) -> None:
        """Choose to send unknown lines again, after a question, or take that back."""
        options = self._import.options
        lines = counted(self._import.count_of(OutcomeKind.UNKNOWN), "unknown line")
        title = f"Send {lines} again?"
        if options.retry_unknown or await self.ask(title, resending_lines_text(self._import)):
            self._import.choose(replace(options, retry_unknown=not options.retry_unknown))

    @asks
    async def action_send_earlier(self) -> None:
        """Choose to send lines again that the file's import added, or take that back.

        It asks before, unless only those are sent whose animals are not listed any more.
        """
        importing, options = self._import, self._import.options
        lines = counted(importing.count_of(OutcomeKind.ADDED_EARLIER) or importing.lost, "line")
        is_asked = not (options.again or importing.gone)
        if not is_asked or await self.ask(f"Send {lines} again?", EARLIER_RISK):
            importing.choose(replace(options, again=not options.again))

    @asks
    async def action_send_lines(self) -> None:
        """Send the chosen lines; ask before, where rows of the list could not be compared."""
        found = self._import.duplicates
        if found is not None and self._import.is_held_by_unreadable:
            rows = counted(found.unreadable, "row")
            if not await self.ask(f"Send although {rows} could not be read?", DUPLICATE_RISK):
                return
            self._import.leaves_out_unreadable = True
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

    async def action_look_for_unknown(self) -> None:
        """Show the animals that unknown lines could be; the app does, as they stand in a table."""
        await self.run_action("app.look_for_unknown_lines")

    @property
    def undecided(self) -> UndecidedLines:
        """The unknown lines, one after the other."""
        return UndecidedLines(self._import)

    def show_decision(self, decided: str | None) -> None:
        """Say what was decided about them last."""
        self.show_remark(decided or "")
        self.changed()

    async def action_refresh(self) -> None:
        """Retry what failed."""
        self.error_banner.close()
        if self._import.phase is Phase.LOOKING:
            self.request.start(self._look_for_duplicates)
        elif self.check_action("send_lines", ()):
            await self.action_send_lines()

    def action_close(self) -> None:
        """Stop what is running, close the banner, or close the screen."""
        if self.request.is_running:
            self.request.cancel()
        elif self.error_banner.failure is not None:
            self.error_banner.close()
        else:
            self.dismiss(Imported(len(self._import.added)))

    def action_move(self, by: int) -> None:
        """Scroll by lines."""
        self.scroll.scroll_relative(y=by, animate=False)

    def action_move_page(self, by: int) -> None:
        """Scroll by pages."""
        self.scroll.scroll_relative(y=by * max(self.scroll.size.height - 1, 1), animate=False)


BAR_MINIMUM, BAR_MAXIMUM = 10, 40  # cells, with its ends
TEXT_ROWS = 3  # of one text
STYLES = MappingProxyType(
    {
        "done": "strong",
        "unknown": "notice",
        "refused": "error",
        "waiting": "notice",
        "rate": "muted",
        SENT: "muted",
    }
)
GAP = "  "


class ImportLines(CuttingWidget):
    """Texts about the file, wrapped; then single lines of it, cut."""

    # Raw, each with its style; errors and notices get a glyph.
    texts: reactive[Sequence[Run]] = reactive((), layout=True)
    # The position of a line, and a text about it; raw.
    rows: reactive[Sequence[tuple[str, str]]] = reactive((), layout=True)

    def drawing(self, width: int) -> Drawing:
        """Return texts, a blank line, and rows."""
        heads: list[list[Run]] = []
        cut: list[Section] = []
        for text, style in self.texts:
            rows, is_cut = self.glyphs.shown(self._signed(text, style), width, TEXT_ROWS)
            heads += [[(row, STYLES.get(style, style))] for row in rows]
            cut += [("Import", text)] * is_cut
        lines = [self._row(label, text) for label, text in self.rows]
        for (label, text), runs in zip(self.rows, lines, strict=True):
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
        facts = self.progress.facts()
        texts = [(self.glyphs.line(text), STYLES.get(name, "")) for name, text in facts]
        parts = from_the_last(texts, separator(self.glyphs))
        shown = fitted(self.glyphs, parts, room).runs
        bar = self._bar(min(room - width_of(shown) - 1, BAR_MAXIMUM))
        return [[(" ", ""), *bar, *shown]]

    def _bar(self, width: int) -> list[Run]:
        if width < BAR_MINIMUM or self.progress is None:
            return []
        full, empty = self.progress.bar(width - 2, is_ascii=self.glyphs.ascii_only)
        return [("[", "muted"), (full, "good"), (empty, "muted"), ("] ", "muted")]


ASKED: Final = 1_000  # lines of one file; no user decides about more, one after the other


class UndecidedLines:
    """Each is identified alone; what is left unknown is sent again together, by the import."""

    def __init__(self, importing: Import) -> None:
        """Ask about the lines in the file's order."""
        self._import = importing
        self._lines = importing.unknown[:ASKED]

    @property
    def adds(self) -> Sequence[UnknownAdd]:
        """Those that are unknown now."""
        adds = []
        unknown = [each for each in self._lines if self._import.is_unknown(each[0])]
        for line_id, line, state in unknown:
            pet, began = line.new_pet, age(max(time.time() - state.since, 0.0))
            sent = f"{line.position.label}, of an import that began {began} ago"
            adds.append(
                UnknownAdd(line_id, pet.name, pet.category_id, pet.status, sent, state.reason)
            )
        return adds

    def of_others(self, pets: Iterable[Pet]) -> set[int]:
        """Return the ids of those that other lines became, of this file or another."""
        ids = {pet.id for pet in pets}
        return ids & self._import.added_ids if ids else ids

    def was_seen_before(self, pet: Pet, add_id: str) -> bool:  # noqa: ARG002
        """Whether the animal was there before: that is not known of a line."""
        return False

    async def resolve(self, add_id: str, pet: Pet) -> None:
        """Record that a line became an animal; raises TransferError."""
        await self._import.resolve(LineId(add_id), pet)


def resending_lines_text(importing: Import) -> str:
    """Return since when the unknown lines of an import are unknown, and what may come of them."""
    unknown = importing.unknown
    newest = max(state.since for *_, state in unknown)
    began = age(max(time.time() - newest, 0.0))
    return (
        f"{counted(len(unknown), 'line')} may have been added, or still arrive: the import that "
        f"sent them last began {began} ago. Of each that was added {NEITHER_DELETED}."
    )


NO_MORE_SAMPLES: Final = "other animals are in the store by now: nothing was taken out"


async def may_empty(screen: AppScreen[Any], count: int) -> bool:
    """Return whether the store's samples go."""
    text = f"It has nothing but {counted(count, 'sample')}. They are taken out, and are gone."
    return await screen.ask("Empty the store?", text)


async def empty_store(samples: Samples, app: App[None]) -> str:
    """Take the samples out, have every screen know, and return what became of it.

    Raises:
        TransferError: the store can't be written, or has other animals by now.
    """
    count = await asyncio.to_thread(samples.remove)
    if not count:
        raise TransferError(NO_MORE_SAMPLES)
    for screen in app.screen_stack:
        screen.post_message(StoreEmptied())
    return f"the store is empty: {counted(count, 'sample')} taken out"
