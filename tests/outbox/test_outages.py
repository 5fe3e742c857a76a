"""What failures mean: of one add, and of an outage in which POST fails while GET works."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.client import (
    Backoff,
    NoErrorBodyError,
    PetClient,
    PetClientError,
    UnreadableAnswerError,
)
from pettui.models.pets import ErrorBody
from pettui.outbox.entries import EntryState, Refusal
from pettui.outbox.outbox import Outbox
from pettui.outbox.outcome import Next, outcome
from pettui.outbox.stores.memory import MemoryEntryStore
from pettui.service.app import create_app
from pettui.service.stores.sqlite import SqliteStore
from tests.outbox.conftest import QUICK
from tests.outbox.scripted import (
    OTHER_STORE,
    STORE,
    ScriptedClient,
    SteppedTimer,
    add,
    an_entry,
    cut,
    numbered,
    offline,
    refusal,
    states,
)
from tests.small_disks import as_root, full_disk, mounted
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from tests.outbox.conftest import MakeOutbox


# ── outcomes ─────────────────────────────────────────────────────────────────────────────────────

SENDING = an_entry(state=EntryState.SENDING)


def page(status: int, **options: object) -> NoErrorBodyError:
    return NoErrorBodyError(status, "text/html, 1.2 kB", **options)


@pytest.mark.parametrize(
    ("error", "state", "then"),
    [
        (offline(), EntryState.WAITING, Next.WAIT),
        (cut(), EntryState.UNKNOWN, Next.PROBE_FIRST),
        (refusal(401), EntryState.WAITING, Next.NEED_API_KEY),
        (page(401), EntryState.WAITING, Next.NEED_API_KEY),
        (refusal(429), EntryState.WAITING, Next.SLOW_DOWN),
        (page(429), EntryState.WAITING, Next.SLOW_DOWN),
        (refusal(400), EntryState.REFUSED, Next.GO_ON),
        (refusal(403), EntryState.REFUSED, Next.GO_ON),
        (page(404), EntryState.REFUSED, Next.PROBE_FIRST),
        (refusal(500), EntryState.UNKNOWN, Next.PROBE_FIRST),
        (refusal(503), EntryState.UNKNOWN, Next.PROBE_FIRST),
        (refusal(503, code="not_stored"), EntryState.UNKNOWN, Next.PROBE_FIRST),
        (page(502), EntryState.UNKNOWN, Next.PROBE_FIRST),
        (page(302), EntryState.UNKNOWN, Next.PROBE_FIRST),
        (UnreadableAnswerError(201, "no JSON"), EntryState.UNKNOWN, Next.PROBE_FIRST),
        (UnreadableAnswerError(200, "a portal"), EntryState.UNKNOWN, Next.PROBE_FIRST),
    ],
    ids=str,
)
def test_each_failure_has_its_outcome(error: PetClientError, state: EntryState, then: Next) -> None:
    result = outcome(SENDING, error)
    assert (result.entry.state, result.then) == (state, then)


AGAIN = an_entry(
    state=EntryState.SENDING, store_id=STORE, refusal=Refusal("an earlier try had no response")
)


@pytest.mark.parametrize(
    ("error", "first", "later", "then"),
    [
        (offline(), EntryState.WAITING, EntryState.SENDING, Next.WAIT),
        (refusal(401), EntryState.WAITING, EntryState.SENDING, Next.NEED_API_KEY),
        (refusal(429), EntryState.SENDING, EntryState.SENDING, Next.SLOW_DOWN),
        (refusal(429, store_id=STORE), EntryState.SENDING, EntryState.SENDING, Next.SLOW_DOWN),
        (refusal(400, store_id=STORE), EntryState.REFUSED, EntryState.REFUSED, Next.GO_ON),
        (page(413, store_id=STORE), EntryState.REFUSED, EntryState.REFUSED, Next.GO_ON),
        *(
            (error, EntryState.SENDING, EntryState.SENDING, Next.PROBE_FIRST)
            for error in (
                cut(),
                refusal(400),
                refusal(400, store_id=OTHER_STORE),
                refusal(412, code="other_store", store_id=OTHER_STORE),
                refusal(412, code="other_store", store_id=STORE),
                page(403),
                page(302),
                refusal(503, store_id=STORE),
                refusal(503, code="not_stored"),
                UnreadableAnswerError(201, "no JSON", store_id=STORE),
            )
        ),
    ],
    ids=str,
)
def test_each_failure_has_its_outcome_where_a_store_adds_once(
    error: PetClientError, first: EntryState, later: EntryState, then: Next
) -> None:
    results = [outcome(entry, error) for entry in (replace(AGAIN, refusal=None), AGAIN)]
    assert [result.entry.state for result in results] == [first, later]
    assert {result.then for result in results} == {then}


@pytest.mark.parametrize("error", [refusal(429), refusal(400), page(404)], ids=str)
def test_an_entry_one_of_whose_tries_had_no_response_is_unknown_whatever_comes_after(
    error: PetClientError,
) -> None:
    unknown = outcome(SENDING, cut()).entry
    sent_again = unknown.becoming(EntryState.WAITING).becoming(EntryState.SENDING)
    entry = outcome(sent_again, error).entry
    assert entry.state is EntryState.UNKNOWN
    assert entry.error == f"{error}; an earlier try had no response, so it may be there"
    assert outcome(entry.becoming(EntryState.SENDING), error).entry.state is EntryState.UNKNOWN


def test_what_the_very_store_says_is_true_of_the_earlier_try_too() -> None:
    given_up = AGAIN.given_up().becoming(EntryState.WAITING)
    for store_id, state in ((STORE, EntryState.REFUSED), (OTHER_STORE, EntryState.UNKNOWN)):
        sent_again = replace(given_up.becoming(EntryState.SENDING), store_id=store_id)
        assert outcome(sent_again, refusal(400, store_id=store_id)).entry.state is state


def test_an_entry_has_the_error_body_word_for_word_or_what_came_in_its_place() -> None:
    entry = outcome(SENDING, refusal(400)).entry
    assert (entry.refusal.code, entry.refusal.message, entry.refusal.status) == ("no", "No.", 400)
    assert entry.error == "400 no: No."
    entry = outcome(SENDING, page(502)).entry
    assert entry.error == "502 from the service, no Error body: text/html, 1.2 kB"
    assert (entry.refusal.code, entry.refusal.status) == (None, 502)


def test_an_error_body_of_a_megabyte_is_kept_by_its_beginning() -> None:
    error = refusal(400)
    error.body = ErrorBody(code="c" * 10**6, message="m" * 10**6, status=400)
    entry = outcome(SENDING, error).entry
    assert entry.error == f"400 {'c' * 3_996}…"
    assert (entry.refusal.code, entry.refusal.message) == ("c" * 4_000 + "…", "m" * 4_000 + "…")


# ── outages ──────────────────────────────────────────────────────────────────────────────────────

HOUR = 3600.0
UNAUTHORIZED = refusal(401)


@pytest.fixture
async def timer() -> SteppedTimer:
    return SteppedTimer()


@pytest.fixture
async def outbox(make_outbox: MakeOutbox, timer: SteppedTimer) -> Outbox:
    return make_outbox(timer=timer, backoff=Backoff())


def unavailable(retry_after: float | None = None) -> PetClientError:
    return refusal(503, maybe_sent=True, transient=True, retry_after=retry_after)


async def unknown_after_an_hour(outbox: Outbox, timer: SteppedTimer, animals: int = 12) -> int:
    """Add animals, and count those that are unknown when the clock stops."""
    timer.end = HOUR
    await add(outbox, *numbered(animals))
    async with asyncio.timeout(60):
        await timer.has_ended.wait()
    return sum(state.endswith("unknown") for state in states(outbox))


async def two_waiting(outbox: Outbox) -> None:
    await add(outbox, "Rex", "Mimi")
    await until(lambda: outbox.sending.tries_in > 0)


@pytest.mark.parametrize("error", [unavailable, lambda: ValueError("a bug")], ids=["503", "a bug"])
async def test_an_hour_without_writes_leaves_at_most_five_entries_unknown(
    outbox: Outbox,
    client: ScriptedClient,
    timer: SteppedTimer,
    error: Callable[[], Exception],
) -> None:
    client.adds = [error() for _ in range(100)]
    assert 1 <= await unknown_after_an_hour(outbox, timer) <= 5
    assert states(outbox).count("animal 11 waiting") == 1


async def test_an_outage_with_responses_in_between_leaves_at_most_five_entries_unknown(
    outbox: Outbox, client: ScriptedClient, timer: SteppedTimer
) -> None:
    """Every response to an add is lost, some lists fail, and the screen is refreshed each time."""
    client.adds = [unavailable() for _ in range(100)]
    client.lists = [offline() if number % 2 else [] for number in range(100)]
    outbox.subscribe(lambda _: outbox.sending.service_responded(is_automatic=True))
    assert 1 <= await unknown_after_an_hour(outbox, timer) <= 5
    assert outbox.sending.adds_wait > 0


async def test_after_an_outage_the_next_added_animal_makes_all_well(
    outbox: Outbox, client: ScriptedClient, timer: SteppedTimer
) -> None:
    client.adds = [unavailable(), unavailable(), unavailable()]
    await add(outbox, *numbered(12))
    await until(lambda: states(outbox)[-1] == "animal 11 added")
    assert [state.split()[-1] for state in states(outbox)] == ["unknown"] * 3 + ["added"] * 9
    assert outbox.sending.waiting_for is None
    before, client.adds = timer.time, [unavailable()]
    await add(outbox, "Rex", "Mimi")
    await until(lambda: states(outbox)[-2:] == ["Rex unknown", "Mimi added"])
    assert timer.time - before <= 0.5


async def test_a_key_that_was_refused_is_tried_with_one_add_when_a_list_succeeds(
    outbox: Outbox, client: ScriptedClient, timer: SteppedTimer
) -> None:
    """And then after waits that grow, each with a list first."""
    client.adds = [UNAUTHORIZED for _ in range(5)]
    timer.end = 0.0
    await two_waiting(outbox)
    assert outbox.sending.tries_in == inf
    outbox.sending.service_responded(is_automatic=True)
    await until(lambda: 0 < outbox.sending.tries_in < inf)
    assert (len(client.sent), outbox.sending.tries_in) == (2, 30.0)
    assert outbox.sending.api_key_error is UNAUTHORIZED
    outbox.sending.service_responded(is_automatic=True)  # one try, and no more by lists
    assert outbox.sending.tries_in == 30.0
    timer.end, before = 100.0, len(client.listed)
    await until(lambda: len(client.sent) == 4)
    await until(lambda: outbox.sending.tries_in > 60)
    assert len(client.listed) == before + 2
    outbox.sending.service_responded()
    await until(lambda: len(client.sent) == 5)
    assert outbox.sending.tries_in == inf
    outbox.sending.service_responded(is_automatic=True)
    await until(lambda: states(outbox) == ["Rex added", "Mimi added"])


async def test_a_key_that_is_accepted_again_is_used_after_a_lost_response_too(
    outbox: Outbox, client: ScriptedClient, timer: SteppedTimer
) -> None:
    """And the wait after that response goes on."""
    client.adds = [unavailable() for _ in range(3)]
    client.lists = [[], [], UNAUTHORIZED]
    timer.end = 10.0
    await add(outbox, "Rex", "Mimi", "Tiny", "Otto")
    await until(lambda: outbox.sending.api_key_error)
    outbox.sending.service_responded()
    assert outbox.sending.waiting_for is not None
    assert (outbox.sending.api_key_error, outbox.sending.tries_in) == (None, 0)
    await until(lambda: outbox.sending.tries_in > 0)
    assert outbox.sending.tries_in < HOUR
    assert len(client.listed) == 4
    assert states(outbox)[-1] == "Otto waiting"


@pytest.mark.parametrize(
    ("error", "is_automatic", "ends"),
    [
        (offline(), True, True),
        (unavailable(), True, False),
        (unavailable(), False, True),
        (refusal(429, retry_after=60.0), False, False),
    ],
    ids=[
        "of one that could not be reached",
        "not after a lost response, if it is loaded by itself",
        "after a lost response, if somebody asked for it",
        "not one that the service asked for",
    ],
)
async def test_a_list_that_succeeds_ends_the_wait(
    outbox: Outbox,
    client: ScriptedClient,
    timer: SteppedTimer,
    *,
    error: PetClientError,
    is_automatic: bool,
    ends: bool,
) -> None:
    client.adds = [error]
    timer.end = 0.0
    await two_waiting(outbox)
    before = outbox.sending.tries_in
    outbox.sending.service_responded(is_automatic=is_automatic)
    assert outbox.sending.tries_in == (0.0 if ends else before)
    if ends:
        await until(lambda: states(outbox)[1] == "Mimi added")


KEY = "a-key"


@asynccontextmanager
async def embedded(path: Path) -> AsyncIterator[tuple[Outbox, PetClient]]:
    """Open a store in this process, and an outbox for it."""
    store = SqliteStore.open(path)
    transport = httpx.ASGITransport(create_app(store, [KEY]))
    async with PetClient("http://store.invalid/v1", KEY, transport=transport) as client:
        outbox = Outbox(MemoryEntryStore(), client, delay=0.0)
        outbox.sending.backoff = QUICK
        outbox.start()
        yield outbox, client
        await outbox.close()
    await store.close()


async def listed(client: PetClient) -> list[str]:
    return [pet.name async for pet in client.all_pets()]


@as_root
async def test_what_a_full_disk_does_not_store_is_sent_again_until_there_is_room() -> None:
    with mounted("size=1m") as directory:
        async with embedded(directory / "pets.db") as (outbox, client):
            await add(outbox, "Mimi")
            await until(lambda: states(outbox) == ["Mimi added"])
            with full_disk(directory):
                name = "R" * 100_000  # more than the log has room for
                await add(outbox, name)
                await until(lambda: outbox.entries[-1].is_sent_again)
                assert "503 not_stored: The store can't write now" in outbox.entries[-1].error
            await until(lambda: states(outbox) == ["Mimi added", f"{name} added"])
            assert await listed(client) == [name, "Mimi"]
