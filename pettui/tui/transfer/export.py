"""Where animals go that are exported or copied: a file, or the clipboard.

Files are written in the background: the app stays responsive, Esc stops it, and no partial file is
ever left. Copies go to the terminal's own clipboard (OSC 52), over SSH to that of the client.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import chain
from threading import Event
from typing import TYPE_CHECKING, Final

from pettui.system.capabilities import CLIPBOARD_MAXIMUM
from pettui.text.amounts import counted
from pettui.transfer.files import TransferError, plain_path, typed_path, write_whole
from pettui.transfer.writing import CsvStyle, FileFormat, pet_file, written_format
from pettui.tui.session.wording import ALLOWED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from pettui.models.pets import Pet

FORMATS: Final = ("csv", "json", "jsonl")
GRACE: Final = 2.0  # seconds that a cancelled thread gets to remove its file
NOTHING: Final = "there is nothing to export"


def copied(pets: Sequence[Pet], file_format: FileFormat, style: CsvStyle) -> tuple[str, str]:
    """Return what is copied in a format, and what is said of it.

    Raises:
        TransferError: it is longer than the clipboard holds.
    """
    text = clipboard_text(pet_file(pets, file_format, style), len(pets))
    return text, f"copied {counted(len(pets), 'row')} as {file_format.value}{ALLOWED}"


def copied_ids(pets: Sequence[Pet]) -> tuple[str, str]:
    """Return the ids of animals, one a line, and what they are."""
    what = f"id {pets[0].id}" if len(pets) == 1 else f"{len(pets):,} ids"
    return "\n".join(str(pet.id) for pet in pets), what


def copied_json(pets: Sequence[Pet]) -> tuple[str, str]:
    """Return animals as JSON with exactly the fields that were sent, and what they are.

    One is one line; several are JSON Lines.
    """
    one = f"animal {pets[0].id} as JSON"
    what = one if len(pets) == 1 else f"{len(pets):,} animals as JSON Lines"
    return "\n".join(pet.to_json() for pet in pets), what


def export_target(text: str) -> tuple[Path, FileFormat]:
    """Return the absolute path and the format of a file.

    Raises:
        TransferError: the name does not end in a known format.
    """
    name = plain_path(text)
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


def clipboard_text(pieces: Iterable[bytes], rows: int) -> str:
    """Return the text to copy; the pieces are read only as far as the clipboard holds.

    Args:
        pieces: UTF-8 text.
        rows: how many rows it describes, for the error's message.

    Raises:
        TransferError: it is longer than the clipboard holds.
    """
    content = b""
    for piece in pieces:
        content += piece
        if len(content) > CLIPBOARD_MAXIMUM:
            are = "is" if rows == 1 else "are"
            raise TransferError(f"{counted(rows, 'row')} {are} too long to copy: 74 kB at most")
    return content.decode()


async def write_in_thread(path: Path, pieces: Iterable[bytes], *, overwrite: bool = False) -> None:
    """Write a file as ``write_whole`` does; if this is cancelled, no file is written.

    Raises:
        TargetExistsError: the file exists, and may not be overwritten.
        TransferError: it cannot be written.
    """
    stop = Event()

    def write() -> None:
        write_whole(path, _until(stop, pieces), overwrite=overwrite)

    try:
        writing = asyncio.get_running_loop().run_in_executor(None, write)
    except RuntimeError as error:
        stop.set()  # no thread could be started, but the call is still queued
        raise TransferError(f"cannot write: {error}", str(error)) from error
    try:
        await asyncio.shield(writing)
    except asyncio.CancelledError:
        stop.set()
        writing.add_done_callback(_retrieve_error)
        await asyncio.wait({writing}, timeout=GRACE)
        raise


def _until(stop: Event, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces; raise TransferError before the next one, or at the end, once stopped."""
    for piece in chain(pieces, (b"",)):
        if stop.is_set():
            raise TransferError("stopped")
        yield piece


def _retrieve_error(writing: asyncio.Future[None]) -> None:
    """Retrieve the error, or asyncio would log that nobody did."""
    if not writing.cancelled():
        writing.exception()
