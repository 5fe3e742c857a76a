"""A screen's widgets → the pieces of lines that changed, and no more.

Textual's compositor draws every widget within the smallest rectangle around all changes, whole, and
cuts all lines of the screen at all edges of all widgets: two rows and a few words of a preview make
it draw most of a screen. Here a widget draws only its visible rows that changed.

Of Textual's own it uses, and ``tests/terminal/test_private_names.py`` fails without them:

- ``_compositor.Compositor``, ``CompositorUpdate``, ``ReflowResult``: where they change, nothing is
  drawn.
- ``Compositor._dirty_regions``, ``_regions_to_spans``: where they change, changes are not drawn.
- ``Widget._repaint_required``: where it changes, a screen is drawn twice.
- ``Widget._styles_cache``: where it changes, nothing is drawn.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from rich.segment import Segment
from textual._compositor import Compositor, CompositorUpdate
from textual.geometry import Region
from textual.strip import Strip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from textual._compositor import ReflowResult
    from textual.geometry import Size
    from textual.screen import Screen
    from textual.widget import Widget

    Span: TypeAlias = tuple[int, int]  # the first column, and the one after the last
    Spans: TypeAlias = dict[int, list[Span]]  # by row
    Piece: TypeAlias = tuple[int, int, Strip]  # row, column, and the text there


class PiecesUpdate(CompositorUpdate):
    """What changed on a screen; no two pieces overlap."""

    def __init__(self, pieces: list[Piece]) -> None:
        self.pieces = pieces

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the rows of a whole screen, as they are printed into a picture of it."""
        for _, row in groupby(sorted(self.pieces, key=itemgetter(0, 1)), key=itemgetter(0)):
            for _, _, strip in row:
                yield from strip
            yield Segment.line()


class PieceCompositor(Compositor):
    """Draws what changed, from front to back."""

    is_held = False  # nothing is drawn for now; to be followed by a full refresh
    _waits_for: Widget | None = None  # the screen, which its timer draws soon, as a whole

    def release(self, *, is_shown: bool = False) -> None:
        """Draw what changes from now on.

        Args:
            is_shown: whether the terminal shows already what was held back.
        """
        self.is_held = False
        if is_shown:
            self._dirty_regions.clear()

    def change(self, region: Region) -> None:
        """Draw a part of the screen again with the next update."""
        self._dirty_regions.add(region)

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        """Lay out the widgets of a screen.

        If all of it is drawn soon, it is not drawn before: a screen that is new, or has a new size,
        is laid out several times, and drawing it takes longer than all of that.
        """
        if size != self.size:
            parent.refresh()
        if parent._repaint_required:  # noqa: SLF001
            self._waits_for = parent
        return super().reflow(parent, size)

    def update_widgets(self, widgets: set[Widget]) -> None:
        """Have widgets drawn with the next update."""
        if self._waits_for in widgets:
            self._waits_for = None
        super().update_widgets(widgets)

    def render_update(
        self,
        full: bool = False,
        screen_stack: list[Screen[Any]] | None = None,
        simplify: bool = False,
    ) -> RenderableType | None:
        """Draw what changed since the last update; None for nothing."""
        if self.is_held or (self._waits_for is not None and not full):
            return None
        return super().render_update(full, screen_stack, simplify)

    def render_full_update(self, simplify: bool = False) -> PiecesUpdate:  # type: ignore[override]  # noqa: ARG002
        """Draw the whole screen."""
        self._dirty_regions.clear()
        return PiecesUpdate(list(self._all_pieces(self.size)))

    def render_strips(self, size: Size | None = None) -> list[Strip]:
        """Draw the whole screen for another one, which covers it in part."""
        size = size or self.size
        rows: list[dict[int, Strip]] = [{} for _ in range(size.height)]
        for y, x, strip in self._all_pieces(size):
            rows[y][x] = strip
        return [Strip.join(row[x] for x in sorted(row)) for row in rows]

    def _all_pieces(self, size: Size) -> Iterator[Piece]:
        return self._pieces({y: [(0, size.width)] for y in range(size.height)})

    def render_partial_update(self) -> PiecesUpdate | None:  # type: ignore[override]
        """Draw what changed; None for nothing."""
        screen = self.size.region
        changed = [region.intersection(screen) for region in self._dirty_regions]
        self._dirty_regions.clear()
        spans: Spans = {}
        for y, start, end in self._regions_to_spans(changed):
            spans.setdefault(y, []).append((start, end))
        return PiecesUpdate(list(self._pieces(spans))) if spans else None

    def _pieces(self, uncovered: Spans) -> Iterator[Piece]:
        """Yield what the widgets show in the spans, which are empty at the end."""
        for widget, (region, clip) in self.visible_widgets.items():
            if not uncovered:
                return
            shown = region.intersection(clip)
            seen = _take_covered(uncovered, shown)
            if seen:
                top, bottom = min(seen), max(seen) + 1  # one call draws the rows between, too
                x, y = shown.x - region.x, top - region.y
                lines = widget.render_lines(Region(x, y, shown.width, bottom - top))
                # Of a row that was drawn only a change is drawn again. Kept, with the seven caches
                # that Textual gives each, they are a fifth of an app's memory.
                widget._styles_cache.clear()  # noqa: SLF001
                for y, spans in seen.items():
                    for start, end in spans:
                        yield y, start, lines[y - top].crop(start - shown.x, end - shown.x)


def _take_covered(uncovered: Spans, shown: Region) -> Spans:
    """Remove from the spans what a region covers, and return that."""
    left, right = shown.column_span
    covered: Spans = {}
    for y in [y for y in uncovered if shown.y <= y < shown.bottom]:
        inside = [(max(a, left), min(b, right)) for a, b in uncovered[y] if a < right and b > left]
        if not inside:
            continue
        covered[y] = inside
        outside = [
            (a, b)
            for start, end in uncovered[y]
            for a, b in ((start, min(end, left)), (max(start, right), end))
            if a < b
        ]
        if outside:
            uncovered[y] = outside
        else:
            del uncovered[y]
    return covered
