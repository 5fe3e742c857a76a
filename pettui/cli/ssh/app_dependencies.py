"""What the apps of users who log in over SSH are made of: a demo each, or one store for all."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from pettui.cli.client_opening import client_of
from pettui.cli.crash_reports import keep_report
from pettui.cli.demo.demo_service import DemoService
from pettui.cli.embedded import open_embedded, with_store
from pettui.configuration import state_directory
from pettui.outbox import DirectoryEntryStore, MemoryEntryStore, Outbox, find_directory
from pettui.settings import StoreKind

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from pettui.cli.demo.demo_options import DemoOptions
    from pettui.client import PetClient
    from pettui.settings import Profile, Settings
    from pettui.ssh.apps.app_factory import User
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.tui.user_session import Demo

# Of a demo's list, whatever the terminal: an app that is ready before it is known fits all of them.
DEMO_LIMIT = 40
CONNECTIONS = 64  # to the service, for all users of a process
NAME_SHOWN = 40  # characters in the header


@dataclass(frozen=True, slots=True)
class Dependencies:
    """A client, settings and an outbox for one app."""

    client: PetClient
    settings: Settings
    outbox: Outbox
    demo: Demo | None  # None: it is none
    shown_name: str  # in the header; "" in a demo, where everybody is alone
    close: Callable[[], Awaitable[None]]  # after the app has ended


class OpenDependencies(Protocol):
    """Opens those of one app."""

    def __call__(self, user: User, terminal: ClientTerminal) -> Dependencies:
        """Return what a user's app needs."""
        ...


def dependencies_opener(
    settings: Settings, environment: Mapping[str, str], demo: DemoOptions | None = None
) -> Callable[[], AbstractAsyncContextManager[OpenDependencies]]:
    """Return what opens, in each process, the way to the dependencies of its apps.

    Args:
        settings: which store they are on.
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
    """Open a store in memory that nobody else has."""
    profile = settings.profile
    service = DemoService(profile.api_key, options)
    client = client_of(settings, service)
    outbox = Outbox(
        MemoryEntryStore(), client, delay=settings.delay, look_every=math.inf, thread=thread
    )

    async def close() -> None:
        await client.aclose()
        await service.aclose()

    drawn = _drawn_for(settings, terminal)
    return Dependencies(client, drawn, outbox, service.demo, shown_name="", close=close)


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
    """Open a user's own outbox on the store of all."""
    directory = find_directory(
        state_directory(), _owner(user), settings.profile.name, _address(settings.profile)
    )
    outbox = Outbox(
        DirectoryEntryStore(directory),
        client,
        delay=settings.delay,
        thread=thread,
        report=lambda error: keep_report(error, settings.profile.api_key, outbox.client.api_key),
    )
    drawn = _drawn_for(settings, terminal)
    return Dependencies(
        client, drawn, outbox, demo=None, shown_name=user.name[:NAME_SHOWN], close=_nothing
    )


def _owner(user: User) -> str:
    """Return what the outbox knows a user by."""
    return f"ssh {user.fingerprint or 'anybody'}"


async def _nothing() -> None:
    """Close nothing: what a session used is everybody's."""


def _address(profile: Profile) -> str:
    return str(profile.database or profile.base_url)


def _drawn_for(settings: Settings, terminal: ClientTerminal) -> Settings:
    """Return the settings with what the client's terminal can draw."""
    return replace(
        settings,
        glyphs=terminal.glyphs,
        has_latin_1=terminal.has_latin_1,
        colours=terminal.colours,
    )
