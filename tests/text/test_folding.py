"""What a clerk takes for the same letter, and for one character."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import given

from pettui.text.folding import (
    CHARACTERS_MAXIMUM,
    LATIN,
    SINGLE,
    clusters,
    fold,
    folded_clusters,
    folded_words,
    found_spans,
)
from tests.animals import AWKWARD_NAMES, awkward_texts

SAME = {
    "case": ("REX", "rex"),
    "accents": ("Señor", "senor"),
    "Vietnamese": ("Nguyễn Đức", "nguyen duc"),
    "width": ("ｆｕｌｌ　Ｗｉｄｔｈ", "full width"),
    "narrow kana": ("ｶﾞｷﾞ", "ガギ"),
    "sharp s": ("Strauß", "strauss"),
    "ligature": ("ﬁn", "fin"),
    "joined letters": ("Œuvre Ægir Ĳ", "oeuvre aegir ij"),
    "stroke": ("Bjørn Łódź", "bjorn lodz"),
    "Turkish capital dotted i": ("İzmir", "izmir"),
    "Turkish dotless i": ("ırmak", "irmak"),
    "final sigma": ("ΛΌΓΟΣ", "λογος"),
    "Cyrillic": ("ЁЛКА", "елка"),
    "Korean in letters": ("\u1100\u1161\u11a8", "각"),
    "kana in parts": ("か\u3099", "が"),
    "Hebrew points": ("שָׁלוֹם", "שלום"),
    "Arabic hamza": ("أحمد", "احمد"),
    "Arabic shapes": ("ﻼ", "لا"),
    "stretched Arabic": ("محـــمد", "محمد"),
    "raised digits": ("x²", "x2"),
    "apostrophes": ("O’Malley", "o'malley"),
    "hyphens": ("Jean‑Luc", "jean-luc"),
    "a hyphen that is not seen": ("Lu\u00adna", "luna"),
    "emoji and text": ("✈\ufe0f", "✈"),
    "tone of skin": ("👍🏽", "👍"),
    "flag, which is drawn as letters": ("🇩🇪", "de"),
}
DIFFERENT = {
    "a syllable and one with another ending": ("가", "각"),
    "a syllable and its first letter": ("가", "\u1100"),
    "kana with and without strokes": ("が", "か"),
    "vowels of Devanagari": ("कि", "की"),
    "a free-standing accent and a blank": ("¨", " "),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_letters_that_a_clerk_takes_for_the_same_fold_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_letters_that_a_reader_tells_apart_fold_differently(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@given(awkward_texts)
def test_a_text_is_the_sum_of_its_clusters(text: str) -> None:
    assert "".join(folded for _, _, folded in folded_clusters(text)) == fold(text)


@given(awkward_texts)
def test_clusters_cover_the_whole_text(text: str) -> None:
    assert "".join(text[start:end] for start, end in clusters(text)) == text


@given(awkward_texts)
def test_no_word_folds_to_a_text_with_a_blank_or_a_line_break(text: str) -> None:
    assert all(len(fold(word).split()) <= 1 for word in text.split())


def test_characters_that_count_as_single_are_no_marks_and_hide_no_blank() -> None:
    single = [
        chr(code) for code in range(0x20, sys.maxunicode + 1) if re.fullmatch(SINGLE, chr(code))
    ]
    assert len(single) > 30_000
    assert LATIN.issubset(single)
    joining = [
        character
        for character in single
        if unicodedata.category(character)[0] == "M"
        or (" " in unicodedata.normalize("NFKD", character) and character != " ")
    ]
    assert joining == []


@pytest.mark.parametrize(
    "text", ["x" * 10**6, "é" * 10**6, "👩\u200d" * 10**5, "e" + "\u0301\u0323" * 10**6]
)
def test_no_more_is_folded_than_is_drawn(text: str) -> None:
    assert len(fold(text)) <= CHARACTERS_MAXIMUM


@pytest.mark.parametrize("name", AWKWARD_NAMES, ids=ascii)
def test_folding_twice_changes_nothing(name: str) -> None:
    assert fold(fold(name)) == fold(name)


SPANS = {
    "nothing": ("Luna", "rex", []),
    "a part": ("Luna", "un", ["un"]),
    "case and accent": ("Señor Orejas", "NOR", ["ñor"]),
    "an accent of its own": ("Sen\u0303or", "n", ["n\u0303"]),
    "two words": ("Señor Orejas", "or se", ["Se", "or", "Or"]),
    "words that overlap": ("Lunar", "lun una", ["Luna"]),
    "words side by side": ("Lunar", "lu nar", ["Lu", "nar"]),
    "a word in itself": ("aaaa", "aaa", ["aaaa"]),
    "a sharp s by two": ("Strauß", "uss", ["uß"]),
    "a sharp s by one": ("Strauß", "us", ["uß"]),
    "two by a sharp s": ("Strauss", "ß", ["ss"]),
    "half of a ligature": ("ﬁn", "f", ["ﬁ"]),
    "a letter behind a longer one": ("ßx", "x", ["x"]),
    "a syllable in letters": ("\u1112\u1161\u11ab글", "한", ["\u1112\u1161\u11ab"]),
    "no syllable by another ending": ("각", "가", []),
    "no syllable by its first letter": ("\u1100\u1161\u11a8", "\u1100", []),
    "right to left": ("שָׁלוֹם", "של", ["שָׁל"]),
    "an Indian letter with its vowel": ("कि", "क", ["कि"]),
    "a family by a member": ("x👩\u200d👩\u200d👧y", "👧", ["👩\u200d👩\u200d👧"]),
    "a flag by its letters": ("Rex 🇩🇪", "de", ["🇩🇪"]),
    "over a hyphen that is not seen": ("Lu\u00adna", "luna", ["Lu\u00adna"]),
    "beside one": ("Lu\u00adna", "lu", ["Lu"]),
    "behind several that are not seen": ("L\u00ad\u200bun", "un", ["un"]),
    "half of what is drawn last": ("x" * 499 + "e\u0301", "e", []),
    "beyond what is drawn": ("x" * 600 + "rex", "rex", []),
}


@pytest.mark.parametrize(("text", "typed", "expected"), SPANS.values(), ids=SPANS)
def test_what_was_found_is_highlighted_in_whole_characters(
    text: str, typed: str, expected: list[str]
) -> None:
    assert [text[start:end] for start, end in found_spans(text, folded_words(typed))] == expected
