"""The app on a demo of its own, whose time and waiting a test decides."""

from __future__ import annotations

import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx

from pettui.client import PetClient
from pettui.models.staged_faults import AWAY_SECONDS, StagedFaults
from pettui.service.demo import StagedService
from pettui.service.stores.samples import SAMPLE_CATEGORIES, sample_pets
from pettui.service.stores.sqlite import DEMO_BOUNDS, SqliteStore
from pettui.settings.settings import ApiKey, Profile, StoreKind
from pettui.tui.session.session import Demo
from tests.tui.driving import QUICK_LIMITS, Driver, open_app
from tests.tui.scripted_service import KEY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable


DEMO = Profile(
    "demo", StoreKind.DEMO, "http://demo/v1", ApiKey(KEY), "DEMO", "blue",
    categories=SAMPLE_CATEGORIES,
)  # fmt: skip


@asynccontextmanager
async def open_demo(
    *,
    welcome: tuple[str, ...] = (),
    is_read_only: bool = False,
    clock: Callable[[], float] = time.monotonic,
    away: float = AWAY_SECONDS,
    **more: Any,
) -> AsyncIterator[Driver]:
    """Open the app on a demo; ``clock`` says when a service that is away is back."""
    store = SqliteStore.open_in_memory(sample_pets(), DEMO_BOUNDS)
    faults = StagedFaults(clock, away)
    app = StagedService(store, KEY, faults, is_read_only=is_read_only)
    client = PetClient(DEMO.base_url, KEY, transport=httpx.ASGITransport(app), limits=QUICK_LIMITS)
    try:
        async with open_app(
            client=client,
            profile=DEMO,
            demo=Demo(faults, welcome, is_read_only=is_read_only),
            **more,
        ) as driver:
            yield driver
    finally:
        await store.close()


async def run_command(driver: Driver, letters: str) -> None:
    """Do what the letters mean in the palette."""
    await driver.press(":", *letters, "enter")
