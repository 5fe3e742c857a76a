"""RefusedEntry: shows a refused entry in the banner, and in the form if nothing is typed there."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pettui.outbox import Entry, EntryState, OutboxError
from pettui.tui.wording import refusal_of

if TYPE_CHECKING:
    from textual.worker import Worker

    from pettui.tui.screens.adding.form_draft import FormDraft
    from pettui.tui.screens.entries_screen import EntriesScreen
    from pettui.tui.widgets.pet_form import PetForm
    from pettui.tui.wording import Failure

IDLE = 0.5  # seconds without a key until a refused animal is shown in the form
WAITS = "{refresh} Send again  {outbox} Edit"
IS_SHOWN = "{next_field} Correct  {add_and_next} Add again"
IS_EDITED = "{add_and_next} Add again"


class RefusedEntry:
    """The newest refused entry. It stays in the outbox until it is edited."""

    def __init__(self, screen: EntriesScreen[None], form: PetForm, draft: FormDraft) -> None:
        self.key: str | None = None  # of the entry in the banner
        self._failure: Failure | None = None  # of that entry, without hints
        self._banner: Failure | None = None  # what was shown of it last
        self._hint = ""  # in the banner
        self._name = ""  # raw
        self._screen = screen
        self._form = form
        self._draft = draft
        self._typed_at = 0.0  # of the last key, in seconds of the loop's clock
        self._returning: Worker[None] | None = None  # the newest one

    def typed(self) -> None:
        """Restart the wait for idle keys, and show what became of the refused entry by the keys."""
        self._typed_at = asyncio.get_running_loop().time()
        if self.key is not None and self._hint == IS_SHOWN and self._form.shown is None:
            self._show(WAITS)

    def forget(self) -> None:
        """Forget the entry in the banner."""
        self.key = None

    def entry_changed(self, entry: Entry) -> None:
        """Show an entry that was refused, and no longer one that was sent again."""
        if (shown := self._form.shown) and not shown.is_edited and not self._is_refused(shown.key):
            self._form.begin_next()
        if self.key is not None and not self._is_refused(self.key):
            self.key = None
            self._screen.clear_failure()
            self._screen.show_key_refusal()
        if self._is_refused(entry.key) and not entry.owned_elsewhere:
            work = partial(self._bring_back, entry)
            self._returning = self._screen.run_worker(work, group="entries")

    async def edit(self) -> bool:
        """Take the refused entry that is shown out of the outbox; False if that failed."""
        shown = self._form.shown
        if shown is None:
            return True
        self._form.edit_refused()
        if self.key == shown.key:
            self.key = None  # the banner stays, beside what it is about
            self._show(IS_EDITED)
        is_taken = await self._draft.take_refused()
        self._screen.show_entries()
        return is_taken

    async def send_again(self) -> None:
        """Send the refused entry in the banner again or, without one, all waiting entries now."""
        is_in_banner = self._screen.error_banner.failure is self._banner
        key, self.key = self.key if is_in_banner else None, None
        self._screen.clear_failure()
        if key is None or not self._is_refused(key):
            self._screen.outbox.sending.resume()
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
        """Show a refused entry in the banner and, unless another is typed there, in the form."""
        failure = refusal_of(entry)
        self.key, self._name, self._failure = entry.key, entry.name, failure
        self._show(WAITS)
        while True:
            await self._keys_idle()
            key_queue = self._screen.session.key_queue
            async with key_queue.between(self._screen):
                if not self._is_form_free_for(entry):
                    return
                if not key_queue.waiting:  # they were typed without having seen it
                    self._form.show_refused(entry, failure.field, failure.message)
                    break
        if self.key == entry.key:
            self._show(IS_SHOWN)
        self._screen.show_entries()

    def _show(self, hint: str) -> None:
        """Show the banner, with the name of an animal that does not stand in the form."""
        if self._failure is None:
            return
        self._hint = hint
        message = self._failure.message
        if hint == WAITS:
            message = f"{self._name}: {message}"
        self._banner = replace(self._failure, message=message, hint=hint)
        self._screen.show_failure(self._banner)

    async def _keys_idle(self) -> None:
        """Wait until no key was pressed for a while, and no API key is being typed."""
        clock = asyncio.get_running_loop().time
        while (  # noqa: ASYNC110 - each key extends the wait
            seconds := self._typed_at + IDLE - clock()
        ) > 0 or self._screen.is_key_prompt_open:
            await asyncio.sleep(seconds if seconds > 0 else IDLE)

    def _is_form_free_for(self, entry: Entry) -> bool:
        """Whether the empty name gets the keys, and the entry is still refused."""
        form, focused = self._form, self._screen.focused
        is_free = form.shown is None and not form.draft.is_typed
        is_in_name = focused is None or focused is form.name_input  # None: another window has it
        is_asked = self._screen.is_on_top and not self._screen.is_key_prompt_open
        return is_free and is_in_name and is_asked and self._is_refused(entry.key)
