"""Draws ``screenshots/``: the app itself, on the real service, with time held still.

``python -m tests.screenshots`` writes the pictures; ``tests/tui/test_screenshots.py`` draws them
again and compares, so that they are the snapshot tests too.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from contextlib import asynccontextmanager, chdir
from datetime import UTC, datetime
from itertools import count, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from pettui.models.validation import pet_of
from pettui.remembered.last_lists import LastList, LastLists, LastView
from pettui.remembered.seen_lists import SeenLists
from pettui.service.keys import FixedKeys
from pettui.service.stores.samples import SAMPLE_COUNT, sample_pets
from pettui.ssh import User
from pettui.transfer.journal import Journal
from tests.moving_picture import FONTS, Frame, moving_picture, runs_of
from tests.tui.demos import DEMO
from tests.tui.driving import NOON, PRODUCTION, drawing_frames, open_app, strips_of
from tests.tui.scripted_service import Response, ScriptedService, error, listing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping

    from textual.app import App

    from pettui.models.pets import NewPet, PetStatus
    from tests.tui.driving import Driver

    Act = Callable[[Driver], Awaitable[object]]
    Draw = Callable[[], Awaitable[str]]

DIRECTORY = Path(__file__).parent.parent / "screenshots"
OWN_APP = DIRECTORY.parent / "docs" / "own-app.md"
STORE = PRODUCTION._replace(base_url="https://store.example/v1")
NO_CATEGORY = Response(
    400,
    b'{"code":"invalid_value","message":"categoryId 99 does not exist","status":400}',
    (("content-type", "application/json"),),
)


def common_pets() -> Iterator[NewPet]:
    """Return samples whose names any font can draw."""
    named = (pet for pet in sample_pets(90) if max(pet.name) < "\u0180")  # Latin letters
    return islice(named, SAMPLE_COUNT)


@asynccontextmanager
async def opened(
    size: tuple[int, int], service: ScriptedService | None = None, **options: Any
) -> AsyncIterator[Driver]:
    """Open the app at noon, on a service whose every response takes 38 ms."""
    service = service or ScriptedService(common_pets())
    time = SimpleNamespace(time=NOON.timestamp, perf_counter=count(0, 0.038).__next__)
    options = {"profile": STORE, "limit": None, "open_journal": Journal.in_memory} | options
    with patch("pettui.client.http.time", time):
        async with open_app(service, size=size, **options) as driver:
            await driver.pilot.pause()
            yield driver


def svg_of(app: App[Any], title: str = "pettui") -> str:
    """Return the screen as SVG without external fonts."""
    with drawing_frames():
        svg = app.export_screenshot(title=title)
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)  # for viewers that trim lines
    svg = re.sub(r"font-family: [^;]*Fira Code[^;]*;", f"font-family: {FONTS};", svg)
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def picture(size: tuple[int, int], act: Act, **options: Any) -> Draw:
    async def draw() -> str:
        async with opened(size, **options) as driver:
            await act(driver)
            await driver.pilot.pause()
            return svg_of(driver.app)

    return draw


def pressing(*keys: str) -> Act:
    return lambda driver: driver.press(*keys)


def described_pets() -> Iterator[dict[str, object]]:
    """Return animals with further fields; three of them have one name."""
    notes = "Found at the old mill, shy with children", "", "Wants a garden, and company", ""
    for index, each in enumerate(islice(common_pets(), 34)):
        name = {"name": "Whiskey"} if index % 11 == 2 else {}
        fields = {"bornIn": 2024 - index * 7 % 11, "vaccinated": index % 3 != 1}
        yield {"id": 1040 - index, **each.body(), **name, **fields, "note": notes[index % 4]}


async def draw_list_wide() -> str:
    act = pressing("j", "j")
    linked = (("link", '</v1/pets>; rel="first"'),)  # as of a service that links pages
    whole = Response(body=[*described_pets()], headers=linked)
    return await picture((160, 40), act, service=listing(whole))()


async def find(driver: Driver) -> None:
    await driver.press("s", "s", "slash", *"cat o")
    await driver.until(lambda: driver.screen.list.shown.is_narrowed)


def status_of(driver: Driver) -> object:
    return driver.screen.listing.query.status


async def filter_by_status(driver: Driver) -> None:
    await driver.press("2")
    await driver.until(lambda: status_of(driver) == "available")


async def walk_among_those_for_sale(driver: Driver) -> None:
    await filter_by_status(driver)
    await driver.press("j")


async def draw_list_last() -> str:
    pets = [
        pet_of({"id": 1040 - n, **each.body()}) for n, each in enumerate(islice(common_pets(), 18))
    ]
    lists: dict[PetStatus | None, LastList] = {
        None: LastList(tuple(pets), datetime(2026, 11, 20, 18, 2, tzinfo=UTC).timestamp())
    }
    seen = SeenLists(LastLists(MappingProxyType(lists), LastView()))
    service = ScriptedService([])
    service.next("listPets", error(500, "internal_error", "The database is being repaired"))
    return await picture((100, 26), pressing(), service=service, seen=seen)()


async def have_the_key_refused(driver: Driver) -> None:
    with patch.object(FixedKeys, "find", return_value=None):
        await driver.press("r")
        await driver.until(lambda: driver.screen.error_banner.failure)


async def open_one(driver: Driver) -> None:
    await driver.press("j", "j", "j", "enter")
    await driver.sees("confirmed")


def is_refused(driver: Driver) -> bool:
    """Whether the banner names an animal that was refused."""
    return driver.screen.error_banner.failure is not None


async def be_refused(driver: Driver) -> None:
    driver.service.next("createPet", NO_CATEGORY)
    await driver.press("a", *"Rex", "tab", *"99", "tab", "a", "enter")
    await driver.press("f10")
    await driver.until(lambda: is_refused(driver))


async def correct(driver: Driver) -> None:
    await be_refused(driver)
    await driver.press("f8")


async def choose_a_category(driver: Driver) -> None:
    await driver.press("a", *"Rex", "tab", "3", "tab", "a", "enter", *"Bim", "enter")
    await driver.until(lambda: driver.app.session.receipt.count == 2)
    await driver.press(*"Hazel", "tab", "r", "down")


async def look_at_requests(driver: Driver) -> None:
    await filter_by_status(driver)
    await be_refused(driver)
    await driver.press("escape", "escape", "r")
    await driver.until(lambda: len(driver.app.session.client.log.newest_first) == 5)
    await driver.press("f3", "down")


INTAKE = """\
City Shelter,,,,
Intakes of November,,,,
Animal ID,Animal Name,Species,Intake Type,Colour
A1701,Rex,Dog,Stray,brown
A1702,Bella,Cat,Owner surrender,black
A1703,Hops,Rabbit,Transfer,grey
"""
IMPORT = """name;category;status
Biscuit;Dogs;available
Clover;Rabbits;
Monty;reptile;available
Luna;Cats;pending
;Fish;sold
Luna;Cats;pending
"""


async def import_a_file(driver: Driver) -> None:
    with TemporaryDirectory() as directory, chdir(directory):
        Path("wholesaler.csv").write_text(IMPORT, encoding="utf-8")  # noqa: ASYNC240 - a short one
        await driver.press("i", *"wholesaler.csv", "enter")
        await driver.until(lambda: driver.screen.query("ImportLines"))
        await driver.until(lambda: not driver.screen.request.is_running)


async def ask_what_columns_are(driver: Driver) -> None:
    """Have a file of another program shown, whose columns somebody has to confirm."""
    with TemporaryDirectory() as directory, chdir(directory):
        Path("intake.csv").write_text(INTAKE, encoding="utf-8")  # noqa: ASYNC240 - a short one
        await driver.press("i", *"intake.csv", "enter")
        await driver.sees("Which column is what?")
        await driver.settled()


SIZE = (100, 26)
NAMES = {"slash": "/", "enter": "Enter", "escape": "Esc", "tab": "Tab"}


class Camera:
    """Presses keys, and keeps the screen after each."""

    def __init__(self, driver: Driver) -> None:
        self.frames: list[Frame] = []
        self._driver = driver
        self._keys: list[str] = []
        self._caption = ""

    def scene(self, caption: str, seconds: float = 0.0) -> None:
        """Begin something new, and show for so long that it does."""
        self._keys = []
        self._caption = caption
        if seconds:
            self._take(seconds)

    async def press(
        self, *keys: str, rest: float = 0.3, then: Callable[[], bool] = lambda: True
    ) -> None:
        """Press keys; the last one is shown for longer, once a state is reached."""
        for index, key in enumerate(keys, 1):
            self._keys.append(NAMES.get(key, key))
            await self._press(key, rest if index == len(keys) else 0.25, then)

    async def type(self, text: str) -> None:
        self._keys.append("")
        for character in text:
            self._keys[-1] += character
            await self._press(character, 0.16)

    async def _press(
        self, key: str, seconds: float, then: Callable[[], bool] = lambda: True
    ) -> None:
        await self._driver.press(key)
        await self._driver.until(lambda: then() and not self._driver.screen.header.spinner)
        await self._driver.pilot.pause()
        self._take(seconds)

    def _take(self, seconds: float) -> None:
        """Keep the screen, to be shown for this long."""
        rows = tuple(runs_of(strip) for strip in strips_of(self._driver.app))
        self.frames.append(Frame(rows, seconds, tuple(self._keys), self._caption))


async def draw_tour() -> str:
    """Draw the moving picture: a clerk browses, filters, finds and adds, key after key."""
    async with opened(SIZE) as driver:
        camera = Camera(driver)
        camera.scene("Animals, newest first", 1.4)
        await camera.press("j", "j", "j", rest=0.8)
        camera.scene("Filter by status")
        await camera.press("2", rest=1.4, then=lambda: status_of(driver) == "available")
        await camera.press("1", rest=0.7, then=lambda: status_of(driver) is None)
        camera.scene("Find as you type")
        await camera.press("slash")
        await camera.type("cats pen")
        await camera.press("enter", rest=1.8)
        poster = len(camera.frames) - 1
        gate = driver.service.hold("createPet")
        camera.scene("Add an animal")
        await camera.press("escape", "a", rest=0.6)
        camera.scene("Name, category, status")
        await camera.type("Biscuit")
        await camera.press("tab")
        await camera.type("dogs")
        await camera.press("tab", "a", rest=0.7)
        camera.scene("Enter adds it; keep typing")
        await camera.press("enter", rest=0.5)
        await camera.type("Clover")
        await camera.press("enter", rest=0.5)
        camera.scene("Another of the same kind: its name and Enter")
        await camera.type("Monty")
        await camera.press("enter", rest=1.0)
        gate.set()
        await driver.until(lambda: driver.app.session.receipt.count == 3)
        await driver.pilot.pause()
        camera.scene("They arrive in the background", 1.6)
        driver.service.next("createPet", NO_CATEGORY)
        camera.scene("A rejected animal is named, with the reason")
        await camera.type("Hazel")
        await camera.press("tab")
        await camera.type("99")
        await camera.press("enter", rest=1.2)  # 99 has no name: F10 adds it anyway
        await camera.press("f10", rest=2.4, then=lambda: is_refused(driver))
        camera.scene("F8 corrects what was rejected, and Enter adds it")
        await camera.press("f8", rest=0.8)
        await camera.type("5")
        await camera.press("enter", rest=1.1, then=lambda: driver.app.session.receipt.count == 4)
        camera.scene("Back in the list, new rows are marked")
        await camera.press("escape", rest=2.6, then=lambda: "Hazel" in _newest(driver))
    return moving_picture(camera.frames, title="pettui, driven by keys", poster=poster)


def _newest(driver: Driver) -> str:
    """Return the name in the list's first row, where the list is on top."""
    rows = driver.screen.list.shown.elements[:1] if driver.screen.query("PetTable") else ()
    return "".join(row.name for row in rows)


