"""Styles as a terminal is told of them."""

from __future__ import annotations

import pytest
from rich.style import Style

from pettui.system.capabilities import Colours
from pettui.terminal.sgr import Palette, SgrStyle


def test_a_change_of_style_sends_only_the_difference() -> None:
    red, blue = SgrStyle((), ("31",), ("44",)), SgrStyle((), ("34",), ("44",))
    assert blue.after(red) == "\x1b[34m"
    assert SgrStyle().after(red) == "\x1b[39;49m"
    assert SgrStyle(("1",)).after(red) == "\x1b[1;39;49m"
    assert SgrStyle().after(SgrStyle(("1", "7"))) == "\x1b[22;27m"
    assert SgrStyle(("2",)).after(SgrStyle(("1", "2"))) == "\x1b[22;2m"
    assert red.after(SgrStyle(("?",))) == "\x1b[0;31;44m"
    assert red.after(red) == ""


@pytest.mark.parametrize(
    ("colours", "foreground"),
    [
        (Colours.TRUE, ("38", "2", "255", "0", "0")),
        (Colours.MANY, ("38", "5", "196")),
        (Colours.SIXTEEN, ("31",)),
        (Colours.NONE, ()),
    ],
)
def test_each_kind_of_terminal_gets_its_own_colours(
    colours: Colours, foreground: tuple[str, ...]
) -> None:
    palette = Palette(colours)
    assert palette.styles[palette.number(Style(color="#ff0000"))].foreground == foreground
