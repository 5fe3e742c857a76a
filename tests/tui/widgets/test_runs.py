"""Runs of text in styles of their own: cut to a width, and with what was found."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.appearance.glyphs import GlyphSet, glyphs_for
from pettui.settings.settings import Glyphs
from pettui.text.folding import folded_words, found_spans
from pettui.tui.widgets.fitting import Part, fitted
from pettui.tui.widgets.runs import cut_runs, highlighted_runs, width_of
from tests.animals import awkward_texts, words
from tests.appearance.test_glyphs import WIDE_TEXTS

ANY_RUNS = st.lists(st.tuples(WIDE_TEXTS, st.just("")), max_size=6)


@given(runs=ANY_RUNS, width=st.integers(0, 40))
def test_cut_runs_are_whole_or_end_in_an_ellipsis(runs: list[tuple[str, str]], width: int) -> None:
    shown = cut_runs(GlyphSet(), runs, width)
    assert width_of(shown) <= width
    if width_of(runs) > width > 0:
        assert shown[-1][0].endswith("…")
    elif width_of(runs) <= width:
        assert shown == runs


UNICODE = glyphs_for(Glyphs.UNICODE)
ASCII = glyphs_for(Glyphs.ASCII)
LATIN_1 = glyphs_for(Glyphs.ASCII, has_latin_1=True)


def runs(
    text: str, typed: str, glyphs: GlyphSet = UNICODE, limit: int = 500
) -> list[tuple[str, str]]:
    spans = found_spans(text, folded_words(typed))
    return highlighted_runs(glyphs, text, spans, style="name", found_style="found", limit=limit)


RUNS = {
    "nothing": ("Luna", "rex", [("Luna", "name")]),
    "all": ("Luna", "luna", [("Luna", "found")]),
    "a part": ("Luna", "un", [("L", "name"), ("un", "found"), ("a", "name")]),
    "two words side by side": ("Luna", "lu na", [("Luna", "found")]),
    "white space of any length": ("  a \n b", "b", [("a ", "name"), ("b", "found")]),
    "a tab, which is no blank": ("a\tb ", "b", [("a␉", "name"), ("b", "found")]),
    "an accent of its own": ("Sen\u0303or", "n", [("Se", "name"), ("n\u0303", "found"), ("or", "name")]),
    "behind an escape": ("\x1b[31mred", "red", [("␛[31m", "name"), ("red", "found")]),
    "a family, drawn as its members": ("👩\u200d👧x", "👧", [("👩👧", "found"), ("x", "name")]),
    "a flag, drawn as its letters": ("x🇩🇪", "d", [("x", "name"), ("DE", "found")]),
    "a syllable in letters": ("\u1112\u1161\u11ab글", "한", [("한", "found"), ("글", "name")]),
    "no text": ("", "x", []),
}  # fmt: skip


@pytest.mark.parametrize(("text", "typed", "expected"), RUNS.values(), ids=RUNS)
def test_found_text_has_a_style_of_its_own(
    text: str, typed: str, expected: list[tuple[str, str]]
) -> None:
    assert runs(text, typed) == expected


@given(awkward_texts, words, st.sampled_from([UNICODE, ASCII, LATIN_1]), st.integers(1, 12))
def test_highlighting_changes_no_character(
    text: str, typed: str, glyphs: GlyphSet, limit: int
) -> None:
    drawn = runs(text, typed, glyphs, limit)
    assert "".join(piece for piece, _ in drawn) == glyphs.line(text, limit)
    assert all(piece for piece, _ in drawn)
    assert all(one[1] != other[1] for one, other in pairwise(drawn))


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
