"""A served app: when its first screen is drawn, and that its styles are those of Textual."""

from __future__ import annotations

import asyncio
import io
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.css.stylesheet import Stylesheet
from textual.widgets import Button, Input, Label, Static

from pettui.ssh.apps import served_app, stylesheets
from pettui.ssh.apps.app_pool import USUAL
from pettui.ssh.apps.served_app import FirstScreen, RoutedPrints, ServedApp, SharedResources
from pettui.system.logs import EventLog
from pettui.terminal.cell_app import CellApp
from tests.terminal.drawn_apps import PlayedTerminal, drawn
from tests.terminal.test_private_names import documented
from tests.tui.test_private_names import names_of_textual, private_names
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from textual.dom import DOMNode
    from textual.screen import Screen


# A first screen is drawn when all that it shows is there


class Held(CellApp[None]):
    first: FirstScreen
    terminal: PlayedTerminal

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
async def app() -> AsyncIterator[Held]:
    app = Held()
    async with drawn(app, is_held=True) as app.terminal:
        await until(lambda: app.is_there)
        yield app


async def test_behind_a_first_frame_all_rows_are_drawn_even_so(
    app: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served_app, "LATER", 0.0)
    app.first.begin(is_behind=True)
    app.first.complete()
    await until(lambda: "everything" in app.terminal.text)


# Shared styles equal those that Textual resolves for each app


class FormApp(App[None]):
    CSS = """
    Label { color: $primary; }
    Label:first-child { color: $error; }
    .wide Label { width: 20; }
    #name:focus { border: heavy $accent; }
    Button:disabled { color: $warning; }
    Button:hover { text-style: bold; }
    App:dark Vertical { background: $panel; }
    .app--line { color: $success; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"app--line"}

    def compose(self) -> ComposeResult:
        with Vertical(classes="wide"):
            yield Label("one")
            yield Label("two")
        with Vertical():
            yield Label("three")
            yield Input(id="name")
            yield Button("off", disabled=True)
            yield Button("on")


class ServedFormApp(ServedApp[None], FormApp):
    """The app as a served one."""


@asynccontextmanager
async def running(shared: SharedResources) -> AsyncIterator[ServedFormApp]:
    app = ServedFormApp()
    app.draw_on(shared, USUAL)
    task = asyncio.create_task(app.run_on_channel((80, 24)))
    try:
        await until(lambda: app.is_running and is_styled(app))
        yield app
    finally:
        app.exit()
        await task


def is_styled(app: App[Any]) -> bool:
    """Whether all widgets are mounted and styled."""
    return app.focused is not None and all(node.styles.base.get_rules() for node in nodes_of(app))


def nodes_of(app: App[Any]) -> list[DOMNode]:
    return [app, *app.screen.walk_children(with_self=True)]


def styles_of(app: App[Any]) -> list[Any]:
    """Return the rules of all nodes, those of what they draw, and what has them styled again."""
    return [
        (
            node.css_identifier,
            node.styles.base.get_rules(),
            {
                name: node.get_component_styles(name).base.get_rules()
                for name in node._get_component_classes()
            },
            [getattr(node, name) for name in ("_has_hover_style", "_has_order_style")],
        )
        for node in nodes_of(app)
    ]


def styles_by_textual(app: App[Any]) -> list[Any]:
    """Return the same, after Textual's own stylesheet has styled the app."""
    stylesheet = Stylesheet(variables=app.get_css_variables())
    stylesheet.source = dict(app.stylesheet.source)
    stylesheet._require_parse = True
    for node in nodes_of(app):
        stylesheet.apply(node)
    return styles_of(app)


async def test_many_apps_are_styled_as_by_textual_itself() -> None:
    shared = SharedResources(RoutedPrints(EventLog(io.StringIO())))
    async with running(shared) as first, running(shared) as second:
        for app in (first, second):
            shown = styles_of(app)
            assert shown == styles_by_textual(app)


async def test_an_app_with_another_theme_changes_nothing_for_the_others() -> None:
    shared = SharedResources(RoutedPrints(EventLog(io.StringIO())))
    async with running(shared) as first, running(shared) as second:
        dark = styles_of(first)
        with second._context():  # as in the app itself: its timers start in it
            second.theme = "textual-light"
            second.refresh_css()
        light = styles_of(second)
        assert light == styles_by_textual(second)
        assert light != dark == styles_of(first)


async def test_a_focused_widget_is_styled_again() -> None:
    shared = SharedResources(RoutedPrints(EventLog(io.StringIO())))
    async with running(shared) as app:
        field = app.query_one(Input)
        field.focus()
        await until(lambda: field.styles.base.border_top[0] == "heavy")
        app.query(Button).last().focus()
        await until(lambda: field.styles.base.border_top[0] != "heavy")


# Private names


CLASSES = [served_app.ServedApp, stylesheets.SharedStylesheet, served_app.Workers]


@pytest.mark.parametrize("ours", CLASSES, ids=lambda ours: ours.__name__)
def test_each_private_name_of_textual_that_a_class_uses_is_listed_in_its_module(ours: type) -> None:
    """This fails if another one is used, even by accident."""
    assert private_names(ours) & names_of_textual(ours) <= documented(ours)
