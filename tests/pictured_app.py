"""The app as it is in pictures: on the real service, at a fixed time."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import httpx
from starlette.responses import JSONResponse

from pettui.client import LoggedRequest, PetAnswer, PetClient, PetPage, RequestLog
from pettui.outbox import MemoryEntryStore, Outbox
from pettui.service.app import create_app
from pettui.service.stores.samples import SAMPLE_CATEGORIES, SAMPLE_COUNT, sample_pets
from pettui.service.stores.sqlite import SqliteStore
from pettui.settings import ApiKey, Profile, Settings, StoreKind
from pettui.transfer.journal import Journal
from pettui.tui.app import PetApp

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

    from textual.pilot import Pilot

    from pettui.models import NewPet
    from pettui.service.keys import Keys
    from pettui.transfer.last_lists import SeenLists

Result = TypeVar("Result", PetPage, PetAnswer)

KEY = "the-key-of-the-pictures"
PRODUCTION = Profile(
    "production", StoreKind.SERVICE, "https://store.example/v1", ApiKey(KEY), "PRODUCTION", "red",
    categories=SAMPLE_CATEGORIES,
)  # fmt: skip
DEMO = replace(
    PRODUCTION, name="demo", kind=StoreKind.DEMO, label="DEMO", colour="blue",
    base_url="http://embedded/v1",
)  # fmt: skip


class StillClock:
    """A clock that has stopped."""

    def now(self) -> datetime:
        return datetime(2026, 11, 21, 12, 1, 3, tzinfo=UTC)


class StillLog(RequestLog):
    """A log of requests that are all sent at one time, and take 38 ms."""

    def add(self, request: LoggedRequest) -> None:
        super().add(replace(request, at=StillClock().now().timestamp(), elapsed=0.038))


class SteadyClient(PetClient):
    """A client whose every response takes 38 ms."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, log=StillLog(), **options)

    async def list_pets(self, *arguments: Any, **options: Any) -> PetPage:
        return _steady(await super().list_pets(*arguments, **options))

    async def list_next_pets(self, *arguments: Any, **options: Any) -> PetPage:
        return _steady(await super().list_next_pets(*arguments, **options))

    async def create_pet(self, *arguments: Any, **options: Any) -> PetAnswer:
        return _steady(await super().create_pet(*arguments, **options))

    async def get_pet(self, *arguments: Any, **options: Any) -> PetAnswer:
        return _steady(await super().get_pet(*arguments, **options))


def _steady(result: Result) -> Result:
    return replace(result, elapsed=0.038)


def knowing_categories(app: Any) -> Any:
    """Return the service as one that knows its categories, and 99 is none; the embedded takes any."""
    body = {"code": "invalid_value", "message": "categoryId 99 does not exist", "status": 400}

    async def refusing(scope: Any, receive: Any, send: Any) -> None:
        if scope["method"] != "POST":
            await app(scope, receive, send)
            return
        request = await receive()
        is_known = json.loads(request["body"])["categoryId"] != 99
        unread = [request]

        async def receive_again() -> Any:
            return unread.pop() if unread else await receive()

        await (app if is_known else JSONResponse(body, 400))(scope, receive_again, send)

    return refusing


def common_pets() -> Iterator[NewPet]:
    """Return samples whose names any font can draw."""
    named = (pet for pet in sample_pets(90) if max(pet.name) < "\u0180")  # Latin letters
    return islice(named, SAMPLE_COUNT)


@asynccontextmanager
async def pictured(
    profile: Profile = PRODUCTION,
    *,
    pets: Iterable[NewPet] | None = None,
    keys: Iterable[str] | Keys = (KEY,),
    wrap: Callable[[Any], Any] = lambda app: app,
    seen: SeenLists | None = None,
    **settings: Any,
) -> AsyncIterator[PetApp]:
    """Make the app on a store of samples."""
    store = SqliteStore.open_in_memory(common_pets() if pets is None else pets)
    transport = httpx.ASGITransport(wrap(create_app(store, keys)), raise_app_exceptions=False)
    client = SteadyClient(profile.base_url, profile.api_key, transport=transport)
    yield PetApp(
        client,
        Settings(profile, **settings),
        clock=StillClock(),
        outbox=Outbox(MemoryEntryStore(), client, delay=0),
        seen=seen,
        open_journal=Journal.in_memory,
    )
    await client.aclose()
    await store.close()


@asynccontextmanager
async def opened(
    size: tuple[int, int], *, theme: str = "pettui-dark", **options: Any
) -> AsyncIterator[Pilot[None]]:
    """Open the app, and wait for the first rows."""
    async with pictured(theme=theme, **options) as app, app.run_test(size=size) as pilot:
        if options.get("seen") is None:
            await until(pilot, lambda: bool(app.screen.query("PetTable")[0].rows) or failed(app))
        yield pilot


def failed(app: PetApp) -> bool:
    return app.screen.error_banner.failure is not None


async def until(pilot: Pilot[None], is_so: Callable[[], bool]) -> None:
    """Wait for a state of the screen, at most ten seconds."""
    async with asyncio.timeout(30):
        while not is_so() or pilot.app.screen.header.spinner:
            await pilot.pause()
    await pilot.pause()


class Changing:
    """Keys that are taken away while the service runs."""

    def __init__(self, keys: list[str]) -> None:
        self._keys = keys

    def name_of(self, key: bytes) -> str | None:
        return "known" if key.decode() in self._keys else None

    def use(self, _name: str) -> bool:
        return True
