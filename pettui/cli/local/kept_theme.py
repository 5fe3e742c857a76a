"""The theme that the user chose, kept for the next start."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from pettui.configuration import ConfigurationError, make_directory, state_directory
from pettui.files import read_regular_file, replace_file
from pettui.tui.appearance.theme_choice import ThemeChoice

if TYPE_CHECKING:
    from pathlib import Path

KEPT = "theme"  # the file in the state directory, with the theme's name on a line
NAME_MAXIMUM = 60  # bytes
_NAME = re.compile(r"[a-z0-9-]+")


class KeptTheme(ThemeChoice):
    """The choice in a file. If it cannot be read or written, nothing is kept."""

    def __init__(self, path: Path, *, takes_kept: bool = True) -> None:
        """Start with the kept theme, unless an option takes precedence."""
        super().__init__(_read(path) if takes_kept else None)
        self._path = path

    def keep(self, theme: str | None) -> None:
        """Keep a theme for the next start; None forgets it."""
        super().keep(theme)
        with suppress(OSError, ConfigurationError):
            if theme is None:
                self._path.unlink(missing_ok=True)
            else:
                make_directory(self._path.parent, "state directory")
                replace_file(self._path, f"{theme}\n".encode(), durably=False)


def theme_choice(*, takes_kept: bool, is_demo: bool) -> ThemeChoice:
    """Return the user's choice of a theme, in a file if there is a state directory.

    What is chosen in a demo is for that demo alone.
    """
    try:
        path = state_directory() / KEPT
    except ConfigurationError:  # a demo runs without a home
        return ThemeChoice()
    if is_demo:
        return ThemeChoice(_read(path) if takes_kept else None)
    return KeptTheme(path, takes_kept=takes_kept)


def _read(path: Path) -> str | None:
    try:
        name = read_regular_file(path, NAME_MAXIMUM).content.decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return name if _NAME.fullmatch(name) else None
