"""The dependencies of apps over SSH: a demo for each user, or one store for all."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from pettui.background_tasks import keep_running, stopped
from pettui.cli.client_opening import client_of
from pettui.cli.crash_reports import write_report
from pettui.cli.demo.demo_service import DemoService
from pettui.cli.embedded import open_embedded, with_store
from pettui.cli.unattended import UnattendedSending
from pettui.cli.user_outboxes import (
    keep_user,
    owner_of,
    take_sent,
    use_own_key,
    use_profile_key,
)
from pettui.configuration import state_directory
from pettui.outbox import (
    DirectoryEntryStore,
    EntryState,
    MemoryEntryStore,
    Outbox,
    find_directory,
)
from pettui.settings import StoreKind

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Mapping
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from pettui.cli.demo.demo_options import DemoOptions
    from pettui.client import PetClient
    from pettui.settings import Profile, Settings
    from pettui.ssh.apps.app_factory import User
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.tui.user_session import Demo

# Of a demo's list, whatever its terminal: apps are prepared before its size is known.
DEMO_LIMIT = 40
CONNECTIONS = 64  # to the service, for all users of a process
NAME_SHOWN = 40  # characters in the header
ON_THE_WAY = (EntryState.WAITING, EntryState.SENDING)

WriteEvent = Callable[..., None]  # an event's name, and its fields


@dataclass(frozen=True, slots=True)
class Dependencies:
    """A client, settings and an outbox for one app."""

    client: PetClient
    settings: Settings
    outbox: Outbox
    demo: Demo | None  # None if it is not a demo
    shown_name: str  # in the header; "" in a demo
    close: Callable[[], Awaitable[None]]  # after the app has ended
    sent_meanwhile: int = 0  # animals that the server added since this user's last session
    before_own_key: Callable[[], None] | None = None  # None: nothing is sent after the session


class OpenDependencies(Protocol):
    """Opens the dependencies of one app."""

    def __call__(self, user: User, terminal: ClientTerminal) -> Dependencies:
        """Return what a user's app needs."""
        ...


def dependencies_opener(
    settings: Settings, environment: Mapping[str, str], demo: DemoOptions | None = None
) -> Callable[[WriteEvent], AbstractAsyncContextManager[OpenDependencies]]:
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
    settings: Settings, options: DemoOptions | None, _log: WriteEvent
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
async def _one_store(settings: Settings, log: WriteEvent) -> AsyncIterator[OpenDependencies]:
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
        directory = outbox_directory(profile, owner_of(None))
        outboxes = directory.parent.parent
        sending = UnattendedSending(
            outboxes, directory.name, client, settings, thread=thread, log=log
        )
        task = asyncio.create_task(
            keep_running(sending.run, sending.report), name="send what users left"
        )
        opened.push_async_callback(stopped, task)
        yield partial(_for_user, settings=settings, client=client, thread=thread, sending=sending)


def _for_user(
    user: User,
    terminal: ClientTerminal,
    *,
    settings: Settings,
    client: PetClient,
    thread: ThreadPoolExecutor,
    sending: UnattendedSending,
) -> Dependencies:
    """Open a user's own outbox on the shared store."""
    directory = outbox_directory(settings.profile, owner_of(user.fingerprint))
    thread.submit(keep_user, directory, user.name, user.fingerprint)
    use_profile_key(directory)
    outbox = Outbox(
        DirectoryEntryStore(directory),
        client,
        delay=settings.delay,
        thread=thread,
        report=lambda error: write_report(error, settings.profile.api_key, outbox.client.api_key),
    )

    async def close() -> None:
        if any(entry.state in ON_THE_WAY for entry in outbox.entries):
            sending.wake()

    own_settings = _settings_for(settings, terminal)
    return Dependencies(
        client,
        own_settings,
        outbox,
        demo=None,
        shown_name=user.name[:NAME_SHOWN],
        close=close,
        sent_meanwhile=take_sent(directory),
        before_own_key=partial(use_own_key, directory),
    )


def outbox_directory(profile: Profile, owner: str) -> Path:
    """Return the directory of an owner's outbox on a profile."""
    return find_directory(
        state_directory(), owner, profile.name, str(profile.database or profile.base_url)
    )


def _settings_for(settings: Settings, terminal: ClientTerminal) -> Settings:
    """Return the settings with the glyphs and colours of the client's terminal."""
    return replace(
        settings,
        glyphs=terminal.glyphs,
        has_latin_1=terminal.has_latin_1,
        colours=terminal.colours,
    )
