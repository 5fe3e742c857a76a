"""PetCreateScreen: Enter adds an animal to the outbox and makes room for the next."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.containers import VerticalScroll

from pettui import actions
from pettui.outbox import Draft, Entry, EntryState
from pettui.tui.keys import bindings, hints, key_of
from pettui.tui.screens.adding.added_pet import AddedPet
from pettui.tui.screens.adding.form_draft import FormDraft
from pettui.tui.screens.adding.refused_entry import RefusedEntry
from pettui.tui.screens.entries_screen import EntriesScreen
from pettui.tui.screens.outbox import OutboxScreen
from pettui.tui.widgets.entry_table import EntryList
from pettui.tui.widgets.panel import Panel
from pettui.tui.widgets.pet_form import PetForm
from pettui.tui.wording import double_question, drop_question, put_aside_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from pettui.models import Pet
    from pettui.tui.runs import Section
    from pettui.tui.user_session import EntryChanged, UserSession

SHOWN_ENTRIES = 100  # the newest
# Each for more and for less room.
IS_SHOWN = (
    "{next_field} corrects it, typing begins the next animal",
    "{next_field} corrects it, or type the next",
)
NEW_ANIMAL = ("{new_animal} New animal", "{new_animal} New")


@dataclass(frozen=True, slots=True)
class _Question:
    """What the form asks, in the line below the name, before it does what a key wants."""

    answer: str  # name of the action whose key says yes
    draft: Draft  # that it is about: once that is edited, nothing is asked any more
    at: float  # monotonic seconds; a key that was typed before does not answer
    opens_added: bool = False  # the animal was to be added and opened


class PetCreateScreen(EntriesScreen[None]):
    """The form for a new animal, above the newest entries."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_CREATE,
        take_back=("take_back", "explain_too_late"),
        new_animal=("new_animal", "explain_nothing_typed"),
        entries_page_up="scroll_entries(-1)",
        entries_page_down="scroll_entries(1)",
    )

    def __init__(self, session: UserSession, known: Sequence[Pet]) -> None:
        super().__init__(session)
        self._question: _Question | None = None
        self._offers = False, False  # whether anything is typed, and whether a refused one is shown
        self._is_from_outbox = False  # Esc goes there
        self.form = PetForm(session.glyphs, "Add an animal", session.categories)
        goes_in = session.outbox.goes_in
        self.entry_list = EntryList(session.glyphs, goes_in, self.form.categories.label)
        self._entries = VerticalScroll(self.entry_list, can_focus=False)
        self.draft = FormDraft(self, self.form, known)
        self.refused = RefusedEntry(self, self.form, self.draft)
        self.added_pet = AddedPet(self, self.form)

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
        self.draft.load()
        self.set_focus(self.form.name_input)
        self.show_entries()
        self.show_key_refusal()

    async def on_unmount(self) -> None:
        """Save the last keys too."""
        await self.draft.save_on_unmount()

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
        self.refresh_bindings()

    def _show_foot(self) -> None:
        """Show what stands in the form unless it was just typed, and what comes back after it."""
        heads: tuple[str, ...] = ("",)
        if self.form.shown is not None and not self.form.shown.is_edited:
            heads = IS_SHOWN
        elif age := self.draft.age_text:
            heads = tuple(f"{age} {self.session.glyphs.dot} {new}" for new in NEW_ANIMAL)
        found = [hints(head, self) for head in heads]
        self.form.show_foot(
            *(
                f" {self.session.glyphs.dot} ".join(filter(None, (*keys, after)))
                for after in put_aside_texts(self.outbox.drafts.put_aside)
                for keys in found
            )
        )

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

    async def on_pet_form_changed(self) -> None:
        """Save the draft."""
        self.refused.typed()
        if self._question is not None and self._question.draft != self.form.draft:
            self._withdraw_question()
        if self.form.shown is not None and self.form.shown.is_edited:
            await self.refused.edit()
        self.draft.changed()
        offers = self.form.draft.is_typed, self.form.shown is not None
        if offers != self._offers:  # each costs more than the key that was typed
            self._offers = offers
            self._show_foot()
            self.refresh_bindings()

    async def on_paste(self, event: events.Paste) -> None:
        """Show several animals that were pasted into the name for review."""
        from pettui.tui.screens.adding.pasted_pets import show_pasted

        event.stop()
        await show_pasted(self, self.form, self.draft, event.text)

    def on_entry_changed(self, message: EntryChanged) -> None:
        """Show the entry as it is now."""
        entry = message.entry
        if entry.state is EntryState.ADDED:
            self.draft.entry_added(entry)
            self.added_pet.entry_added(entry)
        self.show_entries()
        self.show_key_refusal()
        self.refused.entry_changed(entry)

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
        if not await self.refused.edit() or self.form.check_all() is not None:
            return
        self.refused.typed()
        if self.draft.perhaps_added(self.form.draft):
            self._ask("add_anyway", opens_added=opens_added)
        else:
            await self._add(opens_added=opens_added)

    async def _add(self, *, opens_added: bool) -> None:
        entry = await self._moved_to_outbox()
        if opens_added:
            self.added_pet.wait_for(entry)

    async def _moved_to_outbox(self) -> Entry | None:
        with self.draft.moving():
            entry = await self.draft.add()
            if entry is not None and self.refused.key is None:
                self.clear_failure()
            if entry is not None and self.outbox.drafts.draft.is_typed:
                self.draft.show()  # the draft that was put aside
                if self.form.check() is None and self.draft.perhaps_added(self.form.draft):
                    self._ask("add_anyway")  # what is typed next is not meant for it either
                return entry
        if entry is not None:
            self.form.clear_name()
            self._entries.scroll_home(animate=False)
            self._show_foot()
        return entry

    async def action_take_back(self) -> None:
        """Bring the newest unsent entry back into the form."""
        self._withdraw_question()
        await self.draft.take_back()

    async def action_new_animal(self) -> None:
        """Put what is typed aside; a refused animal that is only shown stays in the outbox."""
        self._withdraw_question()
        self.form.begin_next()
        self.refused.typed()
        if self.form.draft.is_typed:
            await self.draft.put_aside(Draft())
        self.focus_later(self.form.name_input)

    def action_explain_nothing_typed(self) -> None:
        """Show why nothing is put aside."""
        self.show_message("nothing is typed yet")

    async def action_next_field(self) -> None:
        """Focus the refused field of an animal that is shown, or else the next field."""
        was_shown = self.form.shown is not None and not self.is_key_prompt_open
        if was_shown and (not await self.refused.edit() or self.form.focus_refused()):
            return
        self.app.action_focus_next()

    async def action_previous_field(self) -> None:
        """Focus the field before."""
        if self.is_key_prompt_open or await self.refused.edit():
            self.app.action_focus_previous()

    def action_scroll_entries(self, pages: int) -> None:
        """Scroll the newest entries."""
        rows = pages * self._entries.size.height
        self._entries.scroll_relative(y=rows, animate=False, immediate=True)

    async def action_outbox(self) -> None:
        """Open the outbox; an entry to be edited there comes back into the form."""
        self._withdraw_question()
        await self.draft.save()
        await self.app.push_screen(OutboxScreen(self.session))

    def go_on(self, *, is_from_outbox: bool) -> None:
        """Go on with the draft that another screen chose."""
        self._is_from_outbox = is_from_outbox
        self.refused.forget()
        self.clear_failure()
        self.draft.show()

    async def action_clear(self) -> None:
        """Empty the form; a draft that was put aside comes back. A refused one is asked about."""
        self.refused.typed()
        if self.form.draft.is_refused and not self._is_asking("clear"):
            self._ask("clear")
            return
        self._withdraw_question()
        self.refused.forget()
        self.clear_failure()
        await self.draft.clear()

    async def action_refresh(self) -> None:
        """Send the refused entry in the banner again."""
        await self.refused.send_again()

    async def action_close(self) -> None:
        """Close the banner, the question, or the form; its draft stays for the next time."""
        if self.dismiss_banner():
            self.refused.forget()
        elif self._question is not None:
            self._withdraw_question()
        else:
            await self.draft.close()
            if self._is_from_outbox:
                at = self.form.draft.copy_of
                self.app.switch_screen(OutboxScreen(self.session, at))
            else:
                self.dismiss()

    # Questions in the line below the name

    def _is_asking(self, answer: str) -> bool:
        return self._question is not None and self._question.answer == answer

    def _ask(self, answer: str, *, opens_added: bool = False) -> None:
        before, at = self._question, monotonic()
        if before is not None and before.answer == answer:
            at = before.at  # Enter was pressed again
        self._question = _Question(answer, self.form.draft, at, opens_added)
        key, draft = key_of(self, answer), self.form.draft
        self.draft.ask(
            double_question(key, self.draft.perhaps_added(draft))
            if answer == "add_anyway"
            else drop_question(key, draft.name)
        )
        self.refresh_bindings()

    def _withdraw_question(self) -> None:
        if self._question is not None:
            self._question = None
            self.draft.ask("")
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
            active = self.active_bindings.get(event.key)
            is_answer = active is not None and active.binding.id == self._question.answer
            return not is_answer or event.time > self._question.at
        if self._is_asking("add_anyway") and name.has_focus and name.cursor_at_end:
            self._withdraw_question()
            await self.draft.put_aside(self.draft.next_of_the_same_kind())
        return True
