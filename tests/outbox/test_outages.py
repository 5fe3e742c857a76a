"""What an outage of the service's writes does: POST fails, while GET works."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from pettui.backoff import Backoff
from pettui.client import (
    ErrorBodyError,
    NoAnswerError,
    PetClient,
    PetClientError,
)
from pettui.models import ErrorBody, Pet
from pettui.outbox import EntryState, MemoryEntryStore, Outbox
from pettui.outbox.sending import wait_after_unknown
from pettui.service.app import create_app
from pettui.service.stores.sqlite import SqliteStore
from pettui.service.stores.sqlite_files import connect, open_database
from pettui.service.stores.sqlite_writer import GroupWriter
from tests.outbox.conftest import QUICK
from tests.outbox.scripted import ScriptedClient, states, until
from tests.outbox.stepped_timer import SteppedTimer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.outbox.conftest import MakeOutbox

HOUR = 3600.0
KEY = "a-key-of-the-tests"


def unavailable(code: str = "unavailable", retry_after: float | None = None) -> PetClientError:
    body = ErrorBody(code=code, message="No.", status=503)
    return ErrorBodyError(503, body, maybe_sent=True, transient=True, retry_after=retry_after)


@pytest.mark.parametrize(
    "error",
    [
        unavailable,
        lambda: unavailable("not_stored"),
        lambda: ValueError("a bug"),
        None,
    ],
    ids=["503", "503 not_stored", "a bug", "one id"],
)
async def test_an_hour_without_writes_leaves_at_most_five_entries_unknown(
    make_outbox: MakeOutbox,
    client: ScriptedClient,
    error: Callable[[], Exception] | None,
) -> None:
    if error is None:
        client.ids = [7] * 100  # every response is that to the first
    else:
        client.adds = [error() for _ in range(100)]
    timer = SteppedTimer(HOUR)
    outbox = make_outbox(timer=timer, backoff=Backoff())
    for number in range(12):
        await outbox.add(f"animal {number}", 3, None)
    async with asyncio.timeout(60):
        await timer.has_ended.wait()
    lost = [entry for entry in outbox.entries if entry.state is EntryState.UNKNOWN]
    assert 1 <= len(lost) <= 5
    assert states(outbox).count("animal 11 waiting") == 1


async def test_after_an_outage_the_next_added_animal_makes_all_well(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    client.adds = [unavailable(), unavailable(), unavailable()]
    outbox = make_outbox(timer=SteppedTimer(), backoff=Backoff())
    for number in range(12):
        await outbox.add(f"animal {number}", 3, None)
    await until(outbox, lambda: states(outbox)[-1] == "animal 11 added")
    assert [state.split()[-1] for state in states(outbox)] == ["unknown"] * 3 + ["added"] * 9
    assert outbox.sending.waiting_for is None


@pytest.mark.parametrize(
    ("unknowns", "asked", "least", "most"),
    [
        (1, None, 0.4, 0.5),
        (1, 0.0, 0.4, 0.5),
        (1, 60.0, 60.0, 60.0),
        (1, 1e9, 4600.0, 4600.0),
        (4, 20.0, 22.0, 28.0),
        (5, None, 3600.0, 4600.0),
        (10**9, None, 3600.0, 4600.0),
    ],
)
def test_the_longer_of_the_wait_and_what_the_service_asks_for_counts(
    unknowns: int, asked: float | None, least: float, most: float
) -> None:
    assert least <= wait_after_unknown(Backoff(), unknowns, asked) <= most


async def test_responses_that_are_lost_by_chance_delay_a_queue_for_moments(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    """Four responses in a row are lost; each animal is the newest of the list."""
    client.adds = [unavailable() for _ in range(4)]
    client.lists = [[Pet(id=100 + n, name=f"animal {n}", category_id=3)] for n in range(4)]
    timer = SteppedTimer()
    outbox = make_outbox(timer=timer, backoff=Backoff())
    for number in range(6):
        await outbox.add(f"animal {number}", 3, None)
    await until(outbox, lambda: states(outbox)[-1] == "animal 5 added")
    assert states(outbox).count("animal 3 unknown") == 1
    assert timer.time < 1


async def test_animals_that_are_added_while_every_response_is_lost_are_not_tolerated_for_ever(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    client.adds = [unavailable() for _ in range(100)]
    client.lists = [[Pet(id=100 + n, name=f"animal {n}", category_id=3)] for n in range(100)]
    timer = SteppedTimer(HOUR)
    outbox = make_outbox(timer=timer, backoff=Backoff())
    for number in range(30):
        await outbox.add(f"animal {number}", 3, None)
    async with asyncio.timeout(60):
        await timer.has_ended.wait()
    assert len([e for e in outbox.entries if e.state is EntryState.UNKNOWN]) <= 10


async def test_a_service_that_asks_for_no_wait_is_not_probed_without_end(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    client.adds = [unavailable(retry_after=0.0)]
    client.lists = [unavailable(retry_after=0.0) for _ in range(40)]
    timer = SteppedTimer()
    outbox = make_outbox(timer=timer, backoff=Backoff())
    await outbox.add("Rex", 3, None)
    await outbox.add("Mimi", 3, None)
    await until(outbox, lambda: states(outbox) == ["Rex unknown", "Mimi added"])
    assert timer.time > 60


async def test_somebody_who_tries_now_does_not_make_the_next_pause_short(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    client.adds = [unavailable(), unavailable(), unavailable()]
    timer = SteppedTimer(0.0)
    outbox = make_outbox(timer=timer, backoff=Backoff())
    for number in range(4):
        await outbox.add(f"animal {number}", 3, None)
    waits = []
    for number in range(3):
        lost = [f"animal {each} unknown" for each in range(number + 1)]
        await until(outbox, lambda lost=lost: states(outbox)[: len(lost)] == lost)
        await until(outbox, lambda: outbox.sending.tries_in > 0)
        waits.append(outbox.sending.tries_in)
        outbox.sending.resume()
    assert waits == sorted(waits)
    assert waits[2] > 9


# ── the embedded service, and the same answer from elsewhere ─────────────────────────────────────


def an_outbox(transport: Any) -> tuple[Outbox, PetClient]:
    client = PetClient("http://store.invalid/v1", KEY, transport=transport)
    return Outbox(MemoryEntryStore(), client, delay=0.0, backoff=QUICK), client


async def test_while_the_embedded_store_cannot_write_every_entry_waits(tmp_path: Path) -> None:
    """Another program locks the file, and then releases it."""
    path = tmp_path / "store.sqlite3"
    store = SqliteStore(open_database(path), GroupWriter(lambda: connect(path, wait=0.05)))
    app = create_app(store, [KEY])
    outbox, client = an_outbox(httpx.ASGITransport(app, raise_app_exceptions=False))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    outbox.start()
    for number in range(12):
        await outbox.add(f"animal {number}", 3, None)
    await until(outbox, lambda: outbox.sending.waiting_for)
    assert "not_stored" in (outbox.sending.waiting_for or "")
    assert {entry.state for entry in outbox.entries} <= {EntryState.WAITING, EntryState.SENDING}
    other.execute("ROLLBACK")
    other.close()
    await until(outbox, lambda: all(entry.pet_id for entry in outbox.entries))
    await outbox.close()
    await client.aclose()
    assert len((await store.list_pets(100, None, None)).pets) == 12
    await store.close()


async def two_waiting(outbox: Outbox) -> None:
    """Add two animals, and wait until the first one stopped the sending."""
    for name in ("Rex", "Mimi"):
        await outbox.add(name, 3, None)
    await until(outbox, lambda: outbox.sending.tries_in > 0)


async def test_a_list_that_is_loaded_meanwhile_ends_no_wait_after_a_lost_response(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    client.adds = [unavailable()]
    outbox = make_outbox(timer=SteppedTimer(0.0), backoff=Backoff())
    await two_waiting(outbox)
    outbox.sending.service_responded()
    assert outbox.sending.tries_in > 0


async def test_a_list_that_is_loaded_meanwhile_ends_no_wait_that_the_service_asked_for(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    too_many = ErrorBody(code="too_many", message="Later.", status=429)
    client.adds = [ErrorBodyError(429, too_many, retry_after=60.0)]
    outbox = make_outbox(timer=SteppedTimer(0.0), backoff=Backoff())
    await two_waiting(outbox)
    outbox.sending.service_responded()
    assert outbox.sending.tries_in == 60


OFFLINE = NoAnswerError("connect to", "127.0.0.1:1", "connection refused")
UNAUTHORIZED = ErrorBodyError(401, ErrorBody(code="unauthorized", message="No.", status=401))


async def test_any_response_ends_the_wait_for_a_service_that_could_not_be_reached(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    client.adds = [OFFLINE]
    outbox = make_outbox(timer=SteppedTimer(0.0), backoff=Backoff())
    await two_waiting(outbox)
    outbox.sending.service_responded(is_automatic=True)
    assert outbox.sending.waiting_for is None
    await until(outbox, lambda: states(outbox) == ["Rex added", "Mimi added"])


async def test_a_key_that_was_refused_is_not_tried_again_by_itself(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    client.adds = [UNAUTHORIZED]
    outbox = make_outbox(backoff=Backoff())
    await two_waiting(outbox)
    outbox.sending.service_responded(is_automatic=True)
    assert outbox.sending.key_error is UNAUTHORIZED
    outbox.sending.service_responded()
    assert outbox.sending.waiting_for is None
    await until(outbox, lambda: states(outbox) == ["Rex added", "Mimi added"])


async def test_a_key_that_is_accepted_again_is_used_after_a_lost_response_too(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    """And the wait after that response goes on."""
    client.adds = [unavailable() for _ in range(3)]
    client.lists = [[], [], UNAUTHORIZED]
    outbox = make_outbox(timer=SteppedTimer(5.0), backoff=Backoff())
    for name in ("Rex", "Mimi", "Tiny", "Otto"):
        await outbox.add(name, 3, None)
    await until(outbox, lambda: outbox.sending.key_error)
    outbox.sending.service_responded()
    assert outbox.sending.waiting_for is not None
    assert (outbox.sending.key_error, outbox.sending.tries_in) == (None, 0)
    await until(outbox, lambda: outbox.sending.tries_in > 0)
    assert outbox.sending.tries_in < HOUR
    assert len(client.listed) == 4
    assert states(outbox)[-1] == "Otto waiting"


@pytest.mark.parametrize("away", [OFFLINE, unavailable()], ids=["no connection", "503"])
async def test_any_response_ends_the_wait_for_the_list_that_comes_after_a_lost_response(
    make_outbox: MakeOutbox, client: ScriptedClient, away: PetClientError
) -> None:
    client.adds = [unavailable()]
    client.lists = [away]
    timer = SteppedTimer(0.6)  # less than the backoff after the list
    outbox = make_outbox(timer=timer, backoff=Backoff())
    await outbox.add("Rex", 3, None)
    await outbox.add("Mimi", 3, None)
    await until(outbox, lambda: outbox.sending.is_service_away)
    outbox.sending.service_responded(is_automatic=True)
    await until(outbox, lambda: states(outbox) == ["Rex unknown", "Mimi added"])
    assert len(client.listed) == 2


async def test_an_outage_with_responses_in_between_leaves_at_most_five_entries_unknown(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    """Every response to an add is lost, some lists fail, and the screen is refreshed each time."""
    client.adds = [unavailable() for _ in range(100)]
    client.lists = [OFFLINE if number % 2 else [] for number in range(100)]
    timer = SteppedTimer(HOUR)
    outbox = make_outbox(timer=timer, backoff=Backoff())
    outbox.subscribe(lambda _: outbox.sending.service_responded(is_automatic=True))
    for number in range(12):
        await outbox.add(f"animal {number}", 3, None)
    async with asyncio.timeout(60):
        await timer.has_ended.wait()
    lost = [entry for entry in outbox.entries if entry.state is EntryState.UNKNOWN]
    assert 1 <= len(lost) <= 5
    assert outbox.sending.adds_wait > 0
