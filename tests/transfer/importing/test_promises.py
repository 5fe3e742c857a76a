"""Lines sent to a store that promises to add once: each is there once, and none is unknown for long.

The service is the real one, on a store in memory; what is on the way to it fails.
"""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import AsyncExitStack
from itertools import pairwise
from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from pettui.client import Backoff, PetClientError
from pettui.models.pets import NewPet
from pettui.service.stores.sqlite import SqliteStore
from pettui.transfer.files import TransferError
from pettui.transfer.import_run import PATIENCE, HeldError, ImportOptions, ImportRun
from pettui.transfer.journal import Journal
from pettui.transfer.results import LineOutcome, OutcomeKind
from pettui.transfer.runs import LineId, UnknownLine
from tests.outbox.conftest import QUICK
from tests.outbox.scripted import SteppedTimer
from tests.transfer.importing.faulty_path import (
    FaultyPath,
    Request,
    downgrade,
    lose_request,
    lose_response,
    page_behind_it,
    strip_headers,
)
from tests.transfer.importing.test_journal import BOOT, NEXT_BOOT, opened, path_in
from tests.transfer.lines import animals
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from pathlib import Path
    from typing import TypeAlias

    from pettui.client import PetClient
    from pettui.transfer.import_run import ImportProgress
    from pettui.transfer.lines import GoodLine

    Lines: TypeAlias = Sequence[tuple[LineId, GoodLine]]

ADDED, EARLIER = OutcomeKind.ADDED, OutcomeKind.ADDED_EARLIER
REFUSED, UNKNOWN, NOT_SENT = OutcomeKind.REFUSED, OutcomeKind.UNKNOWN, OutcomeKind.NOT_SENT
LINES = animals(6)
NAMES = [f"animal {number}" for number in range(1, 7)]
HOUR = 3600.0


@pytest.fixture
async def path() -> AsyncIterator[FaultyPath]:
    path = FaultyPath()
    yield path
    await path.store.close()


@pytest.fixture
async def other() -> AsyncIterator[FaultyPath]:
    """Another service, on a store of its own."""
    other = FaultyPath()
    yield other
    await other.store.close()


@pytest.fixture
def journal() -> Journal:
    return Journal.in_memory()


@pytest.fixture
async def clients() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


class Runs:
    """Makes runs over lines, with one journal and short waits."""

    def __init__(self, path: FaultyPath, journal: Journal, client: PetClient) -> None:
        self.path = path
        self.journal = journal
        self.client = client

    def of(self, lines: Lines = LINES, **others: object) -> ImportRun:
        """Make a run; it also accepts the fields of ImportOptions."""
        kinds = {"again", "retry_unknown", "parallel"}
        options = ImportOptions(**{name: others.pop(name) for name in kinds & set(others)})
        others = {"on_progress": lambda _: None, "backoff": QUICK} | others
        return ImportRun(self.client, self.journal, lines, options, **others)

    async def run(self, lines: Lines = LINES, **others: object) -> list[OutcomeKind]:
        return kinds(await self.of(lines, **others).run())

    def to(self, path: FaultyPath, clients: AsyncExitStack) -> Runs:
        """Return runs with the same journal that get to another service."""
        client = path.client()
        clients.push_async_callback(client.aclose)
        return Runs(path, self.journal, client)


@pytest.fixture
async def runs(path: FaultyPath, journal: Journal) -> AsyncIterator[Runs]:
    async with path.client() as client:
        yield Runs(path, journal, client)


def kinds(outcomes: Sequence[LineOutcome]) -> list[OutcomeKind]:
    return [outcome.kind for outcome in outcomes]


def answer(status: int, **headers: str) -> Callable[[Request], Awaitable[None]]:
    """Return what answers as a proxy does that knows the interface, but not of keys."""
    body = json.dumps({"code": "no", "message": "No.", "status": status}).encode()
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]

    async def respond(request: Request) -> None:
        await request.respond(status, body, ("content-type", "application/json"), *named)

    return respond


# ── keys ────────────────────────────────────────────────────────────────────────────────────────


async def test_keys_are_those_of_uuidv7_in_the_order_of_time(runs: Runs, path: FaultyPath) -> None:
    await runs.run(animals(1))
    await asyncio.sleep(0.002)  # the next millisecond
    await runs.run(animals(2))
    keys = [UUID((key or "").strip('"')) for _, key, _ in path.adds]
    assert [key.version for key in keys] == [7, 7]
    assert keys[0].int >> 80 < keys[1].int >> 80


