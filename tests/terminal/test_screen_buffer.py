"""Only the cells that differ are sent, and a terminal that got them shows the picture."""

from __future__ import annotations

import re
from itertools import islice, product
from typing import Any

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len, split_graphemes
from rich.style import Style

from pettui.system.capabilities import Colours
from pettui.terminal import clusters, sgr
from pettui.terminal.clusters import NARROW
from pettui.terminal.screen_buffer import MARK, ScreenBuffer
from pettui.terminal.sgr import Palette, SgrStyle

WIDTH, HEIGHT = 20, 4
STYLES = (Style(), Style(bold=True, color="red"), Style(bgcolor="#102030"), Style(reverse=True))
RUNS = st.tuples(
    st.integers(0, HEIGHT - 1),
    st.integers(0, WIDTH - 1),
    st.text("ab é金🐹ש ", min_size=1, max_size=12),
    st.sampled_from(STYLES),
)


class Canvas(ScreenBuffer):
    """A screen whose palette is at hand."""

    def __init__(self, *, erases: bool = True) -> None:
        super().__init__(WIDTH, HEIGHT, Palette(Colours.TRUE), erases=erases)

    def sent(self, text: str, x: int = 0, **style: Any) -> str:
        """Return what is sent for a text in the first row."""
        self.paint(0, x, text, self.palette.number(Style(**style)))
        return self.changes()


@pytest.fixture
def canvas() -> Canvas:
    return Canvas()


