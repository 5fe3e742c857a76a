"""FormDraft: the contents of the form, saved as they are typed."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from pettui.outbox import Draft, EntryState, OutboxError
from pettui.tui.lists.duplicates import Duplicates
from pettui.tui.wording import Failure, perhaps_added_text, time_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.worker import Worker

    from pettui.models import NewPet, Pet
    from pettui.outbox import Entry
    from pettui.tui.screens.entries_screen import EntriesScreen
    from pettui.tui.widgets.pet_form import PetForm

_NOT_SAVED: Final = "Draft not saved"


class FormDraft:
    """Nothing that is typed is lost, however the form is closed."""

    def __init__(self, screen: EntriesScreen[None], form: PetForm, known: Sequence[Pet]) -> None:
        """Save nothing yet.

        Args:
            screen: shows the form.
            form: holds what is typed.
            known: animals to look for duplicates among.
        """
        self._screen = screen
        self._form = form
        self._duplicates = Duplicates(known, form.categories.number_of)
        self._saving: Worker[None] | None = None  # the newest
        self._taking = asyncio.Lock()  # a refused entry into the form
        self._is_moving = False  # an entry is leaving the form, or coming back into it
        self._is_closed = False  # by its key; another form may be open by now
        self._question = ""  # raw; what the form asks before it does what a key wants
        self._left_at = 0.0  # when what the form opened on was typed; 0: it is not from before

    @property
    def age_text(self) -> str:
        """Since when an older draft stands in the form; "" if it is new."""
        if not self._left_at or not self._form.draft.is_typed:
            return ""
        now = self._screen.session.clock.now()
        at = datetime.fromtimestamp(self._left_at, now.tzinfo)
        return f"draft of {time_text(at, now, with_seconds=False)}"

    def load(self) -> None:
        """Put the current draft of the outbox into the form."""
        self._form.draft = draft = self._screen.outbox.drafts.draft
        self._left_at = draft.typed_at if draft.is_typed else 0.0
        self._show_warning()

    def show(self) -> None:
        """Put the draft into the form, and focus its name."""
        self.load()
        self._screen.focus_later(self._form.name_input)
        self._screen.show_entries()

    def changed(self) -> None:
        """Save what is typed, and warn of a duplicate."""
        self._show_warning()
        self._saving = self._screen.run_worker(self.save, group="draft")

    def _show_warning(self) -> None:
        """Show the question, or warn if the animal already exists, or may exist."""
        draft = self._form.draft
        text = ""
        if self._question:
            text = self._question
        elif (pet_id := self._duplicates.id_of(draft)) is not None:
            text = f"{pet_id} already has this name and category"
        elif name := self.perhaps_added(draft):
            text = perhaps_added_text(name)
        if text:
            self._form.show_hint("name", text, is_error=False)

    def ask(self, question: str) -> None:
        """Show a question below the name, in place of warnings; "" for none."""
        self._question = question
        self._form.check()
        self._show_warning()

    def perhaps_added(self, draft: Draft) -> str:
        """Return the raw name of an unknown animal that this would be once more; "" for none.

        It was made of that one, even if it was edited since, or it has the same name and category.
        """
        if not draft.name.strip():
            return ""
        entries = self._screen.outbox.entries
        if draft.copy_of:
            names = (entry.name for entry in entries if entry.key == draft.copy_of)
            return next(names, draft.name)
        try:
            category = self._form.categories.number_of(draft.category)
        except ValueError:
            return ""
        return draft.name if self.is_unknown(draft.name, category) else ""

    def is_unknown(self, name: str, category_id: int) -> bool:
        """Whether an animal of this name and category may have been added."""
        return any(
            (entry.name, entry.category_id) == (name, category_id)
            for entry in self._screen.outbox.entries
            if entry.state is EntryState.UNKNOWN
        )

    def entry_added(self, entry: Entry) -> None:
        """Remember an animal that was added."""
        self._duplicates.add(entry)
        self._show_warning()

    def is_known(self, pet: NewPet) -> bool:
        """Whether an animal of this name and category is known."""
        return self._duplicates.has(pet.name, pet.category_id)

    async def save(self) -> None:
        """Save the draft, or show why that failed."""
        if self._is_moving:
            return  # an entry that comes back is on disk already
        if not await self.take_refused():
            return
        try:
            await self._screen.outbox.drafts.keep(self._dated())
        except OutboxError as error:
            self._screen.show_problem(_NOT_SAVED, str(error))
            return
        failure = self._screen.error_banner.failure
        if failure is not None and failure.title == _NOT_SAVED:
            self._screen.clear_failure()

    def _dated(self) -> Draft:
        """Return the contents of the form, with the time of their last change."""
        draft, kept = self._form.draft, self._screen.outbox.drafts.draft
        is_same = draft == kept and kept.typed_at
        now = self._screen.session.clock.now().timestamp()
        return replace(draft, typed_at=kept.typed_at if is_same else now)

    async def take_refused(self) -> bool:
        """Take a refused entry that is edited in the form out of the outbox; False if that failed.

        What is typed meanwhile is in the form, and is saved next.
        """
        async with self._taking:
            shown = self._form.shown
            if shown is None or not shown.is_edited:
                return True
            with self.moving():
                try:
                    await self._screen.outbox.take_out(shown.key)
                except OutboxError as error:
                    self._form.begin_next()
                    self._screen.show_problem("Can't edit it", str(error))
                    return False
                self._form.shown = None
        return True

    async def close(self) -> None:
        """Save the draft for the next form; if it is empty, that gets the draft put aside."""
        self._is_closed = True
        drafts = self._screen.outbox.drafts
        if self._form.draft.is_typed or not drafts.put_aside:
            await self.save()
            return
        with suppress(OutboxError):  # nothing that was typed is lost by it
            await drafts.drop()

    async def save_on_unmount(self) -> None:
        """Save the last keys too, if the app ends while the form is open."""
        if not self._is_closed and not self._is_moving:
            with suppress(OutboxError):  # there is no screen left to show it
                if (shown := self._form.shown) is not None and shown.is_edited:
                    await self._screen.outbox.take_out(shown.key)
                await self._screen.outbox.drafts.keep(self._dated())

    @contextmanager
    def moving(self) -> Iterator[None]:
        """Save nothing while an entry leaves the form or comes back into it.

        A draft saved after its add would come back beside the entry.
        """
        self._is_moving = True
        try:
            yield
        finally:
            self._is_moving = False

    async def add(self) -> Entry | None:
        """Add what is typed to the outbox; return None if that failed."""
        draft = self._form.draft
        category, status = self._form.categories.number_of(draft.category), draft.status or None
        try:
            return await self._screen.outbox.add(
                draft.name, category, status, was_draft=True, copy_of=draft.copy_of
            )
        except OutboxError as error:
            if self._saving is not None:  # its failure must not replace this one
                await self._saving.wait()
            self._screen.show_failure(Failure("Not added", str(error), hint="{add_and_next} Retry"))
            return None

    async def take_back(self) -> None:
        """Bring the newest unsent entry back into the form.

        An unfinished draft is put aside, and comes back once the entry is added or cleared.
        """
        await self.save()
        with self.moving():
            try:
                entry = await self._screen.outbox.take_back()
            except OutboxError as error:
                self._screen.show_problem("Can't take it back", str(error))
                return
            if entry is not None:
                self.show()
        if entry is None:
            self._screen.action_explain_too_late()

    async def put_aside(self, following: Draft) -> None:
        """Go on with another draft; what is typed comes back after it."""
        await self.save()
        with self.moving():
            try:
                await self._screen.outbox.drafts.begin(following)
            except OutboxError as error:
                self._screen.show_problem("Can't put it aside", str(error))
                return
            self.show()

    def next_of_the_same_kind(self) -> Draft:
        """Return an empty draft that keeps category and status, as an add does."""
        draft = self._form.draft
        category = str(self._form.categories.number_of(draft.category))
        return Draft("", category, draft.status, is_kept=True)

    async def clear(self) -> None:
        """Empty the form; a draft that was put aside comes back."""
        with self.moving():
            self._form.draft = Draft()
            try:
                await self._screen.outbox.drafts.drop()
            except OutboxError as error:
                self._screen.show_problem("Draft not cleared on disk", str(error))
            self.show()
