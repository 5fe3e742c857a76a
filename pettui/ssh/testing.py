"""test_session: a user of an app, for its tests; keys go in, and the screen comes out.

The server and the client of its user are real ones, over a loopback connection, in one thread with
a loop of its own: so a test may be a plain function, or a coroutine that does not mind to wait.
"""

from __future__ import annotations

import asyncio
import io
import json
import re
import sys
import threading
import time
from codecs import IncrementalDecoder, getincrementaldecoder
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import (
    ExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
    redirect_stderr,
    redirect_stdout,
    suppress,
)
from contextvars import Context
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO, TypeVar, cast

import asyncssh
from rich.cells import cell_len

from pettui.ssh import listening_sockets
from pettui.ssh.admission import Admission, Slots
from pettui.ssh.apps.any_app import AnyApp
from pettui.ssh.apps.served_app import RoutedPrints, SharedResources
from pettui.ssh.connection import watch_connections
from pettui.ssh.fair_loop import FairEventLoop
from pettui.ssh.key_files import AuthorizedKeys
from pettui.ssh.options import SshOptions, checked_lifespan, checked_variables
from pettui.ssh.server_state import ServerState
from pettui.ssh.worker import Server
from pettui.ssh.worker_link import encoded
from pettui.system.logs import EventLog
from pettui.system.threads import settle
from pettui.terminal.keys import sequence_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from textual.app import App

    from pettui.ssh.apps.any_app import Served
    from pettui.ssh.apps.app_factory import AppFactory, Authorize
    from pettui.ssh.options import Lifespan
    from pettui.ssh.session import SshSession


SIZE: Final = (80, 24)
PATIENCE: Final = 10.0  # seconds until what was waited for fails the test
KEY_SECONDS: Final = 0.002  # between two looks whether a key has come
HANDLING_MAXIMUM: Final = 1.0  # seconds that a key may hold up the next one
UPDATE_SECONDS: Final = 1.0  # between two messages to those who wait for a session
_Result = TypeVar("_Result")


@contextmanager
def test_session(
    app: Served | str,
    *,
    login: str = "anna",
    size: tuple[int, int] = SIZE,
    command: str | None = None,
    env: Mapping[str, str] | None = None,
    client_key: asyncssh.SSHKey | None = None,
    authorized_keys: Path | str | None = None,
    authorize: Authorize | None = None,
    banner: str = "",
    accept_env: Iterable[str] = (),
    lifespan: Lifespan | None = None,
    patience: float = PATIENCE,
) -> Iterator[AppSession]:
    """Serve an app during the block, and log in to it as a user; a bug of the app is raised.

    Args:
        app: as for ``serve``.
        login: the user name.
        size: columns and rows of the user's terminal.
        command: what follows the host in the command line; None for nothing.
        env: variables that the client sends.
        client_key: of the user; by default a new one, if ``authorize`` is given.
        authorized_keys: as for ``serve``.
        authorize: as for ``serve``.
        banner: as for ``serve``.
        accept_env: as for ``serve``.
        lifespan: as for ``serve``.
        patience: seconds that each wait may take.

    Raises:
        PermissionError: the user may not log in; its text is what the client shows.
        SshSetupError: the app or an argument can't be used.
    """
    apps = AnyApp(app)
    options = SshOptions(
        name=apps.name.lower(),
        port=0,
        authorized_keys=None if authorized_keys is None else Path(authorized_keys),
        authorize=authorize,
        banner=banner,
        accept_env=checked_variables(accept_env),
        takes_command=apps.takes_command,
    )
    lifespan = checked_lifespan(lifespan)
    with ExitStack() as opened:
        server = opened.enter_context(_AppServer(options, apps, lifespan, patience).running())
        user = server.logged_in(login, size=size, command=command, env=env, client_key=client_key)
        yield opened.enter_context(user)


test_session.__test__ = False  # type: ignore[attr-defined]  # pytest is not to call it