Sent = list[tuple[str, int, dict[str, Any], str]]  # text, column, style, and what is sent
SENT: dict[str, Sent] = {
    "an unchanged cell is not sent": [
        ("Rex and Mimi", 0, {}, "\x1b[1HRex and Mimi"), ("Rex and Mini", 0, {}, "\x1b[11Gn"),
        ("Rex and Mini", 0, {}, ""),
    ],
    "long blanks are erased with their background": [
        (" " * 20, 0, {"bgcolor": "#102030"}, "\x1b[1H\x1b[48;2;16;32;48m\x1b[20X"),
    ],
    "blanks on the same background need no change of style": [
        ("Rex", 0, {"color": "#ff0000", "bold": True}, "\x1b[1H\x1b[1;38;2;255;0;0mRex"),
        ("   ", 3, {"color": "#00ff00"}, ""), ("   ", 0, {"italic": True}, "\x1b[1G   "),
    ],
    "blinking and concealed text is sent as such": [
        ("a", 0, {"blink": True}, "\x1b[1H\x1b[5ma"),
        ("a", 0, {"conceal": True}, "\x1b[1G\x1b[25;8ma"),
        ("b", 0, {"blink2": True, "frame": True}, "\x1b[1G\x1b[28;6;51mb"),
        ("c", 0, {}, "\x1b[1G\x1b[25;54mc"),
    ],
    "cells that a cluster may cover are sent again after it": [
        ("name abc", 0, {}, "\x1b[1Hname abc"), ("हि", 3, {}, "\x1b[4Gहि\x1b[5G "),
        ("👩\u200d🚀", 3, {}, "\x1b[4G  \x1b[4G👩\u200d🚀\x1b[6Gab"),
    ],
    "a wide cluster that a terminal draws in one cell leaves no trace": [
        ("ab", 0, {}, "\x1b[1Hab"), ("🐹", 0, {}, "\x1b[1G  \x1b[1G🐹"),
    ],
    "a row with marks is sent whole and the cursor is placed before them": [
        ("●  שלום  ● 3", 0, {}, "\x1b[1H●\x1b[2G  \u200eשלום\u200e  ● 3\x1b[K"),
        ("x", 19, {}, "\x1b[1G●\x1b[2G  \u200eשלום\u200e  ● 3       x"),
        ("Rex ", 3, {}, "\x1b[1G●\x1b[2G  Rex   ●\x1b[11G 3       x"),
        ("Tom", 3, {}, "\x1b[4GTom"),
    ],
    "what terminals draw in other widths is kept in its place beside marks": [
        (" ש  कि 3", 0, {}, "\x1b[1H \u200eש\u200e  कि\x1b[6G 3\x1b[K"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("steps", SENT.values(), ids=SENT)
def test_no_more_is_sent_than_a_terminal_needs(steps: Sent, canvas: Canvas) -> None:
    for text, x, style, sent in steps:
        assert canvas.sent(text, x, **style) == sent


def test_a_terminal_that_may_erase_differently_gets_the_blanks_themselves() -> None:
    canvas = Canvas(erases=False)
    sent = canvas.sent(" " * 20, bgcolor="#102030")
    assert sent == "\x1b[1H\x1b[48;2;16;32;48m" + " " * 20
    canvas.paint(0, 5, "ş", 0)
    assert canvas.sent("x", 8) == "\x1b[1;6H\x1b[49mş\x1b[2Cx"


def test_near_changes_are_sent_together_unless_another_style_is_between(canvas: Canvas) -> None:
    canvas.sent("-", 4, color="#ff0000")
    canvas.sent("a-ba")
    canvas.sent("b", 5)
    canvas.paint(0, 0, "A-BA", 0)
    assert canvas.sent("B", 5) == "\x1b[1GA-BA\x1b[CB"


def test_what_is_taken_for_one_cell_each_is_that() -> None:
    narrow = [chr(code) for code in range(0x3000) if NARROW.fullmatch(chr(code))]
    assert len(narrow) > 700
    assert [text for text in narrow if split_graphemes(f"a{text}a")[1] != 3] == []


# Hebrew and Arabic: ⟨ is a mark


def with_marks(sent: str) -> str:
    """Return what is sent without where the cursor is placed, and what is erased at the end."""
    return re.sub(r"\x1b\[[0-9;]*[GHK]", "", sent).replace("\u200e", "⟨")


@pytest.mark.parametrize(
    ("row", "sent"),
    [
        (" 12  שלום  3", " 12  ⟨שלום⟨  3"),
        (" 12  שלום רקס 2!  3", " 12  ⟨שלום רקס 2!⟨  3"),  # one blank is between words
        (" سلام  Rex  רקס", " ⟨سلام⟨  Rex  רקס⟨"),
        ("│שלום │", "│⟨שלום⟨ │"),
        ("שלום  1", "שלום⟨  1"),
        ("a שָׁלוֹם  1", "a ⟨שָׁלוֹם⟨  1"),
        ("a金ש金  1", "a金⟨ש金⟨  1"),
        ("● ש  ● 1", "● ⟨ש⟨  ● 1"),
        ("Rex é 金  1", "Rex é 金  1"),
    ],
)
def test_columns_beside_a_right_to_left_name_are_kept_apart_by_marks(
    canvas: Canvas, row: str, sent: str
) -> None:
    assert with_marks(canvas.sent(row)) == sent
    assert canvas.sent(row) == ""


def test_a_copy_knows_which_rows_have_marks(canvas: Canvas) -> None:
    canvas.sent("a  שלום")
    copy = canvas.copy()
    copy.paint(0, 3, "Rex ", 0)
    assert copy.changes() == "\x1b[1Ga  Rex\x1b[14X"


def test_controls_in_a_text_never_reach_the_terminal(canvas: Canvas) -> None:
    sent = canvas.sent("a\x1b]52;c;x\x07\x9b2J\uffff")
    shown = re.sub(r"\x1b\[[0-9]+[GH]", "", sent)  # where the cursor is placed
    assert shown.rstrip() == "a\ufffd]52;c;x\ufffd\ufffd2J\ufffd"


def test_an_overlay_covers_the_first_row_until_it_is_removed(canvas: Canvas) -> None:
    canvas.paint(0, 0, "below", 0)
    canvas.show_overlay("goodbye")
    assert "goodbye" in canvas.changes()
    canvas.show_overlay("")
    assert "below" in canvas.changes()


def test_however_many_clusters_come_each_is_sent_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "STAND_INS", 2_000)
    monkeypatch.setattr(clusters, "CLUSTERS_MAXIMUM", 500)
    canvas = Canvas()
    canvas.sent("\N{DEVANAGARI LETTER KA}\N{DEVANAGARI VOWEL SIGN AA}")
    marks = [chr(code) for code in range(0x300, 0x310)]
    texts = map("".join, product("ab", marks, marks, marks))
    count = 0
    while shown := "".join(islice(texts, WIDTH)):
        canvas.paint(1 + count % 2, 0, shown, 0)
        assert re.sub(r"\x1b\[[0-9;]*[GH]", "", canvas.changes()) == shown
        count += 1
    assert count * WIDTH > 2 * clusters.STAND_INS
    assert canvas.sent("\N{DEVANAGARI LETTER KA}\N{DEVANAGARI VOWEL SIGN AA}") == ""


def looks(cell: pyte.screens.Char) -> tuple[object, ...]:
    """Return what can be seen of a cell: only the background of a blank."""
    if cell.data == " " and not cell.reverse:
        return " ", cell.bg
    return cell.data, cell.bg, cell.fg, cell.bold, cell.reverse


@given(st.lists(st.lists(RUNS, min_size=1, max_size=6), min_size=1, max_size=5), st.booleans())
def test_whatever_is_painted_a_terminal_shows_it(
    frames: list[list[tuple[int, int, str, Style]]], erases: bool
) -> None:
    canvas = Canvas(erases=erases)
    palette = canvas.palette
    screen, model = pyte.Screen(WIDTH, HEIGHT), pyte.Screen(WIDTH, HEIGHT)
    stream, painter = pyte.Stream(screen), pyte.Stream(model)
    stream.feed("\x1b[?7l")
    for frame in frames:
        for y, x, drawn_text, style in frame:
            text = "".join(c for c in drawn_text[: WIDTH - x] if cell_len(c) == 1)
            canvas.paint(y, x, text, palette.number(style))
            sgr = palette.styles[palette.number(style)]
            painter.feed(f"\x1b[{y + 1};{x + 1}H{sgr.after(SgrStyle(('?',)))}{text}")
        stream.feed(canvas.changes().replace(MARK, ""))  # pyte drops what follows one
        for y in range(HEIGHT):
            shown = [looks(screen.buffer[y][x]) for x in range(WIDTH)]
            assert shown == [looks(model.buffer[y][x]) for x in range(WIDTH)]


def rainbow(count: int) -> list[Style]:
    return [Style(color=f"#{number:06x}", bold=bool(number % 2)) for number in range(count)]


def test_however_many_styles_come_each_is_shown_and_those_that_are_not_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sgr, "STYLES_MAXIMUM", 50)
    canvas = Canvas()
    screen = pyte.Screen(WIDTH, HEIGHT)
    stream = pyte.Stream(screen)
    stream.feed("\x1b[?7l")
    kept = canvas.palette.number(Style(color="#abcdef"))
    canvas.paint(0, 0, "kept", kept)
    canvas.show_overlay("")
    styles = rainbow(1_000)
    for start in range(0, len(styles), WIDTH):
        canvas.forget_styles()
        for x, style in enumerate(styles[start : start + WIDTH]):
            canvas.paint(1, x, "x", canvas.palette.number(style))
        stream.feed(canvas.changes())
        shown = [screen.buffer[1][x].fg for x in range(WIDTH)]
        assert shown == [f"{number:06x}" for number in range(start, start + WIDTH)]
        assert screen.buffer[0][0].fg == "abcdef"
        assert len(canvas.palette.styles) <= 50 + 2 * WIDTH
    canvas.show_overlay("over")
    stream.feed(canvas.changes())
    assert screen.buffer[0][0].reverse


def test_a_screen_of_more_styles_than_are_kept_is_shown_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sgr, "STYLES_MAXIMUM", 5)
    canvas, screen = Canvas(), pyte.Screen(WIDTH, HEIGHT)
    stream = pyte.Stream(screen)
    stream.feed("\x1b[?7l")
    styles = rainbow(WIDTH * HEIGHT)
    for _ in range(3):
        canvas.forget_styles()
        for index, style in enumerate(styles):
            y, x = divmod(index, WIDTH)
            canvas.paint(y, x, "x", canvas.palette.number(style))
        stream.feed(canvas.changes())
    shown = [screen.buffer[y][x].fg for y in range(HEIGHT) for x in range(WIDTH)]
    assert shown == [f"{number:06x}" for number in range(WIDTH * HEIGHT)]
    assert not canvas.palette.is_full


