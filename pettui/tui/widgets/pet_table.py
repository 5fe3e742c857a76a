"""PetTable: the loaded animals, one a row; the cursor and the scroll offset follow the animal's id.

A key redraws two rows without layout, and new rows do not reset the cursor. Textual's DataTable
lays out and resets. The table draws its own lines: no text is parsed as markup.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import is_
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from pettui import actions
from pettui.client import UnreadablePet
from pettui.columns import CATEGORY, COLUMNS, FIELDS, NAME, STATUS, Column, Share
from pettui.finding import found_spans
from pettui.rows import ShownRows, id_of, pets_of
from pettui.tui.key_order import KeyDone
from pettui.tui.keys import bindings
from pettui.tui.lists.rows import NO_MARKS, Cursor, cursor_at, moved_cursor
from pettui.tui.runs import cut_runs, highlighted_runs, width_of
from pettui.tui.widgets.line_widget import emphasis_of, style_of
from pettui.tui.wording import direction_sign

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.style import Style
    from textual.binding import BindingType

    from pettui.columns import CategoryName
    from pettui.glyphs import GlyphSet
    from pettui.models import Pet
    from pettui.rows import Element, RowView
    from pettui.tui.lists.rows import Marks
    from pettui.tui.runs import Run


HEADER_ROWS = 1
TEXT_MAXIMUM = 1000  # characters of a text that are measured
KNOWN_TEXTS = 20_000  # texts whose widths are cached: a response may be a long list
FAR = 1_000_000  # rows; no list is as long


class PetTable(ScrollView, can_focus=True):
    """A fixed header over rows, one of them with the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_TABLE,
        up="move(-1)",
        down="move(1)",
        page_up="move_page(-1)",
        page_down="move_page(1)",
        half_page_up="move_page(-0.5)",
        half_page_down="move_page(0.5)",
    )

    cursor: reactive[int] = reactive(0, repaint=False)
    empty_text: reactive[str] = reactive("")  # in place of rows

    class Highlighted(Message, bubble=False):
        """The cursor is on another row, or on none; posted to the screen."""

        def __init__(self, element: Element | None) -> None:
            super().__init__()
            self.element = element

    class HeaderClicked(Message):
        """The header of a column was clicked."""

        def __init__(self, column: Column) -> None:
            super().__init__()
            self.column = column

    class PastEnd(Message, bubble=False):
        """A key would move the cursor past the last row; posted to the screen."""

        def __init__(self, rows: int) -> None:
            super().__init__()
            self.rows = rows  # how far past it

    class Opened(Message):
        """The row under the cursor was double-clicked."""

    def __init__(
        self, glyphs: GlyphSet, category_name: Callable[[int], str], is_loading: Callable[[], bool]
    ) -> None:
        """Show no rows yet; ``is_loading`` returns whether a request is running."""
        super().__init__(classes="rows")
        self.glyphs = glyphs
        self.shown = ShownRows()
        self.rows: Sequence[Element] = ()  # those shown, from top to bottom
        self.marks: Marks = NO_MARKS
        self.marked: frozenset[int] = frozenset()  # ids of the rows that the clerk marked
        self.tells_cursor = False  # the screen is told which row is under it
        self._category_name = category_name
        self.is_loading = is_loading  # whether other rows were asked for
        self._last_cursor = Cursor()  # on its animal even while no rows are shown
        # Where the find began that is being typed: each letter may hide the cursor's row.
        self._found_from: tuple[Cursor, Sequence[Element]] | None = None
        self._contents = Contents()  # of all that is loaded: the columns do not jump in a find
        self._odd_text_width = lru_cache(KNOWN_TEXTS)(lambda text: cell_len(glyphs.line(text)))
        self._layout: tuple[int, Layout] | None = None
        self._own: Style | None = None

    @property
    def highlighted(self) -> Element | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    @property
    def highlighted_pet(self) -> Pet | None:
        """The animal under the cursor; None on an unreadable row, or without rows."""
        row = self.highlighted
        return None if isinstance(row, UnreadablePet) else row

    def post_message(self, message: Message) -> bool:
        """Pass keys directly to the screen, which has their bindings.

        Bubbling from widget to widget is half the cost of a cursor movement. While rows are loaded
        keys bubble: the rows of a fast service then arrive before the next key is handled.
        """
        if isinstance(message, events.Key | KeyDone) and not self.is_loading():
            return self.screen.post_message(message)
        return super().post_message(message)

    # The rows, and the cursor on one of them

    def show_rows(self, shown: ShownRows, marks: Marks, *, from_top: bool = False) -> None:
        """Show other rows; the cursor stays on its animal, and the animal in its place."""
        offset = self.cursor - self.scroll_offset.y
        at_top = self.scroll_offset.y == 0
        before, rows = self.rows, shown.elements
        self.measure(shown.loaded)
        self.shown, self.rows, self.marks = shown, rows, marks
        if from_top:
            self._last_cursor = cursor_at(0, rows)
        else:
            cursor, before = self._found_from or (self._last_cursor, before)
            self._last_cursor = moved_cursor(cursor, before, rows)
        index = self._last_cursor.index
        self.virtual_size = Size(self.size.width, len(rows) + HEADER_ROWS)
        self.set_reactive(PetTable.cursor, index)
        keeps_top = at_top and index < self._visible_rows
        self.scroll_to(y=0 if keeps_top else index - offset, animate=False, force=True)
        self._scroll_to_cursor()
        self.refresh()
        self._post_highlighted()

    def begin_find(self) -> None:
        """Let the cursor depend on the whole of what is typed, and not on each letter of it."""
        self._found_from = self._last_cursor, self.rows

    def end_find(self) -> None:
        """Let the cursor go on from where it is."""
        self._found_from = None

    def _post_highlighted(self) -> None:
        if self.tells_cursor:
            self.screen.post_message(self.Highlighted(self.highlighted))

    def go_to(self, pet_id: int) -> bool:
        """Move the cursor to an animal; return whether its row is shown."""
        index = next((i for i, pet in enumerate(self.rows) if id_of(pet) == pet_id), None)
        if index is not None:
            self.cursor = index
        return index is not None

    @property
    def _visible_rows(self) -> int:
        return max(self.scrollable_content_region.height - HEADER_ROWS, 1)

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(cursor, len(self.rows) - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        """Redraw only the two rows."""
        self._last_cursor = cursor_at(new, self.rows)
        self._found_from = None
        # To the screen and first, so that the preview is drawn in the same frame.
        self._post_highlighted()
        for index in (old, new):
            self.refresh_line(index + HEADER_ROWS)
        self._scroll_to_cursor()

    def _scroll_to_cursor(self) -> None:
        top, visible = self.scroll_offset.y, self._visible_rows
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True)
        elif self.cursor >= top + visible:
            self.scroll_to(y=self.cursor - visible + 1, animate=False, force=True)

    def on_resize(self) -> None:
        """Adapt the columns, and keep the cursor in sight."""
        self.reset_layout()
        self.virtual_size = Size(self.size.width, len(self.rows) + HEADER_ROWS)
        self._scroll_to_cursor()

    def action_move(self, rows: int) -> None:
        """Move the cursor."""
        self._move_to(self.cursor + rows)

    def action_move_page(self, pages: float) -> None:
        """Move the cursor by pages, or a part of one."""
        self._move_to(self.cursor + int(pages * self._visible_rows))

    def _move_to(self, index: int) -> None:
        past_end = index - len(self.rows) + 1
        self.cursor = index
        if self.rows and past_end > 0:
            self.screen.post_message(self.PastEnd(past_end))

    def action_top(self) -> None:
        """Go to the first row."""
        self.cursor = 0

    def action_end(self) -> None:
        """Go to the last row or, if the cursor is there, past it, which loads more."""
        is_there = self.cursor == len(self.rows) - 1
        self._move_to(self.cursor + FAR if is_there else len(self.rows) - 1)

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the click; a double click opens, one on the header sorts."""
        if event.y < HEADER_ROWS:
            layout = self.layout_of(self.scrollable_content_region.width)
            self.post_message(self.HeaderClicked(column_at(layout, event.x)))
            return
        index = event.y - HEADER_ROWS + self.scroll_offset.y
        if index < len(self.rows):
            self.cursor = index
            if event.chain == 2 and self.has_focus:  # a prompt for an API key keeps it
                self.post_message(self.Opened())

    # The columns

    def measure(self, loaded: Sequence[Element]) -> None:
        """Measure the columns; if rows were only appended, measure only those."""
        known = self.shown.loaded
        is_continued = len(loaded) >= len(known) and all(map(is_, known, loaded))
        rows = loaded[len(known) :] if is_continued else loaded
        appended = contents_of(rows, self._category_name, self._text_width)
        contents = self._contents.union(appended) if is_continued else appended
        if contents != self._contents:
            self._contents, self._layout = contents, None

    def _text_width(self, text: str) -> int:
        is_plain = text.isascii() and text.isprintable()
        return len(text) if is_plain else self._odd_text_width(text[:TEXT_MAXIMUM])

    def shows_all_in(self, width: int) -> bool:
        """Whether rows of this width show everything about what is loaded."""
        return shows_all(self._contents, width, self.app.size.width)

    def layout_of(self, width: int) -> Layout:
        """Return the columns for a width, which changes as the scroll bar comes and goes."""
        if self._layout is None or self._layout[0] != width:
            screen_width = self.app.size.width
            self._layout = (width, layout_for(self._contents, width, screen_width))
        return self._layout[1]

    def reset_layout(self) -> None:
        """Recompute the columns, after a resize."""
        self._layout = None

    # Drawing

    def _style(self, name: str) -> Style:
        if name == "cursor" and not self.has_focus:
            name = "cursor-blurred"
        return style_of(self, name) if name else self.own_style

    @property
    def own_style(self) -> Style:
        """The style of plain text."""
        if self._own is None:
            self._own = self.rich_style
        return self._own

    def notify_style_update(self) -> None:
        """Forget the style of another theme."""
        self._own = None
        super().notify_style_update()

    def refresh_line(self, y: int) -> None:
        """Have a line of the table drawn again, and nothing of the scroll bar beside it."""
        width = self.scrollable_content_region.width
        self.refresh(Region(0, y - self.scroll_offset.y, width, 1))

    def show_marked(self, ids: frozenset[int]) -> None:
        """Show which rows the clerk marked; if only the cursor's row changed, redraw only that."""
        changed, self.marked = self.marked ^ ids, ids
        if changed == {id_of(self.highlighted)}:
            self.refresh_line(self.cursor + HEADER_ROWS)
        elif changed:
            self.refresh()

    def on_focus(self) -> None:
        """Redraw the cursor for the new focus."""
        self.refresh_line(self.cursor + HEADER_ROWS)

    on_blur = on_focus

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw lines. The table has no border and no padding, which Textual would look for."""
        width = self.scrollable_content_region.width
        strips = [
            self._line(y, width).adjust_cell_length(crop.right, self.own_style)
            for y in crop.line_range
        ]
        for line_filter in self.get_line_filters():
            background = self.background_colors[1]
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        return [strip.crop(crop.x) for strip in strips] if crop.x else strips

    def render_line(self, y: int) -> Strip:
        """Draw the header or a row."""
        return self._line(y, self.scrollable_content_region.width)

    def _line(self, y: int, width: int) -> Strip:
        layout = self.layout_of(width)
        index = y - HEADER_ROWS + self.scroll_offset.y
        if y < HEADER_ROWS:
            return self._header(layout, width)
        if index < len(self.rows):
            return self._row(self.rows[index], layout, width, is_cursor=index == self.cursor)
        if not self.rows and y == HEADER_ROWS + 1:
            text = self.glyphs.fit(f"   {self.empty_text}", width)
            return Strip([Segment(text, self.own_style + style_of(self, "muted"))], width)
        return Strip.blank(width, self.own_style)

    def _header(self, layout: Layout, width: int) -> Strip:
        """Draw the titles of the columns, and the sort order."""
        cells = (self._title(placed, self.shown.view) for placed in layout)
        style = self._on("table-header", self.own_style)
        text = f"   {(' ' * GAP).join(cells)} "
        return Strip([Segment(text, style)]).adjust_cell_length(width, style)

    def _title(self, placed: PlacedColumn, view: RowView) -> str:
        """Return the title of a column and its sort sign; with little room it is shortened."""
        column, width, _ = placed
        sign = direction_sign(self.glyphs, view, column)
        titles = (*column.titles, "") if width > 1 else ("",)
        texts = (f"{title} {sign}".strip() for title in titles)
        text = next((text for text in texts if len(text) <= width), "")
        return text.rjust(width) if column.is_at_right else self.glyphs.fit(text, width)

    def _row(self, row: Element, layout: Layout, width: int, *, is_cursor: bool) -> Strip:
        """Draw an animal, or an unreadable row.

        The cursor's row has one style: it reads as a bar, and its colours are sent once. Only the
        matches of a find stand out.
        """
        glyphs = self.glyphs
        sign = self._sign(row)
        runs: list[Run] = [
            (glyphs.cursor if is_cursor else " ", ""),
            (sign, "" if sign == " " else "mark"),
            (glyphs.selected, "accent") if id_of(row) in self.marked else (" ", ""),
        ]
        if isinstance(row, UnreadablePet):
            text = f"row {row.index + 1} unreadable: {row.reason}"
            runs.append((glyphs.fit(glyphs.line(text), width - 4), "error"))
        else:
            runs += self._cells(row, layout)
        base = self._on("cursor", self.own_style) if is_cursor else self.own_style
        styles = dict.fromkeys((name for _, name in runs), base)
        if not is_cursor:
            styles = {name: self._on(name, base) if name else base for name in styles}
        elif "found" in styles:
            styles["found"] = base + emphasis_of(self._style("found"))
        same = groupby(runs, key=lambda run: styles[run[1]])
        segments = [Segment("".join(text for text, _ in some), style) for style, some in same]
        return Strip(segments).adjust_cell_length(width, base)

    def _cells(self, pet: Pet, layout: Layout) -> Iterator[Run]:
        """Return runs of exactly the widths of the columns, with gaps between them."""
        for index, placed in enumerate(layout):
            if index:
                yield " " * GAP, "muted"
            runs = cut_runs(self.glyphs, self._content(pet, placed), placed.width)
            style = next((style for _, style in reversed(runs) if style != "found"), "")
            padding = " " * (placed.width - width_of(runs)), style
            yield from (padding, *runs) if placed.column.is_at_right else (*runs, padding)

    def _content(self, pet: Pet, placed: PlacedColumn) -> list[Run]:
        """Return an animal's texts in a column, with the words of a find highlighted."""
        column, _, has_all = placed
        words = self.shown.words.get(column)
        value = column.value(pet)
        texts = column.texts(value, self._category_name)
        style = column.style
        runs: list[Run] = []
        if column.look is not None:
            look = column.look(value)
            style = look.style
            runs.append((self.glyphs.glyph_of(look), style))
        for text in texts if has_all else texts[: 1 - len(runs)]:
            spans = found_spans(text, words) if words else ()
            if runs and text:
                runs.append((" ", style))
            runs += highlighted_runs(
                self.glyphs, text, spans, style=style, found_style="found", limit=column.longest
            )
        return runs if runs or not column.empty else [(column.empty, "not-set")]

    def _sign(self, row: Element) -> str:
        if isinstance(row, UnreadablePet):
            return " "
        if row.id in self.marks.new:
            return self.glyphs.new
        return self.glyphs.changed if row.id in self.marks.changed else " "

    def _on(self, name: str, base: Style) -> Style:
        """Return a style on the background of the row."""
        return base + self._style(name)


