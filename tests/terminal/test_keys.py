"""Tokens are the keys, clicks and pastes that somebody made, in all of their forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._keyboard_protocol import FUNCTIONAL_KEYS, MODIFIER_FUNCTIONAL_KEYS
from textual._xterm_parser import XTermParser

from pettui.system.capabilities import is_console
from pettui.terminal.keys import KeyParser
from pettui.terminal.tokenizer import Tokenizer
from tests.terminal.recorded_answers import OTHERS, TERMINALS

if TYPE_CHECKING:
    from textual.message import Message


def told(*pieces: bytes, **terminal: bool) -> list[object]:
    """Return the messages of bytes, short: keys as name and character, others as they are."""
    tokenizer, parser = Tokenizer(), KeyParser(**terminal)
    tokens = [token for piece in pieces for token in tokenizer.feed(piece)]
    messages = parser.messages([*tokens, *tokenizer.time_out()])
    return [(m.key, m.character) if isinstance(m, events.Key) else m for m in messages]


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b"\x1b[97u", ("a", "a")),
        (b"\x1b[97;1:2u", ("a", "a")),
        (b"\x1b[97;1:1;97u", ("a", "a")),
        (b"\x1b[97:65;2;65u", ("A", "A")),
        (b"\x1b[97;65u", ("A", "A")),  # caps lock
        (b"\x1b[97;129u", ("a", "a")),  # num lock
        (b"\x1b[49:33;2u", ("exclamation_mark", "!")),
        (b"\x1b[97;5u", ("ctrl+a", None)),
        (b"\x1b[97;3u", ("alt+a", None)),
        (b"\x1b[1092::97;5u", ("ctrl+a", None)),  # a Russian layout
        (b"\x1b[1092::97u", ("ф", "ф")),
        (b"\x1b[0;;229u", ("å", "å")),  # an input method
        (b"\x1b[32;1;32u", ("space", " ")),
        (b"\x1b[13u", ("enter", "\r")),
        (b"\x1b[27u", ("escape", None)),
        (b"\x1b[1;1:2A", ("up", None)),
        (b"\x1b[3;5~", ("ctrl+delete", None)),
        (b"\x1b[57404u", ("5", "5")),
        (b"\x1b[57409;1;46u", ("decimal", ".")),
        (b"\x1b[57414u", ("enter", "\r")),
        (b"\x1b[27;5;97~", ("ctrl+a", None)),  # xterm's modifyOtherKeys
        (b"\x1b[27;2;65~", ("A", "A")),
        (b"\x1b[25~", ("f13", None)),
        (b"\x1b[Z", ("shift+tab", None)),
        (b"\x1b[[E", ("f5", None)),
        (b"\x1b[3$", ("shift+delete", None)),
        (b"\x1bO5A", ("ctrl+up", None)),
        (b"\x1bOj", ("asterisk", "*")),
        (b"\x1b\x7f", ("ctrl+w", None)),
        (b"\x1bb", ("ctrl+left", None)),
        (b"\x1bs", ("alt+s", "s")),
        (b"\x7f", ("backspace", "\x7f")),
        (b"\r", ("enter", "\r")),
        (b"-", ("minus", "-")),
        (b"\xe4", ("ä", "ä")),
    ],
    ids=str,
)
def test_a_key_is_recognised_in_every_form(data: bytes, key: tuple[str, str | None]) -> None:
    around = [("j", "j"), key, ("k", "k")]
    assert told(b"j" + data + b"k") == around
    for index in range(1, len(data)):
        assert told(b"j" + data[:index], data[index:] + b"k") == around


ESCAPED = [chr(code) for code in range(0x80)] + list("éÉßǅ€日😀")


def of_textual(data: str) -> list[object]:
    """Return what Textual's own driver makes of a packet, after which nothing comes."""
    parser = XTermParser()
    tokens: list[Message] = [*parser.feed(data)]
    parser._timeout_time = parser._timeout_time and 0.0
    tokens += parser.tick()
    return [(key.key, key.character) for key in tokens if isinstance(key, events.Key)]


@pytest.mark.parametrize("character", ESCAPED, ids=ascii)
def test_an_esc_and_a_character_are_what_textual_s_own_driver_makes_of_them(character: str) -> None:
    data = f"\x1b{character}".encode()
    for index in range(1, len(data)):
        assert told(data[:index], data[index:]) == of_textual(data.decode())


def test_chords_with_alt_in_one_packet_are_each_as_if_alone() -> None:
    chords = [f"\x1b{character}" for character in ESCAPED if character != "\x1b"]
    alone = [key for chord in chords for key in of_textual(chord)]
    # A key follows these that completes a longer sequence.
    longer = [f"\x1b{character}" for character in "[O]PX^_"]
    data = "".join(f"{chord}\x1bs" if chord in longer else chord for chord in chords)
    found = told(data.encode())
    for chord in longer:
        index = found.index(of_textual(chord)[0])
        assert found.pop(index + 1) == ("alt+s", "s")
    assert found == alone


