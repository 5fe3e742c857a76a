"""PetAppFactory: makes the apps that ``pettui.ssh`` serves."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pettui.cli.ssh.app_dependencies import WriteEvent, dependencies_opener
from pettui.cli.ssh.served_pet_app import ServedPetApp
from pettui.settings import StoreKind
from pettui.ssh.apps.app_factory import User

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from pettui.cli.demo.demo_options import DemoOptions
    from pettui.cli.ssh.app_dependencies import OpenDependencies
    from pettui.settings import Settings
    from pettui.ssh.client_terminal import ClientTerminal

NOBODY = User("", "")


class PetAppFactory:
    """Opens and closes the dependencies of each user's app."""

    def __init__(self, open_dependencies: OpenDependencies, *, can_prepare: bool) -> None:
        """Make no app yet.

        Args:
            open_dependencies: opens those of one app.
            can_prepare: whether all users get the same app, as in a demo.
        """
        self._open_dependencies = open_dependencies
        self._can_prepare = can_prepare

    @property
    def can_prepare(self) -> bool:
        """Whether apps may run before their user has logged in."""
        return self._can_prepare

    def prepare(self, terminal: ClientTerminal) -> ServedPetApp:
        """Return an app that no user has seen yet."""
        return self._app(NOBODY, terminal)

    def claim(
        self, user: User, terminal: ClientTerminal, prepared: ServedPetApp | None
    ) -> ServedPetApp:
        """Return a user's app; a prepared one refreshes an old list."""
        if prepared is None:
            return self._app(user, terminal)
        prepared.draw_in(terminal.colours)
        prepared.call_later(prepared.welcome)
        return prepared

    def _app(self, user: User, terminal: ClientTerminal) -> ServedPetApp:
        return ServedPetApp(self._open_dependencies(user, terminal))

    def restarts(self, app: ServedPetApp) -> bool:
        """Whether the user asked to start the demo over."""
        return app.wants_restart

    def farewell(self, app: ServedPetApp) -> str:
        """Return a raw line about unsent animals, "" if there are none."""
        return app.farewell

    async def close(self, app: ServedPetApp) -> None:
        """Close the dependencies of an app."""
        await app.close_dependencies()


def factory_opener(
    settings: Settings, environment: Mapping[str, str], demo: DemoOptions | None = None
) -> Callable[[WriteEvent], AbstractAsyncContextManager[PetAppFactory]]:
    """Return what each process opens to get its factory, with what its apps share.

    It takes what writes an event to the log of the process.

    Args:
        settings: of their store.
        environment: of the server.
        demo: the options of a demo.

    Raises:
        ConfigurationError: the store cannot be used.
    """
    open_shared = dependencies_opener(settings, environment, demo)
    can_prepare = settings.profile.kind is StoreKind.DEMO

    @asynccontextmanager
    async def open_factory(log: WriteEvent) -> AsyncIterator[PetAppFactory]:
        async with open_shared(log) as open_dependencies:
            yield PetAppFactory(open_dependencies, can_prepare=can_prepare)

    return open_factory
