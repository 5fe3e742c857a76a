"""Lines on standard error, without keys; it may be closed, or a pipe that nobody reads."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from pettui.configuration import SHORTEST_KEY
from pettui.settings import ApiKey
from pettui.text import safe

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY_VARIABLES: Final = ("PETTUI_API_KEY", "PETTUI_SERVICE_KEYS")


def write_error_line(line: str) -> None:
    """Write a line, made safe for a terminal."""
    write_error(f"{safe(line)}\n")


def write_error(text: str) -> None:
    """Write text that is already safe for a terminal. If nobody can read it, it is dropped."""
    stream = sys.stderr
    if stream is None:  # closed before the start; print would write to standard output
        return
    try:
        stream.write(text)
        stream.flush()
    except OSError:
        # Otherwise Python would try to write the rest at exit, and change the exit code.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def without_keys(text: str, environment: Mapping[str, str]) -> str:
    """Return a text with the API keys of the environment masked, wherever they appear."""
    for name in KEY_VARIABLES:
        for key in environment.get(name, "").split(","):
            if len(key.strip()) >= SHORTEST_KEY:
                text = ApiKey(key.strip()).mask(text)
    return text
