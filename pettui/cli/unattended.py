"""Unattended sending: what users of ``pettui ssh`` left when their sessions ended is sent.

One process at a time does so for all users of a profile: the one that holds a lock. Each process
of each server waits for it, and gets it within seconds of the holder's end, however that ended. A
process whose session left something writes to a FIFO that the holder reads, so that nothing is
looked for while nobody leaves anything.

One user's outbox is open at a time, and one circuit breaker is that of all: a service that is down,
or asks for a wait, gets the requests of one user. A running session keeps what is its own, as every
window does; what an outbox must never do, such as sending an unknown entry again, it does not do
here either.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections import Counter
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from pettui.background_tasks import Bugs, next_tick
from pettui.cli.crash_reports import reported_bug
from pettui.cli.user_outboxes import (
    add_sent,
    can_be_sent,
    name_and_fingerprint,
    user_directories,
    user_directory,
    user_outbox,
)
from pettui.configuration import state_directory
from pettui.files import lock, make_directory
from pettui.outbox import (
    Backoff,
    DirectoryEntryStore,
    Draft,
    Entry,
    EntryState,
    LoopTimer,
    Outbox,
    Sending,
)
from pettui.ssh.fair_loop import begin_activity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import ThreadPoolExecutor
    from pathlib import Path

    from pettui.cli.user_outboxes import UserOutbox
    from pettui.client import PetClient
    from pettui.logs import EventLog
    from pettui.settings import Settings

FILES: Final = "unattended"  # the directory of locks and FIFOs, in the state directory
LOCK_SECONDS: Final = 2.0  # between two attempts to get the lock
# After which everything is looked at again: a key may be accepted by now, a disk have room, or a
# message may have got lost with its process.
LOOK_SECONDS: Final = 600.0
NAME_LOGGED: Final = 120  # characters, as many as a directory of an outbox has


class EntriesOnly(DirectoryEntryStore):
    """Leaves drafts to their user's next session."""

    def take_over_draft(self) -> Draft:
        """Take over nothing."""
        return Draft()


