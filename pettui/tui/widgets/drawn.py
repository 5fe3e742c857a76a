"""Widgets that draw their own lines: no layout, and only what changed, on the hot paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from pettui.settings import COLOURS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.style import Style
    from textual.geometry import Size

    from pettui.tui.look import Look

Run = tuple[str, str]
"""Text that is safe to draw, and the name of its style (one of STYLES, or "" for plain)."""

STYLES = frozenset(
    (
        "muted", "strong", "title", "key", "accent", "good", "changed", "notice", "error",
        "error-title", "available", "pending", "sold", "not-set", "unknown", "mark",
        "tab", "tab-active", "table-header", "cursor", "cursor-blurred", "chosen",
        *(f"label-{colour}" for colour in COLOURS),
    )
)  # fmt: skip
"""Component classes of the screens. Styled once a screen, not once a widget: that alone would be a
third of the time to the first frame."""


def style_of(widget: Widget, name: str) -> Style:
    """Give one of STYLES, without a ground where the style sheet gives it none."""
    return widget.screen.get_component_rich_style(name, partial=True)


def width_of(runs: Iterable[Run]) -> int:
    """Give the cells that runs take."""
    return sum(cell_len(text) for text, _ in runs)


class Drawn(Widget):
    """A widget that gives its lines as runs. Its height is fixed, or that of its lines."""

    def __init__(
        self,
        look: Look,
        *,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.look = look

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Give the lines to draw in this width."""
        raise NotImplementedError

    def style_of(self, name: str) -> Style:
        """Give a style of the screen's on the widget's own ground; of "", the widget's own."""
        return self.rich_style + style_of(self, name) if name else self.rich_style

    def strip(self, runs: Sequence[Run], width: int) -> Strip:
        """Give runs as a line of exactly ``width`` cells, cut with an ellipsis."""
        segments: list[Segment] = []
        room = width
        for text, name in runs:
            if room <= 0:
                break
            shown = self.look.cut(text, room)
            segments.append(Segment(shown, self.style_of(name)))
            room -= cell_len(shown)
            if shown != text:
                break
        if room > 0:
            segments.append(Segment(" " * room, self.rich_style))
        return Strip(segments, width)

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        width = self.size.width
        lines = self.lines(width)
        return self.strip(lines[y] if y < len(lines) else (), width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Give the number of lines, for a height that is auto."""
        return len(self.lines(width))


class Bar(Drawn):
    """One row: something from the left, something at the right, the left cut first."""

    def left(self) -> Sequence[Run]:
        """Give what stands at the left."""
        return ()

    def right(self) -> Sequence[Run]:
        """Give what stands at the right."""
        return ()

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Give the row."""
        left, right = list(self.left()), list(self.right())
        room = width - width_of(left) - width_of(right)
        if room < 1 and right:
            room = max(width - width_of(right), 0)
            cut = self._cut(left, room - 1) if room > width // 3 else left
            return [[*cut, (" ", ""), *right]] if cut is not left else [left]
        return [[*left, (" " * room, ""), *right]]

    def _cut(self, runs: Sequence[Run], width: int) -> list[Run]:
        shown: list[Run] = []
        for text, name in runs:
            part = self.look.cut(text, width)
            shown.append((part, name))
            width -= cell_len(part)
            if width <= 0:
                break
        shown.append((" " * max(width, 0), ""))
        return shown
