"""The detail: at once from the list, then confirmed, with the notice of what goes away."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from itertools import islice
from unittest.mock import patch

import pytest

from pettui.models.pets import Pet
from pettui.outbox import Added, OutboxError, Source
from pettui.service.stores.samples import sample_pets
from pettui.transfer.journal import Journal
from tests.exhaustive import exhaustive
from tests.tui.driving import Driver, check_screen, ids_of, open_app, resized, strips_of
from tests.tui.scripted_service import Response, ScriptedService, error, html, listing, pet, pets
from tests.waiting import PATIENCE

REX = pet(2, "Rex", 3, status="available")
MIMI = pet(1, "Mimi", 1, status="sold", vaccinated=True)
GONE = error(410, "gone", "no more")
NOT_FOUND = error(404, "not_found", "There is no animal with this petId")


@pytest.fixture
def service() -> ScriptedService:
    """It lists Rex and Mimi."""
    service = listing([REX, MIMI])
    service.always("getPet", Response(body=REX))
    return service


async def test_it_opens_at_once_with_what_the_list_knew(driver: Driver) -> None:
    gate = driver.service.hold("getPet")
    await driver.press("enter")
    assert "Rex" in driver.text
    assert "● available" in driver.text
    assert "from the list, 12:01:03" in driver.text
    gate.set()
    await driver.sees("confirmed", "12:01:03")
    assert driver.service.requests[-1].path == "/v1/pets/2"


async def test_a_change_since_the_list_is_marked(driver: Driver) -> None:
    driver.service.always("getPet", Response(body=pet(2, "Rex II", 3, status="sold")))
    await driver.press("enter")
    await driver.sees("Rex II  ~ changed", "○ sold  ~ changed")
    assert "changed" not in driver.line_with("Category")


async def test_a_field_that_is_longer_than_its_room_ends_in_an_ellipsis() -> None:
    others = {f"field{number}": "x" * 500 for number in range(2000)}
    async with open_app(listing([pet(1, "N" * 5000, 3, **others)]), size=(60, 24)) as driver:
        driver.service.hold("getPet")
        await driver.press("enter")
        await driver.sees("NNN…", "field0")
        await driver.press(*["pagedown"] * 40)
        await driver.sees("more fields")


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


@pytest.mark.parametrize(("size", "is_beside"), [((120, 30), True), ((80, 24), False)], ids=str)
async def test_others_with_its_name_that_the_list_has_loaded_stand_there(
    size: tuple[int, int], is_beside: bool
) -> None:
    toms = [pet(10, "Tom", 3, status="sold"), REX, pet(9, "Tom", 7), pet(8, "Tom", 1)]
    async with open_app(listing(toms), size=size) as driver:
        driver.service.hold("getPet")
        await driver.press("enter")
        assert "Same name   9  7 Small pets  – not set" in driver.text
        assert (driver.line_with("Same name").index("Same name") > 60) is is_beside
        assert "8  1 Cats" in driver.text
        await driver.press("j")
        assert "Same name" not in driver.text


async def test_when_it_was_first_seen_stands_there_where_that_is_known(driver: Driver) -> None:
    await driver.press("enter")
    await driver.sees("First seen  12:01:03")
    await driver.press("escape", "number_sign", *"77", "enter")
    await driver.sees("requested animal 77, got 2")
    assert "First seen" not in driver.text


# What the receipt has of it


async def test_who_added_it_when_and_how_and_what_was_sent_stand_there() -> None:
    async with open_app(ScriptedService([])) as driver:
        stored = Response(201, pet(7, "Rex II", 3, status="sold"))
        driver.service.next("createPet", Response(201, pet(6, "Mimi", 3)), stored)
        driver.service.next("listPets", Response(body=[pet(7, "Rex II", 3), pet(6, "Mimi", 3)]))
        await driver.press("a", *"Mimi", "tab", "3", "f2")
        await driver.sees("by you, in the form", "Sent        Mimi", "3 Dogs · – not set")
        assert "differs" not in driver.text
        await driver.press("escape", *"Rex", "f2")
        await driver.sees("by you, in the form", "3 Dogs · – not set  ~ differs")


async def test_f6_shows_the_whole_of_a_long_name_that_was_sent() -> None:
    async with open_app(ScriptedService([])) as driver:
        driver.service.next("createPet", Response(201, pet(6, "Mimi", 3)))
        driver.service.hold("getPet")
        await driver.press("a")
        driver.paste("Mimi " * 60)
        await driver.press("tab", "3", "f2")
        await driver.sees("by you, in the form", "differs", "F6 Full text")
        assert driver.text.count("Mimi") < 60
        await driver.press("f6")
        await driver.until(lambda: driver.text.count("Mimi") >= 60)


async def test_what_was_added_by_others_or_has_the_id_of_another_has_no_such_line(
    driver: Driver,
) -> None:
    outbox = driver.app.session.outbox
    outbox.receipts.record(Added.of("key", Source.IMPORT, Pet(id=2, name="Molly", category_id=3)))
    await driver.press("enter")
    await driver.sees("confirmed")
    await driver.until(lambda: not [*driver.app.workers])
    assert "Added" not in driver.text
    outbox.receipts.record(Added.of("other", Source.IMPORT, Pet(id=2, name="Rex", category_id=3)))
    await driver.press("j", "k")
    await driver.sees("by you, imported")
    assert "Sent" not in driver.text


async def test_what_the_receipt_has_of_an_animal_that_was_left_meanwhile_is_dropped(
    driver: Driver,
) -> None:
    receipts, may_go_on = driver.app.session.outbox.receipts, threading.Event()
    receipts.record(Added.of("key", Source.FORM, Pet(id=2, name="Rex", category_id=3)))

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


# Its JSON


async def test_json_stands_there_only_where_it_adds_something(driver: Driver) -> None:
    await driver.press("enter")
    await driver.sees("confirmed")
    assert "{" not in driver.text
    for others in ({"chip": {"maker": "Acme"}}, {"tags": []}, {"note": "two\nlines"}):
        driver.service.always("getPet", Response(body=pet(2, "Rex", 3, **others)))
        await driver.press("r")
        await driver.sees("As it came", f'"{next(iter(others))}": ')
        check_screen(driver, "JSON")


async def test_without_headers_the_notice_is_what_the_interface_announces() -> None:
    async with open_app(listing([REX]), size=(99, 30)) as driver:
        driver.service.hold("getPet")
        await driver.press("enter")
        assert (
            "getPet is deprecated. It goes away on 5 December 2030 (in 1,475 days). "
            "Use instead: GET /pets with the status filter."
        ) in driver.words


async def test_a_refusal_states_its_own_notice_and_one_without_leaves_it(driver: Driver) -> None:
    stated = (("sunset", "Fri, 01 Jan 2027 00:00:00 GMT"),)
    driver.service.next("getPet", error(404, "not_found", "No animal", headers=stated), html(500))
    await driver.press("enter")
    await driver.sees("404 not_found", "It goes away on 1 January 2027")
    await driver.press("f5")
    await driver.sees("500 from the service", "It goes away on 1 January 2027")
    await driver.press("f5")
    await driver.sees("confirmed", "It goes away on 5 December 2030")


async def test_an_animal_that_is_gone_keeps_the_lists_values(driver: Driver) -> None:
    driver.service.always("getPet", NOT_FOUND)
    await driver.press("enter")
    await driver.sees("✖ 404 not_found", "There is no animal with this petId", "no longer there")
    assert "● available" in driver.text
    assert len(driver.service.requests_for("listPets")) == 1


@pytest.mark.parametrize("status", [405, *exhaustive(410, 501)])
async def test_where_get_pet_is_gone_the_list_is_asked(driver: Driver, status: int) -> None:
    driver.service.always("getPet", html(501) if status == 501 else error(status, "gone", "no"))
    await driver.press("enter")
    await driver.sees("getPet is gone; looked up by GET /pets?status")
    assert driver.service.requests[-1].query == {"limit": "100", "status": "available"}
    assert driver.screen.error_banner.failure is None
    assert "getPet is deprecated" in driver.text


async def test_after_the_removal_date_a_404_means_that_get_pet_is_gone(driver: Driver) -> None:
    driver.clock.time = datetime(2031, 1, 1, tzinfo=UTC)
    driver.service.always("getPet", NOT_FOUND)
    await driver.press("enter")
    await driver.sees("getPet is gone; looked up by GET /pets")


async def test_a_list_does_not_prove_that_an_animal_is_gone(driver: Driver) -> None:
    driver.service.next("listPets", Response(body=pets(3, 100)))
    driver.service.always("getPet", GONE)
    await driver.press("enter")
    await driver.sees("not among the animals that the service lists", "Rex")


async def test_an_animal_of_an_unknown_status_is_looked_up_among_all() -> None:
    async with open_app(listing([pet(1, status="on loan")])) as driver:
        driver.service.always("getPet", GONE)
        await driver.press("enter")
        await driver.sees("looked up by GET /pets")
        assert driver.service.requests[-1].query == {"limit": "100"}


async def test_another_animal_than_asked_for_is_no_answer(driver: Driver) -> None:
    driver.service.always("getPet", Response(body=pet(77, "Impostor")))
    await driver.press("enter")
    await driver.sees("requested animal 2, got 77")
    assert "Impostor" not in driver.text


async def test_j_and_k_go_through_the_animals_of_the_list() -> None:
    async with open_app(ScriptedService(islice(sample_pets(), 3))) as driver:
        ids = ids_of(driver.lines)
        await driver.press("enter", "k")
        await driver.sees("1 of 3", f"Id          {ids[0]}", "this is the first animal")
        await driver.press("j")
        await driver.sees_no("this is the first animal")
        await driver.sees("2 of 3", f"Id          {ids[1]}")
        await driver.press("down", "j", "right", "j")
        await driver.sees("3 of 3", f"Id          {ids[2]}", "confirmed", "this is the last animal")
        await driver.press("up")
        await driver.sees("2 of 3")


async def test_a_late_answer_for_another_animal_is_dropped(driver: Driver) -> None:
    gate = driver.service.hold("getPet")
    driver.service.always("getPet", None)
    driver.service.next("getPet", Response(body=pet(2, "Late")), Response(body=pet(1, "Mimi")))
    await driver.press("enter", "j")
    await driver.until(lambda: len(driver.service.requests_for("getPet")) == 2)
    gate.set()
    await driver.sees("confirmed")
    assert "Late" not in driver.text


async def test_esc_stops_the_waiting_for_another_attempt_first(driver: Driver) -> None:
    driver.service.always("getPet", Response(503, b"", (("retry-after", "25"),)))
    await driver.press("enter")
    await driver.sees("retrying in", "s (attempt 2 of 4), esc stops")
    await driver.press("escape")
    await driver.sees("503 unavailable", "F5 Retry")
    await driver.press("escape")
    await driver.sees("1 All")


async def test_a_lookup_that_fails_is_shown_in_the_banner(driver: Driver) -> None:
    driver.service.always("getPet", GONE)
    going = (("deprecation", "true"),)
    driver.service.next("listPets", error(500, "internal", "No luck", headers=going))
    await driver.press("enter")
    await driver.sees("500 internal", "No luck", "● available", "listPets is deprecated.")
    await driver.press("f5")
    await driver.sees("looked up by GET /pets")
    assert driver.screen.error_banner.failure is None


async def test_the_keys_of_the_list_work_on_an_animal_and_go_back_to_its_lines() -> None:
    async with open_app(open_journal=Journal.in_memory) as driver:
        await driver.press("enter", "j", "/", *"rex")
        assert "rex" in driver.line_with(" / ")
        await driver.press("escape", "enter")
        here = driver.screen.pet.id
        await driver.press("number_sign")
        assert "Go to" in driver.text or "#" in driver.text
        await driver.press("escape")
        assert driver.screen.target.id == here
        await driver.press("enter", "i")
        await driver.sees("Import")
        await driver.press("escape", "enter", "o")
        await driver.sees("The outbox is empty")
        await driver.press("escape")
        assert driver.screen.pet.id == here


async def test_over_the_form_the_list_is_not_gone_back_to() -> None:
    async with open_app(ScriptedService([])) as driver:
        await driver.press("a", *"Rex", "tab", "3", "f2")
        await driver.sees("Id          1")
        await driver.press("/")
        await driver.sees("the form is open below")
