"""JSON as people like to read it: indented, coloured by kind, and never changed.

Every token stands as it was sent, so that numbers keep their digits and a string is broken nowhere
but at the edge. What is cut at its end, as a logged body may be, is shown as far as it goes.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.tui.widgets.runs import at_the_edge

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.appearance.glyphs import GlyphSet
    from pettui.tui.widgets.runs import Run

    Line = tuple[int, list[Run]]  # how deep it is indented, and its tokens; raw

INDENT: Final = 2  # cells
_CLOSING: Final = MappingProxyType({"{": "}", "[": "]"})
_PATTERN: Final = r"""(?xs)\s*(?:
        (?P<name>"(?:[^"\\]|\\.)*"(?=\s*:)) | (?P<string>"(?:[^"\\]|\\.)*")
        | (?P<number>-?[0-9][0-9.eE+-]*) | (?P<word>true|false|null)
        | (?P<opening>[\[{]) | (?P<closing>[\]}]) | (?P<sign>[,:])
        | (?P<cut>(?:"(?:[^"\\]|\\.)*\\?|[a-z]{1,4}|-)\Z)
    )"""
_STYLES: Final = MappingProxyType(
    {kind: f"json-{kind}" for kind in ("name", "string", "number", "word")}
    | dict.fromkeys(("opening", "closing", "sign", "cut"), "muted")
)


def json_rows(
    glyphs: GlyphSet, text: str, width: int, *, is_cut: bool = False
) -> list[list[Run]] | None:
    """Return a JSON text in rows of at most ``width`` cells; None if it is no object or array.

    Args:
        glyphs: of the terminal.
        text: raw.
        width: in cells.
        is_cut: the end is missing.
    """
    lines: list[Line] = [(0, [])]
    awaited: list[str] = []  # the signs that close what is open
    token, kind, at, end = re.compile(_PATTERN), "", 0, len(text.rstrip())
    while at < end:
        match = token.match(text, at, end)
        if match is None or match.lastgroup is None:
            return None
        kind, piece, at = match.lastgroup, match[match.lastgroup], match.end()
        if not awaited and (lines[-1][1] or kind != "opening"):
            return None  # a text or a number, or something after the end
        if kind == "closing":
            if awaited.pop() != piece:
                return None
            if lines[-1][1]:
                lines.append((len(awaited), []))
            else:  # nothing between the two
                lines.pop()
        lines[-1][1].append((f"{piece} " if piece == ":" else piece, _STYLES[kind]))
        if kind == "opening":
            awaited.append(_CLOSING[piece])
        if kind == "opening" or piece == ",":
            lines.append((len(awaited), []))
    if not lines[0][1] or ((awaited or kind == "cut") and not is_cut):
        return None
    return [row for depth, line in lines for row in _rows(glyphs, depth, line, width)]


def _rows(glyphs: GlyphSet, depth: int, line: Iterable[Run], width: int) -> list[list[Run]]:
    indent = min(depth * INDENT, width // 2)
    shown = ((glyphs.safe(piece), style) for piece, style in line)
    return at_the_edge(shown, width, indent, min(indent + INDENT, width // 2))
