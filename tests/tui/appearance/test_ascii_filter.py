"""What reaches a terminal without Unicode is ASCII of the same width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color

from pettui.tui.appearance import AsciiFilter


@given(st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=20))
def test_every_text_becomes_ascii_of_the_same_width(text: str) -> None:
    segments = AsciiFilter().apply([Segment(text)], Color(0, 0, 0))
    assert segments[0].text.isascii()
    if cell_len(text) == sum(cell_len(character) for character in text):
        assert cell_len(segments[0].text) == cell_len(text)
