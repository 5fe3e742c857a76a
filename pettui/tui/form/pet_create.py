"""PetCreateScreen: Enter adds an animal to the outbox and makes room for the next.

Nothing that is typed is lost, however the form is closed: it is saved with each key. Nothing comes
into the form but by a key that asks for it.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import events
from textual.containers import Container
from textual.reactive import reactive

from pettui.keyboard import actions
from pettui.models.pets import NewPet, Pet, PetStatus, trimmed_name
from pettui.outbox.drafts import Origin
from pettui.outbox.entries import Draft, Entry, EntryState, OutboxError
from pettui.transfer.lines import GoodLine, ImportLine, Position
from pettui.tui.detail.pet_detail import PetDetailScreen
from pettui.tui.form.form_fields import CategoryList
from pettui.tui.form.form_state import (
    F8,
    TOO_LATE,
    Asking,
    Doubts,
    DraftKeys,
    Question,
    RefusedBanner,
    TakeBackTarget,
    begin_day,
    several_of,
)
from pettui.tui.form.pet_form import Panel, PetForm
from pettui.tui.outbox.entry_decisions import added_pet
from pettui.tui.outbox.entry_table import EntriesScreen, EntryList
from pettui.tui.outbox.outbox import OutboxScreen
from pettui.tui.screens.app_screen import NOT_TAKEN_BACK
from pettui.tui.session.wording import FORM, too_late_text
from pettui.tui.widgets.bindings import NamesActions, bindings, hints, is_too_early, key_of
from pettui.tui.widgets.failures import Failure, whole_of
from pettui.tui.widgets.scrolling import Scrolled

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from textual.app import App, ComposeResult
    from textual.binding import BindingType
    from textual.screen import Screen
    from textual.worker import Worker

    from pettui.transfer.mapping import ReadingOptions
    from pettui.transfer.survey import Survey
    from pettui.tui.session.session import EntryChanged, UserSession
    from pettui.tui.widgets.runs import Section

SHOWN_ENTRIES = 100  # the newest
LISTED_FROM: Final = 110  # columns, from which on the categories stand beside the form
ALREADY_HERE: Final = f"it is in the {FORM} already"


class PetCreateScreen(EntriesScreen, NamesActions):
    """The form for a new animal, above the newest entries."""

    HAS_FIELDS = True
    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_CREATE,
        add_and_next="add(False)",
        add_and_open="add(True)",
        next_field="app.focus_next",
        previous_field="app.focus_previous",
        entries_page_up="scroll_entries(-1)",
        entries_page_down="scroll_entries(1)",
        outbox="outbox",  # what is typed is kept first
    )

    asking: reactive[Asking | None] = reactive(None, repaint=False, bindings=True)
    _offers: reactive[DraftKeys | None] = reactive(None, repaint=False, bindings=True)

    def __init__(self, session: UserSession, known: Sequence[Pet], *, knows_all: bool) -> None:
        """Show the current draft.

        Args:
            session: whose draft it is.
            known: animals that are pointed out, and never refused.
            knows_all: no others are there.
        """
        super().__init__(session)
        self.form = PetForm(session, self._doubt_of)
        self.entry_list = EntryList(session)
        self.category_list = CategoryList(session)
        self._entries = Scrolled(self.entry_list, can_focus=False)
        self._doubts = Doubts(session, known, knows_all=knows_all)
        self._take_back_target = TakeBackTarget(session.outbox.goes_in)
        self._refused = RefusedBanner(session, self._take_back_target)
        self._saves = True  # not while a draft leaves the form or comes back, nor once it is closed
        self._saving: Worker[None] | None = None  # the newest
        self._dismissed = 0  # how often it was closed that a draft was not saved
        self._not_saved: Failure | None = None  # the newest that the banner showed of drafts
        self._not_added: Failure | None = None  # … and of adds
        self._is_from_outbox = False  # Esc goes there
        self._opened_id = ""  # of the entry whose animal is opened once it is added

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        # Once the widgets are there, another class would style all of them again.
        self.set_class(self._lists_categories, "-with-categories", update=False)
        yield self.header
        yield self.error_banner
        yield self.notice_bar
        # One container, since each that keys bubble through costs a tenth of a millisecond.
        with Container(id="create"):
            yield self.form
            yield Panel(self.session.glyphs, "Categories", self.category_list, id="categories")
            yield Panel(self.session.glyphs, "Recent", self._entries, id="earlier")
        yield self.status_line
        yield self.key_bar

    def on_mount(self) -> None:
        """Show the draft."""
        self._place_categories()
        self._show_draft()
        self.show_key_refusal()

    async def on_unmount(self) -> None:
        """Save the last keys too, if the app ends while the form is open."""
        if self._saves:
            with suppress(OutboxError):  # there is no screen left to show it
                await self.outbox.drafts.keep(self._dated(self.form.draft))

    # What stands around the form

    def room_changed(self) -> None:
        """Adapt to a new size."""
        super().room_changed()
        self._place_categories()
        self.form.room_changed()
        self._show_categories()  # which stood in no list while there was no room

    def draw(self) -> None:
        """Draw the entries and their notices, and what stands around the form."""
        if not self.entry_list.is_attached:
            return  # it is closing
        self._take_back_target.observe(self.outbox.entries)
        self._show_unsaved(is_news=False)
        self._show_refused()
        takes_back = self._f8 is not None and self._f8[0] is F8.TAKE_BACK
        hint = "".join(hints("{take_back} takes it back", self)) if takes_back else ""
        self.entry_list.show_entries(self.outbox.entries[-SHOWN_ENTRIES:], hint)
        self._offers = keys = self._draft_keys()
        now, key = self.session.clock.now(), key_of(self, "new_animal")
        self.form.show_foot(*keys.foot(self.outbox.drafts, self.session.glyphs, now, key))
        self.show_notices()
        self._show_status()

    def on_entry_list_counted_down(self) -> None:
        """Show what F8 does from now on, and once it is no longer too late for it."""
        self.changed()
        self.set_timer(TOO_LATE, self.changed)

    def _draft_keys(self) -> DraftKeys:
        """Return what F3 and F4 do now."""
        return DraftKeys.of(self.form.draft, self.outbox.drafts)

    def _show_status(self) -> None:
        """Show why entries are not sent, and how many animals were added."""
        reason = self.delay_reason
        self.status_line.texts = ((self.session.glyphs.line(reason), "notice"),) if reason else ()
        self.status_line.keys = self.short_keys()
        added = (
            f"added this session: {self.session.receipt.count}"
            if self.session.receipt.count
            else ""
        )
        self.form.show_beside_title(added)
        self.status_line.counts = () if self.form.has_room_for_remark else (added,)

    def cut_sections(self) -> list[Section]:
        """Return the full texts that are cut, of fields and entries too; no refusal twice."""
        entries = self.entry_list.cut_sections()
        if (named := self._named_in_banner) is not None and self.error_banner.cut_sections():
            entries = [section for section in entries if section != whole_of(named)]
        return [*super().cut_sections(), *self.form.cut_sections(), *entries]

    def action_scroll_entries(self, pages: int) -> None:
        """Scroll the newest entries."""
        rows = pages * self._entries.size.height
        self._entries.scroll_relative(y=rows, animate=False, immediate=True)

    # The categories beside the form

    @property
    def _lists_categories(self) -> bool:
        """Whether there is room for them, and names."""
        return self.app.size.width >= LISTED_FROM and self.form.categories.has_names

    def _place_categories(self) -> None:
        """Show them where there is room, and names."""
        is_shown = self._lists_categories
        self.form.category_input.is_listed = is_shown
        self.set_class(is_shown, "-with-categories")

    def _show_categories(self) -> None:
        """Show those that match what is typed."""
        field = self.form.category_input
        if field.is_listed:
            self.category_list.show(field.matching, field.number)

    def on_row_table_opened(self) -> None:
        """Take the category that was clicked."""
        field, clicked = self.form.category_input, self.category_list.highlighted
        if clicked is not None:
            self.set_focus(field)
            field.put(str(clicked))

    # The draft

    def on_pet_form_changed(self) -> None:
        """Save what is typed, and warn of a duplicate."""
        self._show_categories()
        if self.asking is not None and self.asking.draft != self.form.draft:
            self._ask(None)
        self._start_saving()
        self._offers = self._draft_keys()

    def _start_saving(self) -> None:
        self._saving = self.run_worker(self.save_draft, group="draft")

    async def save_draft(self) -> None:
        """Save what is typed; the outbox tries again what failed, of which the banner tells."""
        if self._saves:
            dismissed = self._dismissed
            with suppress(OutboxError):  # which the drafts know
                await self.outbox.drafts.keep(self._dated(self.form.draft))
            self._show_unsaved(is_news=dismissed == self._dismissed)

    def _dated(self, draft: Draft) -> Draft:
        """Return a draft with the time of its last change."""
        now = self.session.clock.now().timestamp()
        return draft if draft.typed_at else replace(draft, typed_at=now)

    def _show_unsaved(self, *, is_news: bool) -> None:
        """Show why a draft is not saved, if that is news, and no more once it is.

        It is tried again and again, and must not take the place of what a key was answered with.
        """
        failure, shown = self.outbox.drafts.failure, self.error_banner.failure
        is_answer = shown is not None and shown == self._not_added
        if failure is not None and is_news and not is_answer:
            self._not_saved = Failure("Draft not saved", str(failure), hint="")
            self.error_banner.show(self._not_saved)
        elif failure is None and shown is not None and shown == self._not_saved:
            self.error_banner.close()
            self._show_refused()

    def _show_draft(self) -> None:
        """Put the draft into the form, and go on in the field that was refused, or in the name."""
        self.asking = None
        drafts = self.outbox.drafts
        came_back = drafts.draft.is_copy or drafts.origin is Origin.TAKEN_BACK
        self.form.show(drafts.draft, self._refused_of(drafts.draft), came_back=came_back)
        self._show_categories()
        self.key_prompt.focus_later(self.form.begin())

    def _refused_of(self, draft: Draft) -> Entry | None:
        """Return the refused entry that a draft corrects; None if it corrects none."""
        original = self._refused.original_of(draft)
        return original if original and original.state is EntryState.REFUSED else None

    @contextmanager
    def _moving(self, problem: str) -> Iterator[None]:
        """Save nothing while a draft leaves the form or comes back; show why that failed."""
        self._saves = False
        try:
            with self.error_banner.showing_why(problem):
                yield
        finally:
            self._saves = True
        self._start_saving()  # what came meanwhile

    async def _go_on_after(self, move: Callable[[], Awaitable[object]], problem: str) -> None:
        """Save what is typed, and go on with the draft that a move of another one leaves.

        Args:
            move: moves drafts and entries; it raises OutboxError.
            problem: the title for why it failed.
        """
        self._ask(None)
        await self.save_draft()
        with self._moving(problem):
            await move()
            self._show_draft()

    async def action_new_animal(self) -> None:
        """Put what is typed aside, or bring back what was put aside: the newest, then the next."""

        async def turn() -> None:
            drafts = self.outbox.drafts
            if drafts.draft.is_typed and not drafts.is_brought_back:
                await drafts.put_aside_for()
            else:
                await drafts.bring_back()

        await self._go_on_after(turn, "Can't put it aside")
        await self._open_lines()

    def words_for(self, binding_id: str) -> str:
        """Return what F3, F4, F5, F8 and Esc do now."""
        if binding_id == "refresh" and self._refused_in_banner is None:
            return "Try now"
        if binding_id == "close" and self.error_banner.failure is not None:
            return "Close the banner"
        if binding_id == "clear":
            return "Bring back" if self._draft_keys().can_restore else ""
        if binding_id == "new_animal":
            return self._draft_keys().new_animal_word(self.outbox.drafts)
        return self.take_back_word if binding_id == "take_back" else ""

    async def action_clear(self) -> None:
        """Empty the form, or restore what was cleared."""
        self._ask(None)
        if self._draft_keys().can_restore:
            self.outbox.drafts.restore()
            self._show_draft()
            self._start_saving()
            await self._open_lines()
            return
        self._clear_problem()
        with self._moving("Draft not cleared on disk"):
            empty = Draft.first(self.session.settings.profile.status)
            await self.outbox.drafts.clear(self.form.draft, empty)
        self._show_draft()
        if self._draft_keys().can_restore:
            self.show_remark("".join(hints("cleared: {clear} brings it back", self)))

    def go_on(self, *, is_from_outbox: bool) -> None:
        """Go on with the draft that another screen chose."""
        self._is_from_outbox = is_from_outbox
        self._clear_problem()
        self._show_draft()

    async def action_outbox(self) -> None:
        """Open the outbox; an entry to be edited there comes into the form."""
        self._ask(None)
        await self.save_draft()
        await self.app.push_screen(OutboxScreen(self.session))

    async def action_close(self) -> None:
        """Close the banner, the question, or the form; what is typed is put aside."""
        if not self.dismiss_banner():
            await self._close_question_or_form()

    async def _close_question_or_form(self) -> None:
        if self.asking is not None:
            self._ask(None)
            return
        await self.save_draft()
        self._saves = False
        at = self.form.draft.copy_of
        self.outbox.drafts.leave()
        if self._is_from_outbox:
            self.app.switch_screen(OutboxScreen(self.session, at))
        else:
            self.dismiss()

    # Adding

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether an animal can be added, which no key of the prompt for an API key does."""
        if action == "add" and self.key_prompt.is_open:
            return False
        if action == "add_anyway":
            return self.asking is not None and not self.key_prompt.is_open
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str | None:
        """Return why nothing is put aside, brought back or sent, too."""
        if action == "refresh":
            has_any = self._refused_in_banner is not None or self.outbox.waiting
            return None if has_any else "nothing waits to be sent"
        if action != "new_animal":
            return super().why_not(action)
        draft = self.form.draft
        is_there = draft.is_typed or draft.is_copy or self.outbox.drafts.put_aside
        return None if is_there else "nothing is typed yet"

    async def action_add(self, opens_added: bool) -> None:
        """Add the animal to the outbox, or ask first; open it once the service has it."""
        if self.form.submit():
            await self._add_or_ask(opens_added=opens_added)

    async def action_add_anyway(self) -> None:
        """Add the animal that was asked about, unless there is another question."""
        if (asked := self.asking) is None:
            return
        if asked.question is Question.CATEGORY:
            self.session.accepted_categories.add(int(asked.about))
        self._ask(None)
        answered = asked.answered | {asked.question}
        await self._add_or_ask(opens_added=asked.opens_added, answered=answered)

    async def _add_or_ask(
        self, *, opens_added: bool, answered: frozenset[Question] = frozenset()
    ) -> None:
        question = self._doubts.ask(
            self.form.draft, self.asking, opens_added=opens_added, answered=answered
        )
        if question is None:
            await self._add(opens_added=opens_added)
            return
        self._ask(question)
        if question.question is Question.CATEGORY:
            self.form.replace_category()
        elif question.question is Question.SEVERAL:
            await self._review_several(*(several_of(question.about) or (1, question.about)))
        else:
            self.form.go_to_name()

    async def _add(self, *, opens_added: bool) -> None:
        """Add what is typed, and make room for the next animal."""
        draft = self.form.draft
        name = trimmed_name(draft.name)
        category, status = self.form.categories.number_of(draft.category), draft.status or None
        self._clear_problem()  # not later: that a key is missing may be told before this goes on
        self._saves = False  # what is saved after its add would come back beside the entry
        try:
            entry = await self.outbox.add(name, category, status, copy_of=draft.copy_of)
        except OutboxError as error:
            if self._saving is not None:  # its failure must not replace this one
                await self._saving.wait()
            self._not_added = Failure("Not added", str(error), hint="{add_and_next} Retry")
            self.error_banner.show(self._not_added)
            return
        finally:
            self._saves = True
        self.session.remember_name(name)
        if opens_added:
            self._opened_id = entry.entry_id
        self.form.make_room()
        self._entries.scroll_home(animate=False)

    def on_entry_changed(self, message: EntryChanged) -> None:
        """Show the entry as it is now."""
        entry = message.entry
        if not self.entry_list.is_attached:
            return  # it is closing
        self.form.refused = self._refused_of(self.form.draft)
        self.form.check()
        self.show_key_refusal()
        if entry.state is EntryState.ADDED and entry.entry_id == self._opened_id:
            self._open(entry)

    def _open(self, entry: Entry) -> None:
        """Open an animal that was just added, unless the clerk types the next by then."""
        self._opened_id = ""
        if self.is_on_top and not self.form.draft.name and not self.key_prompt.is_open:
            now = self.session.clock.now()
            self.app.push_screen(
                PetDetailScreen(self.session, (added_pet(entry),), 0, now, f"the {FORM}")
            )

    async def on_paste(self, event: events.Paste) -> None:
        """Show several animals that were pasted into the name for review, or why not."""
        from pettui.tui.transfer.paste_reading import is_several

        event.stop()
        if is_several(event.text, self.form.categories.names):
            await self._review(event.text, None)

    async def _review(
        self, text: str, options: ReadingOptions | None = None, *, is_draft: bool = False
    ) -> None:
        """Show several animals for review, or ask what their columns are before, or say why not.

        Args:
            text: what was pasted.
            options: what was said of its columns; None: nothing yet.
            is_draft: it was left out of another paste.
        """
        from pettui.transfer.files import TransferError
        from pettui.transfer.survey import UnmappedError
        from pettui.tui.form.line_boxes import PastedPetsScreen
        from pettui.tui.transfer.paste_reading import FormValues, TooManyLinesError, pasted_pets
        from pettui.tui.transfer.pasted_lines import PastedLines

        draft, categories = self.form.draft, self.form.categories

        def read(category: int | None) -> list[ImportLine]:
            return pasted_pets(text, FormValues(category, draft.status), categories.names, options)

        try:
            lines = read(categories.number_in(draft.category))
        except UnmappedError as error:
            await self._ask_columns(text, error.survey, is_draft=is_draft)
            return
        except (TooManyLinesError, TransferError) as error:
            self.error_banner.show_problem("Not pasted", str(error))
            return

        shown = PastedLines(self.session.glyphs, lines, categories, self._doubts.known, text=text)
        box = PastedPetsScreen(self.session, shown, read, is_draft=is_draft)
        await self.app.push_screen(box, self._reviewed)

    async def _review_several(self, count: int, name: str) -> None:
        """Show as many animals of one name as were asked for."""
        from pettui.tui.form.line_boxes import PastedPetsScreen
        from pettui.tui.transfer.pasted_lines import PastedLines

        draft, categories = self.form.draft, self.form.categories
        status = PetStatus(draft.status) if draft.status else None
        category = categories.number_of(draft.category)
        pet = NewPet(name=name, category_id=category, status=status)
        lines: list[ImportLine] = [GoodLine(Position(line + 1), pet) for line in range(count)]
        shown = PastedLines(
            self.session.glyphs, lines, categories, self._doubts.known, are_alike=True
        )
        box = PastedPetsScreen(self.session, shown, lambda _: lines)
        await self.app.push_screen(box, self._reviewed)

    def _reviewed(self, done: str | None) -> None:
        """Say what became of the lines, and go on with what was typed before, if they were not."""
        if done is not None and self.asking is not None:  # as many of one name as were typed
            self.session.remember_name(trimmed_name(self.form.draft.name))
            self._ask(None)
            self.form.make_room()
        elif done is not None and self.form.draft.lines:
            self._show_draft()
        self.show_remark(done or "")
        self.changed()

    async def _open_lines(self) -> None:
        """Show the lines that came into the form in their box, read as they were before."""
        from pettui.tui.transfer.pasted_lines import LEFT_OUT

        if lines := self.outbox.drafts.draft.lines:
            await self._review(lines, LEFT_OUT if "\t" in lines else None, is_draft=True)

    async def _ask_columns(self, text: str, survey: Survey, *, is_draft: bool) -> None:
        from pettui.transfer.lines import survey_text
        from pettui.tui.transfer.mapping_box import MappingScreen

        def read_again(options: ReadingOptions) -> Survey:
            return survey_text(text, self.form.categories.names, options)

        box = MappingScreen(self.session, "Pasted columns", survey, read_again)

        async def review(meaning: str | None) -> None:
            if meaning is not None:
                await self._review(text, box.options, is_draft=is_draft)

        await self.app.push_screen(box, review)

    # The line below a field

    def _ask(self, asking: Asking | None) -> None:
        """Ask something, or nothing any more, and show what the fields say then."""
        self.asking = asking
        self.form.check()

    def _doubt_of(self, draft: Draft) -> tuple[str, str]:
        """Return the question, or a warning if the animal already exists, or may, and its field."""
        if self.asking is None:
            return self._doubts.warning(draft), "name"
        question = self.asking.question
        return question.text(key_of(self, "add_anyway"), self.asking.about), question.field

    async def before_key(self, event: events.Key | events.Paste) -> bool:
        """Let no key answer that was typed before the question was asked.

        Nor does one close a banner that came after it: it closes what it was meant for. What is
        typed on behind a name that may be a double is the next animal's, typed fast or slowly;
        whoever moves in the name edits it. After any other key, what was cleared stays so: F4 comes
        by habit, too.
        """
        bound = self.active_bindings.get(event.key) if isinstance(event, events.Key) else None
        if self.outbox.drafts.has_cleared and (bound is None or bound.binding.id != "clear"):
            self.outbox.drafts.forget_cleared()
            self._offers = self._draft_keys()
        banner = self.error_banner
        if banner.failure is not None and is_too_early(self, event, "close", banner.came_at):
            if not banner.has_replaced:
                await self._close_question_or_form()
            return False
        if self.asking is None or self.key_prompt.is_open:
            return True
        name = self.form.name_input
        if isinstance(event, events.Key) and not name.check_consume_key(event.key, event.character):
            return not is_too_early(self, event, "add_anyway", self.asking.at)
        is_edited = self.asking.question is Question.SEVERAL  # esc went back for that
        if name.has_focus and name.cursor_at_end and not is_edited:
            kind = self._dated(self.form.next_of_the_kind)
            move = partial(self.outbox.drafts.put_aside_for, kind)
            await self._go_on_after(move, "Can't put it aside")
        return True

    # Refused entries: the banner names one, and F8 brings a copy of it

    def _show_refused(self) -> None:
        banner = self.error_banner
        banner.failure = self._refused.in_place_of(banner.failure, self.form.draft)

    def dismiss_banner(self) -> bool:
        """Close the banner, and show what it hid; return whether it was open."""
        if self._named_in_banner is not None:
            self._refused.dismiss()
        failure = self.error_banner.failure
        self._dismissed += failure is not None and failure == self._not_saved
        is_closed = super().dismiss_banner()
        self._show_refused()
        return is_closed

    @property
    def _named_in_banner(self) -> Entry | None:
        """The refused or unknown entry that the banner names."""
        return self._refused.named_in(self.error_banner.failure)

    @property
    def _refused_in_banner(self) -> Entry | None:
        """The entry that the banner names, if it is a refused one."""
        named = self._named_in_banner
        return named if named is not None and named.state is EntryState.REFUSED else None

    def _clear_problem(self) -> None:
        """Close the banner, unless it names an entry."""
        if self._named_in_banner is None:
            self.error_banner.close()

    # F8

    @property
    def _f8(self) -> tuple[F8, Entry] | None:
        """What F8 does now, and with which entry."""
        return self._take_back_target.now(self.outbox.entries, self._refused_in_banner)

    @property
    def take_back_word(self) -> str:
        """What F8 does, in a word or two."""
        if self._f8 is None or self._is_corrected_now:
            return ""
        return actions.CORRECT if self._f8[0] is F8.CORRECT else actions.TAKE_BACK.label

    @property
    def _is_corrected_now(self) -> bool:
        """Whether F8 would bring what stands in the form already."""
        f8, draft = self._f8, self.form.draft
        return f8 is not None and f8[0] is F8.CORRECT and f8[1].entry_id == draft.copy_of

    def explain(self, action: str) -> bool:
        """Say that the copy of a refused entry is in the form; its banner stays."""
        if action == "take_back" and self._is_corrected_now:
            self.show_remark(ALREADY_HERE)
            return True
        return super().explain(action)

    async def action_take_back(self) -> None:
        """Bring an entry that waits back into the form, or a copy of a refused one.

        What is typed is put aside.
        """
        if self._f8 is None:
            return
        does, entry = self._f8
        if does is F8.TOO_LATE:
            self._ask(None)
            self.error_banner.show_problem(NOT_TAKEN_BACK, too_late_text(entry))
            return
        is_copied = does is F8.CORRECT
        move = self.outbox.copy if is_copied else self.outbox.take_back
        problem = "Can't correct it" if is_copied else NOT_TAKEN_BACK
        await self._go_on_after(partial(move, entry.entry_id), problem)

    async def action_refresh(self) -> None:
        """Send the refused entry in the banner again or, without one, all waiting entries now."""
        if (refused := self._refused_in_banner) is None:
            self.send_now()
            return
        if self.form.draft.is_copy and self.form.draft.copy_of == refused.entry_id:
            self.outbox.drafts.leave()
            self._show_draft()
        with self.error_banner.showing_why("Can't send it again"):
            await self.outbox.send_again(refused.entry_id)


