"""Lines sent to a service that fails in all ways, by a process that may die: each once, or reported."""

from __future__ import annotations

import asyncio
import errno
import os
from collections import Counter
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from pettui.client import Backoff, PetClientError
from pettui.transfer.import_run import PATIENCE, HeldError, ImportOptions, ImportProgress, ImportRun
from pettui.transfer.journal import Journal, JournalError
from pettui.transfer.results import LineOutcome, OutcomeKind
from tests.exhaustive import product
from tests.outbox.conftest import QUICK
from tests.outbox.scripted import ScriptedClient, SteppedTimer, cut, offline, refusal
from tests.transfer.importing.test_journal import opened
from tests.transfer.lines import animals

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


ADDED, EARLIER = OutcomeKind.ADDED, OutcomeKind.ADDED_EARLIER
REFUSED, UNKNOWN, NOT_SENT = OutcomeKind.REFUSED, OutcomeKind.UNKNOWN, OutcomeKind.NOT_SENT
HOUR = 3600.0


class Service(ScriptedClient):
    """What adds the animals, and runs over them with short waits and one journal."""

    def __init__(self) -> None:
        super().__init__()
        self.journal = Journal.in_memory()

    def importing(self, count: int, **others: object) -> ImportRun:
        """Make a run; it also accepts the fields of ImportOptions."""
        kinds = {"again", "retry_unknown", "parallel"}
        options = ImportOptions(**{name: others.pop(name) for name in kinds & set(others)})
        others = {"on_progress": lambda _: None, "backoff": QUICK} | others
        return ImportRun(self, self.journal, animals(count), options, **others)


@pytest.fixture
async def service() -> Service:
    return Service()


def kinds(outcomes: Sequence[LineOutcome]) -> list[OutcomeKind]:
    return [outcome.kind for outcome in outcomes]


def arrived(service: Service) -> Counter[str]:
    return Counter(pet.name for pet in service.sent)


def hold_at(service: Service, number: int) -> asyncio.Event:
    """Let no response come from this request on; return what says that it is out."""
    is_out = asyncio.Event()

    def hold(_: object) -> None:
        if len(service.sent) == number:
            service.may_respond.clear()
            is_out.set()

    service.when_sent = hold
    return is_out


# ── ids and lines ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("parallel", [1, 16])
async def test_ids_go_to_their_lines_and_as_many_requests_as_given_are_sent_at_once(
    service: Service, parallel: int
) -> None:
    service.ids = [*range(132, 100, -1)]
    service.may_respond.clear()

    def respond(_: object) -> None:
        if len(service.sent) == parallel:
            service.may_respond.set()

    service.when_sent = respond
    outcomes = await service.importing(32, parallel=parallel).run()
    assert kinds(outcomes) == [ADDED] * 32
    ids = {pet.name: pet.id for pet in service.added}
    assert [o.pet_id for o in outcomes] == [ids[o.line.new_pet.name] for o in outcomes]
    assert [o.line.position.line for o in outcomes] == list(range(2, 34))
    assert service.most_out == parallel


# ── lost responses ─────────────────────────────────────────────────────────────────────────────


# ── what stops an import ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key_stops_the_import_and_the_next_import_continues(
    service: Service, status: int
) -> None:
    service.adds = [None] * 10 + [refusal(status)] * 20
    run = service.importing(30)
    with pytest.raises(PetClientError) as raised:
        await run.run()
    assert raised.value.status == status
    assert len(service.sent) <= 10 + 4
    counts = Counter(kinds(run.outcomes))
    assert (counts[ADDED], counts[UNKNOWN]) == (10, 0)
    service.adds = []
    assert Counter(kinds(await service.importing(30).run())) == Counter({EARLIER: 10, ADDED: 20})
    assert len(service.added) == 30


async def test_while_nothing_listens_every_line_waits_and_none_becomes_unknown(
    service: Service,
) -> None:
    service.adds = [None] * 10
    service.refused = {f"animal {number}": offline() for number in range(11, 31)}
    reasons: list[str] = []

    def listen_again(progress: ImportProgress) -> None:
        if progress.waiting is not None:
            reasons.append(progress.waiting)
            service.refused.clear()

    assert kinds(await service.importing(30, on_progress=listen_again).run()) == [ADDED] * 30
    assert "connection refused" in reasons[0]


async def test_cancelled_repeatedly_it_records_the_outcomes_of_lines_under_way(
    service: Service,
) -> None:
    """As by two signals in succession, or by an app that exits; nothing more is sent."""
    is_out = hold_at(service, 1)
    run = service.importing(3, parallel=1)
    task = asyncio.create_task(run.run())
    await is_out.wait()
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    service.may_respond.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert kinds(run.outcomes) == [ADDED, NOT_SENT, NOT_SENT]
    assert service.journal.state(animals(3)[0][0]) is not None
    assert len(service.added) == 1


