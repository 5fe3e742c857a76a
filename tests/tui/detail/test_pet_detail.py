"""The detail: at once from the list, then confirmed, with the notice of what goes away."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest

from pettui.models.pets import Pet
from pettui.outbox.entries import OutboxError
from pettui.outbox.receipts import Added, Source
from pettui.service.stores.samples import sample_pets
from pettui.transfer.journal import Journal
from tests.exhaustive import first
from tests.tui.driving import (
    Case,
    Driver,
    case,
    check_screen,
    fits,
    on,
    open_app,
    resized,
    responds,
    sees,
    sees_no,
    strips_of,
    table,
)
from tests.tui.form.steps import box_says, on_empty, pastes
from tests.tui.outbox.test_leaving import always
from tests.tui.scripted_service import Response, ScriptedService, error, html, listing, pet, pets
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from tests.tui.driving import Start, Step

REX = pet(2, "Rex", 3, status="available")
MIMI = pet(1, "Mimi", 1, status="sold", vaccinated=True)
TOMS = (pet(10, "Tom", 3, status="sold"), REX, pet(9, "Tom", 7), pet(8, "Tom", 1))
LARGE = pet(1, "N" * 5000, 3, **{f"field{number}": "x" * 500 for number in range(2000)})
GONE = error(410, "gone", "no more")
NOT_FOUND = error(404, "not_found", "There is no animal with this petId")
STATED = (("sunset", "Fri, 01 Jan 2027 00:00:00 GMT"),)
DEPRECATED = (("deprecation", "true"),)


def rex_and_mimi() -> ScriptedService:
    """Return a service that lists both, and has Rex."""
    service = listing([REX, MIMI])
    service.always("getPet", Response(body=REX))
    return service


@pytest.fixture
def service() -> ScriptedService:
    return rex_and_mimi()


def on_held(*animals: object, **options: Any) -> Start:
    """Return a start: these are listed, and getPet waits until ``goes_on``."""

    def service() -> ScriptedService:
        held = listing([*animals]) if animals else rex_and_mimi()
        held.hold("getPet")
        return held

    return on(service, **options)


async def goes_on(driver: Driver) -> None:
    """Let what is held be answered."""
    driver.service.hold("getPet").set()


async def in_2031(driver: Driver) -> None:
    """Let the date of the removal be over."""
    driver.clock.time = datetime(2031, 1, 1, tzinfo=UTC)


def asked(**query: str) -> Step:
    """Return a step that waits until the newest request had this query."""
    return lambda driver: driver.until(lambda: dict(driver.service.requests[-1].query) == query)


def was_added(name: str, source: Source = Source.IMPORT) -> Step:
    """Return a step that records that an animal with Rex's id was added."""

    async def record(driver: Driver) -> None:
        added = Added.of(name, source, Pet(id=2, name=name, category_id=3))
        driver.app.session.outbox.receipts.record(added)

    return record


async def nothing_runs(driver: Driver) -> None:
    """Wait until the receipt was read, too."""
    await driver.until(lambda: not [*driver.app.workers])


