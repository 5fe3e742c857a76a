"""ImportLine: prompts for a file, reads it, and opens the import screen."""

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
from pettui.tui.widgets.prompt import FILE_KEYS, FILE_NAME, PromptLine, close_prompt_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pettui.transfer.journal import Journal
    from pettui.transfer.lines import ImportPreview
    from pettui.tui.screens.pet_list import PetListScreen

WAIT: Final = 2.0  # seconds that the next key waits for the import screen


class ImportLine(PromptLine):
    """Prompts for a file, reads it, and opens the import screen; Esc stops it."""

    def __init__(self, screen: PetListScreen) -> None:
        super().__init__(
            screen.session.glyphs,
            "Import",
            id="file-line",
            placeholder=FILE_NAME,
            keys=FILE_KEYS,
            takes_tab=True,
        )
        self._opener = screen
        self._work = PromptWork(screen, self._show_stopped)
        self._is_closing = False

    @property
    def is_open(self) -> bool:
        """Whether the line is open."""
        return self.is_attached and not self._is_closing

    def on_prompt_line_changed(self, message: PromptLine.Changed) -> None:
        """Clear the error or the choices for an earlier text."""
        message.stop()
        if message.text != self.completed and not self._work.is_busy:
            self.show_hints(FILE_KEYS)
            self.show_note("")

    async def on_prompt_line_submitted(self, message: PromptLine.Submitted) -> None:
        """Read the file; the next key waits for it a moment."""
        message.stop()
        if self._work.is_busy:
            return
        is_done = await self._work.do(partial(self._import, message.text.strip()), WAIT)
        if not is_done and self.is_open:
            self.show_busy("reading")

    async def on_prompt_line_completion_requested(
        self, message: PromptLine.CompletionRequested
    ) -> None:
        """Complete what is typed."""
        message.stop()
        await self.complete_path()

    def cancel(self) -> bool:
        """Stop reading, or close the line."""
        if self._work.is_busy:
            self._work.stop()
        else:
            self._is_closing = True
            # Called by the screen later: the line cannot wait for its own removal.
            self._opener.call_later(close_prompt_line, self._opener, then=self._opener.table)
        return True

    def _show_stopped(self) -> None:
        if self.is_open:
            self.show_error("stopped", "stopped")

    async def _import(self, text: str) -> None:
        session = self._opener.session
        try:
            path = typed_path(text)
            categories = session.settings.profile.categories
            preview = await asyncio.to_thread(checked_file, path, categories)
            await self._opener.key_prompt_closed()  # or a key would be typed into the next screen
            journal = await self._journal()
        except TransferError as error:
            if self.is_open:
                self.show_error(str(error), str(error).rpartition(": ")[2])
            return
        await self._show(path, preview, journal)

    async def _journal(self) -> Journal:
        """Open the journal in a thread; if this is cancelled, close it again."""
        open_journal = self._opener.session.open_journal
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
        screen = PetImportScreen(self._opener.session, path, importing)
        await close_prompt_line(self._opener, then=self._opener.table)
        await self._opener.app.push_screen(screen, self._over)

    def _over(self, added: int | None) -> None:
        if added:
            self._opener.refresh_first()


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
