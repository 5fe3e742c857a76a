"""``pettui get``: prints one animal."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pettui.cli.exit_codes import OK
from pettui.cli.one_shot.pet_output import PetOutput
from pettui.cli.one_shot.pet_query import (
    IncompleteListError,
    PetQuery,
    pages,
    with_more_pages,
)
from pettui.configuration import ConfigurationError
from pettui.json_text import Number
from pettui.models import int64
from pettui.settings import LIMIT_MAXIMUM

if TYPE_CHECKING:
    from pettui.cli.one_shot.one_shot_command import OneShotCall
    from pettui.client import PetClient
    from pettui.models import Pet


class GetCommand:
    """Prints an animal, by getPet while the service has it, otherwise from the list."""

    maybe_sent = False

    def __init__(self, call: OneShotCall) -> None:
        self._id = _pet_id(call.arguments.id)
        self._output = PetOutput(call)
        self._stderr = call.stderr
        self.settings = with_more_pages(call.settings)

    async def run(self, client: PetClient) -> int:
        """Print it, and return the exit code."""
        self._output.write([await self._pet(client)])
        self._output.finish()
        return OK

    async def _pet(self, client: PetClient) -> Pet:
        from pettui.client import PetClientError
        from pettui.presentation.get_pet_fallback import is_gone

        try:
            response = await client.get_pet(self._id, on_wait=self._stderr.retry)
        except PetClientError as error:
            if not is_gone(error, datetime.now(UTC).date()):
                raise
            self._stderr.notice("getPet is gone; searching the list")
            found = await self._listed(client)
            if found is None:
                raise
            return found
        self._stderr.notices(response.notices)
        for remark in response.remarks:
            self._stderr.warn(remark)
        return response.pet

    async def _listed(self, client: PetClient) -> Pet | None:
        """Return it from the list, or None if it is not there."""
        query = PetQuery(None, "", None, is_reversed=False, limit=LIMIT_MAXIMUM, takes_all=True)
        try:
            async for pets in pages(client, query, self._stderr):
                for pet in pets:
                    if pet.id == self._id:
                        return pet
        except IncompleteListError:
            pass
        return None


def _pet_id(text: str) -> int:
    if re.fullmatch(r"-?[0-9]+", text) is None:
        raise ConfigurationError("ID", "must be a whole number", value=text)
    try:
        return int64(Number(text))
    except ValueError as error:
        raise ConfigurationError("ID", str(error), value=text) from None
