"""One running app for all the hostile cases of a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest_asyncio

from tests.tui.hostile.running import Running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import pytest

    from tests.tui.hostile.stage import Stage


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(request: pytest.FixtureRequest) -> AsyncIterator[Running]:
    """The app as the module's STAGE says; opened by the first case."""
    running = Running(**request.module.STAGE)
    yield running
    await running.close()


@pytest_asyncio.fixture(loop_scope="module")
async def stage(running: Running) -> AsyncIterator[Stage]:
    """The app with a good answer on its screen; one that a case breaks is opened anew."""
    stage = await running.stage()
    yield stage
    if not stage.is_good:
        await running.close()
