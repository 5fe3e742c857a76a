"""Bytes from a terminal are cut into tokens."""

from __future__ import annotations

import pytest

from pettui.terminal.tokenizer import (
    CHARACTER_PATIENCE,
    KEY_PATIENCE,
    PASTE_MAXIMUM,
    Token,
    Tokenizer,
    TokenKind,
)
from tests.terminal.recorded_answers import OTHERS, TERMINALS

TEXT, SEQUENCE, MOUSE = TokenKind.TEXT, TokenKind.SEQUENCE, TokenKind.MOUSE
PASTE, ESC = TokenKind.PASTE, (TokenKind.SEQUENCE, "\x1b")
X = (TEXT, "x")


def joined(tokens: list[Token]) -> list[Token]:
    """Join texts that came in several pieces."""
    result: list[Token] = []
    for kind, text in tokens:
        if kind is TEXT and result and result[-1][0] is TEXT:
            result[-1] = (kind, result[-1][1] + text)
        else:
            result.append((kind, text))
    return result


def tokens_of(*pieces: bytes) -> list[Token]:
    tokenizer = Tokenizer()
    found = [token for piece in pieces for token in tokenizer.feed(piece)]
    return joined([*found, *tokenizer.time_out()])


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[index : index + size] for index in range(0, len(data), size)]


@pytest.mark.parametrize(
    ("data", "tokens"),
    [
        (b"ab", [(TEXT, "ab")]),
        ("é金".encode(), [(TEXT, "é金")]),
        (b"\x1b[A\x1bOP", [(SEQUENCE, "\x1b[A"), (SEQUENCE, "\x1bOP")]),
        (b"\x1b[[x\x1b[[\x1b[A", [X, (SEQUENCE, "\x1b[A")]),
        (b"\x1bO5Px", [(SEQUENCE, "\x1b[1;5P"), X]),
        (b"\x1bO\x1b[A", [(SEQUENCE, "\x1bO"), (SEQUENCE, "\x1b[A")]),
        (b"\x1bO\xc3\xa4", [(SEQUENCE, "\x1bO"), (TEXT, "ä")]),
        (b"\x1bx", [(SEQUENCE, "\x1bx")]),
        (b"\x1bbb", [(SEQUENCE, "\x1bb"), (TEXT, "b")]),
        (b"\x1bM", [(SEQUENCE, "\x1bM")]),
        (b"\x1bPa", [(SEQUENCE, "\x1bP"), (TEXT, "a")]),
        (b"\x1b\xc3\xa4x", [(SEQUENCE, "\x1bä"), X]),
        (b"\x1b\xf0\x9f\x98\x80x", [(SEQUENCE, "\x1b\U0001f600"), X]),
        (b"\x1b\xe4x", [ESC, (TEXT, "äx")]),
        (b"\x1b\x1b[A", [(SEQUENCE, "\x1b"), (SEQUENCE, "\x1b[A")]),
        (b"\x1b]x", [(SEQUENCE, "\x1b]"), X]),
        (b"\x1b[200~a\x1b[Ab\x00\x1b[201~c", [(PASTE, "a\x1b[Ab"), (TEXT, "c")]),
        (b"\x1b[200~K\xe4tzchen\x1b[201~x", [(PASTE, "Kätzchen"), X]),
        (b"\x1b[201~x", [(SEQUENCE, "\x1b[201~"), X]),
        (b"\x1b]11;rgb:0/0\x1b[A", [(SEQUENCE, "\x1b[A")]),
        (b"\x1b]11;rgb:0/0\rx", [(TEXT, "\rx")]),
        (b"\x1b[M !!x", [X]),
        (b"\x1b[32;10;11Mx", [X]),
        (b"\x1b[\x07x", [(SEQUENCE, "\x1b["), (TEXT, "\x07x")]),
        (b"\x1b[" + b"1" * 500 + b"mx", [X]),
    ],
    ids=str,
)
def test_tokens_are_recognised_however_the_input_is_split(data: bytes, tokens: list[Token]) -> None:
    assert tokens_of(data) == tokens
    assert tokens_of(*cut(data, 1)) == tokens
    for index in range(1, len(data)):
        assert tokens_of(data[:index], data[index:]) == tokens


@pytest.mark.parametrize("name", [*TERMINALS, *OTHERS])
def test_a_terminal_s_own_reports_are_not_typing(name: str) -> None:
    answers = {**TERMINALS, **OTHERS}[name]
    data = b"a\x1b[A" + answers + b"x\x1b[B"
    expected = [(TEXT, "a"), (SEQUENCE, "\x1b[A"), X, (SEQUENCE, "\x1b[B")]
    for index in range(len(data)):
        found = tokens_of(data[:index], data[index:])
        assert [each for each in found if each[0] is not TokenKind.MODE_REPORT] == expected


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"K\xe4tzchen", "Kätzchen"),
        (b"\xe4", "ä"),
        (b"\xc3", "Ã"),
        (b"a\x80b\xa4", "a\ufffdb\ufffd"),
        (b"\xe2\x82x", "\ufffdx"),
        (b"\xed\xa0\x80x", "í\ufffd\ufffdx"),
        (b"\xff\xfe", "ÿþ"),
    ],
)
def test_a_letter_in_latin_1_is_that_letter_and_other_broken_bytes_are_replaced(
    data: bytes, text: str
) -> None:
    assert tokens_of(data) == [(TEXT, text)]
    assert tokens_of(b"\x1b[200~" + data + b"\x1b[201~") == [(PASTE, text)]


