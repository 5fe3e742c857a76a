"""FileLine: a prompt for a file name; Tab completes it as a shell does."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pettui.transfer.path_completion import completed
from pettui.tui.widgets.prompts.prompt_line import PromptLine

if TYPE_CHECKING:
    from pettui.presentation.glyphs import GlyphSet

KEYS = "{submit_line} read  {complete_line} complete  {close_line} close"


class FileLine(PromptLine):
    """The prompt of an import."""

    def __init__(self, glyphs: GlyphSet) -> None:
        super().__init__(
            glyphs,
            "Import",
            id="file-line",
            placeholder="name.csv, .json or .jsonl",
            keys=KEYS,
            takes_tab=True,
        )
        self._glyphs = glyphs
        self.completed = ""  # the text that the listed names complete

    async def on_prompt_line_completion_requested(
        self, message: PromptLine.CompletionRequested
    ) -> None:
        """Complete the text as far as it is unambiguous, and show the choices."""
        message.stop()
        completion = await asyncio.to_thread(completed, message.text)
        is_ambiguous = len(completion.choices) > 1
        self.completed = completion.text if is_ambiguous else ""
        self.text = completion.text
        if is_ambiguous:
            self.note.keys = ""
            self.show_note(self._glyphs.line("  ".join(completion.choices)))

    def show_keys(self) -> None:
        """Show the hints again."""
        self.note.keys = KEYS
        self.show_note("")

    def show_busy(self) -> None:
        """Show that the file is being read, and how to stop it."""
        self.note.keys = "{close_line} stop"
        self.show_note("reading", "accent")

    def show_error(self, text: str) -> None:
        """Show an error, a raw line, in place of the hints."""
        self.note.keys = ""
        self.show_note(
            self._glyphs.line(text), "error", self._glyphs.line(text.rpartition(": ")[2])
        )
