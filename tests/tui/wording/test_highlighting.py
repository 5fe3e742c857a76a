"""Highlighting: the line that is drawn anyway, with what was found in a style of its own."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.finding import folded_words, found_spans
from pettui.glyphs import GlyphSet, glyphs_for
from pettui.settings import Glyphs
from pettui.tui.runs import highlighted_runs
from tests.rows.animals import AWKWARD_NAMES, awkward_texts, untimed, words

GLYPH_SETS = {
    "unicode": glyphs_for(Glyphs.UNICODE),
    "ascii": glyphs_for(Glyphs.ASCII),
    "latin 1": glyphs_for(Glyphs.ASCII, has_latin_1=True),
}


def runs(
    text: str, typed: str, glyphs: GlyphSet = GLYPH_SETS["unicode"], limit: int = 500
) -> list[tuple[str, str]]:
    spans = found_spans(text, folded_words(typed))
    return highlighted_runs(glyphs, text, spans, style="name", found_style="found", limit=limit)


RUNS = {
    "nothing": ("Luna", "rex", [("Luna", "name")]),
    "all": ("Luna", "luna", [("Luna", "found")]),
    "a part": ("Luna", "un", [("L", "name"), ("un", "found"), ("a", "name")]),
    "two words side by side": ("Luna", "lu na", [("Luna", "found")]),
    "white space of any length": ("  a \n b", "b", [("a ", "name"), ("b", "found")]),
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


def test_a_terminal_without_unicode_highlights_what_it_draws_instead() -> None:
    assert runs("Señor", "n", GLYPH_SETS["ascii"])[1] == ("<U+00F1>", "found")
    assert runs("Sen\u0303or", "n", GLYPH_SETS["latin 1"])[1] == ("ñ", "found")


def test_what_is_cut_ends_in_an_ellipsis_that_was_not_found() -> None:
    assert runs("Luna Rex", "una", limit=4) == [("L", "name"), ("una", "found"), ("…", "name")]
    assert runs("Luna" + " " * 9, "luna", limit=4)[0] == ("Luna", "found")


@pytest.mark.parametrize("glyphs", GLYPH_SETS.values(), ids=GLYPH_SETS)
@pytest.mark.parametrize("name", AWKWARD_NAMES, ids=ascii)
def test_joined_runs_are_the_plain_line(name: str, glyphs: GlyphSet) -> None:
    drawn = highlighted_runs(glyphs, name, [(0, len(name))], style="", found_style="found")
    assert "".join(text for text, _ in drawn) == glyphs.line(name)


@untimed
@given(awkward_texts, words, st.sampled_from([*GLYPH_SETS.values()]), st.integers(1, 12))
def test_highlighting_changes_no_character(
    text: str, typed: str, glyphs: GlyphSet, limit: int
) -> None:
    drawn = runs(text, typed, glyphs, limit)
    assert "".join(piece for piece, _ in drawn) == glyphs.line(text, limit)
    assert all(piece for piece, _ in drawn)
    assert all(one[1] != other[1] for one, other in pairwise(drawn))
