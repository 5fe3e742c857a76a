"""The walk through the screens that ``tests.xterm_pictures`` takes pictures of."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import httpx

from pettui.outbox import MemoryEntryStore, Outbox
from pettui.service.app import create_app
from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite import SqliteStore
from pettui.settings import Settings
from pettui.tui.app import PetApp
from pettui.tui.widgets.bars import HeaderBar
from pettui.tui.widgets.pet_table import PetTable
from tests.pictured_app import PRODUCTION, SteadyClient, StillClock
from tests.screenshots import KEY, Changing, failed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.pilot import Pilot

    from pettui.settings import Colours

    Take = Callable[[str], Awaitable[None]]


async def walk(theme: str, colours: Colours, take: Take) -> None:
    """Run the app on this terminal, on a store of samples, and take a picture of every screen."""
    keys = [KEY]
    store = SqliteStore.open_in_memory(sample_pets())
    transport = httpx.ASGITransport(create_app(store, Changing(keys)), raise_app_exceptions=False)
    client = SteadyClient(PRODUCTION.base_url, PRODUCTION.api_key, transport=transport)
    outbox = Outbox(MemoryEntryStore(), client, delay=0)
    settings = Settings(PRODUCTION, theme=theme, colours=colours)
    app = PetApp(client, settings, clock=StillClock(), outbox=outbox)

    async def go(pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: any(table.rows for table in app.screen.query(PetTable)))
        await go_through(pilot, take, keys)
        app.exit()

    await app.run_async(auto_pilot=go)
    await client.aclose()
    await store.close()
    if app.failure is not None:
        raise app.failure


async def until(pilot: Pilot[Any], is_so: Callable[[], bool]) -> None:
    """Wait for a state of a screen on which nothing is under way."""
    async with asyncio.timeout(30):
        while not is_so() or any(bar.spinner for bar in pilot.app.screen.query(HeaderBar)):
            await pilot.pause(0.05)


async def go_through(pilot: Pilot[Any], take: Take, keys: list[str]) -> None:
    """Press keys until every screen was there."""
    app = pilot.app

    async def picture(name: str, *pressed: str) -> None:
        await pilot.press(*pressed)
        await until(pilot, lambda: True)
        await asyncio.sleep(0.2)
        await take(name)

    await picture("list", "j", "j", "j")
    await picture("palette", ":", *"the")
    await picture("help", "escape", "f1")
    await picture("detail", "escape", "enter")
    await picture("create", "escape", "a")
    await picture("create-wrong", *"Rex", "tab", *"3x")
    await pilot.press("backspace", "tab", "a", "enter")
    await until(pilot, lambda: bool(app.session.outbox.entries))
    await picture("create-added", *"Bim")
    keys.clear()
    await pilot.press("enter")
    await until(pilot, lambda: failed(app))
    await picture("create-refused")
    await picture("outbox", "f9")
    keys.append(KEY)
    while not app.screen.query(PetTable):
        await pilot.press("escape")
    await picture("list-new", "r")
    keys.clear()
    await pilot.press("r")
    await until(pilot, lambda: failed(app))
    await picture("list-401")
    await picture("list-key", "f7", *"abc")
    await pilot.press("escape")
