"""Stages that stay open for all the cases of a module."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from pettui.client import PetClient
from tests.client.hostile.server import HostileServer, http
from tests.client.hostile.usual import UsualService
from tests.tui.driving import KEY, PRODUCTION, QUICK_LIMITS, open_app
from tests.tui.hostile.stage import Stage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pettui.settings import Limits


@asynccontextmanager
async def open_stage(
    limits: Limits = QUICK_LIMITS, size: tuple[int, int] = (100, 24)
) -> AsyncIterator[Stage]:
    """Open the app on a hostile service that begins as a good one."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(HostileServer())
        other = await stack.enter_async_context(HostileServer(http(200, "[]")))
        server.turn_to(UsualService(server))
        profile = replace(PRODUCTION, base_url=server.base_url)
        client = PetClient(server.base_url, KEY, limits=limits)
        driver = await stack.enter_async_context(
            open_app(client=client, profile=profile, size=size)
        )
        yield Stage(driver, server, other)


class Running:
    """A stage that is open for all the cases of a module; one that a case broke is opened anew."""

    def __init__(self, begin: tuple[str, ...] = (), **options: object) -> None:
        self._begin = begin  # keys that lead to the screen of the cases
        self._options = options
        self._task: asyncio.Task[None] | None = None
        self._leave = asyncio.Event()
        self._stage: Stage | None = None

    async def stage(self) -> Stage:
        """Return the stage, with a good response on the screen."""
        if self._stage is None:
            opened: asyncio.Future[Stage] = asyncio.get_running_loop().create_future()
            self._leave = asyncio.Event()
            self._task = asyncio.create_task(self._run(opened))
            await asyncio.wait([opened, self._task], return_when=asyncio.FIRST_COMPLETED)
            self._stage = await (opened if opened.done() else self._task)
        return self._stage

    async def close(self) -> None:
        """Close the app and its services."""
        self._leave.set()
        self._stage = None
        if self._task is not None:
            await self._task

    async def _run(self, opened: asyncio.Future[Stage]) -> None:
        async with open_stage(**self._options) as stage:
            if self._begin:
                await stage.driver.press(*self._begin)
                stage.screen = stage.driver.screen
            opened.set_result(stage)
            await self._leave.wait()