def test_where_alt_is_not_taken_esc_and_a_character_are_two_keys() -> None:
    esc = ("escape", "\x1b")
    keys = told(b"\x1bs\x1bs", takes_alt=False)
    assert keys == [esc, ("s", "s")] * 2
    assert told(b"\x1b\r\x1b\xc3\xa4", takes_alt=False) == [
        esc, ("enter", "\r"), esc, ("ä", "ä"),
    ]  # fmt: skip
    assert told(b"\x1bb\x1b\x7f", takes_alt=False) == [("alt+b", "b"), ("ctrl+w", None)]


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b"\x1b[127;3u", ("ctrl+w", None)),
        (b"\x1b[127;5u", ("ctrl+w", None)),
        (b"\x1b[127;2u", ("backspace", "\x7f")),
        (b"\x1b[13;2u", ("enter", "\r")),
        (b"\x1b[57414;2u", ("enter", "\r")),
        (b"\x1b[27;2u", ("escape", None)),
        (b"\x1b[9;2u", ("shift+tab", None)),
        (b"\x1b[127u", ("backspace", "\x7f")),
    ],
    ids=str,
)
def test_where_alt_is_not_taken_backspace_and_enter_are_as_without_kitty_s_protocol(
    data: bytes, key: tuple[str, str | None]
) -> None:
    assert told(data, takes_alt=False) == [key]


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b"\x1b[1081::113;5u", "ctrl+q"),
        (b"\x1b[1081;5u", "ctrl+q"),  # the terminal does not tell the Latin key
        (b"\x1b[962;5u", "ctrl+w"),
        (b"\x1b[27;5;1089~", "ctrl+c"),
        (b"\x1b[1512;5u", "ctrl+ר"),
        (b"\x1b[97::113;5u", "ctrl+a"),  # a French layout: its own letter
    ],
    ids=str,
)
def test_with_ctrl_a_letter_of_another_script_is_its_latin_key(data: bytes, key: str) -> None:
    assert told(data, takes_latin_keys=True) == [(key, None)]


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (b"\x1b[1086::106;1;1086u", ["о", "j"]),
        (b"\x1b[1086:1054:106;2;1054u", ["О", "J"]),
        (b"\x1b[1102::46;1;1102u", ["ю", "full_stop"]),
        (b"\x1b[1513::97;1;1513u", ["ש", "a"]),
        (b"\x1b[1078:1046:59;2;1046u", ["Ж"]),  # what Shift makes of ";" is not told
        (b"\x1b[233::50;1;233u", ["é"]),
        (b"\x1b[113::97;1;113u", ["q"]),
    ],
    ids=str,
)
def test_a_letter_of_another_script_has_its_latin_key_as_an_alias(
    data: bytes, names: list[str]
) -> None:
    for takes_latin_keys in (True, False):
        parser = KeyParser(takes_latin_keys=takes_latin_keys)
        [key] = parser.messages(Tokenizer().feed(data))
        assert isinstance(key, events.Key)
        assert key.character == names[0]
        assert key.aliases == names[: None if takes_latin_keys else 1]


@pytest.mark.parametrize("pieces", [(b"\x1b\t",), (b"\x1b", b"\t")], ids=len)
def test_esc_and_tab_are_two_keys_but_on_a_console_of_linux(pieces: tuple[bytes, ...]) -> None:
    assert told(*pieces, takes_alt=False) == [("escape", "\x1b"), ("tab", "\t")]
    assert told(*pieces, takes_alt=False, is_console=True) == [("shift+tab", None)]
    consoles = [kind for kind in ("linux", "linux-16color", "xterm", "") if is_console(kind)]
    assert consoles == ["linux", "linux-16color"]


@pytest.mark.parametrize(
    "data",
    [
        b"\x1b[97;1:3u",
        b"\x1b[1;1:3A",
        b"\x1b[1114112;1u",
        b"\x1b[55296u",
        b"\x1b[0u",
        b"\x1b[;;u",
        b"\x1b[:::u",
        b"\x1b[99999999999999999999;99999999999999999999u",
        b"\x1b[27;5;1114112~",
        b"\x1b[999~",
        b"\x1b[1;5R",
        *(f"\x1b[{code}".encode() for code, name in FUNCTIONAL_KEYS.items() if "_" in name and name in MODIFIER_FUNCTIONAL_KEYS),
    ],
    ids=str,
)  # fmt: skip
def test_releases_modifiers_alone_and_invalid_codes_are_no_keys(data: bytes) -> None:
    assert told(b"j" + data + b"k") == [("j", "j"), ("k", "k")]


