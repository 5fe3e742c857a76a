"""Unattended sending: what users of ``pettui ssh`` left when their sessions ended is sent.

One process at a time does so for all users of a profile: the one that holds a lock. Each process
of each server waits for it, and gets it within seconds of the holder's end, however that ended. It
looks every few seconds.

One user's outbox is open at a time, and one circuit breaker is that of all: a service that is down,
or asks for a wait, gets the requests of one user. A running session keeps what is its own, as every
window does; what an outbox must never do, such as sending an unknown entry again, it does not do
here either.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pettui.client import Backoff, PetClient
from pettui.composition.audit import audit_log
from pettui.composition.crash_reports import reported_bug
from pettui.composition.sender import send_to_its_end
from pettui.outbox.entries import EntryState, OutboxError
from pettui.outbox.moving import join
from pettui.outbox.outbox import GRACE, Outbox
from pettui.outbox.owners import Owner, Owners, Summary, ssh_owner
from pettui.outbox.receipts import Source
from pettui.outbox.sending import LoopTimer, Sending
from pettui.ssh.fair_loop import begin_activity
from pettui.system.background_tasks import Bugs, next_tick

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Collection, Sequence

    from pettui.outbox.store_thread import SharedThread
    from pettui.settings.settings import Settings
    from pettui.system.logs import EventLog

LOOK_SECONDS: Final = 2.0  # between two looks, and two attempts to get the lock
STORE_SECONDS: Final = 0.5  # between two looks while what keeps the outboxes is away
DRAIN_GRACE: Final = 25.0  # for a request that is out when a server that drained ends
_TOLD: Final = (EntryState.ADDED, EntryState.REFUSED, EntryState.UNKNOWN)
NAME_LOGGED: Final = 120  # characters, as many as a directory of an outbox has


class UnattendedSending:
    """Sends what the users of one profile left, while this process is the one that does."""

    def __init__(
        self,
        owners: Owners,
        client: PetClient,
        settings: Settings,
        thread: SharedThread,
        log: EventLog,
        *,
        look_every: float = LOOK_SECONDS,
    ) -> None:
        """Send nothing yet.

        Args:
            owners: of the profile; sessions use them, and what follows, too.
            client: with the profile's key.
            settings: of the profile.
            thread: for the disk.
            log: of the process.
            look_every: seconds between two looks.
        """
        self.owners = owners
        self.client = client
        self.settings = settings
        self.thread = thread
        self.audit = audit_log(log, settings.profile.name)
        self._log = log
        self._look_every = look_every
        self._grace = GRACE  # for a request that is out when this ends
        self._sending = Sending(client, Backoff(), LoopTimer(), Bugs(self.report))
        self._logged_reason = ""  # why nothing is sent, as it was logged last
        self._unusable: dict[str, str] = {}  # why owners' outboxes are, as it was logged
        self._tried: set[str] = set()  # the owners of whom something waits for the service
        self._again_at: dict[str, float] = {}  # when what owners left is sent again, by owner
        self._last = ""  # the owner with whom sending stopped

    async def run(self) -> None:
        """Send what is left whenever it is this process's turn, until cancelled."""
        begin_activity()  # users' keys go first
        was_away = False  # what keeps the outboxes, which says so itself
        with self.owners.turn() as is_ours:
            while True:
                try:
                    if await asyncio.to_thread(is_ours):
                        await self._look(at_once=was_away)
                    was_away = False
                except OutboxError:
                    was_away = True
                await next_tick(STORE_SECONDS if was_away else self._look_every)

    def renew_client(self, client: PetClient) -> None:
        """Send with another client from now on: the profile's API key is another."""
        profile = self.settings.profile._replace(api_key=client.api_key)
        self.settings = replace(self.settings, profile=profile)
        self.client = self._sending.client = client
        if self._sending.api_key_error is not None:
            self._sending.resume()

    def join(self, fingerprints: Collection[str], account: str) -> None:
        """Let an account have what its keys had before, and log it; blocks. Raises OutboxError."""
        for fingerprint, moved in join(self.owners, fingerprints, account).items():
            counts = {"animals": moved.animals, "drafts": moved.drafts, "left": moved.left}
            self._log.write("outbox joined", account=account, fingerprint=fingerprint, **counts)

    def drain(self) -> None:
        """Let a request that is out end, since the process ends with nobody who waits for it."""
        self._grace = DRAIN_GRACE

    def report(self, error: Exception) -> None:
        """Log what keeps this process from sending; a bug gets a report too."""
        if isinstance(error, OutboxError):
            self._log.write("outbox failed", reason=str(error))
        else:
            self._log.write("bug", reason=reported_bug(error, self.settings.profile.api_key))

    async def _look(self, *, at_once: bool) -> None:
        """Send what is left, unless the service is away, or refused the API key.

        The key is tried again after growing waits, or when another user left something. Somebody
        who comes back tries it in their own session.

        Args:
            at_once: what is left has waited.
        """
        left = {owner.id for owner in await asyncio.to_thread(self._unattended)}
        others = left - self._tried
        if self._sending.api_key_error and others:
            self._sending.resume()
        elif self._sending.api_key_error:
            self._sending.service_responded(is_automatic=True)  # nobody lists here
        if not left or self._sending.tries_in:
            return
        if others and not at_once:
            await asyncio.sleep(self.settings.delay)  # the time to take an animal back
        await self._send_all()

    async def _send_all(self) -> None:
        """Send what is left of each user, one after the other, until the service is away."""
        left = await asyncio.to_thread(self._unattended)
        self._tried = {owner.id for owner in left}
        for owner in left:
            if not await self._send(owner):
                self._last = owner.id
                return
        self._tried = set()

    def _unattended(self) -> list[Owner]:
        """Return those with something to send; those after the last one first.

        So a user for whom sending fails keeps nobody waiting.
        """
        now = time.monotonic()
        left = (o for o in self.owners.unattended() if self._again_at.get(o.id, 0.0) <= now)
        return sorted(left, key=lambda owner: owner.id <= self._last)

    async def _send(self, owner: Owner) -> bool:
        """Send what is left of one user, until nothing is, or the service is away: then False."""
        try:
            found = await asyncio.to_thread(owner.summary)
        except OutboxError as error:
            self._log_unusable(owner, (str(error),), **_who(owner, *owner.user()))
            return True
        outbox = Outbox(
            owner.open(),
            self.client,
            delay=self.settings.delay,
            sending=self._sending,
            thread=self.thread,
            report=self.report,
            receipts=owner.receipts(),
            source=Source.SERVER,
            audit=self.audit,
        )
        cut_off = found.entries.get(EntryState.SENDING.value, 0)
        became = await send_to_its_end(outbox, owner, cut_off=cut_off, grace=lambda: self._grace)
        self._tell(owner, found, outbox, became)
        waits = [outbox.goes_again_in(entry) for entry in outbox.on_the_way]
        self._again_at.pop(owner.id, None)
        if waits and all(waits):
            self._again_at[owner.id] = time.monotonic() + min(waits)
        return all(waits)

    def _tell(
        self, owner: Owner, found: Summary, outbox: Outbox, became: Counter[EntryState]
    ) -> None:
        """Log what became of a user's entries."""
        who = _who(owner, found.name, found.fingerprint)
        waiting = len(outbox.on_the_way)
        counts = {state.value: became[state] for state in _TOLD}
        if any(counts.values()):
            self._log.write("outbox sent", **who, **counts, waiting=waiting)
        why = self._sending.waiting_for or next((each.error for each in outbox.on_the_way), None)
        reason = self.settings.profile.api_key.mask(why or "")
        if waiting and reason and reason != self._logged_reason:
            self._log.write("outbox waits", **who, reason=reason)
        self._logged_reason = reason
        state = outbox.store_state
        problems = [*filter(None, (state.error, *state.unread))]
        self._log_unusable(owner, problems, **who)

    def _log_unusable(self, owner: Owner, problems: Sequence[str], **who: str | None) -> None:
        """Log once, until it changes, what keeps a user's entries from being sent."""
        problem = next(iter(problems), "")
        why = problem.rpartition(": ")[2]  # a file has another name each time it is taken over
        if why and why != self._unusable.get(owner.id):
            more = {"more": len(problems) - 1} if len(problems) > 1 else {}
            self._log.write("outbox failed", **who, reason=problem, **more)
        self._unusable[owner.id] = why


def _who(owner: Owner, name: str, fingerprint: str) -> dict[str, str | None]:
    """Return whose an outbox is: an account's, or that of a key, by its comment."""
    field = "account" if owner.who == ssh_owner(None, name) else "key"
    return {field: name[:NAME_LOGGED], "fingerprint": fingerprint or None}
