"""The distributions that this process has imported, and whether the disk has others by now.

Only names are read: each distribution has a directory NAME-VERSION.dist-info, which is made anew
where it is installed again.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_DIRECTORY: Final = re.compile(r"([^-]+)-([^-]+)\.dist-info")


class _Distribution(NamedTuple):
    version: str
    made_at: int  # its directory, in nanoseconds

    def instead_of(self, before: _Distribution, name: str) -> str:
        """Return in words what is there now."""
        if self.version == before.version:
            return f"{name} {self.version}, installed again"
        return f"{name} {self.version} in place of {before.version}"


class Imported:
    """The distributions that were imported, as they were then."""

    def __init__(self, modules: Iterable[str]) -> None:
        """Note those of some modules, by the names of both."""
        imported = {_normal(name.partition(".")[0]) for name in modules}
        self._imported = {name: each for name, each in _on_disk().items() if name in imported}
        self._last = self._told = self._imported
        self.others = ""  # what is on the disk in place of them, as it was told last

    def news(self) -> str:
        """Return what is on the disk instead, once and as soon as two looks agree; else ""."""
        found = {name: each for name, each in _on_disk().items() if name in self._imported}
        is_settled, self._last = found == self._last, found
        if not is_settled or found == self._told:
            return ""
        self._told = found
        self.others = "; ".join(self._difference(found))
        return self.others

    def _difference(self, found: Mapping[str, _Distribution]) -> Iterable[str]:
        for name, before in self._imported.items():
            now = found.get(name)
            if now is None:
                yield f"no {name}"
            elif now != before:
                yield now.instead_of(before, name)


def _on_disk() -> dict[str, _Distribution]:
    """Return the distributions that an import would find, by their names."""
    found: dict[str, _Distribution] = {}
    for place in sys.path:
        try:
            with os.scandir(place or ".") as there:
                for each in there:
                    if match := _DIRECTORY.fullmatch(each.name):
                        made_at = each.stat().st_mtime_ns
                        found.setdefault(_normal(match[1]), _Distribution(match[2], made_at))
        except OSError:  # there is none, it is a file, or something was taken away just now
            continue
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
