"""A service on a real port whose replies to adds are scripted by a test."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from pettui.client import PetClient
from pettui.settings import Limits
from tests.peers.faulty_service import FaultyService

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator, Awaitable, Callable

KEY = "a-key-of-the-tests"


@dataclass(frozen=True, slots=True)
class Reply:
    """What to do instead of adding an animal and responding."""

    status: int = 201
    body: bytes | None = None  # None: the connection is closed instead
    headers: str = ""
    adds: bool = False


def refusal(status: int, code: str, headers: str = "") -> Reply:
    body = json.dumps({"code": code, "message": "No.", "status": status})
    return Reply(status, body.encode(), headers)


class ScriptedStore(FaultyService):
    """Adds animals; calls ``reply`` first, with the name and the number of earlier adds."""

    def __init__(self) -> None:
        super().__init__(Random(1))
        self.faulty = False
        self.reply: Callable[[str, int], Awaitable[Reply | None]] = _usual
        self.list_reply: Reply | None = None
        self.lists = 0

    @property
    def ids(self) -> dict[str, int]:
        """The ids of animals by their names."""
        return {pet["name"]: pet["id"] for pet in self.pets}

    async def _list(self, writer: asyncio.StreamWriter, fault: str) -> bool:
        self.lists += 1
        if self.list_reply is None:
            return await super()._list(writer, fault)
        return await self._reply(writer, self.list_reply)

    async def _add(self, writer: asyncio.StreamWriter, fault: str, pet: dict[str, Any]) -> bool:
        reply = await self.reply(pet["name"], self.arrived.total())
        if reply is None:
            return await super()._add(writer, fault, pet)
        self.arrived[pet["name"]] += 1
        if reply.adds:
            self.pets.append({**pet, "id": len(self.pets) + 1})
        return await self._reply(writer, reply)

    async def _reply(self, writer: asyncio.StreamWriter, reply: Reply) -> bool:
        if reply.body is None:
            return False
        return await self._send(writer, reply.status, reply.body, reply.headers)


async def _usual(name: str, number: int) -> Reply | None:
    return None


@asynccontextmanager
async def scripted_store() -> AsyncIterator[tuple[ScriptedStore, PetClient]]:
    """Run a scripted store, with a client of it."""
    store = ScriptedStore()
    store.open()
    limits = Limits(connections=17, first_wait=0.01, longest_wait=0.02)
    client = PetClient(store.address, KEY, limits=limits)
    try:
        yield store, client
    finally:
        await client.aclose()
        await store.close()
