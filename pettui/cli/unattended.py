"""Unattended sending: what users of ``pettui ssh`` left when their sessions ended is sent.

One process at a time does so for all users of a profile: the one that holds a lock. Each process
of each server waits for it, and gets it within seconds of the holder's end, however that ended. It
looks every few seconds; a directory in which nothing waited costs one ``stat`` until it changes.

One user's outbox is open at a time, and one circuit breaker is that of all: a service that is down,
or asks for a wait, gets the requests of one user. A running session keeps what is its own, as every
window does; what an outbox must never do, such as sending an unknown entry again, it does not do
here either.
"""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from pettui.background_tasks import Bugs, next_tick
from pettui.cli.crash_reports import reported_bug
from pettui.cli.sender import is_on_the_way, send_to_its_end
from pettui.cli.user_outboxes import (
    any_user_outbox,
    can_be_sent,
    name_and_fingerprint,
    user_directories,
    user_directory,
)
from pettui.configuration import state_directory
from pettui.files import file_version, is_locked_now, make_directory
from pettui.outbox import Backoff, DirectoryEntryStore, EntryState, LoopTimer, Outbox, Sending
from pettui.ssh.fair_loop import begin_activity

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence
    from concurrent.futures import ThreadPoolExecutor
    from pathlib import Path

    from pettui.cli.user_outboxes import UserOutbox
    from pettui.client import PetClient
    from pettui.files import FileVersion
    from pettui.logs import EventLog
    from pettui.settings import Settings

FILES: Final = "unattended"  # the directory of locks, in the state directory
LOOK_SECONDS: Final = 2.0  # between two looks, and two attempts to get the lock
KEY_SECONDS: Final = 600.0  # after which a service that refused the key may accept it
NAME_LOGGED: Final = 120  # characters, as many as a directory of an outbox has


class UnattendedSending:
    """Sends what the users of one profile left, while this process is the one that does."""

    def __init__(
        self,
        client: PetClient,
        settings: Settings,
        thread: ThreadPoolExecutor,
        log: EventLog,
        *,
        look_every: float = LOOK_SECONDS,
    ) -> None:
        """Send nothing yet.

        Args:
            client: with the profile's key; sessions use it, the settings and the thread too.
            settings: of the profile.
            thread: for the disk.
            log: of the process.
            look_every: seconds between two looks.
        """
        self.client = client
        self.settings = settings
        self.thread = thread
        self._log = log
        self._look_every = look_every
        self._profile = user_directory(settings.profile, None).name
        self._sending = Sending(client, Backoff(), LoopTimer(), Bugs(self.report))
        self._idle: dict[Path, FileVersion] = {}  # directories in which nothing waits
        self._logged_reason = ""  # why nothing is sent, as it was logged last
        self._unusable: dict[Path, str] = {}  # why directories of users are, as it was logged
        self._last = ""  # the owner with whom sending stopped

    async def run(self) -> None:
        """Send what is left whenever it is this process's turn, until cancelled."""
        begin_activity()  # users' keys go first
        with _opened_lock(self._profile) as descriptor:
            while not is_locked_now(descriptor):
                await next_tick(self._look_every)
            while True:
                await self._look()
                await next_tick(self._look_every)

    def report(self, error: Exception) -> None:
        """Log what keeps this process from sending; a bug gets a report too."""
        if isinstance(error, OSError):
            self._log.write("outbox failed", reason=error.strerror)
        else:
            self._log.write("bug", reason=reported_bug(error, self.settings.profile.api_key))

    async def _look(self) -> None:
        """Send what is left, and wait for as long as the service asks for."""
        if await asyncio.to_thread(self._left):
            await asyncio.sleep(self.settings.delay)  # the time to take an animal back
            await self._send_all()
        while self._sending.tries_in:
            await asyncio.sleep(min(self._sending.tries_in, KEY_SECONDS))
            if self._sending.key_error is not None:
                self._sending.resume()
            await self._send_all()

    async def _send_all(self) -> None:
        """Send what is left of each user, one after the other, until the service is away."""
        for user in await asyncio.to_thread(self._left):
            if not await self._send(user):
                self._last = user.directory.parent.name
                return

    def _left(self) -> list[UserOutbox]:
        """Return the outboxes with something to send; those after the last one first.

        So a user for whom sending fails keeps nobody waiting.
        """
        outboxes = filter(None, map(self._left_in, user_directories(self._profile)))
        return sorted(outboxes, key=lambda outbox: outbox.directory.parent.name <= self._last)

    def _left_in(self, directory: Path) -> UserOutbox | None:
        """Return the outbox in a directory if it has something to send."""
        version = file_version(directory)
        if version is not None and version == self._idle.get(directory):
            return None
        try:
            outbox = any_user_outbox(directory)
            if can_be_sent(outbox):
                return outbox
        except OSError as error:
            who = _who(*name_and_fingerprint(directory))
            self._log_unusable(directory, (str(error.strerror),), **who)
            return None
        if version is not None and not outbox.on_the_way and version.is_settled(time.time_ns()):
            self._idle[directory] = version
        return None

    async def _send(self, user: UserOutbox) -> bool:
        """Send what is left of one user, until nothing is, or the service is away: then False."""
        outbox = Outbox(
            DirectoryEntryStore(user.directory),
            self.client,
            delay=self.settings.delay,
            sending=self._sending,
            thread=self.thread,
            report=self.report,
        )
        became = await send_to_its_end(outbox, user)
        waiting = sum(map(is_on_the_way, outbox.entries))
        self._tell(user, outbox, became, waiting)
        return not waiting

    def _tell(
        self, user: UserOutbox, outbox: Outbox, became: Counter[EntryState], waiting: int
    ) -> None:
        """Log what became of a user's entries."""
        added, refused, unknown = (
            became[each] for each in (EntryState.ADDED, EntryState.REFUSED, EntryState.UNKNOWN)
        )
        unknown += user.counts.get(EntryState.SENDING.value, 0)  # cut off, as it was opened
        who = _who(user.name, user.fingerprint)
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


@contextmanager
def _opened_lock(profile: str) -> Iterator[int]:
    make_directory(state_directory() / FILES)
    path = state_directory() / FILES / f"{profile}.lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _who(name: str, fingerprint: str) -> dict[str, str | None]:
    return {"key": name[:NAME_LOGGED], "fingerprint": fingerprint or None}
