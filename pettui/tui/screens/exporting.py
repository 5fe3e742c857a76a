"""Exporting a screen's animals: ``ExportLine`` asks for a file's name, and writes or copies them.

Pages are loaded and files written in the background: the app stays responsive, Esc stops it, and no
partial file is ever left.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

from pettui import actions
from pettui.rows import pets_of
from pettui.transfer.files import (
    TargetExistsError,
    TransferError,
    check_target,
    typed_path,
    write_whole,
)
from pettui.transfer.writing import FileFormat, pet_file, written_format
from pettui.tui.keys import bindings
from pettui.tui.lists.rows import not_shown_text
from pettui.tui.screens.pet_screen import CLIPBOARD_MAXIMUM
from pettui.tui.screens.prompt_work import PromptWork
from pettui.tui.widgets.prompt import FILE_NAME, PromptLine, close_prompt_line, open_prompt_line

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
    from pathlib import Path

    from textual.binding import BindingType
    from textual.widget import Widget

    from pettui.models import Pet
    from pettui.rows import Element
    from pettui.tui.screens.pet_screen import PetScreen


WRITE_KEYS: Final = ("{submit_line} write", "{to_clipboard} copy")
COPY_KEYS: Final = ("{submit_line} copy",)
FORMATS: Final = ("csv", "json", "jsonl")
FILE_WAIT: Final = 2.0  # seconds that the next key waits for the file to be written …
PAGES_WAIT: Final = 0.3  # … or for pages to be loaded, which Esc stops
GRACE: Final = 2.0  # seconds that a cancelled thread gets to remove its file
ALLOWED: Final = ", if this terminal allows it"


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


async def open_export_line(
    screen: PetScreen[Any], source: ExportSource, focus: Widget
) -> ExportLine | None:
    """Open the line of an export above the status line, unless there is nothing to export.

    Args:
        screen: where it opens.
        source: has the animals.
        focus: gets the focus when the line closes.
    """
    line = ExportLine(screen, source, focus)
    if not line.selection.pets and not line.other_rows:
        screen.show_remark("there is nothing to export")
        return None
    screen.show_remark("")
    await open_prompt_line(line, above=screen.status_line)
    line.show_rows()
    return line


class ExportLine(PromptLine):
    """A prompt for a file name or, if files can't be written, for a format.

    The rows that are shown are exported, or all of them, whichever the clerk chose last. One export
    runs at a time; it ends with its screen.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.EXPORT_LINE)

    def __init__(self, screen: PetScreen[Any], source: ExportSource, focus: Widget) -> None:
        self._opener = screen
        self._session = session = screen.session
        self._source = source
        self._focused_after = focus
        self._are_all = False
        self._default_name = self._file_name  # that the line started with, or would start with now
        super().__init__(
            session.glyphs,
            "Export" if session.writes_files else "Copy as",
            id="export-line",
            text=self._default_name if session.writes_files else "csv",
            placeholder=FILE_NAME if session.writes_files else "csv, json or jsonl",
            takes_tab=True,
        )
        self._overwrites = ""  # the text for which another Enter overwrites the file
        self._shown_rows: tuple[str, str] | None = None  # None while something else is shown
        self._work = PromptWork(screen, self._show_stopped)
        self._is_closing = False
        self._show_keys()

    @property
    def is_open(self) -> bool:
        """Whether the line is open."""
        return self.is_attached and not self._is_closing

    # Which rows

    @property
    def selection(self) -> Selection:
        """The chosen rows, as far as they are loaded."""
        return self._source.selection(is_everything=self._are_all)

    @property
    def other_rows(self) -> str:
        """Which other rows F3 chooses; "" for none."""
        if self._are_all:
            return self._source.selection(is_everything=False).words
        return self._source.everything

    @property
    def _file_name(self) -> str:
        """The default name of a file with the rows."""
        return self._source.export_name(is_everything=self._are_all)

    def show_rows(self) -> None:
        """Show which rows are exported, and the keys that do something, unless it is running."""
        if self.is_open and not self._work.is_busy:
            selection = self.selection
            self._show_keys()
            self.show_note(selection.text, short=selection.short_text)
            self._shown_rows = selection.text, self.other_rows

    def rows_changed(self) -> None:
        """Show which rows are exported now; update the file name if it is still the default."""
        if not self.is_open or self._work.is_busy or self._rename():
            return
        shown = self.selection.text, self.other_rows
        if self._shown_rows not in (None, shown):  # showing them calls this again
            self.show_rows()

    def _rename(self) -> bool:
        """Update the file name if it is still the default; return whether it changed."""
        before, self._default_name = self._default_name, self._file_name
        is_other = self.text == before != self._default_name
        if is_other:
            self.text = self._default_name
        return is_other

    def show_note(
        self, text: str, style: str = "muted", short: str = "", *, whole: str = ""
    ) -> None:
        """Show a note in place of the rows."""
        self._shown_rows = None
        super().show_note(text, style, short, whole=whole)

    def _show_keys(self) -> None:
        keys = WRITE_KEYS if self._session.writes_files else COPY_KEYS
        others = self.other_rows
        more = (f"{{other_rows}} {others}",) if others else ()
        self.show_hints("  ".join((*keys, *more)))

    # What the keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether the key does something now."""
        if action == "to_clipboard":
            return self._session.writes_files
        if action == "other_rows":
            return bool(self.other_rows)
        return super().check_action(action, parameters)

    def on_prompt_line_changed(self, message: PromptLine.Changed) -> None:
        """Show the rows: what was shown of the text no longer holds."""
        message.stop()
        self._overwrites = ""
        if self.text != self.completed:
            self.show_rows()

    async def on_prompt_line_submitted(self, message: PromptLine.Submitted) -> None:
        """Write the file or, if files can't be written, copy."""
        message.stop()
        text = message.text
        if self._work.is_busy:
            return
        if not self._session.writes_files:
            await self._start_copying(f"copy.{text.strip().removeprefix('.')}")
            return
        try:
            path, file_format = export_target(text)
        except TransferError as error:
            self._show_export_error(str(error))
        else:
            overwrite = bool(text) and text == self._overwrites
            await self._do(partial(self._write, text, path, file_format, overwrite=overwrite))

    def on_prompt_line_closed(self, message: PromptLine.Closed) -> None:
        """Stop, or close."""
        message.stop()
        self.cancel()

    async def on_prompt_line_completion_requested(
        self, message: PromptLine.CompletionRequested
    ) -> None:
        """Complete a path as a shell does or, if files can't be written, the format."""
        message.stop()
        if self._work.is_busy:
            return
        if self._session.writes_files:
            await self._do(self.complete_path)
        else:
            self.text = next_format(message.text)

    async def action_to_clipboard(self) -> None:
        """Copy."""
        await self._start_copying(self.text)

    def action_other_rows(self) -> None:
        """Switch between all pages and the rows that are shown."""
        if not self._work.is_busy:
            self._are_all = not self._are_all
            self._overwrites = ""
            self._rename()
            self.show_rows()

    def cancel(self) -> bool:
        """Stop the export, or close the line."""
        if self._work.is_busy:
            self._work.stop()
        else:
            self._close()
        return True

    async def _start_copying(self, text: str) -> None:
        """Copy in the format of a file name, or as CSV if it has none."""
        file_format = written_format(text.strip())
        if file_format is None and not self._session.writes_files:
            self._show_export_error("csv, json or jsonl")
        elif not self._work.is_busy:
            await self._do(partial(self._copy, file_format or FileFormat.CSV))

    # What runs in the background

    async def _do(self, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Work in the background; the next key waits for it a moment."""
        seconds = PAGES_WAIT if self._are_all else FILE_WAIT
        if not await self._work.do(work, seconds) and self.is_open:
            self.show_busy("working")

    async def _write(
        self, text: str, path: Path, file_format: FileFormat, *, overwrite: bool
    ) -> None:
        try:
            if self._are_all:  # before loading many pages
                await check_in_thread(path, overwrite=overwrite)
            pets = await self._pets()
            await write_in_thread(path, pet_file(pets, file_format), overwrite=overwrite)
        except TargetExistsError:
            self._overwrites = text
            overwrites = f"{self._session.glyphs.keys['enter']} again overwrites"
            error = f"the file exists: {overwrites} it"
            self._show_export_error(error, overwrites)
        except TransferError as error:
            self._show_export_error(str(error), short_reason(error))
        else:
            target = self._session.glyphs.line(str(path))
            self._close(f"wrote {rows_text(len(pets))} to {target}")

    async def _copy(self, file_format: FileFormat) -> None:
        try:
            pets = await self._pets()
            text = clipboard_text(pet_file(pets, file_format), len(pets))
        except (ClipboardError, TransferError) as error:
            self._show_export_error(str(error), short_reason(error))
        else:
            self.app.copy_to_clipboard(text)
            self._close(f"copied {rows_text(len(pets))} as {file_format.value}{ALLOWED}")

    async def _pets(self) -> tuple[Pet, ...]:
        """Return the animals, once they are loaded; at least one."""
        if self._are_all and not await self._source.load_rest():
            raise NoPetsError(
                "not all pages were loaded, so nothing was exported", "not all pages were loaded"
            )
        pets = self.selection.pets
        if not pets:
            raise NoPetsError("there is nothing to export", "nothing to export")
        return pets

    def _show_stopped(self) -> None:
        self._show_export_error("stopped: nothing was exported", "stopped")

    def _show_export_error(self, text: str, short: str = "") -> None:
        if self.is_open:
            self.show_error(text, short, whole=text)

    def _close(self, remark: str = "") -> None:
        # Called by the screen later: the line cannot wait for its own removal.
        screen = self._opener
        if self.is_open:
            self._is_closing = True
            screen.call_later(close_prompt_line, screen, then=self._focused_after)
        if remark:
            screen.show_remark(remark)


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


class ClipboardError(Exception):
    """The text is too long for the clipboard; the message is one line that is safe to draw."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows to export, in the order shown."""

    elements: Sequence[Element] = field(repr=False)
    words: str  # which ones: "as shown", "marked"
    has_further_pages: bool = False  # that are loaded for the export
    not_shown: int | None = None  # of the marked rows; None if these are not the marked ones

    @property
    def pets(self) -> tuple[Pet, ...]:
        """The animals among them; unreadable rows are left out."""
        return tuple(pets_of(self.elements))

    @property
    def text(self) -> str:
        """How many rows, and which: "240 rows, as shown", "4 marked, 2 not shown"."""
        pets = len(self.pets)
        if self.not_shown is not None:
            return f"{pets:,} {self.words}{not_shown_text(self.not_shown)}"
        left_out = len(self.elements) - pets
        unreadable = f"; {left_out:,} unreadable left out" if left_out else ""
        return f"{rows_text(pets)}, {self.words}{unreadable}"

    @property
    def short_text(self) -> str:
        """How many rows, or that there will be more than these: "240 rows", "all pages"."""
        if self.not_shown is not None:
            return f"{len(self.elements):,} {self.words}"
        return "all pages" if self.has_further_pages else rows_text(len(self.pets))


def rows_text(count: int) -> str:
    """Return a count of rows: "1 row", "240 rows"."""
    return "1 row" if count == 1 else f"{count:,} rows"


def clipboard_text(pieces: Iterable[bytes], rows: int) -> str:
    """Return the text to copy; the pieces are read only as far as the clipboard holds.

    Args:
        pieces: UTF-8 text.
        rows: how many rows it describes, for the error's message.

    Raises:
        ClipboardError: it is longer than the clipboard holds.
    """
    content = b""
    for piece in pieces:
        content += piece
        if len(content) > CLIPBOARD_MAXIMUM:
            are = "is" if rows == 1 else "are"
            raise ClipboardError(f"{rows_text(rows)} {are} too long to copy: 74 kB at most")
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
        raise TransferError(f"cannot write: {error}") from error
    try:
        await asyncio.shield(writing)
    except asyncio.CancelledError:
        stop.set()
        writing.add_done_callback(_retrieve_error)
        await asyncio.wait({writing}, timeout=GRACE)
        raise


async def check_in_thread(path: Path, *, overwrite: bool = False) -> None:
    """Check that a file may be written at a path; raises as ``write_in_thread`` does."""
    await asyncio.to_thread(check_target, path, overwrite=overwrite)


def _until(stop: Event, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces; raise TransferError before the next one, or at the end, once stopped."""
    for piece in pieces:
        _raise_if_stopped(stop)
        yield piece
    _raise_if_stopped(stop)


def _raise_if_stopped(stop: Event) -> None:
    if stop.is_set():
        raise TransferError("stopped")


def _retrieve_error(writing: asyncio.Future[None]) -> None:
    """Retrieve the error, or asyncio would log that nobody did."""
    if not writing.cancelled():
        writing.exception()
