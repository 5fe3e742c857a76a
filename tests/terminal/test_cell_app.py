"""Any Textual app is drawn by the cells that changed, on every screen that it opens."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from textual.containers import Horizontal
from textual.geometry import Offset
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Label

from pettui.terminal.cell_app import CellApp
from tests.terminal.drawn_apps import PlayedTerminal, drawn
from tests.terminal.test_compositor import Box, Rows
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from textual import events
    from textual.app import ComposeResult


class Counter(Label):
    DEFAULT_CSS = "Counter { width: 20; height: 3; background: blue; }"
    count = 0

    def add(self) -> None:
        self.count += 1
        self.update(f"count {self.count}")


class Second(Screen[None]):
    def compose(self) -> ComposeResult:
        yield Label("the second screen")
        yield Counter("count 0")


class Drawn(CellApp[None]):
    BINDINGS = [("n", "next", "Next"), ("c", "count", "Count"), ("b", "box", "Box")]  # noqa: RUF012
    SCREENS = {"second": Second}  # noqa: RUF012

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Label("the first screen")
            yield Counter("count 0")

    def action_next(self) -> None:
        self.push_screen("second")

    def action_box(self) -> None:
        self.push_screen(Box())

    def action_count(self) -> None:
        self.screen.query_one(Counter).add()


@asynccontextmanager
async def counting() -> AsyncIterator[tuple[Drawn, PlayedTerminal]]:
    """Draw the app, and forget what was written for its first frame."""
    app = Drawn()
    async with drawn(app) as terminal:
        await until(lambda: "count 0" in terminal.text)
        terminal.written.clear()
        yield app, terminal


@pytest.mark.parametrize(
    ("key", "screen"),
    [(b"", "the first screen"), (b"n", "the second screen")],
    ids=["first", "pushed"],
)
async def test_a_key_costs_the_cells_it_changes_on_every_screen(key: bytes, screen: str) -> None:
    async with counting() as (app, terminal):
        app.cell_driver.feed(key)
        await until(lambda: screen in terminal.text and "count 0" in terminal.text)
        terminal.written.clear()
        app.cell_driver.feed(b"c")
        await until(lambda: "count 1" in terminal.text)
        assert screen in terminal.text
        assert len("".join(terminal.written)) < 40


async def test_a_terminal_that_is_behind_gets_what_changed_when_it_has_caught_up() -> None:
    async with counting() as (app, terminal):
        terminal.is_full = True
        app.cell_driver.feed(b"ccc")
        await until(lambda: app.screen.query_one(Counter).count == 3)
        app.bell()
        assert terminal.written == []
        terminal.is_full = False
        app.cell_driver.caught_up()
        await until(lambda: "count 3" in terminal.text)
        assert terminal.written[0] == "\x07"


class Timed(Drawn):
    came_at = 0.0

    def on_key(self, event: events.Key) -> None:
        self.came_at = event.time


async def test_an_esc_that_may_begin_a_sequence_was_typed_when_its_byte_came() -> None:
    app = Timed()
    async with drawn(app):
        app.cell_driver.feed(b"\x1b")
        came_by = Message().time
        await until(lambda: app.came_at)
        assert app.came_at <= came_by


@pytest.mark.parametrize("shows_cursor", [True, False])
async def test_the_terminal_s_cursor_is_hidden_unless_it_is_to_be_seen(shows_cursor: bool) -> None:
    async with drawn(Drawn(), shows_cursor=shows_cursor) as terminal:
        assert terminal.has_cursor == shows_cursor


async def test_the_terminal_s_cursor_stays_where_the_app_wants_it() -> None:
    async with counting() as (app, terminal):
        app.cursor_position = Offset(7, 4)
        app.action_count()
        await until(lambda: "count 1" in terminal.text)
        assert terminal.cursor == (7, 4)
        app.cell_driver.redraw()
        assert terminal.cursor == (7, 4)


LEFT_BEHIND = "\x1b[3;5r\x1b[?6h\x1b[4hwritten by another program"


async def test_margins_and_modes_that_another_program_left_do_not_move_the_first_frame() -> None:
    async with drawn(Drawn()) as terminal:
        await until(lambda: "count 0" in terminal.text)
        usual = terminal.text
    async with drawn(Drawn(), before=LEFT_BEHIND) as terminal:
        await until(lambda: terminal.text == usual)
        assert "\x1b(B\x0f" in terminal.written[0]  # of line drawing pyte knows nothing


async def test_a_terminal_that_is_behind_is_drawn_over_once_it_has_caught_up() -> None:
    async with counting() as (app, terminal):
        before, terminal.is_full = terminal.text, True
        terminal.scribble(LEFT_BEHIND)
        for _ in range(100):
            app.cell_driver.redraw()
        assert terminal.written == []
        terminal.is_full = False
        app.cell_driver.caught_up()
        assert terminal.text == before


async def test_what_is_drawn_in_one_batch_is_drawn_once() -> None:
    async with counting() as (app, terminal):
        with app.batch_update():
            app.action_count()
            app.action_count()
        await until(lambda: "count 2" in terminal.text)
        assert "count 1" not in "".join(terminal.written)


async def test_nothing_is_drawn_after_the_terminal_was_restored() -> None:
    async with drawn(Drawn()) as terminal:
        pass
    assert terminal.written[-1].endswith("\x1b[?1049l\x1b[?25h")


async def test_without_a_terminal_it_is_drawn_as_textual_draws() -> None:
    app = Drawn()
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press("c")
        assert app.cell_driver is None
        assert app.screen.query_one(Counter).count == 1


async def test_a_screen_that_is_opened_is_drawn_once() -> None:
    app = Drawn()
    async with drawn(app) as terminal:
        await until(lambda: "count 0" in terminal.text)
        app.cell_driver.feed(b"b")
        await until(lambda: "MMM" in terminal.text)
        assert app.screen.query_one(Rows).asked == [0, 1, 2, 3]
