"""What changed is drawn, all of it and no more, by each widget for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.geometry import Region
from textual.screen import ModalScreen, Screen
from textual.widget import Widget

from pettui.terminal.compositor import PieceCompositor, PiecesUpdate

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from textual.strip import Strip


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
