"""The guard against formulas: a spreadsheet computes no text cell of an exported CSV.

A text that a spreadsheet would take for a formula gets a leading apostrophe; so does a text that
begins with an apostrophe, so that the import can take it away again without a doubt.
"""

from __future__ import annotations

from typing import Final

GUARD: Final = "'"
_GUARDED: Final = ("=", "+", "-", "@", "\t", "\r", GUARD)


def guarded(text: str) -> str:
    """Return a text as it stands in a cell of an export."""
    return GUARD + text if text.startswith(_GUARDED) else text


def unguarded(cell: str) -> str:
    """Return the text of an export's cell; what no guard was put before is returned as it is."""
    return cell[1:] if cell.startswith(GUARD) and cell[1:].startswith(_GUARDED) else cell
