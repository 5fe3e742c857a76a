"""Lines sent to a real service that fails in all ways: each is added once, or reported."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from pettui.client import NoAnswerError, PetClient, PetClientError
from pettui.outbox import Backoff
from pettui.transfer.import_run import ImportOptions, ImportRun
from pettui.transfer.journal import Journal, JournalError, UnknownLine
from pettui.transfer.results import LineOutcome, OutcomeKind
from tests.exhaustive import product
from tests.outbox.conftest import QUICK
from tests.outbox.scripted import ScriptedClient, SteppedTimer
from tests.small_disks import as_root, full_disk, mounted
from tests.transfer.importing.lines import animals
from tests.transfer.importing.scripted_store import Reply, ScriptedStore, refusal, scripted_store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from pathlib import Path

    from pettui.transfer.import_run import ImportProgress

ADDED, EARLIER = OutcomeKind.ADDED, OutcomeKind.ADDED_EARLIER
REFUSED, UNKNOWN, NOT_SENT = OutcomeKind.REFUSED, OutcomeKind.UNKNOWN, OutcomeKind.NOT_SENT
HOUR = 3600.0
NO_ANSWER = Reply()


@pytest.fixture
async def journal() -> Journal:
    return Journal.in_memory()


@pytest.fixture
async def opened() -> AsyncIterator[tuple[ScriptedStore, PetClient]]:
    async with scripted_store() as both:
        yield both


@pytest.fixture
def store(opened: tuple[ScriptedStore, PetClient]) -> ScriptedStore:
    return opened[0]


@pytest.fixture
def client(opened: tuple[ScriptedStore, PetClient]) -> PetClient:
    return opened[1]


def a_run(client: object, journal: Journal, lines: Sequence, **others: object) -> ImportRun:
    """Return a run with short waits; it also accepts the fields of ImportOptions."""
    kinds = {"again", "retry_unknown", "parallel"}
    options = ImportOptions(**{name: others.pop(name) for name in kinds & set(others)})
    others = {"on_progress": lambda _: None, "backoff": QUICK} | others
    return ImportRun(client, journal, lines, options, **others)


def kinds(outcomes: Sequence[LineOutcome]) -> list[OutcomeKind]:
    return [outcome.kind for outcome in outcomes]


def to(name: str, reply: Reply) -> Callable[[str, int], Awaitable[Reply | None]]:
    """Return a script that sends a reply for the animal of this name."""

    async def script(arrived: str, _: int) -> Reply | None:
        return reply if arrived == name else None

    return script


def to_all(reply: Reply) -> Callable[[str, int], Awaitable[Reply | None]]:
    async def script(*_: object) -> Reply:
        return reply

    return script


# ── ids and lines ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("parallel", [1, 16])
async def test_ids_go_to_their_lines_whatever_the_order_of_responses(
    store: ScriptedStore, client: PetClient, journal: Journal, parallel: int
) -> None:
    """Of concurrent requests the last one gets its response first."""
    gates: list[asyncio.Event] = []

    async def last_first(_name: str, number: int) -> None:
        gates.append(asyncio.Event())
        if len(gates) == parallel:
            gates.pop().set()
        else:
            await gates[-1].wait()
        if gates:
            gates.pop().set()

    store.reply = last_first
    outcomes = await a_run(client, journal, animals(32), parallel=parallel).run()
    assert kinds(outcomes) == [ADDED] * 32
    assert [o.pet_id for o in outcomes] == [store.ids[o.line.new_pet.name] for o in outcomes]
    assert [o.line.position.line for o in outcomes] == list(range(2, 34))
    is_in_order = [o.pet_id for o in outcomes] == sorted(store.ids.values())
    assert is_in_order == (parallel == 1)


async def test_as_many_requests_as_given_are_sent_at_once(journal: Journal) -> None:
    client = ScriptedClient()
    client.may_respond.clear()

    def respond(_: object) -> None:
        if len(client.sent) == 16:
            client.may_respond.set()

    client.when_sent = respond
    await a_run(client, journal, animals(40), parallel=16).run()
    assert client.most_out == 16


async def test_an_id_that_is_returned_twice_is_accepted_once(journal: Journal) -> None:
    client = ScriptedClient()
    client.ids = [7, 7]
    outcomes = await a_run(client, journal, animals(3), parallel=1).run()
    assert kinds(outcomes) == [ADDED, UNKNOWN, ADDED]
    assert "id 7, which another animal has" in outcomes[1].error


# ── lost responses ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "case",
    [
        (NO_ANSWER, UNKNOWN, "cannot read from"),
        (Reply(adds=True), UNKNOWN, "cannot read from"),
        (Reply(200, b"<html>"), UNKNOWN, "200 from the service, but not its interface"),
        (Reply(502, b"<html>"), UNKNOWN, "502 from the service, no Error body"),
        (refusal(400, "invalid_value"), REFUSED, "400 invalid_value: No."),
        (Reply(413, b"<html>"), REFUSED, "413 from the service, no Error body"),
        (refusal(429, "too_many", "Retry-After: 0\r\n"), REFUSED, "429 too_many: No."),
    ],
)
async def test_a_failed_line_has_the_services_message_and_the_others_are_added(
    store: ScriptedStore,
    client: PetClient,
    journal: Journal,
    case: tuple[Reply, OutcomeKind, str],
) -> None:
    reply, kind, error = case
    store.reply = to("animal 5", reply)
    outcomes = await a_run(client, journal, animals(12)).run()
    assert kinds(outcomes) == [ADDED] * 4 + [kind] + [ADDED] * 7
    assert error in outcomes[4].error
    assert max(store.arrived.values()) == 1


async def test_only_a_refused_line_is_sent_again_by_the_next_import(
    store: ScriptedStore, client: PetClient, journal: Journal
) -> None:
    store.reply = to("animal 2", refusal(400, "invalid_value"))
    await a_run(client, journal, animals(3)).run()
    store.reply = to_all(refusal(400, "never"))
    outcomes = await a_run(client, journal, animals(3)).run()
    assert kinds(outcomes) == [EARLIER, REFUSED, EARLIER]
    assert [o.pet_id for o in outcomes] == [store.ids["animal 1"], None, store.ids["animal 3"]]
    assert store.arrived == Counter({"animal 1": 1, "animal 2": 2, "animal 3": 1})


async def test_an_unknown_line_is_sent_again_only_on_request(
    store: ScriptedStore, client: PetClient, journal: Journal
) -> None:
    store.reply = to("animal 2", NO_ANSWER)
    await a_run(client, journal, animals(3)).run()
    for again in (False, True):
        outcomes = await a_run(client, journal, animals(3), again=again).run()
        assert outcomes[1].kind is UNKNOWN
        assert "cannot read from" in outcomes[1].error
    assert store.arrived["animal 2"] == 1
    outcomes = await a_run(client, journal, animals(3), retry_unknown=True).run()
    assert kinds(outcomes) == [EARLIER, UNKNOWN, EARLIER]
    store.reply = to_all(None)
    outcomes = await a_run(client, journal, animals(3), retry_unknown=True).run()
    assert kinds(outcomes) == [EARLIER, ADDED, EARLIER]


async def test_added_lines_are_sent_again_on_request_and_each_once(
    store: ScriptedStore, client: PetClient, journal: Journal
) -> None:
    """Stopped in the middle it continues the next time; after that it starts over."""
    await a_run(client, journal, animals(6)).run()

    async def no_more(_name: str, number: int) -> Reply | None:
        return refusal(401, "no_key") if number >= 9 else None

    store.reply = no_more
    with pytest.raises(PetClientError):
        await a_run(client, journal, animals(6), again=True, parallel=1).run()
    store.reply = to_all(None)
    outcomes = await a_run(client, journal, animals(6), again=True).run()
    assert kinds(outcomes) == [EARLIER] * 3 + [ADDED] * 3
    assert Counter(pet["name"] for pet in store.pets) == Counter(
        {f"animal {number}": 2 for number in range(1, 7)}
    )
    assert kinds(await a_run(client, journal, animals(6)).run()) == [EARLIER] * 6
    assert kinds(await a_run(client, journal, animals(6), again=True).run()) == [ADDED] * 6


async def test_without_lines_to_send_nothing_is_requested(
    store: ScriptedStore, client: PetClient, journal: Journal
) -> None:
    await a_run(client, journal, animals(3)).run()
    before = store.lists
    await a_run(client, journal, animals(3)).run()
    await a_run(client, journal, []).run()
    assert store.lists == before


# ── what stops an import ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key_stops_the_import_and_the_next_import_continues(
    store: ScriptedStore, client: PetClient, journal: Journal, status: int
) -> None:
    async def revoked(_name: str, number: int) -> Reply | None:
        return refusal(status, "no_key") if number >= 10 else None

    store.reply = revoked
    run = a_run(client, journal, animals(30))
    with pytest.raises(PetClientError) as raised:
        await run.run()
    assert raised.value.status == status
    assert store.arrived.total() <= 10 + 4
    counts = Counter(kinds(run.outcomes))
    assert counts[ADDED] == 10
    assert counts[UNKNOWN] == 0
    store.reply = to_all(None)
    counts = Counter(kinds(await a_run(client, journal, animals(30)).run()))
    assert counts == Counter({EARLIER: 10, ADDED: 20})
    assert len(store.pets) == 30


async def test_an_unreachable_service_is_an_error_before_anything_is_sent(
    store: ScriptedStore, client: PetClient, journal: Journal
) -> None:
    store.list_reply = NO_ANSWER
    run = a_run(client, journal, animals(3))
    with pytest.raises(NoAnswerError):
        await run.run()
    assert kinds(run.outcomes) == [NOT_SENT] * 3
    assert store.arrived.total() == 0


async def test_while_nothing_listens_every_line_waits_and_none_becomes_unknown(
    store: ScriptedStore, client: PetClient, journal: Journal
) -> None:
    reasons: list[str] = []

    async def stop_listening(_name: str, number: int) -> None:
        if number == 10:
            store.stop_listening()

    def listen_again(progress: ImportProgress) -> None:
        if progress.waiting is not None and not reasons:
            reasons.append(progress.waiting)
            store.open()

    store.reply = stop_listening
    run = a_run(client, journal, animals(30), on_progress=listen_again)
    assert kinds(await run.run()) == [ADDED] * 30
    assert "connection refused" in reasons[0]


async def test_when_stopped_it_sends_no_more_and_records_prompt_responses(
    store: ScriptedStore, client: PetClient, journal: Journal
) -> None:
    arrived, goes_on = asyncio.Event(), asyncio.Event()

    async def hold(_name: str, number: int) -> None:
        if number >= 8:
            arrived.set()
            await goes_on.wait()

    store.reply = hold
    run = a_run(client, journal, animals(30))
    task = asyncio.create_task(run.run())
    await arrived.wait()
    task.cancel()
    await asyncio.sleep(0)
    goes_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    counts = Counter(kinds(run.outcomes))
    assert counts[ADDED] == len(store.pets) <= 12
    assert counts[NOT_SENT] == 30 - len(store.pets)


async def test_cancelled_repeatedly_it_records_the_outcomes_of_lines_under_way(
    store: ScriptedStore, client: PetClient, journal: Journal
) -> None:
    """As by two signals in succession, or by an app that exits."""
    arrived, goes_on = asyncio.Event(), asyncio.Event()

    async def hold(name: str, _number: int) -> None:
        arrived.set()
        await goes_on.wait()

    store.reply = hold
    lines = animals(3)
    run = a_run(client, journal, lines, parallel=1)
    task = asyncio.create_task(run.run())
    await arrived.wait()
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    goes_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert kinds(run.outcomes) == [ADDED, NOT_SENT, NOT_SENT]
    assert journal.state(lines[0][0]) is not None
    assert len(store.pets) == 1


async def test_a_cancelled_request_is_unknown(
    store: ScriptedStore, client: PetClient, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pettui.transfer.import_run.GRACE", 0.01)
    arrived, others_added = asyncio.Event(), asyncio.Event()

    async def hold(name: str, _number: int) -> None:
        if name == "animal 3":
            arrived.set()
            await asyncio.Event().wait()

    def watch(progress: ImportProgress) -> None:
        if progress.added == 2:
            others_added.set()

    store.reply = hold
    run = a_run(client, journal, animals(3), on_progress=watch)
    task = asyncio.create_task(run.run())
    await arrived.wait()
    await others_added.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert kinds(run.outcomes) == [ADDED, ADDED, UNKNOWN]
    assert run.outcomes[2].error == "the import ended while this was being sent"


class PipeGoneError(Exception):
    pass


async def test_an_exception_in_on_progress_ends_the_import(
    store: ScriptedStore, client: PetClient, journal: Journal
) -> None:
    def gone(_: ImportProgress) -> None:
        raise PipeGoneError

    run = a_run(client, journal, animals(500), on_progress=gone)
    with pytest.raises(PipeGoneError):
        await run.run()
    counts = Counter(kinds(run.outcomes))
    assert counts[ADDED] + counts[UNKNOWN] == store.arrived.total() < 500


@as_root
async def test_on_a_full_disk_it_stops_before_the_next_line_without_losing_outcomes(
    store: ScriptedStore, client: PetClient
) -> None:
    with mounted("size=1m,mode=0700") as disk:
        filling = full_disk(disk)

        async def fill(_name: str, number: int) -> None:
            if number == 100:
                filling.__enter__()

        store.reply = fill
        journal = Journal.open(disk / "imports", store.address)
        run = a_run(client, journal, animals(400))
        with pytest.raises(JournalError, match="the disk is full"):
            await run.run()
        journal.close()
        counts = Counter(kinds(run.outcomes))
        assert counts == Counter({ADDED: len(store.pets), NOT_SENT: 400 - len(store.pets)})
        assert 100 < len(store.pets) < 400
        filling.__exit__(None, None, None)
        store.reply = to_all(None)
        journal = Journal.open(disk / "imports", store.address)
        outcomes = await a_run(client, journal, animals(400)).run()
        journal.close()
    assert {o.pet_id for o in outcomes} == {pet["id"] for pet in store.pets}
    assert max(store.arrived.values()) == 1


# ── outages ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("reply", "parallel"),
    product([NO_ANSWER, Reply(adds=True), refusal(503, "busy", "Retry-After: 1\r\n")], [1, 4, 16]),
)
async def test_in_an_hour_of_lost_responses_only_few_lines_become_unknown(
    store: ScriptedStore, client: PetClient, journal: Journal, reply: Reply, parallel: int
) -> None:
    store.reply = to_all(reply)
    timer = SteppedTimer(HOUR)
    options = {"parallel": parallel, "timer": timer, "backoff": Backoff()}
    run = a_run(client, journal, animals(60), **options)
    task = asyncio.create_task(run.run())
    async with asyncio.timeout(120):
        await timer.has_ended.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    counts = Counter(kinds(run.outcomes))
    assert set(counts) == {UNKNOWN, NOT_SENT}
    assert 1 <= counts[UNKNOWN] <= parallel + 4
    assert store.arrived.total() == counts[UNKNOWN]


async def test_while_lists_are_lost_too_only_lines_under_way_become_unknown(
    store: ScriptedStore, client: PetClient, journal: Journal
) -> None:
    async def lost(_name: str, number: int) -> Reply | None:
        if number < 10:
            return None
        store.list_reply = NO_ANSWER
        return NO_ANSWER

    store.reply = lost
    timer = SteppedTimer(HOUR / 6)
    run = a_run(client, journal, animals(60), timer=timer, backoff=Backoff())
    task = asyncio.create_task(run.run())
    async with asyncio.timeout(120):
        await timer.has_ended.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert 1 <= Counter(kinds(run.outcomes))[UNKNOWN] <= 4


@pytest.mark.parametrize("status", [429, 503])
async def test_retry_after_is_respected(
    store: ScriptedStore, client: PetClient, journal: Journal, status: int
) -> None:
    store.reply = to("animal 3", refusal(status, "busy", "Retry-After: 60\r\n"))
    timer = SteppedTimer()
    run = a_run(client, journal, animals(6), timer=timer, backoff=Backoff(), parallel=1)
    expected = REFUSED if status == 429 else UNKNOWN
    assert kinds(await run.run()) == [ADDED] * 2 + [expected] + [ADDED] * 3
    assert 60 <= timer.time < 120


async def test_a_bug_makes_one_line_unknown_and_is_reported(journal: Journal) -> None:
    client = ScriptedClient()
    client.adds = [None, ValueError("a bug")]
    reported: list[Exception] = []
    run = a_run(client, journal, animals(4), parallel=1, report=reported.append)
    assert kinds(await run.run()) == [ADDED, UNKNOWN, ADDED, ADDED]
    assert [str(error) for error in reported] == ["a bug"]


# ── progress and the journal ─────────────────────────────────────────────────────────────────────


async def test_progress_adds_up_to_all_lines_and_ends_with_the_last_one(
    store: ScriptedStore, client: PetClient, journal: Journal
) -> None:
    store.reply = to("animal 2", refusal(400, "no"))
    await a_run(client, journal, animals(3)).run()
    store.reply = to("animal 7", NO_ANSWER)
    reports: list[ImportProgress] = []
    await a_run(client, journal, animals(10), on_progress=reports.append).run()
    last = reports[-1]
    assert (last.total, last.earlier, last.added, last.unknown) == (10, 2, 7, 1)
    assert last.remaining == 0
    for one in reports:
        counted = one.added + one.refused + one.unknown + one.earlier + one.remaining
        assert counted == one.total


async def test_a_lost_line_is_recorded_with_the_newest_animal_before_it(
    store: ScriptedStore, client: PetClient, tmp_path: Path
) -> None:
    await a_run(client, Journal.in_memory(), animals(5)).run()
    store.reply = to("animal 6", NO_ANSWER)
    journal = Journal.open(tmp_path, store.address)
    lines = animals(6)[5:]
    await a_run(client, journal, lines).run()
    journal.close()
    journal = Journal.open(tmp_path, store.address)
    state = journal.state(lines[0][0])
    journal.close()
    assert isinstance(state, UnknownLine)
    assert state.after_id == 5
    assert "cannot read from" in state.reason
