"""CandidatesScreen: which listed animals an unknown add could be; Enter says that it is this one.

1. It reads the list once for all adds that are unknown, as the screen's request: the spinner turns,
   the status line counts the pages, Esc stops it, and F5 reads on where it stopped or failed.
2. What could be the add that is asked about stands there as soon as it is read, the animals last
   that were seen before it was sent.
3. Enter keeps that it became the animal under the cursor, ``s`` sends it again after a question,
   and either goes on to the next one. Esc leaves what is not decided as it was.

Nothing is decided but by a key that was pressed after what it decides about stood there.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Vertical
from textual.message import Message

from pettui.client import Notice, PetClientError
from pettui.keyboard import actions
from pettui.outbox.candidates import CandidateSearch
from pettui.outbox.entries import OutboxError
from pettui.rows.shown import RowView, shown_rows
from pettui.text.amounts import counted
from pettui.text.safe import safe
from pettui.transfer.files import TransferError
from pettui.tui.list.listing import NO_MARKS
from pettui.tui.list.pet_table import PetTable
from pettui.tui.screens.app_screen import AppScreen, asks
from pettui.tui.session.wording import LIST
from pettui.tui.unknown.undecided import Undecided, UndecidedEntries, UnknownAdd
from pettui.tui.widgets.appearance import is_short
from pettui.tui.widgets.bindings import bindings, hints, is_too_early, key_of
from pettui.tui.widgets.line_widget import CuttingWidget, Drawing
from pettui.tui.widgets.runs import Run, Section, StyledText, cut_runs, name_run, width_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from pettui.appearance.glyphs import GlyphSet
    from pettui.models.pets import Pet
    from pettui.tui.session.session import UserSession

SEEN: Final = "seen"  # a further column, of an animal that is hardly that one
BEFORE: Final = "before it was sent"
ROWS_EACH: Final = 2  # of a text about the add


class CandidateTable(PetTable, inherit_bindings=False):
    """The animals that an add could be; none is marked, so that space is a page."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.CANDIDATE_ROWS, moves="candidate_")


