"""Rich's styles as the colours of one kind of terminal, each told by a small number.

Rich keeps the text of a style's escape codes with the style, for the whole process: a session with
256 colours would get those of a session with truecolor. Here each kind has its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.color import ColorSystem

from pettui.capabilities import Colours

if TYPE_CHECKING:
    from rich.color import Color
    from rich.style import Style

ANY = ("any",)  # an ink that nobody sees
PENS_MAXIMUM = 20_000  # different looks of a cell; the app has some hundred
PLAIN = 0
CHANGES_MAXIMUM = 20_000  # from one pen to another, that are kept
_ENDS = {
    "1": "22", "2": "22", "3": "23", "4": "24", "7": "27", "9": "29", "21": "24", "53": "55",
}  # fmt: skip
_SYSTEMS = {
    Colours.TRUE: ColorSystem.TRUECOLOR,
    Colours.MANY: ColorSystem.EIGHT_BIT,
    Colours.SIXTEEN: ColorSystem.STANDARD,
}


@dataclass(frozen=True, slots=True)
class Pen:
    """What is set before text is written, as parameters of SGR (ECMA-48, 8.3.117)."""

    attributes: tuple[str, ...] = ()
    ink: tuple[str, ...] = ()  # empty for the terminal's own
    ground: tuple[str, ...] = ()

    def after(self, before: Pen) -> str:
        """Give the escape sequence that leads here from another pen; "" where none is needed."""
        if self == before:
            return ""
        gone = set(before.attributes) - set(self.attributes)
        if not gone.issubset(_ENDS):
            return f"\x1b[{';'.join(('0', *self.attributes, *self.ink, *self.ground))}m"
        ends = {_ENDS[code] for code in gone}
        parameters = sorted(ends)
        for code in self.attributes:  # one code ends bold and dim
            if code not in before.attributes or _ENDS[code] in ends:
                parameters.append(code)
        if self.ink != before.ink:
            parameters += self.ink or ("39",)
        if self.ground != before.ground:
            parameters += self.ground or ("49",)
        return f"\x1b[{';'.join(parameters)}m"

    @property
    def of_blanks(self) -> Pen:
        """Give what is seen of this pen on a blank: its ground, or more if that is more."""
        return Pen((), ANY, self.ground) if self.is_blank_safe else self

    def with_ground(self, ground: tuple[str, ...]) -> Pen:
        """Give the pen for blanks of a ground that is nearest to this one."""
        return Pen(self.attributes if self.is_blank_safe else (), self.ink, ground)

    @property
    def is_blank_safe(self) -> bool:
        """Say whether an erased cell looks as a space that is written with this pen."""
        return not {"4", "7", "9", "21", "53"}.intersection(self.attributes)


class Palette:
    """The pens of one kind of terminal; shared by all sessions that have it."""

    def __init__(self, colours: Colours) -> None:
        self._system = _SYSTEMS.get(colours)
        self._numbers: dict[Style | None, int] = {}
        self._known: dict[Pen, int] = {}
        self._changes: dict[tuple[int, int], str] = {}
        self._nearest: dict[tuple[int, int], int] = {}
        self.pens: list[Pen] = []
        self.grounds: list[int] = []  # by number: of the pen that stands for it on blanks
        self._number(Pen())
        self.note = self._number(Pen(("7",)))

    def change(self, before: int, after: int) -> str:
        """Give the escape sequence that leads from one pen to another; "" where none is needed."""
        if before == after:
            return ""
        change = self._changes.get((before, after))
        if change is None:
            if len(self._changes) >= CHANGES_MAXIMUM:
                self._changes.clear()
            change = self.pens[after].after(self.pens[before])
            self._changes[before, after] = change
        return change

    def for_blanks(self, before: int, after: int) -> int:
        """Give the pen that draws blanks as ``after`` does and is nearest to ``before``."""
        if self.pens[after].ink != ANY:
            return after
        nearest = self._nearest.get((before, after))
        if nearest is None:
            if len(self._nearest) >= CHANGES_MAXIMUM:
                self._nearest.clear()
            nearest = self._number(self.pens[before].with_ground(self.pens[after].ground))
            self._nearest[before, after] = nearest
        return nearest

    def number(self, style: Style | None) -> int:
        """Give the number of a style's pen."""
        number = self._numbers.get(style)
        if number is None:
            number = self._numbers[style] = self._number(self._pen(style))
        return number

    def _number(self, pen: Pen) -> int:
        number = self._known.get(pen)
        if number is None:
            if len(self.pens) >= PENS_MAXIMUM:
                return PLAIN
            number = self._known[pen] = len(self.pens)
            self.pens.append(pen)
            self.grounds.append(number)
            if pen.of_blanks != pen:
                self.grounds[number] = self._number(pen.of_blanks)
        return number

    def _pen(self, style: Style | None) -> Pen:
        if style is None:
            return Pen()
        flags = (
            (style.bold, "1"), (style.dim, "2"), (style.italic, "3"), (style.underline, "4"),
            (style.reverse, "7"), (style.strike, "9"), (style.underline2, "21"),
            (style.overline, "53"),
        )  # fmt: skip
        attributes = tuple(code for is_set, code in flags if is_set)
        return Pen(
            attributes, self._codes(style.color, ink=True), self._codes(style.bgcolor, ink=False)
        )

    def _codes(self, colour: Color | None, *, ink: bool) -> tuple[str, ...]:
        if colour is None or colour.is_default or self._system is None:
            return ()
        return tuple(colour.downgrade(self._system).get_ansi_codes(foreground=ink))
