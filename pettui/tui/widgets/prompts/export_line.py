"""ExportLine: the prompt for an export: file name, rows, or the clipboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

from pettui import actions
from pettui.tui.keys import bindings
from pettui.tui.widgets.prompts.file_line import PLACEHOLDER, PathLine

if TYPE_CHECKING:
    from textual.binding import BindingType

    from pettui.glyphs import GlyphSet
    from pettui.tui.exports import Selection
    from pettui.tui.widgets.prompts.prompt_line import PromptLine

FILE_KEYS = ("{submit_line} write", "{to_clipboard} copy")
COPY_KEYS = ("{submit_line} copy",)


class Exporter(Protocol):
    """Handles an export line; each call is awaited before the next key is handled."""

    async def typed(self) -> None:
        """Handle a change of the text."""

    async def submitted(self, text: str) -> None:
        """Write the file."""

    async def complete(self, text: str) -> None:
        """Complete the text."""

    async def copy(self, text: str) -> None:
        """Copy instead of writing."""

    async def change_rows(self) -> None:
        """Export other rows."""

    async def cancel(self) -> None:
        """Stop the export, or close the line."""

    @property
    def other_rows(self) -> str:
        """Which other rows can be exported; "" for none."""


class ExportLine(PathLine):
    """A prompt for a file name or, if files can't be written, for a format."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.EXPORT_LINE)

    def __init__(self, glyphs: GlyphSet, owner: Exporter, text: str, *, writes_files: bool) -> None:
        """Build the line.

        Args:
            glyphs: how it is drawn.
            owner: runs the export and closes the line.
            text: the initial text.
            writes_files: whether files can be written; otherwise animals are only copied.
        """
        super().__init__(
            glyphs,
            "Export" if writes_files else "Copy as",
            id="export-line",
            text=text,
            placeholder=PLACEHOLDER if writes_files else "csv, json or jsonl",
        )
        self._owner = owner
        self._writes_files = writes_files
        self._shown_rows: tuple[str, str] | None = None  # None while something else is shown
        self._show_keys()

    def show_rows(self, selection: Selection) -> None:
        """Show which rows are exported, and the keys that do something now."""
        self._show_keys()
        self.show_note(selection.text, short=selection.short_text)
        self._shown_rows = selection.text, self._owner.other_rows

    def update_rows(self, selection: Selection) -> None:
        """Show which rows are exported now, unless something else is shown."""
        shown = selection.text, self._owner.other_rows
        if self._shown_rows not in (None, shown):  # showing them calls this again
            self.show_rows(selection)

    def show_note(
        self, text: str, style: str = "muted", short: str = "", *, whole: str = ""
    ) -> None:
        """Show a note in place of the rows."""
        self._shown_rows = None
        super().show_note(text, style, short, whole=whole)

    def _show_keys(self) -> None:
        keys = FILE_KEYS if self._writes_files else COPY_KEYS
        others = self._owner.other_rows
        more = (f"{{other_rows}} {others}",) if others else ()
        self.show_hints("  ".join((*keys, *more)))

    def show_busy(self) -> None:
        """Show that the export is running, and how to stop it."""
        self.hide_hints("{close_line} stop")
        self.show_note("working", "accent")

    def show_error(self, text: str, short: str = "", whole: str = "") -> None:
        """Show an error in place of the hints."""
        self.hide_hints()
        self.show_note(text, "error", short, whole=whole)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether the key does something now."""
        if action == "to_clipboard":
            return self._writes_files
        if action == "other_rows":
            return bool(self._owner.other_rows)
        return super().check_action(action, parameters)

    async def on_prompt_line_changed(self, message: PromptLine.Changed) -> None:
        """Handle a change of the text."""
        message.stop()
        await self._owner.typed()

    async def on_prompt_line_submitted(self, message: PromptLine.Submitted) -> None:
        """Write, or copy."""
        message.stop()
        await self._owner.submitted(message.text)

    async def on_prompt_line_closed(self, message: PromptLine.Closed) -> None:
        """Stop, or close."""
        message.stop()
        await self._owner.cancel()

    async def on_prompt_line_completion_requested(
        self, message: PromptLine.CompletionRequested
    ) -> None:
        """Complete what is typed."""
        message.stop()
        await self._owner.complete(message.text)

    async def action_to_clipboard(self) -> None:
        """Copy."""
        await self._owner.copy(self.text)

    async def action_other_rows(self) -> None:
        """Export other rows."""
        await self._owner.change_rows()
