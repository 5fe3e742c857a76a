"""What the list shows and asks for by itself: the last list, the watch, a service that is away."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.client import Backoff
from pettui.models.pets import Pet, PetStatus
from pettui.remembered.last_lists import LastList, LastLists, LastView
from pettui.remembered.seen_lists import SeenLists
from pettui.tui.list.list_loading import Refreshing
from pettui.tui.session.session import RefreshPace
from tests.animals import plain_pet
from tests.exhaustive import exhaustive
from tests.tui.driving import NOON, Driver, ids_of, open_app
from tests.tui.scripted_service import (
    UNAUTHORIZED,
    Response,
    ScriptedService,
    error,
    listing,
    page,
    pet,
    pets,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


# The last list


ADD = ("a", *"Rex", "tab", "3", "enter")
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


async def test_the_last_list_stands_there_until_the_answer_and_the_cursor_stays_on_its_animal() -> (
    None
):
    service = listing(pets(62))
    gate = service.hold("listPets")
    async with open_app(
        service, seen=seen(animals(60)), loaded=False, limit=100, size=(40, 12)
    ) as driver:
        await driver.sees("Animal 60", "as of yesterday 18:02")
        await driver.press("end", *["up"] * 5)
        before = ids_of(driver.lines)
        gate.set()
        await driver.sees_no("yesterday 18:02")
        assert ids_of(driver.lines) == before
        assert driver.screen.target.id == 6


async def test_a_filter_that_was_seen_before_is_drawn_at_once() -> None:
    last = seen(sold=animals(2, first=70), at=NOON)
    async with open_app(ScriptedService(), seen=last) as driver:
        gate = driver.service.hold("listPets")
        await driver.press("4")
        await driver.sees("Animal 71", "sold animals as of 12:01:03")
        gate.set()
        await driver.sees_no("sold animals as of", "Animal 71")


async def test_the_list_begins_as_it_was_left() -> None:
    found = [pet(each, name, status="sold") for each, name in enumerate(("Rex", "Zoe", "Anna"))]
    view = LastView(PetStatus.SOLD, 40, "name", is_descending=True)
    async with open_app(listing(found), seen=seen(view=view)) as driver:
        [asked] = driver.service.requests_for("listPets")
        assert asked.query == {"status": "sold", "limit": "40"}
        assert driver.screen.tabs.active == "sold"
        assert [each.name for each in driver.screen.table.rows] == ["Zoe", "Rex", "Anna"]


@pytest.mark.parametrize(("operation", "keys"), [("listPets", ("r",)), ("createPet", ADD)])
async def test_a_refused_key_leaves_nothing_of_what_was_seen(
    operation: str, keys: tuple[str, ...]
) -> None:
    last = seen(animals(3), sold=animals(2, first=70))
    async with open_app(ScriptedService(), seen=last) as driver:
        driver.service.always(operation, UNAUTHORIZED)
        assert last.of(None) is not None
        await driver.press(*keys)
        await driver.until(lambda: last.of(None) is None)
        assert last.of("sold") is None


# The watch


DROPPED = Response(error=httpx.ReadError("dropped"))
LONG = RefreshPace(first=30.0, longest=30.0, longest_watch=60.0)
SOON = RefreshPace(first=0.02, longest=0.1)
AWAY = {"a dropped line": DROPPED, "its own word": error(503, "unavailable", "Back soon")}


def asked(driver: Driver) -> int:
    return len(driver.service.requests_for("listPets"))


def next_attempt(driver: Driver) -> int:
    """Return the seconds that the header names; 0 where it names none."""
    found = re.search(r"next attempt in (\d+) s", driver.lines[1])
    return int(found[1]) if found else 0


async def some_more(driver: Driver, count: int = 5) -> None:
    before = asked(driver)
    await driver.until(lambda: asked(driver) >= before + count)


async def test_w_refreshes_again_and_again_and_says_so_until_w_ends_it() -> None:
    async with open_app(listing(pets(3)), watch=0.05) as driver:
        await driver.press("w")
        await driver.sees("watching: refreshing every 0.05 s")
        assert "watch 0.05 s" in driver.lines[1]
        await some_more(driver)
        driver.service.always("listPets", Response(body=pets(4)))
        await driver.sees("4 shown", "1 new")
        await driver.press("M", "escape")  # all pages take its turn
        await some_more(driver)
        await driver.press("/")
        assert "watch paused" in driver.lines[1]
        await driver.press("escape", "w")
        await driver.sees("no longer watching")
        await driver.until(lambda: not driver.screen.request.is_running)
        before = asked(driver)
        await driver.press(*["j", "k"] * 5)
        assert asked(driver) == before


@pytest.mark.parametrize("keys", [["/", "l"], ["f1"]], ids=str)
async def test_it_rests_while_something_is_typed_or_below_a_screen(keys: list[str]) -> None:
    async with open_app(watch=0.05) as driver:
        await driver.press("w")
        await some_more(driver)
        await driver.press(*keys)
        await driver.until(lambda: not driver.app.screen_stack[0].request.is_running)
        before = asked(driver)
        await driver.press(*["left", "right"] * 5)
        assert asked(driver) <= before + 1  # what was on its way
        await driver.press("escape", "escape")
        await some_more(driver, 2)


async def test_a_failure_is_said_with_the_time_of_the_next_attempt() -> None:
    async with open_app(watch=5.0, pace=LONG) as driver:
        await driver.press("w")
        driver.service.always("listPets", DROPPED)
        await driver.press("r")
        await driver.until(lambda: next_attempt(driver))
        seconds = next_attempt(driver)
        await driver.until(lambda: 0 < next_attempt(driver) < seconds)


@pytest.mark.parametrize("answer", AWAY.values(), ids=AWAY)
async def test_a_service_that_is_back_is_noticed_without_a_key(answer: Response) -> None:
    service = ScriptedService()
    service.always("listPets", answer)
    async with open_app(service, pace=SOON) as driver:
        assert driver.screen.error_banner.failure is not None
        await driver.press("escape")
        await some_more(driver, 12)
        assert driver.screen.error_banner.failure is None
        driver.service.always("listPets", None)
        await driver.sees("20 shown", "the service is back")


async def test_a_page_further_down_that_failed_is_left_for_the_key_that_goes_on() -> None:
    service = ScriptedService()
    service.next("listPets", page(100, 20))
    async with open_app(service, pace=SOON) as driver:
        service.always("listPets", DROPPED)
        await driver.press("m")
        await driver.sees("No response")
        await driver.until(lambda: driver.screen.refreshing.next_in == 0.0)
        before = asked(driver)
        service.always("listPets", Response(body=pets(20, 80)))
        await driver.press("f5")
        await driver.sees("40 shown")
        assert asked(driver) == before + 1
        assert "cursor" in service.requests[-1].query


@pytest.mark.parametrize("size", [(120, 30), *exhaustive((80, 24), (40, 12))], ids=str)
async def test_after_a_lost_response_adds_wait_as_the_line_says(size: tuple[int, int]) -> None:
    def waits() -> int:
        return driver.number(r"adds wait (\d+) s")

    backoff = Backoff(first=60.0, longest=1000.0)  # the first wait is half of that
    async with open_app(ScriptedService(), size=size, backoff=backoff) as driver:
        driver.service.always("createPet", DROPPED)
        await driver.press(*ADD, *"Mimi", "enter")
        await driver.sees("F9 Decide")
        await driver.press("escape", "escape")
        await driver.sees("adds wait ", "o, F5: try now")
        assert ("the service answers, adds wait " in driver.text) == (size[0] > 80)
        first = waits()
        await driver.until(lambda: 0 < waits() < first)
        driver.service.always("createPet", None)
        await driver.press("o")
        await driver.sees("adds wait ", "F5 tries now")
        await driver.press("f5")
        await driver.sees("Mimi", "added", "unknown")


async def test_after_a_429_no_list_that_nobody_asked_for_comes_before_the_adds_that_wait() -> None:
    service = ScriptedService()
    async with open_app(service) as driver:
        second = (("Retry-After", "1"),)
        service.next("createPet", error(429, "busy", "Later.", headers=second))
        await driver.press(*ADD, *"Mimi", "enter", "escape")
        await driver.sees("Mimi", "Rex", "added this session: 2")
        operations = [request.operation for request in service.requests]
        first = operations.index("createPet")
        assert operations[first : first + 4] == ["createPet"] * 3 + ["listPets"]


PACE = RefreshPace(first=2.0, longest=15.0, longest_watch=60.0)


@pytest.mark.parametrize(
    ("every", "most"),
    [
        (None, [2.0, 4.0, 8.0, 15.0, 15.0]),
        (10.0, [20.0, 40.0, 60.0, 60.0]),
        (120.0, [120.0, 120.0]),
    ],
    ids=str,
)
def test_each_failure_in_a_row_may_wait_longer_up_to_a_bound_and_no_client_waits_as_long(
    every: float | None, most: list[float]
) -> None:
    timing = Refreshing(PACE)
    timing.every = every
    for each in most:
        timing.failed(is_tried=True)
        waits = {timing.seconds() or 0.0 for _ in range(50)}
        assert all((every or 0.0) <= seconds <= each for seconds in waits)
        assert len(waits) > 1 or each == every
    assert timing.has_failed
    timing.succeeded()
    assert (timing.seconds(), timing.has_failed) == (every, False)


def test_a_permanent_failure_is_retried_only_while_the_list_is_watched() -> None:
    timing = Refreshing(PACE)
    timing.failed(is_tried=False)
    assert (timing.seconds(), timing.next_in) == (None, None)
    timing.every = 10.0
    assert timing.seconds()
