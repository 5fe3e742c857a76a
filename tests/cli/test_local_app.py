"""LocalApp."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

import httpx
import pytest

from pettui.cli.local_app import LocalApp
from pettui.client import PetClient
from pettui.idle_collection import THRESHOLDS
from pettui.settings import Settings
from tests.tui.driving import DEADLINE, PRODUCTION
from tests.tui.scripted_service import KEY, ScriptedService

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


async def test_garbage_is_collected_while_nobody_types() -> None:
    service = ScriptedService([])
    client = PetClient(PRODUCTION.base_url, KEY, transport=httpx.ASGITransport(service))
    app = LocalApp(client, Settings(PRODUCTION))
    async with asyncio.timeout(DEADLINE), app.run_test() as pilot:
        assert gc.get_threshold() == THRESHOLDS
        before = gc.get_stats()[2]["collections"]
        gc.collect(0)
        while gc.get_stats()[2]["collections"] == before:
            await pilot.pause(0.01)
    await client.aclose()
    await service.store.close()
