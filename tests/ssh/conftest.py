"""A server of the demo in this process, on a free port, and a client that reads its screen."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import weakref
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import asyncssh
import pyte
import pytest

from pettui.composition.served_apps import factory_opener
from pettui.configuration.reading import read_settings
from pettui.ssh.apps.served_app import RoutedPrints, SharedResources
from pettui.ssh.fair_loop import FairEventLoop
from pettui.ssh.key_files import AuthorizedKeys
from pettui.ssh.options import SshOptions
from pettui.ssh.server_state import ServerState
from pettui.ssh.testing import OwnParent, listening
from pettui.system.logs import EventLog
from tests.clock import Clock
from tests.pyte_rows import screen_text
from tests.ssh_reader import Reader
from tests.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from pettui.composition.demo import DemoOptions
    from pettui.ssh.apps.app_factory import AppFactory, User
    from pettui.ssh.worker import Server
    from pettui.terminal.client_terminal import ClientTerminal

    PassTime = Callable[[float], None]

SIZE = (100, 30)
READY = 3  # apps


def pytest_asyncio_loop_factories() -> dict[str, type[asyncio.AbstractEventLoop]]:
    """Run the tests on the loop that the server has."""
    return {"fair": FairEventLoop}


class Screen(Reader):
    """A session of a client: its output, and the screen that results."""

    def __init__(self, size: tuple[int, int]) -> None:
        super().__init__()
        self.errors = b""
        self.terminal = pyte.Screen(*(size if all(size) else SIZE))
        self._stream = pyte.ByteStream(self.terminal)

    def data_received(self, data: bytes, datatype: object) -> None:
        if datatype is None:
            super().data_received(data, datatype)
            self._stream.feed(data)
        else:
            self.errors += data
            self.came.set()

    @property
    def text(self) -> str:
        return screen_text(self.terminal)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.channel.write(key.encode())

    def resize(self, columns: int, rows: int) -> None:
        self.channel.change_terminal_size(columns, rows)
        self.terminal.resize(rows, columns)

    async def move_down(self) -> None:
        """Move from the first animal to the second, as a session does that is served."""
        self.press("j")
        await self.wait_for("▌    59")

    async def wait_for(self, *texts: str) -> None:  # type: ignore[override]
        await self.wait_until(lambda: all(text in self.text for text in texts))

    async def wait_until(self, condition: Callable[[], bool]) -> None:
        try:
            await super().wait_until(condition)
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
        self.apps: weakref.WeakSet[Any] = weakref.WeakSet()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._usual, name)

    def prepare(self, terminal: ClientTerminal) -> Any:
        app = self._usual.prepare(terminal)
        self.apps.add(app)
        return app

    def claim(self, user: User, terminal: ClientTerminal, prepared: Any) -> Any:
        app = self._usual.claim(user, terminal, prepared)
        self.apps.add(app)
        return app

    async def close(self, app: Any) -> None:
        await self._usual.close(app)


def broken(*_arguments: object, **_options: object) -> None:
    raise ZeroDivisionError


HERE = "192.0.2.1"


def new_key(comment: str = "anna") -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-ed25519", comment=comment)


def line(key: asyncssh.SSHKey) -> str:
    return key.export_public_key().decode().strip()


KEY = new_key("anna")
OTHER = new_key("another")


class KeyFile:
    """A file of authorized keys, and what a server reads from it."""

    def __init__(self, path: Path, *lines: str, content: bytes | None = None) -> None:
        self.path = path
        self.write(*lines, content=content)
        self.keys = AuthorizedKeys(path)

    def write(self, *lines: str, content: bytes | None = None) -> None:
        """Write lines, or a content that is no lines."""
        text = "".join(f"{each}\n" for each in lines).encode()
        self.path.write_bytes(text if content is None else content)
        self.path.chmod(0o600)

    def allows(self, key: asyncssh.SSHKey, address: str = HERE) -> bool:
        return self.keys.find(key.convert_to_public(), address) is not None


@dataclass
class Running:
    """A running server, the list of its parent, its clock, its log and its bugs."""

    state: ServerState
    server: Server
    link: OwnParent
    port: int
    clock: Clock
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
        usual = {
            "port": self.port, "username": "demo", "known_hosts": None, "client_keys": [], "config": None,
        }  # fmt: skip
        return await asyncssh.connect("127.0.0.1", **{**usual, **options})

    async def open(self, connection: asyncssh.SSHClientConnection, **options: Any) -> Screen:
        usual = {
            "term_type": "xterm-256color", "term_size": SIZE, "encoding": None,
            "env": {"LANG": "C.UTF-8"},
        }  # fmt: skip
        chosen = {**usual, **options}
        _, screen = await connection.create_session(partial(Screen, chosen["term_size"]), **chosen)
        return screen

    @asynccontextmanager
    async def opened(
        self, login: dict[str, Any] | None = None, **options: Any
    ) -> AsyncIterator[Screen]:
        async with await self.connect(**login or {}) as connection:
            yield await self.open(connection, **options)
            connection.abort()

    @asynccontextmanager
    async def session(self, **options: Any) -> AsyncIterator[Screen]:
        """Open a session, and wait for the first animals."""
        async with self.opened(**options) as screen:
            await screen.wait_for("DEMO", "Mitzi", " shown")
            yield screen

    async def prepare_apps(self) -> None:
        """Start the apps of the next users."""
        starting = asyncio.create_task(self.state.apps.keep_ready())
        await until(lambda: self.state.apps.ready == self.state.options.ready_apps)
        starting.cancel()

    async def wait_until(self, condition: Callable[[], object]) -> None:
        await until(condition)


@asynccontextmanager
async def serving(
    factory: AppFactory[Any], keys: AuthorizedKeys | None = None, **options: Any
) -> AsyncIterator[Running]:
    """Serve the apps of a factory with these options until the block ends."""
    chosen = SshOptions(port=0, **{"name": "pettui", "ready_apps": READY, **options})
    clock, log, bugs = Clock(), io.StringIO(), []
    events, link = EventLog(log), OwnParent(chosen, clock)
    shared = SharedResources(RoutedPrints(events))

    def report(error: BaseException, **_who: object) -> None:
        bugs.append(error)

    state = ServerState(chosen, factory, report, events, link.slots, shared, keys)
    async with listening(state, link, 0.05) as (server, port):
        yield Running(state, server, link, port, clock, log, bugs)


async def forget_cancelled_timers() -> None:
    """Make asyncio drop cancelled timers, which it does when there are over a hundred."""
    loop = asyncio.get_running_loop()
    for _ in range(1000):
        loop.call_later(60, int).cancel()
    await asyncio.sleep(0)


@asynccontextmanager
async def serve(
    keys: AuthorizedKeys | None = None,
    factory: Callable[[AppFactory[Any]], AppFactory[Any]] = WatchedFactory,
    demo: DemoOptions | None = None,
    *,
    show_cursor: bool = False,
    **options: Any,
) -> AsyncIterator[Running]:
    """Serve the demo with these options until the block ends."""
    settings = replace(read_settings({"demo": True}, {}), delay=0, show_cursor=show_cursor)
    async with (
        factory_opener(settings, {}, demo)(EventLog(io.StringIO()), print) as usual,
        serving(factory(usual), keys, **options) as running,
    ):
        yield running


@pytest.fixture
async def running() -> AsyncIterator[Running]:
    """A server of the demo."""
    async with serve() as running:
        yield running


@pytest.fixture
async def locked(tmp_path: Path) -> AsyncIterator[Running]:
    """A server of the demo for the owner of ``KEY`` alone."""
    async with serve(KeyFile(tmp_path / "keys", line(KEY)).keys) as running:
        yield running


@pytest.fixture
async def screen(running: Running) -> AsyncIterator[Screen]:
    """A session that shows the first animals."""
    async with running.session() as screen:
        yield screen


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
