"""PetTable: the loaded animals, one a row; cursor and scroll offset follow the animal's id."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from operator import is_
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, TypeAlias

from rich.cells import cell_len
from textual import events
from textual.message import Message
from textual.reactive import reactive

from pettui.client import UnreadablePet
from pettui.keyboard import actions
from pettui.rows.columns import COLUMNS, FIELDS, NAME, STATUS, Column, field_column
from pettui.rows.shown import ShownRows, id_of, pets_of
from pettui.rows.widths import Width, divided
from pettui.text.folding import found_spans
from pettui.tui.list.listing import NO_MARKS, Marks, direction_sign
from pettui.tui.session.key_order import KeyDone
from pettui.tui.widgets.bindings import bindings
from pettui.tui.widgets.fitting import first_that_fits
from pettui.tui.widgets.row_table import Cursor, RowTable
from pettui.tui.widgets.runs import Run, highlighted_runs, in_cells

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from textual.binding import BindingType

    from pettui.models.pets import Pet
    from pettui.rows.columns import CategoryName
    from pettui.rows.shown import Element, RowView
    from pettui.tui.session.request import Request
    from pettui.tui.session.session import UserSession


TEXT_MAXIMUM = 1000  # characters of a text that are measured
KNOWN_TEXTS = 20_000  # texts whose widths are cached: a response may be a long list
FAR = 1_000_000  # rows; no list is as long


class PetTable(RowTable["Element"]):
    """The loaded animals; the cursor stays on its animal."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.PET_TABLE, moves="")

    empty_text: reactive[str] = reactive("")  # in place of rows

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

    def __init__(self, session: UserSession, request: Request, marked: Container[int] = ()) -> None:
        """Show no rows yet.

        Args:
            session: of which glyphs and names of categories are.
            request: that other rows are asked for with.
            marked: the ids of the rows that the clerk marked.
        """
        super().__init__(session.glyphs)
        self.shown = ShownRows()
        self.marks: Marks = NO_MARKS
        self.request = request
        self._category_name = session.category_name
        self._marked = marked
        self._pending_move: tuple[Cursor, int] | None = None  # from there on by so many rows
        self._contents = Contents()  # of all that is loaded: the columns do not jump in a find
        self._odd_text_width = lru_cache(KNOWN_TEXTS)(lambda text: cell_len(self.glyphs.line(text)))
        self._layout: tuple[tuple[int, int], Layout] | None = None  # for a row and a screen

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
        if isinstance(message, events.Key | KeyDone) and not self.request.is_running:
            return self.screen.post_message(message)
        return super().post_message(message)

    # The rows, and the cursor on one of them

    def show_rows(self, shown: ShownRows, marks: Marks) -> None:
        """Show other rows; the cursor stays on its animal, and the animal in its place."""
        self.measure(shown.loaded)
        self.shown, self.marks = shown, marks
        self.put_rows(shown.elements)
        self.tell_cursor()

    def follow(self, pet_id: int | None) -> None:
        """Go to an animal that was shown last elsewhere; None where none was."""
        if pet_id is not None and id_of(self.highlighted) != pet_id:
            self.go_to(pet_id)

    def identity(self, row: Element) -> int | UnreadablePet:
        """Return the animal's id, or the whole of an unreadable row."""
        return row if isinstance(row, UnreadablePet) else row.id

    def await_rows(self, rows: int) -> None:
        """Move the cursor on by so many rows once there are more, unless it is moved before."""
        self._pending_move = self._at, rows

    def move_on(self) -> None:
        """Make the pending movement, if there are more rows, and it was not moved since."""
        if self._pending_move is None or len(self.rows) <= self._pending_move[0].index + 1:
            return
        (at, rows), self._pending_move = self._pending_move, None
        if self._at == at and self.app.screen is self.screen:
            self.cursor += rows

    def move_to(self, index: int) -> None:
        """Move the cursor; past the last row, tell the screen, which loads more."""
        past_end = index - len(self.rows) + 1
        super().move_to(index)
        if self.rows and past_end > 0:
            self.screen.post_message(self.PastEnd(past_end))

    def action_end(self) -> None:
        """Go to the last row or, if the cursor is there, past it."""
        is_there = self.cursor == len(self.rows) - 1
        self.move_to(self.cursor + FAR if is_there else len(self.rows) - 1)

    def click_header(self, x: int) -> None:
        """Have the column sorted."""
        column = column_at(self.layout_of(self.scrollable_content_region.width), x)
        if column in COLUMNS:
            self.post_message(self.HeaderClicked(column))

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

    def needed_in(self, width: int) -> int:
        """Return the cells that rows would use of a width."""
        layout = layout_for(self._contents, width, self.app.size.width)
        return used_by([each.width for each in layout])

    def layout_of(self, width: int) -> Layout:
        """Return the columns for a width, which changes as the scroll bar comes and goes."""
        widths = width, self.app.size.width
        if self._layout is None or self._layout[0] != widths:
            self._layout = widths, layout_for(self._contents, *widths)
        return self._layout[1]

    def cut_columns(self, pet: Pet) -> list[Column]:
        """Return the columns of the interface whose texts a row of this animal does not show."""
        return [each.column for each in self.layout_of(self.drawn_width) if self._cuts(pet, each)]

    def cut_texts(self, pet: Pet) -> list[str]:
        """Return the texts of these columns, whole."""
        columns = self.cut_columns(pet)
        return [each.line(pet, self._category_name, self.glyphs) for each in columns]

    def fields_in_row(self) -> frozenset[str]:
        """Return the further fields that are columns."""
        layout = self.layout_of(self.drawn_width)
        return frozenset(each.column.field for each in layout) - FIELDS

    def _cuts(self, pet: Pet, placed: PlacedColumn) -> bool:
        column = placed.column
        texts = column.texts(column.value(pet), self._category_name)
        cells = [self._text_width(text) for text in texts if text]
        glyph = 0 if column.look is None else GLYPH
        shown = placed.has_all or len(cells) + (glyph > 0) <= 1
        return not shown or glyph + sum(cells) + len(cells) - 1 > placed.width

    # Drawing

    def empty_lines(self) -> Sequence[Sequence[Run]]:
        """Return what the screen says about it, below a blank line."""
        return [], [(f"   {self.empty_text}", "muted")]

    def header(self, width: int) -> Sequence[Run]:
        """Return the titles of the columns, and the sort order."""
        cells = (self._title(placed, self.shown.view) for placed in self.layout_of(width))
        return [(f"   {(' ' * GAP).join(cells)} ", "table-header")]

    def _title(self, placed: PlacedColumn, view: RowView) -> str:
        """Return the title of a column and its sort sign; with little room it is shortened."""
        column, width, _ = placed
        sign = direction_sign(self.glyphs, view, column)
        titles = (*column.titles, "") if width > 1 else ("",)
        if column not in COLUMNS:
            titles = (self.glyphs.cut(self.glyphs.line(column.name), width),)
        texts = [*(f"{title} {sign}".strip() for title in titles), ""]
        text = first_that_fits(self.glyphs, texts, width)
        return text.rjust(width) if column.is_at_right else self.glyphs.fit(text, width)

    def runs_of(self, row: Element, sign: str, width: int) -> list[Run]:
        """Return an animal, or an unreadable row."""
        glyphs = self.glyphs
        change = self._change(row)
        runs: list[Run] = [
            (sign, ""),
            (change, "" if change == " " else "mark"),
            (glyphs.selected, "accent") if id_of(row) in self._marked else (" ", ""),
        ]
        if isinstance(row, UnreadablePet):
            text = f"row {row.index + 1} unreadable: {row.reason}"
            return [*runs, (glyphs.fit(glyphs.line(text), width - 4), "error")]
        return [*runs, *self._cells(row, self.layout_of(width))]

    def _cells(self, pet: Pet, layout: Layout) -> Iterator[Run]:
        """Return runs of exactly the widths of the columns, with gaps between them."""
        for index, placed in enumerate(layout):
            if index:
                yield " " * GAP, "muted"
            content, at_right = self._content(pet, placed), placed.column.is_at_right
            yield from in_cells(self.glyphs, content, placed.width, is_at_right=at_right)

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
            runs.append((self.glyphs.glyph_of(look), look.sign_style if has_all else style))
        for text in texts if has_all else texts[: 1 - len(runs)]:
            spans = found_spans(text, words) if words else ()
            if runs and text:
                runs.append((" ", style))
            runs += highlighted_runs(
                self.glyphs, text, spans, style=style, found_style="found", limit=column.longest
            )
        return runs if runs or not column.empty else [(column.empty, "not-set")]

    def _change(self, row: Element) -> str:
        """Return the sign of a new or changed animal."""
        if isinstance(row, UnreadablePet):
            return " "
        if row.id in self.marks.new:
            return self.glyphs.new
        return self.glyphs.changed if row.id in self.marks.changed else " "


