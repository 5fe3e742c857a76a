"""The words of failures, and the lines in which something was found."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.appearance.glyphs import GlyphSet, glyphs_for
from pettui.client import ErrorBodyError, NoErrorBodyError, UnreadableAnswerError
from pettui.models.pets import ErrorBody
from pettui.outbox import Draft, Entry, EntryState, Refusal
from pettui.settings.settings import Glyphs
from pettui.text.folding import folded_words, found_spans
from pettui.tui.form.pet_form import RefusedDraft
from pettui.tui.widgets.failures import failure_of, refusal_of
from pettui.tui.widgets.runs import highlighted_runs
from tests.rows.animals import AWKWARD_NAMES, awkward_texts, words

REFUSED = Entry("1", "Rex", 3, None, EntryState.REFUSED, 0.0)


def test_the_http_status_counts_and_not_the_body_s() -> None:
    body = ErrorBody(code="x", message="y", status=200)
    assert failure_of(ErrorBodyError(404, body)).title == "404 x"


def test_a_401_offers_to_change_the_key_with_or_without_an_error_body() -> None:
    body = ErrorBody(code="unauthorized", message="no", status=401)
    for error in (ErrorBodyError(401, body), NoErrorBodyError(401, "text/html")):
        failure = failure_of(error)
        assert failure.is_unauthorized
        assert failure.hint == "{enter_key} Change API key  {refresh} Retry"


@pytest.mark.parametrize(
    ("error", "title"),
    [
        (NoErrorBodyError(502, "text/html, 1.2 kB", excerpt="<html>"), "No Error body"),
        (NoErrorBodyError(429, "text/html", excerpt="<html>"), "429 too many requests"),
        (NoErrorBodyError(503, "text/html", excerpt="<html>"), "503 unavailable"),
        (UnreadableAnswerError(200, "no list", excerpt="<html>"), "Unexpected response"),
    ],
)
def test_a_response_without_an_error_body_can_be_viewed(
    error: NoErrorBodyError | UnreadableAnswerError, title: str
) -> None:
    failure = failure_of(error)
    assert (failure.title, failure.message, failure.excerpt) == (title, str(error), "<html>")


def test_an_entry_refused_without_an_error_body_shows_what_is_known() -> None:
    failure = refusal_of(replace(REFUSED, refusal=Refusal("413 from the service", status=413)))
    assert (failure.title, failure.message) == ("413 refused", "413 from the service")


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ("categoryId 99 does not exist", "category"),
        ("the category is unknown", "category"),
        ("Name must not be empty: name", "name"),
        ("status must be one of name", "status"),
        ("rename it", None),
        ("", None),
        ("x" * 10_000 + " name", None),
    ],
)
def test_the_field_that_a_message_names_first(message: str, field: str | None) -> None:
    assert RefusedDraft(Draft(), message).field == field


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


def test_a_terminal_without_unicode_highlights_what_it_draws_instead() -> None:
    assert runs("Señor", "n", ASCII)[1] == ("<U+00F1>", "found")
    assert runs("Sen\u0303or", "n", LATIN_1)[1] == ("ñ", "found")


def test_what_is_cut_ends_in_an_ellipsis_that_was_not_found() -> None:
    assert runs("Luna Rex", "una", limit=4) == [("L", "name"), ("una", "found"), ("…", "name")]
    assert runs("Luna" + " " * 9, "luna", limit=4)[0] == ("Luna", "found")


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII, LATIN_1], ids=["unicode", "ascii", "latin 1"])
@pytest.mark.parametrize("name", AWKWARD_NAMES, ids=ascii)
def test_joined_runs_are_the_plain_line(name: str, glyphs: GlyphSet) -> None:
    drawn = highlighted_runs(glyphs, name, [(0, len(name))], style="", found_style="found")
    assert "".join(text for text, _ in drawn) == glyphs.line(name)


@given(awkward_texts, words, st.sampled_from([UNICODE, ASCII, LATIN_1]), st.integers(1, 12))
def test_highlighting_changes_no_character(
    text: str, typed: str, glyphs: GlyphSet, limit: int
) -> None:
    drawn = runs(text, typed, glyphs, limit)
    assert "".join(piece for piece, _ in drawn) == glyphs.line(text, limit)
    assert all(piece for piece, _ in drawn)
    assert all(one[1] != other[1] for one, other in pairwise(drawn))