async def draw_own_app() -> str:
    """Draw the app that the page about one's own begins with."""
    [shown, *_] = re.findall(r"```python\n(.*?)```", OWN_APP.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {"__name__": "hello"}
    exec(compile(shown, str(OWN_APP), "exec"), names)
    app = names["Hello"](User("anna", "192.0.2.1"))
    async with app.run_test(size=(60, 9)) as pilot:
        await pilot.pause()
        return svg_of(app, title="ssh -p 2222 anna@127.0.0.1")


PICTURES: Mapping[str, Draw] = {
    "list.svg": picture((120, 30), pressing("j", "j", "j")),
    "list-wide.svg": draw_list_wide,
    "list-found.svg": picture((100, 26), find),
    "list-counts.svg": picture((120, 30), pressing("z", "c", "Z", "s", "t", "j", "j")),
    "list-marked.svg": picture((100, 26), pressing("space", "space", "space", "e")),
    "list-last.svg": draw_list_last,
    "list-narrow.svg": picture((56, 18), pressing("j", "j"), profile=DEMO),
    "list-light.svg": picture(
        (100, 26), walk_among_those_for_sale, theme="pettui-light", profile=DEMO
    ),
    "list-401.svg": picture((100, 26), have_the_key_refused),
    "detail.svg": picture((100, 24), open_one),
    "create-categories.svg": picture((120, 24), choose_a_category),
    "create-400.svg": picture((100, 24), correct),
    "help.svg": picture((100, 30), pressing("f1")),
    "columns.svg": picture((100, 20), ask_what_columns_are),
    "import.svg": picture((100, 20), import_a_file),
    "requests.svg": picture((100, 26), look_at_requests),
    "tour.svg": draw_tour,
    "own-app.svg": draw_own_app,
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
