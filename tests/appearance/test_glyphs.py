"""Texts that are cut, filled and broken by cells; the signs and words of a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pettui.appearance.glyphs import GlyphSet, glyphs_for
from pettui.models.pets import PetStatus
from pettui.settings.settings import Glyphs
from pettui.text.safe import LATIN_1, pieces


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("Señor", ["S", "e", "ñ", "o", "r"]),
        ("Sen\u0303or", ["S", "e", "ñ", "", "o", "r"]),
        ("\u0303n\u0303\u0301", ["<U+0303>", "ñ", "", "<U+0301>"]),
        ("x\u0303Ł\t", ["x", "<U+0303>", "<U+0141>", "^I"]),
        ("🐹\x9b\u00ad", ["<U+1F439>", "<U+009B>", "<U+00AD>"]),
    ],
)
def test_letters_that_a_terminal_has_beyond_ascii_are_drawn_composed(
    text: str, drawn: list[str]
) -> None:
    glyphs = glyphs_for(Glyphs.ASCII, has_latin_1=True)
    assert pieces(text, ascii_only=True, also=LATIN_1) == drawn
    assert glyphs.safe(text) == "".join(drawn)
    assert glyphs.ellipsis == "..."


GLYPH_SETS = [glyphs_for(glyphs) for glyphs in Glyphs]
each_glyph_set = pytest.mark.parametrize("glyphs", GLYPH_SETS, ids=["unicode", "ascii"])
WIDE_TEXTS = st.text(st.sampled_from("ab é小🐹한\u0301 "), max_size=30)


@each_glyph_set
@given(text=WIDE_TEXTS, width=st.integers(-1, 40))
def test_a_cut_text_fits_its_width_and_ends_in_an_ellipsis(
    glyphs: GlyphSet, text: str, width: int
) -> None:
    shown = glyphs.cut(glyphs.safe(text), width)
    assert cell_len(shown) <= max(width, 0)
    if shown != glyphs.safe(text) and width >= len(glyphs.ellipsis):
        assert shown.endswith(glyphs.ellipsis)


@each_glyph_set
@given(text=WIDE_TEXTS, width=st.integers(2, 20), rows=st.integers(1, 4))
def test_a_wrapped_text_keeps_to_its_rows_and_its_width(
    glyphs: GlyphSet, text: str, width: int, rows: int
) -> None:
    lines = glyphs.wrap(glyphs.safe(text), width, rows)
    assert len(lines) <= rows
    assert all(cell_len(line) <= width for line in lines)


def test_a_line_has_single_blanks_and_says_where_it_was_cut() -> None:
    glyphs = GlyphSet()
    assert glyphs.line("  a \n\t b  ") == "a b"
    assert glyphs.line("x" * 600) == "x" * 500 + "…"
    assert glyphs.line(" " * 5000 + "Rex").endswith("…")


def test_statuses_have_a_glyph_and_a_word_and_an_unknown_one_its_own() -> None:
    for glyphs in GLYPH_SETS:
        statuses = ("available", "pending", "sold", None, "x")
        assert len({glyphs.status_glyph(status) for status in statuses}) == 5
        assert glyphs.status_word(None) == "not set"
        assert glyphs.status_word("on loan") == "on loan"


def test_glyphs_of_a_terminal_without_unicode_are_ascii() -> None:
    glyphs = glyphs_for(Glyphs.ASCII)
    signs = (glyphs.cursor, glyphs.new, glyphs.changed, glyphs.error, glyphs.notice, glyphs.done,
             glyphs.waiting, glyphs.dot, glyphs.ellipsis, glyphs.spinner, glyphs.left, glyphs.right,
             *map(glyphs.status_glyph, (*PetStatus, None, "x")), *glyphs.keys.values())  # fmt: skip
    assert all(sign.isascii() for sign in signs)
    assert glyphs.safe("Zoë") == "Zo<U+00EB>"
