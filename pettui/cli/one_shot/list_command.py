"""``pettui list``: animals on standard output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.cli.one_shot.pet_output import PetOutput
from pettui.cli.one_shot.pet_query import IncompleteListError, pages, pet_query

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from pettui.cli.one_shot.standard_error import StandardError
    from pettui.client import PetClient
    from pettui.models import Pet
    from pettui.settings import Settings


class ListCommand:
    """Lists the animals that were asked for, page by page where the form allows."""

    maybe_sent = False

    def __init__(
        self,
        arguments: argparse.Namespace,
        settings: Settings,
        environment: Mapping[str, str],
        stderr: StandardError,
    ) -> None:
        self._query = pet_query(arguments, settings, all_usually=False)
        self._output = PetOutput(arguments, settings, environment)
        self._stderr = stderr

    async def run(self, client: PetClient, settings: Settings) -> None:
        """List them; what came before a page that failed is written all the same."""
        from pettui.client import PetClientError  # noqa: PLC0415

        come: list[Pet] = []  # and not written yet
        is_empty = True
        try:
            async for pets in pages(client, self._query, self._stderr):
                is_empty = False
                come.extend(pets)
                if not self._query.is_sorted:
                    self._write(come, settings)
        except (PetClientError, IncompleteListError):
            if not is_empty:
                self._finish(come, settings)
            raise
        self._finish(come, settings)

    def _write(self, pets: list[Pet], settings: Settings) -> None:
        self._stderr.clear_progress()
        self._output.write(self._query.chosen(pets, settings))
        pets.clear()

    def _finish(self, pets: list[Pet], settings: Settings) -> None:
        self._write(pets, settings)
        self._output.finish()
