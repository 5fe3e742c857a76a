"""A small app that is served: it counts keys, and its factory records what was closed."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.widgets import Input, Static

from pettui.ssh.apps.app_factory import AppFactory, User
from pettui.ssh.apps.served_app import ServedApp

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from textual import events

    from pettui.terminal.client_terminal import ClientTerminal
    from tests.ssh.conftest import Running, Screen

SIZE = (60, 12)
UP, BUG, LEAVE = "\x1b[A", "\x1bOQ", "\x11"  # up, F2, ^Q


class Counter(App[str]):
    """Counts keys, and shows its size."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "count", "Count"),
        Binding("f2", "fail", "Fail"),
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