WORD_FROM = STATUS.all_from  # cells of the screen; below, a status is only its glyph
NAME_MINIMUM = NAME.least

GAP = 2
SIGNS = 3  # cells: cursor, change, mark
GLYPH = 2  # cells of a glyph and a blank before a text
FIELDS_FROM = 100  # columns of the screen, from which on further fields are columns
FIELD_LEAST, FIELD_WIDEST = 12, 30  # cells, before what is left is divided
FIELDS_MAXIMUM = 12  # further fields that are measured
# Where the name ends, unless one is longer: wider gaps are hard to read across.
REST_END = 40


class PlacedColumn(NamedTuple):
    """A column in a table of some width."""

    column: Column
    width: int  # cells, without the gap
    has_all: bool  # its texts, and not only the first


Layout: TypeAlias = tuple[PlacedColumn, ...]


def used_by(cells: Sequence[int]) -> int:
    """Return the cells of a row with columns of these widths, with one behind it."""
    return SIGNS + sum(cells) + (len(cells) - 1) * GAP + 1


def column_at(layout: Layout, x: int) -> Column:
    """Return the column at a cell of the header; a gap belongs to the column before it."""
    right = SIGNS
    for column, width, _ in layout:
        right += width + GAP
        if x < right:
            return column
    return layout[-1].column


