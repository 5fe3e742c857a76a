"""Hints name the keys that work at one moment, on one look at the bindings."""

from __future__ import annotations

from textual.app import App
from textual.binding import Binding
from textual.screen import Screen

from pettui.tui.keys import hints
from pettui.tui.screens.screen import AppScreen
from tests.tui.driving import open_app


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
