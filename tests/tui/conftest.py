"""What most tests of the screens begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.tui.driving import Driver, open_app
from tests.tui.scripted_service import ScriptedService

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


def underlined(table: Any) -> list[str]:
    """Return the texts of a table that are underlined."""
    strips = table.render_lines(table.size.region)
    return [each.text for strip in strips for each in strip if each.style and each.style.underline]


@pytest.fixture
def service() -> ScriptedService:
    """The real one with its samples, where a file has no other ``service``."""
    return ScriptedService()


@pytest.fixture
async def driver(service: ScriptedService) -> AsyncIterator[Driver]:
    """The list of that service."""
    async with open_app(service) as driver:
        yield driver


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, and the home, in which nothing is yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path
