"""``pettui outbox reconcile``: what a restored store lacks is added again, if it had a key."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pettui.cli.commands.outbox import chosen_users, opened_outboxes
from pettui.cli.exit_codes import NO_ANSWER, OK, REFUSED, SOME_LINES
from pettui.cli.table import write_rows
from pettui.client import PetClientError
from pettui.configuration.errors import ConfigurationError
from pettui.models.validation import new_pet_of
from pettui.outbox.entries import EntryState, OutboxError
from pettui.outbox.outcome import is_of_other_store
from pettui.outbox.receipts import Source
from pettui.outbox.sending import idempotency_key, random_key
from pettui.text.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.client import OnWait, PetAnswer, PetClient
    from pettui.outbox.entries import Author, Entry
    from pettui.outbox.receipts import Added, Receipts

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from pettui.cli.commands.outbox import OutboxUser
    from pettui.cli.one_shot import Call
    from pettui.client import PetAnswer, PetClient
    from pettui.outbox.entries import Entry, EntryStore

_FIELDS: Final = (
    "key", "became", "id", "former_id", "name", "categoryId", "status", "at", "source", "user",
    "error",
)  # fmt: skip
_THERE: Final = "there"
_ADDED: Final = "added"
_DOUBTFUL: Final = "doubtful"
_FORBIDDEN: Final = 403
_NO_PROMISE: Final = (
    "the service does not promise to add once what comes with a key: each animal might be there"
    " twice, so nothing is sent"
)
_NOT_CONFIRMED: Final = "the service did not confirm the key of an animal, which may be there twice"


class _Found(NamedTuple):
    """What one user added, and where it is kept."""

    user: OutboxUser
    store: EntryStore
    since: AddedSince


def reconcile(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Ask the service for what was added since a time, and return the exit code.

    Raises:
        ConfigurationError: the time, the user or the outbox cannot be used, or the service honours
            no keys.
    """
    since = _since(arguments.since)
    with opened_outboxes(arguments, environment, sends=True) as (call, owners):
        users = chosen_users(call, owners)
        call.unfinished = "run it again: what is there is only confirmed then"
        return call.run(partial(_reconcile, call, users, since))


def _since(text: str | None) -> float:
    """Read a time, which is that of this machine where it names no zone."""
    if text is None:
        reason = "is missing: the time of the backup that was restored, or a little before"
        raise ConfigurationError("--since", reason)
    with suppress(ValueError, OverflowError, OSError):
        since = datetime.fromisoformat(text).astimezone()
        if since < datetime.now(UTC):
            return since.timestamp()
    reason = "must be a time in the past, such as 2026-11-28T02:00 or 2026-11-28T02:00+01:00"
    raise ConfigurationError("--since", reason, value=text)


async def _reconcile(
    call: Call, users: Sequence[OutboxUser], since: float, client: PetClient
) -> int:
    page = await client.list_pets(1, on_wait=call.stderr.retry, idempotency_key=random_key())
    if page.store_id is None:
        raise ConfigurationError("outbox reconcile", _NO_PROMISE)
    with ExitStack() as opened:
        found = []
        for user in users:
            store = opened.enter_context(closing(user.owner.open()))
            contents = store.load()
            for problem in contents.problems:
                call.stderr.warn(problem)
            of_user = added_since(contents.entries, user.owner.receipts(), since, page.store_id)
            found.append(_Found(user, store, of_user))
        return await _asked(call, found, client)


async def _asked(call: Call, found: Sequence[_Found], client: PetClient) -> int:
    """Ask the store for each entry, until it is away, and write what came of it."""
    rows: list[dict[str, Any]] = []
    code, error = OK, ""
    to_ask = [(each, entry) for each in found for entry in each.since.entries]
    for each, entry in to_ask:
        try:
            answer = await sent_again(client, entry, call.stderr.retry)
        except PetClientError as failure:
            error = client.api_key.mask(str(failure))
            if not _is_of_this_animal(failure, entry):
                code = REFUSED if failure.is_unauthorized else NO_ANSWER
                break
            rows.append(_row(each.user, doubtful(entry, error)))
            continue
        if answer.store_id != entry.store_id:
            code, error = NO_ANSWER, _NOT_CONFIRMED
            break
        rows.append(_answered(call, each, entry, answer))
        call.stderr.progress(f"{len(rows):,} of {counted(len(to_ask))} asked for")
    if code != OK:
        unasked = counted(len(to_ask) - len(rows))
        call.stderr.error(f"{error}; {unasked} not asked for yet: run it again")
    rows += [_row(each.user, one) for each in found for one in each.since.doubtful]
    write_rows(_FIELDS, rows, call.settings, as_json=call.arguments.json)
    call.unfinished = ""
    is_all = _told(call, rows, sum(each.since.uncounted for each in found))
    return code if code != OK or is_all else SOME_LINES


def _is_of_this_animal(failure: PetClientError, entry: Entry) -> bool:
    """Whether the store refused one animal, and would answer for the next."""
    is_of_all = (
        failure.is_unauthorized or failure.status == _FORBIDDEN or is_of_other_store(failure)
    )
    is_refused = failure.status is not None and 400 <= failure.status < 500
    return is_refused and failure.store_id == entry.store_id and not is_of_all