async def test_where_nothing_is_promised_no_key_is_sent(runs: Runs, path: FaultyPath) -> None:
    path.lists_without_key = True
    assert await runs.run() == [ADDED] * 6
    assert {(key, store) for _, key, store in path.adds} == {(None, None)}


# ── lost responses ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "fault",
    [lose_request, lose_response, page_behind_it, answer(403), answer(404), answer(503)],
)
@pytest.mark.parametrize("parallel", [1, 4])
async def test_a_line_that_gets_no_answer_of_the_store_is_sent_again_and_added_once(
    runs: Runs, path: FaultyPath, fault: Callable[[Request], Awaitable[None]], parallel: int
) -> None:
    path.fail("animal 2", fault, fault)
    path.fail("animal 5", fault)
    assert await runs.run(parallel=parallel) == [ADDED] * 6
    assert await path.names() == NAMES
    assert len(path.keys_of("animal 2")) == 3
    assert len(set(path.keys_of("animal 2"))) == 1


async def test_others_go_on_past_a_line_that_is_sent_again(runs: Runs, path: FaultyPath) -> None:
    path.fail("animal 2", lose_response)
    await runs.run(parallel=1, timer=SteppedTimer())
    assert [name for name, *_ in path.adds] == [*NAMES, "animal 2"]


async def test_a_line_without_an_answer_is_left_to_the_next_run_which_sends_it_again(
    runs: Runs, path: FaultyPath
) -> None:
    path.fail("animal 2", *[lose_response] * 8)
    reports: list[ImportProgress] = []
    outcomes = await runs.of(on_progress=reports.append).run()
    assert kinds(outcomes) == [ADDED, UNKNOWN, ADDED, ADDED, ADDED, ADDED]
    assert (reports[-1].unknown, reports[-1].remaining) == (1, 0)
    assert [outcome.is_repeated for outcome in outcomes] == [False, True, *[False] * 4]
    assert "dropped" in outcomes[1].error
    assert len(path.keys_of("animal 2")) == 8
    assert await runs.run() == [EARLIER, ADDED, *[EARLIER] * 4]
    assert len(set(path.keys_of("animal 2"))) == 1
    assert await path.names() == NAMES


async def test_a_wait_that_the_service_asks_for_is_no_try(runs: Runs, path: FaultyPath) -> None:
    path.fail("animal 2", *[answer(429, retry_after="12")] * 10)
    timer = SteppedTimer()
    assert await runs.run(timer=timer, backoff=Backoff(), parallel=1) == [ADDED] * 6
    assert timer.time >= 10 * 12
    assert await path.names() == NAMES


async def test_the_next_attempt_is_told_while_only_such_lines_are_left(
    runs: Runs, path: FaultyPath
) -> None:
    path.fail("animal 6", lose_response)
    waits: list[str] = []

    def note(progress: ImportProgress) -> None:
        if progress.waiting is not None:
            waits.append(progress.waiting)

    run = runs.of(on_progress=note, timer=SteppedTimer(0.0), backoff=Backoff())
    task = asyncio.create_task(run.run())
    await until(lambda: bool(waits))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert "dropped" in waits[0]


@pytest.mark.parametrize("parallel", [1, 16])
async def test_of_lost_responses_few_lines_are_left_to_the_next_run_until_this_one_ends(
    runs: Runs, path: FaultyPath, parallel: int
) -> None:
    path.always = lose_response
    timer = SteppedTimer(HOUR)
    run = runs.of(animals(500), timer=timer, backoff=Backoff(), parallel=parallel)
    with pytest.raises(HeldError, match="dropped"):
        await run.run()
    assert timer.time <= PATIENCE
    assert len({name for name, *_ in path.adds}) <= 50
    path.always = None
    assert UNKNOWN not in await runs.run(animals(500))
    assert len(await path.names()) == 500


async def away(request: Request) -> None:
    await request.respond_as_store(503, ("retry-after", "20"))


