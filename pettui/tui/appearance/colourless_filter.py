"""ColourlessFilter: removes colours for a terminal, or a user, without them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.filter import LineFilter

if TYPE_CHECKING:
    from textual.color import Color


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