class AppSession(asyncssh.SSHClientSession[bytes]):
    """The session of a test's user, and the client's end of it."""

    def __init__(self, server: _AppServer, size: tuple[int, int], banner: str) -> None:
        """Start with an empty screen of so many columns and rows."""
        self._server = server
        self._screen = TextScreen(*size)
        self._said = ""
        self._changed = threading.Condition()
        self._channel: asyncssh.SSHClientChannel[bytes] | None = None
        self._is_ended = False
        self.banner = banner  # what the client shows before the user has logged in

    # What the user does

    def press(self, *keys: str) -> None:
        """Press keys, by the names that Textual has for them: "tab", "ctrl+q", "a".

        Each is handled before the next: of two that come at once Textual may handle the second one
        first, where the first is one of a binding.

        Raises:
            ValueError: no terminal sends that.
        """
        for sequence in tuple(map(sequence_of, keys)):
            if self._channel is not None:
                self._server.call(self._server.press(self._channel, sequence))

    def type(self, text: str) -> None:
        """Type a text, a key for each character."""
        self.press(*text)

    def paste(self, text: str) -> None:
        """Paste a text."""
        self.send(f"\x1b[200~{text}\x1b[201~")

    def send(self, sequences: str) -> None:
        """Send what a terminal would, such as for the mouse."""
        if self._channel is not None:
            self._server.call_soon(self._channel.write, sequences.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        with self._changed:
            self._screen.resize(columns, rows)
        if self._channel is not None:
            self._server.call_soon(self._channel.change_terminal_size, columns, rows)

    def another(self, login: str, **options: Any) -> AbstractContextManager[AppSession]:
        """Log in as another user of the same server, for a block; see ``test_session``.

        Args:
            login: the user name.
            options: ``size``, ``command``, ``env`` and ``client_key``.
        """
        return self._server.logged_in(login, **options)

    # What the user sees

    @property
    def screen(self) -> str:
        """What stands on the screen now, line by line, without the blanks at their ends."""
        with self._changed:
            return self._screen.text

    @property
    def said(self) -> str:
        """What follows the screen once the app has ended."""
        with self._changed:
            return self._said

    @property
    def exit_code(self) -> int | None:
        """The exit code of the user's ssh; None while the session runs."""
        return self._channel.get_exit_status() if self._channel is not None else None

    def wait_for(self, *texts: str) -> None:
        """Wait until all these texts are on the screen.

        Raises:
            AssertionError: they are not there in time, or the session has ended before.
        """
        self.wait_until(
            lambda: all(each in self._screen.text for each in texts), " and ".join(map(repr, texts))
        )

    def wait_until(self, condition: Callable[[], object], what: str = "what was to come") -> None:
        """Wait until a condition holds, which is looked at after each change of the screen.

        Raises:
            AssertionError: it does not in time, or the session has ended before.
        """
        with self._changed:
            self._changed.wait_for(lambda: condition() or self._is_ended, self._server.patience)
            if condition():
                return
            ended = f"the session has ended: {self._said}" if self._is_ended else "it never came"
            bugs = self._server.bugs
            raise AssertionError(
                f"no {what}; {ended}; the screen is:\n{self._screen.text}"
            ) from next(iter(bugs), None)

    def wait_for_end(self) -> int:
        """Wait until the session ends; return the exit code of the user's ssh.

        Raises:
            AssertionError: it does not in time.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._is_ended, self._server.patience):
                raise AssertionError(f"it never ended; the screen is:\n{self._screen.text}")
        return self.exit_code or 0

    # In the loop's thread

    def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
        """Send to this channel."""
        self._channel = chan

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:
        """Take what the server sends."""
        with self._changed:
            if datatype is not None:
                self._said += data.decode(errors="replace").replace("\r\n", "\n")
            else:
                self._screen.feed(data)
            self._changed.notify_all()

    def connection_lost(self, _exc: Exception | None) -> None:
        """Notice that the channel is closed."""
        with self._changed:
            self._is_ended = True
            self._changed.notify_all()


class _Client(asyncssh.SSHClient):
    """A client, which keeps what it shows before the login."""

    def __init__(self) -> None:
        self.banner = ""

    def auth_banner_received(self, msg: str, _lang: str) -> None:
        self.banner += msg.replace("\r\n", "\n")


class OwnParent:
    """The list of who is inside, in the process of its only worker."""

    def __init__(self, options: SshOptions, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with an empty list; the clock counts seconds."""
        self.admission = Admission(options, clock)
        self.slots = Slots(self._receive)

    def _receive(self, *message: object) -> None:
        asyncio.get_running_loop().call_soon(self.admission.receive, self, _sent(message))

    def send(self, *message: object) -> None:
        """Send the worker a message."""
        asyncio.get_running_loop().call_soon(self.slots.receive, _sent(message))

    async def update(self, seconds: float = UPDATE_SECONDS) -> None:
        """Have the worker know who waits where, until cancelled."""
        while True:
            await asyncio.sleep(seconds)
            self.admission.update()


def _sent(message: tuple[object, ...]) -> list[Any]:
    """Return a message as it arrives in another process."""
    return json.loads(encoded(message))  # type: ignore[no-any-return]


@asynccontextmanager
async def listening(
    state: ServerState, parent: OwnParent, update_seconds: float = UPDATE_SECONDS
) -> AsyncIterator[tuple[Server, int]]:
    """Serve on a free port, which this yields with the server, until the block ends."""
    [sockets] = listening_sockets.share(listening_sockets.bind(state.options.host, 0), 1)
    server = Server(state, asyncssh.generate_private_key("ssh-ed25519"))
    await server.listen(sockets)
    port = sockets[0].getsockname()[1]
    for one in sockets:  # the server has duplicates
        one.close()
    watching = [
        asyncio.create_task(parent.update(update_seconds)),
        asyncio.create_task(watch_connections(state)),
    ]
    try:
        yield server, port
    finally:
        for task in watching:
            task.cancel()
        await asyncio.wait(watching)
        await server.close()


class _AppServer:
    """A server in a thread of its own."""

    def __init__(
        self,
        options: SshOptions,
        factory: AppFactory[Any],
        lifespan: Lifespan | None,
        patience: float,
    ) -> None:
        self._options = options
        self._factory = factory
        self._lifespan = lifespan
        self._loop = FairEventLoop()
        self._state: ServerState | None = None
        self._port = 0
        self._is_serving: Future[None] = Future()
        self._stopping = asyncio.Event()
        self._is_held_up = False
        self.patience = patience
        self.bugs: list[BaseException] = []

    @contextmanager
    def running(self) -> Iterator[_AppServer]:
        """Serve during the block; raise a bug of the app at its end, if nothing else was raised."""
        prints = _Prints(EventLog(io.StringIO()), sys.stdout)
        ended: Future[None] = Future()
        arguments = ended, partial(self._run, prints)
        with redirect_stdout(prints), redirect_stderr(prints):
            threading.Thread(
                target=settle, args=arguments, name="test session", daemon=True
            ).start()
            wait([self._is_serving, ended], return_when=FIRST_COMPLETED)
            try:
                if not ended.done():
                    yield self
            finally:
                if not ended.done():
                    self.call_soon(self._stopping.set)
                if not self._is_held_up:  # or it ends when it can
                    ended.result()
        if self.bugs:
            raise self.bugs[0]

    def _run(self, prints: RoutedPrints) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve(prints))

    async def _serve(self, prints: RoutedPrints) -> None:
        options = self._options
        file = options.authorized_keys
        keys = None if file is None else AuthorizedKeys(file, "authorized_keys")
        log = EventLog(io.StringIO())
        async with nullcontext() if self._lifespan is None else self._lifespan():
            parent = OwnParent(options)
            state = ServerState(
                options,
                self._factory,
                self._report,
                log,
                parent.slots,
                SharedResources(prints),
                keys,
            )
            async with listening(state, parent) as (_, self._port):
                self._state = state
                self._is_serving.set_result(None)
                await self._stopping.wait()

    def _report(self, error: BaseException, **_who: object) -> None:
        self.bugs.append(error)

    def _begin(self, coroutine: Coroutine[Any, Any, _Result]) -> Future[_Result]:
        """Run a coroutine in the loop, in a context of nobody's."""
        return Context().run(asyncio.run_coroutine_threadsafe, coroutine, self._loop)

    def call(self, coroutine: Coroutine[Any, Any, _Result]) -> _Result:
        """Run a coroutine in the loop, and return its result.

        Raises:
            AssertionError: an app holds up the loop, so that nothing else runs.
        """
        running = self._begin(coroutine)
        while not wait([running], self.patience).done:
            responding: Future[None] = Future()
            self.call_soon(responding.set_result, None)
            if not wait([responding], self.patience).done:
                self._is_held_up = True
                raise AssertionError(
                    f"an app holds up the event loop for {self.patience:g} seconds"
                )
        return running.result()

    def end(self, coroutine: Coroutine[Any, Any, object]) -> None:
        """Run a coroutine that ends something; do not wait for a loop that is held up."""
        if self._is_held_up:
            self._begin(coroutine)
        else:
            self.call(coroutine)

    def call_soon(self, function: Callable[..., object], *arguments: object) -> None:
        """Call something in the loop."""
        self._loop.call_soon_threadsafe(function, *arguments, context=Context())

    async def press(self, channel: asyncssh.SSHClientChannel[bytes], sequence: str) -> None:
        """Send a key, and wait until the apps have handled it, as far as can be told."""
        if self._state is None or channel.is_closing():
            return
        load, before = self._state.load, self._state.load.keys
        channel.write(sequence.encode())
        with suppress(TimeoutError):
            async with asyncio.timeout(HANDLING_MAXIMUM):
                while load.keys == before:  # noqa: ASYNC110 - there is no event for it
                    await asyncio.sleep(KEY_SECONDS)
                for task, session in tuple(self._state.sessions.items()):
                    if not task.done():  # or it has no terminal any more
                        await _settled(cast("SshSession", session).terminal.app)

    @contextmanager
    def logged_in(self, login: str, **options: Any) -> Iterator[AppSession]:
        """Log in for a block."""
        connection, session = self.call(self._log_in(login, **options))
        try:
            yield session
        finally:
            self.end(_cut(connection))

    async def _log_in(
        self,
        login: str,
        size: tuple[int, int] = SIZE,
        command: str | None = None,
        env: Mapping[str, str] | None = None,
        client_key: asyncssh.SSHKey | None = None,
    ) -> tuple[asyncssh.SSHClientConnection, AppSession]:
        key = client_key
        if key is None and self._options.authorize is not None:
            key = asyncssh.generate_private_key("ssh-ed25519")
        client = _Client()
        try:
            connection = await asyncssh.connect(
                self._options.host,
                self._port,
                username=login,
                client_keys=[] if key is None else [key],
                client_factory=lambda: client,
                agent_path=None,
                known_hosts=None,
                config=None,
            )
        except asyncssh.PermissionDenied as error:
            bug = next(iter(self.bugs), error)
            raise PermissionError(client.banner.rstrip("\n") or error.reason) from bug
        session = AppSession(self, size, client.banner)
        variables: dict[Any, Any] = {"LANG": "C.UTF-8", **(env or {})}
        await connection.create_session(
            lambda: session,
            command=command,
            term_type="xterm-256color",
            term_size=size,
            env=variables,
            encoding=None,
        )
        return connection, session


