"""EntryReader: the entries of a directory; a file that did not change is not read again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pettui.files import FileVersion
from pettui.outbox.entries import Entry, EntryState
from pettui.outbox.stores import json_files

if TYPE_CHECKING:
    import os
    from collections.abc import Container, Mapping
    from pathlib import Path

    from pettui.outbox.stores.damaged_files import DamagedFiles
    from pettui.outbox.stores.file_names import EntryName

_LOST: Final = {
    EntryState.UNKNOWN: "pettui exited while this was being sent",
    EntryState.REFUSED: "the reason was not kept",
}


@dataclass(frozen=True, slots=True)
class _KnownEntry:
    """An entry as it was read last, and what its file was then."""

    name: EntryName
    version: FileVersion
    owned_elsewhere: bool
    entry: Entry


class EntryReader:
    """Reads the files of entries for one instance."""

    def __init__(self, directory: Path, instance: str, damaged_files: DamagedFiles) -> None:
        self._directory = directory
        self._instance = instance
        self._damaged_files = damaged_files
        self._known: dict[str, _KnownEntry] = {}  # by key
        self.unread: dict[EntryName, str] = {}  # why a file could not be opened at the last read
        self.is_complete = True  # no file was renamed before it could be read

    def read(
        self, files: Mapping[EntryName, os.stat_result], abandoned: Container[str]
    ) -> dict[EntryName, Entry]:
        """Return the entries of these files that can be read, in the same order.

        Args:
            files: of entries.
            abandoned: instances that could not be taken over; nobody else owns their entries.
        """
        self.unread = {}
        self.is_complete = True
        entries = {}
        for name, status in files.items():
            is_abandoned = name.instance in abandoned
            entry = self._entry(name, FileVersion.of(status), is_abandoned=is_abandoned)
            if entry is not None:
                entries[name] = entry
        self._known = {name.key: self._known[name.key] for name in entries}
        return entries

    def _entry(self, name: EntryName, version: FileVersion, *, is_abandoned: bool) -> Entry | None:
        owned_elsewhere = name.instance != self._instance and not is_abandoned
        known = self._known.get(name.key)
        seen = (name, version, owned_elsewhere)
        if known is not None and (known.name, known.version, known.owned_elsewhere) == seen:
            return known.entry
        path = self._directory / str(name)
        try:
            entry = json_files.read_entry(path, name.key)
        except json_files.DamagedFileError as error:
            self._damaged_files.set_aside(path, str(error))
            return None
        except FileNotFoundError:
            # Another instance has just renamed it: what was known holds until the next read.
            self.is_complete &= known is not None
            return known.entry if known else None
        except OSError as error:
            self.unread[name] = f"{path}: {error.strerror}"
            return None
        state = name.state
        if is_abandoned and state is EntryState.SENDING:
            state = EntryState.UNKNOWN  # as its name will say once it can be renamed
        error_text = entry.error or _LOST.get(state)
        entry = replace(entry, state=state, owned_elsewhere=owned_elsewhere, error=error_text)
        self._known[name.key] = _KnownEntry(name, version, owned_elsewhere, entry)
        return entry
