"""Widgets that draw their own lines: no layout, and only what changed, on the hot paths."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from pettui.settings import COLOURS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.style import Style
    from textual.geometry import Size

    from pettui.tui.look import Look

Section = tuple[str, str]
"""What a text is about, and the whole of it: raw, as it came from outside."""

Run = tuple[str, str]
"""Text that is safe to draw, and the name of its style (one of STYLES, or "" for plain)."""

GAP = 2  # cells at least before a hint

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


def cut_runs(look: Look, runs: Sequence[Run], width: int) -> list[Run]:
    """Give runs in at most ``width`` cells, ending in an ellipsis where that is not all."""
    if width_of(runs) <= width:
        return [*runs]
    room = max(width - cell_len(look.ellipsis), 0)
    shown: list[Run] = []
    for text, name in runs:
        if cell_len(text) > room:
            rest = set_cell_size(text, room).rstrip() + look.ellipsis[: max(width, 0)]
            return [*shown, (rest, name)]
        shown.append((text, name))
        room -= cell_len(text)
    return shown


def beside(look: Look, runs: Sequence[Run], hint: str, width: int) -> list[Run]:
    """Return runs with a hint of keys at the right of them: they are cut for it, and not it."""
    room = width - cell_len(hint) - 1
    shown = cut_runs(look, runs, room - GAP)
    return [*shown, (" " * max(room - width_of(shown), 0), ""), (hint, "key")]


def name_run(look: Look, name: str, limit: int = 500) -> Run:
    """Return an animal's name; where nothing of it would be seen, words in a style of their own.

    So an animal that is really called ``(no name)`` looks otherwise.
    """
    line = look.line(name, limit)
    return (line, "") if line else ("(no name)", "not-set")


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
        """The cells of its lines; those of the screen before it is laid out."""
        return self.size.width or self.screen.size.width

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
