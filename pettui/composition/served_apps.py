"""The apps that ``pettui.ssh`` serves: each user's, and what makes them, for a demo or a store."""

from __future__ import annotations

import asyncio
import math
from abc import abstractmethod
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any, ClassVar, Final
from weakref import WeakSet

from textual.events import Key, Paste

from pettui.build import build
from pettui.client import PetClient, prepare
from pettui.composition.audit import author_of
from pettui.composition.crash_reports import reported_bug, versions, write_report
from pettui.composition.demo import DemoOptions, DemoService
from pettui.composition.health import Lookout
from pettui.composition.store import client_of, open_embedded, owners_of, service_of, with_store
from pettui.composition.unattended import UnattendedSending
from pettui.composition.users import waiting_elsewhere
from pettui.configuration.api_keys import RenewedKey
from pettui.configuration.directories import state_directory
from pettui.keyboard import actions
from pettui.outbox.entries import OutboxError
from pettui.outbox.outbox import Outbox
from pettui.outbox.owners import Owner, Owners, ssh_owner
from pettui.outbox.store_thread import SharedThread
from pettui.outbox.stores.memory import MemoryEntryStore
from pettui.settings.settings import KEY_VARIABLE, ApiKey, Profile, Settings, StoreKind
from pettui.ssh.apps.app_factory import AppFactory, Look, User
from pettui.ssh.apps.served_app import ServedApp
from pettui.system.background_tasks import keep_running, next_tick, stopped
from pettui.system.files import why_refused
from pettui.text.amounts import counted
from pettui.tui.app import PetApp
from pettui.tui.list.pet_list import PetListScreen
from pettui.tui.screens.app_screen import asks
from pettui.tui.screens.boxes import ask
from pettui.tui.session.session import SystemClock
from pettui.tui.widgets.appearance import STYLES, STYLES_OF_OTHER_SCREENS
from pettui.tui.widgets.bindings import bindings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from textual.binding import BindingType
    from textual.message import Message
    from textual.screen import Screen
    from textual.types import CSSPathType

    from pettui.outbox.stores.postgres import PostgresOwners
    from pettui.ssh.worker import OpenFactory, Tell
    from pettui.system.logs import EventLog, Field
    from pettui.terminal.client_terminal import ClientTerminal


# Of a demo's list, whatever its terminal: apps are prepared before its size is known.
DEMO_LIMIT = 40
CONNECTIONS = 64  # to the service, for all users of a process
NAME_SHOWN = 40  # characters in the header
LOGIN_SECONDS = 0.3  # for which a first frame waits for what was added since the last login
STATUS = "waits for the database of the outboxes"
STATE_SECONDS = 1.0  # for which a start waits for the database of the outboxes
KEY_SECONDS = 2.0  # between two looks whether the file of the API key has changed
NOBODY = User("", "")


def factory_opener(
    settings: Settings,
    environment: Mapping[str, str],
    demo: DemoOptions | None = None,
    state: str | None = None,
    known_keys: list[ApiKey] | None = None,
) -> OpenFactory:
    """Return what each process opens, with its log, to get its factory and what its apps share.

    Args:
        settings: of their store.
        environment: of the server.
        demo: the options of a demo.
        state: the database of their outboxes; None for the state directory.
        known_keys: gets each API key that is read while it serves: no report may have them.

    Raises:
        ConfigurationError: the store cannot be used.
    """
    profile = settings.profile._replace(key_variable=KEY_VARIABLE)  # the server's is no user's
    if profile.kind is not StoreKind.SERVICE:
        profile = with_store(profile, environment)
    if profile.kind is StoreKind.DEMO:
        limit = settings.limit or DEMO_LIMIT
        return partial(_demos, replace(settings, profile=profile, limit=limit), demo)
    keys = [profile.api_key] if known_keys is None else known_keys
    return partial(_one_store, replace(settings, profile=profile), state, keys)


@asynccontextmanager
async def _demos(
    settings: Settings, options: DemoOptions | None, _log: EventLog, _tell: Tell
) -> AsyncIterator[PetAppFactory]:
    with SharedThread() as thread:
        yield DemoAppFactory(settings, options, thread)