async def _settled(app: App[Any] | None) -> None:
    """Wait until all that an app's messages cause is handled: from the app down, and up again."""
    if app is None or not app.is_running or not app.screen_stack:
        return
    focused = app.focused or app.screen
    for pump in (app, app.screen, *focused.ancestors_with_self):
        handled = asyncio.Event()
        if not pump.call_later(handled.set):
            return
        await handled.wait()


async def _cut(connection: asyncssh.SSHClientConnection) -> None:
    connection.abort()
    await connection.wait_closed()


class _Prints(RoutedPrints):
    """A stream for what apps print, while the test itself prints as usual."""

    def __init__(self, event_log: EventLog, usual: TextIO) -> None:
        super().__init__(event_log, None)
        self._usual = usual
        self._thread = threading.current_thread()

    def write(self, text: str) -> int:
        """Write what the test prints, and discard the rest."""
        if threading.current_thread() is self._thread:
            return self._usual.write(text)
        return super().write(text)


# A terminal, as far as what a ``CellDriver`` sends shows text.

_SEQUENCE: Final = re.compile(
    r"\x1b\[(?P<parameters>[0-?]*)[ -/]*(?P<final>[@-~])|\x1b[]P_^X].*?(?:\x07|\x1b\\)"
    r"|\x1b[^\[\]P_^X]|(?P<control>[\x00-\x1a\x1c-\x1f\x7f])|(?P<text>[^\x00-\x1f\x7f]+)",
    re.DOTALL,
)
_DECODER: Final = getincrementaldecoder("utf-8")
_WIDE: Final = ""  # the second cell of a wide character
_OTHER_SCREEN: Final = "?1049"


