"""FileLine: a line to type the name of a file in; Tab completes it as a shell does."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pettui.transfer.path_completion import completed
from pettui.tui.widgets.prompts.prompt_line import PromptLine

if TYPE_CHECKING:
    from pettui.tui.look import Look

KEYS = "{submit_line} read  {complete_line} complete  {close_line} close"


class FileLine(PromptLine):
    """Its screen is told what was typed, and what to do with it."""

    def __init__(self, look: Look) -> None:
        super().__init__(
            look,
            "Import",
            id="file-line",
            placeholder="name.csv, .json or .jsonl",
            keys=KEYS,
            takes_tab=True,
        )
        self._look = look
        self.offered = ""  # the text behind which the names stand that it may go on with

    async def on_prompt_line_completion_requested(
        self, message: PromptLine.CompletionRequested
    ) -> None:
        """Complete what is typed as far as only one way leads on, and show the ways from there."""
        message.stop()
        completion = await asyncio.to_thread(completed, message.text)
        is_ambiguous = len(completion.choices) > 1
        self.offered = completion.text if is_ambiguous else ""
        self.text = completion.text
        if is_ambiguous:
            self.note.keys = ""
            self.show_fact(self._look.line("  ".join(completion.choices)))

    def show_keys(self) -> None:
        """Name the keys again, in place of whatever was said."""
        self.note.keys = KEYS
        self.show_fact("")

    def show_busy(self) -> None:
        """Say that the file is being read, and how to stop it."""
        self.note.keys = "{close_line} stop"
        self.show_fact("reading", "accent")

    def show_wrong(self, text: str) -> None:
        """Say what is wrong, in a raw line, in place of the keys."""
        self.note.keys = ""
        self.show_fact(self._look.line(text), "error", self._look.line(text.rpartition(": ")[2]))
