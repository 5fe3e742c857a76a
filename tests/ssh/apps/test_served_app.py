"""FirstScreen: a first screen is drawn when all that it shows is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from textual.widgets import Static

from pettui.ssh.apps import served_app
from pettui.ssh.apps.served_app import FirstScreen
from pettui.terminal.cell_app import CellApp
from tests.terminal.drawn_apps import drawn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from textual.app import ComposeResult
    from textual.screen import Screen

    from tests.terminal.drawn_apps import PlayedTerminal


class Held(CellApp[None]):
    """Holds its first screen."""

    first: FirstScreen

    def compose(self) -> ComposeResult:
        yield Static("the first row\neverything")

    @property
    def is_there(self) -> bool:
        return bool(self.screen_stack and self.query(Static) and self.query_one(Static).size)

    def get_default_screen(self) -> Screen[Any]:
        screen = super().get_default_screen()
        self.first = FirstScreen(self, screen, self.bell)
        return screen


@pytest.fixture
async def held() -> AsyncIterator[tuple[Held, PlayedTerminal]]:
    """An app that holds its first screen, and its terminal."""
    app = Held()
    async with drawn(app, is_held=True) as terminal:
        await terminal.until(lambda: app.is_there)
        yield app, terminal


async def test_nothing_is_drawn_before_a_screen_is_complete(
    held: tuple[Held, PlayedTerminal],
) -> None:
    app, terminal = held
    assert app.first.is_held
    assert "everything" not in terminal.text
    app.first.complete()
    app.screen.refresh()
    await terminal.until(lambda: "everything" in terminal.text)


async def test_a_screen_is_not_held_longer_than_its_user_is_to_wait(
    held: tuple[Held, PlayedTerminal],
) -> None:
    app, terminal = held
    app.first.begin(is_behind=False)
    await terminal.until(lambda: "everything" in terminal.text)
    assert not app.first.is_held


async def test_behind_a_first_frame_all_rows_are_drawn_even_so(
    held: tuple[Held, PlayedTerminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served_app, "LATER", 0.0)
    app, terminal = held
    app.first.begin(is_behind=True)
    app.first.complete()
    await terminal.until(lambda: "everything" in terminal.text)


async def test_a_terminal_that_was_resized_behind_a_first_frame_is_drawn_at_once(
    held: tuple[Held, PlayedTerminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served_app, "LATER", 3600.0)
    app, terminal = held
    app.first.begin(is_behind=True)
    assert app.cell_driver is not None
    app.cell_driver.resize(30, 8)
    app.first.complete()
    await terminal.until(lambda: "everything" in terminal.text)
