"""Marks of new rows stay until the clerk refreshes by hand."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest

from pettui.models import NewPet, PetStatus
from pettui.outbox import DirectoryEntryStore, EntryState
from pettui.transfer.last_lists import LastLists, SeenLists
from tests.tui.driving import Driver, ids_of, open_app
from tests.tui.scripted_service import ScriptedService, listing, pet, pets

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
async def driver() -> AsyncIterator[Driver]:
    """A list of three old animals."""
    async with open_app(service()) as driver:
        yield driver


def service() -> ScriptedService:
    return ScriptedService([NewPet(name=f"Old {number}", category_id=3) for number in range(3)])


def marked(driver: Driver) -> list[int]:
    """Return the ids of the rows that are marked as new."""
    return ids_of([line for line in driver.lines if line[1:2] == "+"])


async def add(driver: Driver, *names: str) -> None:
    """Add animals, and go back to the list at once."""
    keys = [key for name in names for key in (*name, "enter")]
    await driver.press("a", "tab", "ctrl+u", "3", "shift+tab", *keys, "escape")
    await driver.until(lambda: all(entry.state is EntryState.ADDED for entry in driver.entries))


async def test_each_of_a_batch_keeps_its_mark(driver: Driver) -> None:
    await add(driver, "Rex", "Mimi", "Tiny")
    await driver.until(lambda: marked(driver) == [6, 5, 4])
    await add(driver, "Bam")
    await driver.until(lambda: marked(driver) == [7, 6, 5, 4])


async def test_the_clerks_own_refresh_takes_the_marks_away(driver: Driver) -> None:
    await add(driver, "Rex", "Mimi")
    await driver.until(lambda: marked(driver) == [5, 4])
    await driver.press("f5")
    await driver.until(lambda: marked(driver) == [])


async def test_a_filter_and_back_keeps_the_marks(driver: Driver) -> None:
    await add(driver, "Rex")
    await driver.until(lambda: marked(driver) == [4])
    await driver.press("2")
    await driver.sees("No available animals")
    await driver.press("1")
    await driver.until(lambda: ids_of(driver.lines) == [4, 3, 2, 1])
    assert marked(driver) == [4]
    await driver.sees_no("all as of")
    assert marked(driver) == [4]


async def test_another_limit_takes_no_mark_away(driver: Driver) -> None:
    await add(driver, "Rex")
    await driver.until(lambda: marked(driver) == [4])
    before = len(driver.service.requests_for("listPets"))
    await driver.press("plus")
    await driver.until(lambda: len(driver.service.requests_for("listPets")) > before)
    await driver.settled()
    assert marked(driver) == [4]


async def test_after_a_restart_what_arrived_is_marked_and_not_what_was_added_here(
    tmp_path: Path,
) -> None:
    last = SeenLists()
    async with open_app(service(), store=DirectoryEntryStore(tmp_path), seen=last) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.until(lambda: all(each.state is EntryState.ADDED for each in driver.entries))
    again = listing(pets(6))  # the 4th was added here, and not yet listed
    async with open_app(again, store=DirectoryEntryStore(tmp_path), seen=next_day(last)) as driver:
        await driver.until(lambda: marked(driver) == [6, 5])
        assert "added this session" not in driver.text
        await driver.press("r")
        await driver.until(lambda: marked(driver) == [])


def next_day(last: SeenLists) -> SeenLists:
    """Return what the next start finds."""
    statuses = {None, *PetStatus}
    kept = {status: each for status in statuses if (each := last.of(status)) is not None}
    return SeenLists(LastLists(MappingProxyType(kept), last.left))


async def test_what_arrived_in_an_empty_list_since_the_last_start_is_marked() -> None:
    last = SeenLists()
    async with open_app(listing([]), seen=last):
        pass
    async with open_app(listing(pets(2)), seen=next_day(last)) as driver:
        await driver.until(lambda: marked(driver) == [2, 1])
        assert "2 new" in driver.bottom


async def test_what_stood_on_the_screen_is_seen_on_all_pages_and_under_every_filter() -> None:
    last = SeenLists()
    async with open_app(limit=10, seen=last) as driver:
        await driver.press("2")
        await driver.sees_no("◐ pending")
        await driver.press("1", "m")
        await driver.until(lambda: len(driver.screen.table.rows) == 20)
    async with open_app(limit=10, seen=next_day(last)) as driver:
        assert marked(driver) == []
        await driver.press("m")
        await driver.until(lambda: len(driver.screen.table.rows) == 20)
        assert marked(driver) == []
        await driver.press("2")
        await driver.sees_no("◐ pending")
        assert marked(driver) == []


async def test_arrivals_are_marked_on_further_pages_too() -> None:
    last = SeenLists()
    async with open_app(listing(pets(3)), seen=last):
        pass
    async with open_app(limit=10, seen=next_day(last)) as driver:
        assert "10 new" in driver.bottom
        await driver.press("m")
        await driver.sees("20 new")


async def test_a_window_that_added_nothing_says_nothing_of_this_session(tmp_path: Path) -> None:
    async with open_app(service(), store=DirectoryEntryStore(tmp_path)) as other:
        async with open_app(service(), store=DirectoryEntryStore(tmp_path)) as driver:
            await add(driver, "Rex")
            await driver.sees("added this session: 1")
            await other.until(lambda: [entry.name for entry in other.entries] == ["Rex"])
            await other.settled()
            assert "added this session" not in other.text
        # Its entries are taken over when it is closed; that adds nothing either.
        await other.until(lambda: not other.entries[0].owned_elsewhere)
        await other.settled()
        assert "added this session" not in other.text


async def test_what_happens_by_itself_asks_for_the_first_page_alone_and_merges_it() -> None:
    async with open_app(limit=10) as driver:
        await driver.press("m")
        await driver.until(lambda: len(driver.screen.table.rows) == 20)
        await driver.press("m")
        await driver.until(lambda: len(driver.screen.table.rows) == 30)
        rows = ids_of(driver.lines)
        before = len(driver.service.requests_for("listPets"))
        await add(driver, "Rex")
        await driver.until(lambda: len(driver.screen.table.rows) == 31)
        assert ids_of(driver.lines)[1:] == rows[: len(ids_of(driver.lines)) - 1]
        assert len(marked(driver)) == 1
        assert len(driver.service.requests_for("listPets")) == before + 1
        await driver.press("m")
        await driver.until(lambda: len(driver.screen.table.rows) == 41)


async def test_n_goes_to_the_next_marked_row_and_capital_n_to_the_one_before() -> None:
    changed = [pet(9, "A"), *pets(6)[:2], pet(4, "Other")]
    async with open_app(listing(pets(6), changed)) as driver:
        await driver.press("n")
        await driver.sees("no new or changed row")
        await driver.press("r")
        await driver.until(lambda: ids_of(driver.lines) == [9, 6, 5, 4])
        table = driver.screen.table
        assert table.rows[table.cursor].id == 6
        await driver.press("n")
        assert table.rows[table.cursor].id == 4
        await driver.press("n")
        assert table.rows[table.cursor].id == 9
        await driver.sees("continued from the top")
        await driver.press("N")
        assert table.rows[table.cursor].id == 4
        await driver.press("N")
        assert table.rows[table.cursor].id == 9
