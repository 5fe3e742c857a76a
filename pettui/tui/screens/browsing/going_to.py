"""GoingTo: a line to type an animal's id in, and the way to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pettui.tui.rows.counting import id_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from pettui.models import Pet
    from pettui.tui.screens.browsing.open_line import OpenLine
    from pettui.tui.screens.browsing.shown_list import ShownList
    from pettui.tui.widgets.prompts.prompt_line import PromptLine

INT64 = range(-(2**63), 2**63)


def typed_id(text: str) -> int | None:
    """Return the id that was typed; None where it can be none (int64)."""
    match = re.fullmatch(r"\s*#?\s*([+-]?)0*([0-9]{1,19})\s*", text, re.ASCII)
    if match is None:
        return None
    pet_id = int(match[1] + match[2])
    return pet_id if pet_id in INT64 else None


class GoingTo:
    """The cursor goes to the animal where its row is shown; any other one is opened."""

    def __init__(
        self,
        screen: ShownList,
        open_line: OpenLine,
        open_pet: Callable[[int, Pet | None], Coroutine[Any, Any, None]],
    ) -> None:
        """Take where ids are looked for.

        Args:
            screen: with the rows.
            open_line: where the line is opened.
            open_pet: opens an animal by its id, with what is known of it.
        """
        self._screen = screen
        self._open_line = open_line
        self._open_pet = open_pet
        self._line: PromptLine | None = None

    async def open(self) -> None:
        """Open the line."""
        from pettui.tui.widgets.prompts.prompt_line import PromptLine

        self._line = PromptLine(
            self._screen.session.look,
            "#",
            id="id-line",
            placeholder="id",
            keys="{submit_line} go  {close_line} close",
        )
        await self._open_line.open(self._line, self)

    async def line_changed(self, text: str) -> None:  # noqa: ARG002 - it is another one now
        """Take away what was wrong."""
        if self._line is not None:
            self._line.show_fact("")

    async def line_submitted(self, text: str) -> None:
        """Go to the animal; of what is no id, say so."""
        pet_id = typed_id(text)
        if text.strip() and pet_id is None:
            if self._line is not None:
                self._line.show_fact("an id is a whole number", "error", short="no id")
            return
        await self._open_line.close()
        if pet_id is not None and not self._screen.table.go_to(pet_id):
            await self._open_pet(pet_id, self._loaded(pet_id))

    async def line_closed(self) -> None:
        """Leave everything as it is."""
        await self._open_line.close()

    def _loaded(self, pet_id: int) -> Pet | None:
        """Return an animal that is loaded, and not among the rows that were found."""
        listing = self._screen.loader.listing
        pets = listing.pets if listing is not None else ()
        return next((pet for pet in pets if id_of(pet) == pet_id), None)