def test_what_a_style_says_of_the_cells_below_it_costs_no_number(canvas: Canvas) -> None:
    red, linked = Style(color="red"), Style(link="https://pets.example")
    metas = [Style.from_meta({"row": row}) for row in range(3_000)]
    before = len(canvas.palette._numbers)
    assert len({canvas.palette.number(red + meta) for meta in metas}) == 1
    assert len({canvas.palette.number(linked + meta) for meta in metas}) == 1
    assert len(canvas.palette._numbers) == before + 2


def test_a_copy_of_a_screen_has_styles_of_its_own(canvas: Canvas) -> None:
    canvas.sent("abc", color="#ff0000")
    copy = canvas.copy()
    assert copy.palette is not canvas.palette
    for one, colour in ((canvas, "#00ff00"), (copy, "#0000ff")):
        one.paint(0, 0, "abc", one.palette.number(Style(color=colour)))
    assert canvas.changes() == "\x1b[1G\x1b[38;2;0;255;0mabc"
    assert copy.changes() == "\x1b[1G\x1b[38;2;0;0;255mabc"


def test_a_link_is_sent_around_its_text_with_an_id_that_joins_its_parts(canvas: Canvas) -> None:
    begin = "\x1b]8;id=f41940f0;https://pets.example\x1b\\"
    end = "\x1b]8;;\x1b\\"
    sent = canvas.sent("Rex", link="https://pets.example") + canvas.sent("x", 5)
    assert sent == f"\x1b[1H{begin}Rex{end}\x1b[6Gx"
    sent = canvas.sent(" " * 12, link="https://pets.example", bold=True)
    assert sent == f"\x1b[1G\x1b[1m{begin}{' ' * 12}{end}"
    assert canvas.sent("y", 12) == "\x1b[22my"


