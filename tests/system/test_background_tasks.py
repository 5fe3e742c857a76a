"""What runs in the background, and how often: restarts, waits, rates and garbage collections."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.client import PetClient
from pettui.client.backoff import Backoff
from pettui.composition.local_app import LocalApp
from pettui.settings.settings import Settings
from pettui.ssh import token_bucket
from pettui.ssh.token_bucket import TokenBucket
from pettui.system.background_tasks import keep_running, next_tick
from pettui.system.idle_collection import IDLE, THRESHOLDS, YOUNG_MAXIMUM, IdleCollection
from tests.clock import Clock
from tests.tui.driving import PRODUCTION
from tests.tui.scripted_service import KEY, ScriptedService
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("no more threads"), KeyError(1)])
async def test_a_background_task_that_raises_is_reported_and_restarted(
    error: Exception,
) -> None:
    reported: list[BaseException] = []
    errors = [error, error]
    runs_on = asyncio.Event()

    async def run() -> None:
        if errors:
            raise errors.pop()
        runs_on.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(keep_running(run, reported.append, pause=0))
    async with asyncio.timeout(60):
        await runs_on.wait()
    assert reported == [error, error]
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_tasks_with_the_same_interval_wake_up_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop, now = asyncio.get_running_loop(), 10.0
    monkeypatch.setattr(loop, "time", lambda: now)
    tasks = []

    async def run_all() -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    for now in (10.2, 10.4):  # noqa: B007 - the loop's clock
        tasks.append(asyncio.create_task(next_tick(0.5)))
        await run_all()
    for now, woken in ((10.49, False), (10.5, True)):
        await run_all()
        assert [task.done() for task in tasks] == [woken, woken], now


@given(failures=st.integers(1, 10**6))
def test_a_wait_doubles_at_most_and_is_bounded(failures: int) -> None:
    bound = min(60.0, 2.0 ** min(failures - 1, 10))
    assert 0 <= Backoff(first=1.0, longest=60.0).after(failures) <= bound


def test_waits_differ_so_that_clients_do_not_come_back_all_at_once() -> None:
    backoff = Backoff()
    assert len({backoff.after(5) for _ in range(20)}) > 10


@given(asked=st.floats(allow_nan=False))
def test_what_the_service_asks_for_is_honoured_within_a_bound(asked: float) -> None:
    assert Backoff().after(1, asked) == min(max(asked, 0.0), 4600.0)


RATE, BURST = 0.25, 0.1  # of the packets of a client over SSH


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(100.0)
    monkeypatch.setattr(token_bucket, "monotonic", clock)
    return clock


def test_a_client_that_types_never_waits(clock: Clock) -> None:
    bucket = TokenBucket(RATE, BURST)
    for _ in range(1000):
        clock.now += 0.02
        assert bucket.use(0.002) == 0


def test_a_flood_gets_no_more_than_its_rate(clock: Clock) -> None:
    bucket, used, began = TokenBucket(RATE, BURST), 0.0, clock.now
    while clock.now < began + 100:
        clock.now += 0.01 + bucket.use(0.01)
        used += 0.01
    assert used <= 100 * RATE + BURST + 0.01


def test_what_was_used_is_forgotten_after_a_while(clock: Clock) -> None:
    bucket = TokenBucket(RATE, BURST)
    assert bucket.use(5 * BURST) > 0
    clock.now += 5 * BURST / RATE
    assert bucket.use(BURST / 2) == 0


def test_what_is_remembered_of_too_much_may_be_bounded(clock: Clock) -> None:
    bucket = TokenBucket(RATE, BURST, debt=BURST)
    assert bucket.use(100 * BURST) == BURST / RATE
    assert bucket.available == -BURST


def test_skipped_time_adds_nothing(clock: Clock) -> None:
    bucket = TokenBucket(RATE, BURST)
    bucket.use(BURST)
    clock.now += 100
    bucket.skip_time()
    assert bucket.available == 0
    clock.now += BURST / RATE / 2
    assert bucket.available == pytest.approx(BURST / 2)


@pytest.fixture
def no_automatic_collection() -> Iterator[None]:
    thresholds = gc.get_threshold()
    gc.disable()
    yield
    gc.set_threshold(*thresholds)
    gc.enable()


def full_collections() -> int:
    return gc.get_stats()[2]["collections"]


def collects(collection: IdleCollection) -> bool:
    before = full_collections()
    collection.collect_if_time()
    return full_collections() > before


@pytest.mark.usefixtures("no_automatic_collection")
async def test_a_collection_is_due_after_a_younger_one_once_nobody_types() -> None:
    collection = IdleCollection()
    assert not collects(collection)
    gc.collect(0)
    collection.typed()
    assert not collects(collection)
    await asyncio.sleep(IDLE * 1.1)  # of the loop's own clock
    assert collects(collection)
    assert not collects(collection)


@pytest.mark.usefixtures("no_automatic_collection")
async def test_an_overdue_collection_runs_even_while_somebody_types() -> None:
    collection = IdleCollection()
    for _ in range(YOUNG_MAXIMUM):
        gc.collect(0)
    collection.typed()
    assert collects(collection)
    assert not collects(collection)


@pytest.mark.usefixtures("no_automatic_collection")
async def test_garbage_is_collected_while_nobody_types() -> None:
    service = ScriptedService([])
    client = PetClient(PRODUCTION.base_url, KEY, transport=httpx.ASGITransport(service))
    app = LocalApp(client, Settings(PRODUCTION))
    async with asyncio.timeout(PATIENCE), app.run_test() as pilot:
        assert gc.get_threshold() == THRESHOLDS
        before = full_collections()
        gc.collect(0)
        while full_collections() == before:
            await pilot.pause(0.01)
    await client.aclose()
    await service.store.close()