@table(
    case("it opens at once with what the list knew", on_held(), "enter",
         sees("Rex", "● available", "from the list, 12:01:03"), goes_on,
         sees("confirmed", "12:01:03")),
    case("a change since the list is marked", on(rex_and_mimi),
         always("getPet", Response(body=pet(2, "Rex II", 3, status="sold"))), "enter",
         sees("Rex II  ~ changed", "○ sold  ~ changed"), sees_no("3 Dogs  ~ changed")),
    case("what is longer than its room ends in an ellipsis", on_held(LARGE, size=(60, 24)), "enter",
         sees("NNN…", "field0"), *["pagedown"] * 40, sees("more fields")),
    *first(*(
        case(f"others with its name that are loaded stand there {size}", on_held(*TOMS, size=size),
             "enter", sees("Same name   9  7 Small pets  – not set", "8  1 Cats"),
             "j", sees_no("Same name"))
        for size in ((120, 30), (80, 24))
    )),
    case("when it was first seen stands there; another animal than asked for is no answer",
         on(rex_and_mimi), "enter", sees("First seen  12:01:03"), "escape",
         "number_sign", *"77", "enter", sees("requested animal 77, got 2"),
         sees_no("First seen", "Rex")),
    case("who added it, when and how, and what was sent", on_empty(), responds("createPet",
            Response(201, pet(6, "Mimi", 3)), Response(201, pet(7, "Rex II", 3, status="sold"))),
         responds("listPets", Response(body=[pet(7, "Rex II", 3), pet(6, "Mimi", 3)])),
         "a", *"Mimi", "tab", "3", "f2", sees("by you, in the form", "Sent        Mimi"),
         sees("3 Dogs · – not set"), sees_no("differs"), "escape", *"Rex", "f2",
         sees("by you, in the form", "3 Dogs · – not set  ~ differs")),
    case("F6 shows the whole of a long name that was sent", on_empty(),
         responds("createPet", Response(201, pet(6, "Mimi", 3))), "a", pastes("Mimi " * 60),
         "tab", "3", "f2", sees("differs", "F6 Full text"), "f6", box_says("Mimi " * 59)),
    case("of what others added, or had its id, nothing is said", on(rex_and_mimi),
         was_added("Molly"), "enter", sees("confirmed"), nothing_runs, sees_no("Added"),
         was_added("Rex"), "j", "k", sees("by you, imported"), sees_no("Sent")),
    case("without headers the notice is what the interface announces", on_held(size=(99, 30)),
         "enter", sees("getPet is deprecated. It goes away on 5 December 2030 (in 1,475 days). "
                       "Use instead: GET /pets with the status filter.")),
    case("a refusal states its own notice, and one without leaves it", on(rex_and_mimi),
         responds("getPet", error(404, "not_found", "No", headers=STATED), html(500)), "enter",
         sees("404 not_found", "It goes away on 1 January 2027"), "f5",
         sees("500 from the service", "It goes away on 1 January 2027"), "f5",
         sees("confirmed", "It goes away on 5 December 2030")),
    case("an animal that is gone keeps the list's values", on(rex_and_mimi),
         always("getPet", NOT_FOUND), "enter", sees("✖ 404 not_found", "no longer there"),
         sees("There is no animal with this petId", "● available")),
    *first(*(
        case(f"where getPet is gone the list is asked: {refusal.status}", on(rex_and_mimi),
             always("getPet", refusal), "enter",
             sees("getPet is gone; looked up by GET /pets?status", "getPet is deprecated"),
             asked(limit="100", status="available"), sees_no("✖"))
        for refusal in (error(405, "gone", "no"), GONE, html(501))
    )),
    case("after the removal date a 404 means that getPet is gone", on(rex_and_mimi), in_2031,
         always("getPet", NOT_FOUND), "enter", sees("getPet is gone; looked up by GET /pets")),
    case("a list does not prove that an animal is gone", on(rex_and_mimi),
         responds("listPets", Response(body=pets(3, 100))), always("getPet", GONE), "enter",
         sees("not among the animals that the service lists", "Rex")),
    case("an animal of an unknown status is looked up among all",
         on(lambda: listing([pet(1, status="on loan")])), always("getPet", GONE), "enter",
         sees("looked up by GET /pets"), asked(limit="100")),
    case("a lookup that fails is shown in the banner", on(rex_and_mimi), always("getPet", GONE),
         responds("listPets", error(500, "internal", "No luck", headers=DEPRECATED)), "enter",
         sees("500 internal", "No luck", "● available", "listPets is deprecated."), "f5",
         sees("looked up by GET /pets"), sees_no("✖")),
    case("j and k go through the animals of the list",
         on(lambda: ScriptedService(islice(sample_pets(), 3))),
         "enter", "k", sees("1 of 3", "Id          3", "this is the first animal"),
         "j", sees_no("this is the first animal"), sees("2 of 3", "Id          2"),
         "down", "j", "right", "j",
         sees("3 of 3", "Id          1", "confirmed", "this is the last animal"),
         "up", sees("2 of 3")),
    case("a late answer for another animal is dropped", on_held(), always("getPet", None),
         responds("getPet", Response(body=pet(2, "Late")), Response(body=MIMI)), "enter", "j",
         goes_on, sees("confirmed"), sees_no("Late")),
    case("Esc stops the waiting for another attempt first", on(rex_and_mimi),
         always("getPet", Response(503, b"", (("retry-after", "25"),))), "enter",
         sees("retrying in", "s (attempt 2 of 4), esc stops"), "escape",
         sees("503 unavailable", "F5 Retry"), "escape", sees("1 All")),
    case("the list's keys work on an animal, and go back to its lines",
         on(rex_and_mimi, open_journal=Journal.in_memory), "enter", "j", "/", *"mim",
         sees("1 of 2 loaded"), "escape", "enter", sees("Id          1"), "number_sign", sees("# "),
         "escape", "enter", sees("Id          1"), "i", sees("Import"), "escape", "enter", "o",
         sees("The outbox is empty"), "escape", sees("Id          1")),
    case("over the form the list is not gone back to", on_empty(), "a", *"Rex", "tab", "3", "f2",
         sees("Id          1"), "/", sees("the form is open below")),
)  # fmt: skip
async def test_an_animal(case: Case) -> None:
    await case.run()


