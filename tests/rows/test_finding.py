"""Finding: which rows hold the words that were typed, and where."""

from __future__ import annotations

import pytest
from hypothesis import assume, given

from pettui.columns import COLUMNS
from pettui.finding import CHARACTERS_MAXIMUM, folded_words, found_spans
from pettui.models import Pet
from pettui.rows import RowView, shown_rows
from tests.rows.animals import (
    a_pet,
    an_unreadable,
    awkward_texts,
    category_name,
    elements,
    untimed,
    words,
)


def is_found(typed: str, pet: Pet) -> bool:
    return bool(shown_rows([pet], RowView(typed), category_name).indexes)


LUNA = a_pet(1042, "Señora Luna", 7, "pending")
FOUND = [
    "", "   ", "luna", "LUNA", "senora", "señora", "una sen", "luna senora", "1042", "04", "7",
    "vogel", "VÖGEL", "fische", "7 vögel", "pend", "luna 7 pending", "luna luna", "\u0301", "l\u0301una",
]  # fmt: skip
NOT_FOUND = ["lunax", "luna rex", "available", "dogs", "77", "1042 sold", "lunavögel", "a1042", "¨"]


@pytest.mark.parametrize("typed", FOUND)
def test_a_row_must_contain_every_word_anywhere(typed: str) -> None:
    assert is_found(typed, LUNA)


@pytest.mark.parametrize("typed", NOT_FOUND)
def test_a_word_that_is_not_there_is_not_found(typed: str) -> None:
    assert not is_found(typed, LUNA)


@pytest.mark.parametrize(
    ("status", "typed", "found"),
    [
        ("available", "avail", True),
        (None, "not set", True),
        (None, "none", False),
        ("Lost", "lost", True),
        ("very lost", "very LOST", True),
        ("available", "set", False),
        ("", "available", False),
    ],
)
def test_a_status_is_found_by_its_word_and_as_it_was_sent(
    status: str | None, typed: str, found: bool
) -> None:
    assert is_found(typed, a_pet(status=status)) == found


@pytest.mark.parametrize("typed", ["row", "name", "missing", "1", "{}"])
def test_an_unreadable_row_contains_no_word(typed: str) -> None:
    rows = [an_unreadable(), a_pet()]
    assert an_unreadable() not in shown_rows(rows, RowView(typed), category_name).elements


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
    "the other half of it": ("ﬁn", "in", ["ﬁn"]),
    "width": ("ｆｕｌｌ x", "full", ["ｆｕｌｌ"]),
    "a Turkish i": ("İzmir", "i", ["İ", "i"]),
    "a letter behind a longer one": ("ßx", "x", ["x"]),
    "a syllable": ("한글", "글", ["글"]),
    "a syllable in letters": ("\u1112\u1161\u11ab글", "한", ["\u1112\u1161\u11ab"]),
    "no syllable by another ending": ("각", "가", []),
    "no syllable by its first letter": ("\u1100\u1161\u11a8", "\u1100", []),
    "kana": ("ｶﾞｷﾞ", "ギ", ["ｷﾞ"]),
    "no kana by another": ("がか", "か", ["か"]),
    "ideographs": ("猫の名前", "名", ["名"]),
    "right to left": ("שָׁלוֹם", "של", ["שָׁל"]),
    "an Indian letter with its vowel": ("कि", "क", ["कि"]),
    "a family by a member": ("x👩\u200d👩\u200d👧y", "👧", ["👩\u200d👩\u200d👧"]),
    "a hand of any tone": ("👍🏽!", "👍", ["👍🏽"]),
    "a flag by its letters": ("Rex 🇩🇪", "de", ["🇩🇪"]),
    "over a hyphen that is not seen": ("Lu\u00adna", "luna", ["Lu\u00adna"]),
    "beside one": ("Lu\u00adna", "lu", ["Lu"]),
    "markup": ("[bold]x[/]", "[bold]", ["[bold]"]),
    "an escape": ("\x1b[31mred", "red", ["red"]),
    "behind several that are not seen": ("L\u00ad\u200bun", "un", ["un"]),
    "half of what is drawn last": ("x" * 499 + "e\u0301", "e", []),
    "beyond what is drawn": ("x" * 600 + "rex", "rex", []),
}


@pytest.mark.parametrize(("text", "typed", "expected"), SPANS.values(), ids=SPANS)
def test_what_was_found_is_highlighted_in_whole_characters(
    text: str, typed: str, expected: list[str]
) -> None:
    assert [text[start:end] for start, end in found_spans(text, folded_words(typed))] == expected


@untimed
@given(elements, words)
def test_a_row_is_found_where_each_word_is_highlighted_somewhere(row: object, typed: str) -> None:
    if not isinstance(row, Pet):
        return
    texts = [text for column in COLUMNS for text in column.texts(column.value(row), category_name)]
    assert is_found(typed, row) == all(
        any(found_spans(text, [word]) for text in texts) for word in folded_words(typed)
    )


@untimed
@given(awkward_texts)
def test_any_name_is_found_by_its_words(name: str) -> None:
    assume(len(name) < CHARACTERS_MAXIMUM)
    assert is_found(name, a_pet(name=name))
