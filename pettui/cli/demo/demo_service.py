"""DemoService: the service of one demo session, with its own animals in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.cli.demo.demo_options import DemoOptions
from pettui.staged_faults import StagedFaults

if TYPE_CHECKING:
    import httpx

    from pettui.service.stores.sqlite import SqliteStore
    from pettui.settings import ApiKey
    from pettui.tui.user_session import Demo


class DemoService:
    """Created with the first request; its opener closes it."""

    def __init__(self, api_key: ApiKey, options: DemoOptions | None = None) -> None:
        self.options = options or DemoOptions()
        self.faults = StagedFaults()
        self._api_key = api_key
        self._store: SqliteStore | None = None

    def transport(self) -> httpx.AsyncBaseTransport:
        """Return a transport to the service, which checks the API key like any other.

        The client calls this with its first request, in a thread, where importing Starlette delays
        no frame.
        """
        import httpx

        from pettui.service.http.demo_app import create_demo_app
        from pettui.service.stores.samples import sample_pets
        from pettui.service.stores.sqlite import DEMO_BOUNDS, SqliteStore

        if self._store is None:
            animals = self.options.animals
            pets = sample_pets() if animals is None else animals
            self._store = SqliteStore.open_in_memory(pets, DEMO_BOUNDS)
        app = create_demo_app(
            self._store,
            self._api_key.reveal(),
            self.faults,
            is_read_only=self.options.is_read_only,
        )
        return httpx.ASGITransport(app, raise_app_exceptions=False)

    @property
    def demo(self) -> Demo:
        """What the app shows of the demo."""
        from pettui.tui.user_session import Demo

        options = self.options
        return Demo(self.faults, options.welcome, is_read_only=options.is_read_only)

    async def aclose(self) -> None:
        """Close the store; the client is closed before."""
        if self._store is not None:
            await self._store.close()
