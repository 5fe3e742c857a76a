"""The words, fields and exclusions of a find: what each of them finds."""

from __future__ import annotations

import pytest

from pettui.models.pets import Pet
from pettui.rows.find_terms import toggled_category
from pettui.rows.shown import RowView, shown_rows
from tests.animals import a_pet, an_unreadable, category_name

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


@pytest.mark.parametrize(
    ("typed", "category", "then"),
    [
        ("", 3, "cat:3"),
        ("cat:3", 3, ""),
        ('rex "a  b"', -3, 'rex "a  b" cat:-3'),
        ("category:3 rex categoryId:3", 3, "rex"),
        ("-cat:3 cat>3 cat:33", 3, "-cat:3 cat>3 cat:33 cat:3"),
        ("rex cat:3 cat:4 -cat:5", None, "rex -cat:5"),
    ],
)
def test_a_category_comes_into_a_line_and_out_of_it(
    typed: str, category: int | None, then: str
) -> None:
    assert toggled_category(typed, category) == then
