"""Text made fit: cut, filled and broken by cells, with an ellipsis where something is missing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pettui.glyphs import GlyphSet, glyphs_for
from pettui.models import PetStatus
from pettui.settings import Glyphs
from pettui.tui.runs import cut_runs, width_of

GLYPH_SETS = [glyphs_for(glyphs) for glyphs in Glyphs]
TEXTS = st.text(st.sampled_from("ab é小🐹한\u0301 "), max_size=30)


@pytest.mark.parametrize("glyphs", GLYPH_SETS, ids=["unicode", "ascii"])
@given(text=TEXTS, width=st.integers(-1, 40))
def test_a_cut_text_fits_its_width_and_ends_in_an_ellipsis(
    glyphs: GlyphSet, text: str, width: int
) -> None:
    shown = glyphs.cut(glyphs.safe(text), width)
    assert cell_len(shown) <= max(width, 0)
    if shown != glyphs.safe(text) and width >= len(glyphs.ellipsis):
        assert shown.endswith(glyphs.ellipsis)


@pytest.mark.parametrize("glyphs", GLYPH_SETS, ids=["unicode", "ascii"])
@given(text=TEXTS, width=st.integers(0, 40))
def test_a_fitted_text_takes_exactly_its_width(glyphs: GlyphSet, text: str, width: int) -> None:
    assert cell_len(glyphs.fit(glyphs.safe(text), width)) == width


@pytest.mark.parametrize("glyphs", GLYPH_SETS, ids=["unicode", "ascii"])
@given(text=TEXTS, width=st.integers(2, 20), rows=st.integers(1, 4))
def test_a_wrapped_text_keeps_to_its_rows_and_its_width(
    glyphs: GlyphSet, text: str, width: int, rows: int
) -> None:
    lines = glyphs.wrap(glyphs.safe(text), width, rows)
    assert len(lines) <= rows
    assert all(cell_len(line) <= width for line in lines)


@given(text=st.text(st.sampled_from("abc "), max_size=60), width=st.integers(3, 20))
def test_a_wrapped_text_is_whole_or_ends_in_an_ellipsis(text: str, width: int) -> None:
    lines = GlyphSet().wrap(text, width, 3)
    if not lines[-1].endswith("…"):
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


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


RUNS = st.lists(st.tuples(TEXTS, st.just("")), max_size=6)


@given(runs=RUNS, width=st.integers(0, 40))
def test_cut_runs_are_whole_or_end_in_an_ellipsis(runs: list[tuple[str, str]], width: int) -> None:
    shown = cut_runs(GlyphSet(), runs, width)
    assert width_of(shown) <= width
    if width_of(runs) > width > 0:
        assert shown[-1][0].endswith("…")
    elif width_of(runs) <= width:
        assert shown == runs


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Señor Orejas", "Señor Orejas"),
        ("Sen\u0303or", "Señor"),
        ("Łukasz", "<U+0141>ukasz"),
        ("Tiny 🐹", "Tiny <U+1F439>"),
        ("\x9b31m\u00ad", "<U+009B>31m<U+00AD>"),
    ],
)
def test_the_letters_of_latin_1_are_drawn_beside_ascii_glyphs(text: str, shown: str) -> None:
    glyphs = glyphs_for(Glyphs.ASCII, has_latin_1=True)
    assert glyphs.safe(text) == shown
    assert glyphs.ellipsis == "..."
