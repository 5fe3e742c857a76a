"""AddedPet: opens the animal that F2 added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.tui.screens.pet_detail import PetDetailScreen
from pettui.tui.wording import pet_of

if TYPE_CHECKING:
    from pettui.outbox import Entry
    from pettui.tui.screens.entries_screen import EntriesScreen
    from pettui.tui.widgets.pet_form import PetForm


class AddedPet:
    """Opens the animal once it is added, unless the clerk is typing by then."""

    def __init__(self, screen: EntriesScreen[None], form: PetForm) -> None:
        self._screen = screen
        self._form = form
        self._key: str | None = None  # of its entry

    def wait_for(self, entry: Entry | None) -> None:
        """Open the animal of this entry, and no other."""
        self._key = entry.key if entry is not None else None

    def entry_added(self, entry: Entry) -> None:
        """Open it, unless a name or an API key is being typed: its keys would go astray."""
        if entry.key != self._key:
            return
        self._key = None
        screen = self._screen
        if screen.is_on_top and not self._form.draft.name and not screen.is_key_prompt_open:
            now = screen.session.clock.now()
            screen.app.push_screen(
                PetDetailScreen(screen.session, (pet_of(entry),), 0, now, "the form")
            )
