"""How people see the statuses of animals: words, glyphs and styles."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pettui.models import PetStatus

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Look:
    """How one status is shown."""

    word: str
    glyph: str
    ascii_glyph: str
    style: str  # its row in the tables of ``themes``
    sgr: str = ""  # in a table that a command prints: SGR's parameter (ECMA-48, 8.3.117)


LOOKS: Final[Mapping[str | None, Look]] = MappingProxyType(
    {
        PetStatus.AVAILABLE: Look("available", "●", "*", "available", "32"),
        PetStatus.PENDING: Look("pending", "◐", "%", "pending", "33"),
        PetStatus.SOLD: Look("sold", "○", "o", "sold", "2"),
        None: Look("not set", "–", "-", "not-set"),
    }
)
UNKNOWN: Final = Look("", "?", "?", "unknown")
WIDEST_WORD: Final = max(len(LOOKS[status].word) for status in PetStatus)  # cells


def look_of(status: str | None) -> Look:
    """Return how a status is shown; all that this version does not know look the same."""
    return LOOKS.get(status, UNKNOWN)


def status_word(status: str | None) -> str:
    """Return the word of a status; an unknown one as it was sent, not yet safe to draw."""
    return look_of(status).word or str(status)
