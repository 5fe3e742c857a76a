"""How much room a terminal has: the sizes from which on more is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.geometry import Size
    from textual.screen import Screen

WIDE, TALL = 100, 16  # columns and rows, from which on there is room for more


def is_short(node: DOMNode) -> bool:
    """Whether rows are scarce; a screen knows it before it has its classes."""
    return node.app.size.height < TALL


def set_room(screen: Screen[Any], size: Size, *, update: bool = True) -> None:
    """Give a screen the classes of a size.

    Textual gives them to the screen on top alone when the terminal is resized (8.2.8): one that
    was covered then has those of the size before.
    """
    wide, tall = size.width >= WIDE, size.height >= TALL
    gone = {"-narrow" if wide else "-wide", "-short" if tall else "-tall"}
    screen.remove_class(*gone, update=update)
    screen.add_class(*({"-narrow", "-wide", "-short", "-tall"} - gone), update=update)
