"""Find and load all pages together: what matches stands there as it is loaded."""

from __future__ import annotations

import asyncio

from tests.tui.driving import Driver, ids_of, open_app
from tests.tui.scripted_service import Response, ScriptedService, pet, pets


def page(first: int, *others: dict[str, object], gate: asyncio.Event | None = None) -> Response:
    """Return a page of 100 animals and others before them, linked to the next one."""
    link = (("link", f'</v1/pets?limit=100&cursor={first}>; rel="next"'),)
    return Response(body=[*others, *pets(100 - len(others), first)], headers=link, gate=gate)


def found(driver: Driver) -> list[int]:
    return ids_of(driver.lines)


async def test_what_matches_appears_as_it_is_loaded_and_the_cursor_stays() -> None:
    """With the words found before, and with words that are typed while pages come."""
    gates = [asyncio.Event() for _ in range(3)]
    service = ScriptedService([])
    service.next(
        "listPets",
        page(800, pet(1000, "Luna")),
        page(700, pet(990, "Luna II"), gate=gates[0]),
        page(600, pet(980, "Balu"), gate=gates[1]),
        Response(body=[pet(970, "luna III")], gate=gates[2]),
    )
    async with open_app(service, limit=100) as driver:
        await driver.press("/", *"luna", "enter")
        assert found(driver) == [1000]
        await driver.press("M")
        await driver.sees("loading: 0 rows", "1 of 100 loaded")
        gates[0].set()
        await driver.until(lambda: found(driver) == [1000, 990])
        await driver.press("j", "/")
        assert driver.screen.table.highlighted.id == 990
        gates[1].set()
        await driver.sees("2 of 300 loaded")
        await driver.press(*" i")
        await driver.until(lambda: found(driver) == [990])
        gates[2].set()
        await driver.until(lambda: found(driver) == [990, 970])
        assert driver.screen.table.highlighted.id == 990


async def test_esc_stops_the_loading_before_it_leaves_the_line() -> None:
    """One thing at a time: the request, the line, the find."""
    service = ScriptedService([])
    service.next("listPets", page(800, pet(1000, "Luna")), Response(gate=asyncio.Event()))
    async with open_app(service, limit=100) as driver:
        await driver.press("/", *"luna", "enter", "M", "/", "escape")
        await driver.sees("stopped after 0 rows, 0 pages")
        assert driver.screen.open_line is not None
        await driver.press("escape")
        assert driver.screen.open_line is None
        assert found(driver) == [1000]
        await driver.press("escape")
        assert len(found(driver)) > 10


async def test_a_found_or_sorted_list_loads_nothing_at_its_end() -> None:
    service = ScriptedService([])
    service.next("listPets", page(800, pet(1000, "Luna")))
    async with open_app(service, limit=100) as driver:
        await driver.press("/", *"luna", "enter", "j", "G", "G", "pagedown", "escape")
        await driver.press("s", "G", "j", "G")
        assert len(service.requests_for("listPets")) == 1
