"""A service that stores animals, and treats some as a test wants."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from tests.client.hostile.server import Seen, Step, drop, http, stall

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.peers.hostile_services import Services

INVALID = '{"code": "invalid_value", "message": "No such category.", "status": 400}'
REFUSE = http(400, INVALID)
NEXT = "/v1/pets?page=2"
ELSEWHERE = "http://evil.example/v1/pets"


def page(*pets: Mapping[str, object], then: str = "") -> Step:
    """A page of a list, which links to another one if that is given."""
    links = [("Link", f'<{then}>; rel="next"')] if then else []
    return http(200, json.dumps(pets, ensure_ascii=False), links)


def animal(pet_id: int, name: str = "Rex", **more: object) -> dict[str, object]:
    return {"id": pet_id, "name": name, "categoryId": 3, **more}


class Shop:
    """A step for all requests: lists what was added, the newest first, and adds.

    With ``store_id`` it promises to add once what comes with a key.
    """

    def __init__(self, services: Services) -> None:
        self.instead: dict[str, Step] = {}  # the responses to adds of these names
        self.first: dict[str, Step] = {}  # the same, once
        self.pets: list[dict[str, Any]] = []
        self.store_id: str | None = None
        self.lost: Counter[str] = Counter()  # so many responses to adds of these names are lost
        self._added: dict[str, dict[str, Any]] = {}  # by key
        self._services = services
        self.server = services.open(self)
        self.base_url = self.server.base_url

    async def __call__(self, writer: asyncio.StreamWriter) -> None:
        request = self.server.seen[-1]
        headers = self._echo(request)
        if request.method == "GET":
            await http(200, json.dumps(self.pets[::-1]), headers)(writer)
            return
        body = json.loads(request.body)
        step = self.first.pop(body["name"], None) or self.instead.get(body["name"])
        if step is not None:
            await step(writer)
            return
        key = request.header("idempotency-key")[0] if headers else ""
        pet = self._added.get(key)
        if pet is None:
            pet = {**body, "id": len(self.pets) + 1}
            self.pets.append(pet)
        else:
            headers.append(("Idempotency-Replayed", "?1"))
        if headers:
            self._added[key] = pet
        if self.lost[body["name"]]:
            self.lost[body["name"]] -= 1
            await drop()(writer)
            return
        await http(201, json.dumps(pet), headers)(writer)

    def _echo(self, request: Seen) -> list[tuple[str, str]]:
        keys = request.header("idempotency-key")
        if self.store_id is None or not keys:
            return []
        return [("Idempotency-Key", keys[0]), ("Pettui-Store", self.store_id)]

    @property
    def names(self) -> list[str]:
        """What was added, in order."""
        return [pet["name"] for pet in self.pets]

    def restore(self, count: int = 0) -> None:
        """Forget what was added after so many animals, as a backup does that was taken then."""
        del self.pets[count:]
        self._added = {key: pet for key, pet in self._added.items() if pet in self.pets}

    def add_from_elsewhere(self, name: str) -> None:
        """Add an animal without the outbox, such as by another program."""
        self.pets.append(animal(len(self.pets) + 1, name))

    def go_away(self) -> None:
        """Refuse all connections from now on."""
        self._services.refuse(self.server)

    def stall(self, name: str) -> Callable[[], None]:
        """Never respond to an add of this name; return what waits until it was asked for."""
        came = asyncio.Event()

        async def step(writer: asyncio.StreamWriter) -> None:
            came.set()
            await stall()(writer)

        self.instead[name] = step
        return lambda: self._services.wait_until(came)
