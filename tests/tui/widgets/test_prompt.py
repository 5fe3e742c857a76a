"""A prompt line: what it posts, when, and what stands beside it at every width."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from textual import on

from pettui.tui.screens.pet_screen import PetScreen
from pettui.tui.widgets.prompt import PromptLine
from tests.exhaustive import exhaustive
from tests.tui.driving import Driver, check_screen, open_app

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from textual.app import ComposeResult

    from pettui.tui.session import UserSession

SIZES = [(40, 12), *exhaustive((80, 24), (120, 30))]


class LinedScreen(PetScreen[None]):
    """A screen with a line that `/` opens; it counts the keys that reach it."""

    BINDINGS = [("slash", "open_line"), ("j", "count")]  # noqa: RUF012

    def __init__(self, session: UserSession, *, takes_tab: bool = False) -> None:
        super().__init__(session)
        self.takes_tab = takes_tab
        self.posted: list[tuple[str, str]] = []
        self.count = 0

    def compose(self) -> ComposeResult:
        yield self.header
        yield self.error_banner
        yield self.notice_bar
        yield self.status_line

    @property
    def line(self) -> PromptLine:
        return self.query_one(PromptLine)

    async def action_open_line(self) -> None:
        line = PromptLine(
            self.session.glyphs,
            "/",
            id="find",
            placeholder="name, id",
            keys="{submit_line} rows  {close_line} clear",
            takes_tab=self.takes_tab,
        )
        await self.ask(line)

    def action_count(self) -> None:
        self.count += 1

    @on(PromptLine.Changed, "#find")
    def changed(self, message: PromptLine.Changed) -> None:
        self.posted.append(("changed", message.text))

    @on(PromptLine.CompletionRequested, "#find")
    def completed(self, message: PromptLine.CompletionRequested) -> None:
        self.posted.append(("tab", message.text))

    @on(PromptLine.Submitted, "#find")
    @on(PromptLine.Closed, "#find")
    async def done(self, message: PromptLine.LineMessage) -> None:
        self.posted.append((type(message).__name__.lower(), message.text))
        await self.close_line()


@asynccontextmanager
async def line_screen(
    size: tuple[int, int] = (80, 24), *, takes_tab: bool = False
) -> AsyncIterator[tuple[Driver, LinedScreen]]:
    async with open_app(size=size) as driver:
        screen = LinedScreen(driver.app.session, takes_tab=takes_tab)
        await driver.app.push_screen(screen)
        yield driver, screen


async def test_each_letter_is_posted_and_enter_with_the_whole_text() -> None:
    async with line_screen() as (driver, screen):
        await driver.press("/", *"lu", "enter")
        assert screen.posted == [("changed", "l"), ("changed", "lu"), ("submitted", "lu")]


@pytest.mark.parametrize(
    ("packet", "posted", "count"),
    [
        (b"/lu\rjj", [("changed", "l"), ("changed", "lu"), ("submitted", "lu")], 2),
        (b"/lu\x1bjj", [("changed", "l"), ("changed", "lu"), ("closed", "lu")], 2),
        (b"/l\x7f\x1b/j\r", [("changed", "l"), ("changed", ""), ("closed", ""), ("changed", "j"), ("submitted", "j")], 0),
        (b"/\x1b[200~a b\x1b[201~\rj", [("changed", "a b"), ("submitted", "a b")], 1),
    ],
)  # fmt: skip
async def test_keys_in_one_packet_mean_what_they_mean_slowly(
    packet: bytes, posted: list[tuple[str, str]], count: int
) -> None:
    async with line_screen() as (driver, screen):
        driver.send(packet)
        await driver.settled()
        assert (screen.posted, screen.count) == (posted, count)


async def test_a_text_set_by_the_owner_is_posted_as_if_it_had_been_typed() -> None:
    """With the cursor at its end, as after a completion."""
    async with line_screen() as (driver, screen):
        await driver.press("/")
        screen.line.text = "pets.csv"
        await driver.press("x")
        assert screen.posted == [("changed", "pets.csv"), ("changed", "pets.csvx")]


async def test_tab_asks_to_complete_where_the_line_takes_it() -> None:
    async with line_screen(takes_tab=True) as (driver, screen):
        await driver.press("/", "p", "tab", "q")
        assert screen.posted == [("changed", "p"), ("tab", "p"), ("changed", "pq")]


async def test_a_second_line_takes_the_place_of_the_first() -> None:
    async with line_screen() as (driver, screen):
        await driver.press("/", "a")
        await screen.action_open_line()
        await driver.press("b")
        assert len(screen.query(PromptLine)) == 1
        assert screen.line.text == "b"


async def test_a_click_on_the_line_leaves_its_keys_and_a_key_elsewhere_is_not_typed() -> None:
    async with line_screen() as (driver, screen):
        await driver.press("/", "a")
        screen.set_focus(None)
        await driver.press("j")
        assert (screen.count, screen.line.text) == (1, "a")
        assert "clear" not in driver.line_with("/ ")
        await driver.pilot.click(PromptLine, offset=(8, 0))
        await driver.settled()
        assert "clear" in driver.line_with("/ ")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_the_line_says_what_to_press_at_every_width(size: tuple[int, int]) -> None:
    async with line_screen(size) as (driver, screen):
        await driver.press("/")
        check_screen(driver, "empty")
        assert "name, id" in driver.line_with("/ ")
        await driver.press(*"lun")
        screen.line.describe("3 of 240 loaded", "3 of 240")
        await driver.settled()
        check_screen(driver, "with a fact")
        assert "lun" in driver.line_with("/ ")
        assert "↵ rows" in driver.line_with("/ ")


async def test_a_text_gives_way_to_the_keys() -> None:
    """Its short words first; the line is as wide as before."""
    async with line_screen((120, 30)) as (driver, screen):
        await driver.press("/")
        screen.line.describe("3 of 240 loaded", "3 of 240")
        await driver.settled()
        assert "3 of 240 loaded · ↵ rows · esc clear" in driver.line_with("/ ")
    async with line_screen((54, 12)) as (driver, screen):
        await driver.press("/")
        screen.line.describe("3 of 240 loaded", "3 of 240")
        await driver.settled()
        assert "3 of 240 · ↵ rows · esc clear" in driver.line_with("/ ")
        screen.line.describe("something far too long for this line of few cells")
        await driver.settled()
        assert driver.line_with("/ ").rstrip().endswith("↵ rows · esc clear")


async def test_what_is_typed_can_hurt_no_terminal() -> None:
    async with line_screen() as (driver, screen):
        await driver.press("/")
        driver.paste("R\x1b[31me\u202ex")
        await driver.settled()
        check_screen(driver, "pasted")
        assert screen.line.text == "R\x1b[31me\u202ex"