@pytest.mark.parametrize(
    ("data", "tokens"),
    [
        (b"\x1b", [(SEQUENCE, "\x1b")]),
        (b"\x1b[", [(SEQUENCE, "\x1b[")]),
        (b"\x1b]", [(SEQUENCE, "\x1b]")]),
        (b"\x1b\xe2\x82", [(SEQUENCE, "\x1b\ufffd")]),
        (b"\x1bO", [(SEQUENCE, "\x1bO")]),
        (b"\x1bO5", [(SEQUENCE, "\x1bO"), (TEXT, "5")]),
        (b"\x1b[12", []),
        (b"\x1b[M !", []),
        (b"\x1b]52;c;", []),
        (b"\x1b]52;c;\x1b", [(SEQUENCE, "\x1b")]),
        (b"\x1b[200~abc\x1b", [(PASTE, "abc"), (SEQUENCE, "\x1b")]),
        (b"\x1b[200~abc\x11", [(PASTE, "abc"), (TEXT, "\x11")]),
        (b"\x1b[200~abc\x1b[A\x1bOP", [(PASTE, "abc"), (SEQUENCE, "\x1b[A"), (SEQUENCE, "\x1bOP")]),
        (b"\x1b[200~a\x1b[31mred\n", [(PASTE, "a\x1b[31mred\n")]),
        (b"\x1b[200~\x11", [(TEXT, "\x11")]),
    ],
    ids=str,
)
def test_unfinished_input_is_typed_text_after_a_time_out(data: bytes, tokens: list[Token]) -> None:
    tokenizer = Tokenizer()
    assert not list(tokenizer.feed(data))
    assert tokenizer.patience is not None
    assert list(tokenizer.time_out()) == tokens
    assert tokenizer.patience is None


@pytest.mark.parametrize("before", [b"", b"\x1b"], ids=["alone", "after Esc"])
@pytest.mark.parametrize("character", ["ñ", "語", "🐹"])
def test_a_character_may_come_byte_by_byte_over_a_slow_line(character: str, before: bytes) -> None:
    tokenizer = Tokenizer()
    first, *middle, last = (bytes([byte]) for byte in character.encode())
    for piece in (before + first, *middle):
        assert list(tokenizer.feed(piece)) == []
        assert tokenizer.patience == CHARACTER_PATIENCE > KEY_PATIENCE
    [(_, text)] = tokenizer.feed(last)
    assert text == before.decode() + character
    assert list(tokenizer.feed(b"x\x1b")) == [X]
    assert tokenizer.patience == KEY_PATIENCE  # Esc alone does not wait for a character


@pytest.mark.parametrize("piece", [1_000_000, 4095])
def test_a_paste_is_accepted_up_to_a_size_and_a_longer_one_refused_and_not_cut(piece: int) -> None:
    text = "ä" * (PASTE_MAXIMUM // 2)
    longer, refused = f"{text}x", (TokenKind.PASTE_REFUSED, f"{PASTE_MAXIMUM + 1} {PASTE_MAXIMUM}")
    for pasted, token in ((text, (PASTE, text)), (longer, refused)):
        pieces = cut(f"\x1b[200~{pasted}\x1b[201~y".encode(), piece)
        assert tokens_of(*pieces) == [token, (TEXT, "y")]


def test_a_paste_that_is_too_long_and_never_ends_is_refused_too() -> None:
    tokenizer = Tokenizer(paste_maximum=5)
    assert not list(tokenizer.feed(b"\x1b[200~1234567890\x11"))
    assert list(tokenizer.time_out()) == [(TokenKind.PASTE_REFUSED, "10 5"), (TEXT, "\x11")]


def test_a_paste_may_pause_on_a_slow_connection() -> None:
    """What came of it later would be keys, with an Enter for each of its lines."""
    tokenizer = Tokenizer()
    list(tokenizer.feed(b"\x1b[200~Rex\rMi"))
    assert tokenizer.patience is not None
    assert tokenizer.patience >= 5
    list(tokenizer.feed(b"\x11"))
    assert tokenizer.patience <= 1


def test_an_unfinished_string_ends_with_the_next_entry_id() -> None:
    tokenizer = Tokenizer()
    for _ in range(2000):
        assert not list(tokenizer.feed(b"\x1b]1" + b"x" * 1000))
    assert list(tokenizer.feed(b"\x11")) == [(TEXT, "\x11")]
