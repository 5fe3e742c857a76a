"""What is taken away, in words, and how much of it a clipboard holds."""

from __future__ import annotations

import base64

import pytest

from pettui.client import UnreadablePet
from pettui.models import Pet
from pettui.tui.screens.pet_screen import (
    CLIPBOARD_MAXIMUM,
    ClipboardError,
    Selection,
    clipboard_text,
)

REX = Pet(id=1, name="Rex", category_id=3)
STRANGE = UnreadablePet(0, "name: missing", "{}")


@pytest.mark.parametrize(
    ("elements", "text", "short"),
    [
        ([], "0 rows, as shown", "0 rows"),
        ([REX], "1 row, as shown", "1 row"),
        ([REX] * 1_234, "1,234 rows, as shown", "1,234 rows"),
        ([REX, STRANGE, REX], "2 rows, as shown; 1 unreadable left out", "2 rows"),
    ],
)
def test_a_selection_says_how_many_animals_it_takes(
    elements: list[Pet | UnreadablePet], text: str, short: str
) -> None:
    selection = Selection(elements, "as shown")
    assert (selection.text, selection.short_text) == (text, short)
    assert selection.pets == tuple(each for each in elements if each is REX)


def test_the_clipboard_holds_what_terminals_accept_and_not_a_byte_more() -> None:
    most = "é" * (CLIPBOARD_MAXIMUM // 2)
    assert clipboard_text([most.encode()], 1) == most
    assert len(base64.b64encode(most.encode())) + len("\x1b]52;c;\x07") == 100_000
    with pytest.raises(ClipboardError, match="1 row is too long to copy: 74 kB at most"):
        clipboard_text([most.encode(), b"x"], 1)


def test_pieces_are_read_only_as_far_as_the_clipboard_holds() -> None:
    made = 0

    def pieces() -> object:
        nonlocal made
        for made in range(1_000_000):  # noqa: B007
            yield b"x" * 1_000

    with pytest.raises(ClipboardError):
        clipboard_text(pieces(), 1_000_000)
    assert made < 100
