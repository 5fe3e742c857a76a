"""PetAppFactory: makes the apps of animals that ``pettui.ssh`` serves."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pettui.cli.ssh.app_dependencies import dependencies_opener
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
    """Opens what each user's app is made of, and closes it."""

    def __init__(self, open_dependencies: OpenDependencies, *, can_prepare: bool) -> None:
        """Make none yet.

        Args:
            open_dependencies: opens those of one app.
            can_prepare: whether all users get the same, as in a demo.
        """
        self._open_dependencies = open_dependencies
        self._can_prepare = can_prepare

    @property
    def can_prepare(self) -> bool:
        """Whether apps may run before anybody has logged in."""
        return self._can_prepare

    def prepare(self, terminal: ClientTerminal) -> ServedPetApp:
        """Return an app that has seen nobody's outbox, name or keys."""
        return self._app(NOBODY, terminal)

    def claim(
        self, user: User, terminal: ClientTerminal, prepared: ServedPetApp | None
    ) -> ServedPetApp:
        """Return a user's app; one that was prepared refreshes what it loaded a while ago."""
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
        """Return what did not go out, in one raw line; "" where nothing waits."""
        return app.farewell

    async def close(self, app: ServedPetApp) -> None:
        """Close what an app was made of."""
        await app.close_dependencies()


def factory_opener(
    settings: Settings, environment: Mapping[str, str], demo: DemoOptions | None = None
) -> Callable[[], AbstractAsyncContextManager[PetAppFactory]]:
    """Return what opens the factory of a process, with what its apps share.

    Args:
        settings: which store they are on.
        environment: of the server.
        demo: the options of a demo.

    Raises:
        ConfigurationError: the store cannot be used.
    """
    open_shared = dependencies_opener(settings, environment, demo)
    can_prepare = settings.profile.kind is StoreKind.DEMO

    @asynccontextmanager
    async def open_factory() -> AsyncIterator[PetAppFactory]:
        async with open_shared() as open_dependencies:
            yield PetAppFactory(open_dependencies, can_prepare=can_prepare)

    return open_factory
