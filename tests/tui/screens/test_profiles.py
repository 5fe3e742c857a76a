"""Other profiles: listed with what waits, tested, and switched to once nothing is lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from pettui.outbox.entries import EntryState
from tests.tui.driving import (
    PRODUCTION,
    Case,
    Driver,
    case,
    check_screen,
    fits,
    on,
    open_app,
    sees,
    sees_no,
    table,
    typed,
)
from tests.tui.form.steps import goes_on as answers_come
from tests.tui.form.steps import holds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.settings.settings import Profile
    from tests.tui.driving import Start, Step


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


def ends(to_open: str) -> Step:
    """Return a step that waits for the app's end, and checks what is opened then."""

    async def check(driver: Driver) -> None:
        await driver.until(lambda: driver.has_ended)
        assert driver.app.next_profile == to_open

    return check


async def goes_on(driver: Driver) -> None:
    assert not driver.has_ended
    assert driver.app.next_profile == ""


def among(known: Known, **options: Any) -> Start:
    """Return a start with these profiles."""
    return on(profiles=known, **options)


REX = ("a", *"Rex", "tab", "3", "enter")
HALF = (*"Half", "escape")


@table(
    case("each has its label, its address and what waits", among(Known()),
        "p", sees("STAGING", "3 unsent", "https", "open now"), fits),
    case("a long outcome is shown whole", among(Known(), size=(40, 12)),
        "p", "down", "t", sees("the service answers, in", "38 ms"), fits),
    case("keys that are typed ahead wait for the profiles", among(Known()),
        typed("p", "G", "enter"), ends("staging")),
    case("the one that is open is not opened again", among(Known()),
        "p", "G", "g", "enter", sees("it is open now")),
    case("what is half typed stays there, and is not asked about", among(Known()),
        "a", *HALF, "p", sees("STAGING"), typed("down", "enter"), ends("staging")),
    case("what waits is asked about", among(Known(), delay=60),
        *REX, *HALF, "p", "down", "enter",
        sees("Switch to STAGING?", "1 animal not sent yet", "Rex"), sees_no("Half"),
        "escape", goes_on,
        "p", "down", "enter", sees("y Switch"), typed("y"), ends("staging")),
    case("the key that closes the profiles switches to none", among(Known(), delay=60),
        *REX, "escape", "p", sees("STAGING"), "down", "enter", "enter", "q",
        sees_no("Switch to STAGING?"), goes_on),
    case("one on the way is asked about until it is added", among(Known()),  # else it is unknown
        holds, *REX, "escape", sees("1 on the way"), "p", "down", "enter",
        sees("Switch to STAGING?", "1 animal on the way", "Rex", "as unknown"),
        answers_come, ends("staging")),
    case("one that cannot be opened says why, and nothing ends",
        among(Known(staging="the key file is missing")),
        "p", "down", "enter", sees("STAGING cannot be opened", "the key file is missing"),
        "escape", "escape", sees("1 All")),
    case("a configuration that cannot be read is said",
        among(Known(unreadable="config.toml: is not TOML")),
        "p", sees("The profiles cannot be read", "config.toml: is not TOML"),
        "escape", sees_no("reading the profiles", "config.toml")),
    case("where there are none to switch to the key does nothing", on(), "p", sees_no("Profiles")),
)  # fmt: skip
async def test_the_profiles(case: Case) -> None:
    await case.run()


@pytest.mark.parametrize("size", [(120, 30), (80, 24), (40, 12)])
async def test_what_an_outbox_holds_is_counted_by_state_and_the_open_one_is_marked(
    size: tuple[int, int],
) -> None:
    """What was refused or is unknown was sent: "5 unsent" would be untrue."""
    held = {EntryState.ADDED: 9, EntryState.REFUSED: 2, EntryState.UNKNOWN: 3}
    async with open_app(size=size, profiles=Known(counts=held, of_open=held)) as driver:
        await driver.press("p")
        await driver.sees("STAGING")
        lines = check_screen(driver, "the profiles")
        rows = [line for line in lines if "2 refused · 3 un" in line]
        assert ["✔" in row for row in rows] == [True, False]
        assert all("3 unknown" in row or "…" in row for row in rows)
        assert "unsent" not in driver.text
