"""Find: the words that rows contain, from the prompt on, and what was found before it.

It filters at each letter. Enter keeps the filter, Esc restores the one before.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol


class SearchedTable(Protocol):
    """Rows in which is found: what is typed may hide the cursor's row at any letter."""

    @property
    def words(self) -> str:
        """The words that the rows contain, as typed; "" for all rows."""
        ...

    @property
    def found(self) -> Found:
        """How many rows contain the words."""
        ...

    def find(self, words: str) -> None:
        """Show only the rows that contain the words."""

    def begin_find(self) -> None:
        """Remember where the cursor is."""

    def end_find(self) -> None:
        """Let the cursor go on from where it is."""


class Found(NamedTuple):
    """How many rows contain the words."""

    text: str
    short: str  # the same, for less room
    is_part: bool = False  # there are rows that are not loaded


class Find(NamedTuple):
    """One find, while its prompt is open."""

    before: str  # the words that were found before
    all_pages_hint: str = ""  # of the key, which works after the prompt

    def keys(self, found: Found) -> str:
        """Return the hints of the prompt's keys (see ``keys.hints``)."""
        more = self.all_pages_hint if found.is_part else ""
        closes = "back" if self.before else "clear"
        return f"{{submit_line}} keep{more}  {{mark_found}} mark  {{close_line}} {closes}"
