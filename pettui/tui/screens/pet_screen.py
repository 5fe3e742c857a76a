"""PetScreen: a screen whose animals are copied and exported, its prompts and its remarks.

It also tells the outbox when the service responded, and the clerk when it is back.

Pages are loaded and files written in the background: the app stays responsive, Esc stops it, and no
partial file is ever left.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from threading import Event
from typing import TYPE_CHECKING, ClassVar, Final, Generic, TypeVar

from textual import on

from pettui import actions
from pettui.capabilities import CLIPBOARD_MAXIMUM
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
from pettui.tui.screens.screen import AppScreen
from pettui.tui.widgets.prompt import FILE_NAME, PromptLine
from pettui.tui.wording import ALLOWED, Failure, is_away

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from textual.binding import BindingType

    from pettui.client import PetClientError
    from pettui.models import Pet
    from pettui.rows import Element
    from pettui.tui.session import UserSession

ADDING = ("add", "add_alike")  # actions
WRITE_KEYS: Final = ("{submit_line} write", "{to_clipboard} copy")
COPY_KEYS: Final = ("{submit_line} copy",)
FORMATS: Final = ("csv", "json", "jsonl")
FILE_WAIT: Final = 2.0  # seconds that the next key waits for a file …
PAGES_WAIT: Final = 0.3  # … or for pages to be loaded, which Esc stops
GRACE: Final = 2.0  # seconds that a cancelled thread gets to remove its file
NOT_EXPORTED: Final = "stopped: nothing was exported"

Result = TypeVar("Result")


class ExportLine(PromptLine):
    """The prompt of an export, with further keys."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.EXPORT_LINE, to_clipboard="screen.to_clipboard", other_rows="screen.other_rows"
    )


