"""Whether there is a terminal to draw on, asked before anything is touched."""

from __future__ import annotations

import os
import sys
from types import MappingProxyType
from typing import TYPE_CHECKING

from pettui.capabilities import Colours
from pettui.configuration import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

UNABLE = ("", "dumb", "unknown")
# As Textual calls what it counts colours down to; by itself it knows few terminals.
_COLOUR_SYSTEMS = MappingProxyType(
    {Colours.TRUE: "truecolor", Colours.MANY: "256", Colours.SIXTEEN: "standard"}
)


def check_terminal(environment: Mapping[str, str]) -> None:
    """Make sure that keys can be read and screens drawn: Textual draws on standard error.

    Raises:
        ConfigurationError: they cannot.
    """
    for stream, name in ((sys.__stdin__, "standard input"), (sys.__stderr__, "standard error")):
        if not _is_terminal(stream):
            reason = (
                "is no terminal; run pettui in one, and do not redirect its input or its errors"
            )
            raise ConfigurationError(name, reason)
    kind = environment.get("TERM", "")
    if kind in UNABLE and sys.platform != "win32":
        reason = "cannot draw screens; set it to your terminal's kind, such as xterm-256color"
        raise ConfigurationError("TERM", reason, value=kind)


def name_colours(colours: Colours) -> None:
    """Tell Textual, which reads it when it is imported, how many colours there are."""
    if colours is Colours.NONE:
        os.environ["NO_COLOR"] = "1"
        return
    os.environ.pop("NO_COLOR", None)  # it is empty, which means nothing
    os.environ.setdefault("TEXTUAL_COLOR_SYSTEM", _COLOUR_SYSTEMS[colours])


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and not stream.closed and stream.isatty()
