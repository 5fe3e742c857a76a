"""``pettui outbox``: what is on its way to a service, for scripts and for whoever runs a server.

What a running window or server has open is listed, and neither sent nor forgotten.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import sys
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pettui.cli.declarations import OUTBOX_STATES
from pettui.cli.exit_codes import NO_ANSWER, OK, REFUSED, SOME_LINES
from pettui.cli.one_shot import Call
from pettui.cli.output import ClosedPipeError, write_error, write_error_line
from pettui.cli.table import write_rows
from pettui.composition.crash_reports import write_report
from pettui.composition.sender import send_to_its_end
from pettui.composition.state_database import opened_people, state_address
from pettui.composition.store import service_of
from pettui.composition.users import (
    MOVE,
    elsewhere,
    users_elsewhere,
    waiting_elsewhere,
)
from pettui.configuration import ConfigurationError, no_such
from pettui.outbox import (
    LOCAL,
    ON_THE_WAY,
    Draft,
    Entry,
    EntryState,
    Moved,
    Outbox,
    OutboxError,
    Source,
    move,
    ssh_owner,
)
from pettui.settings.settings import StoreKind
from pettui.text.amounts import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pettui.client import PetClient
    from pettui.composition.users import Elsewhere
    from pettui.outbox import EntryStore, Owner, People

_ALL: Final = "all"  # drafts
_DRAFT_FIELDS: Final = ("key", "typed", "name", "category", "status", "lines", "user")
_ENTRY_ID: Final = re.compile(r"[0-9]{20}-[0-9a-f]{8}")
_FIELDS: Final = ("key", "state", "id", "name", "categoryId", "status", "user", "open", "error")
_FOR_OWN_KEY: Final = (
    "left alone: typed with an API key of the user's own; --with-profile-key sends such with the"
    " profile's"
)
_ON_ITS_WAY: Final = f"on its way to another place, where {MOVE} or the next login takes it"
_PATIENCE: Final = 10.0  # seconds before an animal is sent again here; it is left for later else
_SENT_IF_NAMED: Final = (EntryState.REFUSED, EntryState.UNKNOWN)


def list_entries(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Write the entries of outboxes, and return the exit code.

    Raises:
        ConfigurationError: the entries, the user or the outbox cannot be used.
    """
    if arguments.drafts:
        return _list_drafts(arguments, environment)
    with opened_outboxes(arguments, environment, observes=True) as (call, users):
        found = [(user, entry) for user in users for entry in _chosen(call, user)]
        _print(call, found, as_json=arguments.json)
    return OK


