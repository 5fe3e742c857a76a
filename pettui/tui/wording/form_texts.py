"""The hints under the form's fields: raw texts, cut to their line later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.tui.lists.categories import NAMED, is_number

if TYPE_CHECKING:
    from pettui.glyphs import GlyphSet
    from pettui.tui.lists.categories import Categories

NOTE_CHARACTERS = 30
STATUS_KEPT = "kept from the previous animal"


def status_text(glyphs: GlyphSet, *, is_kept: bool) -> str:
    """Return how to choose a status, or that it was kept from the previous animal."""
    if is_kept:
        return STATUS_KEPT
    return f"{glyphs.keys['left']} {glyphs.keys['right']} or its first letter"


def category_note(glyphs: GlyphSet, categories: Categories, typed: str, number: int) -> str:
    """Return the note beside a category: its name, or number and name where a name was typed."""
    text = categories.name(number) if is_number(typed) else categories.label(number)
    return glyphs.line(text, NOTE_CHARACTERS)


def offers_text(glyphs: GlyphSet, categories: Categories, typed: str, *, is_kept: bool) -> str:
    """Return the categories that match, the last used first; "" for none.

    Args:
        glyphs: of the terminal.
        categories: the profile's.
        typed: the field's text.
        is_kept: whether it is the previous animal's, so that the next character replaces it.
    """
    key = glyphs.keys["right"]
    others = categories.offers("" if is_kept else typed)
    labels = [categories.label(each) for each in others if not is_kept or str(each) != typed]
    listed = f" {glyphs.dot} ".join(labels[:NAMED]) + (
        f" {glyphs.ellipsis}" * (len(labels) > NAMED)
    )
    if is_kept:
        kept = f"kept: type to replace, {key} to edit"
        return f"{kept} {glyphs.dot} {listed}" if listed else kept
    return f"{key} {listed}" if listed else ""
