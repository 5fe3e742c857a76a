"""EntrySearch: looks for an unknown entry in the list, and says what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.client import PetClientError
from pettui.outbox import OutboxError
from pettui.tui.keys import key_of

if TYPE_CHECKING:
    from pettui.client import Notice
    from pettui.outbox import Entry
    from pettui.tui.screens.entries_screen import EntriesScreen


class EntrySearch:
    """Looks for one entry at a time; after a failure F5 looks again."""

    def __init__(self, screen: EntriesScreen[None]) -> None:
        self.remark = ""  # raw; the result
        self.not_found_key: str | None = None  # key of the entry that was not found
        self.notices: tuple[Notice, ...] = ()  # of the list's response
        self._screen = screen
        self._failed: Entry | None = None

    def look_for(self, entry: Entry) -> None:
        """Look for an entry in the background."""
        self._screen.start_request(self._load, entry)

    def retry(self) -> None:
        """Look again if the list could not be loaded."""
        if self._failed is not None:
            self.look_for(self._failed)

    def give_up(self) -> None:
        """Do not look again."""
        self._failed = None

    def forget_result(self) -> None:
        """Clear the result."""
        self.remark, self.not_found_key = "", None

    async def _load(self, entry: Entry) -> None:
        screen = self._screen
        self._failed = entry
        try:
            with screen.busy(f"looking for {entry.label} in the list"):
                pet = await screen.outbox.look_for(entry.key, on_wait=screen.count_down)
        except PetClientError as error:
            self.notices = error.notices or self.notices
            screen.show_failure(error)
            screen.show_entries()
            return
        except OutboxError as error:
            screen.show_problem("Can't look for it", str(error))
            return
        self._failed = None
        screen.session.is_key_refused = False
        screen.clear_failure()
        screen.show_entries()  # the keys may be others now
        key = key_of(screen, "send_again")
        sends = f": {key} sends it again" if key else ""
        self.remark = (
            f"{entry.label} is not among the newest 100{sends}"
            if pet is None
            else f"{entry.label} was added, with id {pet.id}"
        )
        self.not_found_key = entry.key if pet is None else None
        screen.show_entries()