def send_entries(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Send entries, write what became of them, and return the exit code; as ``list_entries``."""
    with opened_outboxes(arguments, environment, sends=True) as (call, users):
        call.unfinished = "what waits stays in the outbox"
        return call.run(partial(_send_all, call, users), call.settings)


def give_up_entries(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Make entries unknown that are sent again until they are answered; as ``list_entries``."""
    given_up, left = 0, 0
    _check_named(arguments)
    with opened_outboxes(arguments, environment) as (call, users):
        for user in users:
            with closing(user.owner.open()) as store:
                sent = (each for each in store.load().entries if each.state is EntryState.SENDING)
                for entry in sent:
                    if _is_chosen(entry, arguments.which):
                        is_barred = entry.owned_elsewhere or entry.is_moving
                        is_left = is_barred or not store.change(entry, entry.given_up())
                        left += is_left
                        given_up += not is_left
        call.stderr.notice(f"{counted(given_up)} given up: unknown, and not sent again by itself")
        return _left_alone(call, left) or OK


def forget_entries(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Remove entries, and return the exit code; as ``list_entries``."""
    _check_named(arguments)
    if arguments.drafts:
        return _forget_drafts(arguments, environment)
    forgotten, left, unanswered = 0, 0, 0
    with opened_outboxes(arguments, environment) as (call, users):
        for user in users:
            with closing(user.owner.open()) as store:
                for entry in store.load().entries:
                    if not _is_chosen(entry, arguments.which):
                        continue
                    if entry.state is EntryState.SENDING and not entry.owned_elsewhere:
                        unanswered += 1
                    else:
                        is_barred = entry.owned_elsewhere or entry.is_moving
                        is_left = is_barred or not store.remove(entry)
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
def opened_outboxes(
    arguments: argparse.Namespace,
    environment: Mapping[str, str],
    *,
    observes: bool = False,
    sends: bool = False,
) -> Iterator[tuple[Call, Sequence[OutboxUser]]]:
    """Return a call, and whose outboxes it is about. Raises as ``list_entries``."""
    which = arguments.which
    if which not in ("", *OUTBOX_STATES) and _ENTRY_ID.fullmatch(which) is None:
        raise ConfigurationError("WHICH", no_such(which, OUTBOX_STATES, "state"))
    with _opened_people(arguments, environment, observes=observes, sends=sends) as (call, people):
        yield call, _chosen_users(call, people)
        if observes:
            _say_elsewhere(call, people)


def _say_elsewhere(call: Call, people: People) -> None:
    """Say what is in no list, since it is in another place."""
    profile = call.settings.profile
    if call.arguments.users or call.arguments.user is not None:
        lines = users_elsewhere(profile, elsewhere(profile, people))
    else:
        lines = [waiting_elsewhere(profile, people, LOCAL)]
    for line in filter(None, lines):
        call.stderr.notice(line)


@contextmanager
def _opened_people(
    arguments: argparse.Namespace,
    environment: Mapping[str, str],
    *,
    observes: bool = False,
    sends: bool = False,
) -> Iterator[tuple[Call, People]]:
    """Return a call, and the people of its profile. Raises as ``list_entries``."""
    call = Call(arguments, environment, uses_store=sends)
    if call.settings.profile.kind is StoreKind.DEMO:
        raise ConfigurationError("outbox", "a demo keeps none")
    is_of_users = arguments.users or arguments.user is not None
    address = state_address("outbox", arguments, environment) if is_of_users else None
    try:
        with opened_people(address, call.settings.profile, observes=observes) as [people]:
            yield call, people
    except OutboxError as error:
        raise ConfigurationError("outbox", str(error)) from error


@dataclass(frozen=True, slots=True)
class OutboxUser:
    """Whose outbox it is."""

    owner: Owner
    name: str = ""  # raw text from outside; "" for the user of this machine
    fingerprint: str = ""


def _chosen_users(call: Call, people: People) -> list[OutboxUser]:
    """Return this user, or those over SSH that the arguments name."""
    wanted = call.arguments.user
    if wanted is None and not call.arguments.users:
        return [OutboxUser(people.of(LOCAL))]
    users = [OutboxUser(owner, *owner.user()) for owner in people.owners()]
    return users if wanted is None else [_named(wanted, people, users)]


def _named(wanted: str, people: People, users: Sequence[OutboxUser]) -> OutboxUser:
    """Return the user of an account, a fingerprint or a name."""
    if not wanted:  # a variable of a script that was not set
        raise ConfigurationError("--user", "is empty; give a name or the fingerprint of a key")
    account, key = (people.of(owner).id for owner in (ssh_owner(None, wanted), ssh_owner(wanted)))
    found = [user for user in users if user.owner.id == account]
    found = found or [user for user in users if key == user.owner.id or wanted == user.fingerprint]
    if len(found) > 1:  # what a key had went to its account
        found = [user for user in found if _has_anything(user)] or found[:1]
    found = found or [user for user in users if wanted == user.name]  # which anyone may choose
    if len(found) != 1:
        reason = "several users have this name; give the fingerprint of a key"
        raise ConfigurationError("--user", reason if found else "has no outbox on this profile")
    return found[0]


def _has_anything(user: OutboxUser) -> bool:
    summary = user.owner.summary()
    return bool(summary.entries or summary.drafts)


def _chosen(call: Call, user: OutboxUser) -> Iterator[Entry]:
    which = call.arguments.which
    return (entry for entry in user.owner.entries() if _is_chosen(entry, which))


def _is_chosen(entry: Entry, which: str) -> bool:
    return which in ("", entry.entry_id, entry.state.value)


def _print(call: Call, entries: Iterable[tuple[OutboxUser, Entry]], *, as_json: bool) -> None:
    rows = (_values(user, entry) for user, entry in entries)
    with suppress(ClosedPipeError):
        write_rows(_FIELDS, rows, call.settings, as_json=as_json)


def _values(user: OutboxUser, entry: Entry) -> dict[str, Any]:
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
        "error": _ON_ITS_WAY if entry.is_moving else entry.error,
    }


def _left_alone(call: Call, left: int) -> int:
    if not left:
        return OK
    why = "a running pettui has them open, or they are on their way to another place"
    call.stderr.warn(f"{counted(left)} left alone: {why}")
    return SOME_LINES


# Drafts


def _list_drafts(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Write what is half typed, and return the exit code; as ``list_entries``."""
    rows: list[dict[str, Any]] = []
    with _opened_drafts(arguments, environment) as (call, users):
        for user in users:
            with _drafts(call, user) as (_, drafts):
                rows += [_draft_values(user, *each) for each in drafts.values()]
        with suppress(ClosedPipeError):
            write_rows(_DRAFT_FIELDS, rows, call.settings, as_json=arguments.json)
    return OK


def _forget_drafts(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Remove drafts, and return the exit code; as ``list_entries``."""
    forgotten = 0
    with _opened_drafts(arguments, environment) as (call, users):
        for user in users:
            with _drafts(call, user) as (store, drafts):
                for number in drafts:
                    store.keep_draft(number, Draft())
                forgotten += len(drafts)
        call.stderr.notice(f"{counted(forgotten, 'draft')} forgotten")
    return OK


@contextmanager
def _opened_drafts(
    arguments: argparse.Namespace, environment: Mapping[str, str]
) -> Iterator[tuple[Call, Sequence[OutboxUser]]]:
    """Return a call, and whose drafts it is about. Raises as ``list_entries``."""
    which = arguments.which
    if which not in ("", _ALL) and _ENTRY_ID.fullmatch(which) is None:
        raise ConfigurationError("WHICH", f"of drafts is a key, or {_ALL}", value=which)
    with _opened_people(arguments, environment) as (call, people):
        yield call, _chosen_users(call, people)


@contextmanager
def _drafts(
    call: Call, user: OutboxUser
) -> Iterator[tuple[EntryStore, Mapping[int, tuple[str, Draft]]]]:
    """Return the drafts that are chosen, with their keys; those of running instances are theirs."""
    which = call.arguments.which
    with closing(user.owner.open()) as store:
        store.take_over_drafts()
        typed = {number: each for number, each in store.drafts.items() if each.is_typed}
        found = {number: (_draft_key(each), each) for number, each in typed.items()}
        if left := user.owner.summary().drafts - len(found):
            them = "it" if left == 1 else "them"
            why = f"a running pettui has {them} open"
            call.stderr.notice(f"{counted(left, 'draft')} left alone: {why}")
        yield store, {n: each for n, each in found.items() if which in ("", _ALL, each[0])}


def _draft_key(draft: Draft) -> str:
    """Return what tells a draft from others: when it was typed, and what."""
    typed = "\0".join((draft.name, draft.category, draft.status, draft.lines))
    digest = hashlib.sha256(typed.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{int(draft.typed_at * 1e9):020d}-{digest[:8]}"


def _draft_values(user: OutboxUser, key: str, draft: Draft) -> dict[str, Any]:
    return {
        "key": key,
        "typed": datetime.fromtimestamp(draft.typed_at).astimezone().isoformat(" ", "seconds"),
        "name": draft.name,
        "category": draft.category,
        "status": draft.status or None,
        "lines": draft.lines or None,
        "user": user.name or None,
        "fingerprint": user.fingerprint or None,
    }


# What was left in other places


def move_entries(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Move what was left in other places to this one, if somebody says so; as ``list_entries``."""
    moved: list[Moved] = []
    with _opened_people(arguments, environment) as (call, people):
        found = _left_elsewhere(call, people)
        if not found:
            call.stderr.notice("nothing was left in another place")
        if arguments.yes and len(found) > 1:
            where = "; ".join(each.where for each in found)
            raise ConfigurationError("--from", f"is missing; there are several places: {where}")
        for each in found:
            _show_move(call, each, people)
            if arguments.yes or _is_wanted(each):
                moved += [_moved(call, left.owner, people) for left in each.left]
        if moved:
            counts = counted(sum(each.animals for each in moved))
            drafts = counted(sum(each.drafts for each in moved), "draft")
            call.stderr.notice(f"{counts} and {drafts} moved")
        return _left_alone(call, sum(each.left for each in moved))


def _left_elsewhere(call: Call, people: People) -> list[Elsewhere]:
    """Return what those that the arguments name left, by place."""
    arguments, origin = call.arguments, vars(call.arguments)["from"]
    is_of_users = arguments.users or arguments.user is not None
    found = elsewhere(call.settings.profile, people, None if is_of_users else {LOCAL})
    found = [each for each in found if each.left]
    if origin is not None:
        found = [each for each in found if each.is_at(origin)]
        if not found:
            raise ConfigurationError("--from", "nothing was left there", value=origin)
    if arguments.user is None:
        return found
    of_user = []
    for each in found:
        users = [OutboxUser(left.owner, *left.owner.user()) for left in each.left]
        owner = _named(arguments.user, each.people, users).owner
        of_user.append(each._replace(left=[left for left in each.left if left.owner is owner]))
    return of_user


def _show_move(call: Call, found: Elsewhere, people: People) -> None:
    users = [(OutboxUser(left.owner, *left.owner.user()), left) for left in found.left]
    rows = [(user, entry) for user, left in users for entry in left.entries]
    _print(call, rows, as_json=False)
    write_error_line(f"from: {found.where}")
    write_error_line(f"to:   {people.place}, for {service_of(call.settings.profile)}")


def _is_wanted(found: Elsewhere) -> bool:
    """Ask whether both places are of one service, which nobody but a person knows."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise ConfigurationError("--yes", "is missing, and without a terminal nobody can be asked")
    what = found.waiting or "what was added"
    write_error(f"Are both addresses the same service, and is {what} to be moved? [y/N] ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _moved(call: Call, owner: Owner, people: People) -> Moved:
    if (who := owner.who) is None:
        call.stderr.warn(f"{owner.id}: who that is was not recorded")
        return Moved(0, 0, len(owner.entries()))
    place = f"{people.place}, {people.id}, {who}"
    return move(owner, people.of(who), place, service=service_of(call.settings.profile))


async def _send_all(call: Call, users: Iterable[OutboxUser], client: PetClient) -> int:
    """Send what is chosen of one outbox after the other, until the service is away."""
    sent: list[tuple[OutboxUser, Entry]] = []
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
    _print(call, sent, as_json=call.arguments.json)
    call.unfinished = ""
    states = {entry.state for _, entry in sent if not entry.owned_elsewhere}
    left = _left_alone(call, sum(entry.owned_elsewhere for _, entry in sent)) or left
    if code != OK:
        return code
    if EntryState.UNKNOWN in states:
        return NO_ANSWER
    return SOME_LINES if EntryState.REFUSED in states else left


async def _sent(call: Call, user: OutboxUser, client: PetClient) -> Outbox:
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
    if outbox.store_state.error is not None:
        raise OutboxError(outbox.store_state.error)
    for problem in outbox.problems:
        call.stderr.warn(problem)
    if not outbox.on_the_way:
        return OK
    why = outbox.sending.waiting_for or outbox.on_the_way[0].error or "it still waits"
    call.stderr.error(outbox.client.api_key.mask(why))
    return NO_ANSWER if outbox.sending.api_key_error is None else REFUSED
