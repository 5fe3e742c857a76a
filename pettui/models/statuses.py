"""The statuses of animals, and how users see them: words, glyphs and colours, a row for each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Shades = tuple[str, int | str, str]  # in true colour, in 256, in 16, as ``themes`` says


class PetStatus(StrEnum):
    """Availability of an animal; exactly the interface's three values."""

    AVAILABLE = "available"
    PENDING = "pending"
    SOLD = "sold"


STATUSES: Final = MappingProxyType({status.value: status for status in PetStatus})


def one_of(words: Sequence[str]) -> str:
    """Return words as a choice: "available, pending or sold"."""
    return f"{', '.join(words[:-1])} or {words[-1]}"


ONE_OF_STATUSES: Final = one_of([*STATUSES])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Look:
    """How one status is shown."""

    word: str
    glyph: str
    ascii_glyph: str
    style: str  # its name in styles and themes
    bar: str = "┄"  # of which a bar that counts it is drawn; without Unicode, of its glyph
    tile_style: str = "tile"  # of a word on a ground of its own
    sgr: str = ""  # in a table that a command prints: SGR's parameter (ECMA-48, 8.3.117)

    @property
    def sign_style(self) -> str:
        """The style of the glyph where its word stands beside it."""
        return f"{self.style}-sign"

    @property
    def bar_style(self) -> str:
        """The style of its part of a bar."""
        return self.sign_style


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ColouredLook(Look):
    """How a status of the interface is shown, with its colours in each theme.

    Where a colour could not be read on every paper, only the sign beside the word has it.
    """

    dark: Shades
    light: Shades
    light_sign: Shades
    ansi_sign: str

    @property
    def bar_style(self) -> str:
        return f"{self.style}-bar"


COLOURED: Final[Mapping[PetStatus, ColouredLook]] = MappingProxyType(
    {
        PetStatus.AVAILABLE: ColouredLook(
            word="available",
            glyph="●",
            ascii_glyph="*",
            style="available",
            bar="━",
            tile_style="available-tile",
            sgr="32",
            dark=("#86cf91", 114, "ansi_bright_green"),
            light=("#1a6434", 22, "ansi_black"),
            light_sign=("#1a6434", 22, "ansi_blue"),
            ansi_sign="ansi_green",
        ),
        PetStatus.PENDING: ColouredLook(
            word="pending",
            glyph="◐",
            ascii_glyph="%",
            style="pending",
            bar="╍",
            tile_style="pending-tile",
            sgr="33",
            dark=("#e3b866", 221, "ansi_yellow"),
            light=("#7c4f00", 94, "ansi_black"),
            light_sign=("#7c4f00", 94, "ansi_magenta"),
            ansi_sign="ansi_yellow",
        ),
        PetStatus.SOLD: ColouredLook(
            word="sold",
            glyph="○",
            ascii_glyph="o",
            style="sold",
            bar="─",
            tile_style="sold-tile",
            sgr="2",
            dark=("#9db2d0", 110, "ansi_cyan"),
            light=("#41546f", 60, "ansi_black"),
            light_sign=("#41546f", 60, "ansi_bright_black"),
            ansi_sign="ansi_magenta",
        ),
    }
)
NOT_SET: Final = Look(word="not set", glyph="–", ascii_glyph="-", style="not-set")
LOOKS: Final[Mapping[str | None, Look]] = MappingProxyType(dict(COLOURED) | {None: NOT_SET})
UNKNOWN: Final = Look(word="", glyph="?", ascii_glyph="?", style="unknown")
WIDEST_WORD: Final = max(len(LOOKS[status].word) for status in PetStatus)  # cells


def look_of(status: str | None) -> Look:
    """Return how a status is shown; all that this version does not know look the same."""
    return LOOKS.get(status, UNKNOWN)


def status_word(status: str | None) -> str:
    """Return the word of a status; an unknown one as it was sent, not yet safe to draw."""
    return look_of(status).word or str(status)
