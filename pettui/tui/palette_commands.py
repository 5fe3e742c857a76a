"""The commands of the palette: the screen's actions by name, a demo's faults, and the themes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pettui.actions import OUTSIDE_PALETTE
from pettui.themes import THEMES
from pettui.tui.keys import offers
from pettui.tui.staging import fault_commands
from pettui.tui.widgets.command_list import Command

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.screen import Screen

    from pettui.tui.user_session import Demo


def commands_of(
    screen: Screen[Any],
    use_theme: Callable[[str | None], Awaitable[None]],
    demo: Demo | None = None,
) -> list[Command]:
    """Return the actions of a screen that are available now, a demo's faults, and the themes.

    Args:
        screen: the one below the palette.
        use_theme: switches to a theme by name; None is the configured one.
        demo: its faults can be staged; None where this is no demo.
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
        *(fault_commands(demo) if demo is not None else ()),
        *(
            Command(f"Theme: {theme.title}", "", partial(use_theme, theme.textual_name))
            for theme in THEMES
        ),
        Command("Theme: as configured", "", partial(use_theme, None)),
    ]
