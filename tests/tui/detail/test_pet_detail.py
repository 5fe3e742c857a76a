"""The detail: at once from the list, then confirmed, with the notice of what goes away."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice

import pytest

from pettui.service.stores.samples import sample_pets
from pettui.transfer.journal import Journal
from tests.exhaustive import exhaustive
from tests.tui.driving import Driver, ids_of, open_app
from tests.tui.scripted_service import Response, ScriptedService, error, html, listing, pet, pets

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
    assert "Status    ● available" in driver.text
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


async def test_without_headers_the_notice_is_what_the_interface_announces(driver: Driver) -> None:
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
    await driver.sees("getPet is gone; looked up by GET /pets with the status filter")
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
        await driver.sees("1 of 3", f"Id        {ids[0]}", "this is the first animal")
        await driver.press("j")
        await driver.sees_no("this is the first animal")
        await driver.sees("2 of 3", f"Id        {ids[1]}")
        await driver.press("down", "j", "right", "j")
        await driver.sees("3 of 3", f"Id        {ids[2]}", "confirmed", "this is the last animal")
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
        await driver.sees("Id        1")
        await driver.press("/")
        await driver.sees("the form is open below")
