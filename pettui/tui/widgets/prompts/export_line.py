"""ExportLine: where a clerk says into which file, and which rows, or that they are to be copied."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

from pettui import actions
from pettui.tui.keys.bindings import bindings
from pettui.tui.widgets.prompts.prompt_line import PromptLine

if TYPE_CHECKING:
    from textual.binding import BindingType

    from pettui.tui.look import Look

FILE_KEYS = ("{submit_line} write", "{to_clipboard} copy")
COPY_KEYS = ("{submit_line} copy",)


class LineOwner(Protocol):
    """What an export does with what is typed; each is done before the next key is taken."""

    async def typed(self) -> None:
        """Look at another text."""

    async def submitted(self, text: str) -> None:
        """Write the file."""

    async def complete(self, text: str) -> None:
        """Complete the text."""

    async def copy(self, text: str) -> None:
        """Copy instead of writing."""

    async def change_rows(self) -> None:
        """Take other rows."""

    async def closed(self) -> None:
        """Stop what is under way, or close the line."""

    @property
    def other_rows(self) -> str:
        """Which other rows can be taken; "" for none."""


class ExportLine(PromptLine):
    """A file's name; where no file is ever written, a format."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.EXPORT_LINE)

    def __init__(self, look: Look, owner: LineOwner, text: str, *, writes_files: bool) -> None:
        """Take what the line begins with.

        Args:
            look: how it is drawn.
            owner: who does what it says; it closes the line.
            text: what stands in the field.
            writes_files: whether there is any file system to write to; otherwise all is copied.
        """
        super().__init__(
            look,
            "Export" if writes_files else "Copy as",
            id="export-line",
            text=text,
            placeholder="name.csv, .json or .jsonl" if writes_files else "csv, json or jsonl",
            takes_tab=True,
        )
        self._owner = owner
        self._writes_files = writes_files
        self.show_keys()

    def show_keys(self) -> None:
        """Name the keys that do something now."""
        keys = FILE_KEYS if self._writes_files else COPY_KEYS
        others = self._owner.other_rows
        more = (f"{{other_rows}} {others}",) if others else ()
        self.note.keys = "  ".join((*keys, *more))
        self.refresh_bindings()

    def show_busy(self) -> None:
        """Say that it takes a while, and how to stop it."""
        self.note.keys = "{close_line} stop"
        self.show_fact("under way", "accent")

    def show_choices(self, text: str, whole: str) -> None:
        """Say how the text may go on, in place of the keys: there may be many of them."""
        self.note.keys = ""
        self.show_fact(text, whole=whole)

    def show_wrong(self, text: str, short: str = "", whole: str = "") -> None:
        """Say what is wrong, in place of the keys where there is not room for both."""
        self.note.keys = ""
        self.show_fact(text, "error", short, whole=whole)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what can be done here."""
        if action == "to_clipboard":
            return self._writes_files
        if action == "other_rows":
            return bool(self._owner.other_rows)
        return super().check_action(action, parameters)

    async def on_prompt_line_changed(self, message: PromptLine.Changed) -> None:
        """Look at what is typed."""
        message.stop()
        await self._owner.typed()

    async def on_prompt_line_submitted(self, message: PromptLine.Submitted) -> None:
        """Write, or copy."""
        message.stop()
        await self._owner.submitted(message.text)

    async def on_prompt_line_closed(self, message: PromptLine.Closed) -> None:
        """Stop, or close."""
        message.stop()
        await self._owner.closed()

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
        """Take other rows."""
        await self._owner.change_rows()
