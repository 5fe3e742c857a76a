"""``pettui list``: animals on standard output."""

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
    """Lists the animals that were asked for, page by page where the form allows."""

    maybe_sent = False

    def __init__(self, call: OneShotCall) -> None:
        self._query = pet_query(call, all_usually=False)
        self._output = PetOutput(call)
        self._stderr = call.stderr
        self.settings = with_more_pages(call.settings)

    async def run(self, client: PetClient) -> int:
        """List them; what came before a page that failed is written all the same."""
        from pettui.client import PetClientError

        come: list[Pet] = []  # and not written yet
        is_empty = True
        try:
            async for pets in pages(client, self._query, self._stderr):
                is_empty = False
                come.extend(pets)
                if not self._query.is_sorted:
                    self._write(come)
        except (PetClientError, IncompleteListError):
            if not is_empty:
                self._finish(come)
            raise
        self._finish(come)
        return OK

    def _write(self, pets: list[Pet]) -> None:
        self._stderr.clear_progress()
        self._output.write(self._query.chosen(pets, self.settings))
        pets.clear()

    def _finish(self, pets: list[Pet]) -> None:
        self._write(pets)
        self._output.finish()
