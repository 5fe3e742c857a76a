"""ImportOpener: prompts for a file, reads it, and opens the import screen."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final

from pettui.transfer.files import TransferError, failure, open_file, typed_path
from pettui.transfer.importing import Import
from pettui.transfer.lines import check_import
from pettui.transfer.results import check_result, result_path
from pettui.tui.screens.importing import PetImportScreen
from pettui.tui.screens.prompt_work import PromptWork
from pettui.tui.widgets.prompt import FILE_KEYS, FILE_NAME, PromptLine

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pettui.glyphs import GlyphSet
    from pettui.transfer.journal import Journal
    from pettui.transfer.lines import ImportPreview
    from pettui.tui.screens.browsing.open_line import OpenLine
    from pettui.tui.screens.pet_list import PetListScreen

WAIT: Final = 2.0  # seconds that the next key waits for the import screen


class FileLine(PromptLine):
    """A prompt for the file, whose name Tab completes."""

    def __init__(self, glyphs: GlyphSet) -> None:
        super().__init__(
            glyphs,
            "Import",
            id="file-line",
            placeholder=FILE_NAME,
            keys=FILE_KEYS,
            takes_tab=True,
        )

    async def on_prompt_line_completion_requested(
        self, message: PromptLine.CompletionRequested
    ) -> None:
        """Complete what is typed."""
        message.stop()
        await self.complete_path()


class ImportOpener:
    """Reads one file at a time; Esc stops it."""

    def __init__(self, screen: PetListScreen, open_line: OpenLine) -> None:
        """Keep the list, and where its prompts open."""
        self._screen = screen
        self._open_line = open_line
        self._line: FileLine | None = None
        self._work = PromptWork(screen, self._show_stopped)

    async def open(self) -> None:
        """Open the line."""
        self._line = FileLine(self._screen.session.glyphs)
        await self._open_line.open(self._line, self)

    async def line_changed(self, text: str) -> None:
        """Clear the error or the choices for an earlier text."""
        if self._line is not None and text != self._line.completed and not self._work.is_busy:
            self._line.show_hints(FILE_KEYS)
            self._line.show_note("")

    async def line_submitted(self, text: str) -> None:
        """Read the file; the next key waits for it a moment."""
        if self._work.is_busy or self._line is None:
            return
        if not await self._work.do(partial(self._import, text.strip()), WAIT):
            self._line.show_busy("reading")

    async def line_closed(self) -> None:
        """Stop reading, or close the line."""
        if self._work.is_busy:
            self._work.stop()
        else:
            await self._open_line.close()

    def _show_stopped(self) -> None:
        if self._line is not None and self._line.is_attached:
            self._line.show_error("stopped", "stopped")

    async def _import(self, text: str) -> None:
        session = self._screen.session
        try:
            path = typed_path(text)
            categories = session.settings.profile.categories
            preview = await asyncio.to_thread(checked_file, path, categories)
            await self._screen.key_prompt_closed()  # or a key would be typed into the next screen
            journal = await self._journal()
        except TransferError as error:
            if self._line is not None:
                self._line.show_error(str(error), str(error).rpartition(": ")[2])
            return
        await self._show(path, preview, journal)

    async def _journal(self) -> Journal:
        """Open the journal in a thread; if this is cancelled, close it again."""
        open_journal = self._screen.session.open_journal
        if open_journal is None:
            raise TransferError("there is nowhere to keep the import journal")
        opening = asyncio.get_running_loop().run_in_executor(None, open_journal)
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(_close_again)
            raise

    async def _show(self, path: Path, preview: ImportPreview, journal: Journal) -> None:
        importing = Import(preview, journal, result=result_path(path))
        screen = PetImportScreen(self._screen.session, path, importing)
        await self._open_line.close()
        await self._screen.app.push_screen(screen, self._over)

    def _over(self, added: int | None) -> None:
        if added:
            self._screen.refresh_first()


def _close_again(opening: asyncio.Future[Journal]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


def checked_file(path: Path, categories: Mapping[int, str]) -> ImportPreview:
    """Read and check a whole file; it blocks, for seconds if the file is large.

    Raises:
        TransferError: it can't be read, it has no animals, or the results can't be written.
    """
    with open_file(path) as source:
        check_result(result_path(path))
        preview = check_import(source, str(path), categories)
    if not preview.lines and not preview.bad_lines:
        raise failure("read", path, "there is no animal in it")
    return preview
