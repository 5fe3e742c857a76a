"""Rich's styles as the SGR sequences of one kind of terminal, each style known by a small number.

Rich caches a style's escape codes in the style, for the whole process: a session with 256 colours
would get those of a session with true colour. Here each kind of terminal has its own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rich.color import ColorSystem

from pettui.system.capabilities import Colours

if TYPE_CHECKING:
    from rich.color import Color
    from rich.style import Style


ANY = ("any",)  # a foreground that cannot be seen
STYLES_MAXIMUM = 20_000  # different styles; the app has some hundred
PLAIN = 0
CHANGES_MAXIMUM = 16_384  # from one style to another, that are cached
_ENDS = {
    "1": "22", "2": "22", "3": "23", "4": "24", "7": "27", "9": "29", "21": "24", "53": "55",
}  # fmt: skip
_SYSTEMS = {
    Colours.TRUE: ColorSystem.TRUECOLOR,
    Colours.MANY: ColorSystem.EIGHT_BIT,
    Colours.SIXTEEN: ColorSystem.STANDARD,
}


class SgrStyle(NamedTuple):
    """How text is written, as parameters of SGR (ECMA-48, 8.3.117)."""

    attributes: tuple[str, ...] = ()
    foreground: tuple[str, ...] = ()  # empty for the terminal's own
    background: tuple[str, ...] = ()

    def after(self, before: SgrStyle) -> str:
        """Return the escape sequence that changes another style to this one; "" for none."""
        if self == before:
            return ""
        gone = set(before.attributes) - set(self.attributes)
        if not gone.issubset(_ENDS):
            parameters = ("0", *self.attributes, *self.foreground, *self.background)
            return f"\x1b[{';'.join(parameters)}m"
        ends = {_ENDS[code] for code in gone}
        changed = sorted(ends)
        for code in self.attributes:  # one code ends bold and dim
            if code not in before.attributes or _ENDS[code] in ends:
                changed.append(code)
        if self.foreground != before.foreground:
            changed += self.foreground or ("39",)
        if self.background != before.background:
            changed += self.background or ("49",)
        return f"\x1b[{';'.join(changed)}m"

    @property
    def on_blank(self) -> SgrStyle:
        """What can be seen of this style on a blank: the background, or all of it."""
        return SgrStyle((), ANY, self.background) if self.is_blank_safe else self

    def with_background(self, background: tuple[str, ...]) -> SgrStyle:
        """Return the nearest style that draws blanks on a background."""
        return SgrStyle(self.attributes if self.is_blank_safe else (), self.foreground, background)

    @property
    def is_blank_safe(self) -> bool:
        """Whether an erased cell looks like a space that is written in this style."""
        return not {"4", "7", "9", "21", "53"}.intersection(self.attributes)


class Palette:
    """The styles of one kind of terminal; shared by all its sessions."""

    def __init__(self, colours: Colours) -> None:
        self._system = _SYSTEMS.get(colours)
        self._numbers: dict[Style | None, int] = {}
        self._known: dict[SgrStyle, int] = {}
        self.styles: list[SgrStyle] = []
        self.on_blanks: list[int] = []  # by number: the style that a blank has instead
        self._add(SgrStyle())
        self.overlay = self._add(SgrStyle(("7",)))
        self.change = lru_cache(CHANGES_MAXIMUM)(self._change)
        self.for_blanks = lru_cache(CHANGES_MAXIMUM)(self._for_blanks)

    def _change(self, before: int, after: int) -> str:
        """Return the escape sequence that changes one style to another; "" for none."""
        return self.styles[after].after(self.styles[before])

    def _for_blanks(self, before: int, after: int) -> int:
        """Return the style that draws blanks as ``after`` does and is nearest to ``before``."""
        if self.styles[after].foreground != ANY:
            return after
        return self._add(self.styles[before].with_background(self.styles[after].background))

    def number(self, style: Style | None) -> int:
        """Return the number of a style of Rich's."""
        number = self._numbers.get(style)
        if number is None:
            number = self._numbers[style] = self._add(self._converted(style))
        return number

    def _add(self, style: SgrStyle) -> int:
        number = self._known.get(style)
        if number is None:
            if len(self.styles) >= STYLES_MAXIMUM:
                return PLAIN
            number = self._known[style] = len(self.styles)
            self.styles.append(style)
            self.on_blanks.append(number)
            if style.on_blank != style:
                self.on_blanks[number] = self._add(style.on_blank)
        return number

    def _converted(self, style: Style | None) -> SgrStyle:
        if style is None:
            return SgrStyle()
        flags = (
            (style.bold, "1"), (style.dim, "2"), (style.italic, "3"), (style.underline, "4"),
            (style.reverse, "7"), (style.strike, "9"), (style.underline2, "21"),
            (style.overline, "53"),
        )  # fmt: skip
        return SgrStyle(
            tuple(code for is_set, code in flags if is_set),
            self._codes(style.color, foreground=True),
            self._codes(style.bgcolor, foreground=False),
        )

    def _codes(self, colour: Color | None, *, foreground: bool) -> tuple[str, ...]:
        if colour is None or colour.is_default or self._system is None:
            return ()
        return tuple(colour.downgrade(self._system).get_ansi_codes(foreground=foreground))
