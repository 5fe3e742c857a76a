"""Several entries that are kept all or not at all, even if the power fails.

Each is written to a file that is not read as an entry: ``KEY.INSTANCE.STATE.json.prepared``. Then
an empty file, ``INSTANCE.prepared``, commits them: from that moment on they are only renamed, by
their own instance or the one that takes over. Without that file they are deleted.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pettui.files import sync_directory
from pettui.outbox.stores import json_files
from pettui.outbox.stores.file_names import EntryName, entry_name, temporary_name
from pettui.outbox.stores.instance import lock_abandoned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pettui.outbox.entries import Entry

_SUFFIX: Final = ".prepared"
_MARKER: Final = re.compile(rf"([0-9a-f]{{16}}){_SUFFIX}")


class Batch:
    """The batch of one instance in one directory. Every method raises OSError."""

    def __init__(self, directory: Path, instance: str) -> None:
        self._directory = directory
        self._instance = instance
        self._marker = directory / f"{instance}{_SUFFIX}"

    def prepare(self, entries: Iterable[Entry]) -> None:
        """Write files that are not read as entries yet."""
        temporary = self._directory / temporary_name(self._instance)
        for entry in entries:
            name = EntryName(entry.key, self._instance, entry.state)
            json_files.write_entry(self._directory / f"{name}{_SUFFIX}", entry, temporary)

    def commit(self) -> None:
        """Make entries of all that was prepared; if that fails, none is one."""
        try:
            sync_directory(self._directory)
            flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            os.close(os.open(self._marker, flags, 0o600))
            sync_directory(self._directory)
        except OSError:
            self._marker.unlink(missing_ok=True)
            raise
        # They are kept: what fails from here on is done at the next read.
        with suppress(OSError):
            self.finish()

    def finish(self) -> None:
        """Finish a batch that was committed, or remove one that was not."""
        is_committed = self._marker.exists()
        for path in self._prepared():
            with suppress(FileNotFoundError):
                if is_committed:
                    path.rename(path.with_name(path.name.removesuffix(_SUFFIX)))
                else:
                    path.unlink()
        if is_committed:
            sync_directory(self._directory)
            self._marker.unlink(missing_ok=True)

    def _prepared(self) -> Iterator[Path]:
        for path in [*self._directory.iterdir()]:
            name = entry_name(path.name.removesuffix(_SUFFIX))
            is_prepared = path.name.endswith(_SUFFIX) and name is not None
            if is_prepared and name is not None and name.instance == self._instance:
                yield path


def finish_abandoned(directory: Path, own: str, file_names: Iterable[str]) -> bool:
    """Finish the batches of abandoned instances; return whether there were any.

    Args:
        directory: where they are.
        own: the instance that looks.
        file_names: all that are there.
    """
    instances = dict.fromkeys(filter(None, map(_instance_of, file_names)))
    is_done = False
    for instance in instances:
        if instance == own:
            continue
        # Where nothing can be written they wait, as the entries of abandoned instances do.
        with suppress(OSError), lock_abandoned(directory, instance) as is_abandoned:
            if is_abandoned:
                Batch(directory, instance).finish()
                is_done = True
    return is_done


def _instance_of(file_name: str) -> str | None:
    if not file_name.endswith(_SUFFIX):
        return None
    if marker := _MARKER.fullmatch(file_name):
        return marker[1]
    name = entry_name(file_name.removesuffix(_SUFFIX))
    return name.instance if name else None
