"""PetCreateScreen: Enter hands an animal to the outbox and goes on to the next."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from textual.containers import VerticalScroll

from pettui import actions
from pettui.outbox import Entry, EntryState
from pettui.tui.keys.available_actions import hints
from pettui.tui.keys.bindings import bindings
from pettui.tui.screens.adding.added_pet import AddedPet
from pettui.tui.screens.adding.form_draft import FormDraft
from pettui.tui.screens.adding.refused_entry import RefusedEntry
from pettui.tui.screens.entries_screen import EntriesScreen
from pettui.tui.screens.outbox import OutboxScreen
from pettui.tui.widgets.entries.entry_list import EntryList
from pettui.tui.widgets.form.pet_form import PetForm
from pettui.tui.widgets.panel import Panel
from pettui.tui.wording.entry_texts import put_aside_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from pettui.models import Pet
    from pettui.tui.messages import EntryChanged
    from pettui.tui.user_session import UserSession
    from pettui.tui.wording.text_runs import Section

SHOWN_ENTRIES = 100  # the newest


class PetCreateScreen(EntriesScreen[None]):
    """The form of a new animal, over what became of those before."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_CREATE,
        take_back=("take_back", "tell_too_late"),
        next_field="app.focus_next",
        previous_field="app.focus_previous",
    )

    def __init__(self, session: UserSession, known: Sequence[Pet]) -> None:
        super().__init__(session)
        self.form = PetForm(session.look, "Add an animal", session.categories)
        goes_in = session.outbox.delivery.goes_in
        self.entry_list = EntryList(session.look, goes_in, self.form.categories.label)
        self.draft = FormDraft(self, self.form, known)
        self.refused = RefusedEntry(self, self.form, self.draft)
        self.to_open = AddedPet(self, self.form)

    def compose(self) -> ComposeResult:
        """Lay the screen out from top to bottom."""
        yield self.header
        yield self.strip
        yield self.notice_bar
        yield self.form
        entries = VerticalScroll(self.entry_list, can_focus=False)
        yield Panel(self.session.look, "Earlier", entries, id="earlier")
        yield self.status_line
        yield self.key_bar

    def on_mount(self) -> None:
        """Go on where the form was left."""
        self.draft.load()
        self.set_focus(self.form.name_input)
        self.show_entries()
        self.tell_of_key()

    async def on_unmount(self) -> None:
        """Keep the last keys too."""
        await self.draft.keep_at_the_end()

    def room_changed(self) -> None:
        """Say what is to be said where there is room for it now."""
        super().room_changed()
        self.form.room_changed()
        self.show_facts()

    def show_entries(self) -> None:
        """Show the entries, and what is to be said of them; nothing once the screen is gone."""
        if not self.entry_list.is_attached:
            return
        hint = "".join(hints("{take_back} takes it back", self))
        self.entry_list.show_entries(self.outbox.entries[-SHOWN_ENTRIES:], hint)
        self.form.show_foot(put_aside_text(self.outbox.drafts.put_aside))
        self.show_notices()
        self.show_facts()
        self.refresh_bindings()

    def show_facts(self) -> None:
        """Say what holds the entries up, and how many animals were added."""
        hold = self.held_up
        self.status_line.facts = ((self.session.look.line(hold), "notice"),) if hold else ()
        self.status_line.keys = self.short_keys()
        added = f"added this session: {self.session.added}" if self.session.added else ""
        self.form.show_remark(added)
        self.status_line.counts = () if self.form.has_room_for_remark else (added,)

    def cut_sections(self) -> list[Section]:
        """Return what is cut, what stands under the fields and of the entries included."""
        widgets = (self.form, self.entry_list)
        return [*super().cut_sections(), *chain(*(each.cut_sections() for each in widgets))]

    def on_pet_form_changed(self) -> None:
        """Keep the draft."""
        self.refused.typed()
        self.draft.changed()

    async def on_paste(self, event: events.Paste) -> None:
        """Show several animals that were pasted into the name, to be added at once."""
        from pettui.tui.screens.adding.pasted_pets import show_pasted

        event.stop()
        await show_pasted(self, self.form, self.draft, event.text)

    def on_entry_changed(self, message: EntryChanged) -> None:
        """Show what became of an entry."""
        entry = message.entry
        if entry.state is EntryState.ADDED:
            self.draft.entry_added(entry)
            self.to_open.entry_added(entry)
        self.show_entries()
        self.tell_of_key()
        self.refused.entry_changed(entry)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to take back only where something can be; Enter in the key prompt is its own."""
        if action in ("add_and_next", "add_and_open") and self.is_asking_for_key:
            return False
        if action in ("take_back", "tell_too_late"):
            can_be = any(entry.waits_here for entry in self.outbox.entries)
            return can_be == (action == "take_back")
        return super().check_action(action, parameters)

    async def action_add_and_next(self) -> None:
        """Hand the animal to the outbox, and make room for the next."""
        await self._add()

    async def action_add_and_open(self) -> None:
        """Hand it over likewise, and open the animal when it is there."""
        self.to_open.wait_for(await self._add())

    async def _add(self) -> Entry | None:
        if self.form.check_all() is not None:
            return None
        self.refused.typed()
        with self.draft.moving():
            entry = await self.draft.add()
            if entry is not None and self.refused.key is None:
                self.clear_failure()
            if entry is not None and self.outbox.drafts.draft.is_typed:
                self.draft.show()  # what was put aside for it
                return entry
        if entry is not None:
            self.form.clear_name()
        return entry

    async def action_take_back(self) -> None:
        """Bring the newest entry that did not go out back into the form."""
        await self.draft.take_back()

    def action_tell_too_late(self) -> None:
        """Say why not."""
        self.draft.tell_too_late()

    async def action_outbox(self) -> None:
        """Show all entries; one that is taken out there stands in the form here."""

        def go_on(is_edited: bool | None) -> None:
            if is_edited:
                self.refused.forget()
                self.clear_failure()
                self.draft.show()

        await self.draft.keep()
        await self.app.push_screen(OutboxScreen(self.session), go_on)

    async def action_clear(self) -> None:
        """Empty the form, for good; what was put aside comes back."""
        self.refused.typed()
        self.clear_failure()
        await self.draft.clear()

    async def action_refresh(self) -> None:
        """Send the refused entry that the strip tells of again."""
        await self.refused.send_again()

    async def action_close(self) -> None:
        """Put the error away, or leave; the draft stays for the next time."""
        if self.put_strip_away():
            self.refused.forget()
        else:
            await self.draft.leave()
            self.dismiss()
