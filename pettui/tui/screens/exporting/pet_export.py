"""PetExport: exports the animals of a screen to a file or the clipboard."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pettui.transfer.files import TargetExistsError, TransferError
from pettui.transfer.writing import FileFormat, written_format
from pettui.tui.exports import ClipboardError, rows_text
from pettui.tui.screens.exporting.exported_rows import (
    ExportedRows,
    export_target,
    next_format,
    short_reason,
)
from pettui.tui.screens.prompt_work import PromptWork
from pettui.tui.widgets.prompts.export_line import ExportLine
from pettui.tui.widgets.prompts.prompt_line import close_prompt_line, open_prompt_line

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from textual.widget import Widget

    from pettui.tui.runs import Section
    from pettui.tui.screens.exporting.exported_rows import ExportSource
    from pettui.tui.screens.pet_screen import PetScreen

FILE_WAIT: Final = 2.0  # seconds that the next key waits for the file to be written …
PAGES_WAIT: Final = 0.3  # … or for pages to be loaded, which Esc stops
ALLOWED: Final = ", if this terminal allows it"


class PetExport:
    """One export at a time; it ends with its screen, and leaves no incomplete file."""

    def __init__(self, screen: PetScreen[Any], source: ExportSource, focus: Widget) -> None:
        """Open no line yet.

        Args:
            screen: where the line opens.
            source: has the animals.
            focus: gets the focus when the line closes.
        """
        self._screen = screen
        self._source = source
        self._rows = ExportedRows(source)
        self._focus = focus
        self._line: ExportLine | None = None
        self._default_name = ""  # that the line started with, or would start with now
        self._overwrites = ""  # the text for which another Enter overwrites the file
        self._work = PromptWork(screen, self._show_stopped)

    async def open(self) -> None:
        """Open the line, unless there is nothing to export."""
        session = self._screen.session
        self._rows, self._overwrites = ExportedRows(self._source), ""
        if not self._rows.selection.pets and not self.other_rows:
            self._screen.show_remark("there is nothing to export")
            return
        self._default_name = self._rows.default_name
        text = self._default_name if session.writes_files else "csv"
        self._line = ExportLine(session.glyphs, self, text, writes_files=session.writes_files)
        self._screen.show_remark("")
        await open_prompt_line(self._line, above=self._screen.status_line)
        self.show_rows()

    @property
    def is_open(self) -> bool:
        """Whether the line is open."""
        return self._line is not None and self._line.is_attached

    @property
    def other_rows(self) -> str:
        """Which other rows F3 chooses; "" for none."""
        return self._rows.others

    def show_rows(self) -> None:
        """Show which rows are exported, unless the export is running."""
        if self._line is None or self._work.is_busy:
            return
        self._line.show_rows(self._rows.selection)

    def rows_changed(self) -> None:
        """Show which rows are exported now; update the file name if it is still the default."""
        if self._line is None or not self._line.is_attached or self._work.is_busy:
            return
        if not self._rename(self._line):
            self._line.update_rows(self._rows.selection)

    def _rename(self, line: ExportLine) -> bool:
        """Update the file name if it is still the default; return whether it changed."""
        before, self._default_name = self._default_name, self._rows.default_name
        is_other = line.text == before != self._default_name
        if is_other:
            line.text = self._default_name
        return is_other

    def cut_sections(self) -> list[Section]:
        """Return the full texts that the line cuts."""
        return self._line.note.cut_sections() if self._line is not None and self.is_open else []

    # What the line calls

    async def typed(self) -> None:
        """Handle a change of the text: what was shown of it no longer holds."""
        self._overwrites = ""
        if self._line is not None and self._line.text != self._line.completed:
            self.show_rows()

    async def change_rows(self) -> None:
        """Switch between all pages and the rows that are shown."""
        if self._line is not None and not self._work.is_busy:
            self._rows.switch()
            self._overwrites = ""
            self._rename(self._line)
            self.show_rows()

    async def cancel(self) -> None:
        """Stop the export, or close the line."""
        if self._work.is_busy:
            self._work.stop()
        else:
            self._close()

    async def complete(self, text: str) -> None:
        """Complete a path as a shell does or, if files can't be written, the format."""
        if self._line is None or self._work.is_busy:
            return
        if not self._screen.session.writes_files:
            self._line.text = next_format(text)
            return
        await self._do(partial(self._line.complete_path, text))

    async def submitted(self, text: str) -> None:
        """Write the file or, if files can't be written, copy."""
        if self._work.is_busy:
            return
        if not self._screen.session.writes_files:
            await self.copy(f"copy.{text.strip().removeprefix('.')}")
            return
        try:
            path, file_format = export_target(text)
        except TransferError as error:
            self._show_error(str(error))
        else:
            overwrite = bool(text) and text == self._overwrites
            await self._do(partial(self._write, text, path, file_format, overwrite=overwrite))

    async def copy(self, text: str) -> None:
        """Copy in the format of a file name, or as CSV if it has none."""
        file_format = written_format(text.strip())
        if file_format is None and not self._screen.session.writes_files:
            self._show_error("csv, json or jsonl")
        elif not self._work.is_busy:
            await self._do(partial(self._copy, file_format or FileFormat.CSV))

    # What runs in the background

    async def _write(
        self, text: str, path: Path, file_format: FileFormat, *, overwrite: bool
    ) -> None:
        try:
            count = await self._rows.write(path, file_format, overwrite=overwrite)
        except TargetExistsError:
            self._overwrites = text
            overwrites = f"{self._screen.session.glyphs.keys['enter']} again overwrites"
            self._show_error(f"the file exists: {overwrites} it", overwrites)
        except TransferError as error:
            self._show_error(str(error), short_reason(error))
        else:
            target = self._screen.session.glyphs.line(str(path))
            self._close(f"wrote {rows_text(count)} to {target}")

    async def _copy(self, file_format: FileFormat) -> None:
        try:
            text, count = await self._rows.copy(file_format)
        except (ClipboardError, TransferError) as error:
            self._show_error(str(error), short_reason(error))
        else:
            self._screen.app.copy_to_clipboard(text)
            self._close(f"copied {rows_text(count)} as {file_format.value}{ALLOWED}")

    async def _do(self, export: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Export in the background; the next key waits for it a moment."""
        seconds = PAGES_WAIT if self._rows.are_all else FILE_WAIT
        if not await self._work.do(export, seconds) and self._line is not None:
            self._line.show_busy()

    def _show_stopped(self) -> None:
        if self.is_open:
            self._show_error("stopped: nothing was exported", "stopped")

    def _show_error(self, text: str, short: str = "") -> None:
        if self._line is not None:
            glyphs = self._screen.session.glyphs
            self._line.show_error(glyphs.line(text), glyphs.line(short), text)

    def _close(self, remark: str = "") -> None:
        # Called by the screen later: the line cannot wait for its own removal.
        self._line = None
        self._screen.call_later(close_prompt_line, self._screen, then=self._focus)
        if remark:
            self._screen.show_remark(remark)
