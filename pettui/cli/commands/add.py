"""``pettui add``: one animal, sent once; with a key it can be run again, and adds it once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pettui.cli.exit_codes import NO_ANSWER, OK, exit_code
from pettui.cli.one_shot import MAYBE_ADDED, Call
from pettui.cli.pet_output import PetOutput
from pettui.client import PetClient, PetClientError, structured_string
from pettui.configuration.errors import ConfigurationError
from pettui.models.pets import NewPet, Pet, PetStatus, trimmed_name
from pettui.settings.settings import StoreKind
from pettui.system.signals import cancelled_by_signals

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping


_KEY: Final = "--idempotency-key"
_AGAIN: Final = "run the same command again, with the same key: it is added once"
_TWICE: Final = (
    "the service did not confirm the key: if this was run before, the animal may be there twice"
)


def add_pet(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Send an animal to the service, once, and print it as the service stored it."""
    call = Call(arguments, environment)
    name = trimmed_name(arguments.name)
    if not name:  # such as an unset variable in a script
        raise ConfigurationError("NAME", "is empty")
    category = _category_id(arguments.category, call.settings.profile.categories)
    key = _idempotency_key(arguments.idempotency_key)
    output = PetOutput(call)

    async def run(client: PetClient) -> int:
        status = None if arguments.status is None else PetStatus(arguments.status)
        new_pet = NewPet(name=name, category_id=category, status=status)
        store_id = None if key is None else await _promised_store(client, call)
        with cancelled_by_signals(asyncio.current_task()):
            try:
                created = await client.create_pet(
                    new_pet, on_wait=call.stderr.retry, idempotency_key=key, store_id=store_id
                )
            except asyncio.CancelledError:
                what_next = MAYBE_ADDED if key is None else f"{MAYBE_ADDED}; {_AGAIN}"
                call.stderr.error(f"interrupted; {what_next}")
                raise
            except PetClientError as error:
                if key is None or _is_final(error, store_id):
                    raise
                return _failed(call, error)
        _put_into_receipt(call, created.pet, key)
        call.stderr.notices(created.notices)
        for remark in created.remarks:
            call.stderr.warn(remark)
        if created.store_id != store_id:
            call.stderr.warn(_TWICE)
        if created.is_replayed:
            call.stderr.notice("an earlier run with this key added it")
        try:
            output.write([created.pet])
        except ConfigurationError:
            call.stderr.error(f"the animal was added, with id {created.pet.id}")
            raise
        return OK

    return call.run(run)


def _put_into_receipt(call: Call, pet: Pet, key: str | None) -> None:
    """Record what was added; a run with the same key is the same animal."""
    if call.settings.profile.kind is StoreKind.DEMO:
        return  # nothing of it is kept
    from pettui.composition.store import receipts_of
    from pettui.outbox.entries import OutboxError
    from pettui.outbox.receipts import Added, Source
    from pettui.outbox.sending import random_key

    name = call.settings.profile.api_key.mask(pet.name)
    record_key = f"command {random_key() if key is None else f'{key} {pet.id}'}"
    try:
        added = Added.of(record_key, Source.COMMAND, replace(pet, name=name))
        receipts_of(call.settings.profile).record(added)
    except (ConfigurationError, OutboxError) as error:
        call.stderr.warn(f"not in the receipt: {error}")


async def _promised_store(client: PetClient, call: Call) -> str:
    """Return the store that adds once what comes with a key, as the service promises.

    Raises:
        ConfigurationError: it promises nothing, so that nothing is sent.
    """
    from pettui.outbox.sending import random_key

    page = await client.list_pets(1, on_wait=call.stderr.retry, idempotency_key=random_key())
    if page.store_id is None:
        reason = "the service does not promise to add once what comes with a key; nothing was sent"
        raise ConfigurationError(_KEY, reason)
    return page.store_id


def _is_final(error: PetClientError, store_id: str | None) -> bool:
    """Whether the store refused the animal, which no earlier run with the key added, then."""
    return error.status is not None and 400 <= error.status < 500 and error.store_id == store_id


def _failed(call: Call, error: PetClientError) -> int:
    """Say how to go on without an answer of the store: what came may be a proxy's."""
    from pettui.outbox.outcome import is_of_other_store

    call.stderr.notices(error.notices)
    is_unsent = error.status is None and not error.maybe_sent
    is_not_added = is_unsent or error.is_unauthorized or is_of_other_store(error)
    maybe = () if is_not_added else (MAYBE_ADDED,)
    call.stderr.error("; ".join((str(error), *maybe, _AGAIN)))
    return exit_code(error) if is_not_added else NO_ANSWER


def _idempotency_key(text: str | None) -> str | None:
    if text is not None:
        try:
            structured_string(text)
        except ValueError as error:
            raise ConfigurationError(_KEY, str(error)) from None
    return text


def _category_id(text: str, names: Mapping[int, str]) -> int:
    from pettui.transfer.meaning import CategoryNames, LineError

    try:
        return CategoryNames(names).number_of(text)
    except LineError as error:
        raise ConfigurationError("CATEGORY", str(error.reason)) from None
