"""Themes: their variables, computed once for all apps, and the one that was chosen."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

import httpx
import pytest
from textual.app import App

from pettui.client import PetClient
from pettui.settings import Colours, Settings
from pettui.transfer.last_lists import ThemeChoice
from pettui.tui.app import PetApp
from pettui.tui.appearance import css_variables, themes
from tests.tui.driving import PRODUCTION, open_app
from tests.tui.scripted_service import KEY, ScriptedService

if TYPE_CHECKING:
    from pathlib import Path


class Plain(App[None]):
    """An app of Textual's with our themes."""

    def __init__(self, colours: Colours) -> None:
        self.ours = themes(colours)
        super().__init__()
        for theme in self.ours:
            self.register_theme(theme)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(self.ours[0].variables)


@pytest.mark.parametrize("colours", Colours)
def test_the_variables_are_those_that_textual_computes(colours: Colours) -> None:
    app = Plain(colours)
    for theme in app.ours:
        app.theme = theme.name
        assert css_variables(theme.name, colours) == app.get_css_variables()


async def test_a_theme_that_comes_and_goes_leaves_the_variables_as_they_were() -> None:
    before = {**(css_variables("pettui-dark", Colours.TRUE) or {})}
    async with open_app() as driver:
        for theme in ("pettui-light", "nord", "ansi", "pettui-dark"):
            driver.app.theme = theme
            await driver.settled()
            assert driver.app.theme_variables["pt-band"]
        assert driver.app.theme_variables == before
        assert driver.app.get_css_variables() is css_variables("pettui-dark", Colours.TRUE)


# The choice


@pytest.mark.parametrize(
    ("kept", "theme"),
    [
        (None, "ansi"),
        ("pettui-light", "pettui-light"),
        ("gone-since", "ansi"),
    ],
)
async def test_an_earlier_choice_overrides_the_configuration(
    kept: str | None, theme: str, tmp_path: Path
) -> None:
    if kept is not None:
        (tmp_path / "theme").write_text(kept, encoding="utf-8")
    service = ScriptedService([])
    transport = httpx.ASGITransport(service)
    client = PetClient("http://store.example/v1", KEY, transport=transport)
    async with aclosing(service), aclosing(client):
        settings = Settings(PRODUCTION, theme="ansi")
        assert PetApp(client, settings, theme_choice=ThemeChoice(tmp_path / "theme")).theme == theme


async def test_as_configured_is_in_the_palette() -> None:
    async with open_app(theme="pettui-light") as driver:
        for words, theme in (
            ("the terminal", "ansi"),
            ("as configured", "pettui-light"),
            ("dark", "pettui-dark"),
            ("as configured", "pettui-light"),
        ):
            keys = ["space" if character == " " else character for character in words]
            await driver.press(":", *keys, "enter")
            await driver.until(lambda theme=theme: driver.app.theme == theme)
