"""Rich's styles as the SGR sequences of one kind of terminal, each style known by a small number.

Rich caches a style's escape codes in the style, for the whole process: a session with 256 colours
would get those of a session with true colour. Here each screen has its own.

Of Rich's own it uses ``Style._meta``, ``_color``, ``_bgcolor``, ``_attributes``,
``_set_attributes`` and ``_link``: where they change, nothing is drawn, and
``tests/terminal/test_screen_buffer.py`` fails. By the public names, what a cell of a table is (its
meta) would be unpickled for each cell that is drawn.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zlib import crc32

from rich.color import Color, ColorSystem

from pettui.system.capabilities import Colours

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.style import Style


ANY = ("any",)  # a foreground that cannot be seen
STYLES_MAXIMUM = 2_048  # of one screen, after which those that it does not show are forgotten
PLAIN = 0
CHANGES_MAXIMUM = 4_096  # from one style to another, that a process keeps
PAIRS_MAXIMUM = 512  # of a style and blanks after it, that a screen keeps
LINK_MAXIMUM: Final = 2_083  # bytes of an address; a longer one is no link
_ENDS = {
    "1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "6": "25", "7": "27", "8": "28",
    "9": "29", "21": "24", "51": "54", "52": "54", "53": "55",
}  # fmt: skip
_SEEN_ON_BLANKS: Final = frozenset({"4", "7", "9", "21", "51", "52", "53"})
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SYSTEMS = {
    Colours.TRUE: ColorSystem.TRUECOLOR,
    Colours.MANY: ColorSystem.EIGHT_BIT,
    Colours.SIXTEEN: ColorSystem.STANDARD,
}


class SgrStyle(NamedTuple):
    """How text is written, as parameters of SGR (ECMA-48, 8.3.117), and where it links to."""

    attributes: tuple[str, ...] = ()
    foreground: tuple[str, ...] = ()  # empty for the terminal's own
    background: tuple[str, ...] = ()
    link: str = ""

    def after(self, before: SgrStyle) -> str:
        """Return the escape sequence that changes another style to this one; "" for none."""
        if self == before:
            return ""
        link = _link(self.link) if self.link != before.link else ""
        gone = set(before.attributes) - set(self.attributes)
        if not gone.issubset(_ENDS):
            parameters = ("0", *self.attributes, *self.foreground, *self.background)
            return f"\x1b[{';'.join(parameters)}m{link}"
        ends = {_ENDS[code] for code in gone}
        changed = sorted(ends)
        for code in self.attributes:  # one code ends bold and dim
            if code not in before.attributes or _ENDS[code] in ends:
                changed.append(code)
        if self.foreground != before.foreground:
            changed += self.foreground or ("39",)
        if self.background != before.background:
            changed += self.background or ("49",)
        return (f"\x1b[{';'.join(changed)}m" if changed else "") + link

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
        return not self.link and not _SEEN_ON_BLANKS.intersection(self.attributes)


@lru_cache(CHANGES_MAXIMUM)
def _change(before: SgrStyle, after: SgrStyle) -> str:
    return after.after(before)


def _link(address: str) -> str:
    """Return the sequence that begins a link, or ends one: OSC 8.

    Parts of one link that are sent at different times are one by their id.
    """
    name = f"id={crc32(address.encode()):x}" if address else ""
    return f"\x1b]8;{name};{address}\x1b\\"


def safe_link(address: str | None) -> str:
    """Return an address as it may be sent to a terminal; "" for none."""
    if not address or len(address.encode("utf-8", "replace")) > LINK_MAXIMUM:
        return ""
    return "" if _CONTROL.search(address) else address.encode("utf-8", "replace").decode()


def _without_meta(style: Style) -> tuple[Any, ...]:
    flags = style._attributes, style._set_attributes  # noqa: SLF001
    return style._color, style._bgcolor, *flags, style._link  # noqa: SLF001


class Palette:
    """The styles of one screen, on one kind of terminal."""

    def __init__(self, colours: Colours) -> None:
        self.colours = colours
        self._system = _SYSTEMS.get(colours)
        self._maximum = STYLES_MAXIMUM
        self._start()

    def _start(self) -> None:
        self._numbers: dict[Style | tuple[Any, ...] | None, int] = {}
        self._known: dict[SgrStyle, int] = {}
        self._for_blanks: dict[tuple[int, int], int] = {}
        self.styles: list[SgrStyle] = []
        self.on_blanks: list[int] = []  # by number: the style that a blank has instead
        self._add(SgrStyle())
        self.overlay = self._add(SgrStyle(("7",)))

    def copy(self) -> Palette:
        """Return the same styles, by the same numbers, for another screen."""
        copy = Palette(self.colours)
        copy._maximum = self._maximum
        copy._numbers, copy._known = self._numbers.copy(), self._known.copy()
        copy.styles, copy.on_blanks = self.styles.copy(), self.on_blanks.copy()
        return copy

    @property
    def is_full(self) -> bool:
        """Whether it is time to keep only those that are on the screen."""
        return len(self.styles) >= self._maximum or len(self._numbers) >= 2 * self._maximum

    def keep(self, numbers: Iterable[int]) -> dict[int, int]:
        """Forget all styles but some; return the new numbers of these by the old ones."""
        before = self.styles
        self._start()
        renumbered = {number: self._add(before[number]) for number in sorted(numbers)}
        self._maximum = max(STYLES_MAXIMUM, 2 * len(self.styles))
        return renumbered

    def change(self, before: int, after: int) -> str:
        """Return the escape sequence that changes one style to another; "" for none."""
        return "" if before == after else _change(self.styles[before], self.styles[after])

    def for_blanks(self, before: int, after: int) -> int:
        """Return the style that draws blanks as ``after`` does and is nearest to ``before``."""
        if self.styles[after].foreground is not ANY:
            return after
        number = self._for_blanks.get((before, after))
        if number is None:
            if len(self._for_blanks) >= PAIRS_MAXIMUM:
                self._for_blanks.clear()
            style = self.styles[before].with_background(self.styles[after].background)
            number = self._for_blanks[before, after] = self._add(style)
        return number

    def without_link(self, number: int) -> int:
        """Return the number of the same style without a link."""
        style = self.styles[number]
        return self._add(style._replace(link="")) if style.link else number

    def number(self, style: Style | None) -> int:
        """Return the number of a style of Rich's, whatever it says of what is drawn (its meta)."""
        key: Style | tuple[Any, ...] | None = style
        if style is not None and style._meta is not None:  # noqa: SLF001
            key = _without_meta(style)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self._add(self._converted(style))
        return number

    def _add(self, style: SgrStyle) -> int:
        number = self._known.get(style)
        if number is None:
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
            (style.blink, "5"), (style.blink2, "6"), (style.reverse, "7"), (style.conceal, "8"),
            (style.strike, "9"), (style.underline2, "21"), (style.frame, "51"),
            (style.encircle, "52"), (style.overline, "53"),
        )  # fmt: skip
        return SgrStyle(
            tuple(code for is_set, code in flags if is_set),
            self._codes(style.color, foreground=True),
            self._codes(style.bgcolor, foreground=False),
            safe_link(style.link),
        )

    def _codes(self, colour: Color | None, *, foreground: bool) -> tuple[str, ...]:
        if colour is None or colour.is_default or self._system is None:
            return ()
        return tuple(colour.downgrade(self._system).get_ansi_codes(foreground=foreground))
