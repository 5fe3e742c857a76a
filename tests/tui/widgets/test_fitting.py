"""What matters least gives way first, step by step, until a row fits."""

from __future__ import annotations

import pytest

from pettui.appearance.glyphs import GlyphSet
from pettui.tui.widgets.fitting import Part, fitted

GLYPHS = GlyphSet()
DOT = (" · ", "muted")
ROW = [
    Part([("a long name", "")], {2: [("a name", "")]}, {3: 4}),
    Part([("12 rows", "")], {1: ()}, before=DOT),
    Part([("F1 Help", "key")], {4: ()}, before=DOT),
]


@pytest.mark.parametrize(
    ("room", "row"),
    [
        (31, "a long name · 12 rows · F1 Help"),
        (30, "a long name · F1 Help"),
        (20, "a name · F1 Help"),
        (15, "a na… · F1 Help"),
        (14, "a n… · F1 Help"),
        (13, "a name"),
        (5, "a na…"),
        (3, "a n…"),  # it keeps what it must
    ],
)
def test_a_row_takes_as_few_steps_as_it_needs(room: int, row: str) -> None:
    assert "".join(text for text, _ in fitted(GLYPHS, ROW, room).runs) == row


@pytest.mark.parametrize(("room", "is_cut"), [(31, False), (16, False), (15, True), (13, False)])
def test_a_shorter_form_is_not_a_cut_one(room: int, is_cut: bool) -> None:
    assert fitted(GLYPHS, ROW, room).is_cut is is_cut
