"""One SSH channel → one PetApp; its end."""

from __future__ import annotations

import asyncio
import time
import weakref
from contextlib import suppress
from typing import TYPE_CHECKING

import asyncssh

from pettui.ssh.client_terminal import client_terminal
from pettui.ssh.sessions.channel import ChannelWire, SessionChannel
from pettui.ssh.sessions.idle import IdleClock
from pettui.ssh.sessions.input_throttle import InputThrottle
from pettui.terminal.guarded import guarded

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.apps.dependencies import User
    from pettui.ssh.apps.served_app import ServedApp
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.ssh.server_state import ServerState
    from pettui.terminal.channel_driver import ChannelDriver

NO_TERMINAL = "pettui needs a terminal: ssh -t"
BUG = "this session was ended by a bug of pettui's; nothing else was"
NO_COMMANDS = "no commands are run here; come in without one"
RESIZE_PAUSE = 0.03  # seconds in which further sizes are waited for
PATIENCE = 5.0  # seconds that an app gets to end, and a client to close


class SshSession(asyncssh.SSHServerSession[bytes]):
    """A person's session: refused in one line, or an app until it ends."""

    def __init__(
        self,
        house: ServerState,
        person: User,
        began: Callable[[], None],
        ended: Callable[[bool], None],
    ) -> None:
        self._house = house
        self._person = person
        self._tell_begin = began
        self._tell_end = ended
        self._kind: str | None = None
        self._size = (0, 0)
        self._refusal: str | None = None
        self._app: ServedApp | None = None
        self._task: asyncio.Task[None] | None = None
        self._resizing: asyncio.TimerHandle | None = None
        self._farewell = ""  # said when the terminal is given back
        self._reason = "quit"
        self._is_over = False  # for another reason than that the person quit
        self._is_taken = False  # a shell, a command or a subsystem was asked for
        self._failure: Exception | None = None
        self._began = time.monotonic()

    # What asyncssh tells

    def connection_made(self, chan: SessionChannel) -> None:  # type: ignore[override]
        """Take the channel."""
        self._channel = chan
        self._wire = ChannelWire(chan)
        self._pump = InputThrottle(
            guarded(self._typed, self.fail, otherwise=0),
            guarded(self._waiting, self.fail, otherwise=None),
            guarded(chan.pause_reading, self.fail, otherwise=None),
            guarded(chan.resume_reading, self.fail, otherwise=None),
        )
        timeout = self._house.options.idle_timeout
        self._idle = IdleClock(timeout, self.warn, self._is_idle, self.fail)

    def pty_requested(
        self, term_type: str, term_size: tuple[int, int, int, int], _modes: object
    ) -> bool:
        """Take the terminal's kind and size."""
        self._kind, self._size = term_type, term_size[:2]
        return True

    def terminal_size_changed(
        self, width: int, height: int, _pixwidth: int, _pixheight: int
    ) -> None:
        """Draw in another size, once it rests."""
        self._size = width, height
        if self._resizing is None and self._app is not None:
            loop = asyncio.get_running_loop()
            resize = guarded(self._resize, self.fail, otherwise=None)
            self._resizing = loop.call_later(RESIZE_PAUSE, resize)

    def shell_requested(self) -> bool:
        """Take the request that opens the app; there is one shell a channel (RFC 4254, 6.5)."""
        return self._is_first()

    def exec_requested(self, _command: str) -> bool:
        """Take a command, to say that none is run."""
        return self._is_first(NO_COMMANDS)

    def subsystem_requested(self, subsystem: str) -> bool:
        """Take a request for a subsystem, to say that there is none."""
        what = "file transfer" if subsystem == "sftp" else "subsystems"
        return self._is_first(f"no {what} here; come in with ssh alone")

    def _is_first(self, refusal: str | None = None) -> bool:
        """Whether this is the channel's first request; what it is refused with is kept."""
        if self._is_taken:
            return False
        self._is_taken, self._refusal = True, refusal
        return True

    def session_started(self) -> None:
        """Open the app, or say why not."""
        if self._task is not None:
            return
        self._tell_begin()
        task = asyncio.create_task(self._run(), name="ssh session")
        self._task = task
        self._house.began(self, task)

    def data_received(self, data: bytes, _datatype: object) -> None:
        """Take what was typed."""
        self._idle.touch()
        self._house.rest.typed()
        self._pump.feed(data)

    def eof_received(self) -> bool:
        """End: whoever closed the input types no more."""
        self.end("cut")
        return True

    def signal_received(self, _signal: str) -> None:
        """End, as any signal asks."""
        self.end("signal")

    def connection_lost(self, _exc: Exception | None) -> None:
        """End what nobody sees any more."""
        self._tell_end(self._task is not None)
        self._wire.close()
        self._pump.stop()
        self.end("cut")

    # From the beginning to the end

    def end(self, reason: str, farewell: str = "") -> None:
        """End the app, if it is still there; the first reason counts."""
        app = self._app
        if self._is_over:
            return
        if app is not None:
            asyncio.get_running_loop().call_later(PATIENCE, self._insist, weakref.ref(app))
            if app.is_ending and not app.wants_reset:
                return
            app.end()
        self._is_over, self._reason, self._farewell = True, reason, farewell

    def fail(self, error: Exception) -> None:
        """End by a bug: told to the person in a line, and reported once."""
        if self._failure is None:
            self._failure = error
            self._house.tell_of_bug(error)
            self.end("crashed")
            self._reason, self._farewell = "crashed", BUG

    def warn(self, text: str) -> None:
        """Lay a line over the screen."""
        driver = self._driver
        if driver is not None:
            guarded(driver.note, self.fail, otherwise=None)(text)

    async def _run(self) -> None:
        terminal = client_terminal(self._kind, self._size, self._channel.get_environment())
        refusal = self._refusal
        if refusal is None and not terminal.can_draw:
            refusal = NO_TERMINAL if self._kind is None else "your TERM cannot draw screens"
        refusal = refusal or self._house.take_place(self._person)
        if refusal is not None:
            self._log("refused", reason=refusal)
            self._leave(refusal, 1)
            return
        self._log("begin", term=terminal.kind, columns=terminal.size[0], rows=terminal.size[1])
        try:
            await self._serve(terminal)
        except Exception as error:  # noqa: BLE001 - whatever it is, it ends this session alone
            self.fail(error)
        finally:
            self._house.leave_place(self._person)
            self._log_end()
            self._leave(self._farewell, 0 if self._failure is None else 1)

    async def _serve(self, terminal: ClientTerminal) -> None:
        for what in self._channel.refused:
            self._wire.write(f"pettui: {what} is refused\r\n")
        self._idle.start()
        try:
            while await self._run_app(terminal):
                terminal = client_terminal(self._kind, self._size, self._channel.get_environment())
        finally:
            self._idle.stop()

    async def _run_app(self, terminal: ClientTerminal) -> bool:
        """Run one app; gives whether another one is wanted, with everything as at first."""
        if self._is_over:
            return False
        opened = self._house.apps.open(self._person, terminal, self._wire)
        app = self._app = opened.app
        self._wire.caught_up = guarded(app.caught_up, self.fail, otherwise=None)
        try:
            await opened.ended
        finally:
            self._app = None
            self._wire.close()  # it would hold on to the app
            self._give_back(app)
            await opened.parts.close()
        if app.failure is not None:
            self.fail(app.failure)
        self._farewell = self._farewell or app.farewell
        return app.wants_reset and not self._is_over

    def _give_back(self, app: ServedApp) -> None:
        """Restore the terminal where an app that was cancelled or raised did not."""
        if app.channel_driver is not None:
            guarded(app.channel_driver.stop_application_mode, self.fail, otherwise=None)()

    def _insist(self, app: weakref.ref[ServedApp]) -> None:
        """Cancel an app that does not end by itself."""
        if self._app is not None and self._app is app() and self._task is not None:
            self._task.cancel()

    def _leave(self, line: str, status: int) -> None:
        """Say a last line, and close; asyncssh sends what waits before it closes a channel."""
        self._wire.close()
        self._pump.stop()
        if self._channel.is_closing():
            return
        with suppress(OSError):
            if line:
                self._channel.write_stderr(f"pettui: {line}\r\n".encode())
            self._channel.exit(status)
        loop = asyncio.get_running_loop()
        loop.call_later(PATIENCE, self._channel.abort)

    # While it runs

    def _typed(self, data: bytes) -> int:
        """Give the app what was typed; gives how many keys that was."""
        driver = self._driver
        return driver.feed(data) if driver is not None else 0

    def _waiting(self) -> int | None:
        app = self._app
        if app is None or app.channel_driver is None or app.is_ending:
            return None
        return app.waiting

    @property
    def _driver(self) -> ChannelDriver | None:
        return self._app.channel_driver if self._app is not None else None

    def _resize(self) -> None:
        self._resizing = None
        if not self._pump.take_turn():  # of many sizes the last one counts
            self.terminal_size_changed(*self._size, 0, 0)
            return
        terminal = client_terminal(self._kind, self._size, {})
        driver = self._driver
        if driver is not None:
            driver.resize(*terminal.size)

    def _is_idle(self) -> None:
        seconds = self._house.options.idle_timeout
        self.end("idle", f"goodbye: nothing was typed for {seconds:.0f} s")

    # What is written down

    def _log(self, event: str, **facts: str | float | None) -> None:
        person = self._person
        self._house.journal.write(
            event,
            name=person.name[:80],
            address=person.address,
            fingerprint=person.fingerprint,
            **facts,
        )

    def _log_end(self) -> None:
        seconds = round(time.monotonic() - self._began, 1)
        self._log("end", seconds=seconds, bytes=self._wire.sent, reason=self._reason)
