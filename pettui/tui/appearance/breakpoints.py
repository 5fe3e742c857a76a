"""How much room a terminal has: the sizes from which on more is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.events import Resize
    from textual.geometry import Size
    from textual.screen import Screen

WIDE, TALL = 100, 16  # columns and rows, from which on there is room for more


def is_short(node: DOMNode) -> bool:
    """Whether rows are scarce; a screen knows it before it has its classes."""
    return node.app.size.height < TALL


def drop_former_size(screen: Screen[Any], event: Resize) -> bool:
    """Whether an event tells of a size that the terminal has no more; Textual then never sees it.

    A screen of Textual's (8.2.8) is laid out by the event's size, and is then sent another event of
    that size. Of two sizes that cross each other the one would bring back the other, for ever.
    """
    is_former = event.size != screen.app.size
    if is_former:
        event.prevent_default()
    return is_former


def set_room(screen: Screen[Any], size: Size, *, update: bool = True) -> None:
    """Give a screen the classes of a size.

    Textual gives them to the screen on top alone when the terminal is resized (8.2.8): one that
    was covered then has those of the size before.
    """
    wide, tall = size.width >= WIDE, size.height >= TALL
    gone = {"-narrow" if wide else "-wide", "-short" if tall else "-tall"}
    screen.remove_class(*gone, update=update)
    screen.add_class(*({"-narrow", "-wide", "-short", "-tall"} - gone), update=update)
