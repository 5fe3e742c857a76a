"""OwnCommands: the programs on keys of the user's own, run for the animals of a screen.

One runs at a time, and for one animal after the other; the first that fails stops the rest. Each
is the leader of a process group, which ends with it when it is stopped, or the app ends. It gets no
variable of the environment that holds an API key. POSIX alone.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import termios
from asyncio.subprocess import DEVNULL, Process
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from textual.binding import Binding
from textual.worker import Worker, WorkerCancelled, WorkerFailed

from pettui.keyboard.actions import OWN, OWN_NAMES
from pettui.keyboard.own_commands import (
    ASKED_FROM,
    RefusedAnimalError,
    arguments_of,
    keys_beside,
    lines_of,
)
from pettui.system.files import reason_of
from pettui.text.amounts import counted
from pettui.tui.screens.app_screen import AppScreen
from pettui.tui.widgets.bindings import key_of
from pettui.tui.widgets.failures import Failure

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Container, Iterator, Mapping, Sequence

    from textual.app import App
    from textual.driver import Driver

    from pettui.keyboard.own_commands import CategoryName
    from pettui.models.pets import Pet
    from pettui.settings.settings import ApiKey, OwnCommand
    from pettui.tui.detail.pet_screen import PetScreen

OUTPUT_MAXIMUM: Final = 65_536  # bytes; more is read, and dropped
END_SECONDS: Final = 1.0  # from SIGTERM to SIGKILL
REST_SECONDS: Final = 0.2  # of a program's output, when what it started still has the pipe
LOOK_EVERY: Final = 0.2  # seconds: whether the program of the terminal was stopped
_TERMINAL: Final = 0  # its descriptor
_OF_KEYS: Final = (signal.SIGINT, signal.SIGQUIT)  # what ctrl+c and ctrl+\\ of a terminal send


class CommandError(Exception):
    """A program that could not be run, or failed; the message says why."""

    def __init__(self, text: str, output: str = "") -> None:
        super().__init__(text)
        self.output = output


class _Job(NamedTuple):
    """A command, and what it is run for."""

    command: OwnCommand
    pets: Sequence[Pet]
    screen: PetScreen[Any]  # whose animals they are
    driver: Driver | None  # of the terminal


class OwnCommands:
    """The commands of a session, and the one that runs."""

    def __init__(
        self,
        commands: Sequence[OwnCommand],
        environment: Mapping[str, str],
        key_variables: Container[str],
    ) -> None:
        """Run nothing yet.

        Args:
            commands: that were configured.
            environment: of the user.
            key_variables: its variables that hold API keys.
        """
        self._commands = commands
        self._environment = environment
        self._key_variables = key_variables
        self._worker: Worker[None] | None = None
        self._passed_on: list[int] | None = None  # signals, while a program has the terminal

    def bindings(self) -> Iterator[Binding]:
        """Return the bindings for a screen: of each command, and of the key that stops one."""
        yield Binding("escape", "app.stop_own_command", show=False)
        for index, command in enumerate(self._commands):
            action, name = f"app.own_command({index})", f"{OWN_NAMES}{index}"
            group = Binding.Group(OWN)
            yield Binding(command.key, action, command.title, id=name, group=group)

    def keys_beside(self, configured: Mapping[str, str]) -> Mapping[str, str]:
        """Return the keys of actions, where the commands have theirs."""
        return keys_beside(self._commands, configured)

    @property
    def is_running(self) -> bool:
        """Whether a program runs."""
        return self._worker is not None and not self._worker.is_finished

    async def start(self, screen: PetScreen[Any], index: int, driver: Driver | None) -> None:
        """Run a command for the marked animals, or the one under the cursor, after a question.

        Args:
            screen: whose animals they are.
            index: of the command.
            driver: of the terminal.
        """
        command, targets = self._commands[index], screen.targets
        if self.is_running:
            _say(screen, "another command is still running")
            return
        many = f"{counted(len(targets.pets))}{targets.not_shown_text}"
        question = f"Run {command.title} for {many}, once each?"
        is_asked = not command.takes_lines and len(targets.pets) >= ASKED_FROM
        if not is_asked or await screen.ask(command.title, question):
            run = partial(self._run, _Job(command, targets.pets, screen, driver))
            self._worker = screen.app.run_worker(run, group="own command")

    def cancel(self) -> None:
        """Begin to end the program that runs, and its process group."""
        if self._worker is not None:
            self._worker.cancel()

    async def stop(self) -> None:
        """End the program that runs, and its process group."""
        self.cancel()
        if self._worker is not None and not self._worker.is_finished:
            with suppress(WorkerCancelled, WorkerFailed):
                await self._worker.wait()

    def pass_on(self, number: int) -> bool:
        """Pass a signal on to the program that has the terminal; return whether there is one.

        Ctrl+c reaches this process if it is pressed before the program has the terminal, or just
        after the program has ended.
        """
        if self._passed_on is None or number not in _OF_KEYS:
            return False
        self._passed_on.append(number)
        return True

    async def _run(self, job: _Job) -> None:
        """Run a command, and show how it went."""
        command, pets, screen, _ = job
        title, done = command.title, 0
        _say(screen, title if command.has_terminal else f"{title} is running; esc stops it")
        runs = 1 if command.takes_lines else len(pets)
        at, has_output = "", False
        screen.session.running_command = title
        try:
            for pet, words in _prepared(command, pets, screen.session.category_name):
                at = "" if pet is None or runs == 1 else f"{pet.id} {pet.name}: "
                given = lines_of(command, pets) if pet is None else None
                code, output = await self._run_once(job, words, given)
                _refuse_failure(command, code, output)
                screen.session.record(title, "exit code 0", output=output)
                has_output = has_output or bool(output)
                done += 1
        except (CommandError, RefusedAnimalError) as error:
            rest = f"; {done} of {runs} done" if runs > 1 else ""
            output = error.output if isinstance(error, CommandError) else ""
            _show_problem(screen, title, f"{at}{error}{rest}", output)
        except asyncio.CancelledError:
            if screen.app.is_running and screen.app.screen_stack:
                _show_problem(screen, title, f"{at}stopped; {done} of {runs} done")
            raise
        else:
            key = key_of(screen, "history")
            more = f"; {key} shows what it printed" if has_output else ""
            _say(screen, f"{title} is done for {counted(len(pets))}{more}")
        finally:
            screen.session.running_command = ""

    async def _run_once(
        self, job: _Job, words: Sequence[str], given: bytes | None
    ) -> tuple[int | None, str]:
        """Run a program to its end, and return its exit code, None if it took too long, and output.

        Raises:
            CommandError: it cannot be run.
        """
        command, _, screen, driver = job
        options: dict[str, Any] = {"env": self._variables(screen.session.client.api_key)}
        with ExitStack() as opened:
            options["stdin"] = None if command.has_terminal else DEVNULL
            try:
                if given is not None:
                    file = options["stdin"] = opened.enter_context(TemporaryFile())
                    file.write(given)
                    file.seek(0)
                if command.has_terminal:
                    signals = opened.enter_context(self._passing_on())
                    opened.enter_context(_stepped_aside(screen.app, driver))
                    return await _in_terminal(words, options, signals), ""
                code, output = await _with_output(words, command.timeout, options)
            except OSError as error:
                raise CommandError(f"{words[0]} cannot be run: {reason_of(error)}") from None
            except RuntimeError as error:  # no thread could be started that waits for it
                raise CommandError(f"{words[0]} cannot be run: {error}") from None
        said = output[:OUTPUT_MAXIMUM].decode("utf-8", "replace").rstrip()
        return code, f"{said}\n(cut at 64 kB)" if len(output) > OUTPUT_MAXIMUM else said

    @contextmanager
    def _passing_on(self) -> Iterator[list[int]]:
        """Yield the list to which signals for a program are appended until the block ends."""
        signals: list[int] = []
        self._passed_on = signals
        try:
            yield signals
        finally:
            self._passed_on = None

    def _variables(self, api_key: ApiKey) -> dict[str, str]:
        """Return the environment without any variable that holds an API key."""
        return {
            name: value
            for name, value in self._environment.items()
            if name not in self._key_variables and api_key.mask(value) == value
        }


def _prepared(
    command: OwnCommand, pets: Sequence[Pet], category_name: CategoryName
) -> list[tuple[Pet | None, Sequence[str]]]:
    """Return the words for each animal. If one is refused nothing is run: CommandError."""
    if command.takes_lines:
        return [(None, command.run)]
    prepared: list[tuple[Pet | None, Sequence[str]]] = []
    for pet in pets:
        try:
            prepared.append((pet, arguments_of(command, pet, category_name)))
        except RefusedAnimalError as error:
            none = "" if len(pets) == 1 else " and the others"
            raise CommandError(f"not run for {pet.id}{none}: {error}") from None
    return prepared


def _refuse_failure(command: OwnCommand, code: int | None, output: str) -> None:
    """Raise CommandError for a program that failed, with the last line that it printed."""
    if code == 0:
        return
    how = f"ended after {command.timeout:g} s" if code is None else f"exit code {code}"
    last = output.rpartition("\n")[2]
    raise CommandError(f"{how}: {last}" if last else how, output)


def _say(screen: PetScreen[Any], text: str) -> None:
    screen.app.notify(text, markup=False)  # on whichever screen is open by now


def _show_problem(screen: PetScreen[Any], title: str, text: str, output: str = "") -> None:
    screen.session.record(title, text, output=output)
    shown = screen.app.screen
    if isinstance(shown, AppScreen):
        shown.error_banner.failure = Failure(title, text, hint="")
        shown.show_remark("")  # that it is running
    else:
        _say(screen, f"{title}: {text}")


@contextmanager
def _stepped_aside(app: App[Any], driver: Driver | None) -> Iterator[None]:
    """Leave the terminal to another program until the end of the block."""
    if driver is None:
        yield
        return
    driver.suspend_application_mode()
    is_ending = False
    try:
        with driver.no_automatic_restart():
            yield
    except asyncio.CancelledError:  # by the end of the app: no key reaches it meanwhile
        is_ending = True
        raise
    finally:
        if not is_ending:
            driver.resume_application_mode()
            app.refresh(layout=True)


async def _with_output(
    words: Sequence[str], seconds: float, options: Mapping[str, Any]
) -> tuple[int | None, bytes]:
    """Run a program, and return its exit code and output; the code is None if it took too long."""
    loop, output = asyncio.get_running_loop(), bytearray()
    reader = asyncio.StreamReader()
    with ExitStack() as opened:
        read, write = os.pipe()
        pipe = opened.enter_context(os.fdopen(read, "rb", 0))
        written = opened.enter_context(os.fdopen(write, "wb", 0))
        protocol = asyncio.StreamReaderProtocol(reader)
        transport, _ = await loop.connect_read_pipe(lambda: protocol, pipe)
        opened.callback(transport.close)
        process = await asyncio.create_subprocess_exec(
            *words, stdout=written, stderr=written, start_new_session=True, **options
        )
        written.close()
        reading = asyncio.create_task(_read(reader, output))
        opened.callback(reading.cancel)
        try:
            async with _ended(process), asyncio.timeout(seconds):
                await process.wait()
        except TimeoutError:
            return None, bytes(output)
        read_whole, _ = await asyncio.wait((reading,), timeout=REST_SECONDS)
        for each in read_whole:
            each.result()
        return process.returncode, bytes(output)


async def _read(reader: asyncio.StreamReader, output: bytearray) -> None:
    """Read to the end, and keep a byte more than is shown."""
    while piece := await reader.read(OUTPUT_MAXIMUM):
        output += piece[: OUTPUT_MAXIMUM + 1 - len(output)]
        await asyncio.sleep(0)  # a flood of output delays no key


@asynccontextmanager
async def _ended(process: Process) -> AsyncIterator[None]:
    """End a program's process group with the block, if the program did not end before it."""
    try:
        yield
    finally:
        if process.returncode is None:
            try:
                await _asked_to_end(process, signal.SIGTERM)
            finally:
                await _asked_to_end(process, signal.SIGKILL)


