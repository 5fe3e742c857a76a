"""The last list stands there at once, marked with its time, until the answer is there."""

from __future__ import annotations

from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest

from pettui.models import PetStatus
from pettui.transfer.last_lists import LastList, LastLists, LastView, SeenLists
from tests.transfer.animals import plain_pet
from tests.tui.driving import NOON, ids_of, open_app
from tests.tui.scripted_service import UNAUTHORIZED, Response, ScriptedService, listing, pet, pets

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from pettui.models import Pet

YESTERDAY = NOON.replace(hour=18, minute=2) - timedelta(days=1)


def animals(count: int, first: int = 1) -> list[Pet]:
    """Return this many animals, newest first; the last has the id ``first``."""
    ids = range(first + count - 1, first - 1, -1)
    return [plain_pet(each, f"Animal {each}") for each in ids]


def seen(
    all_animals: Iterable[Pet] = (),
    *,
    at: datetime = YESTERDAY,
    sold: Iterable[Pet] = (),
    view: LastView | None = None,
) -> SeenLists:
    """Return what a start finds."""
    lists = {None: tuple(all_animals), PetStatus.SOLD: tuple(sold)}
    kept = {status: LastList(those, at.timestamp()) for status, those in lists.items() if those}
    return SeenLists(LastLists(MappingProxyType(kept), view or LastView()))


def silent() -> ScriptedService:
    """Return a service that answers no list."""
    service = ScriptedService()
    service.hold("listPets")
    return service


async def test_the_last_list_stands_there_before_any_answer_with_its_time() -> None:
    async with open_app(silent(), seen=seen(animals(3)), loaded=False, size=(40, 12)) as driver:
        await driver.sees("Animal 3", "Animal 1", "as of yesterday 18:02")


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (NOON - timedelta(days=2), "as of 19 November 12:01"),
        (NOON - timedelta(days=365), "as of 21 November 2025 12:01"),
    ],
    ids=str,
)
async def test_an_older_time_is_said_with_its_day(at: datetime, text: str) -> None:
    async with open_app(silent(), seen=seen(animals(3), at=at), loaded=False) as driver:
        await driver.sees(text)


async def test_the_answer_takes_its_place_and_its_mark_away() -> None:
    service = ScriptedService()
    gate = service.hold("listPets")
    async with open_app(service, seen=seen(animals(3)), loaded=False) as driver:
        await driver.sees("yesterday 18:02")
        gate.set()
        await driver.sees_no("yesterday 18:02", "Animal 3")
        await driver.sees("20 shown")


async def test_cursor_and_scroll_stay_where_they_are_when_the_answer_comes() -> None:
    service = ScriptedService()
    service.always("listPets", Response(body=pets(62)))
    gate = service.hold("listPets")
    async with open_app(service, seen=seen(animals(60)), loaded=False, limit=100) as driver:
        await driver.sees("Animal 60")
        await driver.press("end", *["up"] * 5)
        before = ids_of(driver.lines)
        gate.set()
        await driver.sees_no("yesterday 18:02")
        await driver.settled()
        assert ids_of(driver.lines) == before
        assert driver.screen.target.id == 6


async def test_at_the_top_what_is_new_comes_into_sight() -> None:
    service = ScriptedService()
    service.always("listPets", Response(body=pets(62)))
    gate = service.hold("listPets")
    async with open_app(service, seen=seen(animals(60)), loaded=False, limit=100) as driver:
        await driver.sees("Animal 60")
        gate.set()
        await driver.sees("Animal 62")
        assert ids_of(driver.lines)[:3] == [62, 61, 60]
        assert driver.screen.target.id == 60


async def test_a_filter_that_was_seen_before_is_drawn_at_once() -> None:
    last = seen(sold=animals(2, first=70), at=NOON)
    async with open_app(ScriptedService(), seen=last) as driver:
        gate = driver.service.hold("listPets")
        await driver.press("4")
        await driver.sees("Animal 71", "sold as of 12:01:03")
        await driver.press("1")
        await driver.sees("all as of 12:01:03", "20 shown")
        await driver.sees_no("Animal 71")
        gate.set()
        await driver.sees_no("all as of")


async def test_the_list_begins_as_it_was_left() -> None:
    found = [pet(each, name, status="sold") for each, name in enumerate(("Rex", "Zoe", "Anna"))]
    view = LastView(PetStatus.SOLD, 40, "name", is_descending=True)
    async with open_app(listing(found), seen=seen(view=view)) as driver:
        [asked] = driver.service.requests_for("listPets")
        assert asked.query == {"status": "sold", "limit": "40"}
        assert driver.screen.tabs.active == "sold"
        assert [each.name for each in driver.screen.table.rows] == ["Zoe", "Rex", "Anna"]


async def test_a_refused_key_leaves_nothing_of_what_was_seen() -> None:
    last = seen(animals(3), sold=animals(2, first=70))
    async with open_app(listing(UNAUTHORIZED), seen=last) as driver:
        await driver.sees("401 unauthorized")
        assert last.of(None) is None
        await driver.press("4")
        await driver.sees_no("Animal 71")


async def test_a_key_that_is_refused_for_an_animal_leaves_nothing_either() -> None:
    last = seen(animals(3))
    async with open_app(ScriptedService(), seen=last) as driver:
        driver.service.always("createPet", UNAUTHORIZED)
        assert last.of(None) is not None
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.until(lambda: last.of(None) is None)
