"""Garbage is collected while nobody types."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

import pytest

from pettui.system.idle_collection import IDLE, YOUNG_MAXIMUM, IdleCollection

if TYPE_CHECKING:
    from collections.abc import Iterator


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
