"""Sending: one animal once, and whether the next one may go.

``add`` sends an entry and returns what became of it; ``outcome`` says what a failure means for the
entry, and for those behind it. Failures open a circuit breaker: ``trip`` says why and until when
nothing is sent. What makes it wait and what closes it are the methods below.

``store_id`` is that of the store which promises to add once what comes with a key. It is asked for
with a list, by ``probe``, before the first entry is sent, and again after each that had no answer.
An entry that records it is sent with its key; what may be out is sent again, each with a backoff
of its own: ``repeats_at`` says when. Other entries go on past it.

A 429 opens it, too, without a list before the next entry. From then on one request goes at a time,
at the ``Pace`` that passes: ``next_at`` says when.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import secrets
from enum import Enum, auto
from typing import TYPE_CHECKING, Final, NamedTuple

from pettui.client import TOO_MANY, Backoff, Pace, PetClientError, granted
from pettui.outbox.entries import Entry, EntryState, Refusal
from pettui.outbox.outcome import Next, after_probe, outcome

if TYPE_CHECKING:
    from pettui.client import Notice, PendingRetry, PetAnswer, PetClient
    from pettui.models.pets import NewPet
    from pettui.system.background_tasks import Bugs

_REFUSED_KEY: Final = Backoff(first=30.0, longest=3600.0, least=1.0)
_STALE: Final = 5.0  # seconds of waiting, after which the service is probed once more
_SOON: Final = 10.0  # seconds

NO_PROMISE: Final = "the service does not say any more that it adds once what comes with a key"
TWICE: Final = (
    "the service did not confirm the key, and an earlier try had no response: it may be there twice"
)


class LoopTimer:
    """The clock of the running loop."""

    def now(self) -> float:
        """Return the loop's time."""
        return asyncio.get_running_loop().time()

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """Wait for the event, at most so many seconds."""
        try:
            async with asyncio.timeout(None if seconds == math.inf else seconds):
                await event.wait()
        except TimeoutError:
            return


class _Repeat(NamedTuple):
    """When an entry is sent again."""

    failures: int = 0
    at: float = 0.0  # in the timer's time


class Attempt(NamedTuple):
    """How one attempt to add an animal ended."""

    entry: Entry  # as it is now
    error: PetClientError | None = None  # of the service or the network; None for a bug, too


class Why(Enum):
    """What opened the breaker."""

    AWAY = auto()  # the service did not respond, or failed even to list
    TOO_MANY = auto()  # it asks to wait (429)
    LOST = auto()  # the last responses to adds were lost
    API_KEY = auto()  # it refused the key


class Trip(NamedTuple):
    """Why the breaker is open, so that nothing is sent for now, and until when."""

    reason: str  # one raw line
    until: float  # in the timer's time; inf: until ``resume`` is called
    probe_first: bool = False  # listPets must succeed before an entry is sent
    why: Why | None = None  # None: a probe is due, or the outbox's store failed
    api_key_error: PetClientError | None = None  # how the service refused the key


