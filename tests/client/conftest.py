"""A hostile service, and a client that tries once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import TypeAlias

import pytest

from pettui.client import PetClient
from pettui.settings.settings import Limits
from tests.client.hostile.checks import KEY
from tests.client.hostile.server import HostileServer, Step

Serve: TypeAlias = Callable[..., Awaitable[HostileServer]]
ClientOf: TypeAlias = Callable[..., PetClient]
Answered: TypeAlias = Callable[..., PetClient]

ONCE = Limits(tries=0)


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Open hostile services that take the given steps, closed at the end of the test."""
    async with AsyncExitStack() as stack:

        async def open_server(*steps: Step, **options: object) -> HostileServer:
            return await stack.enter_async_context(HostileServer(*steps, **options))

        yield open_server


@pytest.fixture
async def client_of() -> AsyncIterator[ClientOf]:
    """Make clients of a service that try once by default, closed at the end of the test."""
    async with AsyncExitStack() as stack:

        def make(
            server: HostileServer | str, limits: Limits = ONCE, **options: object
        ) -> PetClient:
            base_url = server if isinstance(server, str) else server.base_url
            client = PetClient(base_url, KEY, limits=limits, **options)
            stack.push_async_callback(client.aclose)
            return client

        yield make


@pytest.fixture
async def server(serve: Serve) -> HostileServer:
    """Return a hostile service; ``turn_to`` gives it its steps."""
    return await serve()


@pytest.fixture
async def client(server: HostileServer, client_of: ClientOf) -> PetClient:
    """Return a client of ``server`` that tries once."""
    return client_of(server)


@pytest.fixture
def answered(server: HostileServer, client_of: ClientOf) -> Answered:
    """Give ``server`` its steps, and return a client of it that tries once by default."""

    def answered(*steps: Step, limits: Limits = ONCE) -> PetClient:
        server.turn_to(*steps)
        return client_of(server, limits)

    return answered
