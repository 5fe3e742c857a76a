"""An animal → the cells of its row, as runs of exactly the widths of their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.statuses import look_of, status_word
from pettui.tui.widgets.columns import GAP, Columns
from pettui.tui.wording.text_runs import Run, cut_runs, highlighted_runs, name_run, width_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pettui.finding import Span
    from pettui.glyphs import GlyphSet
    from pettui.models import Pet
    from pettui.rows import Highlights

STATUS_CHARACTERS = 40


def pet_cells(
    glyphs: GlyphSet,
    pet: Pet,
    category_name: Callable[[int], str],
    columns: Columns,
    found: Highlights,
) -> list[Run]:
    """Return id, name, category and status, with the matches of a find highlighted."""
    gap: Run = (" " * GAP, "muted")
    number = _text(glyphs, str(pet.id), found.id, "muted")
    category = _text(glyphs, str(pet.category_id), found.category_id, "muted")
    if columns.named and (name := category_name(pet.category_id)):
        category += [(" ", "muted"), *_text(glyphs, name, found.category_name, "muted")]
    style = look_of(pet.status).style
    status: list[Run] = [(glyphs.status_glyph(pet.status), style)]
    if columns.worded:
        status += [(" ", style), *_status(glyphs, pet, found, style)]
    return [
        (" " * (columns.id - width_of(number)), "muted"),
        *number,
        gap,
        *_cell(glyphs, _name(glyphs, pet, found), columns.name),
        gap,
        *_cell(glyphs, category, columns.category),
        gap,
        *_cell(glyphs, status, columns.status),
    ]


def _name(glyphs: GlyphSet, pet: Pet, found: Highlights) -> list[Run]:
    return _text(glyphs, pet.name, found.name, "") or [name_run(glyphs, pet.name)]


def _status(glyphs: GlyphSet, pet: Pet, found: Highlights, style: str) -> list[Run]:
    if not found.status:
        return [(glyphs.status_word(pet.status), style)]
    return _text(glyphs, status_word(pet.status), found.status, style, STATUS_CHARACTERS)


def _text(
    glyphs: GlyphSet, text: str, spans: Collection[Span], style: str, limit: int = 500
) -> list[Run]:
    if spans:
        return highlighted_runs(glyphs, text, spans, style=style, found_style="found", limit=limit)
    line = glyphs.line(text, limit)
    return [(line, style)] if line else []


def _cell(glyphs: GlyphSet, runs: list[Run], width: int) -> list[Run]:
    """Return runs of exactly this width: padded, or cut with an ellipsis."""
    shown = cut_runs(glyphs, runs, width)
    style = next((style for _, style in reversed(shown) if style != "found"), "")
    return [*shown, (" " * max(width - width_of(shown), 0), style)]