@dataclass
class TextScreen:
    """The text of a screen; what is drawn in which colour is not known."""

    columns: int
    rows: int
    _cells: dict[tuple[int, int], str] = field(default_factory=dict)  # by row and column
    _row: int = 0  # of the cursor
    _column: int = 0
    _decoder: IncrementalDecoder = field(default_factory=partial(_DECODER, "replace"))
    _rest: str = ""  # of a sequence that has begun

    @property
    def text(self) -> str:
        """The lines, without the blanks at their ends."""
        return "\n".join(
            "".join(self._cells.get((y, x), " ") for x in range(self.columns)).rstrip()
            for y in range(self.rows)
        )

    def resize(self, columns: int, rows: int) -> None:
        """Have another size; the app draws all of it again."""
        self.columns, self.rows = columns, rows

    def feed(self, data: bytes) -> None:
        """Draw what came."""
        text = self._rest + self._decoder.decode(data)
        end = 0
        while (match := _SEQUENCE.match(text, end)) is not None:
            end = match.end()
            if match["text"]:
                self._write(match["text"])
            elif match["control"] == "\r":
                self._column = 0
            elif match["control"] == "\n":
                self._row += 1
            elif match["final"]:
                self._control(match["final"], match["parameters"])
        self._rest = text[end:]

    def _write(self, text: str) -> None:
        for character in text:
            width = cell_len(character)
            if not width:  # a mark on the character before
                before = self._row, self._column - 1
                self._cells[before] = self._cells.get(before, " ") + character
                continue
            self._cells[self._row, self._column] = character
            for covered in range(1, width):
                self._cells[self._row, self._column + covered] = _WIDE
            self._column += width

    def _control(self, final: str, parameters: str) -> None:
        numbers = [int(each) for each in re.findall("[0-9]+", parameters)]
        first = numbers[0] if numbers else 1
        match final:
            case "H":
                self._row, self._column = first - 1, numbers[1] - 1 if len(numbers) > 1 else 0
            case "G":
                self._column = first - 1
            case "C":
                self._column += first
            case "X":
                self._erase((self._row, x) for x in range(self._column, self._column + first))
            case "J" if numbers == [2]:
                self._cells.clear()
            case "J":
                self._erase([cell for cell in self._cells if cell >= (self._row, self._column)])
            case "h" | "l" if parameters == _OTHER_SCREEN:
                self._cells.clear()

    def _erase(self, cells: Iterable[tuple[int, int]]) -> None:
        for cell in cells:
            self._cells.pop(cell, None)