@pytest.mark.parametrize("fault", [away, answer(429)], ids=["503 of the store", "429"])
async def test_one_line_that_is_told_to_wait_for_ever_holds_an_import_for_five_minutes(
    runs: Runs, path: FaultyPath, fault: Callable[[Request], Awaitable[None]]
) -> None:
    path.fail("animal 2", *[fault] * 1000)
    timer = SteppedTimer(HOUR)
    run = runs.of(timer=timer, backoff=Backoff(), parallel=1)
    with pytest.raises(HeldError, match="no: No"):
        await run.run()
    assert timer.time <= 2 * PATIENCE
    assert kinds(run.outcomes) == [ADDED, UNKNOWN, *[ADDED] * 4]
    assert run.outcomes[1].is_repeated
    path.faults.clear()
    assert await runs.run() == [EARLIER, ADDED, *[EARLIER] * 4]
    assert await path.names() == NAMES


# ── what answers for good ───────────────────────────────────────────────────────────────────────


async def test_what_the_store_refuses_when_it_is_sent_again_was_not_added_before_either(
    runs: Runs, path: FaultyPath
) -> None:
    async def refuse(request: Request) -> None:
        await request.respond_as_store(400)

    path.fail("animal 2", lose_request, refuse)
    assert await runs.run() == [ADDED, REFUSED, *[ADDED] * 4]
    assert runs.journal.state(LINES[1][0]) is None
    path.fail("animal 2", *[lose_request] * 8, refuse)
    assert (await runs.run())[1] is UNKNOWN
    assert (await runs.run())[1] is REFUSED
    assert runs.journal.state(LINES[1][0]) is None
    assert await runs.run() == [EARLIER, ADDED, *[EARLIER] * 4]
    assert await path.names() == NAMES


async def test_between_two_stores_each_line_gets_to_the_one_that_promised(
    runs: Runs, path: FaultyPath, other: FaultyPath
) -> None:
    for name in NAMES:
        path.fail(name, lambda request: request.pass_to(other))
    assert await runs.run() == [ADDED] * 6
    assert await path.names() == NAMES
    assert await other.names() == []


async def test_an_import_stops_where_another_store_answers_each_time_and_says_so(
    runs: Runs, path: FaultyPath, other: FaultyPath
) -> None:
    path.always = lambda request: request.pass_to(other)
    with pytest.raises(TransferError, match="stopped: 412 other_store: This is another store"):
        await runs.run(animals(50))
    assert len(path.adds) <= 8 + 4
    assert await other.names() == []
    path.always = None
    assert UNKNOWN not in await runs.run(animals(50))
    assert len(await path.names()) == 50


