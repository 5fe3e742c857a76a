"""PetScreen: a screen whose animals are copied and exported, its prompts and its remarks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from textual import on
from textual.reactive import reactive

from pettui.keyboard.actions import OWN_NAMES
from pettui.system.capabilities import CLIPBOARD_MAXIMUM
from pettui.tui.detail.marked import Targets
from pettui.tui.screens.app_screen import AppScreen
from pettui.tui.session.wording import ALLOWED
from pettui.tui.widgets.prompt import PromptLine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pettui.models.pets import Pet
    from pettui.tui.transfer.export_line import ExportLine
    from pettui.tui.transfer.selection import ExportedRows

ADDING = ("add", "add_alike")  # actions
READ_ONLY: Final = "read-only: this demo accepts no new animals"

Result = TypeVar("Result")


class PetScreen(AppScreen[Result], Generic[Result]):
    """Shows remarks and prompts, copies to the clipboard, and exports to files.

    Copies go to the terminal's own clipboard (OSC 52), over SSH to that of the client. A terminal
    may ignore them without a word, hence "if this terminal allows it".
    """

    exported: ExportedRows  # where a screen has a key that exports
    # Beside what else stands on the status line, until the next key or a failure.
    remark: reactive[str] = reactive("", repaint=False, bindings=True)

    @property
    def target(self) -> Pet | None:
        """The animal that the keys apply to; None if there is none."""
        raise NotImplementedError

    def why_not(self, action: str) -> str | None:
        """Return why nothing can be added, or given to a command, too."""
        if action.startswith(OWN_NAMES):
            return "there is no animal here for it"
        is_refused = action in ADDING and self.session.is_read_only
        return READ_ONLY if is_refused else super().why_not(action)

    def show_remark(self, text: str) -> None:
        """Show a remark in place of the one beside the rest too."""
        super().show_remark(text)
        self.remark = ""

    # Copying

    @property
    def has_targets(self) -> bool:
        """Whether there are any; the key of each command of the user's own depends on it."""
        return self.target is not None

    @property
    def targets(self) -> Targets:
        """The animals to be copied: the target, unless others are marked."""
        return Targets(() if self.target is None else (self.target,))

    def action_copy_id(self) -> None:
        """Copy the animal's id; several go on a line each."""
        from pettui.tui.transfer.export import copied_ids

        self._copy(copied_ids)

    def action_copy_json(self) -> None:
        """Copy the animal as one line of JSON; several become JSON Lines."""
        from pettui.tui.transfer.export import copied_json

        self._copy(copied_json)

    def _copy(self, copied: Callable[[Sequence[Pet]], tuple[str, str]]) -> None:
        targets = self.targets
        if not targets.pets:
            self.remark = "there is no animal here to copy"
            return
        text, what = copied(targets.pets)
        size = len(text.encode())
        if size > CLIPBOARD_MAXIMUM:
            self.remark = f"too long to copy: {size:,} bytes, of at most {CLIPBOARD_MAXIMUM:,}"
            return
        self.app.copy_to_clipboard(text)
        self.remark = f"copied {what}{targets.not_shown_text}{ALLOWED}"

    # Exporting: the rows that are shown, or all of them, whichever the clerk chose last

    async def load_rest(self) -> bool:
        """Load the rest of the rows; return False if that failed or was stopped, and show why."""
        return True

    async def action_export(self) -> None:
        """Ask for a file's name or, if files can't be written, for a format."""
        from pettui.tui.transfer.export import NOTHING
        from pettui.tui.transfer.export_line import ExportLine
        from pettui.tui.transfer.selection import Scope

        rows = self.exported
        if not rows.selection(Scope.SHOWN).pets and len(rows.scopes) == 1:
            self.remark = NOTHING
            return
        self.remark = ""
        glyphs = self.session.glyphs
        categories = self.session.settings.profile.categories
        writes_files = self.session.writes_files
        line = ExportLine(glyphs, rows, self.load_rest, categories, writes_files=writes_files)
        await self.prompt.ask(line)

    @on(PromptLine.Closed, "#export-line")
    async def _stop_export(self, message: PromptLine.Closed) -> None:
        await message.line.undo()

    async def on_export_line_exported(self, message: ExportLine.Exported) -> None:
        """Close the line, and say what was exported."""
        await self.prompt.close()
        self.remark = message.remark
