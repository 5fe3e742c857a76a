"""Only the cells that differ are sent, and a terminal that got them shows the picture."""

from __future__ import annotations

import pyte
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from pettui.capabilities import Colours
from pettui.terminal.screen_buffer import ScreenBuffer
from pettui.terminal.sgr import Palette, Pen

WIDTH, HEIGHT = 20, 4
STYLES = (Style(), Style(bold=True, color="red"), Style(bgcolor="#102030"), Style(reverse=True))
RUNS = st.tuples(
    st.integers(0, HEIGHT - 1),
    st.integers(0, WIDTH - 1),
    st.text("ab é金🐹 ", min_size=1, max_size=12),
    st.sampled_from(STYLES),
)


def drawn(width: int = WIDTH, *, erases: bool = True) -> tuple[ScreenBuffer, Palette]:
    palette = Palette(Colours.TRUE)
    return ScreenBuffer(width, HEIGHT, palette, erases=erases), palette


def test_a_cell_that_shows_what_it_should_is_not_sent() -> None:
    canvas, palette = drawn()
    canvas.paint(0, 0, "Rex and Mimi", palette.number(Style()))
    assert canvas.changes() == "\x1b[1HRex and Mimi"
    canvas.paint(0, 0, "Rex and Mini", palette.number(Style()))
    assert canvas.changes() == "\x1b[11Gn"
    canvas.paint(0, 0, "Rex and Mini", palette.number(Style()))
    assert canvas.changes() == ""


def test_long_blanks_are_erased_with_their_ground() -> None:
    canvas, palette = drawn()
    canvas.paint(0, 0, " " * 20, palette.number(Style(bgcolor="#102030")))
    assert canvas.changes() == "\x1b[1H\x1b[48;2;16;32;48m\x1b[20X"


def test_a_terminal_that_may_erase_otherwise_gets_the_blanks_themselves() -> None:
    canvas, palette = drawn(erases=False)
    canvas.paint(0, 0, " " * 20, palette.number(Style(bgcolor="#102030")))
    assert canvas.changes() == "\x1b[1H\x1b[48;2;16;32;48m" + " " * 20
    canvas.paint(0, 5, "é", 0)
    canvas.paint(0, 8, "x", 0)
    assert canvas.changes() == "\x1b[1;6H\x1b[49mé\x1b[1;9Hx"


def test_no_pen_is_changed_for_blanks_of_the_same_ground() -> None:
    canvas, palette = drawn()
    canvas.paint(0, 0, "Rex", palette.number(Style(color="#ff0000", bold=True)))
    canvas.paint(0, 3, "   ", palette.number(Style(color="#00ff00")))
    assert canvas.changes() == "\x1b[1H\x1b[1;38;2;255;0;0mRex"
    canvas.paint(0, 0, "   ", palette.number(Style(italic=True)))
    assert canvas.changes() == "\x1b[1G   "


def test_near_changes_are_sent_in_one_unless_another_pen_lies_between() -> None:
    canvas, palette = drawn()
    red = palette.number(Style(color="#ff0000"))
    canvas.paint(0, 0, "a-b", 0)
    canvas.paint(0, 3, "a", 0)
    canvas.paint(0, 4, "-", red)
    canvas.paint(0, 5, "b", 0)
    canvas.changes()
    canvas.paint(0, 0, "A-BA", 0)
    canvas.paint(0, 5, "B", 0)
    assert canvas.changes() == "\x1b[1GA-BA\x1b[CB"


def test_controls_in_a_text_never_reach_the_terminal() -> None:
    canvas, _ = drawn()
    canvas.paint(0, 0, "a\x1b]52;c;x\x07\x9b2J\uffff", 0)
    assert set(canvas.changes().replace("\x1b[1H", "")).isdisjoint("\x1b\x07\x9b\uffff")


def test_a_note_lies_over_the_first_row_until_it_is_taken_away() -> None:
    canvas, palette = drawn()
    canvas.paint(0, 0, "below", 0)
    canvas.note("goodbye", palette.note)
    assert "goodbye" in canvas.changes()
    canvas.note("", palette.note)
    assert "below" in canvas.changes()


def test_clusters_are_sent_whole_and_the_cursor_is_placed_anew_behind_them() -> None:
    canvas, _ = drawn()
    canvas.paint(0, 0, "e\u0301x👩\u200d🚀y", 0)
    text = canvas.changes()
    assert "e\u0301" in text
    assert "👩\u200d🚀" in text


def test_what_is_outside_of_the_terminal_is_not_drawn() -> None:
    canvas, _ = drawn()
    assert canvas.paint(HEIGHT, 0, "x", 0) == 1
    canvas.paint(0, WIDTH - 2, "abcd", 0)
    assert canvas.changes() == f"\x1b[1;{WIDTH - 1}Hab"


def looks(cell: pyte.screens.Char) -> tuple[object, ...]:
    """Give what is seen of a cell: of a blank, its ground."""
    if cell.data == " " and not cell.reverse:
        return " ", cell.bg
    return cell.data, cell.bg, cell.fg, cell.bold, cell.reverse


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(RUNS, min_size=1, max_size=6), min_size=1, max_size=5), st.booleans())
def test_whatever_is_painted_a_terminal_shows_it(
    frames: list[list[tuple[int, int, str, Style]]], erases: bool
) -> None:
    canvas, palette = drawn(erases=erases)
    screen, model = pyte.Screen(WIDTH, HEIGHT), pyte.Screen(WIDTH, HEIGHT)
    stream, painter = pyte.Stream(screen), pyte.Stream(model)
    stream.feed("\x1b[?7l")
    for frame in frames:
        for y, x, drawn_text, style in frame:
            text = "".join(c for c in drawn_text[: WIDTH - x] if cell_len(c) == 1)
            canvas.paint(y, x, text, palette.number(style))
            pen = palette.pens[palette.number(style)]
            painter.feed(f"\x1b[{y + 1};{x + 1}H{pen.after(Pen(('?',)))}{text}")
        stream.feed(canvas.changes())
        for y in range(HEIGHT):
            shown = [looks(screen.buffer[y][x]) for x in range(WIDTH)]
            assert shown == [looks(model.buffer[y][x]) for x in range(WIDTH)]


def test_a_pen_is_changed_by_what_differs() -> None:
    red, blue = Pen((), ("31",), ("44",)), Pen((), ("34",), ("44",))
    assert blue.after(red) == "\x1b[34m"
    assert Pen().after(red) == "\x1b[39;49m"
    assert Pen(("1",)).after(red) == "\x1b[1;39;49m"
    assert Pen().after(Pen(("1", "7"))) == "\x1b[22;27m"
    assert Pen(("2",)).after(Pen(("1", "2"))) == "\x1b[22;2m"
    assert red.after(Pen(("?",))) == "\x1b[0;31;44m"
    assert red.after(red) == ""


def test_each_kind_of_terminal_gets_its_own_colours() -> None:
    style = Style(color="#ff0000", bold=True)
    pens = {}
    for colours in Colours:
        palette = Palette(colours)
        pens[colours] = palette.pens[palette.number(style)].ink
    assert pens[Colours.TRUE] == ("38", "2", "255", "0", "0")
    assert pens[Colours.MANY] == ("38", "5", "9") or pens[Colours.MANY][:2] == ("38", "5")
    assert pens[Colours.SIXTEEN] in (("31",), ("91",))
    assert pens[Colours.NONE] == ()
