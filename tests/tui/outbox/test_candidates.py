"""What an unknown animal could be: it is looked for in the whole list, and a person decides."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING
from unicodedata import normalize
from unittest.mock import Mock, patch

import pytest

from pettui.outbox.entries import EntryState, OutboxError, Refusal
from pettui.outbox.stores.memory import MemoryEntryStore
from tests.exhaustive import exhaustive, first
from tests.outbox.scripted import an_entry
from tests.tui.driving import Case, Driver, case, fits, open_app, responds, sees, sees_no, table
from tests.tui.form.steps import LOST, answers, box_says, on_empty, outbox_has, sent
from tests.tui.outbox.test_leaving import always
from tests.tui.scripted_service import Response, ScriptedService, error, page, pet, pets

if TYPE_CHECKING:
    from tests.tui.driving import Start, Step

SENT_AGAIN = "there would be two, and neither can be deleted"
NOT_LISTED = "No animal of this name and category is listed."
TWO = [pet(41), pet(40)]


def unknown_entries(*names: str, sent_ago: float | None = 7200.0) -> MemoryEntryStore:
    """Return a store with an unknown entry for each name, the first one the newest."""
    store = MemoryEntryStore()
    for number, name in enumerate(reversed(names)):
        entry = an_entry(name, EntryState.UNKNOWN, number)
        sent_at = None if sent_ago is None else time.time() - sent_ago
        store.add(replace(entry, sent_at=sent_at, refusal=Refusal("no response")))
    return store


def on_unknown(*names: str, sent_ago: float | None = 7200.0) -> Start:
    """Return a start: nothing is listed, and these are unknown."""
    return lambda: open_app(
        ScriptedService([]), store=unknown_entries(*names or ["Rex"], sent_ago=sent_ago)
    )


def lists(*animals: object) -> Step:
    """Return a step from which on the service lists these."""
    return always("listPets", Response(body=[*animals]))


def looks(*keys: str) -> Step:
    """Return a step that presses ``l`` in the outbox, and waits until the list was read."""

    async def look(driver: Driver) -> None:
        await driver.press("o", *keys, "l")
        await driver.until(lambda: not driver.screen.request.is_running)
        await driver.settled()

    return look


async def holds_the_list(driver: Driver) -> None:
    """Let the list wait until ``goes_on``."""
    driver.service.hold("listPets")


async def goes_on(driver: Driver) -> None:
    """Let the list be answered."""
    driver.service.hold("listPets").set()


async def refreshes(driver: Driver) -> None:
    """Read the list anew."""
    await driver.answered("r")


async def sends_the_first_again(driver: Driver) -> None:
    """Send the first entry again, as another key would."""
    await driver.app.session.outbox.send_again(driver.entries[0].entry_id)


def rows(driver: Driver) -> list[str]:
    """Return the animals that stand there, with single spaces."""
    lines = [" ".join(line.replace("▌", " ").split()) for line in driver.lines]
    titles = next((at for at, line in enumerate(lines) if line.startswith("Id Name")), len(lines))
    return [line for line in lines[titles + 1 : -2] if line[:1].isdigit()]


def could_be(*animals: str) -> Step:
    """Return a step that waits until these stand there."""
    return lambda driver: driver.until(lambda: rows(driver) == [*animals])


REX_IS_LOST = (
    answers(LOST), "a", *"Rex", "tab", "3", "enter", sees("– not set  unknown"), "escape", "escape",
)  # fmt: skip


@table(
    case("Enter says that it is this one, and nothing is sent", on_unknown(),
         lists(pet(41), pet(40, "REX", status="sold")), looks(), outbox_has("Rex 3 unknown"),
         "j", "enter", sees("Outbox", "Rex was added, with id 40", "id 40: it is listed with"),
         outbox_has("Rex 3 added"), sent(), "R", sees("1 added today", "REX")),
    *first(*(
        case(f"a service that changes names is found out: {how}", on_unknown(typed),
             lists(pet(1, stored)), looks(), sees("1 animal could be it"))
        for how, typed, stored in (
            ("trimmed", "Rex ", "Rex"), ("case", "REX", "rex"),
            ("composed", normalize("NFD", "Zoë"), normalize("NFC", "Zoë")),
        )
    )),
    case("where the list is cut it is said", on_unknown(), lists(*pets(100)), looks(),
         sees("None that can be read has this name and category, and the list goes on. s sends"),
         sees("the list was read no further than 100 animals on 1 page: the service links"),
         "s", box_says("The list was not read to its end. It was sent")),
    case("one key goes through all that are unknown", on_unknown("Rex", "Mimi", "Tiny", "Bim"),
         lists(pet(41, "Mimi"), pet(40, "Rex")), looks("j"),
         sees("Mimi  3 Dogs", "1 of 4 unknown", "41  Mimi"), "enter",
         sees("Mimi was added, with id 41", "Tiny  3 Dogs", NOT_LISTED), "n",
         sees("Bim  3 Dogs", "2 of 3 unknown"), "n", sees("Rex  3 Dogs"), "enter",
         sees("Rex was added, with id 40", "Tiny  3 Dogs"), "N",
         sees("Bim  3 Dogs", "2 of 2 unknown"), "escape", sees("Outbox", "4 entries, 2 unknown")),
    case("what one of two alike became is not the other", on_unknown("Rex", "Rex"), lists(*TWO),
         looks(), could_be("41 Rex 3 Dogs – not set", "40 Rex 3 Dogs – not set"), "enter",
         sees("Rex was added, with id 41", "left out: 1 animal that you added"),
         could_be("40 Rex 3 Dogs – not set")),
    case("an id of one's own that another animal has is not left out",  # SQLite gives it again
         on_empty(), "a", *"Rxe", "tab", "3", "enter", outbox_has("Rxe 3 added"), "escape",
         *REX_IS_LOST, lists(pet(1, "Rex")), looks(), could_be("1 Rex 3 Dogs – not set")),
    case("Enter typed before it stood there decides nothing", on_unknown("Rex", "Rex"),
         lists(*TWO), holds_the_list, "o", "l", "enter",
         sees("no animal that it could be stands here"), goes_on, sees("41  Rex"),
         "enter", "enter", outbox_has("Rex 3 unknown", "Rex 3 added")),
    *(
        case(f"it is always asked before it is sent again: {sent_ago} {keys}",
             on_unknown(sent_ago=sent_ago), "o", *keys[:-1], sees("Rex"), keys[-1],
             sees("Send Rex again?"), box_says(SENT_AGAIN, said), "n", sees_no("Send Rex again?"), sent(),
             keys[-1], sees("Send Rex again?"), "y", outbox_has("Rex 3 added"), sent("Rex"),
             sees("Outbox"))
        for sent_ago, keys, said in (
            (5.0, ("s",), "It may still arrive: wait until 40 s have passed, and look again."),
            (7200.0, ("l", "s"), "It was sent 2 h 0 min ago. It may have been added all the same,"),
            (None, ("s",), "ago; when it was sent was not recorded."),
        )
    ),
    case("how many could be it is said before, and what is typed ahead answers nothing",
         on_unknown(), lists(*TWO), looks(), "s", "y",
         box_says("2 animals of the list could be it. It was sent 2 h"), sent()),
    case("a failure stands there, and F5 reads on", on_unknown("Animal 7"),
         responds("listPets", page(101), error(403, "forbidden", "Not you")), looks(),
         sees("✖ 403 forbidden", "Not you", "F5 Retry"),
         sees("100 animals on 1 page of the list read so far"),
         sees("None that was read has this name and category."),
         responds("listPets", page(1, last=True)), "f5",
         sees("the list was read to its end: 200 animals on 2 pages"), sees_no("Not you"),
         could_be("7 Animal 7 3 Dogs – not set")),
    case("what was seen before it was sent stands last, and says so", on_empty(),
         lists(pet(40), pet(7, "Mimi")), refreshes, *REX_IS_LOST,
         lists(pet(40), pet(7, "Mimi"), pet(3)), looks(),
         could_be("3 Rex 3 Dogs – not set", "40 Rex 3 Dogs – not set before it was sent")),
    case("and on a narrow screen for the row under the cursor", on_empty(size=(80, 24)),
         lists(pet(40)), refreshes, *REX_IS_LOST, looks(), sees("seen before it was sent")),
    case("a field of the service's of that name says nothing of it", on_empty(size=(80, 24)),
         lists(pet(40, seen="yes")), refreshes, *REX_IS_LOST,
         lists(pet(41, seen="yes"), pet(40, seen="yes")), looks(), sees("2 animals could be it"),
         sees_no("before it was sent"), "j", sees("seen before it was sent")),
    case("nothing is said to be seen of an id that another animal had",  # ids that begin anew
         on_empty(), lists(*pets(50, category=1)), refreshes, lists(*pets(3, category=1)),
         refreshes, *REX_IS_LOST, lists(pet(4), *pets(3, category=1)), looks(),
         could_be("4 Rex 3 Dogs – not set")),
    case("what an earlier try may have become is not said to be seen before", on_empty(),
         *REX_IS_LOST, lists(pet(1)), refreshes, answers(LOST), "o", "s", sees("Send Rex again?"),
         "y", sent("Rex", "Rex"), outbox_has("Rex 3 unknown"), "escape", looks(),
         could_be("1 Rex 3 Dogs – not set")),
    case("what became of it meanwhile ends the question", on_unknown(), looks(), "s",
         sees("Send Rex again?"), sends_the_first_again, outbox_has("Rex 3 added"), "y",
         sees("Outbox"), sent("Rex")),
)  # fmt: skip
async def test_candidates(case: Case) -> None:
    await case.run()


@pytest.mark.parametrize("size", [(120, 30), (80, 24), (40, 12)])
async def test_what_it_could_be_stands_there_with_how_it_is_decided(size: tuple[int, int]) -> None:
    service = ScriptedService([])
    listed = [pet(41, "Rex", 3, status="sold", born=2024), pet(40, " rex "), pet(39, "Rex", 4)]
    service.always("listPets", Response(body=listed))
    async with open_app(service, size=size, store=unknown_entries("Rex")) as driver:
        await looks()(driver)
        await fits(driver)
        await driver.sees("Unknown", "Rex  3 Dogs · – not set", "▲ sent 2 h 0 min ago: no response")
        assert [row.split()[0] for row in rows(driver)] == ["41", "40"]
        if size[0] > 40:
            assert rows(driver)[0].startswith("41 Rex 3 Dogs ○ sold")
            await driver.sees("2 animals could be it", "↵ It is this one", "esc Leave it")
            await driver.sees("the list was read to its end: 3 animals on 1 page")
        else:
            await driver.sees("↵ this · s none · F6 Full text")
            await driver.press("f6")
            await box_says("the list was read to its end: 3 animals on 1 page")(driver)


async def test_all_linked_pages_are_read_in_any_order_and_it_is_decided_meanwhile() -> None:
    service = ScriptedService([])
    async with open_app(service, store=unknown_entries("Animal 150", "Rex")) as driver:
        gate = asyncio.Event()
        service.next("listPets", page(1), page(101), page(901, 7, last=True, gate=gate))
        await driver.press("o", "l")
        await driver.sees("reading the list: 2 pages, 200 animals…")
        assert driver.screen.header.spinner
        await driver.press("enter")
        await driver.sees("Animal 150 was added, with id 150")
        gate.set()
        await driver.sees("the list was read to its end: 207 animals on 3 pages")
        assert all(asked.query["limit"] == "100" for asked in service.requests_for("listPets")[-3:])


async def test_esc_stops_reading_and_then_leaves_it() -> None:
    service = ScriptedService([])
    async with open_app(service, store=unknown_entries("Animal 150")) as driver:
        gate = asyncio.Event()
        service.next("listPets", page(101), page(1, last=True, gate=gate))
        await driver.press("o", "l")
        await driver.sees("reading the list: 1 page, 100 animals")
        await driver.press("escape")
        await driver.sees("stopped: F5 reads on", "100 animals on 1 page of the list read so far")
        assert rows(driver) == ["150 Animal 150 3 Dogs – not set"]
        await driver.press("escape")
        await driver.sees("Outbox", "1 entry, 1 unknown")
        gate.set()


async def test_what_the_disk_prevents_is_said_and_nothing_is_decided() -> None:
    service, store = ScriptedService([]), unknown_entries("Rex")
    service.always("listPets", Response(body=[pet(40)]))
    async with open_app(service, store=store) as driver:
        await looks()(driver)
        full = Mock(side_effect=OutboxError("no space left on device"))
        with patch.object(store, "change", full):
            await driver.press("enter")
        await driver.sees("✖ Can't keep that", "no space left on device")
        await outbox_has("Rex 3 unknown")(driver)
        await driver.press("escape")
        await driver.press("enter")
        await driver.sees("Rex was added, with id 40")


@pytest.mark.parametrize("size", [(40, 12), *exhaustive((80, 24), (300, 100))])
async def test_hostile_names_and_very_many_animals_are_drawn_safely(size: tuple[int, int]) -> None:
    service, name = ScriptedService([]), "\x1b[31m\u202eRex 🐹" * 30
    alike = [pet(2**62 + number, name, status=name) for number in range(250)]
    service.always("listPets", Response(body=alike))
    async with open_app(service, size=size, store=unknown_entries(name, sent_ago=None)) as driver:
        await looks()(driver)
        for keys in ((), ("f6",), ("escape", "G", "k")):
            await driver.press(*keys)
            await fits(driver)
