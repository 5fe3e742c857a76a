"""Whether a copy reaches the clipboard, by what is known of terminals and multiplexers.

A copy is OSC 52, which no terminal answers: what is said here is what its makers say.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_TAKING: Final = re.compile(r"(xterm-kitty|xterm-ghostty|alacritty|foot|wezterm|contour|st-)")
_BY_PROGRAM: Final = (
    ("WT_SESSION", "", "Windows Terminal takes copies"),
    ("TERM_PROGRAM", "WezTerm", "WezTerm takes copies"),
    ("TERM_PROGRAM", "ghostty", "Ghostty takes copies"),
    ("TERM_PROGRAM", "vscode", "VS Code takes copies"),
    (
        "TERM_PROGRAM",
        "iTerm.app",
        "iTerm2 takes copies where its settings let applications access the clipboard",
    ),
    ("TERM_PROGRAM", "Apple_Terminal", "Terminal.app takes no copies"),
    ("VTE_VERSION", "", "terminals of GNOME's VTE take copies in their newest versions alone"),
    ("KONSOLE_VERSION", "", "Konsole takes copies in its newest versions alone"),
)


def clipboard_support(environment: Mapping[str, str]) -> str:
    """Return what is known, in a sentence.

    Args:
        environment: TERM, TMUX, STY and what terminals call themselves by.
    """
    kind = environment.get("TERM", "")
    if environment.get("TMUX") or kind.startswith("tmux"):
        return "tmux passes copies on with: set -g set-clipboard on"
    if environment.get("STY") or kind.startswith("screen"):
        return "screen passes no copies on"
    for variable, value, sentence in _BY_PROGRAM:
        found = environment.get(variable)
        if found and (not value or found == value):
            return sentence
    if kind in ("", "dumb", "unknown") or kind.startswith(("linux", "vt")):
        return "this terminal takes no copies"
    if _TAKING.match(kind):
        return f"{kind} takes copies"
    return "not known; most terminals take copies, xterm itself with allowWindowOps"
