"""Runs: styled pieces of a line, each safe to draw, and how they are cut and joined."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeAlias

from rich.cells import cell_len, chop_cells, set_cell_size

from pettui.models.statuses import LOOKS, UNKNOWN
from pettui.settings.settings import COLOURS
from pettui.text.safe import pieces, with_blanks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.appearance.glyphs import GlyphSet
    from pettui.text.folding import Span


_WORD: Final = re.compile("[^ ]+")

Section = tuple[str, str]
"""A title, and the whole of a text: raw, as it came from outside."""


Run = tuple[str, str]
"""Text that is safe to draw, and the name of its style: one of STYLES, or "" for plain."""


GAP = 2  # cells at least before a hint


STYLES = frozenset(
    (
        "muted", "strong", "title", "key", "accent", "good", "changed", "notice", "error",
        "error-title", "mark", "tab", "tab-active", "table-header", "cursor", "cursor-blurred",
        "covered", "chosen", "found", "json-name", "json-string", "json-number", "json-word",
        *(
            name
            for look in (*LOOKS.values(), UNKNOWN)
            for name in (look.style, look.sign_style, look.bar_style, look.tile_style)
        ),
        *(f"label-{colour}" for colour in COLOURS),
    )
)  # fmt: skip
"""The names of styles: component classes of the app."""


def width_of(runs: Iterable[Run]) -> int:
    """Return how many cells the runs take."""
    return sum(cell_len(text) for text, _ in runs)


def cut_runs(glyphs: GlyphSet, runs: Sequence[Run], width: int) -> list[Run]:
    """Return the runs cut to ``width`` cells, with an ellipsis where they were longer."""
    if width_of(runs) <= width:
        return [*runs]
    room = max(width - cell_len(glyphs.ellipsis), 0)
    shown: list[Run] = []
    for text, name in runs:
        if cell_len(text) > room:
            rest = set_cell_size(text, room).rstrip() + glyphs.ellipsis[: max(width, 0)]
            return [*shown, (rest, name)]
        shown.append((text, name))
        room -= cell_len(text)
    return shown


def in_cells(
    glyphs: GlyphSet, runs: Sequence[Run], width: int, *, is_at_right: bool = False
) -> list[Run]:
    """Return the runs in exactly ``width`` cells of a table."""
    cut = cut_runs(glyphs, runs, width)
    style = next((style for _, style in reversed(cut) if style != "found"), "")
    padding = " " * (width - width_of(cut)), style
    return [padding, *cut] if is_at_right else [*cut, padding]


def at_the_edge(
    runs: Iterable[Run], width: int, indent: int = 0, further: int = 0
) -> list[list[Run]]:
    """Return runs in rows that are broken at the edge only, wherever that is.

    Args:
        runs: safe to draw.
        width: of a row, in cells.
        indent: of the first row, in cells.
        further: of the others.
    """
    rows: list[list[Run]] = [[(" " * indent, "")]]
    room = width - indent
    for text, name in runs:
        rest = text
        while cell_len(rest) > room:
            head = chop_cells(rest, room)[0] if room > 1 else ""
            if not head and len(rows[-1]) == 1:
                return rows  # not even one character fits
            rows[-1].append((head, name))
            rest = rest[len(head) :]
            rows.append([(" " * further, "")])
            room = width - further
        rows[-1].append((rest, name))
        room -= cell_len(rest)
    return rows


def separated(glyphs: GlyphSet, runs: Iterable[Run]) -> list[Run]:
    """Return runs with dots between them."""
    return [each for run in runs for each in (separator(glyphs), run)][1:]


def separator(glyphs: GlyphSet) -> Run:
    """Return the dot between two runs."""
    return (f" {glyphs.dot} ", "muted")


def beside(glyphs: GlyphSet, runs: Sequence[Run], hint: str, width: int) -> list[Run]:
    """Return runs with a hint of keys at the right; the runs are cut, the hint never is."""
    room = width - cell_len(hint) - 1
    shown = cut_runs(glyphs, runs, room - GAP)
    return [*shown, (" " * max(room - width_of(shown), 0), ""), (hint, "key")]


def name_run(glyphs: GlyphSet, name: str, limit: int = 500) -> Run:
    """Return an animal's name, or "(no name)" in a style that no real name has."""
    line = glyphs.line(name, limit)
    return (line, "") if line else ("(no name)", "not-set")


def highlighted_runs(
    glyphs: GlyphSet,
    text: str,
    spans: Iterable[Span],
    *,
    style: str,
    found_style: str,
    limit: int = 500,
) -> list[Run]:
    """Return the runs of ``glyphs.line(text)``, with the spans in a style of their own.

    Args:
        glyphs: of the terminal.
        text: raw.
        spans: in indices of the raw text.
        style: of the rest.
        found_style: of the spans.
        limit: characters to draw.
    """
    line = glyphs.line(text, limit)
    inside = {index for start, end in spans for index in range(start, end)}
    if not inside:
        return [(line, style)] if line else []
    blanked = with_blanks(text[: limit * 2])
    indexes = _indexes_of_line(blanked, limit)
    shown = "".join(map(blanked.__getitem__, indexes))
    drawn = pieces(shown, ascii_only=glyphs.ascii_only, also=glyphs.also)
    styles = [found_style if index in inside else style for index in indexes]
    styled = [*zip(drawn, styles, strict=True)]
    styled.append((line[sum(map(len, drawn)) :], style))  # an ellipsis
    runs = groupby(((piece, name) for piece, name in styled if piece), key=lambda run: run[1])
    return [("".join(piece for piece, _ in some), name) for name, some in runs]


def _indexes_of_line(text: str, limit: int) -> list[int]:
    """Return which characters of a text are on its line: blanks of any length are one."""
    indexes: list[int] = []
    for word in _WORD.finditer(text):
        if indexes:
            indexes.append(word.start() - 1)
        indexes += range(*word.span())
    return indexes[:limit]


StyledText: TypeAlias = Run | tuple[str, str, str]
"""A text, its style, and a shorter text for where there is no room, if it has one."""