async def open_form(
    app: App[Any],
    session: UserSession,
    known: Sequence[Pet],
    *,
    knows_all: bool,
    is_empty: bool,
) -> None:
    """Open the form; it is ready for the next key when this returns.

    A form that is open below the topmost screen is used again; if that is the outbox, Esc goes back
    there.

    Args:
        app: where.
        session: whose form it is.
        known: animals among which duplicates are looked for.
        knows_all: no others are there.
        is_empty: put aside what is typed there; else the form shows the draft.
    """
    form = _open_form(app)
    if is_empty:
        if form is not None:
            await form.save_draft()
        session.outbox.drafts.leave()
        begin_day(session)
    if form is None:
        await app.push_screen(PetCreateScreen(session, known, knows_all=knows_all))
        return
    is_from_outbox = isinstance(app.screen, OutboxScreen)
    while app.screen is not form:
        app.pop_screen()
    form.go_on(is_from_outbox=is_from_outbox)


def _open_form(app: App[Any]) -> PetCreateScreen | None:
    return next((each for each in app.screen_stack if isinstance(each, PetCreateScreen)), None)


async def open_form_like(screen: Screen[Any], known: Sequence[Pet], *, knows_all: bool) -> None:
    """Open the form with the category and status of the animal on the screen.

    What is typed there is put aside. A status unknown to this version is left unset.

    Args:
        screen: where the animal is shown; those there are known, too.
        known: animals among which duplicates are looked for.
        knows_all: no others are there.
    """
    if not isinstance(screen, PetDetailScreen) or (pet := screen.target) is None:
        return
    status = pet.status if pet.status in [*PetStatus] else None
    now = screen.session.clock.now().timestamp()
    draft = Draft("", str(pet.category_id), status or "", is_kept=True, typed_at=now)
    if (form := _open_form(screen.app)) is not None:
        await form.save_draft()
    try:
        await screen.session.outbox.drafts.put_aside_for(draft)
    except OutboxError as error:
        screen.error_banner.show_problem(f"Can't open the {FORM}", str(error))
        return
    known = (*known, *screen.known)
    await open_form(screen.app, screen.session, known, knows_all=knows_all, is_empty=False)
