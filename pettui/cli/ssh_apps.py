"""The apps that ``pettui.ssh`` serves: their dependencies, their factory, and each user's app."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from textual.events import Key, Paste

from pettui import actions
from pettui.cli.crash_reports import write_report
from pettui.cli.demo import DemoService
from pettui.cli.store import client_of, open_embedded, with_store
from pettui.configuration import state_directory
from pettui.outbox import DirectoryEntryStore, MemoryEntryStore, Outbox, outbox_directory
from pettui.settings import StoreKind
from pettui.ssh.apps.app_factory import User
from pettui.ssh.apps.served_app import ServedApp
from pettui.tui import app as app_module
from pettui.tui.app import PetApp
from pettui.tui.keys import bindings
from pettui.tui.screens.boxes import ConfirmationScreen
from pettui.tui.screens.pet_list import PetListScreen

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from textual.binding import BindingType
    from textual.message import Message
    from textual.screen import Screen

    from pettui.cli.demo import DemoOptions
    from pettui.client import PetClient
    from pettui.settings import Profile, Settings
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.tui.user_session import Demo


# Of a demo's list, whatever its terminal: apps are prepared before its size is known.
DEMO_LIMIT = 40
CONNECTIONS = 64  # to the service, for all users of a process
NAME_SHOWN = 40  # characters in the header


@dataclass(frozen=True, slots=True)
class Dependencies:
    """A client, settings and an outbox for one app."""

    client: PetClient
    settings: Settings
    outbox: Outbox
    demo: Demo | None  # None if it is not a demo
    shown_name: str  # in the header; "" in a demo
    close: Callable[[], Awaitable[None]]  # after the app has ended


class OpenDependencies(Protocol):
    """Opens the dependencies of one app."""

    def __call__(self, user: User, terminal: ClientTerminal) -> Dependencies:
        """Return what a user's app needs."""
        ...


def dependencies_opener(
    settings: Settings, environment: Mapping[str, str], demo: DemoOptions | None = None
) -> Callable[[], AbstractAsyncContextManager[OpenDependencies]]:
    """Return what each process opens to get the dependencies of its apps.

    Args:
        settings: of their store.
        environment: of the server.
        demo: the options of a demo.

    Raises:
        ConfigurationError: the store cannot be used.
    """
    profile = settings.profile
    if profile.kind is not StoreKind.SERVICE:
        profile = with_store(profile, environment)
    if profile.kind is StoreKind.DEMO:
        limit = settings.limit or DEMO_LIMIT
        return partial(_demos, replace(settings, profile=profile, limit=limit), demo)
    return partial(_one_store, replace(settings, profile=profile))


@asynccontextmanager
async def _demos(
    settings: Settings, options: DemoOptions | None
) -> AsyncIterator[OpenDependencies]:
    with ThreadPoolExecutor(1, thread_name_prefix="outboxes") as thread:
        yield partial(_demo, settings, options, thread)


def _demo(
    settings: Settings,
    options: DemoOptions | None,
    thread: ThreadPoolExecutor,
    _user: User,
    terminal: ClientTerminal,
) -> Dependencies:
    """Open a store in memory for one user."""
    profile = settings.profile
    service = DemoService(profile.api_key, options)
    client = client_of(settings, service)
    outbox = Outbox(
        MemoryEntryStore(), client, delay=settings.delay, look_every=math.inf, thread=thread
    )

    async def close() -> None:
        await client.aclose()
        await service.aclose()

    own_settings = _settings_for(settings, terminal)
    return Dependencies(client, own_settings, outbox, service.demo, shown_name="", close=close)


@asynccontextmanager
async def _one_store(settings: Settings) -> AsyncIterator[OpenDependencies]:
    async with AsyncExitStack() as opened:
        profile = settings.profile
        service = None
        if profile.kind is StoreKind.EMBEDDED:
            service = open_embedded(profile)
            opened.push_async_callback(service.aclose)
        limits = replace(settings.limits, connections=CONNECTIONS)
        client = client_of(replace(settings, limits=limits), service)
        opened.push_async_callback(client.aclose)
        thread = opened.enter_context(ThreadPoolExecutor(1, thread_name_prefix="outboxes"))
        yield partial(_for_user, settings, client, thread)


