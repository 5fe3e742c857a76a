"""EntriesScreen: a screen on the outbox, which says what holds it up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from pettui.tui.keys.available_actions import key_of
from pettui.tui.screens.store_screen import StoreScreen
from pettui.tui.wording.entry_texts import held_up, key_refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.client import Notice
    from pettui.outbox import Outbox

Result = TypeVar("Result")


class EntriesScreen(StoreScreen[Result], Generic[Result]):
    """Entries that wait may wait for the service, for the disk, or for another key."""

    @property
    def outbox(self) -> Outbox:
        """Give the session's outbox."""
        return self.session.outbox

    @property
    def held_up(self) -> str:
        """Say what holds the entries up, in one raw line; "" where nothing does."""
        return held_up(self.outbox, key_of(self, "refresh"))

    def show_entries(self) -> None:
        """Show the entries, and what is to be said of them all; for the screens to fill."""

    def on_outbox_changed(self) -> None:
        """Say what is wrong with the outbox as a whole, or no more."""
        self.show_entries()

    def show_notices(self, more: Iterable[Notice] = ()) -> None:
        """Show what is to be said of the outbox as a whole, and further notices."""
        notices = (*self.outbox.delivery.notices, *more)
        self.notice_bar.give((*self.warnings, *self.outbox.problems), notices)

    def tell_of_key(self) -> None:
        """Say on the strip that what waits needs another key, unless something stands there."""
        refusal = key_refusal(self.outbox)
        if refusal is not None and self.strip.failure is None:
            self.show_failure(refusal)

    async def action_receipt(self) -> None:
        """Show what was added in this session."""
        from pettui.tui.screens.receipt import ReceiptScreen

        await self.app.push_screen(ReceiptScreen(self.session))

    def put_strip_away(self) -> bool:
        """Take the strip away, and tell what it hid; gives whether it was there."""
        failure = self.strip.failure
        if failure is None:
            return False
        self.clear_failure()
        if not failure.is_unauthorized:
            self.tell_of_key()
        return True