class PetScreen(AppScreen[Result], Generic[Result]):
    """Shows remarks and prompts, copies to the clipboard, and exports to files.

    Copies go to the terminal's own clipboard (OSC 52), over SSH to that of the client. A terminal
    may ignore them without a word, hence "if this terminal allows it".
    """

    def __init__(self, session: UserSession) -> None:
        super().__init__(session)
        self.remark = ""  # shown until the next key or failure
        self._was_away = False  # the newest request did not reach the service
        self._exports_all = False  # and not only the rows that are shown
        self._default_name = ""  # of the file
        self._overwrites = ""  # the text for which another Enter overwrites the file

    @property
    def target(self) -> Pet | None:
        """The animal that the keys apply to; None if there is none."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether adding is possible; if not, the same key explains why."""
        if action in ADDING or action == "explain_read_only":
            return self.session.is_read_only == (action == "explain_read_only")
        if action == "to_clipboard":
            return self.session.writes_files
        if action == "other_rows":
            return bool(self._other_rows)
        return super().check_action(action, parameters)

    def action_explain_read_only(self) -> None:
        """Show why nothing can be added."""
        self.show_remark("read-only: this demo accepts no new animals")

    def show_remark(self, remark: str) -> None:
        """Show a remark on the status line, beside what stands there, until the next key."""
        self.remark = remark
        self.update_status()

    def show_message(self, text: str) -> None:
        """Show a message in place of the remark too."""
        super().show_message(text)
        if self.remark:
            self.show_remark("")

    def show_failure(self, error: PetClientError | Failure) -> None:
        """Show a failure in the banner, and remember whether the service was reached."""
        self.remark = ""  # on a narrow screen it would hide that the rows are older
        super().show_failure(error)
        if not isinstance(error, Failure):
            self._was_away = is_away(error)

    def request_succeeded(self, *, is_automatic: bool = False) -> None:
        """Close the banner, and show that the service is back if it was away.

        It also sends the animals that wait for the service and, if the clerk asked for it, those
        that wait for a key.
        """
        self.session.is_api_key_refused = False
        self.session.outbox.sending.service_responded(is_automatic=is_automatic)
        self.clear_failure()
        if self._was_away:
            self._was_away = False
            self.show_remark("the service is back")

    # Copying

    @property
    def targets(self) -> Sequence[Pet]:
        """The animals to be copied: the target, unless others are marked."""
        return () if self.target is None else (self.target,)

    @property
    def not_shown_text(self) -> str:
        """How many of them are not on the screen; "" for none."""
        return ""

    def action_copy_id(self) -> None:
        """Copy the animal's id; several go on a line each."""
        if pets := self._to_copy():
            what = f"id {pets[0].id}" if len(pets) == 1 else f"{len(pets):,} ids"
            self._copy("\n".join(str(pet.id) for pet in pets), what)

    def action_copy_json(self) -> None:
        """Copy the animal as one line of JSON with exactly the fields that were sent.

        Several become JSON Lines.
        """
        if pets := self._to_copy():
            one = f"animal {pets[0].id} as JSON"
            what = one if len(pets) == 1 else f"{len(pets):,} animals as JSON Lines"
            self._copy("\n".join(pet.as_json for pet in pets), what)

    def _to_copy(self) -> Sequence[Pet]:
        pets = self.targets
        if not pets:
            self.show_remark("there is no animal here to copy")
        return pets

    def _copy(self, text: str, what: str) -> None:
        size = len(text.encode())
        if size > CLIPBOARD_MAXIMUM:
            self.show_remark(f"too long to copy: {size:,} bytes, of at most {CLIPBOARD_MAXIMUM:,}")
            return
        self.app.copy_to_clipboard(text)
        self.show_remark(f"copied {what}{self.not_shown_text}{ALLOWED}")

    # Prompts and exports: what a line is for goes on in the background

    async def do_in_line(
        self,
        task: Callable[[], Coroutine[Any, Any, None]],
        *,
        seconds: float,
        busy: str = "working",
        stopped: str = "stopped",
    ) -> None:
        """Do what the line is for in the background, and show in the line why it failed.

        Args:
            task: may raise TransferError.
            seconds: that the next key waits for it.
            busy: what is said after them.
            stopped: what is said after Esc.
        """
        if self.is_line_busy or (line := self.open_line) is None:
            return
        done = asyncio.Event()

        async def run() -> None:
            try:
                await task()
            except TransferError as error:
                line.show_error(str(error), short_reason(error))
            except asyncio.CancelledError:
                if line is self.open_line and line.is_attached:  # the screen may be closed
                    line.show_error(stopped, "stopped")
                raise
            finally:
                done.set()
            if line is self.open_line:
                line.end_busy()

        self.line_work = self.run_worker(run, group="line")
        try:
            async with asyncio.timeout(seconds):
                await done.wait()
        except TimeoutError:
            if line is self.open_line:  # another screen may have taken its place
                line.show_busy(busy)

    # Exporting: the rows that are shown, or all of them, whichever the clerk chose last

    def selection(self, *, is_everything: bool) -> Selection:
        """Return the rows that are shown, or all of them, as far as they are loaded."""
        raise NotImplementedError

    @property
    def everything(self) -> str:
        """A name for all of the rows; "" if those are the ones that are shown."""
        return ""

    async def load_rest(self) -> bool:
        """Load the rest of the rows; return False if that failed or was stopped, and show why."""
        return True

    @property
    def _selection(self) -> Selection:
        return self.selection(is_everything=self._exports_all)

    @property
    def _other_rows(self) -> str:
        """Which other rows a key chooses; "" for none."""
        return self.selection(is_everything=False).words if self._exports_all else self.everything

    async def action_export(self) -> None:
        """Ask for a file's name or, if files can't be written, for a format."""
        self._exports_all, self._overwrites = False, ""
        if not self._selection.pets and not self.everything:
            self.show_remark("there is nothing to export")
            return
        self.show_remark("")
        self._default_name = self._selection.file_name
        writes_files = self.session.writes_files
        await self.ask(
            ExportLine(
                self.session.glyphs,
                "Export" if writes_files else "Copy as",
                id="export-line",
                text=self._default_name if writes_files else "csv",
                placeholder=FILE_NAME if writes_files else "csv, json or jsonl",
                takes_tab=True,
            )
        )
        self.describe_line()

    def describe_line(self) -> None:
        """Describe what follows from the rows, in the line of an export which of them it takes."""
        super().describe_line()
        line = self.open_line
        if not isinstance(line, ExportLine) or self.is_line_busy:
            return
        before, self._default_name = self._default_name, self._selection.file_name
        if line.text == before != self._default_name:
            line.text = self._default_name
        keys = WRITE_KEYS if self.session.writes_files else COPY_KEYS
        others = self._other_rows
        more = (f"{{other_rows}} {others}",) if others else ()
        selection = self._selection
        line.describe(selection.text, selection.short_text, keys="  ".join((*keys, *more)))

    @on(PromptLine.Changed, "#export-line")
    def _ask_again(self) -> None:
        """Overwrite no file for another text."""
        self._overwrites = ""

    @on(PromptLine.Closed, "#export-line")
    async def _stop_export(self) -> None:
        await self.stop_line()

    @on(PromptLine.Submitted, "#export-line")
    async def _export(self, message: PromptLine.Submitted) -> None:
        """Write the file or, if files can't be written, copy."""
        if self.session.writes_files:
            await self._do_export(partial(self._write, message.text))
        else:
            name = f"copy.{message.text.strip().removeprefix('.')}"
            await self._do_export(partial(self._to_clipboard, name))

    @on(PromptLine.CompletionRequested, "#export-line, #file-line")
    async def _complete(self, message: PromptLine.CompletionRequested) -> None:
        """Complete a path as a shell does or, if files can't be written, the format."""
        if self.session.writes_files or not isinstance(message.line, ExportLine):
            await self.do_in_line(message.line.complete_path, seconds=FILE_WAIT)
        else:
            message.line.text = next_format(message.text)

    async def action_to_clipboard(self) -> None:
        """Copy in the format of the file's name, or as CSV if it has none."""
        if self.open_line is not None:
            await self._do_export(partial(self._to_clipboard, self.open_line.text))

    def action_other_rows(self) -> None:
        """Switch between all rows and those that are shown."""
        if self.open_line is not None and not self.is_line_busy:
            self._exports_all = not self._exports_all
            self._overwrites = ""
            self.describe_line()
            self.open_line.describe_again()

    async def _do_export(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        seconds = PAGES_WAIT if self._exports_all else FILE_WAIT
        await self.do_in_line(work, seconds=seconds, stopped=NOT_EXPORTED)

    async def _write(self, text: str) -> None:
        path, file_format = export_target(text)
        overwrite = bool(text) and text == self._overwrites
        try:
            if self._exports_all:  # before loading many pages
                await asyncio.to_thread(check_target, path, overwrite=overwrite)
            pets = await self._load_pets()
            await write_in_thread(path, pet_file(pets, file_format), overwrite=overwrite)
        except TargetExistsError as error:
            self._overwrites = text
            overwrites = f"{self.session.glyphs.keys['enter']} again overwrites"
            raise PromptError(f"the file exists: {overwrites} it", overwrites) from error
        await self.close_line()
        self.show_remark(f"wrote {rows_text(len(pets))} to {self.session.glyphs.line(str(path))}")

    async def _to_clipboard(self, name: str) -> None:
        file_format = written_format(name.strip())
        if file_format is None and not self.session.writes_files:
            raise TransferError("csv, json or jsonl")
        file_format = file_format or FileFormat.CSV
        pets = await self._load_pets()
        copied = clipboard_text(pet_file(pets, file_format), len(pets))
        self.app.copy_to_clipboard(copied)
        await self.close_line()
        self.show_remark(f"copied {rows_text(len(pets))} as {file_format.value}{ALLOWED}")

    async def _load_pets(self) -> tuple[Pet, ...]:
        """Return the animals to export, once they are loaded; at least one."""
        if self._exports_all and not await self.load_rest():
            short = "not all pages were loaded"
            raise PromptError(f"{short}, so nothing was exported", short)
        pets = self._selection.pets
        if not pets:
            raise PromptError("there is nothing to export", "nothing to export")
        return pets


class PromptError(TransferError):
    """What a prompt is for can't be done; the reason has a shorter form."""

    def __init__(self, text: str, short: str) -> None:
        super().__init__(text)
        self.short = short


def short_reason(error: TransferError) -> str:
    """Return why a file could not be written or read, in few words; "" if there are none."""
    return error.short if isinstance(error, PromptError) else str(error).rpartition(": ")[2]


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


class ClipboardError(TransferError):
    """The text is too long for the clipboard."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows to export, in the order shown."""

    elements: Sequence[Element] = field(repr=False)
    words: str  # which ones: "as shown", "marked"
    file_name: str = ""  # by default
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
