"""ExportLine: the prompt of an export, which writes the file or copies."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual.message import Message

from pettui.keyboard import actions
from pettui.text.amounts import counted
from pettui.transfer.files import TargetExistsError, TransferError, check_target
from pettui.transfer.writing import CsvStyle, FileFormat, pet_file, written_format
from pettui.tui.transfer.export import (
    FORMATS,
    NOTHING,
    copied,
    export_target,
    next_format,
    write_in_thread,
)
from pettui.tui.transfer.selection import ExportedRows, Scope
from pettui.tui.widgets.bindings import bindings
from pettui.tui.widgets.prompt import FILE_NAME, FILE_WAIT, PromptLine

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping

    from textual.binding import BindingType

    from pettui.appearance.glyphs import GlyphSet
    from pettui.models.pets import Pet

WHICH_FORMAT: Final = "csv, json or jsonl"
PAGES_WAIT: Final = 0.3  # seconds that the next key waits for pages to be loaded; Esc stops that
NOT_EXPORTED: Final = "stopped: nothing was exported"


class ExportLine(PromptLine):
    """Asks for a file's name or, if files can't be written, for a format."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.EXPORT_LINE)
    COMPLETES = True

    class Exported(Message, bubble=False):
        """Written or copied; posted to the screen."""

        def __init__(self, remark: str) -> None:
            super().__init__()
            self.remark = remark

    def __init__(
        self,
        glyphs: GlyphSet,
        rows: ExportedRows,
        load_rest: Callable[[], Awaitable[bool]],
        categories: Mapping[int, str],
        *,
        writes_files: bool,
    ) -> None:
        """Ask for the name of a file for rows.

        Args:
            glyphs: how it is drawn.
            rows: as far as they are loaded.
            load_rest: loads the others; it returns False if that failed or was stopped.
            categories: whose names a CSV has.
            writes_files: otherwise a format is asked for, and Enter copies.
        """
        self._writes_files = writes_files
        self._csv_style = CsvStyle(categories=categories)
        self._rows = rows
        self._load_rest = load_rest
        self._takes = Scope.SHOWN
        self._default_name = rows.selection(Scope.SHOWN).file_name if writes_files else FORMATS[0]
        self._overwrites = ""  # the text for which another Enter overwrites the file
        self._leaves_out = 0  # as many unreadable rows, if the same key is pressed again
        super().__init__(
            glyphs,
            "Export" if writes_files else "Copy as",
            id="export-line",
            text=self._default_name,
            placeholder=FILE_NAME if writes_files else WHICH_FORMAT,
        )

    def text_changed(self, text: str) -> None:
        """Overwrite no file for another text, and leave nothing out."""
        self._overwrites, self._leaves_out = "", 0
        super().text_changed(text)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there are other rows, and two things to do with them."""
        if action == "to_clipboard":
            return self._writes_files
        if action == "other_rows":
            return self._following is not self._takes
        return super().check_action(action, parameters)

    @property
    def _following(self) -> Scope:
        """The next of the scopes that differ, in a circle."""
        order = [*self._rows.scopes]
        at = order.index(self._takes) if self._takes in order else -1
        return order[(at + 1) % len(order)]

    def describe_now(self) -> None:
        """Describe which rows it takes; its own name goes with them, and none that was typed."""
        if self.is_busy:
            return
        selection = self._rows.selection(self._takes)
        if self._writes_files:
            before, self._default_name = self._default_name, selection.file_name
            if self.text == before != self._default_name:
                self.text = self._default_name
        keys = {"submit_line": "copy"}
        if self._writes_files:
            keys = {"submit_line": "write", "to_clipboard": "copy"}
        if (following := self._following) is not self._takes:
            keys["other_rows"] = self._rows.scopes[following]
        self.describe(selection.text, selection.short_text, keys=keys)

    async def complete(self) -> None:
        """Complete a path as a shell does or, if files can't be written, the format."""
        if self._writes_files:
            await super().complete()
        else:
            self.text = next_format(self.text)

    async def submit(self) -> None:
        """Write the file or, if files can't be written, copy."""
        work = self._write if self._writes_files else self._to_clipboard
        await self._do(partial(work, self.text))

    async def action_to_clipboard(self) -> None:
        """Copy in the format of the file's name, or as CSV if it has none."""
        await self._do(partial(self._to_clipboard, self.text))

    def action_other_rows(self) -> None:
        """Take the rows that are shown, all that are found, or all, and so on."""
        if not self.is_busy:
            self._takes = self._following
            self._overwrites, self._leaves_out = "", 0
            self.describe_now()
            self.describe_again()

    async def _do(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        seconds = FILE_WAIT if self._takes is Scope.SHOWN else PAGES_WAIT
        await self.do(work, seconds=seconds, stopped=NOT_EXPORTED)

    async def _write(self, text: str) -> None:
        """Write a file; one that exists is asked about before many pages are loaded for it."""
        path, file_format = await asyncio.to_thread(export_target, text)
        overwrite = bool(text) and text == self._overwrites
        try:
            if self._takes is not Scope.SHOWN:
                await asyncio.to_thread(check_target, path, overwrite=overwrite)
            pets = await self._load_pets()
            pieces = pet_file(pets, file_format, self._csv_style)
            await write_in_thread(path, pieces, overwrite=overwrite)
        except TargetExistsError as error:
            self._overwrites = text
            overwrites = f"{self._glyphs.keys['enter']} again overwrites"
            raise TransferError(f"the file exists: {overwrites} it", overwrites) from error
        wrote = f"wrote {counted(len(pets), 'row')} to {self._glyphs.line(str(path))}"
        self.screen.post_message(self.Exported(wrote))

    async def _to_clipboard(self, text: str) -> None:
        name = text.strip()
        if not self._writes_files:
            name = f"copy.{name.removeprefix('.')}"
        file_format = written_format(name)
        if file_format is None and not self._writes_files:
            raise TransferError(WHICH_FORMAT)
        pets = await self._load_pets()
        content, remark = copied(pets, file_format or FileFormat.CSV, self._csv_style)
        self.app.copy_to_clipboard(content)
        self.screen.post_message(self.Exported(remark))

    async def _load_pets(self) -> tuple[Pet, ...]:
        """Return the animals to export, once they are loaded; at least one.

        Unreadable rows are left out only once their number was said, by the same key again.
        """
        if self._takes is not Scope.SHOWN and not await self._load_rest():
            short = "not all pages were loaded"
            raise TransferError(f"{short}, so nothing was exported", short)
        selection = self._rows.selection(self._takes)
        unreadable = selection.unreadable
        if unreadable and unreadable != self._leaves_out:
            self._leaves_out = unreadable
            again = f"again leaves {'it' if unreadable == 1 else 'them'} out"
            rows = f"{counted(unreadable, 'row')} could not be read"
            raise TransferError(
                f"{rows}: the same key {again}", f"{unreadable:,} unreadable: {again}"
            )
        if not selection.pets:
            raise TransferError(NOTHING, "nothing to export")
        return selection.pets
