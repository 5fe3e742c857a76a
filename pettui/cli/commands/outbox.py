"""``pettui outbox``: what is on its way to a service, for scripts and for whoever runs a server.

What a running window or server has open is listed, and neither sent nor forgotten.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pettui.cli.declarations import OUTBOX_STATES
from pettui.cli.exit_codes import NO_ANSWER, OK, REFUSED, SOME_LINES
from pettui.cli.one_shot import Call
from pettui.cli.output import ClosedPipeError
from pettui.cli.table import write_rows
from pettui.composition.crash_reports import write_report
from pettui.composition.sender import send_to_its_end
from pettui.composition.state_database import opened_people, state_address
from pettui.configuration import ConfigurationError, no_such
from pettui.outbox import (
    LOCAL,
    ON_THE_WAY,
    Entry,
    EntryState,
    Outbox,
    OutboxError,
    Source,
    ssh_owner,
)
from pettui.settings.settings import StoreKind
from pettui.text.amounts import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pettui.client import PetClient
    from pettui.outbox import Owner, People

_ENTRY_ID: Final = re.compile(r"[0-9]{20}-[0-9a-f]{8}")
_FIELDS: Final = ("key", "state", "id", "name", "categoryId", "status", "user", "open", "error")
_FOR_OWN_KEY: Final = (
    "left alone: typed with an API key of the user's own; --with-profile-key sends such with the"
    " profile's"
)
_PATIENCE: Final = 10.0  # seconds before an animal is sent again here; it is left for later else
_SENT_IF_NAMED: Final = (EntryState.REFUSED, EntryState.UNKNOWN)


def list_entries(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Write the entries of outboxes, and return the exit code.

    Raises:
        ConfigurationError: the entries, the user or the outbox cannot be used.
    """
    with _opened(arguments, environment, observes=True) as (call, users):
        _print(call, [(user, entry) for user in users for entry in _chosen(call, user)])
    return OK


