"""Other profiles: what waits in each, whether its service answers, and opening one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from tests.tui.driving import PRODUCTION, Driver, check_screen, open_app

if TYPE_CHECKING:
    from pettui.settings import Profile
    from tests.tui.driving import Driver

STAGING = replace(
    PRODUCTION,
    name="staging",
    label="STAGING",
    colour="yellow",
    base_url="https://stage.example/v1",
)


@dataclass
class Known:
    """The profiles of a configuration file."""

    staging: str = ""  # why it cannot be opened
    unreadable: str = ""  # why none can be listed

    def listed(self) -> list[tuple[Profile, int | None]]:
        if self.unreadable:
            raise ValueError(self.unreadable)
        return [(PRODUCTION, 0), (STAGING, 3)]

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


async def test_g_and_G_go_to_the_first_and_the_last(driver: Driver) -> None:
    await list_profiles(driver, Known())
    await driver.press("G")
    assert driver.screen.list.cursor == 1
    await driver.press("g")
    assert driver.screen.list.cursor == 0


async def test_a_long_outcome_is_shown_whole() -> None:
    async with open_app(size=(40, 12)) as driver:
        await list_profiles(driver, Known())
        await driver.press("down", "t")
        await driver.sees("the service answers, in", "38 ms")
        check_screen(driver, "the outcome")


async def test_keys_that_are_typed_ahead_wait_for_the_profiles(driver: Driver) -> None:
    driver.app.session.profiles = Known()
    driver.type("p", "down", "enter")
    await driver.until(lambda: driver.app._exit)
    assert driver.app.session.next_profile == "staging"


async def test_the_one_that_is_open_is_not_opened_again(driver: Driver) -> None:
    await list_profiles(driver, Known())
    await driver.press("enter")
    await driver.sees("it is open now")


async def test_what_is_half_typed_and_what_waits_is_asked_about() -> None:
    async with open_app(delay=60) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", *"Half", "escape")
        await list_profiles(driver, Known())
        await driver.press("down", "enter")
        await driver.sees("Switch to staging?", "1 animal not sent yet", "Rex")
        await driver.sees("An animal is half typed", "Half", "It stays in PRODUCTION")
        await driver.press("escape")
        assert driver.app.session.next_profile == ""
        await driver.press("p", "down", "enter")
        await driver.sees("q Switch")
        driver.type("q")
        await driver.until(lambda: driver.app._exit)
        assert driver.app.session.next_profile == "staging"


async def test_one_on_the_way_is_asked_about_and_once_it_is_added_the_other_is_opened(
    driver: Driver,
) -> None:
    """Without a response it would be unknown, and the other profile's start could not say so."""
    gate = driver.service.hold("createPet")
    await driver.press("a", *"Rex", "tab", "3", "enter", "escape")
    await driver.sees("1 on the way")
    await list_profiles(driver, Known())
    await driver.press("down", "enter")
    await driver.sees("Switch to staging?", "1 animal on the way", "Rex", "as unknown")
    gate.set()
    await driver.until(lambda: driver.app._exit)
    assert driver.app.session.next_profile == "staging"


async def test_after_staying_quitting_quits() -> None:
    async with open_app(delay=60) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", "escape")
        await list_profiles(driver, Known())
        await driver.press("down", "enter")
        await driver.sees("Switch to staging?")
        driver.type("ctrl+q")
        await driver.until(lambda: driver.app._exit)
        assert driver.app.session.next_profile == ""


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
