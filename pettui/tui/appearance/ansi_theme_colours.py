"""The theme in the terminal's own sixteen colours, whatever they are.

The terminal may be dark or light, so every coloured text has its own background.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.tui.appearance.theme_colours import CHIPS, STYLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.tui.appearance.theme_colours import Table

_OWN: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(
            (
                "background", "foreground", "quiet", "placeholder", "bright", "strong", "band",
                "pane", "raised", "line", "rule", "field", "field-focused", "accent-foreground",
                "error-background", "notice-background",
            ),
            "ansi_default",
        ),
        **dict.fromkeys(CHIPS, "transparent"),
        **dict.fromkeys(STYLES, "none"),
        "strong-style": "bold",
        "found-style": "bold underline",
        "head-style": "bold",
        "tab-style": "bold",
        "error-style": "bold",
        "error-title-style": "bold",
        "veil": "transparent",
        "tab-foreground": "ansi_bright_white",
        "tab-background": "ansi_blue",
        "key": "ansi_black",
        "key-chip": "ansi_cyan",
        "available": "ansi_black",
        "available-chip": "ansi_green",
        "pending": "ansi_black",
        "pending-chip": "ansi_yellow",
        "sold": "ansi_bright_white",
        "sold-chip": "ansi_blue",
        "mark": "ansi_black",
        "mark-chip": "ansi_green",
        "error-foreground": "ansi_bright_white",
        "error-chip": "ansi_red",
        "wrong": "ansi_bright_white",
        "wrong-chip": "ansi_red",
        "error-title": "ansi_bright_white",
        "error-title-chip": "ansi_red",
        "notice-foreground": "ansi_black",
        "notice-chip": "ansi_yellow",
        "cursor-foreground": "ansi_black",
        "cursor-background": "ansi_cyan",
        "cursor-blurred-foreground": "ansi_black",
        "cursor-blurred": "ansi_white",
        "input-cursor-foreground": "ansi_black",
        "input-cursor": "ansi_cyan",
        "selection-foreground": "ansi_black",
        "selection": "ansi_white",
    }
)  # fmt: skip
TERMINAL: Final[Table] = MappingProxyType({name: (own, own, own) for name, own in _OWN.items()})