def _for_user(
    settings: Settings,
    client: PetClient,
    thread: ThreadPoolExecutor,
    user: User,
    terminal: ClientTerminal,
) -> Dependencies:
    """Open a user's own outbox on the shared store."""
    directory = outbox_directory(
        state_directory(), _owner(user), settings.profile.name, _address(settings.profile)
    )
    outbox = Outbox(
        DirectoryEntryStore(directory),
        client,
        delay=settings.delay,
        thread=thread,
        report=lambda error: write_report(error, settings.profile.api_key, outbox.client.api_key),
    )
    own_settings = _settings_for(settings, terminal)
    return Dependencies(
        client,
        own_settings,
        outbox,
        demo=None,
        shown_name=user.name[:NAME_SHOWN],
        close=_close_nothing,
    )


def _owner(user: User) -> str:
    """Return the outbox's name for a user."""
    return f"ssh {user.fingerprint or 'anybody'}"


async def _close_nothing() -> None:
    """Close nothing, since all sessions share it."""


def _address(profile: Profile) -> str:
    return str(profile.database or profile.base_url)


def _settings_for(settings: Settings, terminal: ClientTerminal) -> Settings:
    """Return the settings with the glyphs and colours of the client's terminal."""
    return replace(
        settings,
        glyphs=terminal.glyphs,
        has_latin_1=terminal.has_latin_1,
        colours=terminal.colours,
    )


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
) -> Callable[[], AbstractAsyncContextManager[PetAppFactory]]:
    """Return what each process opens to get its factory, with what its apps share.

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
    async def open_factory() -> AsyncIterator[PetAppFactory]:
        async with open_shared() as open_dependencies:
            yield PetAppFactory(open_dependencies, can_prepare=can_prepare)

    return open_factory


GREETING = (
    "A demo, for you alone: it is gone when you leave.  {reset_demo} starts over."
    "  {put_away} closes this notice."
)
LOST = "The demo starts over, and the animals that you added are lost."
RESTART = 75  # return code of an app whose demo starts over
FRESH = timedelta(seconds=10)  # maximum age of a list when its user logs in


class ServedPetApp(ServedApp[None], PetApp):
    """One user's app; a demo can be started over."""

    CSS_PATH = str(Path(app_module.__file__).with_name("pettui.tcss"))  # not beside this module
    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.DEMO)

    def __init__(self, dependencies: Dependencies) -> None:
        settings = dependencies.settings
        super().__init__(dependencies.client, settings, outbox=dependencies.outbox)
        self.takes_mouse = settings.mouse
        self.close_dependencies = dependencies.close
        self.session.user = dependencies.shown_name
        self.session.writes_files = False
        self.session.demo = dependencies.demo
        self.session.greeting = GREETING if dependencies.demo is not None else ""

    @property
    def pending_events(self) -> int:
        """How many events the app received and has not processed yet."""
        return len(self.session.key_queue) + super().pending_events

    def request_end(self) -> None:
        """End the app after the keys typed before have taken effect."""
        self.end()

    @property
    def wants_restart(self) -> bool:
        """Whether the user asked to start the demo over."""
        return self.return_code == RESTART and self.bug is None

    def welcome(self) -> None:
        """Refresh a list that was loaded a while before its user logged in."""
        screen = self.screen_stack[0]  # below a welcome
        if not isinstance(screen, PetListScreen) or screen.listing is None:
            return
        age = self.session.clock.now() - screen.listing.answered_at
        if age > FRESH:
            screen.action_refresh()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Start the demo over only if there is one."""
        if action == "reset_demo":
            return self.session.demo is not None
        return super().check_action(action, parameters)

    async def action_reset_demo(self) -> None:
        """Ask whether to start the demo over."""
        await self.push_screen(
            ConfirmationScreen(
                self.session.glyphs,
                "Start the demo over?",
                LOST,
                self._restart,
                takes_keys_ahead=True,
            )
        )

    def _restart(self) -> None:
        self.session.key_queue.hold()
        if self.channel_driver is not None:
            self.channel_driver.disable_input()  # Esc may be the begin of a sequence
        self.exit(return_code=RESTART)

    @property
    def unhandled_input(self) -> list[Message]:
        """What was typed behind the key that starts the demo over."""
        return [
            Key(event.key, event.character) if isinstance(event, Key) else Paste(event.text)
            for event in self.session.key_queue.waiting
        ]

    def get_default_screen(self) -> Screen[Any]:
        """Return the list, whose first frame waits for its animals if they come soon.

        An empty list, its bars and its first size would be three more frames, and a third of the
        time that an app takes to start.
        """
        screen = super().get_default_screen()
        release = self.hold_frames(screen)

        def on_age(age: str) -> None:
            if age:  # set with the first animals
                release()

        if isinstance(screen, PetListScreen):
            self.watch(screen.header, "age", on_age, init=False)
        return screen
