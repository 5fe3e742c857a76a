"""What the palette offers: the actions of the screen below by name, and the themes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pettui.actions import OUTSIDE_PALETTE
from pettui.tui.keys.available_actions import offers
from pettui.tui.widgets.command_list import Command

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.screen import Screen

THEMES = (
    ("Theme: dark", "pettui-dark"),
    ("Theme: light", "pettui-light"),
    ("Theme: the terminal's colours", "ansi"),
    ("Theme: as configured", None),
)


def commands_of(
    screen: Screen[Any], use_theme: Callable[[str | None], Awaitable[None]]
) -> list[Command]:
    """Return every action of a screen that can be done now, and the themes.

    Args:
        screen: below the palette.
        use_theme: takes the name of a theme; None for the one that is configured.
    """
    offered = [offer for offer in offers(screen) if offer.binding.id not in OUTSIDE_PALETTE]
    return [
        *(
            Command(
                offer.description,
                " ".join(offer.keys),
                partial(screen.app.run_action, offer.binding.action, offer.node),
            )
            for offer in offered
        ),
        *(Command(title, "", partial(use_theme, name)) for title, name in THEMES),
    ]
