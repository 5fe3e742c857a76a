"""What the form does and knows, without an app: its question, its drafts, what F8 acts on."""

from __future__ import annotations

from asyncio import create_task, sleep
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Any

import pytest

from pettui.appearance.glyphs import glyphs_for
from pettui.models.pets import Pet
from pettui.outbox import Draft, Entry, EntryState, MemoryEntryStore, Outbox, OutboxError
from pettui.settings.settings import Glyphs, Settings
from pettui.tui.form import form_state
from pettui.tui.form.form_state import (
    TOO_LATE,
    Asking,
    Correct,
    Doubts,
    DraftSaving,
    Question,
    RefusedBanner,
    TakeBack,
    TakeBackTarget,
    TooLate,
    Typing,
    Unsaved,
)
from pettui.tui.session.categories import Categories
from pettui.tui.session.session import UserSession
from pettui.tui.widgets.failures import Failure
from tests.outbox.scripted import ScriptedClient, an_entry
from tests.tui.driving import PRODUCTION, FixedClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

REFUSED = an_entry("Ref", EntryState.REFUSED, 1)
REX, TIM = an_entry("Rex", number=2), an_entry("Tim", number=3)


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

    def f8(self, *entries: Entry, refused: Entry | None = None) -> object:
        self.target.observe(entries)
        return self.target.now(entries, refused)


def sent(entry: Entry, state: EntryState = EntryState.SENDING) -> Entry:
    return replace(entry, state=state)


def test_f8_takes_back_the_newest_that_is_counted_down_before_anything_else() -> None:
    counting = Counting({REX.entry_id: 1.0, TIM.entry_id: 2.0})
    assert counting.f8(REFUSED, REX, TIM, refused=REFUSED) == TakeBack(TIM)


def test_f8_corrects_the_refused_one_before_it_takes_back_one_that_only_waits() -> None:
    counting = Counting({})
    assert counting.f8(REFUSED, REX, refused=REFUSED) == Correct(REFUSED)
    assert counting.f8(REFUSED, REX) == TakeBack(REX)
    assert counting.f8(REFUSED) is None


@pytest.mark.parametrize("state", [EntryState.SENDING, EntryState.ADDED, EntryState.REFUSED])
def test_just_after_a_countdown_f8_only_says_that_it_is_too_late(state: EntryState) -> None:
    counting = Counting({REX.entry_id: 3.0})
    assert counting.f8(REFUSED, TIM, REX, refused=REFUSED) == TakeBack(REX)
    counting.seconds, counting.now, gone = {}, 103.0, sent(REX, state)
    assert counting.f8(REFUSED, TIM, gone, refused=REFUSED) == TooLate(gone)
    counting.now += TOO_LATE
    assert counting.f8(REFUSED, TIM, gone, refused=REFUSED) == Correct(REFUSED)


def test_what_waits_on_after_its_countdown_is_taken_back_for_as_long() -> None:
    """In an outage, where nothing goes out."""
    counting = Counting({REX.entry_id: 3.0})
    counting.f8(REFUSED, REX, refused=REFUSED)
    counting.seconds, counting.now = {}, 103.5
    assert counting.f8(REFUSED, REX, refused=REFUSED) == TakeBack(REX)
    counting.now = 105.0
    assert counting.f8(REFUSED, REX, refused=REFUSED) == Correct(REFUSED)


def test_a_countdown_that_is_cut_short_or_taken_back_leaves_nothing_behind() -> None:
    counting = Counting({REX.entry_id: 3600.0})
    counting.f8(REFUSED, REX, refused=REFUSED)
    counting.seconds = {}
    assert counting.f8(REFUSED, refused=REFUSED) == Correct(REFUSED)  # taken back
    assert counting.f8(REFUSED, sent(REX), refused=REFUSED) == TooLate(sent(REX))  # sent first
    counting.now += TOO_LATE
    assert counting.f8(REFUSED, sent(REX), refused=REFUSED) == Correct(REFUSED)


def test_asking_what_f8_does_changes_nothing() -> None:
    counting = Counting({REX.entry_id: 3.0})
    assert counting.target.now((REX,), None) == TakeBack(REX)
    counting.seconds, counting.now = {}, 103.0
    assert counting.target.now((sent(REX),), None) is None


@asynccontextmanager
async def opened(store: MemoryEntryStore) -> AsyncIterator[Outbox]:
    outbox = Outbox(store, ScriptedClient(), delay=1e6, look_every=inf)
    outbox.start()
    yield outbox
    await outbox.close()


class FullDisk(MemoryEntryStore):
    is_full = True

    def keep_draft(self, number: int, draft: Draft) -> None:
        if self.is_full:
            raise OutboxError("no space left on device")
        super().keep_draft(number, draft)


async def test_what_cannot_be_saved_is_tried_again_for_as_long_as_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(form_state, "SAVE_AGAIN", (1.0, 2.0))
    store = FullDisk()
    async with opened(store) as outbox:
        saving = DraftSaving(outbox.drafts, lambda: 7.0)
        found = [
            await saving.save(Draft("Rex"), is_again=is_again)
            for is_again in (False, True, True, False)
        ]
        reason = "no space left on device"
        assert found == [
            Unsaved(reason, seconds, is_news)
            for seconds, is_news in ((1.0, True), (2.0, False), (None, False), (1.0, True))
        ]
        store.is_full = False
        assert await saving.save(Draft("Rex"), is_again=True) is None
    assert [(draft, draft.typed_at) for draft in store.drafts.values()] == [(Draft("Rex"), 7.0)]


