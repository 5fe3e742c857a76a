"""Hints name the keys that work at one moment, on one look at the bindings."""

from __future__ import annotations

import re

from textual.app import App
from textual.binding import Binding
from textual.screen import Screen

from pettui.tui.keys import hints
from pettui.tui.screens.screen import AppScreen
from tests.tui.driving import open_app
from tests.tui.tour import tour, touring_service


class Counted(Screen[None]):
    """Counts how often it is asked whether an action is available."""

    BINDINGS = [  # noqa: RUF012 - as Textual declares it
        Binding("r", "refresh_list", "Refresh", id="refresh"),
        Binding("m", "more", "More", id="more"),
        Binding("x", "never", "Never", id="never"),
    ]
    asked = 0

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        self.asked += 1
        return action != "never"


async def test_several_hints_ask_each_action_once() -> None:
    async with App[None]().run_test() as pilot:
        screen = Counted()
        await pilot.app.push_screen(screen)
        screen.asked = 0
        assert screen.active_bindings
        once, screen.asked = screen.asked, 0
        active = screen.active_bindings.values()
        assert hints("{refresh} Retry  {never} Never", screen, active) == ["r Retry"]
        assert hints("{more} and {refresh}", screen, active) == ["m and r"]
        assert screen.asked == once


async def test_a_hint_without_a_key_asks_nothing() -> None:
    async with App[None]().run_test() as pilot:
        screen = Counted()
        await pilot.app.push_screen(screen)
        screen.asked = 0
        assert hints("nothing here", screen) == ["nothing here"]
        assert screen.asked == 0


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
