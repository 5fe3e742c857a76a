"""ExportedRows: the rows to export; they are loaded, then written to a file or copied."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol

from pettui.transfer.files import TransferError, typed_path
from pettui.transfer.writing import FileFormat, pet_file, written_format
from pettui.tui.exports import clipboard_text
from pettui.tui.file_writing import check_in_thread, write_in_thread

if TYPE_CHECKING:
    from pathlib import Path

    from pettui.models import Pet
    from pettui.tui.exports import Selection

FORMATS: Final = ("csv", "json", "jsonl")


class ExportSource(Protocol):
    """A screen whose animals can be exported."""

    def export_name(self, *, is_everything: bool) -> str:
        """Return the default name of a file with the rows that are shown, or with all of them."""

    def selection(self, *, is_everything: bool) -> Selection:
        """Return the rows that are shown, or all of them."""

    @property
    def everything(self) -> str:
        """A name for all of the rows; "" if those are the ones that are shown."""

    async def load_rest(self) -> bool:
        """Load the rest; return False if that failed or was stopped, and show why."""


class NoPetsError(TransferError):
    """There are no animals to export, or not all of them could be loaded."""

    def __init__(self, message: str, short: str) -> None:
        super().__init__(message)
        self.short = short  # the same, for less room


class ExportedRows:
    """The rows that are shown, or all of them, whichever the clerk chose last."""

    def __init__(self, source: ExportSource) -> None:
        """Choose the rows that are shown."""
        self._source = source
        self.are_all = False

    @property
    def selection(self) -> Selection:
        """The chosen rows, as far as they are loaded."""
        return self._source.selection(is_everything=self.are_all)

    @property
    def default_name(self) -> str:
        """The default name of a file with them."""
        return self._source.export_name(is_everything=self.are_all)

    @property
    def others(self) -> str:
        """Which other rows ``switch`` chooses; "" for none."""
        if self.are_all:
            return self._source.selection(is_everything=False).words
        return self._source.everything

    def switch(self) -> None:
        """Choose the other rows."""
        self.are_all = not self.are_all

    async def write(self, path: Path, file_format: FileFormat, *, overwrite: bool) -> int:
        """Write the animals to a file, and return how many there were.

        Raises:
            NoPetsError: see there.
            TargetExistsError: the file exists, and may not be overwritten.
            TransferError: it cannot be written.
        """
        if self.are_all:  # before loading many pages
            await check_in_thread(path, overwrite=overwrite)
        pets = await self._pets()
        await write_in_thread(path, pet_file(pets, file_format), overwrite=overwrite)
        return len(pets)

    async def copy(self, file_format: FileFormat) -> tuple[str, int]:
        """Return the text for the clipboard, and how many animals it has.

        Raises:
            NoPetsError: see there.
            ClipboardError: the text is too long.
        """
        pets = await self._pets()
        return clipboard_text(pet_file(pets, file_format), len(pets)), len(pets)

    async def _pets(self) -> tuple[Pet, ...]:
        """Return the animals, once they are loaded; at least one."""
        if self.are_all and not await self._source.load_rest():
            raise NoPetsError(
                "not all pages were loaded, so nothing was exported", "not all pages were loaded"
            )
        pets = self.selection.pets
        if not pets:
            raise NoPetsError("there is nothing to export", "nothing to export")
        return pets


def export_target(text: str) -> tuple[Path, FileFormat]:
    """Return the absolute path and the format of a file.

    Raises:
        TransferError: the name does not end in a known format.
    """
    name = text.strip()
    file_format = written_format(name)
    if file_format is None:
        raise TransferError("end the name in .csv, .json or .jsonl")
    path = typed_path(name)
    with suppress(OSError):  # the current directory is gone: writing will say so
        path = path.absolute()
    return path, file_format


def next_format(text: str) -> str:
    """Return the next format after one that may be incomplete."""
    typed = text.strip().lower().removeprefix(".")
    if typed in FORMATS:
        return FORMATS[(FORMATS.index(typed) + 1) % len(FORMATS)]
    return next((each for each in FORMATS if each.startswith(typed)), FORMATS[0])


def short_reason(error: Exception) -> str:
    """Return why an export failed, in few words; "" if there are none."""
    return error.short if isinstance(error, NoPetsError) else str(error).rpartition(": ")[2]
