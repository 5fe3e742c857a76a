"""EntrySearch: an unknown entry is looked for in the list, and what is said of it after that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.client import PetClientError
from pettui.outbox import OutboxError
from pettui.tui.keys.available_actions import key_of

if TYPE_CHECKING:
    from pettui.client import Notice
    from pettui.outbox import Entry
    from pettui.tui.screens.entries_screen import EntriesScreen


class EntrySearch:
    """One entry at a time; where the list is not answered it is looked for again by F5."""

    def __init__(self, screen: EntriesScreen[bool]) -> None:
        self.remark = ""  # raw; what came of it
        self.in_vain: str | None = None  # key of the entry that the remark says was not found
        self.notices: tuple[Notice, ...] = ()  # of the list
        self._screen = screen
        self._unanswered: Entry | None = None

    def look_for(self, entry: Entry) -> None:
        """Look for an entry in the background."""
        self._screen.request.send(self._load, entry)

    def retry(self) -> None:
        """Look again where the list was not answered."""
        if self._unanswered is not None:
            self.look_for(self._unanswered)

    def give_up(self) -> None:
        """Look for nothing again."""
        self._unanswered = None

    def forget_result(self) -> None:
        """Say no more what came of it."""
        self.remark, self.in_vain = "", None

    async def _load(self, entry: Entry) -> None:
        screen = self._screen
        self._unanswered = entry
        try:
            with screen.request.waiting(f"looking for {entry.label} in the list"):
                pet = await screen.outbox.look_for(entry.key, on_wait=screen.request.count_down)
        except PetClientError as error:
            self.notices = error.notices or self.notices
            screen.show_failure(error)
            screen.show_entries()
            return
        except OutboxError as error:
            screen.tell("Not looked for", str(error))
            return
        self._unanswered = None
        screen.session.is_key_refused = False
        screen.clear_failure()
        screen.show_entries()  # what can be done about it now
        key = key_of(screen, "send_again")
        sends = f": {key} sends it again" if key else ""
        self.remark = (
            f"{entry.label} is not among the newest 100{sends}"
            if pet is None
            else f"{entry.label} was added, with id {pet.id}"
        )
        self.in_vain = entry.key if pet is None else None
        screen.show_entries()
