"""Which keys a find's prompt offers, without a screen."""

from __future__ import annotations

from pettui.tui.widgets.find import Found, find_keys


def test_esc_clears_the_first_find_and_goes_back_from_a_later_one() -> None:
    found = Found("2 of 20", "2")
    assert find_keys("", found, "").endswith("{close_line} clear")
    assert find_keys("rex", found, "").endswith("{close_line} back")


def test_all_pages_are_offered_only_where_rows_are_not_loaded() -> None:
    hint = ", then M: all pages"
    assert "all pages" in find_keys("", Found("2 of 20", "2", is_part=True), hint)
    assert "all pages" not in find_keys("", Found("2 of 20", "2"), hint)