class CandidatesScreen(AppScreen[str]):
    """One add after the other; returns the decision that was the last one, in words, or ""."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.CANDIDATES,
        next_undecided="next_undecided(1)",
        previous_undecided="next_undecided(-1)",
    )
    TITLE_TEXT = "Unknown"
    STOPS: ClassVar[str] = "close"

    def __init__(self, session: UserSession, undecided: Undecided) -> None:
        """Ask about each that is unknown, in order."""
        super().__init__(session)
        self._undecided = undecided
        self._resending = undecided if isinstance(undecided, UndecidedEntries) else None
        adds = undecided.adds
        self._add_ids = [add.add_id for add in adds]  # in the order in which they are asked about
        self._asked = ""  # id of the one that is asked about
        self._shown_at = 0.0  # in the time of events: a key from before decides nothing
        self._decided = ""  # the newest decision, in words
        self._client = session.client  # that reads the list
        self._notices: Sequence[Notice] = ()  # of the newest response with any
        self._sought = frozenset(add.likeness for add in adds)
        self._search = CandidateSearch(self._sought)
        self.add_lines = AddLines(session.glyphs)
        self.table = CandidateTable(session, self.request)
        self.table.tells_cursor = True
        self.cutting += (self.add_lines,)

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        for add in self._undecided.adds[:1]:  # for the first frame
            self._show_add(add, ((add.sent, "notice"),))
        yield self.header
        yield self.error_banner
        yield self.notice_bar
        with Vertical(id="unknown"):
            yield self.add_lines
            yield self.table
        yield self.status_line
        yield self.key_bar

    def on_mount(self) -> None:
        """Read the list."""
        self.set_focus(self.table)
        self.request.start(self._read)

    # What is asked about

    @property
    def _unknown(self) -> dict[str, UnknownAdd]:
        """Those that are still unknown, by id."""
        return {add.add_id: add for add in self._undecided.adds if add.add_id in self._add_ids}

    def _candidates(self, add: UnknownAdd) -> list[Pet]:
        """Return the listed animals that an add could be, those last that were seen before it."""
        pets = self._search.found[add.likeness].pets
        others = self._undecided.of_others(pets)
        could_be = [pet for pet in pets if pet.id not in others]
        return sorted(could_be, key=lambda pet: self._undecided.was_seen_before(pet, add.add_id))

    def _row(self, pet: Pet, add: UnknownAdd) -> Pet:
        """Return an animal with what is known of it here."""
        was_seen = self._undecided.was_seen_before(pet, add.add_id)
        return replace(pet, others={SEEN: BEFORE, **pet.others}) if was_seen else pet

    @property
    def _highlighted(self) -> Pet | None:
        """The animal under the cursor, as it is listed."""
        add, row = self._unknown.get(self._asked), self.table.highlighted_pet
        if add is None or row is None:
            return None
        return next((pet for pet in self._candidates(add) if pet.id == row.id), None)

    def _ask_about(self, unknown: dict[str, UnknownAdd]) -> UnknownAdd | None:
        """Return what is asked about: the next one where that is decided; None once all are."""
        if self._asked not in unknown:
            behind = self._add_ids[self._add_ids.index(self._asked) :] if self._asked else ()
            self._asked = next((each for each in (*behind, *self._add_ids) if each in unknown), "")
            self.table.put_rows((), 0)
        return unknown.get(self._asked)

    # What is shown

    def draw(self) -> None:
        """Draw the add, what it could be, and how much of the list was read."""
        unknown = self._unknown
        add = self._ask_about(unknown)
        if add is None:
            self.call_later(self._leave_decided)
            return
        pets = self._candidates(add)
        if pets and not self.table.rows:
            self._shown_at = Message().time
        rows = [self._row(pet, add) for pet in pets]
        if rows != [*self.table.rows]:
            shown = shown_rows(rows, RowView(), self.session.category_name)
            self.table.show_rows(shown, NO_MARKS)
        self._show_add(add, self._texts(add, pets))
        self.notice_bar.show((), self._notices)
        self.status_line.texts = self._status(unknown)
        self.status_line.keys = (*self._short_decisions(), *self.short_keys())

    def on_row_table_highlighted(self) -> None:
        """Say what is known of another animal."""
        self.changed()

    def cut_sections(self) -> list[Section]:
        """Return the animal under the cursor whole, too, if its row cuts something."""
        sections, pet = super().cut_sections(), self._highlighted
        if pet is None:
            return sections
        is_cut = self.table.cut_columns(pet) or not self.table.fields_in_row() >= {*pet.others}
        return [*sections, *([(f"id {pet.id}", pet.to_json())] if is_cut else ())]

    def _leave_decided(self) -> None:
        """Close the screen if nothing is left to decide; it may be covered by a question."""
        if self.is_on_top and not self._unknown:
            self.dismiss(self._decided)

    def on_screen_resume(self, event: events.ScreenResume) -> None:  # noqa: ARG002
        """Draw what was decided meanwhile; Textual calls the base's handler too."""
        self.changed()

    def _show_add(self, add: UnknownAdd, texts: tuple[Run, ...]) -> None:
        glyphs = self.session.glyphs
        category = self.session.categories.label(add.category_id)
        kind = f"{category} {glyphs.dot} {glyphs.status_text(add.status)}"
        self.add_lines.show(add.name, kind, texts, 1 if is_short(self) else ROWS_EACH)

    def _texts(self, add: UnknownAdd, pets: Sequence[Pet]) -> tuple[Run, ...]:
        """Return when it was sent, what came, and what of the list is not among the rows; raw."""
        sent = f"{add.sent}: {add.why}" if add.why else add.sent
        if self.request.is_running:
            return ((sent, "notice"),)
        extent, found = [self._search.sentence], self._search.found[add.likeness]
        if own := len(found.pets) - len(pets):
            extent.append(f"left out: {counted(own)} that you added")
        if more := found.count - len(found.pets):
            extent.append(f"{more:,} more between these are not shown")
        texts = ((sent, "notice"), ("; ".join(extent), "muted"))
        return texts if pets else (*texts, (self._none_text(), "muted"))

    def _short_decisions(self) -> list[str]:
        """Return the hints of what decides, where there is no key bar."""
        return hints("{this_one} this  {send_again} none", self) if is_short(self) else []

    def _none_text(self) -> str:
        if not self._search.is_over:
            return "None that was read has this name and category."
        ways = ", ".join(hints("{send_again} sends it again  {close} leaves it", self))
        if self._search.cut:
            none = "None that can be read has this name and category"
            return f"{none}, and the {LIST} goes on. {ways}"
        return f"No animal of this name and category is listed. {ways}"

    def _status(self, unknown: dict[str, UnknownAdd]) -> tuple[StyledText, ...]:
        if self.request.text:
            return ((self.request.text, "accent"),)
        texts: list[StyledText] = []
        if len(unknown) > 1:
            place = [*unknown].index(self._asked) + 1
            texts.append(
                (f"{place:,} of {len(unknown):,} unknown", "strong", f"{place}/{len(unknown)}")
            )
        pet, count = self._highlighted, len(self.table.rows)
        was_seen = pet is not None and self._undecided.was_seen_before(pet, self._asked)
        if pet is not None and was_seen and SEEN not in self.table.fields_in_row() - {*pet.others}:
            texts.append((f"{SEEN} {BEFORE}", "notice", SEEN))
        could = f"{counted(count)} could be it" if count else "none could be it"
        return (*texts, (could, "muted", f"{count}"))

    # The list

    async def _read(self) -> None:
        """Read the list page after page, from where it was left."""
        search, client = self._search, self._client

        def words() -> str:
            pages = f"{counted(search.pages, 'page')}, {counted(search.rows)}"
            return f"reading the {LIST}: {pages}{self.session.glyphs.ellipsis}"

        try:
            with self.request.busy(words, is_shown_at_once=True):
                while not search.is_over:
                    await search.read_page(client, on_wait=self.request.count_down)
                    self.request.end_countdown()
                    self.changed()
        except PetClientError as error:
            self._notices = error.notices or self._notices
            self.request_failed(error)
        else:
            self._notices = search.notices or self._notices
            self.request_succeeded()

    async def on_worker_state_changed(self) -> None:
        """Draw that the list is no longer read."""
        self.changed()

    def action_refresh(self) -> None:
        """Read on where it was stopped or failed; otherwise, or with another API key, anew."""
        self.error_banner.close()
        if self._search.is_over or self._client is not self.session.client:
            self._client = self.session.client
            self._search = CandidateSearch(self._sought)
        self.request.start(self._read)

    # Deciding

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there is an animal to be it, or another add to go to."""
        if action == "next_undecided":
            return len(self._add_ids) > 1
        if action in ("close", "send_again"):
            return action == "close" or self._resending is not None
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str | None:
        """Return why none is chosen, too."""
        if action == "this_one" and self.table.highlighted is None:
            return "no animal that it could be stands here"
        return super().why_not(action)

    async def before_key(self, event: events.Key | events.Paste) -> bool:
        """Let no key choose an animal that was typed before that stood there."""
        return not is_too_early(self, event, "this_one", self._shown_at)

    async def on_row_table_opened(self) -> None:
        """Choose the animal that was double-clicked."""
        await self.run_action("this_one")

    async def action_this_one(self) -> None:
        """Keep that it became the animal under the cursor."""
        add, pet = self._unknown.get(self._asked), self._highlighted
        if add is not None and pet is not None:
            decided = f"{_label(add)} was added, with id {pet.id}"
            resolve = partial(self._undecided.resolve, add.add_id, pet)
            await self._decide(decided, resolve, "Can't keep that")

    @asks
    async def action_send_again(self) -> None:
        """Ask, and then send it again."""
        add, resending = self._unknown.get(self._asked), self._resending
        if add is None or resending is None:
            return
        question = resending.question(add.add_id)
        if pets := self._candidates(add):
            question = f"{counted(len(pets))} of the {LIST} could be it. {question}"
        elif not self._search.is_over or self._search.cut:
            question = f"The {LIST} was not read to its end. {question}"
        if await self.ask(f"Send {_label(add)} again?", question):
            send_again = partial(resending.send_again, add.add_id)
            await self._decide(f"{_label(add)} is sent again", send_again, "Can't send it again")

    async def _decide(
        self, decided: str, decide: Callable[[], Awaitable[None]], failed: str
    ) -> None:
        """Keep a decision, and say it: here, or below where it was the last one."""
        before, self._decided = self._decided, decided  # it may be the last before this goes on
        try:
            await decide()
        except (OutboxError, TransferError) as error:
            self._decided = before
            self.error_banner.show_problem(failed, str(error))
        else:
            self.show_remark(decided)
        self.changed()

    def action_next_undecided(self, step: int) -> None:
        """Leave this one, and go to the next or the previous one."""
        unknown = [*self._unknown]
        if self._asked not in unknown:
            return
        self._asked = unknown[(unknown.index(self._asked) + step) % len(unknown)]
        self.table.put_rows((), 0)

    async def action_close(self) -> None:
        """Stop reading, close the banner, or leave what is not decided."""
        if self.request.is_running:
            self.request.cancel()
            key = key_of(self, "refresh")
            self.show_remark(f"stopped: {key} reads on" if key else "stopped")
        elif self.error_banner.failure is not None:
            self.error_banner.close()
        else:
            self.dismiss("")


def _label(add: UnknownAdd) -> str:
    return safe(add.name, 40) or "the animal"


class AddLines(CuttingWidget):
    """What was added: its name and kind, when it was sent, and how far it was looked for."""

    def __init__(self, glyphs: GlyphSet) -> None:
        super().__init__(glyphs)
        self._shown: tuple[str, str, Sequence[Run], int] = ("", "", (), ROWS_EACH)

    def show(self, name: str, kind: str, texts: Sequence[Run], rows_each: int) -> None:
        """Show other raw texts, each in at most so many rows; a notice among them gets a glyph."""
        if self._shown != (shown := (name, kind, texts, rows_each)):
            self._shown = shown
            self.on_resize()
            self.refresh()

    def on_resize(self) -> None:
        """Take as many rows as there are.

        Textual (8.2.8) keeps an automatic height of a layout that comes between two changes.
        """
        self.styles.height = len(self.lines(self.drawn_width))

    def drawing(self, width: int) -> Drawing:
        """Return a row for the name, and those of the texts, wrapped between words."""
        name, kind, texts, rows_each = self._shown
        shown, style = name_run(self.glyphs, name)
        first = [(shown, style or "strong"), (f"  {self.glyphs.line(kind)}", "muted")]
        lines: list[Sequence[Run]] = [cut_runs(self.glyphs, first, width)]
        is_cut = width_of(first) > width
        cut: list[Section] = [("Unknown", f"{name}\n\n{kind}")] if is_cut else []
        for text, style in texts:
            signed = f"{self.glyphs.notice} {text}" if style == "notice" else text
            rows, is_cut = self.glyphs.shown(signed, width, rows_each)
            lines += [[(row, style)] for row in rows]
            cut += [("Unknown", text)] if is_cut else []
        return Drawing(lines, cut)
