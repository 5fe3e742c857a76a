"""What the form does and knows, without an app: what F8 acts on, and what may be there already."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Any

import pytest

from pettui.appearance.glyphs import glyphs_for
from pettui.models.pets import Pet
from pettui.outbox import Draft, Entry, EntryState, MemoryEntryStore, Outbox
from pettui.settings.settings import Glyphs, Settings
from pettui.tui.form.form_state import F8, TOO_LATE, Doubts, TakeBackTarget
from pettui.tui.form.pet_form import field_in
from pettui.tui.session.session import UserSession
from tests.outbox.scripted import ScriptedClient, an_entry
from tests.tui.driving import PRODUCTION, FixedClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

REFUSED = an_entry("Ref", EntryState.REFUSED, 1)
REX, TIM = an_entry("Rex", number=2), an_entry("Tim", number=3)
REFUSED_ONE = F8.CORRECT, REFUSED


@dataclass
class Counting:
    """Seconds that are left of each entry's countdown, and a clock that a test moves."""

    seconds: dict[str, float]
    now: float = 100.0
    target: TakeBackTarget = field(init=False)

    def __post_init__(self) -> None:
        self.target = TakeBackTarget(
            lambda entry: self.seconds.get(entry.entry_id, 0.0), lambda: self.now
        )

    def f8(self, *entries: Entry, refused: Entry | None = REFUSED) -> object:
        self.target.observe(entries)
        return self.target.now(entries, refused)


def sent(entry: Entry, state: EntryState = EntryState.SENDING) -> Entry:
    return replace(entry, state=state)


def test_f8_takes_back_what_is_counted_down_for_longest_before_anything_else() -> None:
    counting = Counting({REX.entry_id: 1.0, TIM.entry_id: 2.0})
    assert counting.f8(REFUSED, REX, TIM) == (F8.TAKE_BACK, TIM)
    counting.seconds[REX.entry_id] = 3.0  # an older one that was corrected
    assert counting.f8(REFUSED, REX, TIM) == (F8.TAKE_BACK, REX)


def test_f8_corrects_the_refused_one_before_it_takes_back_one_that_only_waits() -> None:
    counting = Counting({})
    assert counting.f8(REFUSED, REX) == REFUSED_ONE
    assert counting.f8(REFUSED, REX, refused=None) == (F8.TAKE_BACK, REX)
    assert counting.f8(REFUSED, refused=None) is None


@pytest.mark.parametrize("state", [EntryState.SENDING, EntryState.ADDED, EntryState.REFUSED])
def test_just_after_a_countdown_f8_only_says_that_it_is_too_late(state: EntryState) -> None:
    counting = Counting({REX.entry_id: 3.0})
    assert counting.f8(REFUSED, TIM, REX) == (F8.TAKE_BACK, REX)
    counting.seconds, counting.now, gone = {}, 103.0, sent(REX, state)
    assert counting.f8(REFUSED, TIM, gone) == (F8.TOO_LATE, gone)
    counting.now += TOO_LATE
    assert counting.f8(REFUSED, TIM, gone) == REFUSED_ONE


def test_what_waits_on_after_its_countdown_is_taken_back_for_as_long() -> None:
    """In an outage, where nothing goes out."""
    counting = Counting({REX.entry_id: 3.0})
    counting.f8(REFUSED, REX)
    counting.seconds, counting.now = {}, 103.5
    assert counting.f8(REFUSED, REX) == (F8.TAKE_BACK, REX)
    counting.now = 105.0
    assert counting.f8(REFUSED, REX) == REFUSED_ONE


def test_a_countdown_that_is_cut_short_or_taken_back_leaves_nothing_behind() -> None:
    counting = Counting({REX.entry_id: 3600.0})
    counting.f8(REFUSED, REX)
    counting.seconds = {}
    assert counting.f8(REFUSED) == REFUSED_ONE  # taken back
    assert counting.f8(REFUSED, sent(REX)) == (F8.TOO_LATE, sent(REX))  # sent first
    counting.now += TOO_LATE
    assert counting.f8(REFUSED, sent(REX)) == REFUSED_ONE


@asynccontextmanager
async def doubts_about(*entries: Entry) -> AsyncIterator[Doubts]:
    store = MemoryEntryStore()
    for entry in entries:
        store.add(entry)
    client: Any = ScriptedClient()
    outbox = Outbox(store, client, delay=1e6, look_every=inf)
    outbox.start()
    glyphs, clock = glyphs_for(Glyphs.UNICODE), FixedClock()
    session = UserSession(client, outbox, Settings(PRODUCTION), glyphs, clock)
    yield Doubts(session, [Pet(id=7, name="Bim", category_id=3)], knows_all=True)
    await outbox.close()


UNKNOWN_ID = an_entry(number=9).entry_id


@pytest.mark.parametrize(
    ("draft", "name"),
    [
        (Draft("Lost", "dogs"), "Lost"),
        (Draft("Lost", "4"), ""),
        (Draft("Other", "4", copy_of=UNKNOWN_ID), "Lost"),
        (Draft("Other", "4", copy_of=REFUSED.entry_id), ""),
        (Draft("Other", "4", copy_of=an_entry(number=8).entry_id), "Other"),  # nobody knows of it
        (Draft(" ", "3", copy_of=UNKNOWN_ID), ""),
    ],
    ids=str,
)
async def test_what_was_not_surely_refused_may_be_there(draft: Draft, name: str) -> None:
    async with doubts_about(REFUSED, an_entry("Lost", EntryState.UNKNOWN, 9)) as doubts:
        assert doubts.perhaps_added(draft) == name


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (an_entry("Tim"), "Tim 3 Dogs is waiting already"),
        (sent(an_entry("Tim")), "Tim 3 Dogs is being sent already"),
        (replace(an_entry("Tim", EntryState.ADDED), pet_id=9), "9 already has this name and"),
        (an_entry("Tim", EntryState.REFUSED), ""),
    ],
    ids=str,
)
async def test_a_twin_in_the_outbox_is_pointed_out_with_its_state(entry: Entry, said: str) -> None:
    async with doubts_about(entry) as doubts:
        warning = doubts.warning(Draft(" Tim ", "3"))
        assert warning.startswith(said)
        assert bool(warning) == bool(said)
        assert doubts.warning(Draft("Tim", "4")) == ""


@pytest.mark.parametrize(
    ("message", "named"),
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
def test_the_field_that_a_message_names_first(message: str, named: str | None) -> None:
    assert field_in(message) == named
