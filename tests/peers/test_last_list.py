"""The installed program in a real terminal, with the list that it showed the last time."""

from __future__ import annotations

import json
import stat
import sys
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest

from tests.peers.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PROGRAM = str(Path(sys.executable).with_name("pettui"))
KEY = "key-of-the-shop"


class Shop:
    """A service that lists three animals to clients with the key, once it may respond."""

    def __init__(self) -> None:
        self.key = KEY
        self.names = ["Rex", "Mimi", "Bartholomew"]
        self.may_respond = Event()
        self.may_respond.set()
        self.port = 0

    @contextmanager
    def open(self) -> Iterator[None]:
        """Listen, on the same port each time."""
        server = ThreadingHTTPServer(("127.0.0.1", self.port), partial(ShopHandler, self))
        self.port = server.server_port
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield
        finally:
            self.may_respond.set()
            server.shutdown()
            thread.join()
            server.server_close()


class ShopHandler(BaseHTTPRequestHandler):
    """Handles one request to a Shop."""

    def __init__(self, shop: Shop, *arguments: Any) -> None:
        self._shop = shop
        super().__init__(*arguments)

    def do_GET(self) -> None:
        """List the animals."""
        assert self._shop.may_respond.wait(60)
        is_right = self.headers["Authorization"] == f"Bearer {self._shop.key}"
        pets = [
            {"id": number, "name": name, "categoryId": 3}
            for number, name in enumerate(self._shop.names, 1)
        ]
        error = {"code": "unauthorized", "message": "Missing or invalid API key", "status": 401}
        content = json.dumps(pets if is_right else error).encode()
        self.send_response(200 if is_right else 401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def shop() -> Shop:
    """A service that has been open once, and is closed."""
    shop = Shop()
    with shop.open():
        pass
    return shop


@pytest.fixture
def configured(environment: Mapping[str, str], shop: Shop) -> dict[str, str]:
    """The shop's address and key."""
    address = f"http://127.0.0.1:{shop.port}/v1"
    return {**environment, "PETTUI_BASE_URL": address, "PETTUI_API_KEY": KEY}


@contextmanager
def started(environment: Mapping[str, str], *options: str) -> Iterator[Terminal]:
    """Start the program."""
    terminal = Terminal([PROGRAM, *options], environment)
    try:
        yield terminal
    finally:
        terminal.close()


def quit_app(terminal: Terminal) -> None:
    """Quit, and check the exit code and the terminal."""
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    terminal.assert_restored()


def see_once(shop: Shop, environment: Mapping[str, str]) -> None:
    """Start, see the animals, quit."""
    with shop.open(), started(environment) as terminal:
        terminal.wait_for("Bartholomew")
        quit_app(terminal)


def list_files(home: Path) -> list[Path]:
    """Return the files that hold a list."""
    return [*home.glob(".local/state/pettui/lists/*")]


def test_without_a_network_the_last_list_is_there(
    shop: Shop, configured: dict[str, str], home: Path
) -> None:
    see_once(shop, configured)
    [path] = list_files(home)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert KEY.encode() not in path.read_bytes()
    with started(configured) as terminal:
        terminal.wait_for("Bartholomew", "all as of", "connection refused")
        quit_app(terminal)


def test_rows_are_there_before_the_service_responds(shop: Shop, configured: dict[str, str]) -> None:
    see_once(shop, configured)
    shop.may_respond.clear()
    with shop.open(), started(configured) as terminal:
        terminal.wait_for("Bartholomew", "all as of")
        frames = terminal.written.split(b"\x1b[?2026h")
        first = next(frame for frame in frames if b"All" in frame)
        assert b"Bartholomew" in first
        quit_app(terminal)


def test_a_refused_key_removes_the_last_list(
    shop: Shop, configured: dict[str, str], home: Path
) -> None:
    see_once(shop, configured)
    shop.key = "another-key"
    with shop.open(), started(configured) as terminal:
        terminal.wait_for("401 unauthorized")
        quit_app(terminal)
    assert list_files(home) == []