WORD_FROM = STATUS.all_from  # cells of the screen; below, a status is only its glyph
NAMED_FROM = CATEGORY.all_from  # below, a category is only its number
NAME_MINIMUM = NAME.least

GAP = 2
SIGNS = 3  # cells: cursor, change, mark
# Where the rest ends, unless a text is longer: wide gaps are hard to read across.
REST_END = 40
PART_LEAST = 8  # cells that a part may have, however little half of the room is


class PlacedColumn(NamedTuple):
    """A column in a table of some width."""

    column: Column
    width: int  # cells, without the gap
    has_all: bool  # its texts, and not only the first


Layout: TypeAlias = tuple[PlacedColumn, ...]


def column_at(layout: Layout, x: int) -> Column:
    """Return the column at a cell of the header; a gap belongs to the column before it."""
    right = SIGNS
    for column, width, _ in layout:
        right += width + GAP
        if x < right:
            return column
    return layout[-1].column


@dataclass(frozen=True, slots=True)
class Contents:
    """The cells of the widest content of each column."""

    first: tuple[int, ...] = tuple(column.least for column in COLUMNS)  # glyph or first text
    all: tuple[int, ...] = tuple(column.usual for column in COLUMNS)
    has_more: bool = False  # a row has something that no column shows

    def union(self, other: Contents) -> Contents:
        """Return the larger of each."""
        return Contents(
            tuple(map(max, self.first, other.first)),
            tuple(map(max, self.all, other.all)),
            self.has_more or other.has_more,
        )


