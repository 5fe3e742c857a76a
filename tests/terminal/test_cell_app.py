"""Any Textual app is drawn by the cells that changed, on every screen that it opens."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.geometry import Region
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Label

from pettui.terminal.cell_app import CellApp
from pettui.terminal.compositor import PieceCompositor, PiecesUpdate
from tests.terminal.drawn_apps import drawn
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from textual.strip import Strip

    from tests.terminal.drawn_apps import PlayedTerminal


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


# What changed is drawn, all of it and no more, by each widget for itself


SIZE = (40, 10)


class Rows(Widget):
    """Writes down which of its rows it is asked for."""

    DEFAULT_CSS = "Rows { width: 1fr; height: 1fr; }"

    def __init__(self, sign: str) -> None:
        super().__init__()
        self.sign = sign
        self.asked: list[int] = []

    def render_lines(self, crop: Region) -> list[Strip]:
        self.asked += crop.line_range
        return super().render_lines(crop)

    def render(self) -> str:
        return "\n".join([self.sign * self.size.width] * self.size.height)


class Box(ModalScreen[None]):
    CSS = "Box { align: center middle; } Box Rows { width: 10; height: 4; }"

    def compose(self) -> ComposeResult:
        yield Rows("M")


class Panes(App[None]):
    CSS = "Horizontal { height: 4; margin: 1; } .other { margin: 0 0 0 2; }"

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = Rows("L"), Rows("R")
        self.right.add_class("other")

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield self.left
            yield self.right


@pytest.fixture
async def panes() -> AsyncIterator[Panes]:
    app = Panes()
    async with app.run_test(size=SIZE):
        yield app


def laid_out(screen: Screen[object], *changed: Region) -> PieceCompositor:
    """Return what draws a screen that was laid out, when its time to be drawn has come."""
    compositor = PieceCompositor()
    compositor.reflow(screen, screen.size)
    compositor.update_widgets({screen})
    compositor._dirty_regions = set(changed)
    return compositor


def pieces(screen: Screen[object], *changed: Region) -> PiecesUpdate | None:
    """Draw what lies in these regions of a screen, all of it where there are none."""
    compositor = laid_out(screen, *changed)
    background = screen.app._background_screens
    return compositor.render_update(full=not changed, screen_stack=background)


def shown(update: PiecesUpdate | None) -> list[str]:
    """Lay pieces on an empty screen; no cell may come twice."""
    cells = [["·"] * SIZE[0] for _ in range(SIZE[1])]
    for y, x, strip in update.pieces if update is not None else ():
        assert cells[y][x : x + strip.cell_length] == ["·"] * strip.cell_length
        cells[y][x : x + strip.cell_length] = strip.text
    return ["".join(row) for row in cells]


def as_textual_draws(screen: Screen[object]) -> list[str]:
    return [strip.text for strip in screen._compositor.render_strips()]


async def test_a_whole_screen_is_drawn_as_textual_draws_it(panes: Panes) -> None:
    assert shown(pieces(panes.screen)) == as_textual_draws(panes.screen)


async def test_a_screen_under_a_box_is_drawn_as_textual_draws_it(panes: Panes) -> None:
    await panes.push_screen(Box())
    assert shown(pieces(panes.screen)) == as_textual_draws(panes.screen)


async def test_only_what_changed_is_drawn(panes: Panes) -> None:
    x, y, width, _ = panes.left.region
    panes.left.asked.clear()
    panes.right.asked.clear()
    update = pieces(panes.screen, Region(x + 1, y + 1, width - 1, 1))
    drawn = shown(update)
    assert drawn[y + 1] == f"··{'L' * (width - 1)}".ljust(SIZE[0], "·")
    assert sum(line.count("L") for line in drawn) == width - 1
    assert panes.left.asked == [1]
    assert panes.right.asked == []


async def test_nothing_beyond_the_screen_is_drawn(panes: Panes) -> None:
    far = panes.screen.region.translate((SIZE[0] - 1, SIZE[1] - 1))
    assert shown(pieces(panes.screen, far))[-1].count("·") == SIZE[0] - 1
    assert pieces(panes.screen, panes.screen.region.translate((0, SIZE[1]))) is None


async def test_changes_are_drawn_once_the_screen_is_no_longer_held(panes: Panes) -> None:
    compositor = laid_out(panes.screen, panes.left.region)
    compositor.is_held = True
    assert compositor.render_update() is None
    compositor.is_held = False
    drawn = shown(compositor.render_update())
    assert sum(line.count("L") for line in drawn) == panes.left.region.area


async def test_a_screen_that_is_opened_is_drawn_once() -> None:
    app = Drawn()
    async with drawn(app) as terminal:
        await until(lambda: "count 0" in terminal.text)
        app.cell_driver.feed(b"b")
        await until(lambda: "MMM" in terminal.text)
        assert app.screen.query_one(Rows).asked == [0, 1, 2, 3]


async def test_rows_that_were_drawn_are_not_kept(panes: Panes) -> None:
    before = shown(pieces(panes.screen))
    panes.left.asked.clear()
    assert shown(pieces(panes.screen)) == before
    assert len(panes.left.asked) == panes.left.size.height
    assert not panes.left._styles_cache._cache
