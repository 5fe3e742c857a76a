"""PetCreateScreen: Enter hands an animal to the outbox and goes on to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pettui import actions
from pettui.outbox.entries import Draft, Entry, EntryState, OutboxError
from pettui.tui.categories import category_of
from pettui.tui.keys.bindings import bindings
from pettui.tui.screens.mending_screen import MendingScreen
from pettui.tui.screens.outbox import OutboxScreen
from pettui.tui.screens.pet_detail import PetDetailScreen
from pettui.tui.wording.entry_texts import pet_of, why_not_taken_back
from pettui.tui.wording.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from pettui.models import Pet
    from pettui.tui.messages import EntryChanged
    from pettui.tui.user_session import UserSession


class PetCreateScreen(MendingScreen):
    """What the keys do with the form, and what becomes of its animals."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_CREATE,
        take_back=("take_back", "tell_too_late"),
        next_field="app.focus_next",
        previous_field="app.focus_previous",
        commands="app.commands",
        help="app.help",
    )

    def __init__(self, session: UserSession, known: Sequence[Pet]) -> None:
        super().__init__(session, known)
        self._to_open: str | None = None  # key of the entry whose animal is to be opened

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to take back only where something can be; Enter in the key prompt is its own."""
        if action in ("add_and_next", "add_and_open") and self.is_asking_for_key:
            return False
        if action in ("take_back", "tell_too_late"):
            can_be = any(entry.waits_here for entry in self.outbox.entries)
            return can_be == (action == "take_back")
        return super().check_action(action, parameters)

    def on_entry_changed(self, message: EntryChanged) -> None:
        """Open an animal that was added to be opened; Textual calls the base's handler too."""
        entry = message.entry
        if entry.state is EntryState.ADDED:
            self.twins.add(entry)
            self.point_out_twin()
            if entry.key == self._to_open:
                self._open(entry)

    def _open(self, entry: Entry) -> None:
        """Open the animal, unless the next is being typed, or a key: they would go astray."""
        self._to_open = None
        if self.is_on_top and not self.form.draft.name and not self.is_asking_for_key:
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
        with self.moving_drafts():
            entry = await self._hand_over(self.form.draft)
            if entry is not None and self.refused is None:
                self.clear_failure()
            if entry is not None and self.outbox.draft.is_typed:
                self.show_draft()  # what was put aside for it
                return entry
        if entry is not None:
            self.form.clear_name()
        return entry

    async def _hand_over(self, draft: Draft) -> Entry | None:
        category, status = category_of(draft.category), draft.status or None
        try:
            return await self.outbox.add(draft.name, category, status, was_draft=True)
        except OutboxError as error:
            await self.draft_is_told_of()
            self.show_failure(Failure("Not taken", str(error), hint="{add_and_next} Try again"))
            return None

    async def action_take_back(self) -> None:
        """Bring the newest entry that did not go out yet back into the form.

        What is half typed there is put aside, and comes back once the entry is added or cleared.
        """
        await self.keep_draft()
        with self.moving_drafts():
            try:
                entry = await self.outbox.take_back()
            except OutboxError as error:
                self.tell("Not taken back", str(error))
                return
            if entry is not None:
                self.show_draft()
        if entry is None:
            self.action_tell_too_late()

    def action_tell_too_late(self) -> None:
        """Say why nothing can be taken back."""
        mine = [entry for entry in self.outbox.entries if not entry.elsewhere]
        self.tell("Not taken back", why_not_taken_back(mine[-1] if mine else None))

    async def action_outbox(self) -> None:
        """Show all entries; one that is taken out there stands in the form here."""

        def take(mended: bool | None) -> None:
            if mended:
                self.refused = None
                self.clear_failure()
                self.show_draft()

        await self.keep_draft()
        await self.app.push_screen(OutboxScreen(self.session), take)

    async def action_clear(self) -> None:
        """Empty the form, for good; what was put aside comes back."""
        self.touch()
        self.clear_failure()
        with self.moving_drafts():
            self.form.draft = Draft()
            try:
                await self.outbox.drafts.drop()
            except OutboxError as error:
                self.tell("Not cleared on the disk", str(error))
            self.show_draft()

    async def action_refresh(self) -> None:
        """Send the refused entry that the strip tells of again."""
        key, self.refused = self.refused, None
        self.clear_failure()
        if key is None or not self.is_refused(key):
            self.outbox.resume()
            return
        try:
            await self.outbox.send_again(key)
        except OutboxError as error:
            self.tell("Not sent again", str(error))

    async def action_close(self) -> None:
        """Put the error away, or leave; the draft stays for the next time."""
        if self.put_strip_away():
            self.refused = None
        else:
            self.is_left = True
            await self.keep_draft()
            self.dismiss()
