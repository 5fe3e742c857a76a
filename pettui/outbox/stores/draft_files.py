"""DraftFiles: the drafts of one instance as files, a stack of which the last is in the form."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from pettui.files import sync_directory
from pettui.outbox.entries import Draft
from pettui.outbox.stores import json_files
from pettui.outbox.stores.file_names import DraftName, temporary_name

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.outbox.entries import Entry

_EMPTY: Final = Draft()


class DraftFiles:
    """Every move from or to an entry is one rename, so that each animal is in one place.

    A typed draft is never renamed over. All methods raise OSError, and then what was kept before
    still is.
    """

    def __init__(self, directory: Path, instance: str) -> None:
        self._directory = directory
        self._instance = instance
        self._temporary = directory / temporary_name(instance)
        self._kept: dict[int, Draft] = {}  # by number; greater ones lie above
        self._number = 0  # of the one in the form, which need not be kept yet

    @property
    def stack(self) -> tuple[Draft, ...]:
        """The drafts from the lowest to the one in the form, which may be empty."""
        below = (self._kept[number] for number in sorted(self._kept) if number < self._number)
        return (*below, self.top)

    @property
    def top(self) -> Draft:
        """What stands in the form."""
        return self._kept.get(self._number, _EMPTY)

    def next_name(self) -> DraftName:
        """Return the name that one more draft would get, above all that was typed."""
        number = max(self._kept, default=-1)
        is_free = number >= 0 and not self._kept[number].is_typed
        return DraftName(self._instance, number if is_free else number + 1)

    def found(self, name: DraftName, draft: Draft) -> None:
        """Remember a draft whose file lies above all others already."""
        self._kept[name.number] = draft
        self._number = name.number

    def keep(self, draft: Draft) -> None:
        """Write what stands in the form; an empty one leaves no file."""
        path = self._path(self._number)
        if draft == _EMPTY:
            path.unlink(missing_ok=True)
            self._kept.pop(self._number, None)
            return
        json_files.write_draft(path, draft, self._temporary)
        sync_directory(self._directory)
        self._kept[self._number] = draft

    def begin(self, draft: Draft) -> None:
        """Write another draft, above one that is typed."""
        before, self._number = self._number, self._room()
        try:
            self.keep(draft)
        except OSError:
            self._number = before
            raise

    def write_missing(self) -> None:
        """Write the files again that were removed."""
        for number, draft in self._kept.items():
            if not os.path.lexists(self._path(number)):
                json_files.write_draft(self._path(number), draft, self._temporary)

    def drop(self) -> None:
        """Forget what stands in the form, and go on with the one below."""
        self._path(self._number).unlink(missing_ok=True)
        self._uncover()

    def take_in(self, path: Path, entry: Entry) -> None:
        """Make an entry's file the draft in the form, above one that is typed."""
        number = self._room()
        path.rename(self._path(number))
        self._kept[number] = entry.draft()
        self._number = number

    def turn_into(self, entry: Entry, path: Path) -> None:
        """Make what stands in the form an entry: its file is written in place, then renamed.

        So at any moment it is a draft or an entry, never both and never neither.
        """
        draft = self._path(self._number)
        json_files.write_entry(draft, entry, self._temporary)
        self._kept[self._number] = entry.draft()
        draft.rename(path)
        try:
            sync_directory(self._directory)
        except OSError:
            try:
                path.rename(draft)  # what was reported as not kept must not appear later
            except OSError:
                pass  # it cannot be undone, so it is kept, if not yet for good
            else:
                raise
        self._uncover()

    def _uncover(self) -> None:
        self._kept.pop(self._number, None)
        self._number = max(self._kept, default=0)

    def _room(self) -> int:
        """Return a number for a new draft in the form that no typed one has."""
        if self._number in self._kept and not self.top.is_typed:
            return self._number  # it holds only what an add left
        number = self._number
        while os.path.lexists(self._path(number)):
            number += 1
        return number

    def _path(self, number: int) -> Path:
        return self._directory / str(DraftName(self._instance, number))