# ── outages ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("error", "parallel"),
    product([cut(), refusal(503, maybe_sent=True, transient=True, retry_after=1.0)], [1, 4, 16]),
)
async def test_of_lost_responses_only_few_lines_become_unknown_until_the_import_ends(
    service: Service, error: PetClientError, parallel: int
) -> None:
    service.adds = [error] * 60
    timer = SteppedTimer(HOUR)
    run = service.importing(60, parallel=parallel, timer=timer, backoff=Backoff())
    with pytest.raises(HeldError, match="adds would wait"):
        await run.run()
    assert timer.time <= PATIENCE
    counts = Counter(kinds(run.outcomes))
    assert set(counts) == {UNKNOWN, NOT_SENT}
    assert 1 <= counts[UNKNOWN] <= parallel + 4
    assert len(service.sent) == counts[UNKNOWN]


@pytest.mark.parametrize("parallel", [1, 4])
async def test_at_a_limit_of_five_a_second_each_line_is_added_and_no_list_takes_its_place(
    service: Service, parallel: int
) -> None:
    timer = SteppedTimer()
    limit = service.limit(timer, 0.2)
    run = service.importing(200, parallel=parallel, timer=timer, backoff=Backoff())
    assert kinds(await run.run()) == [ADDED] * 200
    assert len(service.added) == 200
    assert len(service.listed) == 1
    assert limit.refused <= 20
    assert timer.time <= 200 * 0.2 * 1.5 + 20


async def test_what_met_429_since_the_last_answer_waits_five_minutes_anew(service: Service) -> None:
    service.adds = [refusal(429, retry_after=200.0), None] * 5
    timer = SteppedTimer()
    run = service.importing(5, parallel=1, timer=timer, backoff=Backoff())
    assert kinds(await run.run()) == [ADDED] * 5
    assert timer.time >= 5 * 200


async def test_while_the_service_is_away_an_import_waits_without_limit(service: Service) -> None:
    service.adds = [refusal(429), *[offline()] * 40, refusal(429), refusal(429)]
    timer = SteppedTimer()
    run = service.importing(2, parallel=1, timer=timer, backoff=Backoff())
    assert kinds(await run.run()) == [ADDED, ADDED]
    assert timer.time > PATIENCE


async def test_an_unknown_line_that_is_refused_when_it_is_sent_again_stays_unknown(
    service: Service,
) -> None:
    service.adds = [cut()]
    await service.importing(1).run()
    service.adds = [refusal(429, retry_after=0.0), refusal(400)]
    [outcome] = await service.importing(1, retry_unknown=True).run()
    assert outcome.kind is UNKNOWN
    assert outcome.error == "400 no: No.; an earlier try had no response, so it may be there"
    assert kinds(await service.importing(1).run()) == [UNKNOWN]


# ── progress and the journal ─────────────────────────────────────────────────────────────────────


async def test_progress_adds_up_to_all_lines_and_ends_with_the_last_one(service: Service) -> None:
    service.refused = {"animal 2": refusal(400)}
    await service.importing(3).run()
    service.refused = {"animal 7": cut()}
    reports: list[ImportProgress] = []
    await service.importing(10, on_progress=reports.append).run()
    last = reports[-1]
    assert (last.total, last.earlier, last.added, last.unknown) == (10, 2, 7, 1)
    assert last.remaining == 0
    for one in reports:
        counted = one.added + one.refused + one.unknown + one.earlier + one.remaining
        assert counted == one.total


# ── a process that is killed after any record, and an import that is run again ───────────────────

LINES = animals(8)


@pytest.mark.parametrize(
    ("call", "number"),
    product(["pwrite", "fsync", "fdatasync", "replace"], [errno.EIO, errno.ENOSPC]),
)
async def test_whichever_call_of_the_disk_fails_nothing_is_lost_or_sent_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    """The next import, on a disk that works, sends the rest; what was under way is unknown."""
    real = getattr(os, call)
    has_failed = True
    for nth in count(1):
        if not has_failed:
            break
        directory, client, has_failed = tmp_path / str(nth), ScriptedClient(), False
        calls = count(1)

        def failing(*arguments: Any, calls=calls, nth=nth, **others: Any) -> Any:
            nonlocal has_failed
            if next(calls) == nth:
                has_failed = True
                raise OSError(number, os.strerror(number))
            return real(*arguments, **others)

        with monkeypatch.context() as patch, suppress(JournalError):
            patch.setattr(os, call, failing)
            if call == "fdatasync":
                patch.setattr("pettui.transfer.journal._sync", failing)
            journal = opened(directory)
            try:
                run = ImportRun(client, journal, LINES, ImportOptions(parallel=2), lambda _: None)
                await run.run()
            finally:
                journal.close()
        sent = [pet.name for pet in client.sent]
        rest = ScriptedClient()
        journal = opened(directory)
        outcomes = await ImportRun(rest, journal, LINES, ImportOptions(), lambda _: None).run()
        journal.close()
        again = [pet.name for pet in rest.sent]
        assert not set(sent) & set(again)
        unknown = [each for each in outcomes if each.kind is OutcomeKind.UNKNOWN]
        assert len(set(sent) | set(again)) + len(unknown) >= len(LINES)
        assert len(unknown) <= 2
    assert nth > 2 or call == "replace"
