"""What goes wrong in a demo because somebody staged it: keys in, Error bodies on the screen."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from pettui.backoff import Backoff
from pettui.outbox import EntryState, Outbox
from pettui.staged_faults import Fault
from tests.exhaustive import exhaustive
from tests.tui import demos
from tests.tui.demos import open_demo, run_command
from tests.tui.driving import DEADLINE, QUICK_LIMITS, open_app

ASKING = "loading all animals"
LONG = 3600.0  # seconds, more than a test has


async def test_the_next_add_is_refused_and_the_one_after_it_accepted() -> None:
    async with open_demo() as driver:
        await run_command(driver, "400")
        await driver.sees("staged: add 400")
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.sees("400 invalid_value", "categoryId 3 does not exist")
        await driver.sees_no("staged")
        await driver.until(lambda: driver.form_text() == "Rex")
        await driver.press("enter")
        await driver.sees("61 Rex")


async def test_a_refused_key_is_refused_until_another_one_is_typed() -> None:
    """What waited for it goes out with the new one."""
    async with open_demo() as driver:
        await run_command(driver, "401")
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.sees("401 unauthorized", "staged: key 401", "waiting")
        await driver.press("f7", *"another-key", "enter")
        await driver.sees("61 Rex")
        await driver.sees_no("staged", "401 unauthorized")
        await driver.press("escape", "r")
        await driver.sees("Rex", "20 shown")


async def test_a_refresh_that_succeeds_sends_what_waited_for_the_service() -> None:
    async with open_demo(away=1000.0, backoff=Backoff(first=1000.0, longest=1000.0)) as driver:
        await run_command(driver, "503")
        await driver.press("a", *"Rex", "tab", "3", "enter", "escape")
        await driver.sees("1 unsent: adds wait")
        await run_command(driver, "503")
        await driver.press("r")
        await driver.sees("added this session: 1")


async def test_an_add_waits_for_a_service_that_is_away_and_is_sent_when_it_is_back() -> None:
    """By itself: the client waits as long as Retry-After says, here a second."""
    now = [0.0]
    async with open_demo(clock=lambda: now[0], away=1.0) as driver:
        await run_command(driver, "503")
        await driver.sees("staged: away 503")
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.sees("Rex", "waiting")
        now[0] = 1.0
        await driver.sees("61 Rex")
        await driver.sees_no("staged")


async def test_the_list_counts_down_to_the_service_s_retry_after() -> None:
    async with open_demo(clock=lambda: 0.0) as driver:
        await run_command(driver, "503")
        await driver.press("r")
        await driver.sees(
            "retrying in 20 s (attempt 2 of 4)", "The service is away; try again in 20 s"
        )
        await run_command(driver, "503")
        await driver.sees_no("staged")
        await driver.press("r")
        await driver.sees("20 shown")
        await driver.sees_no("retrying in")


async def test_the_header_drops_a_fault_once_its_time_is_over() -> None:
    now = [0.0]
    async with open_demo(clock=lambda: now[0], away=0.3) as driver:
        await run_command(driver, "503")
        await driver.sees("staged: away 503")
        now[0] = 0.3
        await driver.sees_no("staged: away 503")


async def test_late_responses_do_not_delay_keys() -> None:
    waits: list[float] = []
    came = asyncio.Event()

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        await came.wait()

    async with open_demo(sleep=sleep) as driver:
        await run_command(driver, "answers")
        await driver.press("r", "j", "j")
        await driver.sees("staged: slow 3 s", "▌    58", ASKING)
        came.set()
        await driver.sees_no(ASKING)
        assert waits == [3.0]


async def test_quitting_a_demo_does_not_wait_for_the_response_to_an_add(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its terminal is restored by then, so that nobody would see what it waits for."""
    monkeypatch.setattr(Outbox.close, "__defaults__", (LONG,))  # that others wait
    monkeypatch.setattr(demos, "QUICK_LIMITS", replace(QUICK_LIMITS, deadline=LONG))
    never = asyncio.Event()

    async def sleep(_seconds: float) -> None:
        await never.wait()

    async with asyncio.timeout(DEADLINE), open_demo(sleep=sleep) as driver:
        await run_command(driver, "answers")
        driver.type("a", *"Rex", "tab", "3", "enter", "escape")
        await driver.sees("staged: slow 3 s", "1 on the way")
        driver.type("q")
        await driver.until(lambda: driver.app.return_code == 0)
    assert driver.entries[0].state is EntryState.UNKNOWN


async def test_the_list_replaces_a_get_pet_that_is_gone() -> None:
    async with open_demo() as driver:
        await run_command(driver, "410")
        await driver.press("enter")
        await driver.sees("staged: getPet 410", "getPet is gone; looked up by GET /pets")
        await driver.press("escape")
        await run_command(driver, "410")
        await driver.press("enter")
        await driver.sees("confirmed")
        await driver.sees_no("staged")


async def test_several_faults_are_staged_at_once_and_ended_separately() -> None:
    async with open_demo(size=(160, 30)) as driver:
        for letters in ("400", "401", "503", "answers", "410"):
            await run_command(driver, letters)
        await driver.sees("staged: add 400, key 401, away 503, slow 3 s, getPet 410")
        await run_command(driver, "401")
        await driver.sees("staged: add 400, away 503, slow 3 s, getPet 410")


@pytest.mark.parametrize(
    ("columns", "faults"),
    [(40, "5 faults"), (120, "staged: add 400, key 401, away 503")],
)
async def test_many_faults_are_counted_rather_than_push_out_what_the_header_is_for(
    columns: int, faults: str
) -> None:
    async with open_demo(size=(columns, 24), clock=lambda: 0.0) as driver:
        for letters in ("400", "401", "503", "answers", "410"):
            await run_command(driver, letters)
        await driver.until(lambda: faults in driver.lines[0])
        assert "nothi" in driver.lines[0]
        assert "12:01:03" in driver.lines[0]
        await driver.press("o")
        assert faults in driver.lines[0]
        assert "Outbox" in driver.lines[0]


async def test_the_palette_shows_which_faults_are_staged() -> None:
    async with open_demo() as driver:
        await driver.press(":", *"stage:")
        await driver.sees(*(f"Stage: {fault.title}" for fault in Fault))
        await driver.press("escape")
        await run_command(driver, "410")
        await driver.press(":", *"410")
        await driver.sees("End: getPet is gone (410)")


@pytest.mark.parametrize("size", [(40, 12), *exhaustive((80, 24), (120, 30))], ids=str)
async def test_every_screen_shows_a_word_of_each_staged_fault(size: tuple[int, int]) -> None:
    async with open_demo(size=size) as driver:
        await run_command(driver, "410")
        await driver.sees("staged: getPet 410")
        for keys in (("enter",), ("escape", "a"), ("escape", "o")):
            await driver.press(*keys)
            await driver.sees("staged: getPet 410")


async def test_nothing_can_be_staged_outside_a_demo() -> None:
    async with open_app() as driver:
        await driver.press(":", *"stage")
        await driver.sees_no("Stage:", "410", "401")


async def test_a_demo_that_is_read_only_says_so_before_a_form_is_filled_in() -> None:
    async with open_demo(is_read_only=True) as driver:
        await driver.sees("read-only, in memory")
        assert "a Add" not in driver.text
        await driver.press("a")
        await driver.sees("read-only: this demo accepts no new animals")
        await driver.press("escape", "enter", "a")
        await driver.sees("confirmed", "read-only: this demo")
        assert "Add one like it" not in driver.text
        await driver.press("escape", ":", *"400")
        await driver.sees_no("the next add is refused")