@pytest.mark.parametrize(
    ("link", "is_sent"),
    [
        ("https://pets.example/" + "x" * 2_062, True),
        ("https://pets.example/" + "x" * 2_063, False),
        ("https://pets.example/" + "ä" * 1_031, True),
        ("https://pets.example/" + "ä" * 1_032, False),
        ("https://pets.example/\x1b\\\x1b]52;c;eA==\x07", False),
        ("https://pets.example/\x9d", False),
        ("https://pets.example/\n", False),
    ],
    ids=ascii,
)
def test_a_link_that_is_too_long_or_has_controls_is_none(
    link: str, is_sent: bool, canvas: Canvas
) -> None:
    sent = canvas.sent("Rex", link=link)
    assert (f";{link}\x1b\\Rex" in sent) is is_sent
    assert is_sent or sent == "\x1b[1HRex"


# Clusters that terminals draw in more cells than Rich, or in fewer, or as their user wants.
UNSURE = ["हि", "दी", "மி", "कौ", "👩\u200d🚀", "👍🏽", "✔\ufe0f", "1\ufe0f\u20e3", *"🇩🐹●…·"]
SURE = ["न", "ழ்", "e\u0301", "金", "한", "ş", "é", "│", "▌", "x"]


@pytest.mark.parametrize("cluster", UNSURE)
def test_after_a_cluster_of_unsure_width_the_cursor_is_moved(cluster: str, canvas: Canvas) -> None:
    column = 3 + cell_len(cluster) + 1
    assert f"{cluster}\x1b[{column}Gx" in canvas.sent(f"{cluster}x", 3)


@pytest.mark.parametrize("cluster", SURE)
def test_after_a_cluster_of_certain_width_the_cursor_is_known(cluster: str, canvas: Canvas) -> None:
    assert canvas.sent(f"{cluster}x", 3) == f"\x1b[1;4H{cluster}x"


@pytest.mark.parametrize(
    ("x", "text", "row"),
    [
        (0, "金x", "金x "),
        (1, "x", " x小 "),
        (0, "x", "x 小 "),
        (1, "金", " 金 "),
        (WIDTH - 1, "金", "金小 "),
    ],
)
def test_the_other_half_of_a_cut_wide_character_is_blank(
    x: int, text: str, row: str, canvas: Canvas
) -> None:
    canvas.paint(0, 0, "金小", 0)
    screen = pyte.Screen(WIDTH, HEIGHT)
    pyte.Stream(screen).feed("\x1b[?7l" + canvas.sent(text, x))
    assert screen.display[0].rstrip() == row.rstrip()


COORDINATES = re.compile(r"\x1b\[([0-9;-]*)([A-Za-z])")


@settings(max_examples=40)
@given(
    st.integers(1, 30), st.integers(1, 6), st.booleans(),
    st.lists(
        st.tuples(st.integers(-3, 9), st.integers(0, 40), st.text(max_size=40), st.integers(-99, 99), st.integers(-99, 99))
    ),
)  # fmt: skip
def test_no_coordinate_is_outside_of_the_screen(
    width: int, height: int, erases: bool, runs: list[tuple[int, int, str, int, int]]
) -> None:
    canvas = ScreenBuffer(width, height, Palette(Colours.TRUE), erases=erases)
    for y, x, text, cursor_x, cursor_y in runs:
        canvas.paint(y, x, text, 0)
        sent = canvas.changes() + canvas.move(cursor_x, cursor_y)
        for numbers, kind in COORDINATES.findall(sent):
            assert "-" not in numbers
            parameters = [int(number or 1) for number in numbers.split(";")]
            if kind == "H":
                row, column = [*parameters, 1][:2]
                assert 1 <= row <= height
                assert 1 <= column <= width
            elif kind in "GCX":
                assert 1 <= parameters[0] <= width
