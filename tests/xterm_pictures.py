"""Draws the screens of the demo in a real xterm, as PNG: ``make xterm-pictures``.

Every screen in every theme, in 16, 256 and true colours and in none, at 100 columns by 30 rows. Needs
an X server of its own, xterm, xdotool and ImageMagick.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

KINDS = {
    "16": {"TERM": "xterm"},
    "256": {"TERM": "xterm-256color"},
    "true": {"TERM": "xterm-256color", "COLORTERM": "truecolor"},
    "none": {"TERM": "xterm-256color", "NO_COLOR": "1"},
}
BLACK, WHITE = ("-bg", "black", "-fg", "grey90"), ("-bg", "white", "-fg", "black")
SITTINGS = {
    **{
        f"{kind}-{theme}": (kind, theme, BLACK)
        for kind in ("16", "256", "true")
        for theme in ("dark", "light", "ansi")
    },
    **{
        f"{kind}-{theme}-on-white": (kind, theme, WHITE)
        for kind in ("16", "256", "true")
        for theme in ("light", "ansi")
    },
    "none-dark": ("none", "dark", BLACK),
    "none-dark-on-white": ("none", "dark", WHITE),
}
SCREENS = {  # the keys that lead there from the one before, as xdotool calls them
    "list": "j j j",
    "palette": "colon t h e",
    "help": "Escape F1",
    "detail": "Escape Return",
    "create": "Escape a",
    "create-wrong": "R e x Tab 3 x",
    "create-categories": "BackSpace BackSpace r",
    "create-added": "Down Tab a Return B i m",
    "create-refused": "Escape Escape colon 4 0 0 Return a T i m Return",
    "outbox": "F9",
    "receipt": "Escape Escape Escape R",
    "list-new": "Escape r",
    "list-counts": "c j",
    "list-sort": "z",
    "list-marked": "Escape c space space e",
    "list-find": "Escape Escape slash c a t",
    "list-preview": "Escape Escape t",
    "list-limit": "Escape L",
    "list-401": "Escape colon 4 0 1 Return F5",
    "list-key": "F7 a b c",
    "requests": "Escape F3",
    "request": "Return",
}
PATIENCE = 30.0  # seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("sittings", nargs="*", default=[*SITTINGS], metavar="sitting")
    parser.add_argument("--geometry", default="100x30", help="columns and rows")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.sittings:
        take_pictures(name, arguments.folder, arguments.geometry)


def take_pictures(sitting: str, folder: Path, geometry: str) -> None:
    """Run the demo through its screens in an xterm, and take a picture of each."""
    kind, theme, options = SITTINGS[sitting]
    variables = ("NO_COLOR", "COLORTERM", "TERM", "LC_", "TEXTUAL", "PETTUI", "XDG")
    usual = {k: v for k, v in os.environ.items() if not k.startswith(variables)}
    with tempfile.TemporaryDirectory() as home:
        config = Path(home, "config.toml")
        config.write_text(f'theme = "{theme}"\n')
        environment = {**usual, "HOME": home, "LANG": "C.UTF-8"}
        words = [
            *("xterm", "-geometry", f"{geometry}+0+0", "-tn", KINDS[kind]["TERM"], *options),
            *("-e", "env"),
            *(f"{name}={value}" for name, value in KINDS[kind].items()),  # xterm keeps few
            *(sys.executable, "-m", "pettui", "--demo", "--config", str(config)),
        ]
        with subprocess.Popen(words, env=environment) as xterm:
            find = ("search", "--sync", "--onlyvisible", "--class", "xterm")
            window = run(environment, "xdotool", *find).split()[-1].decode()
            run(environment, "xdotool", "windowfocus", "--sync", window)
            picture_of(window, environment)
            for name, keys in SCREENS.items():
                run(environment, "xdotool", "key", "--delay", "150", *keys.split())
                picture = folder / f"{sitting}-{name}.png"
                picture.write_bytes(picture_of(window, environment))
                print(picture)
            xterm.terminate()


def picture_of(window: str, environment: Mapping[str, str]) -> bytes:
    """Return a picture of the xterm once it no longer changes."""
    words = ("-window", window, "-depth", "8", "-define", "png:exclude-chunks=date,time", "png:-")
    before, picture = b"", b"-"
    deadline = time.monotonic() + PATIENCE
    while before != picture and time.monotonic() < deadline:
        time.sleep(1)
        before, picture = picture, run(environment, "import", *words)
    return picture


def run(environment: Mapping[str, str], *words: str) -> bytes:
    return subprocess.run(words, env=environment, stdout=subprocess.PIPE, check=True).stdout


if __name__ == "__main__":
    main()
