"""Where a shop keeps its last lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.remembered.last_lists import LastListsFile
from pettui.settings.settings import ApiKey

if TYPE_CHECKING:
    from pathlib import Path

ADDRESS = "https://store.example/v1"


KEY = ApiKey("secret-key-of-the-shop")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "state" / "lists"


@pytest.fixture
def file(directory: Path) -> LastListsFile:
    return LastListsFile(directory, ADDRESS, KEY)


SECONDS = 60.0  # a loaded machine is no failure
