"""A client with scripted responses, a clock, and waiting for a state of entries."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from typing import TYPE_CHECKING, Any, TypeAlias

from pettui.client import (
    ErrorBodyError,
    NoAnswerError,
    PendingRetry,
    PetAnswer,
    PetClientError,
    PetPage,
)
from pettui.client.requests import Request
from pettui.models.pets import ErrorBody, NewPet, Pet, PetStatus
from pettui.models.validation import pet_of
from pettui.outbox.entries import Entry, EntryState
from pettui.settings.settings import ApiKey
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pettui.client import OnWait
    from pettui.outbox.outbox import Outbox

Answer: TypeAlias = Exception | None
DEAD = "0123456789abcdef"  # an instance that is no more
GOOD = '{"name": "Rex", "category_id": 3, "status": null, "due": 0.0}'  # an entry's file
REQUEST = Request("listPets", "GET", "", expected_status=200)


def entry_id_of(number: int) -> str:
    return f"{number:020d}-00000000"


ENTRY_ID = entry_id_of(1)


class Limit:
    """A limit of requests: one in so many seconds, or more of them in a window of time.

    What is refused does not count, unless the limit counts all that comes.
    """

    def __init__(
        self,
        timer: SteppedTimer,
        every: float,
        *,
        count: int = 1,
        retry_after: float | None = None,
        counts_all: bool = False,
    ) -> None:
        self.timer, self.every, self.count = timer, every, count
        self.retry_after, self.counts_all = retry_after, counts_all
        self.times: deque[float] = deque([-math.inf] * count, maxlen=count)
        self.refused = 0

    def check(self) -> None:
        is_refused = self.timer.now() < self.times[0] + self.every
        if not is_refused or self.counts_all:
            self.times.append(self.timer.now())
        if is_refused:
            self.refused += 1
            raise refusal(429, transient=True, retry_after=self.retry_after)


class Lost(Exception):
    """In a script: the animal is stored, and then this error is raised."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class Unconfirmed(Exception):
    """In a script: the animal is stored, and the answer does not send the key back."""


class ScriptedClient:
    """Stands in for PetClient where a test decides when and how each call ends.

    Each call takes the next answer of its script: an error is raised, anything else adds the
    animal. A call waits until ``may_respond`` is set. Names in ``refused`` get their error each
    time. With a store it promises to add once what comes with a key.
    """

    def __init__(self, api_key: str = "key-of-the-profile", *, store_id: str | None = None) -> None:
        self.api_key = ApiKey(api_key)
        self.has_key = True
        self.store_id = store_id
        self.may_respond = asyncio.Event()
        self.may_respond.set()
        self.adds: list[Answer] = []
        self.refused: dict[str, Exception] = {}
        self.lists: list[Exception | list[Pet]] = []
        self.ids: list[int] = []  # given to what is added; else its number
        self.added: list[Pet] = []
        self.stored: dict[str, Pet] = {}  # by key
        self.sent: list[NewPet] = []  # in the order in which they arrived
        self.keys: list[tuple[str | None, str | None]] = []  # that came with them, and the stores
        self.listed: list[tuple[int, PetStatus | None]] = []
        self.out = 0
        self.most_out = 0
        self.limited: Limit | None = None
        self.when_sent: Callable[[NewPet], None] = lambda _: None

    @property
    def names(self) -> list[str]:
        """The names of all that is stored, in order."""
        return [pet.name for pet in self.added]

    def limit(self, timer: SteppedTimer, every: float, **options: Any) -> Limit:
        """Let requests pass as a proxy does that counts them: one in so many seconds."""
        self.limited = Limit(timer, every, **options)
        return self.limited

    async def create_pet(
        self,
        new_pet: NewPet,
        *,
        on_wait: OnWait | None = None,
        idempotency_key: str | None = None,
        store_id: str | None = None,
    ) -> PetAnswer:
        self.sent.append(new_pet)
        self.keys.append((idempotency_key, store_id))
        self.when_sent(new_pet)
        if self.limited is not None:
            self.limited.check()
        self.out += 1
        self.most_out = max(self.most_out, self.out)
        try:
            await self.may_respond.wait()
        finally:
            self.out -= 1
        script = self.adds.pop(0) if self.adds else None
        answer = self.refused.get(new_pet.name, script)
        if isinstance(answer, PetClientError) and on_wait is not None and answer.transient:
            on_wait(PendingRetry(2, 4, 60.0, answer))
        if isinstance(answer, Exception) and not isinstance(answer, Lost | Unconfirmed):
            raise answer
        if store_id not in (None, self.store_id):
            body = ErrorBody(code="other_store", message="No.", status=412)
            raise ErrorBodyError(412, body, store_id=self.store_id)
        pet = self.stored.get(idempotency_key or "") if self.store_id else None
        if pet is None:
            number = self.ids.pop(0) if self.ids else len(self.added) + 1
            pet = pet_of({"id": number, **new_pet.body()})
            self.added.append(pet)
            if idempotency_key is not None:
                self.stored[idempotency_key] = pet
        if isinstance(answer, Lost):
            raise answer.error
        confirms = idempotency_key is not None and not isinstance(answer, Unconfirmed)
        return PetAnswer(pet, (), 0.0, store_id=self.store_id if confirms else None)

    async def list_pets(
        self,
        limit: int = 20,
        status: PetStatus | None = None,
        *,
        on_wait: object = None,  # noqa: ARG002 - nothing is tried again here
        idempotency_key: str | None = None,
    ) -> PetPage:
        self.listed.append((limit, status))
        if self.limited is not None:
            self.limited.check()
        answer = self.lists.pop(0) if self.lists else []
        if isinstance(answer, Exception):
            raise answer
        store_id = self.store_id if idempotency_key is not None else None
        return PetPage(tuple(answer), (), 0.0, None, REQUEST, store_id=store_id)


