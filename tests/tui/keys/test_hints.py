"""Hints name the keys that work at one moment, on one look at the bindings."""

from __future__ import annotations

import re

from pettui.tui.screens.screen import AppScreen
from tests.tui.driving import open_app
from tests.tui.tour import tour, touring_service


class CountedUpdates(AppScreen[None]):
    """Counts how often its status line is updated."""

    updates = 0

    def update_status(self) -> None:
        self.updates += 1


async def test_changes_of_keys_in_one_go_update_the_hints_once() -> None:
    async with open_app() as driver:
        screen = CountedUpdates(driver.app.session)
        await driver.app.push_screen(screen)
        await driver.pilot.pause()
        screen.updates = 0
        for _ in range(3):
            screen.refresh_bindings()
        await driver.pilot.pause()
        assert screen.updates == 1
        screen.refresh_bindings()
        await driver.pilot.pause()
        assert screen.updates == 2


NAMED = re.compile(
    r"(?<!\S)(F\d+|esc|↵|[a-zA-Z:])(?: |: )"
    r"((?:[A-Z][a-z]+|more|adds|retries|tries|stops|shows|sends)(?: (?:[a-z]+|API))*)"
)


async def test_every_key_that_a_screen_names_does_something_there() -> None:
    async with open_app(touring_service("Tim")) as driver:
        async for where in tour(driver, "Tim"):
            lines = driver.lines
            if driver.screen.is_modal:
                lines = [line for line in lines if "─╯" in line]  # the rest lies below the box
            bindings = driver.screen.active_bindings.values()
            keys = {driver.app.get_key_display(b.binding) for b in bindings if b.enabled}
            named = {match for line in lines for match in NAMED.findall(line)}
            assert {what for key, what in named if key not in keys} == set(), where
            assert re.search(r"\{\w+\}", driver.text) is None, where
