"""MendingScreen: a form into which a refused animal comes back, to be mended."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pettui.outbox.entries import Entry, EntryState, OutboxError
from pettui.tui.screens.form_screen import FormScreen
from pettui.tui.wording.entry_texts import refusal_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.worker import Worker

    from pettui.models import Pet
    from pettui.tui.messages import EntryChanged
    from pettui.tui.user_session import UserSession

REST = 0.5  # seconds without a key, after which a refused animal comes back into the form


class MendingScreen(FormScreen):
    """A refusal stands on the strip; its animal in the form, once nothing else is typed there."""

    def __init__(self, session: UserSession, known: Sequence[Pet]) -> None:
        super().__init__(session, known)
        self._touched_at = 0.0  # when something was typed last, in seconds of the loop's clock
        self.refused: str | None = None  # key of the entry that the strip tells of
        self._returning: Worker[None] | None = None  # brings the newest refused one back

    def touch(self) -> None:
        """Note that somebody types."""
        self._touched_at = asyncio.get_running_loop().time()

    def on_pet_form_changed(self) -> None:
        """Note that somebody types; Textual calls the base's handler too."""
        self.touch()

    def on_entry_changed(self, message: EntryChanged) -> None:
        """Show what became of an entry; a refused one comes back to be mended."""
        entry = message.entry
        self.show_entries()
        self.tell_of_key()
        if self.refused is not None and not self.is_refused(self.refused):
            self.refused = None  # sent again in the outbox, say
            self.clear_failure()
            self.tell_of_key()
        if self.is_refused(entry.key) and not entry.elsewhere:
            self._returning = self.run_worker(partial(self._bring_back, entry), group="entries")

    def is_refused(self, key: str) -> bool:
        """Whether an entry is refused still: what was sent again since may have been added."""
        entries = self.outbox.entries
        return any(e.key == key and e.state is EntryState.REFUSED for e in entries)

    async def _bring_back(self, entry: Entry) -> None:
        """Tell of a refused entry, and put it back into the form unless the next is typed there."""
        failure = refusal_of(entry)
        message = f"{entry.name}: {failure.message}"
        self.refused = entry.key
        self.show_failure(
            replace(failure, message=message, hint="{refresh} Send again  {outbox} Mend")
        )
        await self._keys_rest()
        async with self.session.key_order.between(self):
            if not self._stands_as_after(entry) or not await self._take_out(entry):
                return
        self.refused = None
        self.show_failure(replace(failure, hint="{add_and_next} Add again"))
        if failure.field is not None:
            self.form.say(failure.field, failure.message)
            self.form.focus_field(failure.field)

    async def _keys_rest(self) -> None:
        """Wait until nothing was typed for a while: who types looks at the next animal, or key."""
        clock = asyncio.get_running_loop().time
        while (  # noqa: ASYNC110 - keys move it
            seconds := self._touched_at + REST - clock()
        ) > 0 or self.is_asking_for_key:
            await asyncio.sleep(seconds if seconds > 0 else REST)

    def _stands_as_after(self, entry: Entry) -> bool:
        """Whether nobody typed anything since an entry left the form."""
        is_free = not self.form.draft.is_typed and not self.is_asking_for_key
        return is_free and self.is_refused(entry.key) and self.is_on_top

    async def _take_out(self, entry: Entry) -> bool:
        with self.moving_drafts():
            try:
                await self.outbox.take_out(entry.key)
            except OutboxError as error:
                self.tell("Not taken out", str(error))
                return False
            self.show_draft()
        return True
