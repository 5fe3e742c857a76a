"""OpenImports: the files whose import was begun, and has lines that are not added yet.

What the journal knows is about lines; this says which file they are in, so that a user can be
told of it, and go on: on the list, in the outbox, at the end and at the next start. It is kept in
``open.json`` beside the journals, by the address of the store, 0600.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pettui.system.files import locked_directory, make_directory, read_regular_file, replace_file
from pettui.transfer.files import transfer_errors

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FILE: Final = "open.json"
FILES_KEPT: Final = 20  # of one address, the newest
_LARGEST: Final = 200_000  # bytes


class OpenImport(NamedTuple):
    """A file, and how many of its lines are still open."""

    path: str
    lines: int


class OpenImports:
    """Those of one store; in memory, without a directory."""

    def __init__(self, directory: Path | None = None, address: str = "") -> None:
        """Locate them; nothing is read yet.

        Args:
            directory: of the journals.
            address: of the store, as the journal has it.
        """
        self._path = None if directory is None else directory / FILE
        self._address = address
        self._known: tuple[OpenImport, ...] | None = None

    @property
    def all(self) -> tuple[OpenImport, ...]:
        """Those that are open, the newest first, as they were read or changed here last."""
        if self._known is None:
            self._known = _of(self._read(), self._address)
        return self._known

    def set(self, path: str, lines: int) -> None:
        """Keep how many lines of a file are open; none closes it. It blocks.

        Raises:
            TransferError: it cannot be written.
        """
        changed = [OpenImport(path, lines)] if lines else []
        if self._path is None:
            self._known = (*changed, *(each for each in self.all if each.path != path))
            return
        with transfer_errors("keep", self._path):
            make_directory(self._path.parent)
            with locked_directory(self._path.parent, is_required=False):
                content = self._read()
                others = (each for each in _of(content, self._address) if each.path != path)
                self._known = (*changed, *others)[:FILES_KEPT]
                content[self._address] = [[*each] for each in self._known]
                written = json.dumps({key: each for key, each in content.items() if each}).encode()
                replace_file(self._path, written, durably=False)

    def _read(self) -> dict[str, Any]:
        with suppress(OSError, ValueError, RecursionError):
            if self._path is not None:
                content = json.loads(
                    read_regular_file(self._path, _LARGEST, follow_links=False).content
                )
                return content if isinstance(content, dict) else {}
        return {}


def _of(content: dict[str, Any], address: str) -> tuple[OpenImport, ...]:
    known = content.get(address, ())
    found: Iterable[Any] = known if isinstance(known, list) else ()
    return tuple(
        OpenImport(*each)
        for each in found
        if isinstance(each, list) and [type(value) for value in each] == [str, int]
    )
