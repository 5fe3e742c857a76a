"""Other profiles: listed with what waits, tested, and switched to once nothing is lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from pettui.outbox import EntryState
from tests.tui.driving import PRODUCTION, Driver, check_screen, open_app

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.settings.settings import Profile


ADDRESS = "https://stage.example/v1"
STAGING = PRODUCTION._replace(name="staging", label="STAGING", base_url=ADDRESS)


@dataclass
class Known:
    """The profiles of a configuration file."""

    staging: str = ""  # why it cannot be opened
    unreadable: str = ""  # why none can be listed

    counts: Mapping[EntryState, int] = field(default_factory=lambda: {EntryState.WAITING: 3})
    of_open: Mapping[EntryState, int] = field(default_factory=dict)

    def listed(self) -> list[tuple[Profile, Mapping[EntryState, int]]]:
        if self.unreadable:
            raise ValueError(self.unreadable)
        return [(PRODUCTION, self.of_open), (STAGING, self.counts)]

    def problem(self, name: str) -> str:
        return self.staging if name == "staging" else ""

    async def test(self, name: str) -> str:
        return f"{name}: the service answers, in 38 ms"


async def list_profiles(driver: Driver, known: Known) -> None:
    """Press the key that lists the profiles."""
    driver.app.session.profiles = known
    await driver.press("p")
    await driver.sees("STAGING")


@pytest.mark.parametrize("size", [(120, 30), (80, 24), (40, 12)])
async def test_each_has_its_label_its_address_and_what_waits(size: tuple[int, int]) -> None:
    async with open_app(size=size) as driver:
        await list_profiles(driver, Known())
        lines = check_screen(driver, "the profiles")
        staging = next(line for line in lines if "STAGING" in line)
        assert "3 unsent" in staging
        assert "https" in staging or size[0] == 40
        assert "open now" in driver.text


@pytest.mark.parametrize("size", [(120, 30), (80, 24), (40, 12)])
async def test_what_an_outbox_holds_is_counted_by_state_and_the_open_one_is_marked(
    size: tuple[int, int],
) -> None:
    """What was refused or is unknown was sent: "5 unsent" would be untrue."""
    async with open_app(size=size) as driver:
        held = {EntryState.ADDED: 9, EntryState.REFUSED: 2, EntryState.UNKNOWN: 3}
        await list_profiles(driver, Known(counts=held, of_open=held))
        lines = check_screen(driver, "the profiles")
        rows = [line for line in lines if "2 refused · 3 un" in line]
        assert ["✔" in row for row in rows] == [True, False]
        assert all("3 unknown" in row or "…" in row for row in rows)
        assert "unsent" not in driver.text


async def test_a_long_outcome_is_shown_whole() -> None:
    async with open_app(size=(40, 12)) as driver:
        await list_profiles(driver, Known())
        await driver.press("down", "t")
        await driver.sees("the service answers, in", "38 ms")
        check_screen(driver, "the outcome")


async def test_keys_that_are_typed_ahead_wait_for_the_profiles(driver: Driver) -> None:
    driver.app.session.profiles = Known()
    driver.type("p", "G", "enter")
    await driver.until(lambda: driver.has_ended)
    assert driver.app.next_profile == "staging"


async def test_the_one_that_is_open_is_not_opened_again(driver: Driver) -> None:
    await list_profiles(driver, Known())
    await driver.press("G", "g", "enter")
    await driver.sees("it is open now")


async def test_what_is_half_typed_stays_there_and_is_not_asked_about() -> None:
    async with open_app() as driver:
        await driver.press("a", *"Half", "escape")
        await list_profiles(driver, Known())
        driver.type("down", "enter")
        await driver.until(lambda: driver.has_ended)
        assert driver.app.next_profile == "staging"


async def test_what_waits_is_asked_about() -> None:
    async with open_app(delay=60) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", *"Half", "escape")
        await list_profiles(driver, Known())
        await driver.press("down", "enter")
        await driver.sees("Switch to STAGING?", "1 animal not sent yet", "Rex")
        assert "Half" not in driver.text
        await driver.press("escape")
        assert driver.app.next_profile == ""
        await driver.press("p", "down", "enter")
        await driver.sees("y Switch")
        driver.type("y")
        await driver.until(lambda: driver.has_ended)
        assert driver.app.next_profile == "staging"


async def test_the_key_that_closes_the_profiles_switches_to_none() -> None:
    async with open_app(delay=60) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", "escape")
        await list_profiles(driver, Known())
        await driver.press("down", "enter", "enter", "q")
        await driver.sees_no("Switch to STAGING?")
        assert not driver.has_ended
        assert driver.app.next_profile == ""


async def test_one_on_the_way_is_asked_about_until_it_is_added(driver: Driver) -> None:
    """Without a response it would be unknown, and the other profile's start could not say so."""
    gate = driver.service.hold("createPet")
    await driver.press("a", *"Rex", "tab", "3", "enter", "escape")
    await driver.sees("1 on the way")
    await list_profiles(driver, Known())
    await driver.press("down", "enter")
    await driver.sees("Switch to STAGING?", "1 animal on the way", "Rex", "as unknown")
    gate.set()
    await driver.until(lambda: driver.has_ended)
    assert driver.app.next_profile == "staging"


async def test_after_staying_quitting_quits() -> None:
    async with open_app(delay=60) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", "escape")
        await list_profiles(driver, Known())
        await driver.press("down", "enter")
        await driver.sees("Switch to STAGING?")
        driver.type("ctrl+q")
        await driver.until(lambda: driver.has_ended)
        assert driver.app.next_profile == ""


async def test_one_that_cannot_be_opened_says_why_and_nothing_ends(driver: Driver) -> None:
    await list_profiles(driver, Known(staging="the key file is missing"))
    await driver.press("down", "enter")
    await driver.sees("STAGING cannot be opened", "the key file is missing")
    await driver.press("escape", "escape")
    await driver.sees("1 All")


async def test_a_configuration_that_cannot_be_read_is_said(driver: Driver) -> None:
    driver.app.session.profiles = Known(unreadable="config.toml: is not TOML")
    await driver.press("p")
    await driver.sees("The profiles cannot be read", "config.toml: is not TOML")
    await driver.press("escape")
    await driver.sees_no("reading the profiles", "config.toml")


async def test_where_there_are_none_to_switch_to_the_key_does_nothing(driver: Driver) -> None:
    await driver.press("p")
    assert "Profiles" not in driver.text
