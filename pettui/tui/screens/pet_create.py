"""PetCreateScreen: Enter adds an animal to the outbox and makes room for the next.

Nothing that is typed is lost, however the form is closed: it is saved with each key.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import events
from textual.containers import VerticalScroll

from pettui import actions
from pettui.models import PetStatus
from pettui.outbox import Draft, Entry, EntryState, OutboxError
from pettui.tui.keys import NamesActions, bindings, hints, is_too_early, key_of
from pettui.tui.lists.entry_decisions import is_perhaps_added
from pettui.tui.screens.entries_screen import EntriesScreen
from pettui.tui.screens.outbox import OutboxScreen
from pettui.tui.screens.pet_detail import PetDetailScreen
from pettui.tui.widgets.entry_table import EntryList
from pettui.tui.widgets.panel import Panel
from pettui.tui.widgets.pet_form import PetForm
from pettui.tui.wording import (
    Failure,
    double_question,
    drop_question,
    perhaps_added_text,
    pet_of,
    put_aside_texts,
    refusal_of,
    time_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.app import App, ComposeResult
    from textual.binding import BindingType
    from textual.screen import Screen
    from textual.timer import Timer
    from textual.worker import Worker

    from pettui.models import Pet
    from pettui.transfer.lines import ImportLine
    from pettui.tui.runs import Section
    from pettui.tui.session import EntryChanged, UserSession

SHOWN_ENTRIES = 100  # the newest
IDLE = 0.5  # seconds without a key until a refused animal is shown in the form
NOT_SAVED: Final = "Draft not saved"
SAVE_AGAIN = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 60.0)  # seconds after each failure, without a key
# What the form's foot says, each for more and for less room.
REFUSED_IS_SHOWN = (
    "{next_field} corrects it, typing begins the next animal",
    "{next_field} corrects it, or type the next",
)
NEW_ANIMAL = ("{new_animal} New animal", "{new_animal} New")
# What the banner says of a refused entry.
WAITS = "{refresh} Send again  {outbox} Edit"
IS_SHOWN = "{next_field} Correct  {add_and_next} Add again"
IS_EDITED = "{add_and_next} Add again"


@dataclass(frozen=True, slots=True)
class _Question:
    """What the form asks, in the line below the name, before it does what a key wants."""

    answer: str  # name of the action whose key says yes
    name: str  # of the animal that is not to be twice, or nowhere; raw
    draft: Draft  # that it is about: once that is edited, nothing is asked any more
    at: float  # monotonic seconds; a key that was typed before does not answer
    opens_added: bool = False  # the animal was to be added and opened


class PetCreateScreen(EntriesScreen, NamesActions):
    """The form for a new animal, above the newest entries."""

    HAS_FIELDS = True
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_CREATE,
        take_back=("take_back", "explain_too_late"),
        new_animal=("new_animal", "explain_nothing_typed"),
        entries_page_up="scroll_entries(-1)",
        entries_page_down="scroll_entries(1)",
    )

    def __init__(self, session: UserSession, known: Sequence[Pet]) -> None:
        """Show the current draft; ``known`` animals are pointed out, and never refused."""
        super().__init__(session)
        self.form = PetForm(session.glyphs, "Add an animal", session.categories)
        goes_in = session.outbox.goes_in
        self.entry_list = EntryList(session.glyphs, goes_in, self.form.categories.label)
        self._entries = VerticalScroll(self.entry_list, can_focus=False)
        self._ids = {(pet.name, pet.category_id): pet.id for pet in known}
        self._offers: tuple[bool, ...] = ()  # what the keys were shown for last
        self._is_from_outbox = False  # Esc goes there
        self._opened_key = ""  # of the entry whose animal is opened once it is added
        # The draft
        self._saving: Worker[None] | None = None  # the newest
        self._pauses: Iterator[float] = iter(())  # until what was not saved is tried again
        self._saving_again: Timer | None = None  # the newest
        self._saves = 0  # begun
        self._taking = asyncio.Lock()  # a refused entry into the form
        self._is_moving = False  # an entry is leaving the form, or coming back into it
        self._is_closed = False  # by its key; another form may be open by now
        self._left_at = 0.0  # when what the form opened on was typed; 0: it is not from before
        self._question: _Question | None = None
        # The newest refused entry, which stays in the outbox until it is edited
        self._refused: Entry | None = None  # in the banner
        self._refusal: Failure | None = None  # what the banner showed of it last
        self._typed_at = 0.0  # of the last key, in seconds of the loop's clock
        self._returning: Worker[None] | None = None  # the newest one

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        yield self.header
        yield self.error_banner
        yield self.notice_bar
        yield self.form
        yield Panel(self.session.glyphs, "Recent", self._entries, id="earlier")
        yield self.status_line
        yield self.key_bar

    def on_mount(self) -> None:
        """Continue with the saved draft."""
        self._load_draft()
        self.set_focus(self.form.name_input)
        self.show_entries()
        self.show_key_refusal()

    async def on_unmount(self) -> None:
        """Save the last keys too, if the app ends while the form is open."""
        if not self._is_closed and not self._is_moving:
            with suppress(OutboxError):  # there is no screen left to show it
                if (shown := self.form.shown) is not None and shown.is_edited:
                    await self.outbox.take_out(shown.key)
                await self.outbox.drafts.keep(self._dated_draft())

    # What stands around the form

    def room_changed(self) -> None:
        """Adapt to a new size."""
        super().room_changed()
        self.form.room_changed()
        self._show_foot()
        self.update_status()

    def show_entries(self) -> None:
        """Show the entries and their notices, unless the screen is closed."""
        if not self.entry_list.is_attached:
            return
        hint = "".join(hints("{take_back} takes it back", self))
        self.entry_list.show_entries(self.outbox.entries[-SHOWN_ENTRIES:], hint)
        self._show_foot()
        self.show_notices()
        self.update_status()
        self._show_offers()

    def _show_offers(self) -> None:
        """Show the keys for what stands in the form now."""
        self._offers = self._offered()
        self.refresh_bindings()

    def _offered(self) -> tuple[bool, ...]:
        """Return all of the form's contents on which the keys and the foot depend."""
        form = self.form
        return form.draft.is_typed, form.shown is not None, self._can_bring_back()

    def _show_foot(self) -> None:
        """Show what stands in the form unless it was just typed, and what comes back after it."""
        heads: tuple[str, ...] = ("",)
        if self.form.shown is not None and not self.form.shown.is_edited:
            heads = REFUSED_IS_SHOWN
        elif age := self._draft_age():
            heads = tuple(f"{age} {self.session.glyphs.dot} {new}" for new in NEW_ANIMAL)
        found = [hints(head, self) for head in heads]
        self.form.show_foot(
            *(
                f" {self.session.glyphs.dot} ".join(filter(None, (*keys, after)))
                for after in put_aside_texts(self.outbox.drafts.put_aside)
                for keys in found
            )
        )

    def _draft_age(self) -> str:
        """Return since when an older draft stands in the form; "" if it is new."""
        if not self._left_at or not self.form.draft.is_typed:
            return ""
        now = self.session.clock.now()
        at = datetime.fromtimestamp(self._left_at, now.tzinfo)
        return f"draft of {time_text(at, now, with_seconds=False)}"

    def update_status(self) -> None:
        """Show why entries are not sent, and how many animals were added."""
        reason = self.delay_reason
        self.status_line.texts = ((self.session.glyphs.line(reason), "notice"),) if reason else ()
        self.status_line.keys = self.short_keys()
        added = f"added this session: {self.session.added}" if self.session.added else ""
        self.form.show_remark(added)
        self.status_line.counts = () if self.form.has_room_for_remark else (added,)

    def cut_sections(self) -> list[Section]:
        """Return the full texts that are cut, of fields and entries too."""
        entries = self.entry_list.cut_sections()
        return [*super().cut_sections(), *self.form.cut_sections(), *entries]

    def action_scroll_entries(self, pages: int) -> None:
        """Scroll the newest entries."""
        rows = pages * self._entries.size.height
        self._entries.scroll_relative(y=rows, animate=False, immediate=True)

    # The draft

    async def on_pet_form_changed(self) -> None:
        """Save what is typed, and warn of a duplicate."""
        self._key_was_typed()
        if self._question is not None and self._question.draft != self.form.draft:
            self._withdraw_question()
        if self.form.shown is not None and self.form.shown.is_edited:
            await self._edit_refused()
        self._show_doubt()
        self._pauses = iter(SAVE_AGAIN)
        self._start_saving()
        if self._offered() != self._offers:  # each costs more than the key that was typed
            self._show_foot()
            self._show_offers()

    def _start_saving(self, *, is_again: bool = False) -> None:
        work = partial(self._save, is_again=is_again)
        self._saving = self.run_worker(work, group="draft")

    async def _save(self, *, is_again: bool = False) -> None:
        """Save the draft, or show why that failed; a few times it is tried again without a word."""
        if self._saving_again is not None:
            self._saving_again.stop()
        self._saves += 1
        number = self._saves
        if self._is_moving:
            return  # an entry that comes back is on disk already
        if not await self._take_refused():
            return
        try:
            await self.outbox.drafts.keep(self._dated_draft())
        except OutboxError as error:
            if not is_again:
                self.show_problem(NOT_SAVED, str(error))
            # Several may fail together, of which the last is tried again.
            if number == self._saves and (pause := next(self._pauses, None)) is not None:
                self._saving_again = self.set_timer(
                    pause, partial(self._start_saving, is_again=True)
                )
            return
        failure = self.error_banner.failure
        if failure is not None and failure.title == NOT_SAVED:
            self.clear_failure()

    def _dated_draft(self) -> Draft:
        """Return the contents of the form, with the time of their last change."""
        draft, kept = self.form.draft, self.outbox.drafts.draft
        is_same = draft == kept and kept.typed_at
        now = self.session.clock.now().timestamp()
        return replace(draft, typed_at=kept.typed_at if is_same else now)

    def _load_draft(self) -> None:
        """Put the current draft of the outbox into the form."""
        self.form.draft = draft = self.outbox.drafts.draft
        self._left_at = draft.typed_at if draft.is_typed else 0.0
        self._show_doubt()

    def _show_draft(self) -> None:
        """Put the draft into the form, and focus its name."""
        self._load_draft()
        self.focus_later(self.form.name_input)
        self.show_entries()

    @contextmanager
    def _moving(self, problem: str) -> Iterator[None]:
        """Save nothing while an entry leaves the form or comes back; show why that failed.

        A draft saved after its add would come back beside the entry.
        """
        self._is_moving = True
        try:
            yield
        except OutboxError as error:
            self.show_problem(problem, str(error))
        finally:
            self._is_moving = False

    async def _put_aside(self, following: Draft) -> None:
        """Go on with another draft; what is typed comes back after it."""
        await self._save()
        with self._moving("Can't put it aside"):
            await self.outbox.drafts.begin(following)
            self._show_draft()

    async def action_take_back(self) -> None:
        """Bring the newest unsent entry back into the form.

        An unfinished draft is put aside, and comes back once the entry is added or cleared.
        """
        self._withdraw_question()
        await self._save()
        with self._moving("Can't take it back"):
            if await self.outbox.take_back() is None:
                self.action_explain_too_late()
            else:
                self._show_draft()

    async def action_new_animal(self) -> None:
        """Put what is typed aside; a refused animal that is only shown stays in the outbox."""
        self._withdraw_question()
        self.form.begin_next()
        self._key_was_typed()
        if self.form.draft.is_typed:
            await self._put_aside(Draft())
        self.focus_later(self.form.name_input)

    def action_explain_nothing_typed(self) -> None:
        """Show why nothing is put aside."""
        self.show_message("nothing is typed yet")

    def _can_bring_back(self) -> bool:
        """Return whether the form is empty, and what was cleared can be brought back."""
        is_empty = self.form.draft == Draft() and self.form.shown is None
        return is_empty and self.outbox.drafts.has_cleared

    def words_for(self, binding_id: str) -> str:
        """Return what the key that clears does in an empty form."""
        return "Bring back" if binding_id == "clear" and self._can_bring_back() else ""

    async def action_clear(self) -> None:
        """Empty the form, or bring back what was cleared; a refused animal is asked about.

        A draft that was put aside comes back too.
        """
        self._key_was_typed()
        if self._can_bring_back():
            with self._moving("Can't bring it back"):
                await self.outbox.drafts.bring_back()
                self._show_draft()
            return
        if self.form.draft.is_refused and not self._is_asking("clear"):
            self._ask("clear")
            return
        self._withdraw_question()
        self._refused = None
        self.clear_failure()
        cleared, self.form.draft = self._dated_draft(), Draft()
        with self._moving("Draft not cleared on disk"):
            await self.outbox.drafts.drop(cleared)
        self._show_draft()
        if self._can_bring_back():
            self.show_message("".join(hints("cleared: {clear} brings it back", self)))

    def go_on(self, *, is_from_outbox: bool) -> None:
        """Go on with the draft that another screen chose."""
        self._is_from_outbox = is_from_outbox
        self._refused = None
        self.clear_failure()
        self._show_draft()

    async def action_outbox(self) -> None:
        """Open the outbox; an entry to be edited there comes back into the form."""
        self._withdraw_question()
        await self._save()
        await self.app.push_screen(OutboxScreen(self.session))

    async def action_close(self) -> None:
        """Close the banner, the question, or the form; its draft stays for the next time."""
        if self.dismiss_banner():
            self._refused = None
        elif self._question is not None:
            self._withdraw_question()
        else:
            await self._leave_draft()
            if self._is_from_outbox:
                at = self.form.draft.copy_of
                self.app.switch_screen(OutboxScreen(self.session, at))
            else:
                self.dismiss()

    async def _leave_draft(self) -> None:
        """Save the draft for the next form; if it is empty, that gets the draft put aside."""
        self._is_closed = True
        drafts = self.outbox.drafts
        if self.form.draft.is_typed or not drafts.put_aside:
            await self._save()
            return
        with suppress(OutboxError):  # nothing that was typed is lost by it
            await drafts.drop()

    # Adding

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether an entry can be taken back; in the key prompt no key adds one."""
        if action in ("add_and_next", "add_and_open") and self.is_key_prompt_open:
            return False
        if action == "add_anyway":
            return self._is_asking(action) and not self.is_key_prompt_open
        if action in ("new_animal", "explain_nothing_typed"):
            is_there = self.form.draft.is_typed or self.form.shown is not None
            return is_there == (action == "new_animal")
        return super().check_action(action, parameters)

    async def action_add_and_next(self) -> None:
        """Add the animal to the outbox, and make room for the next."""
        await self._add_unless_double(opens_added=False)

    async def action_add_and_open(self) -> None:
        """Add the animal to the outbox, and open it once the service has it."""
        await self._add_unless_double(opens_added=True)

    async def action_add_anyway(self) -> None:
        """Add the animal that may have been added already."""
        opens_added = self._question is not None and self._question.opens_added
        self._withdraw_question()
        await self._add(opens_added=opens_added)

    async def _add_unless_double(self, *, opens_added: bool) -> None:
        if not await self._edit_refused() or not self.form.submit():
            return
        self._key_was_typed()
        if self._perhaps_added():
            self._ask("add_anyway", opens_added=opens_added)
        else:
            await self._add(opens_added=opens_added)

    async def _add(self, *, opens_added: bool) -> None:
        """Add what is typed; the draft that was put aside comes next, or the next animal."""
        draft = self.form.draft
        category, status = self.form.categories.number_of(draft.category), draft.status or None
        with self._moving("Not added"):
            try:
                entry = await self.outbox.add(
                    draft.name, category, status, was_draft=True, copy_of=draft.copy_of
                )
            except OutboxError as error:
                if self._saving is not None:  # its failure must not replace this one
                    await self._saving.wait()
                hint = "{add_and_next} Retry"
                self.show_failure(Failure("Not added", str(error), hint=hint))
                return
            if self._refused is None:
                self.clear_failure()
            if opens_added:
                self._opened_key = entry.key
            if self.outbox.drafts.draft.is_typed:
                self._show_draft()
                if self.form.wrong_field is None and self._perhaps_added():
                    self._ask("add_anyway")  # what is typed next is not meant for it either
                return
        self._left_at = 0.0  # what is typed next is new
        self.form.make_room()
        self._entries.scroll_home(animate=False)
        self._show_foot()

    def on_entry_changed(self, message: EntryChanged) -> None:
        """Show the entry as it is now."""
        entry = message.entry
        if entry.state is EntryState.ADDED:
            self._show_added(entry)
        self.show_entries()
        self.show_key_refusal()
        self._show_refusal_of(entry)

    def _show_added(self, entry: Entry) -> None:
        """Remember the animal, and open it if it is wanted and the clerk types nothing by then."""
        if entry.pet_id is not None:
            self._ids[entry.name, entry.category_id] = entry.pet_id
        self._show_doubt()
        if entry.key != self._opened_key:
            return
        self._opened_key = ""
        if self.is_on_top and not self.form.draft.name and not self.is_key_prompt_open:
            now = self.session.clock.now()
            self.app.push_screen(
                PetDetailScreen(self.session, (pet_of(entry),), 0, now, "the form")
            )

    async def on_paste(self, event: events.Paste) -> None:
        """Show several animals that were pasted into the name for review, or why not."""
        from pettui.tui.paste_reading import FormValues, TooManyLinesError, is_several, pasted_pets
        from pettui.tui.screens.line_boxes import PastedPetsScreen
        from pettui.tui.widgets.pasted_lines import PastedLines

        event.stop()
        draft, categories = self.form.draft, self.form.categories
        if not is_several(event.text, categories.names):
            return

        def read(category: int | None) -> list[ImportLine]:
            return pasted_pets(event.text, FormValues(category, draft.status), categories.names)

        try:
            lines = read(categories.number_in(draft.category))
        except TooManyLinesError as error:
            self.show_problem("Not pasted", str(error))
            return

        def show_result(result: str | None) -> None:
            if result is not None:
                self.show_entries()
                self.show_message(result)

        shown = PastedLines(self.session.glyphs, lines, categories, self._ids, text=event.text)
        await self.app.push_screen(PastedPetsScreen(self.outbox, shown, read), show_result)

    # Doubts and questions in the line below the name

    def _show_doubt(self) -> None:
        """Show the question, or warn if the animal already exists, or may exist."""
        draft = self.form.draft
        category = self.form.categories.number_in(draft.category)
        pet_id = None if category is None else self._ids.get((draft.name, category))
        if (question := self._question) is not None:
            ask = drop_question if question.answer == "clear" else double_question
            self.form.show_doubt(ask(key_of(self, question.answer), question.name))
        elif pet_id is not None:
            self.form.show_doubt(f"{pet_id} already has this name and category")
        elif name := self._perhaps_added():
            self.form.show_doubt(perhaps_added_text(name))

    def _perhaps_added(self) -> str:
        """Return the raw name of an unknown animal that this would be once more; "" for none.

        It was made of that one, even if it was edited since, or it has the same name and category.
        """
        draft, entries = self.form.draft, self.outbox.entries
        if not draft.name.strip():
            return ""
        if draft.copy_of:
            names = (entry.name for entry in entries if entry.key == draft.copy_of)
            return next(names, draft.name)
        category = self.form.categories.number_in(draft.category)
        is_there = category is not None and is_perhaps_added(entries, draft.name, category)
        return draft.name if is_there else ""

    def _is_asking(self, answer: str) -> bool:
        return self._question is not None and self._question.answer == answer

    def _ask(self, answer: str, *, opens_added: bool = False) -> None:
        before, at = self._question, monotonic()
        if before is not None and before.answer == answer:
            at = before.at  # Enter was pressed again
        name = self._perhaps_added() if answer == "add_anyway" else self.form.draft.name
        self._show_question(_Question(answer, name, self.form.draft, at, opens_added))

    def _withdraw_question(self) -> None:
        if self._question is not None:
            self._show_question(None)

    def _show_question(self, question: _Question | None) -> None:
        self._question = question
        self.form.check()
        self._show_doubt()
        self.refresh_bindings()

    async def before_key(self, event: events.Key | events.Paste) -> bool:
        """Let no key answer that was typed before the question was asked.

        What is typed on behind a name that may be a double is the next animal's, typed fast or
        slowly; whoever moves in the name edits it.
        """
        if self._question is None or self.is_key_prompt_open:
            return True
        name = self.form.name_input
        if isinstance(event, events.Key) and not name.check_consume_key(event.key, event.character):
            return not is_too_early(self, event, self._question.answer, self._question.at)
        if self._is_asking("add_anyway") and name.has_focus and name.cursor_at_end:
            self._withdraw_question()
            await self._put_aside(self.form.next_of_the_kind)
        return True

    # A refused animal: in the banner and, if nothing is typed there, in the form

    def _key_was_typed(self) -> None:
        """Restart the wait for idle keys, and show what became of the refused entry by the keys."""
        self._typed_at = asyncio.get_running_loop().time()
        is_shown = self._refusal is not None and self._refusal.hint == IS_SHOWN
        if self._refused is not None and is_shown and self.form.shown is None:
            self._show_refusal(self._refused, WAITS)

    def _show_refusal_of(self, entry: Entry) -> None:
        """Show an entry that was refused, and no longer one that was sent again."""
        if (shown := self.form.shown) and not shown.is_edited and not self._is_refused(shown.key):
            self.form.begin_next()
        if self._refused is not None and not self._is_refused(self._refused.key):
            self._refused = None
            self.clear_failure()
            self.show_key_refusal()
        if self._is_refused(entry.key) and not entry.owned_elsewhere:
            work = partial(self._bring_back, entry)
            self._returning = self.run_worker(work, group="entries")

    def _is_refused(self, key: str) -> bool:
        """Whether an entry is still refused, and was not sent again since."""
        entries = self.outbox.entries
        return any(e.key == key and e.state is EntryState.REFUSED for e in entries)

    async def _bring_back(self, entry: Entry) -> None:
        """Show a refused entry in the banner and, unless another is typed there, in the form."""
        self._refused = entry
        self._show_refusal(entry, WAITS)
        while True:
            await self._keys_idle()
            key_queue = self.session.key_queue
            async with key_queue.between(self):
                if not self._is_form_free_for(entry):
                    return
                if not key_queue.waiting:  # they were typed without having seen it
                    self.form.show_refused(entry, refusal_of(entry).message)
                    break
        if self._refused is not None and self._refused.key == entry.key:
            self._show_refusal(entry, IS_SHOWN)
        self.show_entries()

    def _show_refusal(self, entry: Entry, hint: str) -> None:
        """Show the banner, with the name of an animal that does not stand in the form."""
        refusal = refusal_of(entry)
        message = f"{entry.name}: {refusal.message}" if hint == WAITS else refusal.message
        self._refusal = replace(refusal, message=message, hint=hint)
        self.show_failure(self._refusal)

    async def _keys_idle(self) -> None:
        """Wait until no key was pressed for a while, and no API key is being typed."""
        clock = asyncio.get_running_loop().time
        while (  # noqa: ASYNC110 - each key extends the wait
            seconds := self._typed_at + IDLE - clock()
        ) > 0 or self.is_key_prompt_open:
            await asyncio.sleep(seconds if seconds > 0 else IDLE)

    def _is_form_free_for(self, entry: Entry) -> bool:
        """Whether the empty name gets the keys, and the entry is still refused."""
        form, focused = self.form, self.focused
        is_free = form.shown is None and not form.draft.is_typed
        is_in_name = focused is None or focused is form.name_input  # None: another window has it
        is_asked = self.is_on_top and not self.is_key_prompt_open
        return is_free and is_in_name and is_asked and self._is_refused(entry.key)

    async def _edit_refused(self) -> bool:
        """Take the refused entry that is shown out of the outbox; False if that failed."""
        shown = self.form.shown
        if shown is None:
            return True
        self.form.edit_refused()
        if self._refused is not None and self._refused.key == shown.key:
            self._show_refusal(self._refused, IS_EDITED)  # it stays, beside what it is about
            self._refused = None
        is_taken = await self._take_refused()
        self.show_entries()
        return is_taken

    async def _take_refused(self) -> bool:
        """Take a refused entry that is edited in the form out of the outbox; False if that failed.

        What is typed meanwhile is in the form, and is saved next.
        """
        async with self._taking:
            shown = self.form.shown
            if shown is None or not shown.is_edited:
                return True
            is_taken = False
            with self._moving("Can't edit it"):
                await self.outbox.take_out(shown.key)
                self.form.shown, is_taken = None, True
            if not is_taken:
                self.form.begin_next()
            return is_taken

    async def action_refresh(self) -> None:
        """Send the refused entry in the banner again or, without one, all waiting entries now."""
        is_in_banner = self.error_banner.failure is self._refusal
        refused, self._refused = self._refused if is_in_banner else None, None
        self.clear_failure()
        if refused is None or not self._is_refused(refused.key):
            self.outbox.sending.resume()
            return
        try:
            await self.outbox.send_again(refused.key)
        except OutboxError as error:
            self.show_problem("Can't send it again", str(error))

    async def action_next_field(self) -> None:
        """Focus the refused field of an animal that is shown, or else the next field."""
        was_shown = self.form.shown is not None and not self.is_key_prompt_open
        if was_shown and (not await self._edit_refused() or self.form.focus_refused()):
            return
        self.app.action_focus_next()

    async def action_previous_field(self) -> None:
        """Focus the field before."""
        if self.is_key_prompt_open or await self._edit_refused():
            self.app.action_focus_previous()


async def open_form(app: App[Any], session: UserSession, known: Sequence[Pet]) -> None:
    """Open the form on the current draft; it is ready for the next key when this returns.

    A form that is open below the topmost screen is used again; if that is the outbox, Esc goes back
    there. Duplicates are looked for among the known animals.
    """
    form = next((each for each in app.screen_stack if isinstance(each, PetCreateScreen)), None)
    if form is None:
        await app.push_screen(PetCreateScreen(session, known))
        return
    is_from_outbox = isinstance(app.screen, OutboxScreen)
    while app.screen is not form:
        app.pop_screen()
    form.go_on(is_from_outbox=is_from_outbox)


async def open_form_like(screen: Screen[Any]) -> None:
    """Open the form with the category and status of the animal on the screen.

    An unfinished draft comes back later. A status unknown to this version is left unset.
    """
    if not isinstance(screen, PetDetailScreen) or (pet := screen.target) is None:
        return
    status = pet.status if pet.status in [*PetStatus] else None
    draft = Draft("", str(pet.category_id), status or "", is_kept=True)
    try:
        await screen.session.outbox.drafts.begin(draft)
    except OutboxError as error:
        screen.show_problem("Can't open the form", str(error))
        return
    await open_form(screen.app, screen.session, screen.known)
