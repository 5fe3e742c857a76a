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
    """The app, opened by the module's first case with the arguments in STAGE."""
    running = Running(**request.module.STAGE)
    yield running
    await running.close()


@pytest_asyncio.fixture(loop_scope="module")
async def stage(running: Running) -> AsyncIterator[Stage]:
    """The app with a good response on its screen; after a case that breaks it, a new one."""
    stage = await running.stage()
    yield stage
    if not stage.is_good:
        await running.close()