def _answered(call: Call, found: _Found, entry: Entry, answer: PetAnswer) -> dict[str, Any]:
    """Return what the store said of an entry; its new id is kept, unless it is open elsewhere."""
    pet = answer.pet
    if pet.id != entry.pet_id and not entry.owned_elsewhere:
        try:
            found.store.change(entry, entry.added_as(pet, store_id=entry.store_id))
        except OutboxError as error:
            call.stderr.warn(f"{error}; it is there with id {pet.id}")
    became = _THERE if answer.is_replayed else _ADDED
    return {**_row(found.user, doubtful(entry)), "became": became, "id": pet.id, "error": None}


def _row(user: OutboxUser, one: Doubtful) -> dict[str, Any]:
    return {
        "key": one.key,
        "became": _DOUBTFUL,
        "id": None,
        "former_id": one.pet_id,
        "name": one.name,
        "categoryId": one.category_id,
        "status": one.status,
        "at": datetime.fromtimestamp(one.at, UTC).isoformat(" ", "seconds"),
        "source": one.source,
        **user.values,
        "typed_by": None if one.author is None else one.author._asdict(),
        "error": one.why,
    }


def _told(call: Call, rows: Sequence[Mapping[str, Any]], uncounted: int) -> bool:
    """Say how many there are of each; return whether nothing is left for a person."""
    counts = Counter(row["became"] for row in rows)
    call.stderr.notice(f"{counted(counts[_THERE])} there, {counts[_ADDED]:,} added again")
    if counts[_DOUBTFUL]:
        why = "whether they are there nobody can be told; look for them"
        call.stderr.warn(f"{counted(counts[_DOUBTFUL])} not sent: {why}")
    if uncounted:
        call.stderr.warn(f"{counted(uncounted)} more of these days are only counted, not named")
    return not (counts[_DOUBTFUL] or uncounted)


# Reconciling: what was added, and what a store that was restored to an earlier state has of it.
#
# An entry whose store said of its key that it added it once can be sent there again, with its key:
# the answer says whether the store has it, and it is never there twice. Of everything else that was
# added nobody can be told that, so it is named for a person, and never sent: what was sent without
# a key or to another store, what an import or a command added, and what only the receipts have.

_OTHERS: Final = MappingProxyType(
    {
        Source.IMPORT.value: "imported: import its file again with --skip-duplicates",
        Source.COMMAND.value: "added by pettui add: run it again, with its key if it had one",
    }
)
_GONE: Final = "the outbox no longer has it"
_WITHOUT_KEY: Final = (
    "no store confirmed its key, or it was typed with an API key of the user's own"
)
_OTHER_STORE: Final = "added to another store"


class Doubtful(NamedTuple):
    """What was added, and for a person to look for."""

    key: str
    at: float  # wall-clock seconds
    pet_id: int | None  # as which it was added
    name: str
    category_id: int
    status: str | None
    source: str
    why: str
    author: Author | None = None  # who typed it; no receipt says


class AddedSince(NamedTuple):
    """What one owner added since a time."""

    entries: Sequence[Entry]  # that the store is asked for
    doubtful: Sequence[Doubtful]
    uncounted: int  # more of those days, of which the receipts have only the numbers


def added_since(
    entries: Iterable[Entry], receipts: Receipts, since: float, store_id: str
) -> AddedSince:
    """Return what was added since a time, as the outbox and the receipts know it. It blocks.

    Args:
        entries: of the owner.
        receipts: of the owner.
        since: wall-clock seconds.
        store_id: of the store that was restored.

    Raises:
        OutboxError: a receipt cannot be read.
    """
    recorded: dict[str, Added] = {}
    uncounted = 0
    for day in receipts.days():
        if day >= datetime.fromtimestamp(since).astimezone().date():
            receipt = receipts.of(day)
            uncounted += receipt.total - len(receipt.added)
            recorded |= {each.key: each for each in receipt.added if each.at >= since}
    asked, others = [], []
    for entry in entries:
        if entry.state is not EntryState.ADDED:
            continue
        record = recorded.pop(entry.entry_id, None)
        if record is None and _added_at(entry) < since:
            continue
        if entry.store_id == store_id:
            asked.append(entry)
        else:
            others.append(doubtful(entry, _WITHOUT_KEY if entry.store_id is None else _OTHER_STORE))
    others += map(_of_record, recorded.values())
    return AddedSince(asked, sorted(others, key=lambda each: each.at), uncounted)


def _added_at(entry: Entry) -> float:
    """Return when an entry was added, or was typed where that is not known; to some seconds."""
    return entry.typed_at if entry.sent_at is None else entry.sent_at


def doubtful(entry: Entry, why: str = "") -> Doubtful:
    """Return an entry as a person finds it."""
    values = (entry.name, entry.category_id, entry.status, Source.EARLIER.value, why, entry.author)
    return Doubtful(entry.entry_id, _added_at(entry), entry.pet_id, *values)


def _of_record(added: Added) -> Doubtful:
    pet, why = added.pet, _OTHERS.get(added.source, _GONE)
    status = None if pet.status is None else str(pet.status)
    return Doubtful(
        added.key, added.at, pet.id, pet.name, pet.category_id, status, added.source, why
    )


async def sent_again(client: PetClient, entry: Entry, on_wait: OnWait) -> PetAnswer:
    """Send an added entry again, with its key, to its store; raises PetClientError."""
    status = {} if entry.status is None else {"status": entry.status}
    return await client.create_pet(
        new_pet_of({"name": entry.name, "categoryId": entry.category_id, **status}),
        on_wait=on_wait,
        idempotency_key=idempotency_key(entry),
        store_id=entry.store_id,
    )
