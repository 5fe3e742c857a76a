"""Themes in as many colours as a terminal has, and what adapts an app to less of them.

The filters remove what a terminal cannot draw; the classes of a screen say how much room it has.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.filter import LineFilter
from textual.theme import BUILTIN_THEMES, Theme

from pettui.appearance.themes import LABELS, NOT_BOLD, THEMES
from pettui.settings.settings import Colours
from pettui.text.safe import NOTHING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import App
    from textual.color import Color
    from textual.dom import DOMNode
    from textual.events import Resize
    from textual.geometry import Size
    from textual.screen import Screen

    from pettui.appearance.themes import Table, ThemeColours
    from pettui.models.statuses import Shades


# Also for subclasses in other folders, beside which Textual would look for them.
STYLES: Final = str(Path(__file__).with_name("pettui.tcss"))
STYLES_OF_OTHER_SCREENS: Final = str(Path(__file__).with_name("screens.tcss"))
CUBE: Final = (0, 95, 135, 175, 215, 255)  # the levels of the cube in xterm's palette of 256
CUBE_FROM, GREYS_FROM = 16, 232


@lru_cache(len(Colours))
def themes(colours: Colours = Colours.TRUE) -> tuple[Theme, ...]:
    """Return the themes for a terminal with this many colours, the same ones to all apps."""
    return tuple(_theme(each, colours) for each in THEMES)


@lru_cache(len(THEMES) * len(Colours))
def css_variables(name: str, colours: Colours) -> dict[str, str]:
    """Return the variables of a theme of ours, the same ones to all apps.

    Textual computes some 190 of them for each app, three times; nobody may change them.
    """
    theme = next(theme for theme in themes(colours) if theme.name == name)
    return {**theme.to_color_system().generate(), **theme.variables}


def shown(table: Table, colours: Colours) -> dict[str, str]:
    """Return the colours of a table, and of the labels, as Textual's styles name them."""
    shades = dict(table)
    for name, (foreground, background) in LABELS.items():
        is_bold = foreground[2] != "ansi_black"
        shades[f"label-{name}-foreground"] = foreground
        shades[f"label-{name}-background"] = background
        shades[f"label-{name}-style"] = ("bold", "bold", "bold") if is_bold else NOT_BOLD
    return {name: _name(shade, colours) for name, shade in shades.items()}


def _name(shade: Shades, colours: Colours) -> str:
    true, many, sixteen = shade
    if colours is Colours.TRUE:
        return true
    if colours is Colours.MANY:
        return many if isinstance(many, str) else colour_of_256(many)
    return sixteen  # without colours, ``ColourlessFilter`` removes it


def colour_of_256(number: int) -> str:
    """Return the colour that Rich converts to this number of xterm's palette.

    Rich numbers greys by their lightness in 25 steps, which the palette's own greys miss.
    """
    if number >= GREYS_FROM:
        level = round((number - GREYS_FROM + 1) * 255 / 25)
        return f"#{level:02x}{level:02x}{level:02x}"
    index = number - CUBE_FROM
    return "#" + "".join(f"{CUBE[index // step % 6]:02x}" for step in (36, 6, 1))


def _theme(theme: ThemeColours, colours: Colours) -> Theme:
    own = shown(theme.table, Colours.SIXTEEN if theme.is_terminals else colours)
    # None of the sixteen colours may be replaced; Textual's widgets need its variables for that.
    is_named = theme.is_terminals or colours in (Colours.SIXTEEN, Colours.NONE)
    textual_variables: Mapping[str, str] = {}
    if is_named:
        textual_variables = BUILTIN_THEMES["ansi-dark" if theme.is_dark else "ansi-light"].variables
    return Theme(
        name=theme.textual_name,
        primary=own["accent-foreground"],
        secondary=own["sold"],
        accent=own["accent-foreground"],
        warning=own["notice-foreground"],
        error=own["error-foreground"],
        success=own["available"],
        foreground=own["foreground"],
        background=own["background"],
        surface=own["band"],
        panel=own["raised"],
        boost=own["raised"],
        dark=theme.is_dark,
        ansi=is_named,
        variables={**textual_variables, **{f"pt-{key}": value for key, value in own.items()}},
    )


BLOCKS: Final = range(0x2580, 0x25A0)  # the ends of a scroll bar, whose background shows it too
THUMB: Final = (
    "▕"  # of a scroll bar of ours: an eighth of a cell, as the line of a border beside it
)
MASK: Final = "•"


class AsciiFilter(LineFilter):
    """Replaces every character that the terminal cannot draw by ASCII of the same width."""

    def __init__(self, also: frozenset[str] = NOTHING) -> None:
        """Keep ASCII, and the characters of ``also``."""
        super().__init__()
        self._also = also

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """Return the segments of a line in ASCII."""
        return [
            Segment("".join(_ascii(character, self._also) for character in text), style, control)
            for text, style, control in segments
        ]


def _ascii(character: str, also: frozenset[str]) -> str:
    if character.isascii() or character in also:
        return character
    if ord(character) in BLOCKS:
        return " "
    return {THUMB: "|", MASK: "*"}.get(character, "?" * cell_len(character))


class ColourlessFilter(LineFilter):
    """Removes every colour, and keeps bold, reverse and the like."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """Return the segments of a line without colours."""
        return [
            Segment(text, None if style is None else _without_colour(style), control)
            for text, style, control in segments
        ]


@lru_cache(1024)
def _without_colour(style: Style) -> Style:
    plain = style.without_color
    return plain + Style.from_meta(style.meta) if style.meta else plain


WIDE, TALL = 100, 16  # columns and rows


def is_short(node: DOMNode) -> bool:
    """Whether rows are scarce; known even before a screen has its classes."""
    return node.app.size.height < TALL


def fit_size(screen: Screen[Any], event: Resize) -> bool:
    """Prepare a screen for the size of an event; return whether the terminal still has it.

    Textual (8.2.8) lays a screen out by the event's size and sends another event of that size. Two
    events that cross would bring each other back for ever, so it never sees a former size, nor the
    one that it has laid out. It sets the classes only afterwards: the first frame would show the
    former layout in the new size.
    """
    is_former = event.size != screen.app.size
    if not is_former:
        set_room(screen, event.size)
    # Those below it too: Textual resizes what stands around a box with it.
    stack = screen.app.screen_stack
    if is_former or all(each.outer_size == event.size for each in stack):  # laid out for it already
        event.prevent_default()
    return not is_former


def read_styles_of_other_screens(app: App[Any]) -> None:
    """Read them once; at the first such screen Textual (8.2.8) would parse all others again."""
    if not app.stylesheet.has_source(STYLES_OF_OTHER_SCREENS):
        app.stylesheet.read(STYLES_OF_OTHER_SCREENS)
        app.stylesheet.parse()


def set_room(screen: Screen[Any], size: Size, *, update: bool = True) -> None:
    """Set a screen's classes for a size.

    When the terminal is resized, Textual (8.2.8) sets them on the topmost screen only: a screen
    that was covered still has those of the former size.
    """
    wide, tall = size.width >= WIDE, size.height >= TALL
    classes = {"-wide": wide, "-narrow": not wide, "-tall": tall, "-short": not tall}
    screen.update_classes(classes, update=update, animate=False)
