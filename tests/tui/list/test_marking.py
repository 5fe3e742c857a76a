"""Rows are marked by hand, and what is taken is what was marked; new rows are marked too."""

from __future__ import annotations

import csv
import json
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest

from pettui.models.pets import NewPet, Pet, PetStatus
from pettui.outbox.entries import EntryState
from pettui.outbox.receipts import Added, MemoryReceipts, Source
from pettui.outbox.stores.directory import DirectoryEntryStore
from pettui.remembered.last_lists import LastLists
from pettui.remembered.seen_lists import SeenLists
from pettui.transfer.open_imports import OpenImports
from tests.tui.driving import Case, Driver, case, ids_of, on, open_app, sees, table
from tests.tui.list.steps import is_on
from tests.tui.scripted_service import Response, ScriptedService, listing, pet, pets

if TYPE_CHECKING:
    from pathlib import Path


STATUSES = {6: "sold", 5: "available", 4: "sold", 3: "available", 2: "pending", 1: "available"}
ANIMALS = [pet(number, f"Animal {number}", status=status) for number, status in STATUSES.items()]


@pytest.fixture
def service() -> ScriptedService:
    """It lists these animals."""
    return listing(ANIMALS)


def shown(driver: Driver) -> list[int]:
    return ids_of([line.replace("■", " ") for line in driver.lines])


def marked(driver: Driver) -> list[int]:
    """Return the ids of the rows that have the sign of a mark."""
    return ids_of([line.replace("■", " ") for line in driver.lines if line[2:3] == "■"])


MARKS = {
    "space marks a row and goes on": ("space space j space", [6, 5, 3], "3 marked"),
    "a second one unmarks it": ("space space j space g space", [5, 3], "2 marked"),
    "esc unmarks all": ("space space escape", [], "2 marks removed"),
    "all that are shown": ("/sold enter A escape", [6, 4], "2 marked"),
    "all that are marked already": ("A A", [6, 5, 4, 3, 2, 1], "all 6 are marked already"),
    "inverted among what is found": (
        "space j space I /sold enter I escape A",
        [*range(6, 0, -1)],
        "",
    ),
    "what is found next, too": ("/pending f2 /sold f2", [6, 4, 2], "6 shown"),
    "a range goes with the cursor": ("j v j j k", [5, 4], "v: end"),
    "a range to the other side": ("j v j j k g", [6, 5], "esc: undo"),
    "a second key ends the range": ("j v j j k g v G", [6, 5], "2 marked"),
    "esc takes only the range back": ("space space v j j escape G", [6, 5], "2 marked"),
    "a range ends where rows move": ("v j S s S G", [6, 5], "2 marked"),
    "only the marked ones": ("/sold f2 V g space", [4], "2 of 6 loaded · only marked"),
    "there are none": ("V", [], "nothing is marked: space marks a row"),
    "none that is found": ("/nobody f2", [], ""),
    "all again, by V": ("/sold f2 V V", [6, 4], "6 shown"),
}


@pytest.mark.parametrize(("keys", "ids", "said"), MARKS.values(), ids=MARKS)
async def test_keys_mark_rows(driver: Driver, keys: str, ids: list[int], said: str) -> None:
    await driver.do(keys)
    assert marked(driver) == ids
    assert said in driver.bottom


TAKEN = {
    "the marked ids in the order shown": ("j j space g space y", "6\n4", "copied 2 ids, if this"),
    "the row under the cursor": ("space space escape y", "4", "copied id 4, if this terminal"),
    "what is marked among all, found or not": ("space /pending f2 /3 enter y", "6\n2", "copied 2"),
}


@pytest.mark.parametrize(("keys", "copied", "said"), TAKEN.values(), ids=TAKEN)
async def test_y_copies(driver: Driver, keys: str, copied: str, said: str) -> None:
    await driver.do(keys)
    assert driver.app.clipboard == copied
    assert said in driver.bottom


