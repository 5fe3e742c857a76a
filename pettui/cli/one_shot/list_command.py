"""``pettui list``: prints animals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.cli.exit_codes import OK
from pettui.cli.one_shot.pet_output import PetOutput
from pettui.cli.one_shot.pet_query import (
    IncompleteListError,
    pages,
    pet_query,
    with_more_pages,
)

if TYPE_CHECKING:
    from pettui.cli.one_shot.one_shot_command import OneShotCall
    from pettui.client import PetClient
    from pettui.models import Pet


class ListCommand:
    """Prints the animals of a query, page by page if the format allows."""

    maybe_sent = False

    def __init__(self, call: OneShotCall) -> None:
        self._query = pet_query(call, takes_all_by_default=False)
        self._output = PetOutput(call)
        self._stderr = call.stderr
        self.settings = with_more_pages(call.settings)

    async def run(self, client: PetClient) -> int:
        """Print them, and return the exit code; pages before a failed one are printed, too."""
        from pettui.client import PetClientError

        unwritten: list[Pet] = []
        is_empty = True
        try:
            async for pets in pages(client, self._query, self._stderr):
                is_empty = False
                unwritten.extend(pets)
                if not self._query.is_sorted:
                    self._write(unwritten)
        except (PetClientError, IncompleteListError):
            if not is_empty:
                self._finish(unwritten)
            raise
        self._finish(unwritten)
        return OK

    def _write(self, pets: list[Pet]) -> None:
        self._stderr.clear_progress()
        self._output.write(self._query.chosen(pets, self.settings))
        pets.clear()

    def _finish(self, pets: list[Pet]) -> None:
        self._write(pets)
        self._output.finish()
