"""A server of the demo in this process, on a free port, and a client that reads its screen."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import time
import weakref
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import asyncssh
import pyte
import pytest

from pettui.cli.ssh_apps import factory_opener
from pettui.configuration import read_settings
from pettui.logs import EventLog
from pettui.ssh import listening_sockets
from pettui.ssh.admission import Admission, Slots
from pettui.ssh.apps.served_app import SharedResources
from pettui.ssh.connection import watch_connections
from pettui.ssh.fair_loop import FairEventLoop
from pettui.ssh.options import SshOptions
from pettui.ssh.server_state import ServerState
from pettui.ssh.worker import Server
from tests.pyte_rows import screen_text
from tests.ssh_reader import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from contextlib import AbstractAsyncContextManager

    from pettui.cli.demo import DemoOptions
    from pettui.ssh.apps.app_factory import AppFactory, User
    from pettui.ssh.apps.app_pool import AppPool
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.ssh.key_files import AuthorizedKeys

SIZE = (100, 30)
READY = 3  # apps


def pytest_asyncio_loop_factories() -> dict[str, type[asyncio.AbstractEventLoop]]:
    """Run the tests on the loop that the server has."""
    return {"fair": FairEventLoop}


class Screen(asyncssh.SSHClientSession[bytes]):
    """A session of a client: its output, and the screen that results."""

    def __init__(self, size: tuple[int, int] = SIZE) -> None:
        self.written = b""
        self.errors = b""
        self.terminal = pyte.Screen(*(size if all(size) else SIZE))
        self._stream = pyte.ByteStream(self.terminal)
        self._received = asyncio.Event()
        self.channel: asyncssh.SSHClientChannel[bytes]

    def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
        self.channel = chan

    def data_received(self, data: bytes, datatype: Any) -> None:
        if datatype is None:
            self.written += data
            self._stream.feed(data)
        else:
            self.errors += data
        self._received.set()

    @property
    def text(self) -> str:
        return screen_text(self.terminal)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.channel.write(key.encode())

    def resize(self, columns: int, rows: int) -> None:
        self.channel.change_terminal_size(columns, rows)
        self.terminal.resize(rows, columns)

    async def wait_for(self, *texts: str) -> None:
        await self.wait_until(lambda: all(text in self.text for text in texts))

    async def wait_until(self, condition: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                while not condition():
                    self._received.clear()
                    await self._received.wait()
        except TimeoutError:
            pytest.fail(f"timed out; the screen is:\n{self.text}\n{self.errors!r}")

    async def end(self) -> int | None:
        """Wait until the session ends, and return its exit status."""
        async with asyncio.timeout(PATIENCE):
            await self.channel.wait_closed()
        return self.channel.get_exit_status()


class WatchedFactory:
    """A factory, and the apps that it created and that still exist."""

    def __init__(self, usual: AppFactory[Any]) -> None:
        self._usual = usual
        self._made: list[weakref.ref[Any]] = []

    @property
    def apps(self) -> list[Any]:
        return [app for made in self._made if (app := made()) is not None]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._usual, name)

    def prepare(self, terminal: ClientTerminal) -> Any:
        return self._watched(self._usual.prepare(terminal))

    def claim(self, user: User, terminal: ClientTerminal, prepared: Any) -> Any:
        app = self._usual.claim(user, terminal, prepared)
        return app if prepared is not None else self._watched(app)

    async def close(self, app: Any) -> None:
        await self._usual.close(app)

    def _watched(self, app: Any) -> Any:
        self._made.append(weakref.ref(app))
        return app


class MovableClock:
    """The system's clock, which a test can move forward."""

    def __init__(self) -> None:
        self._moved = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self._moved

    def move(self, seconds: float) -> None:
        self._moved += seconds


class DirectLink:
    """The link between the parent's list and one worker, both in this process."""

    is_behind = False

    def __init__(self, admission: Admission) -> None:
        self.admission = admission
        self.slots = Slots(self._ask)

    def _ask(self, *message: object) -> None:
        asyncio.get_running_loop().call_soon(self.admission.receive, self, copied(message))

    def send(self, *message: object) -> None:
        asyncio.get_running_loop().call_soon(self.slots.receive, copied(message))

    async def update(self) -> None:
        """Have the parent tell who waits where, again and again."""
        while True:
            await asyncio.sleep(0.05)
            self.admission.update()


def are_ready(apps: AppPool) -> bool:
    """Whether all apps are prepared, and have drawn their animals."""
    drivers = [one.app.channel_driver for one in apps._prepared]
    return apps.ready == READY and all("Mitzi" in each.first_frame().output for each in drivers)