@asynccontextmanager
async def _one_store(
    settings: Settings, state: str | None, known_keys: list[ApiKey], log: EventLog, tell: Tell
) -> AsyncIterator[PetAppFactory]:
    async with AsyncExitStack() as opened:
        profile = settings.profile
        service = None
        if profile.kind is StoreKind.EMBEDDED:
            service = open_embedded(profile)
            opened.push_async_callback(service.aclose)
        limits = replace(settings.limits, connections=CONNECTIONS)
        client = client_of(replace(settings, limits=limits), service)
        opened.push_async_callback(client.aclose)
        threads = 1
        owners: Owners
        if state is None:
            owners = owners_of(profile)
            opened.enter_context(owners.held_version())
            why_away = partial(why_refused, state_directory())
        else:
            owners = _owners_in(state, profile, log, tell, opened)
            why_away = partial(getattr, owners.database, "kind_away")
            threads = owners.database.connections  # each of which waits for the network
        thread = opened.enter_context(SharedThread(threads))
        sending = UnattendedSending(owners, client, settings, thread, log)
        task = asyncio.create_task(
            keep_running(sending.run, sending.report), name="send what users left"
        )
        opened.push_async_callback(stopped, task)
        factory = StoreAppFactory(sending, Lookout(sending, why_away), known_keys, log)
        if profile.key_file is not None:
            factory.read_again()  # the parent has that of its start
            task = asyncio.create_task(
                keep_running(factory.follow_key, sending.report), name="follow the API key"
            )
            opened.push_async_callback(stopped, task)
        yield factory


def _owners_in(
    state: str, profile: Profile, log: EventLog, tell: Tell, opened: AsyncExitStack
) -> PostgresOwners:
    """Open the database of users' outboxes; where it is away, it is awaited."""
    from pettui.outbox.stores.postgres import PostgresOwners
    from pettui.outbox.stores.postgres_connections import StateDatabase
    from pettui.outbox.stores.postgres_schema import StateSchemaError
    from pettui.system.postgres import shown

    loop = asyncio.get_running_loop()

    def told(event: str, reason: str) -> None:
        log.write(event, database=shown(state), **({"reason": reason} if reason else {}))
        messages = {
            "state away": ("status", STATUS, f"{STATUS}: {reason}"),
            "state available": ("status", "", ""),
            "state failed": ("unusable",),
        }
        if event in messages:
            with suppress(RuntimeError):  # the process ends
                loop.call_soon_threadsafe(tell, *messages[event])

    def report(error: Exception) -> None:
        log.write("bug", reason=reported_bug(error, profile.api_key))

    database = StateDatabase(state, build(), told, report)
    opened.callback(database.close)
    with suppress(StateSchemaError):  # as was told
        database.start(STATE_SECONDS)
    return PostgresOwners(database, profile.name, service_of(profile))


class PetAppFactory(AppFactory["ServedPetApp"]):
    """Makes each user's app, and closes what the app had for itself."""

    @abstractmethod
    def app(self, user: User, terminal: ClientTerminal) -> ServedPetApp:
        """Return a new app."""

    def prepare(self, terminal: ClientTerminal) -> ServedPetApp:
        """Return an app that no user has seen yet."""
        return self.app(NOBODY, terminal)

    def fit(self, prepared: ServedPetApp, terminal: ClientTerminal) -> None:
        """Draw a prepared app with the colours of a terminal."""
        prepared.draw_in(terminal.colours)

    def claim(
        self, user: User, terminal: ClientTerminal, prepared: ServedPetApp | None
    ) -> ServedPetApp:
        """Return a user's app; a prepared one refreshes an old list."""
        app = self.app(user, terminal) if prepared is None else prepared
        if terminal.zone is not None:
            app.session.clock, app.session.names_zone = SystemClock(terminal.zone), False
        if prepared is None:
            return app
        prepared.draw_in(terminal.colours)
        prepared.call_later(prepared.welcome)
        return prepared

    def restarts(self, app: ServedPetApp) -> bool:
        """Whether the user asked to start the demo over."""
        return app.wants_restart

    def farewell(self, app: ServedPetApp) -> str:
        """Return a raw line about unsent animals, "" if there are none."""
        return app.farewell

    async def close(self, app: ServedPetApp) -> None:
        """Close what an app had for itself."""
        await app.opened.aclose()


class DemoAppFactory(PetAppFactory):
    """Gives each user a store of their own, in memory."""

    can_prepare = True

    def __init__(
        self, settings: Settings, options: DemoOptions | None, thread: SharedThread
    ) -> None:
        """Make no app yet; all outboxes use the thread."""
        self._settings = settings
        self._options = options
        self._thread = thread

    def app(self, user: User, terminal: ClientTerminal) -> ServedPetApp:  # noqa: ARG002
        """Return an app on a new store."""
        settings = self._settings
        service = DemoService(settings.profile.api_key, self._options)
        client = client_of(settings, service)
        outbox = Outbox(
            MemoryEntryStore(),
            client,
            delay=settings.delay,
            look_every=math.inf,
            thread=self._thread,
        )
        app = ServedPetApp(client, _settings_for(settings, terminal), outbox)
        app.opened.push_async_callback(service.aclose)
        app.opened.push_async_callback(client.aclose)
        app.session.demo = service.demo
        app.session.greeting = GREETING
        return app


