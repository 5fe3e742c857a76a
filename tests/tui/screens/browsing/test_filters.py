"""A filter and back: rows, marks and the tab are those of what is shown."""

from __future__ import annotations

from pettui.settings import Limits
from tests.tui.driving import Driver, check_screen, open_app
from tests.tui.scripted_service import ScriptedService


async def answered(driver: Driver, *keys: str) -> list[dict[str, str]]:
    """Press keys, wait for the response, and return what the list was asked for meanwhile."""
    before = len(driver.service.requests_for("listPets"))
    await driver.press(*keys)
    await driver.until(lambda: len(driver.service.requests_for("listPets")) > before)
    await driver.until(lambda: not driver.screen.header.spinner)
    await driver.settled()
    return [dict(each.query) for each in driver.service.requests_for("listPets")[before:]]


async def test_a_filter_and_back_keeps_all_pages_and_asks_for_the_first_alone() -> None:
    async with open_app(limit=10) as driver:
        await answered(driver, "m")
        await answered(driver, "m")
        rows = [each.id for each in driver.screen.table.rows]
        assert len(rows) == 30
        assert await answered(driver, "2") == [{"status": "available", "limit": "10"}]
        driver.service.hold("listPets")
        await driver.press("1")
        assert [each.id for each in driver.screen.table.rows] == rows
        assert "all as of 12:01:03" in driver.bottom


async def test_what_comes_with_the_first_page_is_merged_into_the_kept_rows() -> None:
    async with open_app(limit=10) as driver:
        await answered(driver, "m")
        await answered(driver, "2")
        assert await answered(driver, "1") == [{"limit": "10"}]
        assert len(driver.screen.table.rows) == 20
        assert "all as of" not in driver.bottom
        assert len(await answered(driver, "1")) == 1
        assert len(driver.screen.table.rows) == 20
        assert len(await answered(driver, "r")) == 2  # r still asks for all
        assert (await answered(driver, "m"))[-1]["limit"] == "10"
        assert len(driver.screen.table.rows) == 30


async def test_all_filters_together_keep_a_bounded_number_of_rows() -> None:
    async with open_app(limit=10, limits=Limits(rows=25)) as driver:
        await answered(driver, "m")
        await answered(driver, "2")
        await answered(driver, "1")
        assert len(driver.screen.table.rows) == 10  # 20 and 10 would be too many


async def test_the_tab_is_that_of_the_rows_and_the_loading_one_is_marked() -> None:
    async with open_app(size=(40, 12)) as driver:
        gate = driver.service.hold("listPets")
        await driver.press("2")
        assert driver.screen.tabs.active is None
        check_screen(driver, "loading")
        assert "2 ●…" in driver.text or "2 ● Available…" in driver.text
        gate.set()
        await driver.until(lambda: driver.screen.tabs.active == "available")
        assert "…" not in driver.line_with("2 ●")


async def test_a_filter_that_esc_stopped_is_asked_for_by_f5_and_by_nothing_else(
    driver: Driver,
) -> None:
    gate = driver.service.hold("listPets")
    await driver.press("2")
    await driver.sees("loading available animals")
    await driver.press("escape")
    await driver.sees("Stopped")
    assert driver.screen.tabs.active is None
    assert "…" not in driver.line_with("2 ●")
    gate.set()
    assert await answered(driver, "f5") == [{"status": "available", "limit": "20"}]
    assert driver.screen.tabs.active == "available"


async def test_after_esc_took_the_banner_away_r_asks_for_what_is_shown(driver: Driver) -> None:
    gate = driver.service.hold("listPets")
    await driver.press("2")
    await driver.sees("loading available animals")
    await driver.press("escape")
    await driver.sees("Stopped")
    await driver.press("escape")
    await driver.sees_no("Stopped")
    gate.set()
    assert await answered(driver, "r") == [{"limit": "20"}]


async def test_a_limit_that_was_chosen_goes_back_to_the_rows_of_the_screen() -> None:
    async with open_app(size=(120, 46), limit=None) as driver:
        assert await answered(driver, "+") == [{"limit": "60"}]
        assert await answered(driver, "L", "enter") == [{"limit": "46"}]
        assert "limit 46: automatic" in driver.bottom
        assert driver.app.session.seen.left.limit is None


async def test_an_enlarged_terminal_and_r_fill_the_rows() -> None:
    async with open_app(ScriptedService(), size=(80, 24), limit=None) as driver:
        assert len(driver.screen.table.rows) == 24
        await driver.pilot.resize_terminal(80, 50)
        assert await answered(driver, "r") == [{"limit": "50"}]
        assert len(driver.screen.table.rows) == 50
