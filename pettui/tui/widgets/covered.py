"""Covered: a screen that a box covers, drawn so that only the box looks in use."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from rich.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, ConsoleOptions
    from rich.style import Style
    from textual.renderables.background_screen import BackgroundScreen


class Covered:
    """All of it in one style, without bars and blocks of colour.

    Only the first text keeps its own: the profile's label says where the box's action happens. A
    mixture of each colour with the background, as Textual has it, would be left to rounding in 256
    colours, and impossible in 16.
    """

    def __init__(self, screen: BackgroundScreen, style: Style) -> None:
        self._screen = screen
        self._style = style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        """Draw the screen."""
        segments = iter(console.render(self._screen, options))
        yield from islice(segments, 1)
        yield Segment("".join(text for text, _, _ in segments), self._style)