class Sending:
    """Adds animals behind a circuit breaker; raises nothing but CancelledError."""

    def __init__(
        self,
        client: PetClient,
        backoff: Backoff,
        timer: LoopTimer,
        bugs: Bugs,
    ) -> None:
        """Start closed.

        Args:
            client: may be replaced, as when it gets another key.
            backoff: after failures.
            timer: its clock.
            bugs: what is no error of the client's is reported there.
        """
        self.client = client
        self.trip: Trip | None = None
        self.notices: tuple[Notice, ...] = ()  # what the newest response of createPet announces
        self.wake = asyncio.Event()  # set when something may go that could not before
        self.backoff = backoff
        self.timer = timer
        self._bugs = bugs
        self._failures = 0  # in a row
        self._pace = Pace()  # since a 429
        self._slowed = 0  # how often one was reacted to; those of requests out together count once
        self._last_at = -math.inf  # when the last request began, in the timer's time
        self._key_tries = 0  # of a refused API key without anybody, in a row
        self._unknowns = 0  # unknown entries since the last one that was added
        self._pending_wait = 0.0  # seconds, once a list was loaded
        self.store_id: str | None = None  # of the store that promises to add once
        self.is_asked = False  # whether one does
        self._repeats: dict[str, _Repeat] = {}  # of entries that are sent again, by id
        self._unanswered: set[str] = set()  # ids of such entries since the last one was added

    # What the screens show

    @property
    def waiting_for(self) -> str | None:
        """Why nothing is sent for now, in one raw line; None while all is well."""
        return self.trip.reason if self.trip else None

    @property
    def tries_in(self) -> float:
        """Seconds until sending is tried again by itself; 0 while all is well, inf for never."""
        return max(self.trip.until - self.timer.now(), 0.0) if self.trip else 0.0

    @property
    def next_at(self) -> float:
        """The timer's time before which nothing is sent; inf until ``resume`` is called."""
        paced = self._last_at + self._pace.seconds
        return max(paced, self.trip.until) if self.trip else paced

    @property
    def is_service_away(self) -> bool:
        """Whether nothing is sent because the service did not respond."""
        return self.trip is not None and self.trip.why is Why.AWAY

    @property
    def adds_wait(self) -> float:
        """Seconds that adds still wait, while the service responds; or 0.

        They do after lost responses, and after a 429.
        """
        trip = self.trip
        if trip is None or trip.why in (Why.AWAY, Why.API_KEY):
            return 0.0
        return self.tries_in if trip.why is Why.TOO_MANY or self._is_after_loss else 0.0

    @property
    def is_too_fast(self) -> bool:
        """Whether nothing is sent because the service asks to wait (429)."""
        return self.trip is not None and self.trip.why is Why.TOO_MANY

    @property
    def is_about_to_go(self) -> bool:
        """Whether the next add, after a 429, goes soon: a list now would take its place."""
        return self._pace.seconds > 0 and self.tries_in <= _SOON

    @property
    def api_key_error(self) -> PetClientError | None:
        """How the service refused the key, while sending waits for another; None otherwise."""
        return self.trip.api_key_error if self.trip else None

    # One request

    async def add(
        self, entry: Entry, idempotency_key: str | None = None, client: PetClient | None = None
    ) -> Attempt:
        """Send an entry once, and return what became of it.

        Args:
            entry: with the store that adds it once, if that was promised.
            idempotency_key: of the entry, for that store.
            client: that sends it, in place of the newest: the entry may be for its API key alone.
        """
        client = client or self.client
        slowed, self._last_at = self._slowed, self.timer.now()
        key = None if entry.store_id is None else idempotency_key
        try:
            new_pet = _new_pet_of(entry)
        except ValueError as error:
            return Attempt(entry.becoming(EntryState.REFUSED, refusal=Refusal(str(error))))
        try:
            response = await client.create_pet(
                new_pet, on_wait=_give_up, idempotency_key=key, store_id=entry.store_id
            )
        except PetClientError as error:
            return Attempt(self._failed(entry, client, error, slowed), error)
        except Exception as error:  # noqa: BLE001 - a bug leaves one entry unknown, no more
            return Attempt(self.unanswered(entry, self._bugs.report("sending", error)))
        self.notices = response.notices
        return Attempt(self._added(entry, response, slowed))

    async def probe(self) -> PetClientError | None:
        """Load a list of one, which is safe, before the next entry is sent; return the error.

        It also asks which store promises to add once. Only a success takes the promise back.
        """
        client, self._last_at = self.client, self.timer.now()
        try:
            page = await client.list_pets(limit=1, idempotency_key=random_key())
        except PetClientError as error:
            then = after_probe(error)
            if error.store_id is not None or then is Next.GO_ON:
                self._promised(error.store_id or self.store_id)
            if then is Next.GO_ON:
                self._probed()
            elif not self._is_of_former_key(client, error):
                self._react(then, error, self._slowed)
            return error
        except Exception as error:  # noqa: BLE001 - a bug counts as no response
            self._back_off(self._bugs.report("loading a list", error))
        else:
            self._promised(page.store_id)
            self._probed()
        return None

    def _added(self, entry: Entry, response: PetAnswer, slowed: int) -> Entry:
        if slowed == self._slowed:  # else one that was out with it met a 429, which counts
            self._close()
            self._pace.passed()
        self._unknowns = 0
        self._answered(entry)
        odd, store_id = [*response.remarks], entry.store_id
        if store_id is not None and response.store_id != store_id:
            self._promised(response.store_id)
            odd += [TWICE] if entry.is_sent_again else []
            store_id = None
        if entry.own_key is not None:  # nobody else may send it again with another API key
            store_id = None
        return entry.added_as(response.pet, odd="; ".join(odd) or None, store_id=store_id)

    def _failed(self, entry: Entry, client: PetClient, error: PetClientError, slowed: int) -> Entry:
        self.notices = error.notices or self.notices
        failed = outcome(entry, error)
        is_answered = error.status is not None and 400 <= error.status < 500
        if failed.entry.state is EntryState.UNKNOWN and not is_answered:
            self._outcome_unknown(str(error), error.retry_after)
        elif failed.entry.state is EntryState.SENDING:
            self._sent_again_later(entry, client, failed.then, error, slowed)
        elif not self._is_of_former_key(client, error):
            if entry.store_id is not None and failed.then is Next.GO_ON:
                self._answered(entry)
            self._react(failed.then, error, slowed)
        return failed.entry

    def unanswered(self, entry: Entry, reason: str) -> Entry:
        """Return what an entry is whose response is lost, and go on as after any such."""
        if entry.store_id is None:
            self._outcome_unknown(reason)
        else:
            self._go_past(entry, reason)
        return entry.unanswered(Refusal(reason))

    def _is_of_former_key(self, client: PetClient, error: PetClientError) -> bool:
        """Whether the service refused a key that was replaced while the request was out."""
        return client is not self.client and error.is_unauthorized

    # What a store promises to add once is sent again until it is answered

    @property
    def must_probe(self) -> bool:
        """Whether a list is loaded before an entry is sent: it also asks what is promised."""
        return not self.is_asked or (self.trip is not None and self.trip.probe_first)

    def repeats_at(self, entry: Entry) -> float:
        """Return the timer's time at which an entry is sent again."""
        return self._repeats.get(entry.entry_id, _Repeat()).at

    def not_promised(self, entry: Entry) -> Entry:
        """Return an entry that is not sent again, since its store does not promise anything now."""
        is_other = self.store_id is not None
        reason = "the service has another store now" if is_other else NO_PROMISE
        self.is_asked = False  # before the next try: there may be several stores behind one address
        self._repeat_later(entry)
        return entry.unanswered(Refusal(f"{reason}, so it waits"))

    def _promised(self, store_id: str | None) -> None:
        self.store_id, self.is_asked = store_id, True

    def _sent_again_later(
        self, entry: Entry, client: PetClient, then: Next, error: PetClientError, slowed: int
    ) -> None:
        """React to a failure after which an entry is sent again by itself."""
        self.is_asked = self.is_asked and then in (Next.NEED_API_KEY, Next.SLOW_DOWN)
        if then in (Next.WAIT, Next.NEED_API_KEY):  # which the others do, too
            if not self._is_of_former_key(client, error):
                self._react(then, error, slowed)
        elif then is Next.SLOW_DOWN:
            self._react(then, error, slowed)
            self._repeat_later(entry, behind_others=True)
        else:
            self._go_past(entry, str(error), error.retry_after)

    def _go_past(self, entry: Entry, reason: str, asked_for: float | None = None) -> None:
        """Send an entry again later, and the others once a list was loaded.

        One that fails holds up no other. While all do, they wait longer and longer, and as long as
        the service asks for.
        """
        self.is_asked = False
        self._repeat_later(entry, asked_for)
        self._unanswered.add(entry.entry_id)
        self._open(reason, self.backoff.at_least(len(self._unanswered) - 1, asked_for))

    def _answered(self, entry: Entry) -> None:
        """Note that an entry is not sent again, and that adds are answered."""
        self._repeats.pop(entry.entry_id, None)
        self._unanswered.clear()

    def _repeat_later(
        self, entry: Entry, asked_for: float | None = None, *, behind_others: bool = False
    ) -> None:
        """Send an entry again after a wait that is longer each time.

        After a 429 the wait begins once all others may go: one that meets it again lets them go
        before it, since it may be the only one that does.
        """
        failures = self._repeats.pop(entry.entry_id, _Repeat()).failures
        waited_for = failures if behind_others else failures + 1
        begins = self.next_at if behind_others else self.timer.now()
        at = begins + self.backoff.at_least(waited_for, asked_for)
        self._repeats[entry.entry_id] = _Repeat(failures + 1, at)

    # The circuit breaker

    @property
    def is_half_open(self) -> bool:
        """Whether one request at a time is sent: the last ones may be lost, or met a 429."""
        return self._is_after_loss or self._pace.seconds > 0

    @property
    def _is_after_loss(self) -> bool:
        return self._unknowns > 0 or self._pending_wait > 0 or bool(self._unanswered)

    def resume(self) -> None:
        """Try again now: there is another key, or the service is back."""
        self._close()
        self.is_asked = self.is_asked and not self._repeats  # it may promise again
        for entry_id, repeat in self._repeats.items():
            self._repeats[entry_id] = repeat._replace(at=0.0)
        self.wake.set()

    def service_responded(self, *, is_automatic: bool = False) -> None:
        """Try again now if the service was away, or refused the key: it accepted a request.

        A wait that a 429 asked for goes on: a list says nothing of adds. One after a lost response
        ends if somebody asked, or if each add is added once however often it is sent. A refused key
        is tried once more by itself, with one add, and then with growing waits.

        Args:
            is_automatic: nobody asked for it.
        """
        trip = self.trip
        if trip is None:
            return
        is_key = trip.why is Why.API_KEY
        if is_key and is_automatic:
            if self._key_tries:
                return
            self._key_tries = 1
            self.trip = trip._replace(until=0.0, probe_first=False)
        elif (
            (trip.why is Why.LOST and (not is_automatic or self.store_id is not None))
            or (is_key and self._is_after_loss)
            or (trip.why is Why.AWAY and trip.probe_first)
        ):
            self._open(trip.reason)  # what is waited for goes on after a list
        elif trip.why in (Why.AWAY, Why.API_KEY) or not (
            trip.probe_first or trip.why is Why.TOO_MANY or self._is_after_loss
        ):
            self.trip, self._key_tries = None, 0
        self.wake.set()

    def _back_off(
        self,
        reason: str,
        asked_for: float | None = None,
        *,
        probe_first: bool = True,
        why: Why | None = None,
    ) -> None:
        """Wait longer with each failure in a row, or as long as the service asks for."""
        self._failures += 1
        seconds = self.backoff.at_least(self._failures, asked_for)
        self._open(reason, seconds, probe_first=probe_first, why=why)

    def store_failed(self, reason: str) -> None:
        """Wait a moment: nothing goes out that is not kept as that. No service asked for it."""
        self._open(reason, self.backoff.first, probe_first=False)

    def _slow_down(self, error: PetClientError, slowed: int, *, probe_first: bool = False) -> None:
        """Wait as long as a 429 asks for, or longer with each in a row; then one at a time."""
        asked_for = error.retry_after
        if slowed != self._slowed:  # of requests that were out together, one counts
            seconds = granted(asked_for or 0.0)
        else:
            self._failures += 1
            seconds = self.backoff.after_too_many(self._failures, asked_for)
            self._pace.too_fast(seconds if asked_for is None else asked_for)
            self._slowed += 1
        if self.api_key_error is not None:
            return
        until = max(self.timer.now() + seconds, self.trip.until if self.trip else 0.0)
        probe_first |= self._pending_wait > 0
        self.trip = Trip(str(error), until, probe_first, Why.TOO_MANY)

    def _react(self, then: Next, error: PetClientError, slowed: int) -> None:
        """React to a failure whose outcome is known.

        Args:
            then: what follows.
            error: the failure.
            slowed: ``_slowed`` when the request began.
        """
        reason = str(error)
        is_old = self._is_after_loss or slowed != self._slowed
        if then in (Next.GO_ON, Next.PROBE_FIRST) and self.trip is not None and is_old:
            return  # of requests that were out together, what makes others wait counts
        if then is Next.GO_ON:
            self._close()
            self._pace.passed()
        elif then is Next.SLOW_DOWN or error.status == TOO_MANY:
            self._slow_down(error, slowed, probe_first=then is Next.PROBE_LATER)
        elif then is Next.NEED_API_KEY:
            self._refused_key(reason, error)
        elif then is Next.PROBE_FIRST:
            self._open(reason)
        else:
            is_probe = then is Next.PROBE_LATER
            self._back_off(reason, error.retry_after, probe_first=is_probe, why=Why.AWAY)

    def _refused_key(self, reason: str, error: PetClientError) -> None:
        """Wait for another key or, once this one was tried by itself, longer and longer."""
        until, is_tried = math.inf, self._key_tries > 0
        if is_tried:
            until = self.timer.now() + _REFUSED_KEY.after(self._key_tries)
            self._key_tries += 1
        self.trip = Trip(reason, until, is_tried, Why.API_KEY, error)

    def _outcome_unknown(self, reason: str, asked_for: float | None = None) -> None:
        """Probe, and then wait before the next entry is sent: the last one's outcome is unknown."""
        if not self._pending_wait:  # of requests that were out together, one counts
            self._unknowns += 1
        seconds = after_unknown(self.backoff).at_least(self._unknowns, asked_for)
        self._pending_wait = max(self._pending_wait, seconds)
        self._open(reason)

    def _probed(self) -> None:
        """Close after a list was loaded or refused, or wait as a lost response requires."""
        seconds, self._pending_wait = self._pending_wait, 0.0
        reason = self.trip.reason if self.trip else ""
        self.trip = None
        if seconds:
            self._open(reason, seconds, probe_first=seconds > _STALE, why=Why.LOST)

    def _open(
        self,
        reason: str,
        seconds: float = 0.0,
        *,
        probe_first: bool = True,
        why: Why | None = None,
    ) -> None:
        self.trip = Trip(reason, self.timer.now() + seconds, probe_first, why)

    def _close(self) -> None:
        """Close for now: it is not known yet that adds succeed."""
        self.trip = None
        self._key_tries = 0
        self._failures = 0
        self._pending_wait = 0.0


