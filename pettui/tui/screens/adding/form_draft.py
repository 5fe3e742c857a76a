"""FormDraft: what stands in the form, kept for good as it is typed."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from pettui.outbox import Draft, OutboxError
from pettui.tui.lists.duplicates import Duplicates
from pettui.tui.wording.entry_texts import perhaps_added_text, why_not_taken_back
from pettui.tui.wording.failures import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.worker import Worker

    from pettui.models import NewPet, Pet
    from pettui.outbox import Entry
    from pettui.tui.screens.entries_screen import EntriesScreen
    from pettui.tui.widgets.form.pet_form import PetForm


class FormDraft:
    """Nothing that is typed is lost, whatever ends the form."""

    def __init__(self, screen: EntriesScreen[None], form: PetForm, known: Sequence[Pet]) -> None:
        """Take what is typed from a form.

        Args:
            screen: where the form stands.
            form: of the screen.
            known: animals of which what is typed may be a duplicate.
        """
        self._screen = screen
        self._form = form
        self._duplicates = Duplicates(known, form.categories.number_of)
        self._keeping: Worker[None] | None = None  # of what was typed last
        self._is_moving = False  # an entry is on its way out of the form, or into it
        self._is_left = False  # closed by its key; another form may be open by now

    def load(self) -> None:
        """Put the draft that the outbox goes on with into the form."""
        self._form.draft = draft = self._screen.outbox.drafts.draft
        self._point_out()
        if draft.perhaps_added:
            self._keep_soon()  # its file is the entry's still, which does not say so

    def show(self) -> None:
        """Put the draft into the form, and the cursor into its name."""
        self.load()
        self._screen.key_change.focus_later(self._form.name_input)
        self._screen.show_entries()

    def changed(self) -> None:
        """Keep what stands in the form by now, and say what is to be said of it."""
        self._point_out()
        self._keep_soon()

    def _keep_soon(self) -> None:
        self._keeping = self._screen.run_worker(self.keep, group="draft")

    def _point_out(self) -> None:
        """Say where what is typed is there already, or may be."""
        draft = self._form.draft
        text = ""
        if (pet_id := self._duplicates.id_of(draft)) is not None:
            text = f"{pet_id} has this name and category already"
        elif draft.perhaps_added and draft.name.strip():
            text = perhaps_added_text(draft.perhaps_added)
        if text:
            self._form.say("name", text, is_error=False)

    def entry_added(self, entry: Entry) -> None:
        """Take note of an animal that is there now."""
        self._duplicates.add(entry)
        self._point_out()

    def is_there(self, pet: NewPet) -> bool:
        """Whether an animal of this name and category is known already."""
        return self._duplicates.has(pet.name, pet.category_id)

    async def keep(self) -> None:
        """Keep what stands in the form for good, or say why not."""
        if self._is_moving:
            return  # what comes into the form is kept already
        try:
            await self._screen.outbox.drafts.keep(self._form.draft)
        except OutboxError as error:
            self._screen.tell("The draft is not kept", str(error))

    async def leave(self) -> None:
        """Keep the draft, for another form to go on with.

        Where nothing is typed, that goes on with what was put aside.
        """
        self._is_left = True
        drafts = self._screen.outbox.drafts
        if self._form.draft.is_typed or not drafts.put_aside:
            await self.keep()
            return
        with suppress(OutboxError):  # nothing that was typed is lost by it
            await drafts.drop()

    async def keep_at_the_end(self) -> None:
        """Keep the last keys too, where the app ends with the form open."""
        if not self._is_left and not self._is_moving:
            with suppress(OutboxError):  # there is no screen to say it on
                await self._screen.outbox.drafts.keep(self._form.draft)

    @contextmanager
    def moving(self) -> Iterator[None]:
        """Keep nothing of the form while an entry comes out of it or into it, but its last state.

        What was typed before an add would be a draft beside its entry, if it were kept after it.
        """
        self._is_moving = True
        try:
            yield
        finally:
            self._is_moving = False

    async def add(self) -> Entry | None:
        """Hand what stands in the form to the outbox; None where that does not take it."""
        draft = self._form.draft
        category, status = self._form.categories.number_of(draft.category), draft.status or None
        try:
            return await self._screen.outbox.add(draft.name, category, status, was_draft=True)
        except OutboxError as error:
            if self._keeping is not None:  # what it says comes first: this is to stay
                await self._keeping.wait()
            self._screen.show_failure(
                Failure("Not taken", str(error), hint="{add_and_next} Try again")
            )
            return None

    async def take_back(self) -> None:
        """Bring the newest entry that did not go out yet back into the form.

        What is half typed is put aside, and comes back once the entry is added or cleared.
        """
        await self.keep()
        with self.moving():
            try:
                entry = await self._screen.outbox.take_back()
            except OutboxError as error:
                self._screen.tell("Not taken back", str(error))
                return
            if entry is not None:
                self.show()
        if entry is None:
            self.tell_too_late()

    def tell_too_late(self) -> None:
        """Say why nothing can be taken back."""
        mine = [entry for entry in self._screen.outbox.entries if not entry.owned_elsewhere]
        self._screen.tell("Not taken back", why_not_taken_back(mine[-1] if mine else None))

    async def clear(self) -> None:
        """Empty the form, for good; what was put aside comes back."""
        with self.moving():
            self._form.draft = Draft()
            try:
                await self._screen.outbox.drafts.drop()
            except OutboxError as error:
                self._screen.tell("Not cleared on the disk", str(error))
            self.show()
