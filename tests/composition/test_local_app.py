"""The app of one terminal, and what its process does beside it."""

from __future__ import annotations

import asyncio
import gc

import httpx
import pytest

from pettui.client import PetClient
from pettui.composition.local_app import LocalApp
from pettui.settings.settings import Settings
from pettui.system.idle_collection import THRESHOLDS
from tests.system.test_idle_collection import full_collections
from tests.system.test_idle_collection import (
    no_automatic_collection as no_automatic_collection,  # noqa: PLC0414 - a fixture
)
from tests.tui.driving import PRODUCTION
from tests.tui.scripted_service import KEY, ScriptedService
from tests.waiting import PATIENCE


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