async def test_a_mark_that_no_row_shows_counts_and_is_taken(directory: Path) -> None:
    async with open_app(listing(ANIMALS)) as driver:
        await driver.press("space", "space")
        animals = [ANIMALS[1] | {"name": "Animal 5b"}, *ANIMALS[2:]]
        driver.service.always("listPets", Response(body=animals))
        await driver.answered("2")
        assert "2 marked, 1 not shown" in driver.bottom
        await driver.press("y")
        assert driver.app.clipboard == "5\n6"
        assert "copied 2 ids, 1 not shown, if this terminal allows it" in driver.bottom
        await driver.press("Y")
        renamed = [json.loads(each)["name"] for each in driver.app.clipboard.split("\n")]
        assert renamed == ["Animal 5b", "Animal 6"]  # as was last loaded of each
        await driver.press("e")
        assert "2 marked, 1 not shown" in driver.line_with("Export ")
        await driver.press("enter")
        await driver.sees("wrote 2 rows")
    with (directory / "pets-marked-2026-11-21.csv").open(encoding="utf-8", newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == ["5", "6"]


async def test_a_range_ends_where_another_screen_opens(driver: Driver) -> None:
    await driver.press("v", "enter", "j", "escape")
    await driver.until(lambda: driver.app.screen.table)
    assert len(marked(driver)) == 1


async def test_a_range_goes_on_in_the_pages_that_it_loads() -> None:
    async with open_app(ScriptedService(), limit=20) as driver:
        await driver.press("G", "k", "v", "G", "G")
        await driver.sees("m: more")
        await driver.until(lambda: len(driver.screen.table.rows) > 20)
        await driver.settled()
        assert f"{len(driver.screen.table.rows) - 18} marked" in driver.bottom


async def test_a_slip_among_only_the_marked_ones_is_mended_and_esc_shows_all(
    driver: Driver,
) -> None:
    await driver.do("/sold f2 V g space")
    assert shown(driver) == [6, 4]
    for keys, ids in (("/6 enter", [6]), ("escape", [6, 4]), ("escape", [6, 5, 4, 3, 2, 1])):
        await driver.do(keys)
        assert shown(driver) == ids
    assert marked(driver) == [4]


# New rows


def old_animals() -> ScriptedService:
    return ScriptedService([NewPet(name=f"Old {number}", category_id=3) for number in range(3)])


def new_rows(driver: Driver) -> list[int]:
    """Return the ids of the rows that are marked as new."""
    return ids_of([line for line in driver.lines if line[1:2] == "+"])


async def add(driver: Driver, *names: str) -> None:
    """Add animals, and go back to the list at once."""
    keys = [key for name in names for key in (*name, "enter")]
    await driver.press("a", "tab", "ctrl+u", "3", "shift+tab", *keys, "escape")
    await driver.until(lambda: all(entry.state is EntryState.ADDED for entry in driver.entries))


async def others_add(driver: Driver, *names: str) -> None:
    """Let somebody else add animals."""
    for name in names:
        await driver.service.store.create_pet(NewPet(name=name, category_id=3))


async def test_each_of_a_batch_keeps_its_mark_until_the_clerks_own_refresh() -> None:
    """Whoever adds animals knows them: new is what others added; a filter and back keeps marks."""
    async with open_app(old_animals()) as driver:
        await others_add(driver, "Rex", "Mimi")
        await add(driver, "Own")
        await driver.until(lambda: new_rows(driver) == [5, 4])
        assert "6  Own" in driver.text
        await others_add(driver, "Bam")
        await add(driver, "Own too")
        await driver.until(lambda: new_rows(driver) == [7, 5, 4])
        await driver.answered("2")
        await driver.answered("1")
        await driver.answered("plus")
        assert new_rows(driver) == [7, 5, 4]
        await driver.answered("f5")
        assert new_rows(driver) == []


async def test_what_happens_by_itself_asks_for_the_first_page_alone_and_merges_it() -> None:
    async with open_app(limit=10) as driver:
        await driver.answered("m")
        rows = [each.id for each in driver.screen.table.rows]
        await others_add(driver, "Rex")
        await add(driver, "Own")
        await driver.until(lambda: len(driver.screen.table.rows) == 22)
        assert [each.id for each in driver.screen.table.rows][2:] == rows
        assert new_rows(driver) == [rows[0] + 1]
        assert len(driver.service.requests_for("listPets")) == 3


async def test_after_a_restart_what_was_added_elsewhere_is_marked(tmp_path: Path) -> None:
    last = SeenLists()
    async with open_app(old_animals(), store=DirectoryEntryStore(tmp_path), seen=last) as driver:
        await add(driver, "Rex")
    again = listing(pets(6))  # the 4th was added here, and not yet listed
    async with open_app(again, store=DirectoryEntryStore(tmp_path), seen=next_day(last)) as driver:
        await driver.until(lambda: new_rows(driver) == [6, 5])
        assert "added this session" not in driver.text
        await driver.press("r")
        await driver.until(lambda: new_rows(driver) == [])


def next_day(last: SeenLists) -> SeenLists:
    """Return what the next start finds."""
    statuses = {None, *PetStatus}
    kept = {status: each for status in statuses if (each := last.of(status)) is not None}
    return SeenLists(LastLists(MappingProxyType(kept), last.last_view))


async def test_after_an_import_that_was_killed_what_it_added_is_not_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    last, receipts = SeenLists(), MemoryReceipts()
    left = OpenImports(tmp_path, "https://store.example/v1")
    async with open_app(listing(pets(2)), seen=last):
        pass
    receipts.record(Added.of("line 3", Source.IMPORT, Pet(id=3, name="Rex", category_id=3)))
    left.set("pets.csv", 1)
    monkeypatch.setattr("pettui.outbox.outbox.MemoryReceipts", lambda: receipts)
    async with open_app(listing(pets(4)), seen=next_day(last), open_imports=left) as driver:
        await driver.until(lambda: new_rows(driver) == [4])


async def test_what_arrived_in_an_empty_list_since_the_last_start_is_marked() -> None:
    last = SeenLists()
    async with open_app(listing([]), seen=last):
        pass
    async with open_app(limit=10, seen=next_day(last)) as driver:
        await driver.sees("10 new")
        await driver.press("m")
        await driver.sees("20 new")


async def test_what_stood_on_the_screen_is_seen_on_all_pages_and_under_every_filter() -> None:
    last = SeenLists()
    async with open_app(limit=10, seen=last) as driver:
        await driver.answered("2")
        await driver.answered("1")
        await driver.answered("m")
    async with open_app(limit=10, seen=next_day(last)) as driver:
        assert new_rows(driver) == []
        await driver.answered("m")
        assert len(driver.screen.table.rows) == 20
        assert new_rows(driver) == []
        await driver.answered("2")
        assert new_rows(driver) == []


CHANGED = [pet(9, "A"), *pets(6)[:2], pet(4, "Other")]


@table(
    case("n goes to the next new or changed row, and N to the one before",
        on(lambda: listing(pets(6), CHANGED)), "n", sees("no new or changed row"),
        "r", sees("+    9  A", "~    4  Other", "1 new", "1 changed"), is_on(6), "n", is_on(4),
        "n", is_on(9), sees("continued from the top"), "N", is_on(4)),
)  # fmt: skip
async def test_going_to_new_rows(case: Case) -> None:
    await case.run()
