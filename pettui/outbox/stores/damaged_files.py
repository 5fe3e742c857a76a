"""DamagedFiles: files that hold neither an entry nor a draft, renamed so that nobody reads them."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class DamagedFiles:
    """Renames damaged files, and remembers what was wrong with them."""

    def __init__(self) -> None:
        self._problems: dict[str, None] = {}  # each once, in order

    @property
    def problems(self) -> tuple[str, ...]:
        """One raw line each on the damaged files so far."""
        return tuple(self._problems)

    def set_aside(self, path: Path, reason: str) -> None:
        """Rename a file to ``NAME.damaged``, which nobody reads."""
        aside = path.with_name(f"{path.name}.damaged")
        if os.path.lexists(aside):  # one of this name was put back, and is damaged again
            aside = path.with_name(f"{path.name}.{secrets.token_hex(4)}.damaged")
        try:
            path.rename(aside)
        except FileNotFoundError:
            return
        except OSError as error:
            self._problems[f"{path}: {reason}; it cannot be set aside: {error.strerror}"] = None
        else:
            self._problems[f"{aside}: set aside: {reason}"] = None