def after_unknown(backoff: Backoff) -> Backoff:
    """Return how long others wait after entries in a row whose outcome is unknown.

    Short at first, since most responses are lost by chance, and then so long that an hour in which
    the service adds nothing leaves five entries unknown.
    """
    return Backoff(0.5 * backoff.first, 4600.0 * backoff.first, factor=10.0, least=0.8)


def _give_up(waiting: PendingRetry) -> None:
    """Fail at once, and leave the waiting to the outbox: it shows that no request is out."""
    raise waiting.error


def _new_pet_of(entry: Entry) -> NewPet:
    """Return what is sent; raises ValueError for what the interface does not allow."""
    from pettui.models.validation import new_pet_of

    status = {} if entry.status is None else {"status": entry.status}
    return new_pet_of({"name": entry.name, "categoryId": entry.category_id, **status})


_WHAT: Final = b"pettui: the idempotency key of an entry\n"


def idempotency_key(entry: Entry) -> str:
    """Return the key with which an entry is sent, each time."""
    sent = [entry.entry_id, entry.name, entry.category_id, entry.status]
    text = json.dumps(sent, ensure_ascii=False).encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(_WHAT + text).digest()
    return ordered_key(int(entry.entry_id.partition("-")[0]) // 1_000_000, digest)


def ordered_key(milliseconds: int, digest: bytes) -> str:
    """Return a key in the form of a UUIDv7, of a time since 1970 and of what is hashed."""
    number = (milliseconds & (1 << 48) - 1) << 80 | int.from_bytes(digest[:10])
    number = number & ~(0xF << 76) | 7 << 76  # the version
    number = number & ~(0b11 << 62) | 0b10 << 62  # the variant
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def random_key() -> str:
    """Return a key that was never used: it asks a service what it promises."""
    return secrets.token_hex(16)
