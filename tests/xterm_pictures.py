"""Draws the screens in a real xterm, as PNG: ``python -m tests.xterm_pictures FOLDER``.

Every screen in every theme, in 16, 256 and true colours and in none, at 100 columns by 30 rows.
Needs xterm, Xvfb, xdotool and ImageMagick. The app runs in xterm on samples, at a fixed time; it
says over a socket when a screen is drawn, and continues when its picture has been taken.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pettui.capabilities import colours_of
from pettui.cli.app import name_colours

if TYPE_CHECKING:
    from collections.abc import Iterator


TOOLS = ("xterm", "Xvfb", "xdotool", "import")
SIZE = "100x30"
KINDS = {
    "16": {"TERM": "xterm"},
    "256": {"TERM": "xterm-256color"},
    "true": {"TERM": "xterm-256color", "COLORTERM": "truecolor"},
    "none": {"TERM": "xterm-256color", "NO_COLOR": "1"},
}
THEMES = ("pettui-dark", "pettui-light", "ansi")
PATIENCE = 30.0  # seconds, for whatever is waited for


@dataclass(frozen=True)
class Sitting:
    """One xterm, from its first screen to its last."""

    kind: str
    theme: str
    options: tuple[str, ...] = ()  # of xterm

    @property
    def name(self) -> str:
        """The start of its pictures' names."""
        background = "-on-white" if "white" in self.options else ""
        return f"{self.kind}-{self.theme.removeprefix('pettui-')}{background}"


BLACK, WHITE = ("-bg", "black", "-fg", "grey90"), ("-bg", "white", "-fg", "black")
SITTINGS = (
    *(Sitting(kind, theme, BLACK) for kind in ("16", "256", "true") for theme in THEMES),
    Sitting("16", "ansi", WHITE),
    Sitting("none", "pettui-dark", BLACK),
    Sitting("none", "pettui-dark", WHITE),
)


def main() -> int:
    """Draw the pictures; the app itself is started by this module too, inside xterm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", metavar="NAME", help="those whose names begin so")
    parser.add_argument("--show", nargs=2, metavar=("THEME", "SOCKET"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.show:
        asyncio.run(show(*arguments.show))
        return 0
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        print(f"not installed: {', '.join(missing)}", file=sys.stderr)
        return 1
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with display() as number:
        for sitting in SITTINGS:
            if sitting.name.startswith(arguments.only):
                asyncio.run(take_pictures(sitting, arguments.folder, number))
    return 0


@contextmanager
def display() -> Iterator[str]:
    """Run an X server without a screen; yield its DISPLAY."""
    reading, writing = os.pipe()
    words = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x1024x24"]
    with subprocess.Popen(
        words, pass_fds=[writing], stderr=subprocess.DEVNULL
    ) as server, os.fdopen(reading) as numbers:  # fmt: skip
        os.close(writing)
        try:
            yield f":{numbers.readline().strip()}"
        finally:
            server.terminate()


async def take_pictures(sitting: Sitting, folder: Path, number: str) -> None:
    """Run the app through its screens in an xterm, and take a picture of each."""
    with tempfile.TemporaryDirectory() as directory:
        path = str(Path(directory, "socket"))
        ended = asyncio.Event()

        async def attend(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while name := (await reader.readline()).decode().strip():
                picture = folder / f"{sitting.name}-{name}.png"
                await asyncio.to_thread(take_picture, picture, number)
                print(picture)
                writer.write(b"taken\n")
            writer.close()
            ended.set()

        async with await asyncio.start_unix_server(attend, path):
            variables = ("NO_COLOR", "COLORTERM", "TERM", "LC_ALL", "LC_CTYPE", "TEXTUAL")
            usual = {k: v for k, v in os.environ.items() if not k.startswith(variables)}
            kind = KINDS[sitting.kind]
            process = await asyncio.create_subprocess_exec(
                *("xterm", "-geometry", f"{SIZE}+0+0", "-tn", kind["TERM"], *sitting.options),
                *("-e", "env", *(f"{name}={value}" for name, value in kind.items())),
                *(sys.executable, "-m", "tests.xterm_pictures", str(folder)),
                *("--show", sitting.theme, path),
                env={**usual, "LANG": "C.UTF-8", "DISPLAY": number},  # xterm keeps few variables
            )
            async with asyncio.timeout(PATIENCE * 10):
                await process.wait()
            if not ended.is_set():
                raise SystemExit("the app never came")
        check_ended_well(Path(directory, "error"))


def check_ended_well(error: Path) -> None:
    """End with what the app ended with, if that was an error."""
    if error.exists():
        raise SystemExit(error.read_text())


def take_picture(path: Path, number: str) -> None:
    """Take a picture of the xterm once it no longer changes."""
    environment = {**os.environ, "DISPLAY": number}
    words = ["xdotool", "search", "--sync", "--onlyvisible", "--class", "xterm"]
    window = subprocess.run(words, env=environment, capture_output=True, check=True).stdout.split()
    before, picture = b"", b"-"
    deadline = time.monotonic() + PATIENCE
    while before != picture and time.monotonic() < deadline:
        before = picture
        words = ["import", "-window", window[-1].decode(), "-depth", "8", "-define",
                 "png:exclude-chunks=date,time", "png:-"]  # fmt: skip
        picture = subprocess.run(words, env=environment, capture_output=True, check=True).stdout
    path.write_bytes(picture)


# Inside xterm


async def show(theme: str, path: str) -> None:
    """Run the app, and go through its screens."""
    colours = colours_of(os.environ["TERM"], os.environ)
    name_colours(colours)
    reader, writer = await asyncio.open_unix_connection(path)

    async def take(name: str) -> None:
        writer.write(f"{name}\n".encode())
        await reader.readline()

    from tests.xterm_tour import walk

    try:
        await walk(theme, colours, take)
    except Exception:
        Path(path).with_name("error").write_text(traceback.format_exc())
        raise
    finally:
        writer.close()


if __name__ == "__main__":
    sys.exit(main())
