"""Our themes, as Textual's."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from textual.theme import BUILTIN_THEMES, Theme

from pettui.settings import Colours
from pettui.themes import LABELS, NOT_BOLD, THEMES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.themes import Pair, Shades, Table, ThemeColours

CUBE: Final = (0, 95, 135, 175, 215, 255)  # the levels of the cube in xterm's palette of 256
CUBE_FROM, GREYS_FROM = 16, 232


@lru_cache(len(Colours))
def themes(colours: Colours = Colours.TRUE) -> tuple[Theme, ...]:
    """Return the themes for a terminal with this many colours, the same ones to all apps."""
    return tuple(_theme(each, colours) for each in THEMES)


@lru_cache(len(THEMES) * len(Colours))
def css_variables(name: str, colours: Colours) -> dict[str, str] | None:
    """Return the variables of a theme, the same ones to all apps; None if it is not ours.

    Textual computes some 190 of them for each app, three times; nobody may change them.
    """
    theme = next((theme for theme in themes(colours) if theme.name == name), None)
    if theme is None:
        return None
    return {**theme.to_color_system().generate(), **theme.variables}


def shown(table: Table, colours: Colours) -> dict[str, str]:
    """Return the colours of a table, and of the labels, as Textual's styles name them."""
    pairs = {f"label-{name}": pair for name, pair in LABELS.items()}
    shades: dict[str, Shades] = {
        **table,
        **{f"{name}-foreground": pair[0] for name, pair in pairs.items()},
        **{f"{name}-background": pair[1] for name, pair in pairs.items()},
        **{f"{name}-style": _label_style(pair) for name, pair in pairs.items()},
    }
    return {name: _name(shade, colours) for name, shade in shades.items()}


def _label_style(pair: Pair) -> Shades:
    return NOT_BOLD if pair[0][2] == "ansi_black" else ("bold", "bold", "bold")


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
