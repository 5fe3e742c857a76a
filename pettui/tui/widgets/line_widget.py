"""Widgets that draw their own lines: no layout, and only what changed, on the hot paths."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from pettui.tui.widgets.line_styles import style_of
from pettui.tui.wording.text_runs import Run, Section, cut_runs, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style
    from textual.geometry import Size

    from pettui.tui.look import Look


class LineWidget(Widget):
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
        # Of the drawing that is under way, or the one before: its width, its lines, its own style.
        self._seen: tuple[int, Sequence[Sequence[Run]], Style] | None = None

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Give the lines to draw in this width."""
        raise NotImplementedError

    def cut_sections(self) -> list[Section]:
        """Return the whole of what it has no room for."""
        return []

    @property
    def drawn_width(self) -> int:
        """The cells of its lines; those of the terminal before it is laid out."""
        return self.size.width or self.app.size.width

    def strip(self, runs: Sequence[Run], width: int, own: Style) -> Strip:
        """Give runs as a line of exactly ``width`` cells, cut with an ellipsis."""
        segments = [
            Segment(text, own + style_of(self, name) if name else own)
            for text, name in cut_runs(self.look, runs, width)
        ]
        return Strip(segments).adjust_cell_length(width, own)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw what changed, all of it from one look at the lines; none where nothing did."""
        self._seen = None
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        if self._seen is None:
            width = self.size.width
            self._seen = width, self.lines(width), self.rich_style
        width, lines, own = self._seen
        return self.strip(lines[y] if y < len(lines) else (), width, own)

    def refresh_changed_lines(self) -> None:
        """Draw those lines anew that are others by now."""
        if self._seen is None or self._seen[0] != self.size.width:
            self.refresh()
            return
        width, before, _ = self._seen
        now = self.lines(width)
        changed = [
            Region(0, y, width, 1)
            for y, (old, new) in enumerate(zip_longest(before, now, fillvalue=()))
            if old != new
        ]
        if changed:
            self.refresh(*changed)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Give the number of lines, for a height that is auto."""
        return len(self.lines(width))


class Bar(LineWidget):
    """One row: something from the left, something at the right, the left cut first."""

    def left(self) -> Sequence[Run]:
        """Give what stands at the left."""
        return ()

    def right(self) -> Sequence[Run]:
        """Give what stands at the right."""
        return ()

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Give the row; what stands at the right goes where it would leave too little."""
        left, right = self.left(), self.right()
        room = width - width_of(right) - 1
        if not width_of(right) or room < width // 3:
            return [left]
        shown = cut_runs(self.look, left, room)
        gap = " " * (width - width_of(shown) - width_of(right))
        return [[*shown, (gap, ""), *right]]
