"""The terminal: checked before the app starts, and written to after the app has ended."""

from __future__ import annotations

import os
import select
import sys
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING

from pettui.capabilities import Colours
from pettui.configuration import ConfigurationError
from pettui.text import safe

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

UNABLE = ("", "dumb", "unknown")
# Textual's names; by itself it recognizes few terminals.
_COLOUR_SYSTEMS = MappingProxyType(
    {Colours.TRUE: "truecolor", Colours.MANY: "256", Colours.SIXTEEN: "standard"}
)


def check_terminal(environment: Mapping[str, str]) -> None:
    """Make sure that keys can be read and screens drawn. Textual draws on standard error.

    Raises:
        ConfigurationError: they cannot.
    """
    for stream, name in ((sys.__stdin__, "standard input"), (sys.__stderr__, "standard error")):
        if not _is_terminal(stream):
            reason = "is not a terminal; run pettui in one, without redirecting its input or errors"
            raise ConfigurationError(name, reason)
    kind = environment.get("TERM", "")
    if kind in UNABLE and sys.platform != "win32":
        reason = "cannot draw screens; set it to your terminal's type, such as xterm-256color"
        raise ConfigurationError("TERM", reason, value=kind)


def name_colours(colours: Colours) -> None:
    """Set the variables by which Textual, once imported, knows how many colours there are."""
    if colours is Colours.NONE:
        os.environ["NO_COLOR"] = "1"
        return
    os.environ.pop("NO_COLOR", None)  # empty, which means not set
    os.environ.setdefault("TEXTUAL_COLOR_SYSTEM", _COLOUR_SYSTEMS[colours])


def write_farewell(line: str) -> None:
    """Write a line after the app has ended, if the terminal is still there and accepts it."""
    if line and select.select([], [sys.stderr], [], 0)[1]:
        with suppress(OSError):
            print(safe(f"pettui: {line}"), file=sys.stderr, flush=True)


def release_lost_terminal() -> None:
    """Redirect streams whose terminal is gone, so that Python's flush at exit does not fail."""
    for stream in filter(None, (sys.stdout, sys.stderr)):  # None if it was closed
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and not stream.closed and stream.isatty()
