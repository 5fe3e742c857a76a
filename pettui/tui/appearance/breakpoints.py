"""The terminal sizes from which more is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.events import Resize
    from textual.geometry import Size
    from textual.screen import Screen

WIDE, TALL = 100, 16  # columns and rows


def is_short(node: DOMNode) -> bool:
    """Whether rows are scarce; known even before a screen has its classes."""
    return node.app.size.height < TALL


def fit_size(screen: Screen[Any], event: Resize) -> bool:
    """Prepare a screen for the size of an event; return whether the terminal still has it.

    Textual (8.2.8) lays a screen out by the event's size and sends another event of that size. Two
    events that cross would bring each other back for ever, so it never sees a former size. It sets
    the classes only afterwards: the first frame would show the former layout in the new size.
    """
    is_former = event.size != screen.app.size
    if is_former:
        event.prevent_default()
    else:
        set_room(screen, event.size)
    return not is_former


def set_room(screen: Screen[Any], size: Size, *, update: bool = True) -> None:
    """Set a screen's classes for a size.

    When the terminal is resized, Textual (8.2.8) sets them on the topmost screen only: a screen
    that was covered still has those of the former size.
    """
    wide, tall = size.width >= WIDE, size.height >= TALL
    classes = {"-wide": wide, "-narrow": not wide, "-tall": tall, "-short": not tall}
    screen.update_classes(classes, update=update, animate=False)
