"""pettui on the driver that ``textual-serve`` names, which talks in packets on pipes."""

from __future__ import annotations

import json
import subprocess
from typing import IO, TYPE_CHECKING

import pyte

from tests.peers.terminal import PROGRAM, QUIT
from tests.pyte_rows import screen_text
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SIZE = (100, 30)
AS_TEXTUAL_SERVE = {
    "TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver",
    "TEXTUAL_FPS": "60",
    "TEXTUAL_COLOR_SYSTEM": "truecolor",
    "COLUMNS": str(SIZE[0]),
    "ROWS": str(SIZE[1]),
}


class Page:
    """A page in a browser: what it shows, and what it was told besides."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._from: IO[bytes] = process.stdout
        self._to: IO[bytes] = process.stdin
        self._screen = pyte.Screen(*SIZE)
        self._stream = pyte.ByteStream(self._screen)
        self.told: list[str] = []
        self.written = b""

    def wait_until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            kind, size = self._from.read(1), int.from_bytes(self._from.read(4), "big")
            assert kind, f"ended\n{self.text}"
            content = self._from.read(size)
            if kind == b"D":
                self.written += content
                self._stream.feed(content)
            else:
                self.told.append(json.loads(content)["type"])

    @property
    def text(self) -> str:
        return screen_text(self._screen)

    def wait_for(self, *texts: str) -> None:
        self.wait_until(lambda: all(text in self.text for text in texts))

    def send(self, kind: bytes, content: bytes) -> None:
        self._to.write(kind + len(content).to_bytes(4, "big") + content)
        self._to.flush()


def test_it_needs_no_terminal_and_has_all_colours_where_textuals_variable_names_a_driver(
    environment: Mapping[str, str],
) -> None:
    process = subprocess.Popen(
        [PROGRAM, "--demo"],
        env={**environment, **AS_TEXTUAL_SERVE, "TERM": "dumb"},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with process:
        page = Page(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"__GANGLION__\n"
        page.wait_for("DEMO", "Mitzi", " shown")
        assert b"38;2;" in page.written  # true colours, whatever TERM says
        page.send(b"D", b"j\r")
        page.wait_for("Category")
        page.send(b"M", json.dumps({"type": "resize", "width": 80, "height": 24}).encode())
        page.send(b"D", QUIT.encode())
        page.wait_until(lambda: "exit" in page.told)
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE) == 0
