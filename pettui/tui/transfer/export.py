"""Export: which animals it takes, the file or the clipboard they go to, and what it says of that.

It knows no screen: a screen says which rows there are, loads what is missing, and shows what an
export returns. Files are written in the background: the app stays responsive, Esc stops it, and no
partial file is ever left. Copies go to the terminal's own clipboard (OSC 52), over SSH to that of
the client.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from itertools import chain
from threading import Event
from typing import TYPE_CHECKING, Final

from pettui.settings.settings import NO_NAMES
from pettui.system.capabilities import CLIPBOARD_MAXIMUM
from pettui.text.amounts import counted
from pettui.transfer.files import (
    TargetExistsError,
    TransferError,
    check_target,
    plain_path,
    typed_path,
    write_whole,
)
from pettui.transfer.writing import CsvStyle, FileFormat, pet_file, written_format
from pettui.tui.session.wording import ALLOWED
from pettui.tui.transfer.selection import Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pettui.appearance.glyphs import GlyphSet
    from pettui.models.pets import Pet
    from pettui.tui.transfer.selection import Selection

WRITE_KEYS: Final = ("{submit_line} write", "{to_clipboard} copy")
COPY_KEYS: Final = ("{submit_line} copy",)
FORMATS: Final = ("csv", "json", "jsonl")
GRACE: Final = 2.0  # seconds that a cancelled thread gets to remove its file
NOTHING: Final = "there is nothing to export"


class Export:
    """One export, from its prompt on."""

    def __init__(
        self, glyphs: GlyphSet, categories: Mapping[int, str] = NO_NAMES, *, writes_files: bool
    ) -> None:
        """Export to a file or to the clipboard; a CSV has the names of categories, if any."""
        self.style = CsvStyle(categories=categories)
        self._glyphs = glyphs
        self.writes_files = writes_files  # otherwise a format is asked for, and Enter copies
        self.scope = Scope.SHOWN
        self._default_name = ""
        self._overwrites = ""  # the text for which another Enter overwrites the file
        self._leaves_out = 0  # as many unreadable rows, if the same key is pressed again

    def following(self, scopes: Iterable[Scope]) -> Scope:
        """Return the next of the scopes that differ, in a circle."""
        order = [*scopes]
        at = order.index(self.scope) if self.scope in order else -1
        return order[(at + 1) % len(order)]

    def take(self, scope: Scope) -> None:
        """Take the rows of another scope."""
        self.scope = scope
        self.typed()

    def typed(self) -> None:
        """Overwrite no file for another text, and leave nothing out."""
        self._overwrites = ""
        self._leaves_out = 0

    def ask_about(self, unreadable: int) -> None:
        """Leave unreadable rows out only once their number was said.

        Raises:
            TransferError: it is said now; the same key again leaves them out.
        """
        if unreadable and unreadable != self._leaves_out:
            self._leaves_out = unreadable
            again = "again leaves it out" if unreadable == 1 else "again leaves them out"
            rows = f"{counted(unreadable, 'row')} could not be read"
            raise TransferError(
                f"{rows}: the same key {again}", f"{unreadable:,} unreadable: {again}"
            )

    def text_for(self, selection: Selection, typed: str | None = None) -> str:
        """Return what stands in the prompt for a selection: what was typed, else its own name."""
        if not self.writes_files:
            return FORMATS[0] if typed is None else typed
        before, self._default_name = self._default_name, selection.file_name
        return self._default_name if typed is None or typed == before else typed

    def keys(self, other_rows: str) -> str:
        """Return hints of the prompt's keys (see ``keys.hints``)."""
        keys = WRITE_KEYS if self.writes_files else COPY_KEYS
        return "  ".join((*keys, *((f"{{other_rows}} {other_rows}",) if other_rows else ())))

    async def check(self, text: str) -> None:
        """Check a file before many pages are loaded for it.

        Raises:
            TransferError: it can't be written, or exists.
        """
        path, _ = await asyncio.to_thread(export_target, text)
        if self.scope is not Scope.SHOWN:
            with self._asking(text) as overwrite:
                await asyncio.to_thread(check_target, path, overwrite=overwrite)

    async def write(self, text: str, pets: Sequence[Pet]) -> str:
        """Write animals into a file, and return that they are written.

        Raises:
            TransferError: it can't be written, or exists: the same text again overwrites it.
        """
        path, file_format = await asyncio.to_thread(export_target, text)
        with self._asking(text) as overwrite:
            await write_in_thread(
                path, pet_file(pets, file_format, self.style), overwrite=overwrite
            )
        return f"wrote {counted(len(pets), 'row')} to {self._glyphs.line(str(path))}"

    @contextmanager
    def _asking(self, text: str) -> Iterator[bool]:
        """Yield whether a file may be overwritten; if it exists and may not, ask with a reason."""
        try:
            yield bool(text) and text == self._overwrites
        except TargetExistsError as error:
            self._overwrites = text
            overwrites = f"{self._glyphs.keys['enter']} again overwrites"
            raise TransferError(f"the file exists: {overwrites} it", overwrites) from error

    def format_of(self, text: str) -> FileFormat:
        """Return the format to copy in: that of the file's name, or CSV if it has none.

        Raises:
            TransferError: no format was typed where one is asked for.
        """
        name = text.strip()
        if not self.writes_files:
            name = f"copy.{name.removeprefix('.')}"
        file_format = written_format(name)
        if file_format is None and not self.writes_files:
            raise TransferError("csv, json or jsonl")
        return file_format or FileFormat.CSV


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
