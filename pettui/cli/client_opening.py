"""The client of a profile's store, with the store itself if it is in this process."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pettui.cli.embedded import open_embedded
from pettui.cli.threads import use_loop_threads
from pettui.settings import StoreKind

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pettui.cli.demo.demo_service import DemoService
    from pettui.cli.embedded import EmbeddedService
    from pettui.client import PetClient
    from pettui.settings import Settings


def client_of(settings: Settings, service: EmbeddedService | DemoService | None) -> PetClient:
    """Return the client of a profile, which opens no connection before its first call."""
    from pettui.client import PetClient

    profile = settings.profile
    return PetClient(
        profile.base_url,
        profile.api_key,
        transport=None if service is None else service.transport,
        limits=settings.limits,
        proxy=profile.proxy,
        ca_file=profile.ca_file,
        why_no_key=profile.missing_key,
    )


@asynccontextmanager
async def opened_client(settings: Settings) -> AsyncIterator[PetClient]:
    """Open the client of a profile and its store; the block's end closes both.

    Raises:
        ConfigurationError: its store's file cannot be used.
    """
    use_loop_threads()
    is_service = settings.profile.kind is StoreKind.SERVICE
    service = None if is_service else open_embedded(settings.profile)
    client = client_of(settings, service)
    try:
        yield client
    finally:
        await client.aclose()
        if service is not None:
            await service.aclose()
