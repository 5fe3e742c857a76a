"""Boxes over a screen: help, the welcome of a demo, whole texts, and other profiles."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from pettui.keyboard.actions import HELP_GROUPS, OWN
from pettui.outbox import EntryState
from tests.exhaustive import exhaustive
from tests.tui.demos import open_demo
from tests.tui.driving import PRODUCTION, Driver, check_screen, open_app
from tests.tui.resizing import resized
from tests.tui.scripted_service import Response, error, pet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.settings.settings import Profile

GROUPS = [each for each in HELP_GROUPS if each not in ("", OWN)]  # of who has no own commands


TEXT = ("Welcome to our animals!", "", "  one", "  two")
ESCAPES = ("\x1b[31mred\x1b[0m \x1b]0;title\x07", "\u202eevil\u202c [b]bold[/b]", "\x9b2J \u200b")


@pytest.mark.exhaustive
@pytest.mark.parametrize("keys", [("f1",), (":",), ("a", *"Rex", "f1"), ("enter", "f1")], ids=str)
async def test_the_screen_below_a_box_grows_with_the_terminal(keys: tuple[str, ...]) -> None:
    async with open_app(size=(40, 12)) as driver:
        await driver.press(*keys)
        await driver.sees("Close ─╯")
        await resized(driver, (120, 30))
        await driver.press("escape")
        await driver.sees_no("Close ─╯")
        await driver.settled()
        assert "F1 Help" in driver.lines[-1]


def keys_shown(driver: Driver) -> list[str]:
    """Return the rows of the box, with single spaces."""
    inside = (line.split("│")[1] for line in driver.lines if line.count("│") == 2)
    return [" ".join(each.strip("▕ ").split()) for each in inside]


async def test_the_groups_stand_there_in_order_and_the_screen_s_own_keys_first() -> None:
    async with open_app(size=(60, 80)) as driver:
        await driver.press("f1")
        rows = keys_shown(driver)
        assert rows[:2] == ["On this screen", "a Add"]
        assert [row for row in rows if row in HELP_GROUPS and row] == GROUPS
        assert rows[rows.index("Everywhere") - 1] == ""


async def test_where_there_is_room_all_groups_are_seen_at_once_in_columns() -> None:
    async with open_app(size=(120, 30)) as driver:
        await driver.press("f1")
        await driver.sees("On this screen", *GROUPS)
        assert driver.line_with("On this screen") == driver.line_with("Looking")
        check_screen(driver, "help")
        await driver.press("/", *"outbox")
        await driver.sees_no("Everywhere")
        assert "o Outbox" in keys_shown(driver)


async def test_a_key_behind_the_enter_of_a_find_is_not_typed_into_it(driver: Driver) -> None:
    await driver.press("f1", "/", *"sort", "enter", "G")
    assert driver.screen.line.value == "sort"


async def test_a_find_narrows_the_keys_and_esc_ends_it_first() -> None:
    async with open_app(size=(40, 12)) as driver:
        await driver.press("f1", "/", *"sort")
        check_screen(driver, "help")
        assert {"s Sort", "z Sort by a column"} <= {*keys_shown(driver)}
        assert "# Go to an id" not in keys_shown(driver)
        await driver.press("enter", "j", "escape")
        assert "a Add" in keys_shown(driver)
        await driver.press("escape")
        await driver.sees("1 All")


async def test_a_group_is_found_by_its_title_and_nothing_is_said(driver: Driver) -> None:
    await driver.press("?", "/", *"taking")
    assert "V Only the marked ones" in keys_shown(driver)
    await driver.press(*"xyz")
    await driver.sees("no key matches")
    await driver.press("escape", "q")
    await driver.sees("1 All")


async def test_the_welcome_stands_over_the_list() -> None:
    async with open_demo(welcome=TEXT) as driver:
        await driver.sees("─ Welcome ─", *TEXT, "any key continues", "Mitzi")


@pytest.mark.parametrize(
    "key", ["q", *exhaustive("a", "enter", "escape", "space", "f1", "down", ":")]
)
async def test_any_key_puts_it_away_and_means_nothing_else(key: str) -> None:
    async with open_demo(welcome=TEXT) as driver:
        await driver.press(key)
        await driver.sees("▌    60  Mitzi", "20 shown")
        assert len(driver.app.screen_stack) == 1


async def test_what_is_typed_behind_that_key_is_the_lists() -> None:
    async with open_demo(welcome=TEXT, loaded=False) as driver:
        await driver.press("x", "a", *"Rex")
        await driver.sees("Add an animal")
        assert driver.form_text() == "Rex"


async def test_a_paste_and_a_click_go_on_too() -> None:
    async with open_demo(welcome=TEXT) as driver:
        driver.paste("Rex\nTim")
        await driver.settled()
        await driver.sees_no("─ Welcome ─")
    async with open_demo(welcome=TEXT) as driver:
        await driver.pilot.click(".box")
        await driver.sees_no("─ Welcome ─")


async def test_ctrl_q_quits_and_ctrl_c_says_how() -> None:
    async with open_demo(welcome=TEXT) as driver:
        await driver.press("ctrl+c")
        await driver.sees("ctrl+q quits")
        driver.type("ctrl+q")
        await driver.until(lambda: driver.app.return_code == 0)


async def test_a_text_that_has_no_room_is_read_page_by_page() -> None:
    text = tuple(f"Line {n} of twenty, which is wider than forty cells" for n in range(20))
    async with open_demo(welcome=text, size=(40, 12)) as driver:
        seen = ""
        while "any key shows more" in driver.text:
            seen += driver.text
            await driver.press("enter")
        seen += driver.text
        assert all(f"Line {n} of" in seen for n in range(20))
        await driver.sees("any key continues")
        await driver.press("enter")
        await driver.sees_no("─ Welcome ─")


async def test_nothing_in_the_text_steers_the_terminal() -> None:
    async with open_demo(welcome=ESCAPES, size=(40, 12)) as driver:
        check_screen(driver, "welcome")
        await driver.sees("␛[31mred", "<U+202E>evil", "[b]bold[/b]")


# Whole texts, by F6


REASON = "The catalogue is being counted, " * 30 + "until noon."
NOTICE = (
    ("deprecation", "@1764892800"),
    ("sunset", "Fri, 01 Jan 2027 00:00:00 GMT"),
    ("link", f'</v1/{"animals/" * 60}the-last>; rel="successor-version"'),
)
LONG_DIRECTORY = "where-the-shop-keeps-what-it-counted-in-the-year-before-the-last"


async def read_to_the_end(driver: Driver) -> str:
    """Return all that stands in the box, without what breaks its lines."""
    await driver.press("f6")
    await resized(driver, (40, 100))
    text = "".join(line.strip("│ ") for line in driver.lines)
    await driver.press("escape")
    await resized(driver, (40, 12))
    return text.replace(" ", "")


@pytest.mark.parametrize("where", ["list", "detail"])
async def test_the_banner_and_the_notice_are_shown_whole(where: str) -> None:
    async with open_app(size=(40, 12)) as driver:
        operation, body = ("listPets", [pet(60)]) if where == "list" else ("getPet", pet(60))
        noticed = Response(body=body, headers=NOTICE)
        driver.service.next(operation, noticed, error(423, "locked", REASON))
        await driver.press("r" if where == "list" else "enter")
        await driver.until(lambda: "animals/" in "".join(driver.screen.notice_bar.notices))
        await driver.press("f5")
        await driver.sees("✖ 423 locked", "F6 Full text")
        whole = await read_to_the_end(driver)
        assert "untilnoon." in whole
        assert "the-last" in whole


async def test_the_reason_of_an_entry_is_shown_whole_in_outbox_and_form() -> None:
    reason = "categoryId 99 does not exist, as the store's catalogue of 2026 has it, page 7, below"
    reason += " the picture of a very small dog, where the ink is faint"
    async with open_app(size=(40, 12)) as driver:
        driver.service.next("createPet", error(400, "invalid_value", reason))
        await driver.press("a", *"Rex", "tab", *"99", "enter", *"Tim")
        await driver.until(lambda: driver.screen.error_banner.failure)
        await driver.press("escape")
        assert "faint" not in driver.text
        assert "F6 Full text" in driver.text
        assert "theinkisfaint" in await read_to_the_end(driver)
        await driver.press("f9")
        await driver.sees("Rex", "refused")
        assert "faint" not in driver.text
        assert "theinkisfaint" in await read_to_the_end(driver)


@pytest.mark.parametrize("where", ["list", "receipt"])
async def test_why_nothing_was_exported_is_shown_whole(where: str) -> None:
    async with open_app(size=(40, 12)) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter")
        await driver.until(lambda: driver.entries[0].pet_id)
        await driver.press("escape", *(["R"] if where == "receipt" else []), "e", "ctrl+u")
        await driver.press(*f"{LONG_DIRECTORY}/pets.csv", "enter")
        await driver.until(lambda: "F6" in driver.line_with("Export"))
        whole = await read_to_the_end(driver)
        assert LONG_DIRECTORY in whole
        assert "nosuch" in whole
        await driver.press("!")
        assert driver.screen.query_one("PromptField").value.endswith("pets.csv!")
        assert "F6" not in driver.line_with("Export")


async def test_f6_is_not_offered_where_nothing_is_cut(driver: Driver) -> None:
    driver.service.next("listPets", error(400, "odd", "A reason of some forty characters or so."))
    await driver.press("r")
    await driver.sees("✖ 400 odd", "or so.")
    assert "F6" not in driver.text
    await driver.press("f6")
    assert driver.screen.error_banner.failure is not None


async def test_warnings_that_have_no_room_are_counted_and_shown_whole() -> None:
    profile = PRODUCTION._replace(warnings=tuple(f"Warning {number}" for number in range(30)))
    async with open_app(profile=profile, size=(80, 24)) as driver:
        assert "… and 22 more · F6" in driver.text
        await driver.press("f6", "end")
        await driver.sees("Warning 29")


# Keys of the bar below a box

BOXES = {
    "palette": (":",),
    "sorting": ("z",),
    "requests": ("f3",),
    "one request": ("f3", "enter"),
    "what happened": ("f12",),
    "help": ("f1",),
}


@pytest.mark.parametrize("opened", BOXES.values(), ids=BOXES)
async def test_f1_and_f12_work_in_a_box(driver: Driver, opened: tuple[str, ...]) -> None:
    for key, title in (("f1", "╭─ Keys ─"), ("f12", "╭─ What happened ─")):
        await driver.press(*opened)
        had = title in driver.text
        await driver.press(key)
        assert (title in driver.text) != had
        await driver.press(*["escape"] * 3)


@pytest.mark.parametrize("opened", BOXES.values(), ids=BOXES)
async def test_another_key_of_the_dimmed_bar_says_that_it_does_nothing(
    driver: Driver, opened: tuple[str, ...]
) -> None:
    await driver.press(*opened)
    for _ in range(2):
        before = driver.text
        await driver.press("f5")
        assert re.search(r"F5 does nothing here(  esc \w+)? ─╯", driver.text)
        await driver.press("pageup")
        assert driver.text == before


# Other profiles


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
    await driver.until(lambda: driver.app._exit)
    assert driver.app.next_profile == "staging"


async def test_the_one_that_is_open_is_not_opened_again(driver: Driver) -> None:
    await list_profiles(driver, Known())
    await driver.press("G", "g", "enter")
    await driver.sees("it is open now")


async def test_what_is_half_typed_and_what_waits_is_asked_about() -> None:
    async with open_app(delay=60) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", *"Half", "escape")
        await list_profiles(driver, Known())
        await driver.press("down", "enter")
        await driver.sees("Switch to STAGING?", "1 animal not sent yet", "Rex")
        await driver.sees("An animal is half typed", "Half", "It stays in PRODUCTION")
        await driver.press("escape")
        assert driver.app.next_profile == ""
        await driver.press("p", "down", "enter")
        await driver.sees("y Switch")
        driver.type("y")
        await driver.until(lambda: driver.app._exit)
        assert driver.app.next_profile == "staging"


async def test_the_key_that_closes_the_profiles_switches_to_none() -> None:
    async with open_app(delay=60) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", "escape")
        await list_profiles(driver, Known())
        await driver.press("down", "enter", "enter", "q")
        await driver.sees_no("Switch to STAGING?")
        assert not driver.app._exit
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
    await driver.until(lambda: driver.app._exit)
    assert driver.app.next_profile == "staging"


async def test_after_staying_quitting_quits() -> None:
    async with open_app(delay=60) as driver:
        await driver.press("a", *"Rex", "tab", "3", "enter", "escape")
        await list_profiles(driver, Known())
        await driver.press("down", "enter")
        await driver.sees("Switch to STAGING?")
        driver.type("ctrl+q")
        await driver.until(lambda: driver.app._exit)
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