def broken(*_arguments: object, **_options: object) -> None:
    """Stand for a function that has a bug."""
    raise ZeroDivisionError


def copied(message: tuple[object, ...]) -> list[Any]:
    """Return a message as the other process gets it."""
    return json.loads(json.dumps(message))


@dataclass
class Running:
    """A running server, the list of its parent, its clock, its log and its bugs."""

    state: ServerState
    server: Server
    link: DirectLink
    port: int
    clock: MovableClock
    log: io.StringIO
    bugs: list[BaseException] = field(default_factory=list)

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of sessions and of waiting clients, as the parent knows them."""
        return self.link.admission.counts(self.link)

    def events(self, event: str) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self.log.getvalue().splitlines()]
        return [line for line in lines if line["event"] == event]

    async def connect(self, **options: Any) -> asyncssh.SSHClientConnection:
        usual = {"username": "demo", "known_hosts": None, "client_keys": [], "config": None}
        return await asyncssh.connect("127.0.0.1", self.port, **{**usual, **options})

    async def open(self, connection: asyncssh.SSHClientConnection, **options: Any) -> Screen:
        usual = {
            "term_type": "xterm-256color", "term_size": SIZE, "encoding": None,
            "env": {"LANG": "C.UTF-8"},
        }  # fmt: skip
        chosen = {**usual, **options}
        _, screen = await connection.create_session(partial(Screen, chosen["term_size"]), **chosen)
        return screen

    @asynccontextmanager
    async def session(self, **options: Any) -> AsyncIterator[Screen]:
        """Open a session, and wait for the first animals."""
        async with await self.connect() as connection:
            screen = await self.open(connection, **options)
            await screen.wait_for("DEMO", "Mitzi", " shown")
            yield screen
            connection.abort()

    async def wait_until(self, condition: Callable[[], object]) -> None:
        await until(condition)


if TYPE_CHECKING:
    Serve = Callable[..., AbstractAsyncContextManager[Running]]
    PassTime = Callable[[float], None]


@asynccontextmanager
async def serving(
    factory: AppFactory[Any], keys: AuthorizedKeys | None = None, **options: Any
) -> AsyncIterator[Running]:
    """Serve the apps of a factory with these options until the block ends."""
    chosen = SshOptions(port=0, **{"name": "pettui", "ready_apps": READY, **options})
    clock, log, bugs = MovableClock(), io.StringIO(), []
    events = EventLog(log)
    [listening] = listening_sockets.share(listening_sockets.bind("127.0.0.1", 0), 1)
    link = DirectLink(Admission(chosen, clock))
    state = ServerState(
        options=chosen, factory=factory, report_bug=bugs.append, event_log=events,
        slots=link.slots, shared=SharedResources(events), keys=keys,
    )  # fmt: skip
    server = Server(state, asyncssh.generate_private_key("ssh-ed25519"))
    await server.listen(listening)
    port = listening[0].getsockname()[1]
    for one in listening:  # the server has duplicates
        one.close()
    watching = [
        asyncio.create_task(link.update()), asyncio.create_task(watch_connections(state)),
    ]  # fmt: skip
    try:
        yield Running(state, server, link, port, clock, log, bugs)
    finally:
        for task in watching:
            task.cancel()
        await asyncio.wait(watching)
        await server.close()


@pytest.fixture
def serve() -> Serve:
    """Serve the demo with these options until the block ends."""

    @asynccontextmanager
    async def serve(
        keys: AuthorizedKeys | None = None,
        factory: Callable[[AppFactory[Any]], AppFactory[Any]] = WatchedFactory,
        demo: DemoOptions | None = None,
        **options: Any,
    ) -> AsyncIterator[Running]:
        settings = replace(read_settings({"demo": True}, {}), delay=0)
        async with (
            factory_opener(settings, {}, demo)(EventLog(io.StringIO())) as usual,
            serving(factory(usual), keys, **options) as running,
        ):
            yield running

    return serve


@pytest.fixture
def pass_time(monkeypatch: pytest.MonkeyPatch) -> PassTime:
    """Let so many seconds go by for the timers of the event loop."""

    def pass_time(seconds: float) -> None:
        loop = asyncio.get_running_loop()
        time = loop.time
        monkeypatch.setattr(loop, "time", lambda: time() + seconds)

    return pass_time


@pytest.fixture
def _no_collection() -> Iterator[None]:
    """Collect no garbage during the test: what is freed refers to itself no more."""
    gc.disable()
    yield
    gc.enable()
