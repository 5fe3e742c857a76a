"""What the form knows without an app: what F8 acts on, and the field that a refusal names."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from pettui.outbox.entries import Entry, EntryState
from pettui.tui.form.form_state import F8, TOO_LATE, TakeBackTarget
from pettui.tui.form.pet_form import field_in
from tests.outbox.scripted import an_entry

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