async def test_after_a_refused_key_what_is_under_way_has_all_the_time_it_takes(
    runs: Runs, path: FaultyPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pettui.transfer.import_run.GRACE", 0.0)
    is_out, is_refused = asyncio.Event(), asyncio.Event()

    async def refuse(request: Request) -> None:
        await is_out.wait()
        await answer(401)(request)
        is_refused.set()

    async def pass_on_late(request: Request) -> None:
        is_out.set()
        await is_refused.wait()
        for _ in range(50):  # until what follows a refusal would have been done
            await asyncio.sleep(0)
        await request.pass_on()

    path.fail("animal 1", refuse)
    path.fail("animal 2", pass_on_late)
    run = runs.of(LINES[:2], parallel=2)
    with pytest.raises(PetClientError, match="401"):
        await run.run()
    assert run.outcomes[1].kind is ADDED


# ── a promise that is taken back ────────────────────────────────────────────────────────────────


async def test_an_answer_without_a_promise_takes_it_back_for_the_lines_behind(
    runs: Runs, path: FaultyPath
) -> None:
    """As behind a proxy that drops what it does not know; as without keys from there on."""
    path.fail("animal 2", downgrade)
    path.fail("animal 4", lose_response)
    outcomes = await runs.of(parallel=1).run()
    assert kinds(outcomes) == [ADDED, ADDED, ADDED, UNKNOWN, ADDED, ADDED]
    assert outcomes[1].error == ""
    assert not outcomes[3].is_repeated
    assert path.keys_of("animal 3") == [None]
    assert (await runs.run())[3] is UNKNOWN


async def test_what_was_sent_after_that_is_unknown_after_a_power_cut_too(
    path: FaultyPath, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the journal has on the disk that nothing is promised, before such a line is sent."""
    on_disk: list[bytes] = []

    def synced(file: int) -> None:
        fdatasync(file)
        on_disk.append(path_in(tmp_path).read_bytes())

    async def cut_the_power(_: Request) -> None:
        moment.append(on_disk[-1])
        await asyncio.Event().wait()

    fdatasync, moment = os.fdatasync, []
    monkeypatch.setattr("pettui.transfer.journal._sync", synced)
    monkeypatch.setattr("pettui.transfer.import_run.GRACE", 0.01)
    path.fail("animal 2", downgrade)
    path.fail("animal 3", cut_the_power)
    journal = opened(tmp_path)
    async with path.client() as client:
        options = ImportOptions(parallel=1)
        run = ImportRun(client, journal, LINES, options, lambda _: None, backoff=QUICK)
        task = asyncio.create_task(run.run())
        await until(lambda: bool(moment))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    journal.close()
    path_in(tmp_path).write_bytes(moment[0])
    again = opened(tmp_path, NEXT_BOOT)
    state = again.state(LINES[2][0])
    again.close()
    assert isinstance(state, UnknownLine)
    assert state.promise is None


@pytest.mark.parametrize("tries", [1, 8])
async def test_a_line_that_may_be_there_twice_says_so(
    runs: Runs, path: FaultyPath, tries: int
) -> None:
    """Also where an earlier run has sent it."""
    path.fail("animal 2", *[lose_response] * tries, strip_headers)
    outcomes = await runs.of(parallel=1).run()
    if tries == 8:
        outcomes = await runs.of(parallel=1).run()
    assert outcomes[1].kind is ADDED
    assert "it may be there twice" in outcomes[1].error


@pytest.mark.parametrize("is_bare", [True, False])
async def test_what_another_store_promised_is_only_sent_again_on_request(
    runs: Runs, path: FaultyPath, other: FaultyPath, clients: AsyncExitStack, *, is_bare: bool
) -> None:
    path.fail("animal 2", *[lose_response] * 8)
    await runs.run()
    other.lists_without_key = is_bare
    elsewhere = runs.to(other, clients)
    outcomes = await elsewhere.of().run()
    assert (outcomes[1].kind, outcomes[1].is_repeated) == (UNKNOWN, False)
    why = "does not say any more that it adds once" if is_bare else "has another store now"
    assert why in outcomes[1].error
    assert other.adds == []
    assert (await elsewhere.run(retry_unknown=True))[1] is ADDED
    assert await other.names() == ["animal 2"]


# ── a run that ends, and the next one ───────────────────────────────────────────────────────────


async def test_an_import_that_is_sent_again_goes_on_where_a_line_got_no_answer(
    runs: Runs, path: FaultyPath
) -> None:
    await runs.run()
    path.fail("animal 2", *[lose_response] * 8)
    assert (await runs.run(again=True)).count(ADDED) == 5
    assert await runs.run() == [EARLIER, ADDED, *[EARLIER] * 4]
    assert await path.names() == sorted(NAMES * 2)


async def replayed(adds: Sequence[tuple[str, str | None, str | None]], store_id: str) -> FaultyPath:
    """Return a service that got these adds, as the store of this id."""
    path = FaultyPath(SqliteStore.open_in_memory([]))
    path.store.store_id = store_id
    async with path.client() as client:
        for name, key, _ in adds:
            bare = (key or "").strip('"')
            await client.create_pet(NewPet(name=name, category_id=3), idempotency_key=bare)
    path.adds.clear()
    return path


async def test_after_any_last_record_the_next_import_has_each_line_added_once(
    path: FaultyPath, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed at any write, and after a power cut, which may lose what was not synced."""
    path.fail("animal 2", lose_response)
    path.fail("animal 3", lose_request)
    path.fail("animal 5", *[lose_response] * 8)
    journal = opened(tmp_path)
    moments: list[tuple[bytes, int]] = []  # the file after each write, and how many were sent

    def watched(file: int, content: bytes, offset: int) -> int:
        written = pwrite(file, content, offset)
        moments.append((path_in(tmp_path).read_bytes(), len(path.adds)))
        return written

    pwrite = os.pwrite
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", watched)
        async with path.client() as client:
            options = ImportOptions(parallel=2)
            await ImportRun(client, journal, LINES, options, lambda _: None, backoff=QUICK).run()
        journal.close()
    assert len(moments) >= 16
    for (content, _), (_, count) in pairwise(moments):  # what went out until the next write
        for boot in (BOOT, NEXT_BOOT):
            path_in(tmp_path).write_bytes(content)
            again = await replayed(path.adds[:count], path.store.store_id or "")
            journal = opened(tmp_path, boot)
            async with again.client() as client:
                run = ImportRun(client, journal, LINES, options, lambda _: None, backoff=QUICK)
                assert set(kinds(await run.run())) <= {ADDED, EARLIER}
            journal.close()
            assert await again.names() == NAMES
            await again.store.close()
