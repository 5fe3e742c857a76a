"""Highlighting: a text and the spans found in it → styled runs of one line, safe to draw."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final

from pettui.text import pieces

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.presentation.glyphs import GlyphSet
    from pettui.presentation.rows.finding import Span

_WORD: Final = re.compile(r"\S+")


def highlighted_runs(
    glyphs: GlyphSet,
    text: str,
    spans: Iterable[Span],
    *,
    style: str,
    found_style: str,
    limit: int = 500,
) -> list[tuple[str, str]]:
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
    indexes = _indexes_of_line(text, limit)
    shown = "".join(" " if text[index].isspace() else text[index] for index in indexes)
    drawn = pieces(shown, ascii_only=glyphs.ascii_only, also=glyphs.also)
    styles = [found_style if index in inside else style for index in indexes]
    styled = [*zip(drawn, styles, strict=True)]
    styled.append((line[sum(map(len, drawn)) :], style))  # an ellipsis
    runs = groupby(((piece, name) for piece, name in styled if piece), key=lambda run: run[1])
    return [("".join(piece for piece, _ in some), name) for name, some in runs]


def _indexes_of_line(text: str, limit: int) -> list[int]:
    """Return which characters of a text are on its line: white space of any length is one."""
    indexes: list[int] = []
    for word in _WORD.finditer(text[: limit * 2]):
        if indexes:
            indexes.append(word.start() - 1)
        indexes += range(*word.span())
    return indexes[:limit]
