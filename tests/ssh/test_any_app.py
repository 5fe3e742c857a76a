"""Any Textual app can be served, such as a small counter."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.css.stylesheet import Stylesheet, StylesheetParseError
from textual.reactive import reactive
from textual.widgets import Input, Static

from pettui.ssh.apps.any_app import AnyApp
from pettui.ssh.apps.app_factory import AppFactory
from pettui.ssh.apps.bugs import bug_fields
from pettui.ssh.apps.served_app import ServedApp
from pettui.terminal.driver import LEAVE_SCREEN
from tests.ssh.conftest import serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from textual import events

    from pettui.ssh.apps.app_factory import User
    from pettui.ssh.client_terminal import ClientTerminal
    from tests.ssh.conftest import Running, Screen

SIZE = (60, 12)
UP, BUG, PRINT, LEAVE = "\x1b[A", "\x1bOQ", "\x1bOR", "\x11"  # up, F2, F3, ^Q


class Counter(App[str]):
    """Counts keys, and shows its size."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "count", "Count"),
        Binding("f2", "fail", "Fail"),
        Binding("f3", "print", "Print"),
    ]

    owner = reactive("nobody", init=False)

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def compose(self) -> ComposeResult:
        yield Static(f"of {self.owner}", id="owner")
        yield Static("0 times", id="count")
        yield Static(id="size")
        yield Input(id="note")

    def on_resize(self, event: events.Resize) -> None:
        self.query_one("#size", Static).update(f"{event.size.width} by {event.size.height}")

    def watch_owner(self, owner: str) -> None:
        if self.is_running:
            self.query_one("#owner", Static).update(f"of {owner}")

    def action_count(self) -> None:
        self.count += 1
        self.query_one("#count", Static).update(f"{self.count} times")

    def action_fail(self) -> None:
        raise ZeroDivisionError

    def action_print(self) -> None:
        print("printed by an app")
        self.query_one("#count", Static).update("printed")


class ServedCounter(ServedApp[str], Counter):
    """The counter as a served app."""


class CounterFactory(AppFactory[ServedCounter]):
    """Creates counters, and records which were closed."""

    def __init__(self, *, can_prepare: bool = True) -> None:
        self.can_prepare = can_prepare
        self.made: list[ServedCounter] = []
        self.closed: list[ServedCounter] = []

    def prepare(self, _terminal: ClientTerminal) -> ServedCounter:
        self.made.append(ServedCounter())
        return self.made[-1]

    def claim(
        self, user: User, terminal: ClientTerminal, prepared: ServedCounter | None
    ) -> ServedCounter:
        app = prepared or self.prepare(terminal)
        app.owner = user.name
        return app

    def farewell(self, app: ServedCounter) -> str:
        return f"counted to {app.count}"

    async def close(self, app: ServedCounter) -> None:
        self.closed.append(app)


@asynccontextmanager
async def user(running: Running, name: str = "anna") -> AsyncIterator[Screen]:
    async with running.opened({"username": name}, term_size=SIZE) as screen:
        await screen.wait_for(f"of {name}", "0 times", "60 by 12")
        yield screen


async def test_leaving_restores_the_terminal_shows_the_farewell_and_closes_the_app() -> None:
    factory = CounterFactory()
    async with serving(factory, name="counter") as running, user(running) as screen:
        screen.press(UP)
        await screen.wait_for("1 times")
        screen.press(LEAVE)
        assert await screen.end() == 0
        assert screen.written.endswith(LEAVE_SCREEN.encode())
        assert screen.errors == b"counter: counted to 1\r\n"
        assert factory.closed == factory.made
        assert running.events("end")[0]["reason"] == "quit"


async def test_a_bug_ends_one_app_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    async with (
        serving(CounterFactory(), name="counter") as running,
        user(running) as first,
        user(running, "ben") as second,
    ):
        first.press(BUG)
        assert await first.end() == 1
        assert b"a bug in counter ended this session" in first.errors
        assert [type(bug) for bug in running.bugs] == [ZeroDivisionError]
        second.press(UP)
        await second.wait_for("1 times")
    printed = capfd.readouterr()
    assert printed.out + printed.err == ""


async def test_nobody_looks_at_the_local_variables_of_a_bug() -> None:
    looked_at: list[object] = []

    class Local:
        def __repr__(self) -> str:
            looked_at.append(self)
            return "a secret"

    class Failing(Counter):
        def action_fail(self) -> None:
            local = Local()
            raise ZeroDivisionError if local else AssertionError

    async with serving(AnyApp(Failing)) as running, running.opened() as screen:
        await screen.wait_for("0 times")
        screen.press(BUG)
        assert await screen.end() == 1
    assert looked_at == []


def test_the_reason_of_a_bug_in_styles_is_where_it_is() -> None:
    styles = Stylesheet()
    styles.add_source("Label {\n  colour: red;\n}", read_from=("prices.tcss", ""))
    with pytest.raises(StylesheetParseError) as caught:
        styles.parse()
    reason = bug_fields(caught.value)["reason"]
    assert reason == f"StylesheetParseError: Error at {Path.cwd() / 'prices.tcss'}:2:3"


async def test_what_an_app_prints_is_discarded(capfd: pytest.CaptureFixture[str]) -> None:
    async with serving(CounterFactory()) as running, user(running) as screen:
        screen.press(PRINT)
        await screen.wait_for("printed")
        assert "by an app" not in screen.text
    printed = capfd.readouterr()
    assert printed.out + printed.err == ""


class Unclaimable(CounterFactory):
    def claim(self, user: Any, terminal: Any, prepared: Any) -> ServedCounter:
        if not self.closed:
            raise ZeroDivisionError
        return super().claim(user, terminal, prepared)


async def test_a_prepared_app_that_cannot_be_claimed_ends_and_is_closed() -> None:
    factory = Unclaimable()
    async with serving(factory, ready_apps=1) as running:
        starting = asyncio.create_task(running.state.apps.keep_ready())
        await running.wait_until(lambda: running.state.apps.ready == 1)
        async with running.opened() as screen:
            assert await screen.end() == 1
        await running.wait_until(lambda: factory.closed == factory.made[:1])
        starting.cancel()
        async with user(running) as screen:
            screen.press(UP)
            await screen.wait_for("1 times")
