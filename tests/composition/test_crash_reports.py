"""Reports of bugs, which have neither values nor the key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.client import PetClient
from pettui.composition.crash_reports import write_report
from pettui.settings.settings import ApiKey

if TYPE_CHECKING:
    from pathlib import Path

KEY = "sekrit/0123456789"


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "pettui"


def test_a_report_has_no_key_that_was_typed_in_the_app(state: Path) -> None:
    typed = "another/key-9876543210"
    client = PetClient("https://store.example/v1", KEY).with_key(typed)
    write_report(LookupError(f"{KEY} and {typed}"), ApiKey(KEY), client.api_key)
    (path,) = (state / "reports").iterdir()
    report = path.read_text()
    assert "LookupError" in report
    assert "0123456789" not in report
    assert "9876543210" not in report
