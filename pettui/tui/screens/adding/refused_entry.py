"""RefusedEntry: the banner tells of it, and its animal comes back into the form to be edited."""

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

IDLE = 0.5  # seconds without a key, after which a refused animal comes back into the form


class RefusedEntry:
    """The newest one; its animal comes back once nothing else is typed in the form."""

    def __init__(self, screen: EntriesScreen[None], form: PetForm, draft: FormDraft) -> None:
        self.key: str | None = None  # of the entry that the banner tells of
        self._screen = screen
        self._form = form
        self._draft = draft
        self._typed_at = 0.0  # when something was typed last, in seconds of the loop's clock
        self._returning: Worker[None] | None = None  # brings the newest one back

    def typed(self) -> None:
        """Note that somebody types."""
        self._typed_at = asyncio.get_running_loop().time()

    def forget(self) -> None:
        """Tell of none any more."""
        self.key = None

    def entry_changed(self, entry: Entry) -> None:
        """Tell of an entry that was refused, and no more of one that was sent again."""
        if self.key is not None and not self._is_refused(self.key):
            self.key = None
            self._screen.clear_failure()
            self._screen.tell_of_key()
        if self._is_refused(entry.key) and not entry.owned_elsewhere:
            work = partial(self._bring_back, entry)
            self._returning = self._screen.run_worker(work, group="entries")

    async def send_again(self) -> None:
        """Send it again as it is; whatever else waits is sent where there is none."""
        key, self.key = self.key, None
        self._screen.clear_failure()
        if key is None or not self._is_refused(key):
            self._screen.outbox.delivery.resume()
            return
        try:
            await self._screen.outbox.send_again(key)
        except OutboxError as error:
            self._screen.tell("Not sent again", str(error))

    def _is_refused(self, key: str) -> bool:
        """Whether an entry is refused still: what was sent again since may have been added."""
        entries = self._screen.outbox.entries
        return any(e.key == key and e.state is EntryState.REFUSED for e in entries)

    async def _bring_back(self, entry: Entry) -> None:
        """Tell of a refused entry, and put it back into the form unless the next is typed there."""
        failure = refusal_of(entry)
        message = f"{entry.name}: {failure.message}"
        self.key = entry.key
        self._screen.show_failure(
            replace(failure, message=message, hint="{refresh} Send again  {outbox} Mend")
        )
        await self._keys_idle()
        async with self._screen.session.key_queue.between(self._screen):
            if not self._is_form_free_for(entry) or not await self._take_out(entry):
                return
        self.key = None
        self._screen.show_failure(replace(failure, hint="{add_and_next} Add again"))
        if failure.field is not None:
            self._form.say(failure.field, failure.message)
            self._form.focus_field(failure.field)

    async def _keys_idle(self) -> None:
        """Wait until nothing was typed for a while: who types looks at the next animal, or key."""
        clock = asyncio.get_running_loop().time
        while (  # noqa: ASYNC110 - keys move it
            seconds := self._typed_at + IDLE - clock()
        ) > 0 or self._screen.is_asking_for_key:
            await asyncio.sleep(seconds if seconds > 0 else IDLE)

    def _is_form_free_for(self, entry: Entry) -> bool:
        """Whether nobody typed anything since a refused entry left the form."""
        is_free = not self._form.draft.is_typed and not self._screen.is_asking_for_key
        return is_free and self._is_refused(entry.key) and self._screen.is_on_top

    async def _take_out(self, entry: Entry) -> bool:
        with self._draft.moving():
            try:
                await self._screen.outbox.take_out(entry.key)
            except OutboxError as error:
                self._screen.tell("Not taken out", str(error))
                return False
            self._draft.show()
        return True