async def test_what_is_tried_again_does_not_take_the_place_of_what_came_into_the_form() -> None:
    """The outbox made a copy the draft, and the form below is about to show it."""
    store = FullDisk()
    async with opened(store) as outbox:
        saving = DraftSaving(outbox.drafts, lambda: 7.0)
        assert await saving.save(Draft("Rex")) is not None
        outbox.drafts.leave()
        store.is_full = False
        assert await saving.save(Draft("Rex"), is_again=True) is None
        assert (outbox.drafts.draft, outbox.drafts.all) == (Draft(), [Draft("Rex")])


async def test_what_was_under_way_when_a_failure_was_dismissed_is_no_news() -> None:
    """Else the banner comes again under the next Esc, which is to close the form."""
    async with opened(FullDisk()) as outbox:
        saving = DraftSaving(outbox.drafts, lambda: 7.0)
        under_way = create_task(saving.save(Draft("Rex")))
        await sleep(0)
        saving.dismiss()
        assert (unsaved := await under_way) is not None
        assert not unsaved.is_news
        assert (unsaved := await saving.save(Draft("Rexi"))) is not None
        assert unsaved.is_news


async def test_nothing_is_saved_while_an_entry_leaves_the_form() -> None:
    store = MemoryEntryStore()
    async with opened(store) as outbox:
        saving = DraftSaving(outbox.drafts, lambda: 7.0)
        with saving.held():
            assert await saving.save(Draft("Rex")) is None
    assert store.drafts == {}


@pytest.fixture
async def doubts() -> AsyncIterator[Doubts]:
    store = MemoryEntryStore()
    for entry in (REFUSED, an_entry("Lost", EntryState.UNKNOWN, 9)):
        store.add(entry)
    known = [Pet(id=7, name="Bim", category_id=3)]
    async with opened(store) as outbox:
        yield Doubts(outbox, Categories({3: "Dogs"}, lambda: ()), known)


LOST = Draft("Lost", "dogs")


@pytest.mark.parametrize(
    ("draft", "name"),
    [
        (LOST, "Lost"),
        (Draft("Lost", "4"), ""),
        (Draft("Other", "4", copy_of=an_entry(number=9).entry_id), "Lost"),
        (Draft("Other", "4", copy_of=REFUSED.entry_id), ""),
        (Draft("Other", "4", copy_of=an_entry(number=8).entry_id), "Other"),  # nobody knows of it
        (Draft(" ", "3", copy_of=an_entry(number=9).entry_id), ""),
    ],
    ids=str,
)
async def test_what_was_not_surely_refused_may_be_there(
    doubts: Doubts, draft: Draft, name: str
) -> None:
    assert doubts.perhaps_added(draft) == name


async def test_a_question_that_is_asked_again_is_as_old_as_it_was(doubts: Doubts) -> None:
    question = doubts.ask(LOST, Typing(), opens_added=False)
    assert isinstance(question, Asking)
    again = doubts.ask(LOST, replace(question, at=1.0), opens_added=True)
    assert again == Asking(Question.DOUBLE, "Lost", LOST, 1.0, opens_added=True)
    assert doubts.ask(Draft("New", "3"), again, opens_added=False) is None


async def test_the_line_below_the_name_asks_before_it_warns(doubts: Doubts) -> None:
    question = doubts.ask(LOST, Typing(), opens_added=False)
    assert doubts.text(LOST, question, "F10").startswith("F10 adds it anyway: Lost may have")
    assert doubts.text(LOST, Typing(), "").startswith("Lost may have been added already")
    bim = Draft("Bim", "3")
    assert doubts.text(bim, Typing(), "") == "7 already has this name and category"


@asynccontextmanager
async def refused_twice() -> AsyncIterator[RefusedBanner]:
    store = MemoryEntryStore()
    for entry in (REFUSED, an_entry("Two", EntryState.REFUSED, 2)):
        store.add(entry)
    client: Any = ScriptedClient()
    async with opened(store) as outbox:
        session = UserSession(
            client, outbox, Settings(PRODUCTION), glyphs_for(Glyphs.UNICODE), FixedClock()
        )
        yield RefusedBanner(session, TakeBackTarget(lambda _: 0.0))


async def test_the_banner_names_what_is_corrected_or_else_the_newest_until_it_is_dismissed() -> (
    None
):
    async with refused_twice() as refused:
        banner = refused.in_place_of(None, Draft())
        named = refused.named_in(banner)
        assert banner is not None
        assert banner.title.endswith(" and 1 more")
        assert named is not None
        assert named.name == "Two"
        banner = refused.in_place_of(banner, Draft("Ref", "3", copy_of=REFUSED.entry_id))
        assert refused.named_in(banner) == REFUSED
        refused.dismiss()
        assert refused.in_place_of(banner, Draft()) is None


async def test_another_failure_stays_in_the_banner_unless_an_animal_was_refused_since() -> None:
    other = Failure("Draft not saved", "no space left on device")
    async with refused_twice() as refused:
        banner = refused.in_place_of(other, Draft())
        assert refused.named_in(banner) is not None
        assert refused.in_place_of(other, Draft()) is other
        assert refused.named_in(other) is None


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
    store = MemoryEntryStore()
    store.add(entry)
    async with opened(store) as outbox:
        doubts = Doubts(outbox, Categories({3: "Dogs"}, lambda: ()), ())
        assert doubts.text(Draft(" Tim ", "3"), Typing(), "").startswith(said or "")
        assert bool(doubts.text(Draft("Tim", "3"), Typing(), "")) == bool(said)
        assert doubts.text(Draft("Tim", "4"), Typing(), "") == ""
