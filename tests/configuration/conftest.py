"""A user who has no configuration yet, and a key file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import nothing_written as nothing_written  # noqa: PLC0414 - a fixture
from tests.cli.conftest import refused as refused  # noqa: PLC0414 - a fixture
from tests.cli.conftest import run_here as run_here  # noqa: PLC0414 - a fixture

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Configure = Callable[[str], Path]


@pytest.fixture(autouse=True)
def _no_configuration(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("HOME", str(home))


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    """A key file that only its owner can read."""
    path = tmp_path / "key"
    path.write_text("key-of-the-file\n")
    path.chmod(0o600)
    return path
