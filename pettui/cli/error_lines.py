"""Text on standard error, which may be closed, or a pipe that nobody reads any more."""

from __future__ import annotations

import os
import sys

from pettui.text import safe


def write_error_line(line: str) -> None:
    """Write a line that is safe to draw, if anybody is there to read it."""
    write_error(f"{safe(line)}\n")


def write_error(text: str) -> None:
    """Write text that is safe to draw as it is."""
    stream = sys.stderr
    if stream is None:  # was closed before the start; print would take standard output instead
        return
    try:
        stream.write(text)
        stream.flush()
    except OSError:
        # What is left in the stream would be tried again at the end, with an exit code of its own.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
