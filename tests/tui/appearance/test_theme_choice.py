"""A theme is chosen in the palette, and counts before the one that is configured."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.client import PetClient
from pettui.settings import Settings
from pettui.transfer.last_lists import ThemeChoice
from pettui.tui.app import PetApp
from tests.tui.driving import PRODUCTION, open_app
from tests.tui.scripted_service import KEY, ScriptedService

if TYPE_CHECKING:
    from pathlib import Path


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
