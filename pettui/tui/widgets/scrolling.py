"""Scroll bars as thin as the lines between the parts of a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.segment import Segment, Segments
from rich.style import Style
from textual.containers import VerticalScroll
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.widget import Widget

from pettui.tui.widgets.appearance import THUMB

if TYPE_CHECKING:
    from rich.color import Color


class ThinScrollBarRender(ScrollBarRender):
    """A line where the visible part is, and nothing elsewhere."""

    @classmethod
    def render_bar(cls, *args: Any, **options: Any) -> Segments:
        """Draw a vertical scroll bar; what a click on each cell does is as Textual has it."""
        bar, background = super().render_bar(*args, **options), options["back_color"]
        return Segments([_thin(each, background) for each in bar.segments], new_lines=True)


def _thin(segment: Segment, background: Color) -> Segment:
    style = segment.style
    if style is None or style.meta.get("@mouse.down") != "grab":
        return segment
    line = Style(color=style.color, bgcolor=background, meta=style.meta)
    return Segment(THUMB.rjust(len(segment.text)), line)


class ThinlyScrolled(Widget):
    """A widget with such a scroll bar.

    As a base it comes last: Textual (8.2.8) takes a widget's style sheet from the first one.
    """

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The scroll bar."""
        scroll_bar = super().vertical_scrollbar
        scroll_bar.renderer = ThinScrollBarRender  # type: ignore[misc]  # as Textual documents it
        return scroll_bar


class Scrolled(VerticalScroll, ThinlyScrolled):
    """A container that scrolls vertically."""
