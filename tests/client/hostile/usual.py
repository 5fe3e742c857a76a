"""A service as it should be, for before and after."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.client.hostile.server import http

if TYPE_CHECKING:
    import asyncio

    from tests.client.hostile.server import HostileServer

USUAL = [
    {"id": number, "name": f"Usual {number}", "categoryId": 3, "status": "available"}
    for number in range(112, 100, -1)
]
USUAL_IDS = [pet["id"] for pet in USUAL]


class UsualService:
    """Respond as a service should: twelve animals, and a new id for each add."""

    def __init__(self, server: HostileServer) -> None:
        self._server = server
        self._added = 1_000

    async def __call__(self, writer: asyncio.StreamWriter) -> None:
        request = self._server.seen[-1]
        if request.method == "POST":
            self._added += 1
            pet = {**json.loads(request.body), "id": self._added}
            await http(201, json.dumps(pet))(writer)
            return
        wanted = request.target.removeprefix("/v1/pets/")
        pets = [pet for pet in USUAL if str(pet["id"]) == wanted]
        await http(200, json.dumps(pets[0] if pets else USUAL))(writer)