def contents_of(
    rows: Sequence[Element], category_name: CategoryName, text_width: Callable[[str], int]
) -> Contents:
    """Measure the columns of rows; call it only for new rows, since it reads each of them.

    Args:
        rows: of the list.
        category_name: returns the profile's name of a category.
        text_width: returns the cells of a text as it is drawn.
    """
    pets = pets_of(rows)
    if not pets:
        return Contents(has_more=len(rows) > 0)
    first, most = zip(
        *(_widest(column, pets, category_name, text_width) for column in COLUMNS), strict=True
    )
    fit = tuple(min(each, column.widest) for each, column in zip(most, COLUMNS, strict=True))
    has_fields = any(pet.others and not FIELDS.issuperset(pet.others) for pet in pets)
    has_more = has_fields or len(pets) < len(rows) or fit != most
    return Contents(first, fit, has_more).union(Contents())


def _widest(
    column: Column,
    pets: Sequence[Pet],
    category_name: CategoryName,
    text_width: Callable[[str], int],
) -> tuple[int, int]:
    """Return the cells of the widest glyph or first text, and of the widest line of them all."""
    values = set(map(column.value, pets))
    if column.is_at_right:
        values = {min(values), max(values)}
    by_place = zip(*(column.texts(value, category_name) for value in values), strict=True)
    first, *others = ([text_width(text) for text in texts] for texts in by_place)
    gapped = ([cells and 1 + cells for cells in place] for place in others)
    most = max(map(sum, zip(first, *gapped, strict=True)))
    return (max(first), most) if column.look is None else (1, 2 + most)


