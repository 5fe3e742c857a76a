"""Which rows are shown: those with the words that were typed, and in which order."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pettui.models.pets import INT64_MAXIMUM, INT64_MINIMUM, Pet
from pettui.rows.columns import CATEGORY, COLUMNS, ID, NAME, STATUS, Column
from pettui.rows.find_terms import terms_of, words_in
from pettui.rows.shown import Direction, RowView, ShownRows, shown_rows
from pettui.text.folding import CHARACTERS_MAXIMUM, folded_words, found_spans
from tests.rows.animals import (
    a_pet,
    an_unreadable,
    awkward_texts,
    category_name,
    elements,
    lists,
    words,
)

if TYPE_CHECKING:
    from pettui.rows.shown import Element


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
        (None, "not set", True),
        (None, "none", False),
        ("very lost", "very LOST", True),
        ("", "available", False),
    ],
)
def test_a_status_is_found_by_its_word_and_as_it_was_sent(
    status: str | None, typed: str, found: bool
) -> None:
    assert is_found(typed, a_pet(status=status)) == found


@pytest.mark.parametrize("typed", ["row", "missing", "{}"])
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


SHOP = [
    a_pet(-5, "Luna", 1, "sold"),
    a_pet(5, "Rex", 3, "available"),
    a_pet(50, "Rex 12:30", 13, None),
    a_pet(51, "Two  Words", 3, "sold"),
    a_pet(52, "two more words, c:", 31, "pending"),
    a_pet(53, 'a "tall" one -5 - status:sold', 7, "pending"),
]
EVERY = [-5, 5, 50, 51, 52, 53]
TERMS = {
    "a column by its name": ("status:sold", [-5, 51]),
    "by two letters of its beginning": ("st:sold na:luna", [-5]),
    "in capitals": ("STATUS:Sold", [-5, 51]),
    "a status by its word": ("status:not", [50]),
    "a category by its name": ("cat:dog", [5, 51]),
    "in one column alone": ("name:sold", [53]),
    "digits are the whole number": ("cat:3", [5, 51]),
    "a negative number": ("id:-5", [-5]),
    "zeros in front": ("id:005", [5]),
    "a column by the name of its field": ("categoryId:3 -categoryId>3", [5, 51]),
    "above": ("id>50", [51, 52, 53]),
    "at least": ("id>=50 ca<=3", [51]),
    "below": ("id<5", [-5]),
    "below a negative one": ("id<-5", []),
    "without a word": ("-rex -luna", [51, 52, 53]),
    "without a field": ("-status:sold -id:50", [5, 52, 53]),
    "without a phrase": ('-"two words" -id<50', [50, 51, 52, 53]),
    "without what begins with a hyphen": ("--5", [5, 50, 51, 52]),
    "a phrase": ('"more words"', [52]),
    "a phrase in a column": ('name:"two words"', [51]),
    "an open quotation mark": ('"more wor', [52]),
    "all of it": ('status:sold cat:3 -rex id>50 "two  words"', [51]),
    "quoted digits are text": ('cat:"3"', [5, 50, 51, 52]),
    "a quoted number is text": ('"-5"', [-5, 53]),
    "a quoted field is text": ('"status:sold"', [53]),
    "a mark within a word": ('l"', [53]),
    "a lone hyphen": ("-", [-5, 53]),
    "a time": ("12:30", [50]),
    "no field": ("c:", [52]),
    "an unknown field": ("st:sold colour:red", []),
    "no number to compare with": ("id>5x", []),
    "a column of texts is not compared": ("status>a", []),
    "a folded colon is none": ("status：sold", [53]),
    "a folded hyphen excludes nothing": ("\u22125", [-5, 53]),
    "no value": ('st: id> -id< id>- -st: -" ""', EVERY),
}  # fmt: skip


@pytest.mark.parametrize(("typed", "found"), TERMS.values(), ids=TERMS)
def test_a_line_of_a_find_has_words_fields_and_what_is_left_out(
    typed: str, found: list[int]
) -> None:
    rows = shown_rows(SHOP, RowView(typed), category_name).elements
    assert [row.id for row in rows if isinstance(row, Pet)] == found


def test_an_unreadable_row_has_no_field_and_nothing_to_leave_it_out_for() -> None:
    rows = [an_unreadable(), a_pet(7)]
    assert shown_rows(rows, RowView("id>0"), category_name).elements == (rows[1],)
    assert shown_rows(rows, RowView("-id>0"), category_name).elements == (rows[0],)


@given(elements, words)
def test_a_row_is_found_where_each_word_is_highlighted_somewhere(row: object, typed: str) -> None:
    if not isinstance(row, Pet):
        return
    terms = terms_of(typed)
    assume(not any(term.is_excluded for term in terms))
    assert is_found(typed, row) == all(
        any(
            found_spans(text, words_in([term], column))
            for column in COLUMNS
            for text in column.texts(column.value(row), category_name)
        )
        for term in terms
    )


@given(awkward_texts)
def test_any_name_is_found_by_its_words(name: str) -> None:
    assume(len(name) < CHARACTERS_MAXIMUM)
    assert is_found(name, a_pet(name=name))


UP, DOWN = Direction.ASCENDING, Direction.DESCENDING
columns, directions = st.sampled_from(COLUMNS), st.sampled_from(Direction)
only = st.none() | st.frozensets(st.integers(0, 9))
views = st.builds(
    RowView, words, st.none() | columns, directions, st.none() | columns, directions, only
)


def shown(rows: list[Element], view: RowView, before: ShownRows | None = None) -> ShownRows:
    return shown_rows(rows, view, category_name, before)


def test_found_rows_are_in_the_order_of_the_view() -> None:
    rows = [a_pet(1, "Señora"), a_pet(2, "Rex"), an_unreadable(), a_pet(3, "Senator")]
    seen = shown(rows, RowView("sen", NAME))
    assert seen.indexes == [3, 0]
    assert seen.elements == (rows[3], rows[0])
    assert seen.is_narrowed


@pytest.mark.parametrize("typed", ["  ", "\u0301"])
def test_blanks_and_lone_accents_do_not_filter(typed: str) -> None:
    rows = [a_pet(), an_unreadable()]
    seen = shown(rows, RowView(typed))
    assert seen.elements == tuple(rows)
    assert not seen.is_narrowed


changes = st.lists(
    st.one_of(
        views,
        st.tuples(st.just("page"), lists),
        st.tuples(st.just("refresh"), lists),
        st.tuples(st.just("letter"), st.sampled_from([*'rexs3가 \u0301ßi-":', "id>", "st:"])),
        st.just("backspace"),
        st.just("again"),
    ),
    max_size=8,
)


@settings(max_examples=100)
@given(lists, changes)
def test_reusing_an_earlier_result_changes_nothing(
    rows: list[Element], steps: list[object]
) -> None:
    before: ShownRows | None = None
    view = RowView()
    for step in steps:
        match step:
            case RowView():
                view = step
            case "page", list(page):
                rows = [*rows, *page]
            case "refresh", list(other):
                rows = [*other, *rows[len(other) :]]
            case "letter", str(letter):
                view = view.with_words(view.words + letter)
            case "backspace":
                view = view.with_words(view.words[:-1])
            case _:  # the same animals, read once more
                rows = [copy(row) if isinstance(row, Pet) else row for row in rows]
        before = shown(rows, view, before)
        afresh = shown(rows, view)
        assert list(before.indexes) == list(afresh.indexes)
        assert list(before.order) == list(afresh.order)
        assert before.folded == afresh.folded
        assert before.terms == afresh.terms


@pytest.mark.parametrize("column", [None, *COLUMNS])
@pytest.mark.parametrize("direction", Direction)
def test_a_page_after_many_rows_is_sorted_in_as_if_all_had_come_at_once(
    column: Column | None, direction: Direction
) -> None:
    statuses = ("available", "pending", "sold", None, "lost", "Lost")
    rows: list[Element] = [
        a_pet(n * 7919 % 1000, f"Rex {n % 13}" * (n % 11 > 0), n % 8, statuses[n % 6])
        for n in range(1_000)
    ]
    rows[9::50] = [an_unreadable(index) for index in range(20)]
    view = RowView("e", column, direction)
    before = shown(rows[:980], view)
    assert list(shown(rows, view, before).order) == list(shown(rows, view).order)


def test_each_animal_is_folded_once() -> None:
    asked: list[int] = []

    def name(category: int) -> str:
        asked.append(category)
        return category_name(category)

    rows: list[Element] = [a_pet(index, f"Rex {index}") for index in range(40)]
    seen = shown_rows(rows[:20], RowView(), name)
    for view in (RowView("r"), RowView("re", NAME), RowView("", ID, Direction.DESCENDING)):
        seen = shown_rows(rows[:20], view, name, seen)
    seen = shown_rows(rows, RowView("rex"), name, seen)
    assert len(asked) == 40
    read_again = [copy(row) for row in rows if isinstance(row, Pet)]
    shown_rows([a_pet(7, "Luna"), *read_again[8:]], RowView("rex"), name, seen)
    assert len(asked) == 41


# The order


def in_order(rows: list[Any], column: Column | None, direction: Direction = UP) -> list[Any]:
    return list(shown(rows, RowView("", column, direction)).elements)


NAMES = {
    "case": ["ant", "Bee", "cat", "Dog"],
    "accents": ["Zoe", "Zoé", "Zoë", "Zoea"],
    "accents among others": ["Ábel", "Adam", "Ägir", "Zoe"],
    "the same letters by the text itself": ["REX", "Rex", "rex", "réx"],
    "sharp s": ["Strasse", "Straße", "Strassf"],
    "white space in front": ["  ant", "Bee", "\u00a0cat"],
    "scripts": ["Rex", "Рекс", "שלום", "猫", "각"],
}


@pytest.mark.parametrize("expected", NAMES.values(), ids=NAMES)
def test_names_are_sorted_as_people_expect(expected: list[str]) -> None:
    rows = [a_pet(index, name) for index, name in enumerate(reversed(expected))]
    assert [row.name for row in in_order(rows, NAME)] == expected
    assert [row.name for row in in_order(rows, NAME, DOWN)] == expected[::-1]


def test_blank_names_are_last_in_both_directions() -> None:
    rows = [a_pet(1, " "), a_pet(2, "b"), a_pet(3, ""), a_pet(4, "\u200b")]
    assert [row.id for row in in_order(rows, NAME)] == [4, 2, 1, 3]
    assert [row.id for row in in_order(rows, NAME, DOWN)] == [2, 4, 1, 3]


def test_ids_and_categories_are_sorted_as_numbers() -> None:
    numbers = [INT64_MINIMUM, -10, -9, 0, 2, 10, 100, INT64_MAXIMUM - 1, INT64_MAXIMUM]
    rows = [a_pet(number, category=-1 - number) for number in reversed(numbers)]
    assert [row.id for row in in_order(rows, ID)] == numbers
    assert [row.id for row in in_order(rows, CATEGORY, DOWN)] == numbers


def test_statuses_are_sorted_as_in_the_interface_then_unknown_then_missing_ones() -> None:
    known = ["available", "pending", "sold", "", "lost", "Šold", "zzz"]
    rows = [a_pet(status=status) for status in (None, *reversed(known))]
    assert [row.status for row in in_order(rows, STATUS)] == [*known, None]
    assert [row.status for row in in_order(rows, STATUS, DOWN)] == [*known[::-1], None]


def test_unreadable_rows_are_last_in_the_service_s_order() -> None:
    rows = [an_unreadable(3), a_pet(1, status=None), an_unreadable(1), a_pet(2, "")]
    for column in COLUMNS:
        for direction in Direction:
            assert in_order(rows, column, direction)[2:] == [rows[0], rows[2]]


def test_without_a_column_rows_are_in_the_service_s_order() -> None:
    rows = [a_pet(2), an_unreadable(), a_pet(3), a_pet(1)]
    assert in_order(rows, None) == in_order(rows, None, DOWN) == rows


@given(lists, columns, directions, columns, directions)
def test_a_second_column_orders_what_is_equal_in_the_first(
    rows: list[Element], first: Column, one: Direction, second: Column, other: Direction
) -> None:
    both = shown(rows, RowView("", first, one, second, other)).elements
    assert list(both) == in_order(in_order(rows, second, other), first, one)


def test_the_next_column_goes_from_left_to_right_and_back_to_the_service_s_order() -> None:
    view = RowView("rex")
    for column in (ID, NAME, CATEGORY, STATUS, None):
        view = view.by_next_column()
        assert view == RowView("rex", column)


def test_reversing_and_clicking_a_column() -> None:
    by_name = RowView("rex", NAME)
    assert by_name.reversed() == RowView("rex", NAME, DOWN)
    assert by_name.reversed().reversed() == by_name
    assert by_name.reversed().by_next_column() == RowView("rex", CATEGORY, UP)
    assert RowView().reversed() == RowView()
    assert RowView("rex").by(NAME) == by_name
    assert by_name.by(NAME) == by_name.reversed()
    assert by_name.reversed().by(ID) == RowView("rex", ID, UP)
    assert by_name.is_sorted
    assert not RowView("rex").is_sorted
    assert by_name.with_words("") == RowView("", NAME)