@pytest.mark.parametrize("size", [(120, 30), (80, 24)], ids=str)
async def test_status_and_category_are_large_where_there_is_room(size: tuple[int, int]) -> None:
    async with open_app(listing([REX]), size=size) as driver:
        driver.service.hold("getPet")
        await driver.press("enter")
        check_screen(driver, "large")
        row = driver.lines.index(driver.line_with("● available"))
        for text in ("● available", "3 Dogs"):
            x = driver.lines[row].index(text)
            cells = [strip.crop(x, x + 1) for strip in strips_of(driver.app)[row - 2 : row + 3]]
            above, *tile, below = (cell.style.bgcolor for strip in cells for cell in strip)
            assert len({*tile}) == 1
            assert above == below != tile[0]
        for smaller in ((size[0], 23), (46, 30)):
            await resized(driver, smaller)
            await driver.sees("Status      ● available", "Category    3 Dogs")


async def test_what_the_receipt_has_of_an_animal_that_was_left_meanwhile_is_dropped(
    driver: Driver,
) -> None:
    receipts, may_go_on = driver.app.session.outbox.receipts, threading.Event()
    await was_added("Rex", Source.FORM)(driver)

    def slowly(pet: Pet) -> Added | None:
        assert may_go_on.wait(PATIENCE)
        return type(receipts).added(receipts, pet)

    with patch.object(receipts, "added", slowly):
        driver.service.hold("getPet")
        await driver.press("enter", "j")
        may_go_on.set()
        await driver.until(lambda: all(each.group != "receipt" for each in driver.app.workers))
        assert "by you" not in driver.text
        await driver.press("k")
        await driver.sees("by you, in the form")


async def test_a_receipt_that_cannot_be_read_is_among_what_happened(driver: Driver) -> None:
    receipts = driver.app.session.outbox.receipts
    with patch.object(receipts, "added", side_effect=OutboxError("cannot read what was added")):
        await driver.press("enter")
        await driver.sees("confirmed")
        await driver.until(lambda: driver.app.session.history)
    await driver.press("f12")
    await driver.sees("The receipt can't be read", "cannot read what was added")


async def test_json_stands_there_only_where_it_adds_something(driver: Driver) -> None:
    await driver.press("enter")
    await driver.sees("confirmed")
    assert "{" not in driver.text
    for others in ({"chip": {"maker": "Acme"}}, {"tags": []}, {"note": "two\nlines"}):
        driver.service.always("getPet", Response(body=pet(2, "Rex", 3, **others)))
        await driver.press("r")
        await driver.sees("As it came", f'"{next(iter(others))}": ')
        await fits(driver)


EXACT = (
    '{"id":  5, "categoryId":3.0,"name":"R\\u0065x \\ud83d\\ude00", "price": 1.10, "weight": 1e400,'
    ' "tag": -0.0, "number": 123456789012345678901234567890, "status" : null}'
)
OTHER = EXACT.replace("5", "4", 1)
NOW = EXACT.replace("1.10", "1.20").replace(' "tag"', '\n"tag"')


def exact() -> ScriptedService:
    """Return a service that lists two animals, and has the first with another price."""
    service = listing(Response(body=f"[ {EXACT} , {OTHER}]".encode()))
    service.always("getPet", Response(body=f" {NOW}\n".encode()))
    return service


def copied(text: str) -> Step:
    """Return a step that waits until the clipboard has exactly this text."""
    return lambda driver: driver.until(lambda: driver.app.clipboard == text)


def bottom_is(text: str) -> Step:
    """Return a step that waits until the status line begins so."""
    return lambda driver: driver.until(lambda: driver.bottom.startswith(text))


@table(
    case("y copies the id under the cursor", on(lambda: listing([pet(2**63 - 1), pet(-7)])),
         "y", copied(str(2**63 - 1)), "j", "y", copied("-7")),
    case("a remark stands until the next key, beside what the line says of the list", on(),
         "y", bottom_is("copied id 60, if this terminal allows it · 20 shown"),
         "j", bottom_is("20 shown"), "enter", "Y", sees("copied animal 59 as JSON"),
         "pagedown", sees_no("copied")),
    case("a text that is too long for terminals is not copied, and said",
         on(lambda: listing([pet(5, "x" * 200_000)])), "Y", bottom_is("too long to copy: 200,"),
         copied(""), "y", copied("5")),
    case("the copied JSON is exactly the received one", on(exact), "Y", copied(EXACT),
         "j", "Y", copied(OTHER), "k", "enter", sees("confirmed"),
         "Y", copied(NOW.replace("\n", " ")), "y", copied("5")),
    case("without an animal nothing is copied", on(lambda: listing([pet(2), {"id": 1}])),
         "y", "j", "y", "Y", sees("there is no animal here to copy"), copied("2")),
)  # fmt: skip
async def test_copying(case: Case) -> None:
    await case.run()


@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+x"])
async def test_an_api_key_is_never_copied(key: str) -> None:
    async with open_app() as driver:
        await driver.press("f7", *"secret", "shift+home", key)
        assert driver.app.clipboard == ""
        assert ("•" in driver.text) is (key == "ctrl+c")
