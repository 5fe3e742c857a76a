"""RefusedEntry: shows a refused entry in the banner, and brings it back into the form."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pettui.outbox import Entry, EntryState, OutboxError
from pettui.tui.wording.entry_texts import refusal_of

if TYPE_CHECKING:
    from textual.worker import Worker

    from pettui.tui.screens.adding.form_draft import FormDraft
    from pettui.tui.screens.entries_screen import EntriesScreen
    from pettui.tui.widgets.form.pet_form import PetForm

IDLE = 0.5  # seconds without a key until a refused animal comes back into the form


class RefusedEntry:
    """The newest refused entry, which comes back once the form is empty and no key is pressed."""

    def __init__(self, screen: EntriesScreen[None], form: PetForm, draft: FormDraft) -> None:
        self.key: str | None = None  # of the entry in the banner
        self._screen = screen
        self._form = form
        self._draft = draft
        self._typed_at = 0.0  # of the last key, in seconds of the loop's clock
        self._returning: Worker[None] | None = None  # the newest one

    def typed(self) -> None:
        """Restart the wait for idle keys."""
        self._typed_at = asyncio.get_running_loop().time()

    def forget(self) -> None:
        """Forget the entry in the banner."""
        self.key = None

    def entry_changed(self, entry: Entry) -> None:
        """Show an entry that was refused, and no longer one that was sent again."""
        if self.key is not None and not self._is_refused(self.key):
            self.key = None
            self._screen.clear_failure()
            self._screen.show_key_refusal()
        if self._is_refused(entry.key) and not entry.owned_elsewhere:
            work = partial(self._bring_back, entry)
            self._returning = self._screen.run_worker(work, group="entries")

    async def send_again(self) -> None:
        """Send the refused entry again unchanged or, without one, all waiting entries now."""
        key, self.key = self.key, None
        self._screen.clear_failure()
        if key is None or not self._is_refused(key):
            self._screen.outbox.delivery.resume()
            return
        try:
            await self._screen.outbox.send_again(key)
        except OutboxError as error:
            self._screen.show_problem("Can't send it again", str(error))

    def _is_refused(self, key: str) -> bool:
        """Whether an entry is still refused, and was not sent again since."""
        entries = self._screen.outbox.entries
        return any(e.key == key and e.state is EntryState.REFUSED for e in entries)

    async def _bring_back(self, entry: Entry) -> None:
        """Show a refused entry, and put it back into the form unless another is typed there."""
        failure = refusal_of(entry)
        message = f"{entry.name}: {failure.message}"
        self.key = entry.key
        self._screen.show_failure(
            replace(failure, message=message, hint="{refresh} Send again  {outbox} Edit")
        )
        await self._keys_idle()
        async with self._screen.session.key_queue.between(self._screen):
            if not self._is_form_free_for(entry) or not await self._take_out(entry):
                return
        self.key = None
        self._screen.show_failure(replace(failure, hint="{add_and_next} Add again"))
        if failure.field is not None:
            self._form.show_hint(failure.field, failure.message)
            self._form.focus_field(failure.field)

    async def _keys_idle(self) -> None:
        """Wait until no key was pressed for a while, and no API key is being typed."""
        clock = asyncio.get_running_loop().time
        while (  # noqa: ASYNC110 - each key extends the wait
            seconds := self._typed_at + IDLE - clock()
        ) > 0 or self._screen.key_change.is_open:
            await asyncio.sleep(seconds if seconds > 0 else IDLE)

    def _is_form_free_for(self, entry: Entry) -> bool:
        """Whether the form is empty and gets the keys, and the entry is still refused."""
        is_free = not self._form.draft.is_typed and not self._screen.key_change.is_open
        return is_free and self._is_refused(entry.key) and self._screen.is_on_top

    async def _take_out(self, entry: Entry) -> bool:
        with self._draft.moving():
            try:
                await self._screen.outbox.take_out(entry.key)
            except OutboxError as error:
                self._screen.show_problem("Can't edit it", str(error))
                return False
            self._draft.show()
        return True
