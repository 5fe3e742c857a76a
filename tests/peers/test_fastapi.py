"""The client behind FastAPI, as a shop's own web service would use it."""

from __future__ import annotations

from typing import Annotated

import httpx
from fastapi import Depends, FastAPI, Request

from pettui.client import NewPet, Pet, PetClient, PetStatus
from pettui.service.app import create_app
from pettui.service.stores.sqlite import SqliteStore

KEY = "key-of-the-tests"


def client_of(request: Request) -> PetClient:
    client: PetClient = request.app.state.client
    return client


Client = Annotated[PetClient, Depends(client_of)]


def own_service(store: SqliteStore) -> FastAPI:
    """Return a web service that lists and adds animals through a PetClient."""
    web = FastAPI()
    transport = httpx.ASGITransport(create_app(store, [KEY]))
    web.state.client = PetClient("http://store.example/v1", KEY, transport=transport)

    @web.get("/animals")
    async def animals(client: Client, status: PetStatus | None = None) -> list[Pet]:
        return [pet async for pet in client.all_pets(status)]

    @web.post("/animals")
    async def add(client: Client, new_pet: NewPet) -> Pet:
        return (await client.create_pet(new_pet)).pet

    return web


async def test_a_service_of_fastapi_returns_animals_and_takes_them() -> None:
    store = SqliteStore.open_in_memory(())
    transport = httpx.ASGITransport(own_service(store))
    async with httpx.AsyncClient(transport=transport, base_url="http://own.example") as own:
        sent = {"name": "Rex", "category_id": 3, "status": "sold"}
        added = (await own.post("/animals", json=sent)).json()
        assert added == {"id": added["id"], **sent, "others": {}}
        assert (await own.get("/animals?status=sold")).json() == [added]
        assert (await own.post("/animals", json={**sent, "status": "lost"})).status_code == 422
        schema = (await own.get("/openapi.json")).json()["components"]["schemas"]
        assert set(schema["Pet"]["properties"]) == {"id", "name", "category_id", "status", "others"}
    await store.close()
