"""Full collections of unused memory: when nobody types, and in time."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

import pytest

from pettui.idle_collection import IDLE, YOUNG_MAXIMUM, IdleCollection
from pettui.ssh.apps.gc_schedule import ENDED_MAXIMUM, GcSchedule

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _nothing_collected_meanwhile() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def full_collections() -> int:
    return gc.get_stats()[2]["collections"]


def collects(collection: IdleCollection) -> bool:
    before = full_collections()
    collection.collect_if_time()
    return full_collections() > before


async def until_idle() -> None:
    await asyncio.sleep(IDLE * 1.1)  # of the loop's own clock


async def test_where_little_was_made_nothing_is_collected() -> None:
    assert not collects(IdleCollection())


async def test_while_somebody_types_a_full_collection_waits() -> None:
    collection = IdleCollection()
    gc.collect(0)
    collection.typed()
    assert not collects(collection)
    await until_idle()
    assert collects(collection)
    assert not collects(collection)


async def test_what_is_overdue_is_collected_though_somebody_types() -> None:
    collection = IdleCollection()
    for _ in range(YOUNG_MAXIMUM):
        gc.collect(0)
    collection.typed()
    assert collects(collection)
    assert not collects(collection)


async def test_a_server_collects_when_a_session_has_ended_and_nobody_types() -> None:
    schedule = GcSchedule()
    gc.collect(0)
    assert not collects(schedule)
    schedule.session_ended()
    schedule.typed()
    assert not collects(schedule)
    await until_idle()
    assert collects(schedule)
    assert not collects(schedule)


async def test_a_server_collects_once_many_sessions_have_ended_though_users_type() -> None:
    schedule = GcSchedule()
    for _ in range(ENDED_MAXIMUM):
        schedule.session_ended()
    schedule.typed()
    assert collects(schedule)
