"""The theme that the user chose, from one start to the next."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from pettui.configuration import ConfigurationError, make_directory, state_directory
from pettui.regular_files import read_regular_file
from pettui.tui.appearance.theme_choice import ThemeChoice

if TYPE_CHECKING:
    from pathlib import Path

KEPT = "theme"  # the file in the state directory: the theme's name, on a line of its own
NAME_MAXIMUM = 60  # bytes
_NAME = re.compile(r"[a-z0-9-]+")


class KeptTheme(ThemeChoice):
    """A choice in a file; one that cannot be read or written is no failure, and none is kept."""

    def __init__(self, path: Path, *, takes_kept: bool = True) -> None:
        """Begin with what is kept, unless something that counts before it was asked for."""
        super().__init__(_read(path) if takes_kept else None)
        self._path = path

    def keep(self, theme: str | None) -> None:
        """Keep a theme for the next start; None leaves the next one as it is configured."""
        super().keep(theme)
        with suppress(OSError, ConfigurationError):
            if theme is None:
                self._path.unlink(missing_ok=True)
            else:
                make_directory(self._path.parent, "state directory")
                _replace(self._path, f"{theme}\n".encode())


def theme_choice(*, takes_kept: bool) -> ThemeChoice:
    """Return the user's choice of a theme, kept where there is a place to keep it."""
    try:
        path = state_directory() / KEPT
    except ConfigurationError:  # the demo needs no home
        return ThemeChoice()
    return KeptTheme(path, takes_kept=takes_kept)


def _read(path: Path) -> str | None:
    try:
        name = read_regular_file(path, NAME_MAXIMUM).content.decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return name if _NAME.fullmatch(name) else None


def _replace(path: Path, content: bytes) -> None:
    """Write a file that is whole at every moment; of two at once one counts."""
    new = path.with_name(f".{path.name}-{os.getpid()}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise
