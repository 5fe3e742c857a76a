"""ExportLine: the prompt of an export, which writes the file or copies."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.message import Message

from pettui.keyboard import actions
from pettui.transfer.files import TransferError
from pettui.tui.transfer.export import NOTHING, copied, next_format
from pettui.tui.transfer.selection import Scope
from pettui.tui.widgets.bindings import bindings
from pettui.tui.widgets.prompt import FILE_NAME, FILE_WAIT, PromptLine

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from typing import Any

    from textual.binding import BindingType

    from pettui.appearance.glyphs import GlyphSet
    from pettui.models.pets import Pet
    from pettui.tui.transfer.export import Export
    from pettui.tui.transfer.selection import ExportedRows

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
        export: Export,
        rows: ExportedRows,
        load_rest: Callable[[], Awaitable[bool]],
    ) -> None:
        """Ask for the name of a file for rows.

        Args:
            glyphs: how it is drawn.
            export: what it does with them.
            rows: as far as they are loaded.
            load_rest: loads the others; it returns False if that failed or was stopped.
        """
        super().__init__(
            glyphs,
            "Export" if export.writes_files else "Copy as",
            id="export-line",
            text=export.text_for(rows.selection(Scope.SHOWN)),
            placeholder=FILE_NAME if export.writes_files else "csv, json or jsonl",
        )
        self.export = export
        self._rows = rows
        self._load_rest = load_rest

    def text_changed(self, text: str) -> None:
        """Overwrite no file for another text."""
        self.export.typed()
        super().text_changed(text)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there are other rows, and two things to do with them."""
        if action == "to_clipboard":
            return self.export.writes_files
        if action == "other_rows":
            return bool(self._other_rows)
        return super().check_action(action, parameters)

    @property
    def _other_rows(self) -> str:
        """Which other rows a key chooses; "" for none."""
        scopes = self._rows.scopes
        following = self.export.following(scopes)
        return "" if following is self.export.scope else scopes[following]

    def describe_now(self) -> None:
        """Describe which rows it takes."""
        if self.is_busy:
            return
        selection = self._rows.selection(self.export.scope)
        name = self.export.text_for(selection, self.text)
        if name != self.text:
            self.text = name
        self.describe(selection.text, selection.short_text, keys=self.export.keys(self._other_rows))

    async def complete(self) -> None:
        """Complete a path as a shell does or, if files can't be written, the format."""
        if self.export.writes_files:
            await super().complete()
        else:
            self.text = next_format(self.text)

    async def submit(self) -> None:
        """Write the file or, if files can't be written, copy."""
        work = self._write if self.export.writes_files else self._to_clipboard
        await self._do(partial(work, self.text))

    async def action_to_clipboard(self) -> None:
        """Copy in the format of the file's name, or as CSV if it has none."""
        await self._do(partial(self._to_clipboard, self.text))

    def action_other_rows(self) -> None:
        """Take the rows that are shown, all that are found, or all, and so on."""
        if not self.is_busy:
            self.export.take(self.export.following(self._rows.scopes))
            self.describe_now()
            self.describe_again()

    async def _do(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        seconds = FILE_WAIT if self.export.scope is Scope.SHOWN else PAGES_WAIT
        await self.do(work, seconds=seconds, stopped=NOT_EXPORTED)

    async def _write(self, text: str) -> None:
        await self.export.check(text)
        remark = await self.export.write(text, await self._load_pets())
        self.screen.post_message(self.Exported(remark))

    async def _to_clipboard(self, text: str) -> None:
        file_format = self.export.format_of(text)
        content, remark = copied(await self._load_pets(), file_format, self.export.style)
        self.app.copy_to_clipboard(content)
        self.screen.post_message(self.Exported(remark))

    async def _load_pets(self) -> tuple[Pet, ...]:
        """Return the animals to export, once they are loaded; at least one."""
        if self.export.scope is not Scope.SHOWN and not await self._load_rest():
            short = "not all pages were loaded"
            raise TransferError(f"{short}, so nothing was exported", short)
        selection = self._rows.selection(self.export.scope)
        self.export.ask_about(selection.unreadable)
        if not selection.pets:
            raise TransferError(NOTHING, "nothing to export")
        return selection.pets
