"""Widgets that draw their own lines: without layout, and only the lines that changed."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from pettui.tui.widgets.runs import STYLES, Run, Section, cut_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.appearance.glyphs import GlyphSet


class LineWidget(Widget):
    """A widget that returns its lines as runs; its height may be automatic."""

    def __init__(self, glyphs: GlyphSet, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.glyphs = glyphs
        # Of the newest drawing: width, lines and the widget's own style.
        self._drawn: tuple[int, Sequence[Sequence[Run]], Style] | None = None

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines for a width."""
        raise NotImplementedError

    def refresh_bindings(self) -> None:
        """Say that other keys work, but not of a screen that is closed: it may be set even then."""
        if self.is_attached:
            super().refresh_bindings()

    @property
    def drawn_width(self) -> int:
        """The width of the lines in cells; before the layout, that of the terminal."""
        return self.size.width or self.app.size.width

    def strip(self, runs: Sequence[Run], width: int, own: Style) -> Strip:
        """Return runs as a line of exactly ``width`` cells, cut with an ellipsis."""
        segments = [
            Segment(text, own + style_of(self, name) if name else own)
            for text, name in cut_runs(self.glyphs, runs, width)
        ]
        return Strip(segments).adjust_cell_length(width, own)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the lines that changed; ``lines`` is called at most once for all of them."""
        self._drawn = None
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        if self._drawn is None:
            width = self.size.width
            self._drawn = width, self.lines(width), self.rich_style
        width, lines, own = self._drawn
        return self.strip(lines[y] if y < len(lines) else (), width, own)

    def refresh_changed_lines(self) -> None:
        """Redraw only the lines that have changed."""
        if self._drawn is None or self._drawn[0] != self.size.width:
            self.refresh()
            return
        width, before, _ = self._drawn
        now = self.lines(width)
        changed = [
            Region(0, y, width, 1)
            for y, (old, new) in enumerate(zip_longest(before, now, fillvalue=()))
            if old != new
        ]
        if changed:
            self.refresh(*changed)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Return the number of lines, for an automatic height."""
        return len(self.lines(width))


class Drawing(NamedTuple):
    """Lines, and the full texts of which they show a part."""

    lines: Sequence[Sequence[Run]]
    cut: Sequence[Section] = ()


class CutsTexts(Protocol):
    """What offers the full texts of what it cuts."""

    def cut_sections(self) -> Sequence[Section]:
        """Return the full texts that are cut."""
        ...


class CuttingWidget(LineWidget):
    """A widget that offers the full texts of what it cuts."""

    def drawing(self, width: int) -> Drawing:
        """Return the lines for a width, and what they cut."""
        raise NotImplementedError

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines for a width."""
        return self.drawing(width).lines

    def cut_sections(self) -> Sequence[Section]:
        """Return the full texts that are cut."""
        return self.drawing(self.drawn_width).cut


class LineStyles(App[None]):
    """An app with STYLES as component classes.

    On each screen they would take a sixth of the time to open it; on each widget, a third of the
    time to the first frame.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = set(STYLES)

    def __init_subclass__(cls, **options: Any) -> None:
        """Set them on each subclass: of several bases Textual (8.2.8) reads only the first."""
        super().__init_subclass__(**options)
        cls.COMPONENT_CLASSES = LineStyles.COMPONENT_CLASSES

    def __init__(self) -> None:
        self._line_styles: dict[str, Style] = {}
        super().__init__()

    def notify_style_update(self) -> None:
        """Drop the styles of the old theme."""
        self._line_styles.clear()
        super().notify_style_update()

    def line_style(self, name: str) -> Style:
        """Return the style of a run, without a background unless the style sheet sets one."""
        style = self._line_styles.get(name)
        if style is None:
            style = self.get_component_styles(name).partial_rich_style
            self._line_styles[name] = style
        return style


def style_of(widget: Widget, name: str) -> Style:
    """Return the style of a run, by its name."""
    app = widget.app
    assert isinstance(app, LineStyles)  # noqa: S101 - for the type: there is no other app here
    return app.line_style(name)


def emphasis_of(style: Style) -> Style:
    """Return a style without its colours, for a background with its own."""
    return Style(bold=style.bold, underline=style.underline, reverse=style.reverse)
