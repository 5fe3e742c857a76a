"""What an unknown animal could be: it is looked for in the whole list, and a person decides."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING
from unicodedata import normalize
from unittest.mock import Mock, patch

import pytest

from pettui.outbox import EntryState, MemoryEntryStore, OutboxError, Refusal
from tests.exhaustive import exhaustive
from tests.outbox.scripted import an_entry
from tests.tui.driving import Driver, check_screen, open_app
from tests.tui.scripted_service import Response, ScriptedService, error, html, page, pet, pets

if TYPE_CHECKING:
    from collections.abc import Iterable

SENT_AGAIN = "there would be two, and neither can be deleted"


@pytest.fixture
def service() -> ScriptedService:
    """It has no animals."""
    return ScriptedService([])


def unknown_entries(*names: str, sent_ago: float | None = 7200.0) -> MemoryEntryStore:
    """Return a store with an unknown entry for each name, the first one the newest."""
    store = MemoryEntryStore()
    for number, name in enumerate(reversed(names)):
        entry = an_entry(name, EntryState.UNKNOWN, number)
        sent_at = None if sent_ago is None else time.time() - sent_ago
        store.add(replace(entry, sent_at=sent_at, refusal=Refusal("no response")))
    return store


def lists(service: ScriptedService, rows: Iterable[object]) -> None:
    service.always("listPets", Response(body=[*rows]))


async def look(driver: Driver, *keys: str) -> None:
    """Press ``l`` in the outbox, after other keys, and wait until the list was read."""
    await driver.press("o", *keys, "l")
    await driver.until(lambda: not driver.screen.request.is_running)
    await driver.settled()


async def lose(driver: Driver, name: str = "Rex", category: str = "3") -> None:
    """Type an animal whose response is lost, from the list and back to it."""
    before = len(driver.entries)
    driver.service.next("createPet", html(500))
    await driver.press("a", *name, "tab", category, "enter")
    await driver.until(lambda: states(driver)[before:] == [f"{name} unknown"])
    await driver.press("escape", "escape")


def states(driver: Driver) -> list[str]:
    return [f"{entry.name} {entry.state.value}" for entry in driver.entries]


def asked(driver: Driver) -> str:
    """Return the text of the question, with single spaces."""
    return " ".join(" ".join(re.findall("│(.*)│", driver.text)).split())


def rows(driver: Driver) -> list[str]:
    """Return the animals that stand there, with single spaces."""
    lines = [" ".join(line.replace("▌", " ").split()) for line in driver.lines]
    titles = next((at for at, line in enumerate(lines) if line.startswith("Id Name")), len(lines))
    return [line for line in lines[titles + 1 : -2] if line[:1].isdigit()]


@pytest.mark.parametrize("size", [(120, 30), (80, 24), (40, 12)])
async def test_what_it_could_be_stands_there_with_how_it_is_decided(size: tuple[int, int]) -> None:
    service = ScriptedService([])
    lists(
        service, [pet(41, "Rex", 3, status="sold", born=2024), pet(40, " rex "), pet(39, "Rex", 4)]
    )
    async with open_app(service, size=size, store=unknown_entries("Rex")) as driver:
        await look(driver)
        check_screen(driver, "what it could be")
        await driver.sees("Unknown", "Rex  3 Dogs · – not set", "▲ sent 2 h 0 min ago: no response")
        assert [row.split()[0] for row in rows(driver)] == ["41", "40"]
        if size[0] > 40:
            assert rows(driver)[0] == "41 Rex ○ sold born: 2024"
            await driver.sees("the list was read to its end: 3 animals on 1 page")
            await driver.sees("2 animals could be it", "↵ It is this one", "esc Leave it")
        else:
            await driver.sees("↵ this · s none · F6 Full text")
            await driver.press("f6")
            assert asked(driver) == "the list was read to its end: 3 animals on 1 page"


async def test_enter_says_that_it_is_this_one_and_nothing_is_sent(service: ScriptedService) -> None:
    lists(service, [pet(41), pet(40, "REX", status="sold")])
    async with open_app(service, store=unknown_entries("Rex")) as driver:
        await look(driver)
        assert states(driver) == ["Rex unknown"]
        await driver.press("j")
        await driver.press("enter")
        await driver.sees("Outbox", "Rex was added, with id 40", "added, id 40: it is listed with")
        assert states(driver) == ["Rex added"]
        assert driver.sent_names == []
        await driver.press("R")
        await driver.sees("1 added today", "REX")


@pytest.mark.parametrize(
    ("typed", "stored"),
    [("Rex ", "Rex"), (normalize("NFD", "Zoë"), normalize("NFC", "Zoë")), ("REX", "rex")],
    ids=["trimmed", "composed", "case"],
)
async def test_a_service_that_changes_names_is_found_out(typed: str, stored: str) -> None:
    service = ScriptedService([])
    lists(service, [pet(1, stored)])
    async with open_app(service, store=unknown_entries(typed)) as driver:
        await look(driver)
        assert len(rows(driver)) == 1


async def test_all_linked_pages_are_read_in_any_order_and_counted(service: ScriptedService) -> None:
    service.always("listPets", Response(body=pets(20)))
    async with open_app(service, store=unknown_entries("Animal 150")) as driver:
        gate = asyncio.Event()
        service.next("listPets", page(1), page(101, gate=gate), page(901, 7, last=True))
        await driver.press("o", "l")
        await driver.sees("reading the list: 1 page, 100 animals…")
        assert driver.screen.header.spinner
        gate.set()
        await driver.sees("the list was read to its end: 207 animals on 3 pages")
        assert rows(driver) == ["150 Animal 150 – not set"]
        assert all(asked.query["limit"] == "100" for asked in service.requests_for("listPets")[-3:])


async def test_where_the_list_is_cut_it_is_said(service: ScriptedService) -> None:
    lists(service, pets(100))
    async with open_app(service, store=unknown_entries("Rex")) as driver:
        await look(driver)
        await driver.sees(
            "None that can be read has this name and category, and the list goes on. s sends"
        )
        await driver.sees(
            "the list was read no further than 100 animals on 1 page: the service links"
        )
        await driver.press("s")
        await driver.sees("Send Rex again?")
        assert asked(driver).startswith("The list was not read to its end. It was sent")


async def test_one_key_goes_through_all_that_are_unknown(service: ScriptedService) -> None:
    lists(service, [pet(41, "Mimi"), pet(40, "Rex")])
    async with open_app(service, store=unknown_entries("Rex", "Mimi", "Tiny", "Bim")) as driver:
        await look(driver, "j")
        await driver.sees("Mimi  3 Dogs", "1 of 4 unknown", "41  Mimi")
        await driver.press("enter")
        await driver.sees(
            "Mimi was added, with id 41",
            "Tiny  3 Dogs",
            "No animal of this name and category is listed.",
        )
        await driver.press("n")
        await driver.sees("Bim  3 Dogs", "2 of 3 unknown")
        await driver.press("n")
        await driver.press("enter")
        await driver.sees("Rex was added, with id 40", "Tiny  3 Dogs")
        await driver.press("N")
        await driver.sees("Bim  3 Dogs", "2 of 2 unknown")
        await driver.press("escape")
        await driver.sees("Outbox", "4 entries, 2 unknown")
    assert len(service.requests_for("listPets")) == 2  # the list's own, and that for all four


async def test_what_one_of_two_alike_became_is_not_the_other(service: ScriptedService) -> None:
    lists(service, [pet(41), pet(40)])
    async with open_app(service, store=unknown_entries("Rex", "Rex")) as driver:
        await look(driver)
        assert len(rows(driver)) == 2
        await driver.press("enter")
        await driver.sees("Rex was added, with id 41", "left out: 1 animal that you added")
        assert rows(driver) == ["40 Rex – not set"]


async def test_an_id_of_ones_own_that_another_animal_has_is_not_left_out(driver: Driver) -> None:
    """SQLite gives the highest id again once its row is deleted."""
    await driver.press("a", *"Rxe", "tab", "3", "enter")
    await driver.until(lambda: states(driver) == ["Rxe added"])
    await driver.press("escape", "escape")
    await lose(driver)
    lists(driver.service, [pet(1, "Rex")])
    await look(driver)
    assert rows(driver) == ["1 Rex – not set"]


async def test_enter_typed_before_it_stood_there_decides_nothing(service: ScriptedService) -> None:
    lists(service, [pet(41), pet(40)])
    async with open_app(service, store=unknown_entries("Rex", "Rex")) as driver:
        gate = service.hold("listPets")
        await driver.press("o", "l", "enter")
        assert "no animal that it could be stands here" in driver.bottom
        gate.set()
        await driver.until(lambda: rows(driver))
        await driver.press("enter", "enter")
        assert sorted(states(driver)) == ["Rex added", "Rex unknown"]


@pytest.mark.parametrize(
    ("sent_ago", "said"),
    [
        (5.0, "It may still arrive: wait until 40 s have passed, and look again. Otherwise"),
        (
            7200.0,
            "It was sent 2 h 0 min ago. It may have been added all the same, or still arrive.",
        ),
        (None, "ago; when it was sent was not recorded."),
    ],
    ids=["young", "old", "not recorded"],
)
@pytest.mark.parametrize("keys", [("s",), ("l", "s")], ids=["outbox", "looked for"])
async def test_it_is_always_asked_before_it_is_sent_again(
    service: ScriptedService, keys: tuple[str, ...], sent_ago: float | None, said: str
) -> None:
    async with open_app(service, store=unknown_entries("Rex", sent_ago=sent_ago)) as driver:
        await driver.press("o", keys[0])
        await driver.until(lambda: not driver.screen.request.is_running if keys[1:] else True)
        await driver.press(*keys[1:])
        await driver.sees("Send Rex again?")
        assert said in asked(driver)
        assert SENT_AGAIN in asked(driver)
        await driver.press("n")
        assert driver.sent_names == []
        await driver.press(keys[-1])
        await driver.press("y")
        await driver.until(lambda: states(driver) == ["Rex added"])
        assert driver.sent_names == ["Rex"]
        await driver.sees("Outbox")


async def test_how_many_could_be_it_is_said_before_it_is_sent_again(
    service: ScriptedService,
) -> None:
    lists(service, [pet(41), pet(40)])
    async with open_app(service, store=unknown_entries("Rex")) as driver:
        await look(driver)
        await driver.press("s", "y")  # what is typed ahead answers nothing
        assert asked(driver).startswith("2 animals of the list could be it. It was sent 2 h")
        assert driver.sent_names == []


async def test_a_failure_stands_there_and_f5_reads_on(service: ScriptedService) -> None:
    async with open_app(service, store=unknown_entries("Animal 7")) as driver:
        service.next("listPets", page(101), error(403, "forbidden", "Not you"))
        await look(driver)
        await driver.sees("✖ 403 forbidden", "Not you", "F5 Retry")
        await driver.sees("100 animals on 1 page of the list read so far")
        await driver.sees("None that was read has this name and category.")
        before = len(service.requests_for("listPets"))
        service.next("listPets", page(1, last=True))
        await driver.press("f5")
        await driver.sees("the list was read to its end: 200 animals on 2 pages")
        assert "Not you" not in driver.text
        assert rows(driver) == ["7 Animal 7 – not set"]
        assert [
            asked.query.get("cursor") for asked in service.requests_for("listPets")[before:]
        ] == ["101"]


async def test_esc_stops_reading_and_then_leaves_it(service: ScriptedService) -> None:
    async with open_app(service, store=unknown_entries("Animal 150")) as driver:
        service.next("listPets", page(101))
        await driver.press("o")
        gate = asyncio.Event()
        service.next("listPets", page(1, last=True, gate=gate))
        await driver.press("l")
        await driver.sees("reading the list: 1 page, 100 animals")
        await driver.press("escape")
        await driver.sees("stopped: F5 reads on", "100 animals on 1 page of the list read so far")
        assert rows(driver) == ["150 Animal 150 – not set"]
        await driver.press("escape")
        await driver.sees("Outbox", "1 entry, 1 unknown")
        gate.set()


async def test_it_is_decided_while_the_list_is_still_read(service: ScriptedService) -> None:
    async with open_app(service, store=unknown_entries("Animal 150")) as driver:
        gate = asyncio.Event()
        service.next("listPets", page(101), page(1, last=True, gate=gate))
        await driver.press("o", "l")
        await driver.until(lambda: rows(driver))
        await driver.press("enter")
        await driver.sees("Outbox", "added, id 150")
        gate.set()


async def test_what_was_seen_before_it_was_sent_stands_last_and_says_so(
    service: ScriptedService,
) -> None:
    lists(service, [pet(40), pet(7, "Mimi")])
    async with open_app(service) as driver:
        await lose(driver)
        lists(service, [pet(40), pet(7, "Mimi"), pet(3)])
        await look(driver)
        assert rows(driver) == ["3 Rex – not set", "40 Rex – not set seen before it was sent"]


async def test_nothing_is_said_to_be_seen_of_an_id_that_another_animal_had(
    service: ScriptedService,
) -> None:
    """A test system that is reset every night begins its ids anew."""
    lists(service, pets(50, category=1))
    async with open_app(service) as driver:
        lists(service, pets(3, category=1))
        await driver.answered("r")
        await lose(driver)
        lists(service, [pet(4), *pets(3, category=1)])
        await look(driver)
        assert rows(driver) == ["4 Rex – not set"]


async def test_what_an_earlier_try_may_have_become_is_not_said_to_be_seen_before(
    service: ScriptedService,
) -> None:
    async with open_app(service) as driver:
        await lose(driver)
        lists(service, [pet(1)])
        await driver.answered("r")
        driver.service.next("createPet", html(500))
        await driver.press("o", "s")
        await driver.press("y")
        await driver.until(lambda: driver.sent_names == ["Rex", "Rex"])
        await driver.until(lambda: states(driver) == ["Rex unknown"])
        await driver.press("escape")
        await look(driver)
        assert rows(driver) == ["1 Rex – not set"]


async def test_what_became_of_it_meanwhile_ends_the_question(service: ScriptedService) -> None:
    async with open_app(service, store=unknown_entries("Rex")) as driver:
        await look(driver)
        await driver.press("s")
        await driver.app.session.outbox.send_again(driver.entries[0].entry_id)
        await driver.until(lambda: states(driver) == ["Rex added"])
        await driver.press("y")
        await driver.sees("Outbox")
        assert driver.sent_names == ["Rex"]


async def test_what_the_disk_prevents_is_said_and_nothing_is_decided(
    service: ScriptedService,
) -> None:
    lists(service, [pet(40)])
    store = unknown_entries("Rex")
    async with open_app(service, store=store) as driver:
        await look(driver)
        with patch.object(
            store, "change", Mock(side_effect=OutboxError("no space left on device"))
        ):
            await driver.press("enter")
        await driver.sees("✖ Can't keep that", "no space left on device")
        assert states(driver) == ["Rex unknown"]
        await driver.press("escape")
        await driver.press("enter")
        await driver.sees("Rex was added, with id 40")


@pytest.mark.parametrize("size", [(40, 12), *exhaustive((80, 24), (300, 100))])
async def test_hostile_names_and_very_many_animals_are_drawn_safely(size: tuple[int, int]) -> None:
    service, name = ScriptedService([]), "\x1b[31m\u202eRex 🐹" * 30
    alike = [pet(2**62 + number, name, status=name) for number in range(250)]
    lists(service, alike)
    async with open_app(service, size=size, store=unknown_entries(name, sent_ago=None)) as driver:
        await look(driver)
        check_screen(driver, "hostile")
        await driver.press("f6")
        check_screen(driver, "whole")
        await driver.press("escape", "G", "k")
        check_screen(driver, "the last ones")
