"""A service that stores animals, and treats some as a test wants."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from tests.client.hostile.server import http

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.client.hostile.server import HostileServer, Step
    from tests.peers.hostile_services import Services

INVALID = '{"code": "invalid_value", "message": "No such category.", "status": 400}'
REFUSE = http(400, INVALID)


def stall_from(came: asyncio.Event) -> Step:
    """Note the request, and never respond."""

    async def step(_: asyncio.StreamWriter) -> None:
        came.set()
        await asyncio.Event().wait()

    return step


class Shop:
    """A step for all requests: lists what was added, the newest first, and adds."""

    def __init__(self, server: HostileServer, instead: Mapping[str, Step]) -> None:
        """Make a shop that gives these responses to adds of these names."""
        self.server = server
        self.instead = dict(instead)
        self.pets: list[dict[str, Any]] = []

    async def __call__(self, writer: asyncio.StreamWriter) -> None:
        request = self.server.seen[-1]
        if request.method == "GET":
            await http(200, json.dumps(self.pets[::-1]))(writer)
            return
        body = json.loads(request.body)
        if (step := self.instead.get(body["name"])) is not None:
            await step(writer)
            return
        self.pets.append({**body, "id": len(self.pets) + 1})
        await http(201, json.dumps(self.pets[-1]))(writer)

    @property
    def base_url(self) -> str:
        return self.server.base_url

    @property
    def names(self) -> list[str]:
        """What was added, in order."""
        return [pet["name"] for pet in self.pets]


def open_shop(services: Services, instead: Mapping[str, Step] | None = None) -> Shop:
    """Open a shop without animals."""
    server = services.open(http(500, "{}"))
    shop = Shop(server, instead or {})
    server.steps = [shop]
    return shop