def layout_for(contents: Contents, width: int, screen_width: int) -> Layout:
    """Divide a width among the columns."""
    have_all = [screen_width >= column.all_from for column in COLUMNS]
    cells = [
        most if has_all else first
        for has_all, first, most in zip(have_all, contents.first, contents.all, strict=True)
    ]
    shares = [column.share for column in COLUMNS]
    whole = sum(each for each, share in zip(cells, shares, strict=True) if share is Share.WHOLE)
    room = width - SIGNS - whole - (len(COLUMNS) - 1) * GAP - 1
    rest = shares.index(Share.REST)
    for index, column in enumerate(COLUMNS):
        if column.share is Share.PART:
            most = max(min(max(room // 2, PART_LEAST), room - COLUMNS[rest].least), column.least)
            cells[index] = min(cells[index], most)
            room -= cells[index]
    left = SIGNS + sum(cells[:rest]) + rest * GAP
    cells[rest] = max(min(room, max(cells[rest], REST_END - left)), 1)
    return tuple(map(PlacedColumn, COLUMNS, cells, have_all))


def shows_all(contents: Contents, width: int, screen_width: int) -> bool:
    """Whether columns of this width show everything about the rows."""
    layout = layout_for(contents, width, screen_width)
    fit = (
        placed.has_all and most <= placed.width
        for placed, most in zip(layout, contents.all, strict=True)
    )
    return not contents.has_more and all(fit)