async def _asked_to_end(process: Process, number: int) -> None:
    """Send a signal to a program's process group, and give the program time to end."""
    _signal_group(process, number)
    with suppress(TimeoutError):
        async with asyncio.timeout(END_SECONDS):
            await process.wait()


def _signal_group(process: Process, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


async def _in_terminal(
    words: Sequence[str], options: Mapping[str, Any], signals: list[int]
) -> int | None:
    """Run a program that has the terminal, and return its exit code.

    It is in a process group of its own, so that ctrl+c reaches it alone. There is no shell that
    could continue it after ctrl+z, so that it goes on at once.

    Args:
        words: the program and its arguments.
        options: for its process.
        signals: to be sent to it; more may come meanwhile.
    """
    process = await asyncio.create_subprocess_exec(*words, process_group=0, **options)
    async with _ended(process):
        with _foreground(process.pid):
            while process.returncode is None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_EVERY):
                        await process.wait()
                while signals:
                    _signal_group(process, signals.pop(0))
                if _is_stopped(process):
                    _signal_group(process, signal.SIGCONT)
    return process.returncode


@contextmanager
def _foreground(group: int) -> Iterator[None]:
    """Let a process group have the terminal, and put back how it takes input afterwards."""
    former = signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # which would stop this process
    modes = None
    try:
        with suppress(OSError, termios.error):  # there is no terminal
            modes = termios.tcgetattr(_TERMINAL)
            os.tcsetpgrp(_TERMINAL, group)
        yield
    finally:
        with suppress(OSError, termios.error):
            os.tcsetpgrp(_TERMINAL, os.getpgrp())
            if modes is not None:
                termios.tcsetattr(_TERMINAL, termios.TCSADRAIN, modes)
        signal.signal(signal.SIGTTOU, former)


def _is_stopped(process: Process) -> bool:
    if sys.platform != "linux" or process.returncode is not None:
        return False
    with suppress(ChildProcessError):
        return os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOHANG) is not None
    return False