class StoreAppFactory(PetAppFactory):
    """Gives each user an outbox of their own, on the store of all."""

    def __init__(
        self,
        sending: UnattendedSending,
        lookout: Lookout,
        known_keys: list[ApiKey],
        log: EventLog,
    ) -> None:
        """Make no app yet; they share the client and the thread of what is sent without them.

        Args:
            sending: what is left by those who are gone.
            lookout: looks at the service and the outboxes.
            known_keys: gets each API key that is read.
            log: of the process.
        """
        self._sending = sending
        self._lookout = lookout
        self._known_keys = known_keys
        self._log = log
        profile, path = sending.settings.profile, sending.settings.profile.key_file
        self._key = None
        if path is not None:
            self._key = RenewedKey(profile, path, lambda why: log.write("warning", reason=why))
        self._apps: WeakSet[ServedPetApp] = WeakSet()

    async def look(self) -> Look:
        """Look at the service and the outboxes."""
        return await self._lookout.look()

    async def follow_key(self) -> None:
        """Use the API key that its file has, until cancelled."""
        while True:
            self.read_again(is_asked=False)
            await next_tick(KEY_SECONDS)

    def read_again(self, *, is_asked: bool = True) -> None:
        """Read the API key again, if it is in a file that changed, or somebody asked.

        Another one is used in all sessions that have none of their user's own.
        """
        if self._key is None or not self._key.is_another(is_asked=is_asked):
            return
        self._known_keys.append(self._key.key)
        former = self._sending.client
        client = former.with_key(self._key.key)
        self._sending.renew_client(client)
        for app in tuple(self._apps):
            app.session.renew_client(former, client)
        self._log.write("API key read again", profile=self._sending.settings.profile.name)

    def drain(self) -> None:
        """Cut off nothing that is sent for users who have left."""
        self._sending.drain()

    def app(self, user: User, terminal: ClientTerminal) -> ServedPetApp:
        """Return an app on a user's own outbox."""
        client, settings, thread = (
            self._sending.client, self._sending.settings, self._sending.thread,
        )  # fmt: skip
        owners, profile = self._sending.owners, settings.profile
        whose = ssh_owner(user.fingerprint, user.account)
        owner = owners.of(whose)
        theirs = {whose, *map(ssh_owner, user.account_keys)}
        keys = self._known_keys
        outbox = Outbox(
            owner.open(),
            client,
            delay=settings.delay,
            thread=thread,
            report=lambda error: write_report(error, *keys, outbox.client.api_key),
            receipts=owner.receipts(),
            audit=self._sending.audit,
            service=service_of(profile),
            find_elsewhere=partial(waiting_elsewhere, profile, owners, *theirs),
        )
        app = ServedPetApp(client, _settings_for(settings, terminal), outbox)
        self._apps.add(app)
        app.session.user = user.name[:NAME_SHOWN]
        app.session.is_sent_by_server = True
        app.log_in = partial(self._log_in, user, outbox, owner)
        return app

    async def _log_in(self, user: User, outbox: Outbox, owner: Owner) -> int:
        """Note who logs in, and return how many animals were added since the last login.

        What a key of the account had before its line named that joins it, in a thread of its own:
        all other users wait for the outboxes'.
        """
        if user.account is not None:
            try:
                await asyncio.to_thread(self._sending.join, user.account_keys, user.account)
            except OutboxError as error:
                self._sending.report(error)
        return await outbox.store_thread.run(owner.log_in, user.name, user.fingerprint)


def _settings_for(settings: Settings, terminal: ClientTerminal) -> Settings:
    """Return the settings with the glyphs and colours of the client's terminal."""
    return replace(
        settings,
        glyphs=terminal.glyphs,
        has_latin_1=terminal.has_latin_1,
        colours=terminal.colours,
    )


CLOSES = "{put_away} closes this notice."
GREETING = (
    f"A demo, for you alone: it is gone when you leave.  {{reset_demo}} starts over.  {CLOSES}"
)
LOST = "The demo starts over, and the animals that you added are lost."
RESTART = 75  # return code of an app whose demo starts over
FRESH = timedelta(seconds=10)  # maximum age of a list when its user logs in


def sent_text(count: int) -> str:
    """Return what the server sent since the user's last login; "" for nothing."""
    if not count:
        return ""
    animals = counted(count)
    were = "was" if count == 1 else "were"
    return f"Since your last login, {animals} that you left {were} added.  {CLOSES}"


