"""Lines sent to a service that fails in all ways: each is added once, or reported."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from pettui.client import NoAnswerError, PetClientError
from pettui.outbox import Backoff
from pettui.transfer.import_run import ImportOptions, ImportRun
from pettui.transfer.journal import Journal, UnknownLine
from pettui.transfer.results import LineOutcome, OutcomeKind
from tests.exhaustive import product
from tests.outbox.conftest import QUICK
from tests.outbox.scripted import ScriptedClient, SteppedTimer, cut, offline, refusal
from tests.transfer.animals import plain_pet
from tests.transfer.importing.lines import animals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pettui.transfer.import_run import ImportProgress

    Run = Callable[..., ImportRun]

ADDED, EARLIER = OutcomeKind.ADDED, OutcomeKind.ADDED_EARLIER
REFUSED, UNKNOWN, NOT_SENT = OutcomeKind.REFUSED, OutcomeKind.UNKNOWN, OutcomeKind.NOT_SENT
HOUR = 3600.0


@pytest.fixture
def journal() -> Journal:
    return Journal.in_memory()


@pytest.fixture
async def client() -> ScriptedClient:
    return ScriptedClient()


@pytest.fixture
def a_run(client: ScriptedClient, journal: Journal) -> Run:
    """Make runs over animals with short waits; they also accept the fields of ImportOptions."""

    def make(count: int, **others: object) -> ImportRun:
        kinds = {"again", "retry_unknown", "parallel"}
        options = ImportOptions(**{name: others.pop(name) for name in kinds & set(others)})
        others = {"on_progress": lambda _: None, "backoff": QUICK} | others
        return ImportRun(client, journal, animals(count), options, **others)

    return make


def kinds(outcomes: Sequence[LineOutcome]) -> list[OutcomeKind]:
    return [outcome.kind for outcome in outcomes]


def arrived(client: ScriptedClient) -> Counter[str]:
    return Counter(pet.name for pet in client.sent)


def hold_at(client: ScriptedClient, number: int) -> asyncio.Event:
    """Let no response come from this request on; return what says that it is out."""
    is_out = asyncio.Event()

    def hold(_: object) -> None:
        if len(client.sent) == number:
            client.may_respond.clear()
            is_out.set()

    client.when_sent = hold
    return is_out


async def stopped(run: ImportRun, when: asyncio.Event) -> None:
    task = asyncio.create_task(run.run())
    async with asyncio.timeout(120):
        await when.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# ── ids and lines ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("parallel", [1, 16])
async def test_ids_go_to_their_lines_and_as_many_requests_as_given_are_sent_at_once(
    client: ScriptedClient, a_run: Run, parallel: int
) -> None:
    client.ids = [*range(132, 100, -1)]
    client.may_respond.clear()

    def respond(_: object) -> None:
        if len(client.sent) == parallel:
            client.may_respond.set()

    client.when_sent = respond
    outcomes = await a_run(32, parallel=parallel).run()
    assert kinds(outcomes) == [ADDED] * 32
    ids = {pet.name: pet.id for pet in client.added}
    assert [o.pet_id for o in outcomes] == [ids[o.line.new_pet.name] for o in outcomes]
    assert [o.line.position.line for o in outcomes] == list(range(2, 34))
    assert client.most_out == parallel


async def test_an_id_that_is_returned_twice_is_accepted_once(
    client: ScriptedClient, a_run: Run
) -> None:
    client.ids = [7, 7]
    outcomes = await a_run(3, parallel=1).run()
    assert kinds(outcomes) == [ADDED, UNKNOWN, ADDED]
    assert "id 7, which another animal has" in outcomes[1].error


# ── lost responses ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("error", "kind"),
    [(cut(), UNKNOWN), (refusal(400), REFUSED), (refusal(429, retry_after=0.0), REFUSED)],
    ids=str,
)
async def test_a_failed_line_has_the_services_message_and_the_others_are_added(
    client: ScriptedClient, a_run: Run, error: PetClientError, kind: OutcomeKind
) -> None:
    client.refused["animal 5"] = error
    outcomes = await a_run(12).run()
    assert kinds(outcomes) == [ADDED] * 4 + [kind] + [ADDED] * 7
    assert outcomes[4].error == str(error)
    assert max(arrived(client).values()) == 1


async def test_only_a_refused_line_is_sent_again_by_the_next_import(
    client: ScriptedClient, a_run: Run
) -> None:
    client.refused["animal 2"] = refusal(400)
    await a_run(3).run()
    outcomes = await a_run(3).run()
    assert kinds(outcomes) == [EARLIER, REFUSED, EARLIER]
    assert [o.pet_id for o in outcomes] == [client.added[0].id, None, client.added[1].id]
    assert arrived(client) == Counter({"animal 1": 1, "animal 2": 2, "animal 3": 1})


async def test_an_unknown_line_is_sent_again_only_on_request(
    client: ScriptedClient, a_run: Run
) -> None:
    client.refused["animal 2"] = cut()
    await a_run(3).run()
    for again in (False, True):
        outcomes = await a_run(3, again=again).run()
        assert outcomes[1].kind is UNKNOWN
        assert "cannot read from" in outcomes[1].error
    assert arrived(client)["animal 2"] == 1
    assert kinds(await a_run(3, retry_unknown=True).run()) == [EARLIER, UNKNOWN, EARLIER]
    client.refused.clear()
    assert kinds(await a_run(3, retry_unknown=True).run()) == [EARLIER, ADDED, EARLIER]


async def test_added_lines_are_sent_again_on_request_and_each_once(
    client: ScriptedClient, a_run: Run
) -> None:
    """Stopped in the middle it continues the next time; after that it starts over."""
    await a_run(6).run()
    client.refused["animal 4"] = refusal(401)
    with pytest.raises(PetClientError):
        await a_run(6, again=True, parallel=1).run()
    client.refused.clear()
    assert kinds(await a_run(6, again=True).run()) == [EARLIER] * 3 + [ADDED] * 3
    assert set(Counter(pet.name for pet in client.added).values()) == {2}
    assert kinds(await a_run(6).run()) == [EARLIER] * 6
    assert kinds(await a_run(6, again=True).run()) == [ADDED] * 6


async def test_without_lines_to_send_nothing_is_requested(
    client: ScriptedClient, a_run: Run
) -> None:
    await a_run(3).run()
    before = len(client.listed)
    await a_run(3).run()
    await a_run(0).run()
    assert len(client.listed) == before


# ── what stops an import ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key_stops_the_import_and_the_next_import_continues(
    client: ScriptedClient, a_run: Run, status: int
) -> None:
    client.adds = [None] * 10 + [refusal(status)] * 20
    run = a_run(30)
    with pytest.raises(PetClientError) as raised:
        await run.run()
    assert raised.value.status == status
    assert len(client.sent) <= 10 + 4
    counts = Counter(kinds(run.outcomes))
    assert (counts[ADDED], counts[UNKNOWN]) == (10, 0)
    client.adds = []
    assert Counter(kinds(await a_run(30).run())) == Counter({EARLIER: 10, ADDED: 20})
    assert len(client.added) == 30


async def test_an_unreachable_service_is_an_error_before_anything_is_sent(
    client: ScriptedClient, a_run: Run
) -> None:
    client.lists = [offline()]
    run = a_run(3)
    with pytest.raises(NoAnswerError):
        await run.run()
    assert kinds(run.outcomes) == [NOT_SENT] * 3
    assert client.sent == []


async def test_while_nothing_listens_every_line_waits_and_none_becomes_unknown(
    client: ScriptedClient, a_run: Run
) -> None:
    client.adds = [None] * 10
    client.refused = {f"animal {number}": offline() for number in range(11, 31)}
    reasons: list[str] = []

    def listen_again(progress: ImportProgress) -> None:
        if progress.waiting is not None:
            reasons.append(progress.waiting)
            client.refused.clear()

    assert kinds(await a_run(30, on_progress=listen_again).run()) == [ADDED] * 30
    assert "connection refused" in reasons[0]


async def test_cancelled_repeatedly_it_records_the_outcomes_of_lines_under_way(
    client: ScriptedClient, a_run: Run, journal: Journal
) -> None:
    """As by two signals in succession, or by an app that exits; nothing more is sent."""
    is_out = hold_at(client, 1)
    run = a_run(3, parallel=1)
    task = asyncio.create_task(run.run())
    await is_out.wait()
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    client.may_respond.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert kinds(run.outcomes) == [ADDED, NOT_SENT, NOT_SENT]
    assert journal.state(animals(3)[0][0]) is not None
    assert len(client.added) == 1


async def test_a_cancelled_request_is_unknown(
    client: ScriptedClient, a_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pettui.transfer.import_run.GRACE", 0.01)
    run = a_run(3, parallel=1)
    await stopped(run, hold_at(client, 3))
    assert kinds(run.outcomes) == [ADDED, ADDED, UNKNOWN]
    assert run.outcomes[2].error == "the import ended while this was being sent"


class PipeGoneError(Exception):
    pass


async def test_an_exception_in_on_progress_ends_the_import(
    client: ScriptedClient, a_run: Run
) -> None:
    def gone(_: ImportProgress) -> None:
        if client.sent:
            client.may_respond.set()
            raise PipeGoneError

    run = a_run(500, on_progress=gone)
    hold_at(client, 100)
    with pytest.raises(PipeGoneError):
        await run.run()
    counts = Counter(kinds(run.outcomes))
    assert counts[ADDED] + counts[UNKNOWN] == len(client.sent) < 500


# ── outages ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("error", "parallel"),
    product([cut(), refusal(503, maybe_sent=True, transient=True, retry_after=1.0)], [1, 4, 16]),
)
async def test_in_an_hour_of_lost_responses_only_few_lines_become_unknown(
    client: ScriptedClient, a_run: Run, error: PetClientError, parallel: int
) -> None:
    client.adds = [error] * 60
    timer = SteppedTimer(HOUR)
    run = a_run(60, parallel=parallel, timer=timer, backoff=Backoff())
    await stopped(run, timer.has_ended)
    counts = Counter(kinds(run.outcomes))
    assert set(counts) == {UNKNOWN, NOT_SENT}
    assert 1 <= counts[UNKNOWN] <= parallel + 4
    assert len(client.sent) == counts[UNKNOWN]


async def test_animals_that_are_listed_while_every_response_is_lost_are_not_tolerated_for_ever(
    client: ScriptedClient, a_run: Run
) -> None:
    def appear(_: object) -> None:
        listed = [plain_pet(number, pet.name) for number, pet in enumerate(client.sent, 1)]
        client.lists = [listed[::-1]] * 100

    client.adds = [cut()] * 60
    client.when_sent = appear
    timer = SteppedTimer(HOUR)
    run = a_run(60, parallel=4, timer=timer, backoff=Backoff())
    await stopped(run, timer.has_ended)
    assert 1 <= Counter(kinds(run.outcomes))[UNKNOWN] <= 4 + 4


async def test_while_lists_are_lost_too_only_lines_under_way_become_unknown(
    client: ScriptedClient, a_run: Run
) -> None:
    client.adds = [None] * 10 + [cut()] * 50
    client.lists = [[], *[cut()] * 1000]
    timer = SteppedTimer(HOUR / 6)
    run = a_run(60, timer=timer, backoff=Backoff())
    await stopped(run, timer.has_ended)
    assert 1 <= Counter(kinds(run.outcomes))[UNKNOWN] <= 4


@pytest.mark.parametrize(("status", "kind"), [(429, REFUSED), (503, UNKNOWN)])
async def test_retry_after_is_respected(
    client: ScriptedClient, a_run: Run, status: int, kind: OutcomeKind
) -> None:
    client.refused["animal 3"] = refusal(status, transient=True, retry_after=60.0)
    timer = SteppedTimer()
    run = a_run(6, timer=timer, backoff=Backoff(), parallel=1)
    assert kinds(await run.run()) == [ADDED] * 2 + [kind] + [ADDED] * 3
    assert 60 <= timer.time < 120


async def test_a_bug_makes_one_line_unknown_and_is_reported(
    client: ScriptedClient, a_run: Run
) -> None:
    client.adds = [None, ValueError("a bug")]
    reported: list[Exception] = []
    run = a_run(4, parallel=1, report=reported.append)
    assert kinds(await run.run()) == [ADDED, UNKNOWN, ADDED, ADDED]
    assert [str(error) for error in reported] == ["a bug"]


# ── progress and the journal ─────────────────────────────────────────────────────────────────────


async def test_progress_adds_up_to_all_lines_and_ends_with_the_last_one(
    client: ScriptedClient, a_run: Run
) -> None:
    client.refused = {"animal 2": refusal(400)}
    await a_run(3).run()
    client.refused = {"animal 7": cut()}
    reports: list[ImportProgress] = []
    await a_run(10, on_progress=reports.append).run()
    last = reports[-1]
    assert (last.total, last.earlier, last.added, last.unknown) == (10, 2, 7, 1)
    assert last.remaining == 0
    for one in reports:
        counted = one.added + one.refused + one.unknown + one.earlier + one.remaining
        assert counted == one.total


async def test_a_lost_line_is_recorded_with_the_newest_animal_before_it(
    client: ScriptedClient, a_run: Run, journal: Journal
) -> None:
    client.lists = [[plain_pet(5), plain_pet(4)]]
    client.adds = [cut()]
    await a_run(1).run()
    state = journal.state(animals(1)[0][0])
    assert isinstance(state, UnknownLine)
    assert state.after_id == 5
    assert "cannot read from" in state.reason
