"""The walk through the screens that ``tests.xterm_pictures`` takes pictures of."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pettui.service.stores.samples import sample_pets
from pettui.tui.widgets.bars import HeaderBar
from pettui.tui.widgets.pet_table import PetTable
from tests.pictured_app import KEY, Changing, failed, pictured

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.pilot import Pilot

    from pettui.settings import Colours

    Take = Callable[[str], Awaitable[None]]


async def walk(theme: str, colours: Colours, take: Take) -> None:
    """Run the app on this terminal, on a store of samples, and take a picture of every screen."""
    keys = [KEY]

    async def go(pilot: Pilot[Any]) -> None:
        await until(pilot, lambda: any(table.rows for table in pilot.app.screen.query(PetTable)))
        await go_through(pilot, take, keys)
        pilot.app.exit()

    async with pictured(
        pets=sample_pets(), keys=Changing(keys), theme=theme, colours=colours
    ) as app:
        await app.run_async(auto_pilot=go)
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
