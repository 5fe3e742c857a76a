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
    from collections.abc import Iterator

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
    layout = _Layout()
    try:
        for kind, piece in _tokens(text):
            layout.add(kind, piece)
        layout.end(is_cut=is_cut)
    except _NotJsonError:
        return None
    rows: list[list[Run]] = []
    for depth, line in layout.lines:
        indent = min(depth * INDENT, width // 2)
        shown = ((glyphs.safe(text), style) for text, style in line)
        rows += at_the_edge(shown, width, indent, min(indent + INDENT, width // 2))
    return rows


class _NotJsonError(ValueError):
    """The text is no object and no array."""


class _Layout:
    """Lines of tokens, each a step further in than what it is a member of."""

    def __init__(self) -> None:
        self.lines: list[Line] = [(0, [])]
        self._awaited: list[str] = []  # the signs that close what is open
        self._is_cut = False

    def add(self, kind: str, piece: str) -> None:
        """Add a token."""
        line = self.lines[-1][1]
        if not self._awaited and (line or kind != "opening"):
            raise _NotJsonError  # a text or a number, or something after the end
        if kind == "closing":
            self._close(piece)
            return
        self._is_cut = kind == "cut"
        line.append((f"{piece} " if piece == ":" else piece, _STYLES.get(kind, "")))
        if kind == "opening":
            self._awaited.append(_CLOSING[piece])
        if kind == "opening" or piece == ",":
            self.lines.append((len(self._awaited), []))

    def _close(self, sign: str) -> None:
        if self._awaited.pop() != sign:
            raise _NotJsonError
        if self.lines[-1][1]:
            self.lines.append((len(self._awaited), []))
        else:  # nothing between the two
            self.lines.pop()
        self.lines[-1][1].append((sign, _STYLES["closing"]))

    def end(self, *, is_cut: bool) -> None:
        """Make sure that nothing is missing, unless the end is known to be."""
        if not self.lines[0][1] or ((self._awaited or self._is_cut) and not is_cut):
            raise _NotJsonError


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Yield kinds and tokens; ``cut`` is the beginning of one, at the end."""
    token, at, end = re.compile(_PATTERN), 0, len(text.rstrip())
    while at < end:
        match = token.match(text, at, end)
        if match is None or match.lastgroup is None:
            raise _NotJsonError
        yield match.lastgroup, match[match.lastgroup]
        at = match.end()
