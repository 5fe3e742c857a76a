"""The app in a process of its own, on a real pseudo-terminal: the bytes that go out."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pexpect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROGRAM = """
import asyncio, httpx, sys
from pettui.client import PetClient
from pettui.tui.app import PetApp
from pettui.settings import Settings
from tests.tui.driving import PRODUCTION
from tests.tui.scripted_service import KEY
from tests.tui.tour import touring_service

service = touring_service(open(sys.argv[1], encoding="utf-8", newline="").read())
client = PetClient("http://store.example/v1", KEY, transport=httpx.ASGITransport(service))
app = PetApp(client, Settings(PRODUCTION))
asyncio.run(app.run_async())
print("ended", app.failure)
"""


class PseudoTerminal:
    """What was written to it, byte by byte."""

    def __init__(self, child: pexpect.spawn) -> None:
        self._child = child
        self.written = b""

    def press(self, keys: str, awaited: str) -> None:
        """Send keys, and wait until a text was written."""
        self._child.send(keys)
        self._child.expect_exact(awaited.encode())
        self.written += self._child.before + self._child.after


@contextmanager
def opened(text: str, directory: Path) -> Iterator[PseudoTerminal]:
    """Open the app on the touring service with this text, 100 columns by 30 rows."""
    path = directory / "text"
    path.write_bytes(text.encode())
    words = ["-c", PROGRAM, str(path)]
    with pexpect.spawn(sys.executable, words, dimensions=(30, 100), timeout=60) as child:
        child.delaybeforesend = None
        yield PseudoTerminal(child)
