"""FormInput: a field for a line of text, and the columns of the characters in it."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, ClassVar, NamedTuple
from unicodedata import category

from rich.cells import cell_len
from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.keys import KEY_NAME_REPLACEMENTS
from textual.strip import Strip
from textual.widgets import Input
from textual.widgets.input import Selection

from pettui.text.safe import pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style
    from textual import events

    from pettui.appearance.glyphs import GlyphSet

MASK = "•"
WORD = re.compile("x+")


class TypedLine(NamedTuple):
    """A line as it is drawn, one piece a character, and the column where each starts.

    A piece may take several cells (a control character is spelled out) or none (a combining mark).
    """

    pieces: Sequence[str]
    columns: Sequence[int]  # one more than pieces: the last is the width of the whole line

    @classmethod
    def of(cls, pieces: Sequence[str]) -> TypedLine:
        """Return the line of these pieces."""
        # An array: for a long paste a list would take megabytes.
        return cls(pieces, array("L", accumulate(map(cell_len, pieces), initial=0)))

    @property
    def width(self) -> int:
        """The cells that the whole line takes."""
        return self.columns[-1]

    def after(self, index: int) -> int:
        """Return the next cursor position, after a character and its combining marks."""
        last = len(self.pieces)
        index = min(index + 1, last)
        while index < last and self.columns[index + 1] == self.columns[index]:
            index += 1
        return index

    def before(self, index: int) -> int:
        """Return the previous cursor position."""
        index = max(index - 1, 0)
        while index > 0 and self.columns[index + 1] == self.columns[index]:
            index -= 1
        return index

    def at(self, column: int) -> int:
        """Return the index of the character in a column, or of the end."""
        return bisect_right(self.columns, max(column, 0)) - 1

    def cursor_cells(self, cursor: int) -> tuple[int, int]:
        """Return the first column of the cursor, and the one after it: it covers a character."""
        first = self.columns[cursor]
        if cursor == len(self.pieces):
            return first, first + 1
        return first, self.columns[self.after(cursor)]

    def first_column(self, before: int, cursor: int, width: int, margin: int) -> int:
        """Return the first column to draw, as close to the last one as the cursor allows.

        Args:
            before: the first column of the last drawing.
            cursor: the character to keep in sight.
            width: in cells.
            margin: cells of an ellipsis at either end.
        """
        total = self.width + 1  # the cursor may stand behind the end
        if total <= width:
            return 0
        start, end = self.cursor_cells(cursor)
        right = margin if end < self.width else 0
        if width < margin + right + end - start:
            return start  # no room for anything else
        # At the left nothing is cut if the ellipsis would cover the cursor.
        latest = start - margin if start > margin else 0
        first = min(max(before, end + right - width), latest)
        return max(min(first, total - width), 0)


def with_ellipses(strip: Strip, ellipsis: str, own: Style, first: int, total: int) -> Strip:
    """Put ellipses where a line continues, if there is room beside them.

    Args:
        strip: the visible part of the line.
        ellipsis: for this terminal.
        own: its style.
        first: the first column that is drawn.
        total: the width of the whole line.
    """
    width, margin = strip.cell_length, cell_len(ellipsis)
    if width <= 3 * margin:
        return strip
    sign = Strip([Segment(ellipsis, own)])
    if first > 0:
        strip = Strip.join([sign, strip.crop(margin, width)])
    if first + width < total:
        strip = Strip.join([strip.crop(0, width - margin), sign])
    return strip


def is_text(character: str | None) -> bool:
    """Whether a character is text, and not a control such as Enter."""
    return character is not None and all(category(each) != "Cc" for each in character)


class FormInput(Input):
    """Textual's Input, except that it drops nothing, and draws its value safely.

    Textual's accepts printable characters only, and the first line of a paste. Many keyboards and
    input methods type other blanks and joiners (U+00A0, U+3000, U+200C), which Python does not call
    printable.

    The value is drawn as ``pettui.text.safe`` makes it safe: a tab is drawn as a blank and a flag
    as its two letters, as in the list, and no escape reaches the terminal. The cursor is always
    in sight; ellipses show where the text continues.
    """

    HELP_TITLE: ClassVar[str] = "In a text field"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("alt+b", "cursor_left_word", show=False),
        Binding("alt+f", "cursor_right_word", show=False),
        Binding("alt+d", "delete_right_word", show=False),
        Binding("ctrl+y", "yank", show=False),
    ]

    def __init__(
        self,
        glyphs: GlyphSet,
        *,
        id: str | None = None,  # noqa: A002
        placeholder: str = "",
        password: bool = False,
    ) -> None:
        super().__init__(id=id, placeholder=placeholder, password=password, select_on_focus=False)
        self._glyphs = glyphs
        self._first = 0  # the first column that is drawn
        self._is_dragged_over = False  # the mouse is selecting
        self._known: tuple[str, TypedLine] = "", TypedLine.of(())
        self._killed = ""  # what ctrl+y brings back
        self._killed_at: tuple[str, Selection] | None = None  # the value and cursor after that
        self.cursor_blink = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the keys that scroll larger texts to the form; what is masked is not kept."""
        if action.startswith(("scroll_", "page_")):
            return False
        if action == "yank" and self.password:
            return False
        return super().check_action(action, parameters)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key is text here and not a binding, also one that Textual renames."""
        return key in KEY_NAME_REPLACEMENTS.values() or is_text(character)

    def on_key(self, event: events.Key) -> None:
        """Accept what Textual's own handler would drop."""
        if is_text(event.character) and not event.is_printable:
            event.stop()
            event.prevent_default()
            self.replace(event.character or "", *self.selection)

    def on_paste(self, event: events.Paste) -> None:
        """Insert all lines of a paste, joined."""
        event.stop()
        event.prevent_default()
        line = re.sub(r"[\r\n]+", " ", event.text.strip("\r\n"))
        self.replace(line, *self.selection)

    def put(self, text: str) -> None:
        """Put a text in place of the value, with the cursor at its end."""
        self.value = text
        self.cursor_position = len(text)

    @property
    def line(self) -> TypedLine:
        """The value as it is drawn."""
        if self._known[0] != self.value:
            self._known = self.value, TypedLine.of(self._pieces(self.value))
        return self._known[1]

    def _pieces(self, value: str) -> list[str]:
        if self.password:
            return [MASK] * len(value)
        if value.isascii() and value.isprintable():
            return list(value)
        blanks = "".join(" " if character.isspace() else character for character in value)
        return pieces(blanks, ascii_only=self._glyphs.ascii_only, also=self._glyphs.also)

    @property
    def content_width(self) -> int:
        """One cell, so that Textual does not scroll: this class does."""
        return 1

    @property
    def cursor_screen_offset(self) -> Offset:
        """The position of the cursor, where an input method shows its box."""
        x, y, width, _ = self.content_region
        column = self.line.columns[min(self.cursor_position, len(self.line.pieces))]
        return Offset(x + column - self._scrolled(width), y)

    def _scrolled(self, width: int) -> int:
        line = self.line
        cursor = min(self.cursor_position, len(line.pieces)) if self.has_focus else 0
        margin = cell_len(self._glyphs.ellipsis)
        self._first = line.first_column(self._first, cursor, width, margin)
        return self._first

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - its height is one row
        """Draw the part of the text around the cursor."""
        width = self.content_size.width
        if not self.value:
            return self._placeholder_line(width)
        first = self._scrolled(width)
        line, own = self.line, self.rich_style
        start, end = line.at(first), line.after(line.at(first + width - 1))
        cuts = sorted({start, end, *(min(max(cut, start), end) for cut in self._cuts())})
        segments = [
            Segment("".join(line.pieces[left:right]), own + self._style_at(left))
            for left, right in pairwise(cuts)
        ]
        if end == len(line.pieces) and self.has_focus and self.cursor_at_end:
            segments.append(Segment(" ", own + self._style_at(end)))
        shift = first - line.columns[start]
        strip = Strip(segments).crop(shift, shift + width).adjust_cell_length(width, own)
        return with_ellipses(strip, self._glyphs.ellipsis, own, first, self.line.width)

    def _placeholder_line(self, width: int) -> Strip:
        """Draw the placeholder, cut with an ellipsis, which Textual would omit."""
        own = self.rich_style
        muted = own + self.get_component_rich_style("input--placeholder")
        text = self._glyphs.cut(self.placeholder, width)
        cursor = own + self.get_component_rich_style("input--cursor") if self.has_focus else muted
        segments = [Segment(text[:1] or " ", cursor), Segment(text[1:], muted)]
        return Strip(segments).adjust_cell_length(width, own)

    def _cuts(self) -> tuple[int, ...]:
        """Return where the style changes: around the selection and the cursor."""
        cursor = self.cursor_position
        return (*self.selection, cursor, self.line.after(cursor))

    def _style_at(self, index: int) -> Style | None:
        if not self.has_focus:
            return None
        if index == self.cursor_position:
            return self.get_component_rich_style("input--cursor")
        start, end = sorted(self.selection)
        return self.get_component_rich_style("input--selection") if start <= index < end else None

    def _index_at(self, event: events.MouseEvent) -> int:
        return self.line.at(event.get_content_offset_capture(self).x + self._first)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Move the cursor to the click, and start a selection."""
        event.prevent_default()
        self.selection = Selection.cursor(self._index_at(event))
        self._is_dragged_over = True
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Extend the selection to the mouse."""
        event.prevent_default()
        if self._is_dragged_over:
            self.selection = Selection(self.selection.start, self._index_at(event))

    def on_mouse_up(self) -> None:
        """End the selection."""
        if self._is_dragged_over:
            self._is_dragged_over = False
            self.release_mouse()

    on_mouse_release = on_mouse_up  # taken by somebody else

    def action_cursor_left(self, select: bool = False) -> None:
        """Move the cursor by one character, and the marks on it."""
        start, end = self.selection
        index = self.line.before(end) if select or start == end else min(start, end)
        self._move_to(index, select=select)

    def action_cursor_right(self, select: bool = False) -> None:
        """Move the cursor by one character, and the marks on it."""
        start, end = self.selection
        index = self.line.after(end) if select or start == end else max(start, end)
        self._move_to(index, select=select)

    # By words, as in a shell (readline): to the start of one, and to its end. Textual would go to
    # the start of the next one, and take a letter's combining marks for its end.

    def action_cursor_left_word(self, select: bool = False) -> None:
        """Move the cursor to the start of the word at it or before."""
        self._move_to(self._word_start(), select=select)

    def action_cursor_right_word(self, select: bool = False) -> None:
        """Move the cursor to the end of the word at it or behind."""
        self._move_to(self._word_end(), select=select)

    def action_delete_left_word(self) -> None:
        """Delete what is selected, or to the start of the word."""
        self._kill(self._word_start())

    def action_delete_right_word(self) -> None:
        """Delete what is selected, or to the end of the word."""
        self._kill(self._word_end())

    def action_delete_left_all(self) -> None:
        """Delete what is selected, or to the start of the line."""
        self._kill(0)

    def action_delete_right_all(self) -> None:
        """Delete what is selected, or to the end of the line."""
        self._kill(len(self.value))

    def _kill(self, to: int) -> None:
        """Delete what is selected, or to a position, so that ctrl+y can bring it back.

        What is deleted in one go is one text, as in readline. A masked field keeps nothing.
        """
        start, end = sorted(self.selection)
        if start == end:
            start, end = sorted((end, to))
        deleted, before = self.value[start:end], self._killed
        if not deleted:
            return
        is_left, goes_on = end == self.cursor_position, self._killed_at == self._typed
        self.delete(start, end)
        if not self.password:
            joined = deleted + before if is_left else before + deleted
            self._killed = joined if goes_on else deleted
            self._killed_at = self._typed

    @property
    def _typed(self) -> tuple[str, Selection]:
        return self.value, self.selection

    def action_yank(self) -> None:
        """Bring back what ctrl+u, ctrl+k, ctrl+w or alt+d deleted in this field."""
        self._killed_at = None
        if self._killed:
            self.replace(self._killed, *sorted(self.selection))

    def on_blur(self) -> None:
        """Forget what was deleted: the next text is about something else."""
        self._killed, self._killed_at = "", None

    def _move_to(self, index: int, *, select: bool) -> None:
        self.selection = Selection(self.selection.start if select else index, index)

    def _word_start(self) -> int:
        starts = (match.start() for match in WORD.finditer(self._words[: self.cursor_position]))
        return max(starts, default=0)

    def _word_end(self) -> int:
        match = WORD.search(self._words, self.cursor_position)
        return match.end() if match else len(self.value)

    @property
    def _words(self) -> str:
        """The value with an "x" for each character of a word; a masked one is a single word."""
        if self.password:
            return "x" * len(self.value)
        kinds = map(category, self.value)
        return "".join("x" if kind[0] in "LMN" or kind == "Cf" else " " for kind in kinds)

    def action_delete_left(self) -> None:
        """Delete the character or mark before the cursor, with any invisible ones there."""
        start, end = self.selection
        if start == end:
            start -= 1
            while start > 0 and not self.line.pieces[start]:
                start -= 1
        self.delete(start, end)

    def action_delete_right(self) -> None:
        """Delete the character under the cursor, with its combining marks."""
        start, end = self.selection
        self.delete(start, self.line.after(end) if start == end else end)
