"""ImportLine: the prompt of an import, which reads and checks the file."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message

from pettui.transfer.files import TransferError, failure, is_stream, open_file, typed_path
from pettui.transfer.importing import Import
from pettui.transfer.lines import ImportPreview, check_import, survey_import
from pettui.transfer.mapping import ReadingOptions
from pettui.transfer.reading import EncodingError
from pettui.transfer.results import check_result, result_path
from pettui.transfer.survey import Survey, UnmappedError
from pettui.tui.widgets.prompt import FILE_KEYS, FILE_NAME, FILE_WAIT, PromptLine, PromptPlace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pettui.transfer.journal import Journal
    from pettui.tui.session.session import UserSession


class ImportLine(PromptLine):
    """Asks for a file's name."""

    COMPLETES = True

    class Opened(Message, bubble=False):
        """A file was read; posted to the screen, whose part it is to close the import."""

        def __init__(self, path: Path, importing: Import, reading: ReadingOptions) -> None:
            super().__init__()
            self.path = path
            self.importing = importing
            self.reading = reading

    def __init__(
        self, session: UserSession, open_journal: Callable[[], Journal], key_prompt: PromptPlace
    ) -> None:
        """Ask for a file.

        Args:
            session: of which glyphs and names of categories are.
            open_journal: opens the journal of imports; it blocks.
            key_prompt: of the screen: while it is open, nothing is.
        """
        super().__init__(
            session.glyphs, "Import", id="file-line", placeholder=FILE_NAME, keys=FILE_KEYS
        )
        self._session = session
        self._names = session.settings.profile.categories
        self._open_journal = open_journal
        self._key_prompt = key_prompt

    async def submit(self) -> None:
        """Read the file."""
        work = partial(self._open, self.text)
        await self.do(work, seconds=FILE_WAIT, busy="reading")

    async def _open(self, text: str) -> None:
        path = await asyncio.to_thread(typed_path, text)
        preview, reading = await self._checked(path)
        await self._key_prompt.wait_until_closed()  # or a key would be typed into the next screen
        importing = await self._opened(path, preview)
        if not self.screen.post_message(self.Opened(path, importing, reading)):
            await importing.close()  # the screen is closing

    async def _opened(self, path: Path, preview: ImportPreview) -> Import:
        """Return the import of a checked file, once its journal is opened in a thread.

        Raises:
            TransferError: the journal can't be opened; even the short reason says that it is that.
        """
        opening = asyncio.get_running_loop().run_in_executor(None, self._open_journal)
        try:
            journal = await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(_close_again)
            raise
        except TransferError as error:
            raise TransferError(str(error), f"journal: {error.short}") from error
        return Import(
            preview,
            journal,
            result=result_path(path),
            file=path,
            receipts=self._session.outbox.receipts,
            open_imports=self._session.open_imports,
            on_added=lambda pet: self._session.receipt.add(f"import {pet.id}", pet),
        )

    async def _checked(self, path: Path) -> tuple[ImportPreview, ReadingOptions]:
        """Return what is in a file, and how it was read: what only the clerk may know is asked."""
        options, digest = ReadingOptions(), None
        while True:
            work = partial(checked_file, path, self._names, options, digest)
            try:
                return await asyncio.to_thread(work), options
            except EncodingError as error:
                options = replace(options, encoding=await self._encoding_of(path, error))
            except UnmappedError as error:
                options, digest = await self._options_of(path, error.survey), error.survey.digest

    async def _encoding_of(self, path: Path, error: EncodingError) -> str:
        """Ask which encoding a file is in; raises the error where it is not chosen."""
        from pettui.tui.transfer.encoding_box import EncodingScreen

        await self._key_prompt.wait_until_closed()
        box = EncodingScreen(self._glyphs, path.name, error.names)
        encoding = await self.app.push_screen_wait(box)
        if encoding is None:
            raise error
        return encoding

    async def _options_of(self, path: Path, survey: Survey) -> ReadingOptions:
        """Ask what columns and values of a file mean."""
        from pettui.tui.transfer.mapping_box import MappingScreen

        await self._key_prompt.wait_until_closed()
        read_again = partial(surveyed_file, path, self._names)
        box = MappingScreen(self._session, path.name, survey, read_again)
        if await self.app.push_screen_wait(box) is None:
            raise failure("read", path, "nobody has said what its columns are")
        return box.options


def _close_again(opening: asyncio.Future[Journal]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


def surveyed_file(path: Path, categories: Mapping[int, str], options: ReadingOptions) -> Survey:
    """Return what is in the columns of a file; it blocks, and raises TransferError."""
    with open_file(path) as source:
        return survey_import(source, str(path), categories, options=options)


def checked_file(
    path: Path,
    categories: Mapping[int, str],
    options: ReadingOptions | None = None,
    digest: str | None = None,
) -> ImportPreview:
    """Read and check a whole file; it blocks, for seconds if the file is large.

    Raises:
        EncodingError: only the user can say which encoding it is in.
        UnmappedError: only the user can say what its columns are.
        TransferError: it can't be read, it has no animals, or the results can't be written.
    """
    if is_stream(path):
        raise failure("read", path, f"it is a stream; the command pettui import {path} reads it")
    with open_file(path) as source:
        check_result(result_path(path))
        preview = check_import(source, str(path), categories, options=options, digest=digest)
    if not preview.lines and not preview.bad_lines:
        raise failure("read", path, "there is no animal in it")
    return preview