_LEAST: Final = tuple(column.least for column in COLUMNS)
_USUAL: Final = tuple(column.usual for column in COLUMNS)


class Contents(NamedTuple):
    """The cells of the widest content of each column."""

    first: tuple[int, ...] = _LEAST  # glyph or first text
    all: tuple[int, ...] = _USUAL
    # Of fields that the interface does not know, in the order in which they came.
    fields: Mapping[str, int] = MappingProxyType({})
    has_more: bool = False  # a row has something that no column could show

    def union(self, other: Contents) -> Contents:
        """Return the larger of each."""
        return Contents(
            tuple(map(max, self.first, other.first)),
            tuple(map(max, self.all, other.all)),
            _widest_fields(chain(self.fields.items(), other.fields.items())),
            self.has_more or other.has_more,
        )


def _widest_fields(measured: Iterable[tuple[str, int]]) -> Mapping[str, int]:
    """Return the largest of each field's cells, of as many fields as are measured."""
    fields: dict[str, int] = {}
    for name, cells in measured:
        if name in fields or len(fields) < FIELDS_MAXIMUM:
            fields[name] = max(cells, fields.get(name, 0))
    return MappingProxyType(fields)


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
    others = [pet.other_texts for pet in pets if pet.others]
    fields = _widest_fields(
        (name, max(text_width(text), text_width(name)))
        for texts in others
        for name, text in texts.items()
        if name not in FIELDS
    )
    has_further = any(not FIELDS.union(fields).issuperset(texts) for texts in others)
    has_more = has_further or len(pets) < len(rows) or fit != most
    return Contents(first, fit, fields, has_more).union(Contents())


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
    """Divide a width among the columns: further fields go first, from the last one on."""
    have_all = [screen_width >= column.all_from for column in COLUMNS]
    known = zip(have_all, contents.first, contents.all, strict=True)
    cells = [most if has_all else first for has_all, first, most in known]
    fields = contents.fields if screen_width >= FIELDS_FROM else {}
    room, gone = width - SIGNS - 1, 2 + len(fields)  # the step at which no field is left
    cut_to = [
        {} if column.cut_to is None else {gone + 1: column.cut_to, gone + 2: 1}
        for column in COLUMNS
    ]
    widths = [
        *(Width(each, least=least, gap=GAP) for each, least in zip(cells, cut_to, strict=True)),
        *(
            Width(most, {gone - index: 0}, {1: FIELD_WIDEST, 2: FIELD_LEAST}, GAP)
            for index, most in enumerate(fields.values())
        ),
    ]
    _, cells = divided(widths, room)
    if not contents.fields:  # for which the room would be better
        name = COLUMNS.index(NAME)
        left = SIGNS + sum(cells[:name]) + name * GAP
        cells[name] += max(min(REST_END - left - cells[name], width - used_by(cells)), 0)
    columns = (*COLUMNS, *map(field_column, fields))
    has_all = (*have_all, *(True for _ in fields))
    return tuple(each for each in map(PlacedColumn, columns, cells, has_all) if each.width)


def shows_all(contents: Contents, width: int, screen_width: int) -> bool:
    """Whether columns of this width show everything about the rows."""
    layout = layout_for(contents, width, screen_width)
    needed = [*contents.all, *contents.fields.values()]
    fit = [
        placed.has_all and most <= placed.width
        for placed, most in zip(layout, needed, strict=False)
    ]
    return not contents.has_more and len(fit) == len(needed) and all(fit)
