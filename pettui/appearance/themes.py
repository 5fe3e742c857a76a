"""Our themes, and their colours: each chosen by hand for true colour, for 256 and for 16 colours.

A row of a table names what is coloured, and its colour in the three kinds of terminal: as
``#rrggbb``, as a number of xterm's palette of 256 (from 16 on: the first sixteen are the user's
own), and as one of the sixteen that every terminal has. Nothing is left to rounding: the nearest of
few colours is often the background itself. ``transparent`` is the background that is there already.

Texts have a contrast of at least 4.5 to 1 on each of their backgrounds (WCAG 2.2, 1.4.3), and lines
around fields 3 to 1 (1.4.11); ``tests/tui/widgets/test_appearance.py`` measures it, with
xterm's own palette for the sixteen. Of those, no text is bright black, which is the background of
some palettes.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.models.statuses import COLOURED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.models.statuses import Shades

    Pair = tuple[Shades, Shades]  # foreground and background
    Table = Mapping[str, Shades]


STYLES: Final[Table] = MappingProxyType(
    {
        **{
            f"{name}-style": ("bold", "bold", "bold")
            for name in ("key", "strong", "head", "mark", "error", "error-title", "tab", "cursor")
        },
        "found-style": ("bold underline", "bold underline", "underline"),
        **{
            f"{name}-style": ("none", "none", "none")
            for name in ("json-name", "cursor-blurred", "input-cursor", "selection")
        },
        "covered-style": ("none", "none", "dim"),
    }
)
"""Text styles. Many terminals draw bold in the brighter eight of sixteen colours: black as grey."""
NOT_BOLD: Final[Shades] = ("bold", "bold", "none")

DARK: Final[Table] = MappingProxyType(
    {
        **STYLES,
        **dict.fromkeys(("tab-style", "cursor-style"), NOT_BOLD),
        "head-style": ("bold", "bold", "underline"),
        "background": ("#15191e", 234, "ansi_black"),
        "foreground": ("#dbe1e8", 253, "ansi_bright_white"),
        "quiet": ("#97a3b0", 247, "ansi_white"),
        "placeholder": ("#97a3b0", 251, "ansi_white"),  # in a field with the cursor, too
        "bright": ("#f4f7fa", 231, "ansi_bright_white"),
        "strong": ("#f4f7fa", 231, "ansi_bright_white"),
        "band": ("#1c2229", 236, "ansi_blue"),  # of the header and the status line
        "pane": ("#1a2027", 235, "ansi_black"),  # of the preview and boxes
        "raised": ("#252d36", 238, "ansi_black"),
        "line": ("#6f7d8b", 244, "ansi_white"),  # around fields, and of scroll bars
        "rule": ("#3d4955", 240, "ansi_white"),  # between parts of a screen
        "covered": ("#5b6773", 241, "ansi_white"),  # what is behind a box
        "field": ("#1c2229", 236, "ansi_black"),
        "field-focused": ("#252d36", 238, "ansi_blue"),
        "line-focused": ("#252d36", 238, "ansi_black"),  # the same, in a line that is a band
        "tab-foreground": ("#f4f7fa", 231, "ansi_black"),
        "tab-background": ("#44586a", 240, "ansi_white"),
        "accent-foreground": ("#6cc5ba", 79, "ansi_bright_cyan"),
        "key": ("#6cc5ba", 79, "ansi_bright_cyan"),
        **{look.style: look.dark for look in COLOURED.values()},
        **{look.sign_style: look.dark for look in COLOURED.values()},
        **{look.bar_style: look.dark for look in COLOURED.values()},
        "good": ("#86cf91", 114, "ansi_bright_green"),
        "changed": ("#e3b866", 221, "ansi_yellow"),
        "mark": ("#86cf91", 114, "ansi_bright_green"),
        "json-name": ("#6cc5ba", 79, "ansi_bright_cyan"),
        "json-string": ("#86cf91", 114, "ansi_bright_green"),
        "json-number": ("#e3b866", 221, "ansi_bright_yellow"),
        "json-word": ("#9db2d0", 110, "ansi_bright_magenta"),
        "error-foreground": ("#ff9a94", 210, "ansi_bright_red"),
        "wrong": ("#ff9a94", 210, "ansi_bright_red"),  # what is typed, under its field
        "error-title": ("#ff9a94", 217, "ansi_bright_white"),
        "error-title-background": ("transparent", "transparent", "transparent"),
        "error-background": ("#3a1d21", 52, "ansi_red"),
        "notice-foreground": ("#ecc878", 221, "ansi_bright_yellow"),
        "notice-background": ("#2b2618", 236, "ansi_black"),
        "cursor-foreground": ("#f4f7fa", 231, "ansi_black"),
        "cursor-background": ("#23505c", 24, "ansi_cyan"),
        "cursor-blurred-foreground": ("#f4f7fa", 231, "ansi_black"),
        "cursor-blurred": ("#2f3943", 239, "ansi_white"),
        "input-cursor-foreground": ("#15191e", 16, "ansi_black"),
        "input-cursor": ("#6cc5ba", 79, "ansi_bright_cyan"),
        "selection-foreground": ("#f4f7fa", 231, "ansi_black"),
        "selection": ("#23505c", 24, "ansi_white"),
    }
)

# xterm's green, yellow and cyan cannot be read on white.
LIGHT: Final[Table] = MappingProxyType(
    {
        **STYLES,
        **dict.fromkeys(
            (
                "key-style",
                "strong-style",
                "mark-style",
                "error-style",
                "error-title-style",
                "cursor-style",
            ),
            NOT_BOLD,
        ),
        "covered-style": ("none", "none", "none"),  # xterm draws dim black as black
        "head-style": ("bold", "bold", "underline"),
        "background": ("#fcfbf8", 231, "ansi_bright_white"),
        "foreground": ("#22282f", 235, "ansi_black"),
        "quiet": ("#545d68", 240, "ansi_black"),
        "placeholder": ("#545d68", 240, "ansi_black"),
        "bright": ("#0d1116", 16, "ansi_black"),
        "strong": ("#0d1116", 16, "ansi_blue"),
        "band": ("#f1efe9", 255, "ansi_bright_white"),
        "pane": ("#f6f4ef", 255, "ansi_bright_white"),
        "raised": ("#e7e3da", 254, "ansi_bright_white"),
        "line": ("#7f8791", 243, "ansi_black"),
        "rule": ("#cfc9bd", 250, "ansi_black"),
        "covered": ("#a9a79f", 248, "ansi_bright_black"),
        "field": ("#f1efe9", 255, "ansi_bright_white"),
        "field-focused": ("#e7e3da", 254, "ansi_cyan"),
        "line-focused": ("#e7e3da", 254, "ansi_cyan"),
        "tab-foreground": ("#fcfbf8", 231, "ansi_bright_white"),
        "tab-background": ("#545d68", 240, "ansi_blue"),
        "accent-foreground": ("#0f665e", 23, "ansi_blue"),
        "key": ("#0f665e", 23, "ansi_blue"),
        **{look.style: look.light for look in COLOURED.values()},
        **{look.sign_style: look.light_sign for look in COLOURED.values()},
        **{look.bar_style: look.light_sign for look in COLOURED.values()},
        "sold-bar": ("#41546f", 60, "ansi_black"),  # white can be read on it
        "good": ("#1a6434", 22, "ansi_blue"),
        "changed": ("#7c4f00", 94, "ansi_magenta"),
        "mark": ("#1a6434", 22, "ansi_blue"),
        "json-name": ("#0f665e", 23, "ansi_blue"),
        "json-string": ("#1a6434", 22, "ansi_black"),
        "json-number": ("#7c4f00", 94, "ansi_red"),
        "json-word": ("#41546f", 60, "ansi_red"),
        "error-foreground": ("#98202b", 124, "ansi_red"),
        "wrong": ("#98202b", 124, "ansi_red"),
        "error-title": ("#98202b", 88, "ansi_red"),
        "error-title-background": ("transparent", "transparent", "transparent"),
        "error-background": ("#fbe4e3", 224, "ansi_white"),
        "notice-foreground": ("#6f4a00", 94, "ansi_magenta"),
        "notice-background": ("#faf0d6", 230, "ansi_bright_white"),
        "cursor-foreground": ("#0d1116", 16, "ansi_black"),
        "cursor-background": ("#bcdcdc", 152, "ansi_cyan"),
        "cursor-blurred-foreground": ("#0d1116", 16, "ansi_black"),
        "cursor-blurred": ("#e1e4df", 253, "ansi_white"),
        "input-cursor-foreground": ("#fcfbf8", 231, "ansi_bright_white"),
        "input-cursor": ("#0f665e", 23, "ansi_blue"),
        "selection-foreground": ("#0d1116", 16, "ansi_bright_white"),
        "selection": ("#bcdcdc", 152, "ansi_blue"),
    }
)

# The terminal's own foreground on its own background, whatever they are: bold, underlined and
# reversed. Only signs that stand beside their word have colours, and what must not be overlooked.
_OWN: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{name: "ansi_default" for name in DARK if not name.endswith("-style")},
        **dict.fromkeys((name for name in DARK if name.endswith("-style")), "none"),
        **dict.fromkeys(
            (
                "key-style", "strong-style", "head-style", "mark-style", "error-style",
                "json-name-style",
            ),
            "bold",
        ),
        "found-style": "bold underline",
        "tab-style": "bold reverse",
        "cursor-style": "bold reverse",
        "cursor-blurred-style": "bold underline",
        "input-cursor-style": "reverse",
        "selection-style": "reverse",
        "covered-style": "dim",
        **{look.sign_style: look.ansi_sign for look in COLOURED.values()},
        "error-title": "ansi_bright_white",
        "error-title-background": "ansi_red",
        "error-title-style": "bold",
    }
)  # fmt: skip
TERMINAL: Final[Table] = MappingProxyType({name: (own, own, own) for name, own in _OWN.items()})

LABELS: Final[Mapping[str, Pair]] = MappingProxyType(
    {
        "red": (("#ffffff", 231, "ansi_bright_white"), ("#b3363e", 124, "ansi_red")),
        "orange": (("#ffffff", 231, "ansi_black"), ("#a8560f", 130, "ansi_bright_red")),
        "yellow": (("#1d1a10", 16, "ansi_black"), ("#e0b53a", 178, "ansi_yellow")),
        "green": (("#ffffff", 231, "ansi_black"), ("#2a7549", 22, "ansi_green")),
        "blue": (("#ffffff", 231, "ansi_black"), ("#2c66aa", 25, "ansi_cyan")),
        "violet": (("#ffffff", 231, "ansi_bright_white"), ("#7550ae", 97, "ansi_magenta")),
        "grey": (("#ffffff", 231, "ansi_black"), ("#56606b", 240, "ansi_bright_black")),
    }
)
"""The profile's name in the header, the same in all themes."""


class ThemeColours(NamedTuple):
    """A theme of ours."""

    name: str  # in the configuration, and in --theme
    textual_name: str
    title: str  # in the palette
    table: Table
    is_dark: bool = True
    is_terminals: bool = False  # in the terminal's own colours


THEMES: Final = (
    ThemeColours("dark", "pettui-dark", "dark", DARK),
    ThemeColours("light", "pettui-light", "light", LIGHT, is_dark=False),
    ThemeColours("ansi", "ansi", "the terminal's colours", TERMINAL, is_terminals=True),
)
