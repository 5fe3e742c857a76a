"""What programs write that check their types: ``make lint`` reads it, and nothing runs it."""

from __future__ import annotations

from contextlib import aclosing
from typing import assert_type

import httpx

from pettui.client import NewPet, Pet, PetAnswer, PetClient, PetPage, PetStatus


async def calls(client: PetClient) -> None:
    """Call everything as docs/python.md does."""
    async with aclosing(client.all_pets("sold")) as pets:
        async for pet in pets:
            assert_type(pet, Pet)
            assert_type(pet.to_json(), str)
            assert_type(pet.status, PetStatus | str | None)
    async with aclosing(client.all_pages(status=PetStatus.SOLD)) as pages:
        async for page in pages:
            assert_type(page, PetPage)
    assert_type(await client.list_pets(status="pending"), PetPage)
    new_pet = NewPet(name="Rex", category_id=3, status="sold")
    assert_type(new_pet.status, PetStatus | None)
    assert_type(await client.create_pet(new_pet), PetAnswer)


def clients() -> None:
    """Make clients of a transport, and of what makes one."""
    PetClient("http://127.0.0.1/v1", "key", transport=httpx.AsyncHTTPTransport())
    PetClient("http://127.0.0.1/v1", "key", transport=httpx.AsyncHTTPTransport, ca_file="ca.pem")
