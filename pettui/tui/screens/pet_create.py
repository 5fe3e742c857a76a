"""PetCreateScreen: Enter hands an animal to the outbox and goes on to the next."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from pettui.outbox.entries import Draft, Entry, EntryState, OutboxError
from pettui.tui.entry_facts import pet_of, refusal_of
from pettui.tui.screens.form_screen import FormScreen
from pettui.tui.screens.outbox import OutboxScreen
from pettui.tui.screens.pet_detail import PetDetailScreen
from pettui.tui.widgets.error_strip import Failure
from pettui.tui.widgets.pet_form import category_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.models import Pet
    from pettui.tui.messages import EntryChanged
    from pettui.tui.session import Session

REST = 0.5  # seconds without a key, after which a refused animal comes back into the form


class PetCreateScreen(FormScreen):
    """What the keys do with the form, and what becomes of its animals."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # Priority, so that a field never sees it, and each Enter takes just what was typed before.
        Binding("enter", "add_and_next", "Add and next", priority=True, id="add_and_next"),
        Binding("f2", "add_and_open", "Add and open", id="add_and_open"),
        Binding("f8", "take_back", "Take back", id="take_back"),
        Binding("f4", "clear", "Clear", id="clear"),
        Binding("f9", "outbox", "Outbox", id="outbox"),
        Binding("f5", "refresh", "Send again", show=False, id="refresh"),
        Binding("down", "app.focus_next", "Next field", show=False, id="next_field"),
        Binding("up", "app.focus_previous", "Field before", show=False, id="previous_field"),
        Binding("escape", "close", "Close", id="close"),
        Binding("colon", "app.commands", "Commands", show=False, id="commands"),
        Binding("f1,question_mark", "app.help", "Help", id="help"),
    ]

    def __init__(self, session: Session, known: Sequence[Pet]) -> None:
        super().__init__(session, known)
        self._to_open: str | None = None  # key of the entry whose animal is to be opened
        self._refused: str | None = None  # key of the entry that the strip tells of

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to take back only where something can be; Enter in the key prompt is its own."""
        if action in ("add_and_next", "add_and_open") and self.query("KeyPrompt"):
            return False
        if action == "take_back":
            return any(e.state is EntryState.WAITING for e in self.session.outbox.entries)
        return super().check_action(action, parameters)

    def on_entry_changed(self, message: EntryChanged) -> None:
        """Show what became of an entry; a refused one comes back to be mended."""
        entry = message.entry
        self.show_entries()
        self.tell_of_key()
        if entry.state is EntryState.REFUSED and entry in self.session.outbox.entries:
            self.run_worker(self._bring_back(entry), group="entries")
        elif entry.state is EntryState.ADDED:
            self.twins.add(entry)
            if entry.key == self._to_open:
                self._open(entry)

    async def _bring_back(self, entry: Entry) -> None:
        """Tell of a refused entry, and put it back into the form unless the next is typed there."""
        failure = refusal_of(entry)
        message = f"{entry.name}: {failure.message}"
        self._refused = entry.key
        self.show_failure(
            replace(failure, message=message, hint="{refresh} Send again  {outbox} Mend")
        )
        await self._keys_rest()
        async with self.session.key_order.between(self):
            if not self._stands_as_after(entry) or not await self._take_out(entry):
                return
        self._refused = None
        self.show_failure(replace(failure, hint="{add_and_next} Add again"))
        if failure.field is not None:
            self.form.say(failure.field, failure.message)
            self.form.focus_field(failure.field)

    async def _keys_rest(self) -> None:
        """Wait until nothing was typed for a while: who types looks at the next animal."""
        clock = asyncio.get_running_loop().time
        while (seconds := self.touched_at + REST - clock()) > 0:  # noqa: ASYNC110 - keys move it
            await asyncio.sleep(seconds)

    def _stands_as_after(self, entry: Entry) -> bool:
        """Say whether the form is as an entry left it: its name gone, the rest kept."""
        draft, kept = self.form.draft, entry.draft()
        is_there = any(other.key == entry.key for other in self.session.outbox.entries)
        is_as_after = not draft.name and draft.status == kept.status
        return is_there and is_as_after and self.is_on_top

    async def _take_out(self, entry: Entry) -> bool:
        try:
            await self.session.outbox.take_out(entry.key)
        except OutboxError as error:
            self.tell("Not taken out", str(error))
            return False
        self.form.draft = self.session.outbox.draft
        self.show_entries()
        return True

    def _open(self, entry: Entry) -> None:
        """Open the animal, unless the next is being typed: its keys would go astray."""
        self._to_open = None
        if self.is_on_top and not self.form.draft.name:
            now = self.session.clock.now()
            self.app.push_screen(
                PetDetailScreen(self.session, (pet_of(entry),), 0, now, "the form")
            )

    # Keys

    async def action_add_and_next(self) -> None:
        """Hand the animal to the outbox, and make room for the next."""
        await self._add()

    async def action_add_and_open(self) -> None:
        """Hand it over likewise, and open the animal when it is there."""
        entry = await self._add()
        self._to_open = entry.key if entry else None

    async def _add(self) -> Entry | None:
        if self.form.check_all() is not None:
            return None
        self.touch()
        draft = self.form.draft
        try:
            entry = await self.session.outbox.add(
                draft.name, category_of(draft.category), draft.status or None
            )
        except OutboxError as error:
            await self.draft_is_told_of()
            self.show_failure(Failure("Not taken", str(error), hint="{add_and_next} Try again"))
            return None
        if self._refused is None:
            self.clear_failure()
        self.form.clear_name()
        return entry

    async def action_take_back(self) -> None:
        """Bring the newest entry that did not go out yet back into the form."""
        entry = await self._guarded_take_back()
        if entry is not None:
            self.form.draft = self.session.outbox.draft
            self.set_focus(self.form.name_input)
            self.show_entries()

    async def _guarded_take_back(self) -> Entry | None:
        if self.form.draft.name:
            self.tell("Not taken back", "the form holds another animal: add or clear it")
            return None
        try:
            return await self.session.outbox.take_back()
        except OutboxError as error:
            self.tell("Not taken back", str(error))
            return None

    async def action_outbox(self) -> None:
        """Show all entries; one that is taken out there stands in the form here."""

        def take(mended: bool | None) -> None:
            if mended:
                self._refused = None
                self.clear_failure()
                self.form.draft = self.session.outbox.draft

        await self.keep_draft()
        await self.app.push_screen(OutboxScreen(self.session), take)

    def action_clear(self) -> None:
        """Empty the form."""
        self.form.draft = Draft()
        self.clear_failure()
        self.set_focus(self.form.name_input)
        self.on_pet_form_changed()

    async def action_refresh(self) -> None:
        """Send the refused entry that the strip tells of again."""
        key, self._refused = self._refused, None
        self.clear_failure()
        if key is None:
            self.session.outbox.resume()
            return
        try:
            await self.session.outbox.send_again(key)
        except OutboxError as error:
            self.tell("Not sent again", str(error))

    async def action_close(self) -> None:
        """Put the error away, or leave; the draft stays for the next time."""
        if self.strip.failure is not None:
            self._refused = None
            self.clear_failure()
        else:
            self.is_left = True
            await self.keep_draft()
            self.dismiss()