def send_entries(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Send entries, write what became of them, and return the exit code; as ``list_entries``."""
    with _opened(arguments, environment, sends=True) as (call, users):
        call.unfinished = "what waits stays in the outbox"
        return call.run(partial(_send_all, call, users), call.settings)


def give_up_entries(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Make entries unknown that are sent again until they are answered; as ``list_entries``."""
    given_up, left = 0, 0
    _check_named(arguments)
    with _opened(arguments, environment) as (call, users):
        for user in users:
            with closing(user.owner.open()) as store:
                sent = (each for each in store.load().entries if each.state is EntryState.SENDING)
                for entry in sent:
                    if _is_chosen(entry, arguments.which):
                        is_left = entry.owned_elsewhere or not store.change(entry, entry.given_up())
                        left += is_left
                        given_up += not is_left
        call.stderr.notice(f"{counted(given_up)} given up: unknown, and not sent again by itself")
        return _left_alone(call, left) or OK


def forget_entries(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Remove entries, and return the exit code; as ``list_entries``."""
    _check_named(arguments)
    forgotten, left, unanswered = 0, 0, 0
    with _opened(arguments, environment) as (call, users):
        for user in users:
            with closing(user.owner.open()) as store:
                for entry in store.load().entries:
                    if not _is_chosen(entry, arguments.which):
                        continue
                    if entry.state is EntryState.SENDING and not entry.owned_elsewhere:
                        unanswered += 1
                    else:
                        is_left = entry.owned_elsewhere or not store.remove(entry)
                        left += is_left
                        forgotten += not is_left
        call.stderr.notice(f"{counted(forgotten)} forgotten")
        if unanswered:
            why = "sent, and not answered yet; give-up makes it unknown"
            call.stderr.warn(f"{counted(unanswered)} left alone: {why}")
        return _left_alone(call, left) or (SOME_LINES if unanswered else OK)


def _check_named(arguments: argparse.Namespace) -> None:
    if not arguments.which:  # a variable of a script that was not set
        raise ConfigurationError("WHICH", "is empty; give a key or a state")


@contextmanager
def _opened(
    arguments: argparse.Namespace,
    environment: Mapping[str, str],
    *,
    observes: bool = False,
    sends: bool = False,
) -> Iterator[tuple[Call, Sequence[_User]]]:
    """Return a call, and whose outboxes it is about. Raises as ``list_entries``."""
    which = arguments.which
    if which not in ("", *OUTBOX_STATES) and _ENTRY_ID.fullmatch(which) is None:
        raise ConfigurationError("WHICH", no_such(which, OUTBOX_STATES, "state"))
    call = Call(arguments, environment, uses_store=sends)
    if call.settings.profile.kind is StoreKind.DEMO:
        raise ConfigurationError("outbox", "a demo keeps none")
    is_of_users = arguments.users or arguments.user is not None
    address = state_address("outbox", arguments, environment) if is_of_users else None
    try:
        with opened_people(call.settings.profile, address, observes=observes) as people:
            yield call, _chosen_users(call, people)
    except OutboxError as error:
        raise ConfigurationError("outbox", str(error)) from error


@dataclass(frozen=True, slots=True)
class _User:
    """Whose outbox it is."""

    owner: Owner
    name: str = ""  # raw text from outside; "" for the user of this machine
    fingerprint: str = ""


def _chosen_users(call: Call, people: People) -> list[_User]:
    """Return this user, or those over SSH that the arguments name."""
    wanted = call.arguments.user
    if wanted is None and not call.arguments.users:
        return [_User(people.of(LOCAL))]
    users = [_User(owner, *owner.user()) for owner in people.owners()]
    if wanted is None:
        return users
    if not wanted:  # a variable of a script that was not set
        raise ConfigurationError("--user", "is empty; give a name or the fingerprint of a key")
    theirs = people.of(ssh_owner(wanted)).id  # if it is a fingerprint
    of_key = [user for user in users if wanted == user.fingerprint or user.owner.id == theirs]
    found = of_key or [user for user in users if wanted == user.name]  # which anyone may choose
    if len(found) != 1:
        reason = "several users have this name; give the fingerprint of a key"
        raise ConfigurationError("--user", reason if found else "has no outbox on this profile")
    return found


def _chosen(call: Call, user: _User) -> Iterator[Entry]:
    which = call.arguments.which
    return (entry for entry in user.owner.entries() if _is_chosen(entry, which))


def _is_chosen(entry: Entry, which: str) -> bool:
    return which in ("", entry.entry_id, entry.state.value)


def _print(call: Call, entries: Iterable[tuple[_User, Entry]]) -> None:
    rows = (_values(user, entry) for user, entry in entries)
    with suppress(ClosedPipeError):
        write_rows(_FIELDS, rows, call.settings, as_json=call.arguments.json)


def _values(user: _User, entry: Entry) -> dict[str, Any]:
    return {
        "key": entry.entry_id,
        "state": entry.state.value,
        "open": entry.owned_elsewhere,
        "id": entry.pet_id,
        "name": entry.name,
        "categoryId": entry.category_id,
        "status": entry.status,
        "user": user.name or None,
        "fingerprint": user.fingerprint or None,
        "typed_by": None if entry.author is None else entry.author._asdict(),
        "error": entry.error,
    }


def _left_alone(call: Call, left: int) -> int:
    if not left:
        return OK
    call.stderr.warn(f"{counted(left)} left alone: a running pettui has them open")
    return SOME_LINES


async def _send_all(call: Call, users: Iterable[_User], client: PetClient) -> int:
    """Send what is chosen of one outbox after the other, until the service is away."""
    sent: list[tuple[_User, Entry]] = []
    code = left = OK
    for user in users:
        if code != OK:
            break
        outbox = await _sent(call, user, client)
        sent += [(user, entry) for entry in outbox.entries]
        code = _why_not_all(call, outbox)
        if count := sum(map(outbox.waits_for_own_key, outbox.entries)):
            whose = f"{user.name}: " if user.name else ""
            call.stderr.warn(f"{whose}{counted(count)} {_FOR_OWN_KEY}")
            left = SOME_LINES
    _print(call, sent)
    call.unfinished = ""
    states = {entry.state for _, entry in sent if not entry.owned_elsewhere}
    left = _left_alone(call, sum(entry.owned_elsewhere for _, entry in sent)) or left
    if code != OK:
        return code
    if EntryState.UNKNOWN in states:
        return NO_ANSWER
    return SOME_LINES if EntryState.REFUSED in states else left


async def _sent(call: Call, user: _User, client: PetClient) -> Outbox:
    """Return an outbox once what is chosen of it is sent, or the service is away; it is closed."""
    outbox = Outbox(
        user.owner.open(),
        client,
        delay=call.settings.delay,
        report=lambda error: write_report(error, client.api_key),
        with_profile_key=call.arguments.with_profile_key,
        receipts=user.owner.receipts(),
        source=Source.COMMAND,
    )
    which = call.arguments.which
    found = await asyncio.to_thread(user.owner.entries)
    only = frozenset(
        entry.entry_id
        for entry in found
        if (_is_chosen(entry, which) if which else entry.state in ON_THE_WAY)
    )
    await send_to_its_end(outbox, user.owner, again=_SENT_IF_NAMED, only=only, patience=_PATIENCE)
    return outbox


def _why_not_all(call: Call, outbox: Outbox) -> int:
    """Say why an outbox could not be read, or something in it still waits; return the exit code."""
    if outbox.store_error is not None:
        raise OutboxError(outbox.store_error)
    for problem in outbox.problems:
        call.stderr.warn(problem)
    if not outbox.on_the_way:
        return OK
    why = outbox.sending.waiting_for or outbox.on_the_way[0].error or "it still waits"
    call.stderr.error(outbox.client.api_key.mask(why))
    return NO_ANSWER if outbox.sending.api_key_error is None else REFUSED
