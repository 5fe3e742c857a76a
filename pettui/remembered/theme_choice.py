"""ThemeChoice: the theme that the user chose, in a file for the next start."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.system.files import make_directory, read_regular_file, replace_file

if TYPE_CHECKING:
    from pathlib import Path

_THEME: Final = re.compile(r"[a-z0-9-]+")
_THEME_MAXIMUM: Final = 60  # bytes


class ThemeChoice:
    """The theme that the user chose while the app ran."""

    def __init__(
        self, path: Path | None = None, *, takes_kept: bool = True, is_kept: bool = True
    ) -> None:
        """Start with the theme of the last session, unless an option takes precedence.

        Args:
            path: of the file with its name on a line; None for no file.
            takes_kept: whether to start with it.
            is_kept: whether a choice is for the next session, too.
        """
        self.theme = _kept_theme(path) if path is not None and takes_kept else None
        self._path = path if is_kept else None

    def keep(self, theme: str | None) -> None:
        """Keep a choice for the next start; None forgets it. It may block on a disk.

        If the file cannot be written, nothing is kept.
        """
        self.theme = theme
        if self._path is None:
            return
        with suppress(OSError):
            if theme is None:
                self._path.unlink(missing_ok=True)
            else:
                make_directory(self._path.parent)
                replace_file(self._path, f"{theme}\n".encode(), durably=False)


def _kept_theme(path: Path) -> str | None:
    try:
        name = read_regular_file(path, _THEME_MAXIMUM).content.decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return name if _THEME.fullmatch(name) else None
