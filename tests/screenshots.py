"""Draws ``screenshots/``: the app itself, on the real service, with time held still.

``python -m tests.screenshots`` writes the pictures; ``tests/tui/appearance/test_screenshots.py`` draws them
again and compares, so that they are the snapshot tests too.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import httpx
from starlette.responses import JSONResponse

from pettui.client import PetClient
from pettui.models import Pet
from pettui.outbox.outbox import Outbox
from pettui.outbox.stores.memory import MemoryEntryStore
from pettui.service.http.app import create_app
from pettui.service.stores.samples import SAMPLE_CATEGORIES, sample_pets
from pettui.service.stores.sqlite_store import SqliteStore
from pettui.settings import ApiKey, Profile, Settings, StoreKind
from pettui.transfer.last_lists import LastList, LastLists, LastView
from pettui.tui.app import PetApp
from pettui.tui.seen_lists import SeenLists

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping

    from textual.pilot import Pilot

    from pettui.service.known_keys import Keys

    Draw = Callable[[], Awaitable[str]]

DIRECTORY = Path(__file__).parent.parent / "screenshots"
KEY = "the-key-of-the-pictures"
FONTS = '"DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace'
PRODUCTION = Profile(
    "production", StoreKind.SERVICE, "https://store.example/v1", ApiKey(KEY), "PRODUCTION", "red",
    categories=SAMPLE_CATEGORIES,
)  # fmt: skip
DEMO = replace(
    PRODUCTION, name="demo", kind=StoreKind.DEMO, label="DEMO", colour="blue",
    base_url="http://embedded/v1",
)  # fmt: skip


class StillClock:
    """A clock that stands."""

    def now(self) -> datetime:
        """Give the one time there is."""
        return datetime(2026, 11, 21, 12, 1, 3, tzinfo=UTC)


class SteadyClient(PetClient):
    """A client whose every answer took 38 ms."""

    async def _page(self, *arguments: Any) -> Any:
        return replace(await super()._page(*arguments), elapsed=0.038)

    async def _pet(self, *arguments: Any) -> Any:
        return replace(await super()._pet(*arguments), elapsed=0.038)


def knowing_categories(app: Any) -> Any:
    """Give the service as one that knows its categories, and 99 is none; the embedded takes any."""
    body = {"code": "invalid_value", "message": "categoryId 99 does not exist", "status": 400}

    async def refusing(scope: Any, receive: Any, send: Any) -> None:
        answering = JSONResponse(body, 400) if scope["method"] == "POST" else app
        await answering(scope, receive, send)

    return refusing


@asynccontextmanager
async def opened(
    size: tuple[int, int],
    *,
    profile: Profile = PRODUCTION,
    theme: str = "pettui-dark",
    keys: Iterable[str] | Keys = (KEY,),
    wrap: Callable[[Any], Any] = lambda app: app,
    seen: SeenLists | None = None,
) -> AsyncIterator[Pilot[None]]:
    """Open the app on a store of samples, and wait for the first rows."""
    store = SqliteStore.open_in_memory(sample_pets())
    transport = httpx.ASGITransport(wrap(create_app(store, keys)), raise_app_exceptions=False)
    client = SteadyClient(profile.base_url, profile.api_key, transport=transport)
    outbox = Outbox(MemoryEntryStore(), client, delay=0)
    settings = Settings(profile, theme=theme)
    app = PetApp(client, settings, clock=StillClock(), outbox=outbox, seen=seen)
    async with app.run_test(size=size) as pilot:
        if seen is None:
            await until(pilot, lambda: bool(app.screen.query("PetTable")[0].rows) or failed(app))
        yield pilot
    await client.aclose()
    await store.close()


def failed(app: PetApp) -> bool:
    """Say whether the strip is there."""
    return app.screen.strip.failure is not None


async def until(pilot: Pilot[None], is_so: Callable[[], bool]) -> None:
    """Wait for a state of the screen, at most ten seconds."""
    async with asyncio.timeout(30):
        while not is_so() or pilot.app.screen.header.waiting:
            await pilot.pause()
    await pilot.pause()


def picture(app: PetApp) -> str:
    """Give the screen as SVG that asks for no font from outside."""
    svg = app.export_screenshot(title="pettui")
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)  # for viewers that trim lines
    svg = re.sub(r"font-family: [^;]*Fira Code[^;]*;", f"font-family: {FONTS};", svg)
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


async def draw_list_wide() -> str:
    """Draw the list with its preview."""
    async with opened((120, 30)) as pilot:
        await pilot.press("j", "j", "j")
        return picture(pilot.app)


async def draw_list_found() -> str:
    """Draw the list with a find that is being typed, sorted by name."""
    async with opened((100, 26)) as pilot:
        await pilot.press("s", "s", "slash", *"cat o")
        await until(pilot, lambda: pilot.app.screen.shown.is_narrowed)
        return picture(pilot.app)


async def draw_list_marked() -> str:
    """Draw the list with marked rows, about to be written into a file."""
    async with opened((100, 26)) as pilot:
        await pilot.press("space", "space", "space", "e")
        await until(pilot, lambda: bool(pilot.app.screen.query("ExportLine")))
        return picture(pilot.app)


async def draw_list_last() -> str:
    """Draw what the list showed yesterday, while the service fails."""
    pets = [Pet(id=1040 - n, **each.body()) for n, each in enumerate(islice(sample_pets(), 18))]
    lists = {None: LastList(tuple(pets), datetime(2026, 11, 20, 18, 2, tzinfo=UTC).timestamp())}
    seen = SeenLists(LastLists(MappingProxyType(lists), LastView()))
    async with opened((100, 26), wrap=failing, seen=seen) as pilot:
        await until(pilot, lambda: failed(pilot.app))
        return picture(pilot.app)


def failing(_: Any) -> Any:
    """Give a service that fails."""
    body = {"code": "internal_error", "message": "The database is being repaired", "status": 500}
    return JSONResponse(body, 500)


async def draw_list_narrow() -> str:
    """Draw the list in a small terminal."""
    async with opened((56, 18), profile=DEMO) as pilot:
        await pilot.press("j", "j")
        return picture(pilot.app)


async def draw_list_light() -> str:
    """Draw the list on a light ground, filtered."""
    async with opened((100, 26), theme="pettui-light", profile=DEMO) as pilot:
        await pilot.press("2")
        await until(pilot, lambda: pilot.app.screen.listing.query.status == "available")
        await pilot.press("j")
        return picture(pilot.app)


async def draw_list_401() -> str:
    """Draw a list whose key was refused in the middle of work."""
    keys = [KEY]
    async with opened((100, 26), keys=Changing(keys)) as pilot:
        keys.clear()
        await pilot.press("r")
        await until(pilot, lambda: failed(pilot.app))
        return picture(pilot.app)


class Changing:
    """Keys that are taken away while the service runs."""

    def __init__(self, keys: list[str]) -> None:
        self._keys = keys

    def hash_name(self, key: bytes) -> str | None:
        """Give a name for a known key, or None."""
        return "known" if key.decode() in self._keys else None


async def draw_detail() -> str:
    """Draw an animal, confirmed by getPet, with the deprecation notice."""
    async with opened((100, 24)) as pilot:
        await pilot.press("j", "j", "j", "enter")
        await until(pilot, lambda: "getPet" in pilot.app.screen.facts.source)
        return picture(pilot.app)


async def draw_create_400() -> str:
    """Draw the form with a category that the service refused."""
    async with opened((100, 24), wrap=knowing_categories) as pilot:
        await pilot.press("a", *"Rex", "tab", *"99", "tab", "a", "enter")
        await until(pilot, lambda: pilot.app.screen.form.draft.name == "Rex" and failed(pilot.app))
        return picture(pilot.app)


PICTURES: Mapping[str, Draw] = {
    "list.svg": draw_list_wide,
    "list-found.svg": draw_list_found,
    "list-marked.svg": draw_list_marked,
    "list-last.svg": draw_list_last,
    "list-narrow.svg": draw_list_narrow,
    "list-light.svg": draw_list_light,
    "list-401.svg": draw_list_401,
    "detail.svg": draw_detail,
    "create-400.svg": draw_create_400,
}


async def drawn(name: str) -> str:
    """Draw a picture as on any machine: colours and features of this one are not asked for."""
    for variable in [v for v in os.environ if v == "NO_COLOR" or v.startswith("TEXTUAL")]:
        del os.environ[variable]
    return await PICTURES[name]()


def main() -> int:
    """Write the pictures."""
    DIRECTORY.mkdir(exist_ok=True)
    for name in PICTURES:
        (DIRECTORY / name).write_text(asyncio.run(drawn(name)), encoding="utf-8")
        print(f"screenshots/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
