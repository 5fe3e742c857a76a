"""``pettui add``: one animal, sent once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pettui.cli.exit_codes import OK
from pettui.cli.one_shot import MAYBE_ADDED, Call
from pettui.cli.pet_output import PetOutput
from pettui.configuration import ConfigurationError
from pettui.models.pets import NewPet, PetStatus
from pettui.system.signals import cancelled_by_signals

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from pettui.client import PetClient


def add_pet(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Send an animal to the service, once, and print it as the service stored it."""
    call = Call(arguments, environment)
    name = _name(arguments.name)
    category = _category_id(arguments.category, call.settings.profile.categories)
    output = PetOutput(call)

    async def run(client: PetClient) -> int:
        status = None if arguments.status is None else PetStatus(arguments.status)
        new_pet = NewPet(name=name, category_id=category, status=status)
        with cancelled_by_signals(asyncio.current_task()):
            try:
                created = await client.create_pet(new_pet, on_wait=call.stderr.retry)
            except asyncio.CancelledError:
                call.stderr.error(f"interrupted; {MAYBE_ADDED}")
                raise
        call.stderr.notices(created.notices)
        for remark in created.remarks:
            call.stderr.warn(remark)
        try:
            output.write([created.pet])
        except ConfigurationError:
            call.stderr.error(f"the animal was added, with id {created.pet.id}")
            raise
        return OK

    return call.run(run, call.settings)


def _name(text: str) -> str:
    if not text.strip():  # such as an unset variable in a script
        raise ConfigurationError("NAME", "is empty")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigurationError("NAME", "is not UTF-8") from None
    return text


def _category_id(text: str, names: Mapping[int, str]) -> int:
    from pettui.transfer.lines import CategoryNames, LineError

    try:
        return CategoryNames(names).number_of(text)
    except LineError as error:
        raise ConfigurationError("CATEGORY", str(error.reason)) from None
