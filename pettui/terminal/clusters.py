"""Text → cells of one character each, and the clusters whose width terminals agree on.

A grapheme cluster is what is seen as one character: a letter with its marks, an emoji of several
parts. Rich knows how wide it is; terminals follow the tables of their own Unicode version, count
spacing marks (Mc) or not, and draw ambiguous characters (UAX 11, A) as wide as their locale or
their user wants.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import category, east_asian_width

from rich.cells import split_graphemes

if TYPE_CHECKING:
    from collections.abc import Iterable


FILLER = "\uffff"  # the second cell of a wide character; no text contains it
# Private characters, which stand for clusters of several characters: more than two for each cell.
STAND_INS_FROM, STAND_INS = 0xF0000, 0x20000
CLUSTERS_MAXIMUM = 4096  # after which those that stand on no row are forgotten
REPLACEMENT = "\ufffd"
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff\U000f0000-\U0010ffff]")
# One cell each, whatever is beside them: most of what is shown, and need not be divided.
NARROW = re.compile(
    r"[\x20-\x7e\xa1-\xac\xae-\u017f\u2010-\u2027\u2030-\u205e"
    r"\u2190-\u21ff\u2500-\u25fc\u25ff]*"
)
_MARKS = ("Mn", "Me", "Cf")  # drawn over the character before them
_VARIATION_SELECTORS = "\ufe0e\ufe0f"
MARK = "\u200e"  # left-to-right, without a width
# Hebrew, Arabic and their like, with Arabic's digits.
_RIGHT_TO_LEFT = (
    r"\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
)
_HAS_RIGHT_TO_LEFT = re.compile(f"[{_RIGHT_TO_LEFT}]")
# As far as what reads from the right may reach in a table: over words, which one blank separates.
_FROM_RIGHT = re.compile(f"[{_RIGHT_TO_LEFT}](?:[^ \u2500-\u259f]| (?![ \u2500-\u259f]|$))*")
# Frames and blocks are narrow even where other ambiguous characters are wide, except in xterm -cjk.
_FRAMES = range(0x2500, 0x25A0)
_SYMBOLS_FROM, _IDEOGRAPHS_FROM, _EMOJI = 0x2000, 0x2E80, range(0x1F000, 0x20000)


class Clusters:
    """The clusters of one screen."""

    def __init__(self) -> None:
        """Start with none."""
        self._stand_ins: dict[str, str] = {}
        self._spelled: dict[str, str] = {}
        self._next = 0  # stand-in
        self._maximum = CLUSTERS_MAXIMUM
        self._has_right_to_left = False  # letters, or had some

    def copy(self) -> Clusters:
        """Return the same clusters, for another screen."""
        copy = Clusters()
        copy._stand_ins, copy._spelled = self._stand_ins.copy(), self._spelled.copy()
        copy._next, copy._maximum = self._next, self._maximum
        copy._has_right_to_left = self._has_right_to_left
        return copy

    @property
    def are_many(self) -> bool:
        """Whether it is time to keep only those that stand on a row."""
        return len(self._stand_ins) >= self._maximum

    def keep(self, rows: Iterable[str]) -> None:
        """Forget all clusters but those of these rows of cells."""
        self._spelled = {
            lead: self._spelled[lead] for lead in set().union(*rows) if lead in self._spelled
        }
        self._stand_ins = {cluster: lead for lead, cluster in self._spelled.items()}
        self._maximum = max(CLUSTERS_MAXIMUM, 2 * len(self._spelled))

    def cells(self, text: str) -> str:
        """Return text with one character for each cell."""
        if NARROW.fullmatch(text):
            return text
        text = _CONTROLS.sub(REPLACEMENT, text)
        if not self._has_right_to_left:
            self._has_right_to_left = _HAS_RIGHT_TO_LEFT.search(text) is not None
        spans, width = split_graphemes(text)
        if width == len(text) == len(spans):
            return text
        return "".join(self._cell(text[start:end], cells) for start, end, cells in spans)

    def spelled(self, cell: str) -> str:
        """Return the text to send for a cell."""
        return self._spelled.get(cell, cell)

    def right_to_left(self, row: str) -> list[tuple[int, int]]:
        """Return where each text in a row starts and ends that reads from the right."""
        if not self._has_right_to_left:
            return []
        letters = "".join(self.spelled(cell)[0] for cell in row)
        return [match.span() for match in _FROM_RIGHT.finditer(letters)]

    def _cell(self, cluster: str, width: int) -> str:
        if width == 0:
            return ""
        lead = cluster if len(cluster) == 1 else self._stand_in(cluster)
        return lead + FILLER * (width - 1)

    def _stand_in(self, cluster: str) -> str:
        lead = self._stand_ins.get(cluster)
        if lead is None:
            if len(self._stand_ins) >= STAND_INS:
                return REPLACEMENT
            lead = self._stand_ins[cluster] = self._unused()
            self._spelled[lead] = cluster
        return lead

    def _unused(self) -> str:
        while (lead := chr(STAND_INS_FROM + self._next)) in self._spelled:
            self._next = (self._next + 1) % STAND_INS
        return lead


def without_marks(text: str) -> str:
    """Return a text without the marks that are drawn beside what reads from the right.

    Terminals copy them with the letters.
    """
    return text.replace(MARK, "") if _HAS_RIGHT_TO_LEFT.search(text) else text


def is_sure(cluster: str, width: int) -> bool:
    """Whether all terminals draw a cluster this many cells wide."""
    code, kind = ord(cluster[0]), east_asian_width(cluster[0])
    if any(category(c) != "Mn" or c in _VARIATION_SELECTORS for c in cluster[1:]):
        return False
    if category(cluster[0])[0] in "MC" or code in _EMOJI:
        return False
    if width == 1:
        return kind in ("N", "Na", "H") or code in _FRAMES or is_ambiguous_letter(cluster)
    return kind in ("W", "F") and code >= _IDEOGRAPHS_FROM


def is_narrow_nearly_everywhere(cluster: str) -> bool:
    """Whether a cluster is one character that few terminals draw wide, such as ●."""
    return len(cluster) == 1 and east_asian_width(cluster) == "A"


def is_ambiguous_letter(cluster: str) -> bool:
    """Whether a cluster is a letter that few terminals draw wide, such as é."""
    return east_asian_width(cluster[0]) == "A" and category(cluster[0])[0] == "L"


def reach(cluster: str) -> int:
    """Return the most cells that a terminal may draw a cluster over."""
    return sum(
        1 if east_asian_width(c) in ("N", "Na", "H") and ord(c) < _SYMBOLS_FROM else 2
        for c in cluster
        if category(c) not in _MARKS
    )
