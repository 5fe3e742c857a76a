"""Bytes from a terminal are cut into tokens; what nobody typed is none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pettui.ssh.input_tokens import PASTE_MAXIMUM, InputTokens, Kind


@pytest.mark.parametrize(
    ("data", "tokens"),
    [
        (b"ab", [(Kind.TEXT, "ab")]),
        ("é金".encode(), [(Kind.TEXT, "é金")]),
        (b"\x1b[A\x1bOP", [(Kind.SEQUENCE, "\x1b[A"), (Kind.SEQUENCE, "\x1bOP")]),
        (b"\x1b[[A", [(Kind.SEQUENCE, "\x1b[[A")]),
        (b"\x1bx", [(Kind.ALT, "x")]),
        (b"\x1b\x1b[A", [(Kind.SEQUENCE, "\x1b"), (Kind.SEQUENCE, "\x1b[A")]),
        (b"\x1b[<0;3;4M", [(Kind.MOUSE, "\x1b[<0;3;4M")]),
        (b"\x1b[I", [(Kind.SEQUENCE, "\x1b[I")]),
        (b"\x1b[200~a\x1b[Ab\x00\x1b[201~c", [(Kind.PASTE, "a\x1b[Ab"), (Kind.TEXT, "c")]),
        (b"\x1b]11;rgb:0/0/0\x07x", [(Kind.TEXT, "x")]),
        (b"\x1bP>|xterm\x1b\\x", [(Kind.TEXT, "x")]),
        (b"\x1b[?62;22cx", [(Kind.TEXT, "x")]),
        (b"\x1b[24;80Rx", [(Kind.TEXT, "x")]),
        (b"\x1b[1114112;1ux", [(Kind.TEXT, "x")]),
        (b"\x1b[55296ux", [(Kind.TEXT, "x")]),
        (b"\x1b[M !!x", [(Kind.TEXT, "x")]),
        (b"\x1b[\x07x", [(Kind.TEXT, "\x07x")]),
        (b"\x1b[" + b"1" * 500 + b"mx", [(Kind.TEXT, "x")]),
    ],
    ids=str,
)
def test_each_is_told_for_what_it_is(data: bytes, tokens: list[tuple[Kind, str]]) -> None:
    assert list(InputTokens().feed(data)) == tokens
    piecewise = InputTokens()
    found = [
        token for place in range(len(data)) for token in piecewise.feed(data[place : place + 1])
    ]
    assert joined(found) == joined(tokens)


def joined(tokens: list[tuple[Kind, str]]) -> list[tuple[Kind, str]]:
    """Join texts that came in several pieces."""
    result: list[tuple[Kind, str]] = []
    for kind, text in tokens:
        if kind is Kind.TEXT and result and result[-1][0] is Kind.TEXT:
            result[-1] = (kind, result[-1][1] + text)
        else:
            result.append((kind, text))
    return result


@pytest.mark.parametrize(
    ("data", "tokens"),
    [
        (b"\x1b", [(Kind.SEQUENCE, "\x1b")]),
        (b"\x1b[", [(Kind.ALT, "[")]),
        (b"\x1b]", [(Kind.ALT, "]")]),
        (b"\x1bO", [(Kind.ALT, "O")]),
        (b"\x1b[12", []),
        (b"\x1b]52;c;", []),
        (b"\x1b[200~abc\x1b", [(Kind.PASTE, "abc\x1b")]),
    ],
    ids=str,
)
def test_what_nothing_follows_is_what_it_was(data: bytes, tokens: list[tuple[Kind, str]]) -> None:
    cutter = InputTokens()
    assert not list(cutter.feed(data))
    assert cutter.patience is not None
    assert list(cutter.time_out()) == tokens
    assert cutter.patience is None


def test_a_paste_is_kept_up_to_its_bound() -> None:
    cutter = InputTokens()
    data = b"\x1b[200~" + b"x" * (PASTE_MAXIMUM * 2) + b"\x1b[201~y"
    assert list(cutter.feed(data)) == [(Kind.PASTE, "x" * PASTE_MAXIMUM), (Kind.TEXT, "y")]


def test_a_string_that_never_ends_keeps_nothing() -> None:
    cutter = InputTokens()
    for _ in range(40):
        list(cutter.feed(b"\x1b]" + b"x" * 1000))
    assert len(cutter._rest) <= 64


@settings(max_examples=300, deadline=None)
@given(st.lists(st.binary(max_size=40) | st.sampled_from([b"\x1b[", b"\x1b]", b"\x1b[200~"])))
def test_any_bytes_give_tokens_and_never_raise(pieces: list[bytes]) -> None:
    cutter = InputTokens()
    for piece in pieces:
        for kind, text in cutter.feed(piece):
            assert kind is Kind.PASTE or text
    list(cutter.time_out())
