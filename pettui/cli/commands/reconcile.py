"""``pettui outbox reconcile``: what a restored store lacks is added again, if it had a key."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pettui.cli.commands.outbox import chosen_users, opened_outboxes
from pettui.cli.exit_codes import NO_ANSWER, OK, REFUSED, SOME_LINES
from pettui.cli.table import write_rows
from pettui.client import PetClientError
from pettui.composition.reconciling import added_since, doubtful, sent_again
from pettui.configuration import ConfigurationError
from pettui.outbox import OutboxError, is_of_other_store, random_key
from pettui.text.amounts import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from pettui.cli.commands.outbox import OutboxUser
    from pettui.cli.one_shot import Call
    from pettui.client import PetAnswer, PetClient
    from pettui.composition.reconciling import AddedSince, Doubtful
    from pettui.outbox import Entry, EntryStore

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
