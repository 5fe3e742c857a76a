"""What stands around the rows of the list, from one frozen state and without a screen."""

from __future__ import annotations

from datetime import UTC, datetime

from pettui.appearance.glyphs import glyphs_for
from pettui.models.pets import Pet
from pettui.remembered.seen_lists import SeenLists
from pettui.rows.shown import RowView, ShownRows
from pettui.settings.settings import Glyphs
from pettui.tui.list.chosen_limit import ChosenLimit
from pettui.tui.list.list_state import ListState
from pettui.tui.list.listing import ListQuery, kept_listing
from pettui.tui.list.refreshing import Refreshing
from pettui.tui.session.session import RefreshPace
from tests.clock import Clock

NOON = datetime(2026, 11, 21, 12, 1, 3, tzinfo=UTC)
GLYPHS = glyphs_for(Glyphs.UNICODE)
QUERY = ListQuery(None, 20)
LISTING = kept_listing(QUERY, (Pet(id=1, name="Rex", category_id=3),), NOON)
STATE = ListState(QUERY)


def said(state: ListState) -> str:
    return " · ".join(text[0] for text in state.texts(GLYPHS, NOON))


def test_what_is_waited_for_comes_before_what_waits_is_marked_or_loaded() -> None:
    state = STATE._replace(listing=LISTING, busy="loading", remark="copied", marked=2, hidden=1,
        adds_wait=("adds wait 3 s", "adds wait"),
    )  # fmt: skip
    assert said(state).startswith("loading · adds wait 3 s · copied · 2 marked, 1 not shown · ")


def test_rows_that_are_older_than_their_query_say_of_when_they_are() -> None:
    state = STATE._replace(listing=LISTING)
    assert "12:01:03" not in said(state)
    assert "12:01:03" in said(state._replace(is_stale=True))
    assert "12:01:03" in said(state._replace(is_unconfirmed=True))
    assert said(STATE._replace(is_stale=True)) == "nothing to show yet"


def test_a_tab_is_marked_only_while_its_rows_are_loaded() -> None:
    state = STATE._replace(query=ListQuery("sold", 20), listing=LISTING)
    assert (state.status, state.wanted_status) == (None, None)
    assert state._replace(is_requesting=True).wanted_status == "sold"


def test_esc_is_offered_for_a_range_and_a_find_unless_it_stops_a_request() -> None:
    ranging = STATE._replace(has_range=True)
    assert "undo" in ranging.view_keys
    assert STATE._replace(shown=ShownRows(RowView("rex"))).view_keys == "{put_away}: clear"
    assert ranging._replace(busy="loading").view_keys == ""


def test_the_limit_is_the_chosen_one_or_the_setting_or_as_many_as_there_are_rows() -> None:
    limit = ChosenLimit(SeenLists(), None)
    assert limit.value(60) > limit.value(24)
    assert "automatic" in limit.remark(24)
    limit.choose(7)
    assert limit.value(60) == 7
    limit.choose(None)
    assert ChosenLimit(SeenLists(), 5).value(60) == 5


def test_a_watch_is_said_and_pauses_while_something_is_typed() -> None:
    refreshing = Refreshing(RefreshPace(), lambda _, most: most, Clock())
    assert refreshing.remark(is_typing=False) == ""
    refreshing.watch(10)
    assert refreshing.remark(is_typing=False) == "watch 10 s"
    assert refreshing.remark(is_typing=True) == "watch paused"
    refreshing.failed(is_tried=True)
    assert refreshing.remark(is_typing=False) == "next attempt in 20 s"


def test_until_a_refresh_is_due_it_counts_down_each_second() -> None:
    clock = Clock()
    refreshing = Refreshing(RefreshPace(), max, clock)
    assert refreshing.wakes_in(is_paused=False) is None
    refreshing.watch(2.5)
    assert refreshing.wakes_in(is_paused=False) == 1
    clock.now += 2
    assert refreshing.wakes_in(is_paused=True) == 0.5
    clock.now += 2
    assert refreshing.wakes_in(is_paused=False) == 0
    assert refreshing.wakes_in(is_paused=True) == 1