STORE = "0123456789abcdef0123456789abcdef"
OTHER_STORE = STORE[::-1]


class KeepingClient(ScriptedClient):
    """One of a service that adds once."""

    def __init__(self, store_id: str | None = STORE) -> None:
        super().__init__(store_id=store_id)


def offline() -> NoAnswerError:
    return NoAnswerError("connect to", "127.0.0.1:1", "connection refused", transient=True)


def cut() -> NoAnswerError:
    return NoAnswerError("read from", "127.0.0.1:1", "closed", maybe_sent=True)


def refusal(status: int, *, code: str = "no", **options: object) -> ErrorBodyError:
    return ErrorBodyError(status, ErrorBody(code=code, message="No.", status=status), **options)


async def add(outbox: Outbox, *names: str) -> Entry:
    """Add animals; return the entry of the last one."""
    return [await outbox.add(name, 3, None) for name in names][-1]


async def send(outbox: Outbox, client: ScriptedClient, *names: str) -> Entry:
    """Add animals, of which the first is being sent until ``may_respond`` is set."""
    client.may_respond.clear()
    entry = await add(outbox, *names)
    await until(lambda: client.out == 1)
    return entry


def numbered(count: int) -> list[str]:
    return [f"animal {number}" for number in range(count)]


def states(outbox: Outbox) -> list[str]:
    """Return the names and states of all entries, in order: ``Rex added``."""
    return [f"{entry.name} {entry.state.value}" for entry in outbox.entries]


def an_entry(
    name: str = "Rex", state: EntryState = EntryState.WAITING, number: int = 1, **fields: object
) -> Entry:
    values = {
        "entry_id": entry_id_of(number),
        "category_id": 3,
        "status": None,
        "due": 0.0,
        **fields,
    }
    return Entry(name=name, state=state, **values)


def left_behind(
    directory: Path, content: str | None = GOOD, *, entry_id: str = ENTRY_ID, state: str = "waiting"
) -> Path:
    """Put an entry's file there as an instance that is no more left it; return its path."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{entry_id}.{DEAD}.{state}.json"
    if content is not None:
        path.write_text(content)
    return path


class SteppedTimer:
    """A clock on which waiting takes no time, up to an end where it stops."""

    def __init__(self, end: float = math.inf) -> None:
        self.time = 0.0
        self.end = end
        self.has_ended = asyncio.Event()

    def now(self) -> float:
        return self.time

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        await asyncio.sleep(0.002)  # ``until`` looks each millisecond: it sees each wait
        if seconds == math.inf:
            await event.wait()
        elif not event.is_set() and self.time + seconds > self.end:
            self.has_ended.set()
            await event.wait()
        elif not event.is_set():
            self.time += seconds
