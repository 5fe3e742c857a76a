"""Prompts for a path, which Tab completes as a shell does: PathLine, and FileLine for an import."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pettui.transfer.files import completed
from pettui.tui.widgets.prompts.prompt_line import PromptLine
from pettui.tui.widgets.prompts.prompt_note import KEYS

if TYPE_CHECKING:
    from pettui.glyphs import GlyphSet

FILE_KEYS = "{submit_line} read  {complete_line} complete  {close_line} close"
PLACEHOLDER = "name.csv, .json or .jsonl"


class PathLine(PromptLine):
    """A prompt for the path of a file with animals."""

    def __init__(
        self,
        glyphs: GlyphSet,
        prompt: str,
        *,
        id: str,  # noqa: A002
        text: str = "",
        placeholder: str = PLACEHOLDER,
        keys: str = KEYS,
    ) -> None:
        super().__init__(
            glyphs, prompt, id=id, text=text, placeholder=placeholder, keys=keys, takes_tab=True
        )
        self._glyphs = glyphs
        self.completed = ""  # the text that the listed names complete

    async def complete_path(self, text: str) -> bool:
        """Complete the text as far as it is unambiguous; return whether names are listed.

        Nothing is changed if another text was typed while the directory was read.
        """
        completion = await asyncio.to_thread(completed, text)
        if self.text != text or not self.is_attached:
            return False
        is_ambiguous = len(completion.choices) > 1
        self.completed = completion.text if is_ambiguous else ""
        self.text = completion.text
        if is_ambiguous:
            self.hide_hints()
            choices = self._glyphs.line("  ".join(completion.choices))
            self.show_note(choices, whole="\n".join(completion.choices))
        return is_ambiguous


class FileLine(PathLine):
    """The prompt of an import."""

    def __init__(self, glyphs: GlyphSet) -> None:
        super().__init__(glyphs, "Import", id="file-line", keys=FILE_KEYS)

    async def on_prompt_line_completion_requested(
        self, message: PromptLine.CompletionRequested
    ) -> None:
        """Complete what is typed."""
        message.stop()
        await self.complete_path(message.text)

    def show_keys(self) -> None:
        """Show the hints again."""
        self.show_hints(FILE_KEYS)
        self.show_note("")

    def show_busy(self) -> None:
        """Show that the file is being read, and how to stop it."""
        self.hide_hints("{close_line} stop")
        self.show_note("reading", "accent")

    def show_error(self, text: str) -> None:
        """Show an error, a raw line, in place of the hints."""
        self.hide_hints()
        self.show_note(
            self._glyphs.line(text), "error", self._glyphs.line(text.rpartition(": ")[2])
        )
