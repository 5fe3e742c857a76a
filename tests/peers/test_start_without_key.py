"""The installed app at a start without an API key, and what it leaves behind."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.client.hostile.server import http
from tests.peers.hostile_services import Services
from tests.peers.terminal import ENTER, Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PROGRAM = str(Path(sys.executable).with_name("pettui"))
TYPED = "Zq9-key-that-is-typed"


@pytest.fixture
def services() -> Iterator[Services]:
    services = Services()
    yield services
    services.close()


def test_the_key_is_asked_for_masked_and_kept_nowhere(
    environment: Mapping[str, str], services: Services, home: Path
) -> None:
    server = services.open(http(200, '[{"id": 1, "name": "Rex", "categoryId": 3}]'))
    terminal = Terminal([PROGRAM, "--base-url", server.base_url], environment)
    terminal.press(TYPED)  # before the first frame
    terminal.wait_for("No API key", "PETTUI_API_KEY", "\u2022" * len(TYPED))
    assert server.seen == []
    terminal.press(ENTER)
    terminal.wait_for("Rex")
    assert server.seen[0].header("authorization") == [f"Bearer {TYPED}"]
    terminal.press("\x11")
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()
    frames = terminal.written.partition(b"\x1b[")[2]  # before it the terminal itself echoes
    assert TYPED.encode() not in frames
    kept = [path for path in home.rglob("*") if path.is_file()]
    assert not [path for path in kept if TYPED.encode() in path.read_bytes()]
