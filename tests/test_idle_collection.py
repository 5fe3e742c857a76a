"""Full garbage collections: while nobody types, or when they are overdue."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

import pytest

from pettui.idle_collection import IDLE, YOUNG_MAXIMUM, IdleCollection

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _no_automatic_collection() -> Iterator[None]:
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


async def test_a_collection_is_not_due_at_first() -> None:
    assert not collects(IdleCollection())


async def test_a_collection_waits_while_somebody_types() -> None:
    collection = IdleCollection()
    gc.collect(0)
    collection.typed()
    assert not collects(collection)
    await until_idle()
    assert collects(collection)
    assert not collects(collection)


async def test_an_overdue_collection_runs_even_while_somebody_types() -> None:
    collection = IdleCollection()
    for _ in range(YOUNG_MAXIMUM):
        gc.collect(0)
    collection.typed()
    assert collects(collection)
    assert not collects(collection)
