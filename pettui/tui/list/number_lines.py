"""Prompts for a number: LimitLine for the limit of the list, IdLine for an animal to go to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from textual.message import Message

from pettui.models.pets import int64_of
from pettui.settings.settings import LIMIT_BOUNDS
from pettui.tui.list.listing import VALID_LIMIT, limit_of
from pettui.tui.widgets.prompt import PromptLine

if TYPE_CHECKING:
    from pettui.appearance.glyphs import GlyphSet


class LimitLine(PromptLine):
    """Asks for a limit; nothing is the one without a choice."""

    class Chosen(Message, bubble=False):
        """A limit was chosen, or None; posted to the screen."""

        def __init__(self, limit: int | None) -> None:
            super().__init__()
            self.limit = limit

    def __init__(self, glyphs: GlyphSet, current: int, unchosen: int) -> None:
        keys = {"submit_line": "use", "close_line": "close"}
        super().__init__(glyphs, "Limit", id="limit-line", placeholder=f"{current}", keys=keys)
        self._unchosen = unchosen

    def describe_now(self) -> None:
        """Describe which limits there are."""
        limits = f"{LIMIT_BOUNDS}, or nothing"
        self.describe(f"{limits} for {self._unchosen}", limits)

    async def submit(self) -> None:
        """Post what was chosen, or show what would be right."""
        limit = limit_of(self.text)
        if self.text.strip() and limit is None:
            self.show_error(VALID_LIMIT, LIMIT_BOUNDS, has_keys=True)
        else:
            self.screen.post_message(self.Chosen(limit))


class IdLine(PromptLine):
    """Asks for the id of an animal."""

    class Chosen(Message, bubble=False):
        """An id was typed, or nothing; posted to the screen."""

        def __init__(self, pet_id: int | None) -> None:
            super().__init__()
            self.pet_id = pet_id

    def __init__(self, glyphs: GlyphSet) -> None:
        keys = {"submit_line": "go", "close_line": "close"}
        super().__init__(glyphs, "#", id="id-line", placeholder="id", keys=keys)

    async def submit(self) -> None:
        """Post the id, or show that it is none."""
        try:
            pet_id = typed_id(self.text) if self.text.strip() else None
        except ValueError as error:
            self.show_error(str(error), "not an id", has_keys=True)
        else:
            self.screen.post_message(self.Chosen(pet_id))


def typed_id(text: str) -> int:
    """Return the id that was typed.

    Raises:
        ValueError: it is none; the message says why.
    """
    match = re.fullmatch(r"\s*#?\s*([+-]?)([0-9]+)\s*", text, re.ASCII)
    if match is None:
        raise ValueError("an id is a whole number")
    return int64_of(match[1].removeprefix("+") + match[2])
