"""IdLine: a prompt line for the id of an animal to go to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pettui.rows import id_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from pettui.models import Pet
    from pettui.tui.screens.browsing.open_line import OpenLine
    from pettui.tui.screens.pet_list import PetListScreen
    from pettui.tui.widgets.prompt import PromptLine

INT64 = range(-(2**63), 2**63)


def typed_id(text: str) -> int | None:
    """Return the id that was typed; None if it is not an int64."""
    match = re.fullmatch(r"\s*#?\s*([+-]?)0*([0-9]{1,19})\s*", text, re.ASCII)
    if match is None:
        return None
    pet_id = int(match[1] + match[2])
    return pet_id if pet_id in INT64 else None


class IdLine:
    """Moves the cursor to the animal if its row is shown, and opens it otherwise."""

    def __init__(
        self,
        screen: PetListScreen,
        open_line: OpenLine,
        open_pet: Callable[[int, Pet | None], Coroutine[Any, Any, None]],
    ) -> None:
        """Keep what the line needs.

        Args:
            screen: has the rows.
            open_line: opens the line.
            open_pet: opens an animal by its id, and what is known of it.
        """
        self._screen = screen
        self._open_line = open_line
        self._open_pet = open_pet
        self._line: PromptLine | None = None

    async def open(self) -> None:
        """Open the line."""
        from pettui.tui.widgets.prompt import PromptLine

        self._line = PromptLine(
            self._screen.session.glyphs,
            "#",
            id="id-line",
            placeholder="id",
            keys="{submit_line} go  {close_line} close",
        )
        await self._open_line.open(self._line, self)

    async def line_changed(self, text: str) -> None:  # noqa: ARG002 - any change will do
        """Clear the error."""
        if self._line is not None:
            self._line.show_note("")

    async def line_submitted(self, text: str) -> None:
        """Go to the animal, or show that this is not an id."""
        pet_id = typed_id(text)
        if text.strip() and pet_id is None:
            if self._line is not None:
                self._line.show_note("an id is a whole number", "error", short="not an id")
            return
        await self._open_line.close()
        if pet_id is not None and not self._screen.table.go_to(pet_id):
            await self._open_pet(pet_id, self._loaded(pet_id))

    async def line_closed(self) -> None:
        """Close the line."""
        await self._open_line.close()

    def _loaded(self, pet_id: int) -> Pet | None:
        """Return an animal that is loaded, even if the find hides its row."""
        listing = self._screen.listing
        pets = listing.pets if listing is not None else ()
        return next((pet for pet in pets if id_of(pet) == pet_id), None)
