"""Whether a copy reaches the clipboard, as terminals and multiplexers document it.

A copy is OSC 52, which no terminal acknowledges.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_SUPPORTING: Final = re.compile(r"(xterm-kitty|xterm-ghostty|alacritty|foot|wezterm|contour|st-)")
_BY_PROGRAM: Final = (
    ("WT_SESSION", "", "Windows Terminal supports copying"),
    ("TERM_PROGRAM", "WezTerm", "WezTerm supports copying"),
    ("TERM_PROGRAM", "ghostty", "Ghostty supports copying"),
    ("TERM_PROGRAM", "vscode", "VS Code supports copying"),
    (
        "TERM_PROGRAM",
        "iTerm.app",
        "iTerm2 supports copying if its settings let applications access the clipboard",
    ),
    ("TERM_PROGRAM", "Apple_Terminal", "Terminal.app does not support copying"),
    ("VTE_VERSION", "", "terminals based on GNOME's VTE support copying in their newest versions"),
    ("KONSOLE_VERSION", "", "Konsole supports copying in its newest versions"),
)


def clipboard_support(environment: Mapping[str, str]) -> str:
    """Return what is known, as a sentence.

    Args:
        environment: with TERM, TMUX, STY and the variables of terminals.
    """
    kind = environment.get("TERM", "")
    if environment.get("TMUX") or kind.startswith("tmux"):
        return "tmux supports copying with: set -g set-clipboard on"
    if environment.get("STY") or kind.startswith("screen"):
        return "screen does not support copying"
    for variable, value, sentence in _BY_PROGRAM:
        found = environment.get(variable)
        if found and (not value or found == value):
            return sentence
    if kind in ("", "dumb", "unknown") or kind.startswith(("linux", "vt")):
        return "this terminal does not support copying"
    if _SUPPORTING.match(kind):
        return f"{kind} supports copying"
    return "unknown; most terminals support copying, xterm with allowWindowOps"