class ServedPetApp(ServedApp[None], PetApp):
    """One user's app; a demo can be started over."""

    CSS_PATH: ClassVar[CSSPathType | None] = [
        STYLES,
        STYLES_OF_OTHER_SCREENS,
    ]
    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.DEMO)
    orders_keys = True  # as ``OrderedKeysApp`` does

    def __init__(self, client: PetClient, settings: Settings, outbox: Outbox) -> None:
        super().__init__(client, settings, outbox=outbox)
        self.takes_mouse, self.shows_cursor = settings.mouse, settings.show_cursor
        self.session.writes_files = False
        self.session.names_zone = True  # the server's, until the user's is known
        self.opened = AsyncExitStack()  # what the app has for itself, until it has ended
        # Returns how many animals were added since the last login.
        self.log_in: Callable[[], Awaitable[int]] | None = None
        self._logging_in: asyncio.Task[None] | None = None

    def use_log_fields(self, fields: Mapping[str, Field]) -> None:
        """Have what the log says of the session recorded with each animal that is typed in it."""
        super().use_log_fields(fields)
        self.session.outbox.author = author_of(fields)

    async def on_load(self) -> None:
        """Log in before the outbox is opened, and before the first frame, if that takes moments."""
        if self.log_in is not None:
            self._logging_in = asyncio.create_task(self._greet(self.log_in))
            await asyncio.wait([self._logging_in], timeout=LOGIN_SECONDS)

    async def _greet(self, log_in: Callable[[], Awaitable[int]]) -> None:
        with suppress(OutboxError):  # it is only told
            self.session.greeting = sent_text(await log_in())

    @property
    def pending_events(self) -> int:
        """How many events the app received and has not processed yet."""
        return len(self.session.key_queue) + super().pending_events

    @property
    def is_busy(self) -> bool:
        """Whether an animal is being sent."""
        return self.session.outbox.is_sending

    def request_end(self) -> None:
        """End the app after the keys typed before have taken effect."""
        self.end()

    @property
    def wants_restart(self) -> bool:
        """Whether the user asked to start the demo over."""
        return self.return_code == RESTART and self.bug is None

    def welcome(self) -> None:
        """Tell its user's time, and refresh a list that was loaded a while before."""
        screen = self.screen_stack[0]  # below a welcome
        if not isinstance(screen, PetListScreen) or screen.listing is None:
            return
        screen.changed()
        age = self.session.clock.now() - screen.listing.answered_at
        if age > FRESH:
            screen.action_refresh()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Start the demo over only if there is one."""
        if action == "reset_demo":
            return self.session.demo is not None
        return super().check_action(action, parameters)

    @asks
    async def action_reset_demo(self) -> None:
        """Start the demo over, after a question."""
        title = "Start the demo over?"
        if not await ask(self.session, self, title, LOST, takes_keys_ahead=True):
            return
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


# What ``pettui ssh`` imports and reads before its first fork: all that its apps may need later.
#
# So an upgrade on the disk never reaches a server that runs, and neither do two versions mix.

ROOMS: Final = (
    "pettui.appearance", "pettui.client", "pettui.configuration", "pettui.keyboard",
    "pettui.models", "pettui.outbox", "pettui.remembered", "pettui.rows", "pettui.settings",
    "pettui.system", "pettui.text", "pettui.transfer", "pettui.tui",
)  # fmt: skip
OF_SERVICE: Final = (  # of a demo, and of a store of one's own
    "pettui.service.app",
    "pettui.service.demo",
    "pettui.service.stores.own_samples",
    "pettui.service.stores.samples",
    "pettui.service.stores.sqlite",
)
OF_DATABASE: Final = (  # in those rooms, and of an extra
    "pettui.outbox.stores.postgres_connections",
    "pettui.outbox.stores.postgres",
    "pettui.outbox.stores.postgres_schema",
    "pettui.outbox.stores.postgres_statements",
    "pettui.system.postgres",
)
OF_LIBRARIES: Final = (  # which import it with a first request, a connection or an error
    "anyio._backends._asyncio", "anyio._core._asyncio_selector_thread", "h11", "httpcore",
    "idna.uts46data", "pydantic._internal._serializers", "pydantic.dataclasses",
    "pydantic.deprecated.copy_internals", "pydantic.root_model", "pydantic.type_adapter",
)  # fmt: skip


def import_all(*, has_database: bool) -> None:
    """Import and read it.

    Args:
        has_database: whether owners' outboxes are in PostgreSQL.
    """
    found = (walk_packages(import_module(room).__path__, f"{room}.") for room in ROOMS)
    modules = [each.name for room in found for each in room]
    for module in (*modules, *OF_SERVICE, *OF_LIBRARIES):
        if has_database or module not in OF_DATABASE:
            import_module(module)
    prepare()
    versions()