class UnattendedSending:
    """Sends what the users of one profile left, while this process is the one that does."""

    def __init__(
        self,
        client: PetClient,
        settings: Settings,
        thread: ThreadPoolExecutor,
        log: EventLog,
    ) -> None:
        """Send nothing yet.

        Args:
            client: with the profile's key; sessions use it, the settings and the thread too.
            settings: of the profile.
            thread: for the disk.
            log: of the process.
        """
        self.client = client
        self.settings = settings
        self.thread = thread
        self._log = log
        self._profile = user_directory(settings.profile, None).name
        self._fifo: int | None = None
        self._left = asyncio.Event()  # a session left something
        self._timer = LoopTimer()
        self._sending = Sending(client, Backoff(), self._timer, Bugs(self.report))
        self._logged_reason = ""  # why nothing is sent, as it was logged last
        self._unusable: dict[Path, str] = {}  # why directories of users are, as it was logged
        self._last = ""  # the owner with whom sending stopped

    def wake(self) -> None:
        """Have the process that sends look at once: a session left something. Never waits."""
        if self._fifo is not None:
            with suppress(BlockingIOError):  # it is full: there is enough to be read
                os.write(self._fifo, b"\n")

    async def run(self) -> None:
        """Send what is left whenever it is this process's turn, until cancelled."""
        begin_activity()  # users' keys go first
        with self._opened_fifo() as fifo, self._opened_lock() as descriptor:
            self.wake()  # a process before this one may have been killed, with its sessions
            while not _is_locked_now(descriptor):
                await next_tick(LOCK_SECONDS)
            self._read_fifo(fifo)  # what its own message above asks for is done now
            loop = asyncio.get_running_loop()
            loop.add_reader(fifo, self._read_fifo, fifo)
            try:
                await self._send_for_ever()
            finally:
                loop.remove_reader(fifo)

    def report(self, error: Exception) -> None:
        """Log what keeps this process from sending; a bug gets a report too."""
        if isinstance(error, OSError):
            self._log.write("outbox failed", reason=error.strerror)
        else:
            self._log.write("bug", reason=reported_bug(error, self.settings.profile.api_key))

    @contextmanager
    def _opened_fifo(self) -> Iterator[int]:
        make_directory(state_directory() / FILES)
        path = state_directory() / FILES / f"{self._profile}.fifo"
        with suppress(FileExistsError):
            os.mkfifo(path, 0o600)
        # For writing too: it never reaches its end, and what is written waits for the next reader.
        self._fifo = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            yield self._fifo
        finally:
            os.close(self._fifo)
            self._fifo = None

    @contextmanager
    def _opened_lock(self) -> Iterator[int]:
        path = state_directory() / FILES / f"{self._profile}.lock"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _read_fifo(self, fifo: int) -> None:
        with suppress(BlockingIOError):
            os.read(fifo, 65_536)
        self._left.set()

    async def _send_for_ever(self) -> None:
        while True:
            if self._left.is_set():
                await asyncio.sleep(self.settings.delay)  # the time to take an animal back
                self._left.clear()
            is_done = await self._send_all()
            seconds = math.inf if is_done else self._sending.tries_in
            await self._timer.wait(self._left, min(seconds, LOOK_SECONDS))

    async def _send_all(self) -> bool:
        """Send what is left of each user, one after the other; False if the service is away."""
        if self._sending.key_error is not None:
            self._sending.resume()  # the service may accept the key by now
        if self._sending.tries_in:
            return False
        for outbox in await asyncio.to_thread(self._found):
            if not await self._send(outbox):
                self._last = outbox.directory.parent.name
                return False
        return True

    def _found(self) -> list[UserOutbox]:
        """Return the outboxes with something to send; those after the last one first.

        So a user for whom sending fails keeps nobody waiting.
        """
        found = []
        for directory in user_directories(self._profile):
            try:
                outbox = user_outbox(directory)
                if outbox is not None and can_be_sent(outbox):
                    found.append(outbox)
            except OSError as error:
                who = _who(*name_and_fingerprint(directory))
                self._log_unusable(directory, (str(error.strerror),), **who)
        return sorted(found, key=lambda outbox: outbox.directory.parent.name <= self._last)

    async def _send(self, user: UserOutbox) -> bool:
        """Send what is left of one user, until nothing is, or the service is away: then False."""
        outbox = Outbox(
            EntriesOnly(user.directory),
            self.client,
            delay=self.settings.delay,
            sending=self._sending,
            thread=self.thread,
            report=self.report,
        )
        states: dict[str, EntryState] = {}

        def note(entry: Entry) -> None:
            states[entry.key] = entry.state

        outbox.subscribe(note)
        outbox.start()
        try:
            await wait_until_sent(outbox)
        finally:
            await outbox.close()
            waiting = sum(map(is_on_the_way, outbox.entries))
            await self._tell(user, outbox, Counter(states.values()), waiting)
        return not waiting

    async def _tell(
        self, user: UserOutbox, outbox: Outbox, states: Counter[EntryState], waiting: int
    ) -> None:
        """Log what became of a user's entries, and keep it for the user's next login."""
        added, refused, unknown = (
            states[each] for each in (EntryState.ADDED, EntryState.REFUSED, EntryState.UNKNOWN)
        )
        unknown += user.counts.get(EntryState.SENDING.value, 0)  # cut off, as it was opened
        who = _who(user.name, user.fingerprint)
        if added:
            await asyncio.to_thread(add_sent, user.directory, added)
        if added or refused or unknown:
            self._log.write(
                "outbox sent", **who, added=added, refused=refused, unknown=unknown, waiting=waiting
            )
        reason = self.settings.profile.api_key.mask(self._sending.waiting_for or "")
        if waiting and reason and reason != self._logged_reason:
            self._log.write("outbox waits", **who, reason=reason)
        self._logged_reason = reason
        problems = (outbox.store_error, *outbox.unread) if outbox.store_error else outbox.unread
        self._log_unusable(user.directory, problems, **who)

    def _log_unusable(self, directory: Path, problems: Sequence[str], **who: str | None) -> None:
        """Log once, until it changes, what keeps a user's entries from being sent."""
        problem = next(iter(problems), "")
        why = problem.rpartition(": ")[2]  # a file has another name each time it is taken over
        if why and why != self._unusable.get(directory):
            more = {"more": len(problems) - 1} if len(problems) > 1 else {}
            self._log.write("outbox failed", **who, reason=problem, **more)
        self._unusable[directory] = why


def _who(name: str, fingerprint: str) -> dict[str, str | None]:
    return {"key": name[:NAME_LOGGED], "fingerprint": fingerprint or None}


async def wait_until_sent(outbox: Outbox) -> None:
    """Wait until nothing is on the way any more, or the service is away."""
    changed = asyncio.Event()
    outbox.subscribe(lambda _: changed.set())
    while any(map(is_on_the_way, outbox.entries)) and not outbox.sending.tries_in:
        await changed.wait()
        changed.clear()


def is_on_the_way(entry: Entry) -> bool:
    """Whether an entry waits or is being sent here."""
    is_own = not entry.owned_elsewhere
    return is_own and entry.state in (EntryState.WAITING, EntryState.SENDING)


def _is_locked_now(descriptor: int) -> bool:
    try:
        lock(descriptor)
    except BlockingIOError:
        return False
    return True
