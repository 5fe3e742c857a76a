"""Draws ``screenshots/``: the app itself, on the real service, with time held still.

``python -m tests.screenshots`` writes the pictures; ``tests/tui/appearance/test_screenshots.py`` draws them
again and compares, so that they are the snapshot tests too.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from contextlib import chdir, contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse

from pettui.transfer.last_lists import LastList, LastLists, LastView, SeenLists
from pettui.validation import pet_of
from tests.moving_picture import FONTS
from tests.pictured_app import (
    DEMO,
    KEY,
    Changing,
    common_pets,
    failed,
    knowing_categories,
    opened,
    until,
)
from tests.screenshot_tour import draw_tour

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping

    from pettui.tui.app import PetApp

    Draw = Callable[[], Awaitable[str]]

DIRECTORY = Path(__file__).parent.parent / "screenshots"


def picture(app: PetApp) -> str:
    """Return the screen as SVG without external fonts."""
    svg = app.export_screenshot(title="pettui")
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)  # for viewers that trim lines
    svg = re.sub(r"font-family: [^;]*Fira Code[^;]*;", f"font-family: {FONTS};", svg)
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


async def draw_list_wide() -> str:
    async with opened((120, 30)) as pilot:
        await pilot.press("j", "j", "j")
        return picture(pilot.app)


async def draw_list_found() -> str:
    async with opened((100, 26)) as pilot:
        await pilot.press("s", "s", "slash", *"cat o")
        await until(pilot, lambda: pilot.app.screen.shown.is_narrowed)
        return picture(pilot.app)


async def draw_list_marked() -> str:
    async with opened((100, 26)) as pilot:
        await pilot.press("space", "space", "space", "e")
        await until(pilot, lambda: bool(pilot.app.screen.query("ExportLine")))
        return picture(pilot.app)


async def draw_list_counts() -> str:
    async with opened((120, 30)) as pilot:
        await pilot.press("z", "c", "Z", "s", "t", "c", "j", "j")
        return picture(pilot.app)


async def draw_list_last() -> str:
    pets = [
        pet_of({"id": 1040 - n, **each.body()}) for n, each in enumerate(islice(common_pets(), 18))
    ]
    lists = {None: LastList(tuple(pets), datetime(2026, 11, 20, 18, 2, tzinfo=UTC).timestamp())}
    seen = SeenLists(LastLists(MappingProxyType(lists), LastView()))
    async with opened((100, 26), wrap=failing, seen=seen) as pilot:
        await until(pilot, lambda: failed(pilot.app))
        return picture(pilot.app)


def failing(_: Any) -> Any:
    body = {"code": "internal_error", "message": "The database is being repaired", "status": 500}
    return JSONResponse(body, 500)


async def draw_list_narrow() -> str:
    async with opened((56, 18), profile=DEMO) as pilot:
        await pilot.press("j", "j")
        return picture(pilot.app)


async def draw_list_light() -> str:
    async with opened((100, 26), theme="pettui-light", profile=DEMO) as pilot:
        await pilot.press("2")
        await until(pilot, lambda: pilot.app.screen.listing.query.status == "available")
        await pilot.press("j")
        return picture(pilot.app)


async def draw_list_401() -> str:
    keys = [KEY]
    async with opened((100, 26), keys=Changing(keys)) as pilot:
        keys.clear()
        await pilot.press("r")
        await until(pilot, lambda: failed(pilot.app))
        return picture(pilot.app)


async def draw_detail() -> str:
    async with opened((100, 24)) as pilot:
        await pilot.press("j", "j", "j", "enter")
        await until(pilot, lambda: "confirmed" in pilot.app.screen.pet_view.source)
        return picture(pilot.app)


async def draw_create_400() -> str:
    async with opened((100, 24), wrap=knowing_categories) as pilot:
        await pilot.press("a", *"Rex", "tab", *"99", "tab", "a", "enter")
        await until(pilot, lambda: pilot.app.screen.form.shown is not None)
        return picture(pilot.app)


async def draw_requests() -> str:
    async with opened((100, 26), wrap=knowing_categories) as pilot:
        app = pilot.app
        await pilot.press("2")
        await until(pilot, lambda: app.screen.listing.query.status == "available")
        await pilot.press("a", *"Rex", "tab", *"99", "tab", "a", "enter")
        await until(pilot, lambda: app.screen.form.shown is not None)
        await pilot.press("escape", "escape", "r")
        await until(pilot, lambda: len(app.session.client.log.newest_first) == 4)
        await pilot.press("f3", "down")
        await pilot.pause()
        return picture(app)


async def draw_help() -> str:
    async with opened((100, 30)) as pilot:
        await pilot.press("f1")
        return picture(pilot.app)


IMPORT = """name;category;status
Biscuit;Dogs;available
Clover;Rabbits;
Monty;reptile;available
Luna;Cats;pending
;Fish;sold
Luna;Cats;pending
"""


@contextmanager
def in_directory_of_import() -> Iterator[None]:
    """Work in a directory that holds the file."""
    with TemporaryDirectory() as directory, chdir(directory):
        Path("wholesaler.csv").write_text(IMPORT, encoding="utf-8")
        yield


async def draw_import() -> str:
    with in_directory_of_import():
        async with opened((100, 20)) as pilot:
            await pilot.press("i", *"wholesaler.csv", "enter")
            await until(pilot, lambda: bool(pilot.app.screen.query("ImportLines")))
            await until(pilot, lambda: not pilot.app.screen.is_requesting)
            return picture(pilot.app)


PICTURES: Mapping[str, Draw] = {
    "list.svg": draw_list_wide,
    "list-found.svg": draw_list_found,
    "list-counts.svg": draw_list_counts,
    "list-marked.svg": draw_list_marked,
    "list-last.svg": draw_list_last,
    "list-narrow.svg": draw_list_narrow,
    "list-light.svg": draw_list_light,
    "list-401.svg": draw_list_401,
    "detail.svg": draw_detail,
    "create-400.svg": draw_create_400,
    "help.svg": draw_help,
    "import.svg": draw_import,
    "requests.svg": draw_requests,
    "tour.svg": draw_tour,
}


async def drawn(name: str) -> str:
    """Draw a picture as on any machine: colours and features of this one are not asked for."""
    for variable in [v for v in os.environ if v == "NO_COLOR" or v.startswith("TEXTUAL")]:
        del os.environ[variable]
    return await PICTURES[name]()


def main() -> int:
    DIRECTORY.mkdir(exist_ok=True)
    for name in PICTURES:
        (DIRECTORY / name).write_text(asyncio.run(drawn(name)), encoding="utf-8")
        print(f"screenshots/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