@pytest.mark.parametrize(
    ("data", "kind", "place"),
    [
        (b"\x1b[<0;10;11M", events.MouseDown, (9, 10)),  # 1006
        (b"\x1b[<0;10;11m", events.MouseUp, (9, 10)),
        (b"\x1b[<35;10;11M", events.MouseMove, (9, 10)),
        (b"\x1b[<0;1310;1411M", events.MouseDown, (1309, 1410)),  # 1016, in pixels
    ],
    ids=str,
)
def test_the_mouse_is_recognised_in_cells_and_in_pixels(
    data: bytes, kind: type[events.MouseEvent], place: tuple[int, int]
) -> None:
    for index in range(len(data)):
        first, event, last = told(b"j" + data[:index], data[index:] + b"k")
        assert (first, last) == (("j", "j"), ("k", "k"))
        assert isinstance(event, kind)
        assert (event.x, event.y) == place


@pytest.mark.parametrize(
    "data",
    [b"\x1b[<0;-1;4M", b"\x1b[<0;0;0M", b"\x1b[<128;3;4M", b"\x1b[<64;3;4m", b"\x1b[<0;3M",
     b"\x1b[<;;M", b"\x1b[<0;999999;3M", b"\x1b[M\x00\x00\x00", b"\x1b[0;0;0M"],
    ids=str,
)  # fmt: skip
def test_a_mouse_report_without_a_valid_cell_or_button_is_ignored(data: bytes) -> None:
    assert told(b"j" + data + b"k") == [("j", "j"), ("k", "k")]


def test_no_response_of_a_terminal_is_a_key() -> None:
    assert told(b"j", TERMINALS["kitty"], b"\x1b[A") == [("j", "j"), ("up", None)]


def test_beyond_the_edge_no_click_counts_and_no_button_stays_pressed() -> None:
    tokens = Tokenizer().feed(b"\x1b[<0;81;1M\x1b[<64;1;25M\x1b[<0;99;99m\x1b[<35;99;1M")
    up, move = KeyParser().messages(tokens, (80, 24))
    assert isinstance(up, events.MouseUp)
    assert (up.x, up.y) == (79, 23)
    assert isinstance(move, events.MouseMove)
    assert (move.x, move.y) == (79, 0)


def test_focus_and_pastes_are_recognised() -> None:
    came, paste, went = told(b"\x1b[I\x1b[200~a\xe4\nb\x1b[201~\x1b[O")
    assert isinstance(came, events.AppFocus)
    assert isinstance(paste, events.Paste)
    assert paste.text == "aä\nb"
    assert isinstance(went, events.AppBlur)


@pytest.mark.parametrize(
    ("pasted", "text"),
    [("שלום\u200e  3", "שלום  3"), ("Rex\u200e", "Rex\u200e"), ("\u200eسلام\u200f", "سلام\u200f")],
    ids=ascii,
)
def test_a_paste_has_no_marks_of_what_was_drawn_beside_right_to_left_names(
    pasted: str, text: str
) -> None:
    [paste] = told(f"\x1b[200~{pasted}\x1b[201~".encode())
    assert isinstance(paste, events.Paste)
    assert paste.text == text


BEGINNINGS = [b"\x1b[", b"\x1b]", b"\x1b]1", b"\x1b[200~", b"\x1bO", b"\x1b[M", b"\x1bP1"]
NUMBERS = st.text(alphabet="0123456789:;", max_size=30)


@given(
    st.lists(
        st.binary(max_size=30)
        | st.sampled_from(BEGINNINGS)
        | st.sampled_from([*TERMINALS.values(), *OTHERS.values()])
        | st.tuples(NUMBERS, st.sampled_from("u~ABCDEFGHPQRSMmctyZ^$@")).map(
            lambda parts: f"\x1b[{parts[0]}{parts[1]}".encode()
        )
        | st.tuples(NUMBERS, st.sampled_from("Mm")).map(
            lambda parts: f"\x1b[<{parts[0]}{parts[1]}".encode()
        ),
        max_size=12,
    )
)
def test_any_bytes_give_messages_and_a_key_after_them_counts(pieces: list[bytes]) -> None:
    tokenizer, parser = Tokenizer(), KeyParser()
    parser.takes_reports = True
    for piece in pieces:
        list(parser.messages(tokenizer.feed(piece)))
    list(parser.messages(tokenizer.time_out()))
    assert tokenizer.patience is None
    [key] = parser.messages(tokenizer.feed(b"\x1b[A"))
    assert isinstance(key, events.Key)
    assert key.key == "up"
