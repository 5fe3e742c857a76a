"""``pettui get``: some animals, by their ids."""

from __future__ import annotations

import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pettui.cli.declarations import STANDARD_STREAM
from pettui.cli.exit_codes import OK, REFUSED
from pettui.cli.one_shot import Call
from pettui.cli.pet_fields import FIELDS
from pettui.cli.pet_output import PetOutput
from pettui.cli.pet_query import PetQuery, UnreadableRows, pages, pet_id_of
from pettui.configuration.errors import ConfigurationError
from pettui.models.pets import Pet

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Mapping, Sequence

    from pettui.cli.output import StandardError
    from pettui.client import PetClient, PetClientError


def get_pets(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Print animals in the order of their ids; those that are not there are errors at the end."""
    call = Call(arguments, environment)
    ids = [pet_id_of(word) for word in _words(arguments.id)]
    output = PetOutput(call)

    async def run(client: PetClient) -> int:
        code = OK
        async for pet_id, found in _found(client, ids, call.stderr):
            if isinstance(found, Pet):
                output.write([found])
            elif len(ids) == 1:
                raise found
            else:
                call.stderr.error(f"{pet_id}: {found}")
                code = REFUSED
        return code

    return call.run(run)


async def _found(
    client: PetClient, ids: Sequence[int], stderr: StandardError
) -> AsyncIterator[tuple[int, Pet | PetClientError]]:
    """Return each animal, or why it is not there: by getPet, and once that is gone by the list."""
    from pettui.client import NOT_FOUND, PetClientError, is_gone

    for index, pet_id in enumerate(ids):
        try:
            yield pet_id, await _pet(client, pet_id, stderr)
        except PetClientError as error:
            if is_gone(error, datetime.now(UTC).date()):
                listed = await _listed(client, ids[index:], stderr)
                for each in ids[index:]:
                    yield each, listed.get(each, error)
                return
            if error.status != NOT_FOUND:
                raise
            yield pet_id, error


def _words(given: Sequence[str]) -> list[str]:
    """Return these words, with those of standard input in place of a hyphen."""
    if STANDARD_STREAM not in given:
        return list(given)
    if sys.stdin is None:
        raise ConfigurationError("standard input", "is closed")
    read = sys.stdin.read().split()
    if read[:1] == [FIELDS[0].name]:  # the header of ``list --fields id``
        del read[0]
    if not read:
        raise ConfigurationError("standard input", "has no id")
    return [word for each in given for word in (read if each == STANDARD_STREAM else [each])]


async def _pet(client: PetClient, pet_id: int, stderr: StandardError) -> Pet:
    response = await client.get_pet(pet_id, on_wait=stderr.retry)
    stderr.notices(response.notices)
    for remark in response.remarks:
        stderr.warn(remark)
    return response.pet


async def _listed(client: PetClient, ids: Sequence[int], stderr: StandardError) -> dict[int, Pet]:
    """Return those of some animals that are in the list, by id."""
    from pettui.client import IncompleteListError

    stderr.notice("getPet is gone; searching the list")
    wanted, found = set(ids), dict[int, Pet]()
    with suppress(IncompleteListError):
        async for pets in pages(client, PetQuery(), stderr, UnreadableRows()):
            found |= {pet.id: pet for pet in pets if pet.id in wanted}
            if len(found) == len(wanted):
                break
    return found
