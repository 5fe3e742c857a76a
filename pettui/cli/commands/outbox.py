"""``pettui outbox``: what is on its way to a service, for scripts and for whoever runs a server.

What a running window or server has open is listed, and neither sent nor forgotten.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import sys
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pettui.cli.declarations import OUTBOX_STATES
from pettui.cli.exit_codes import NO_ANSWER, OK, REFUSED, SOME_LINES
from pettui.cli.one_shot import Call
from pettui.cli.output import write_error, write_error_line
from pettui.cli.table import write_rows
from pettui.composition.crash_reports import write_report
from pettui.composition.sender import send_to_its_end
from pettui.composition.state_database import opened_owners, state_address
from pettui.composition.store import service_of
from pettui.composition.users import (
    MOVE,
    elsewhere,
    users_elsewhere,
    waiting_elsewhere,
)
from pettui.configuration.errors import ConfigurationError, no_such
from pettui.outbox.entries import Draft, Entry, EntryState, EntryStore, OutboxError
from pettui.outbox.moving import Moved, move
from pettui.outbox.outbox import Outbox
from pettui.outbox.owners import LOCAL, ON_THE_WAY, Owner, Owners, ssh_owner
from pettui.outbox.receipts import Source
from pettui.settings.settings import StoreKind
from pettui.text.amounts import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pettui.client import PetClient
    from pettui.composition.users import Elsewhere

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
    """Write the entries of outboxes, or drafts, and return the exit code.

    Raises:
        ConfigurationError: the entries, the user or the outbox cannot be used.
    """
    fields = _DRAFT_FIELDS if arguments.drafts else _FIELDS
    observes = not arguments.drafts
    with opened_outboxes(arguments, environment, observes=observes) as (call, owners):
        if arguments.drafts:
            rows = [_draft_values(user, draft) for user, _, _, draft in _drafts(call, owners)]
        else:
            rows = [
                _values(user, entry)
                for user in chosen_users(call, owners)
                for entry in user.owner.entries()
                if _is_chosen(entry, arguments.which)
            ]
        write_rows(fields, rows, call.settings, as_json=arguments.json)
        if observes:
            _say_elsewhere(call, owners)
    return OK


def send_entries(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Send entries, write what became of them, and return the exit code; as ``list_entries``."""
    with opened_outboxes(arguments, environment, sends=True) as (call, owners):
        call.unfinished = "what waits stays in the outbox"
        users = chosen_users(call, owners)
        return call.run(partial(_send_all, call, users))


def give_up_entries(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Make entries unknown that are sent again until they are answered; as ``list_entries``."""
    _check_named(arguments)
    with opened_outboxes(arguments, environment) as (call, owners):
        given_up = [
            not _is_barred(entry) and store.change(entry, entry.given_up())
            for store, entry in _chosen_entries(call, owners)
            if entry.state is EntryState.SENDING
        ]
        animals = counted(sum(given_up))
        call.stderr.notice(f"{animals} given up: unknown, and not sent again by itself")
        return _left_alone(call, given_up.count(False))


def forget_entries(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Remove entries, or drafts, and return the exit code; as ``list_entries``."""
    _check_named(arguments)
    with opened_outboxes(arguments, environment) as (call, owners):
        if arguments.drafts:
            return _forget_drafts(call, owners)
        forgotten: list[bool] = []
        unanswered = 0
        for store, entry in _chosen_entries(call, owners):
            if entry.state is EntryState.SENDING and not entry.owned_elsewhere:
                unanswered += 1
            else:
                forgotten.append(not _is_barred(entry) and store.remove(entry))
        call.stderr.notice(f"{counted(sum(forgotten))} forgotten")
        if unanswered:
            why = "sent, and not answered yet; give-up makes it unknown"
            call.stderr.warn(f"{counted(unanswered)} left alone: {why}")
        return _left_alone(call, forgotten.count(False)) or (SOME_LINES if unanswered else OK)


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
) -> Iterator[tuple[Call, Owners]]:
    """Return a call, and the owners of its profile. Raises as ``list_entries``."""
    options = vars(arguments)
    which, drafts = options.get("which", ""), options.get("drafts")
    if which not in ("", *([_ALL] if drafts else OUTBOX_STATES)) and not _ENTRY_ID.fullmatch(which):
        if drafts:
            raise ConfigurationError("WHICH", f"of drafts is a key, or {_ALL}", value=which)
        raise ConfigurationError("WHICH", no_such(which, OUTBOX_STATES, "state"))
    call = Call(arguments, environment, uses_store=sends)
    if call.settings.profile.kind is StoreKind.DEMO:
        raise ConfigurationError("outbox", "a demo keeps none")
    is_of_users = arguments.users or arguments.user is not None
    address = state_address("outbox", arguments, environment) if is_of_users else None
    try:
        with opened_owners(address, call.settings.profile, observes=observes) as [owners]:
            yield call, owners
    except OutboxError as error:
        raise ConfigurationError("outbox", str(error)) from error


def _say_elsewhere(call: Call, owners: Owners) -> None:
    """Say what is in no list, since it is in another place."""
    profile = call.settings.profile
    if call.arguments.users or call.arguments.user is not None:
        lines = users_elsewhere(profile, elsewhere(profile, owners))
    else:
        lines = [waiting_elsewhere(profile, owners, LOCAL)]
    for line in filter(None, lines):
        call.stderr.notice(line)


@dataclass(frozen=True, slots=True)
class OutboxUser:
    """Whose outbox it is."""

    owner: Owner
    name: str = ""  # raw text from outside; "" for the user of this machine
    fingerprint: str = ""

    @property
    def values(self) -> dict[str, str | None]:
        """Return who it is, for a row."""
        return {"user": self.name or None, "fingerprint": self.fingerprint or None}


def chosen_users(call: Call, owners: Owners) -> list[OutboxUser]:
    """Return this user, or those over SSH that the arguments name."""
    wanted = call.arguments.user
    if wanted is None and not call.arguments.users:
        return [OutboxUser(owners.of(LOCAL))]
    users = [OutboxUser(owner, *owner.user()) for owner in owners.all()]
    return users if wanted is None else [_named(wanted, owners, users)]


def _named(wanted: str, owners: Owners, users: Sequence[OutboxUser]) -> OutboxUser:
    """Return the user of an account, a fingerprint or a name."""
    if not wanted:  # a variable of a script that was not set
        raise ConfigurationError("--user", "is empty; give a name or the fingerprint of a key")
    account, key = (owners.of(owner).id for owner in (ssh_owner(None, wanted), ssh_owner(wanted)))
    found = [user for user in users if user.owner.id == account]
    found = found or [user for user in users if key == user.owner.id or wanted == user.fingerprint]
    if len(found) > 1:  # what a key had went to its account
        summaries = [(user, user.owner.summary()) for user in found]
        found = [user for user, has in summaries if has.entries or has.drafts] or found[:1]
    found = found or [user for user in users if wanted == user.name]  # which anyone may choose
    if len(found) != 1:
        reason = "several users have this name; give the fingerprint of a key"
        raise ConfigurationError("--user", reason if found else "has no outbox on this profile")
    return found[0]


def _chosen_entries(call: Call, owners: Owners) -> Iterator[tuple[EntryStore, Entry]]:
    """Return the entries that are chosen, each with its store, which is open meanwhile."""
    for user in chosen_users(call, owners):
        with closing(user.owner.open()) as store:
            for entry in store.load().entries:
                if _is_chosen(entry, call.arguments.which):
                    yield store, entry


def _is_chosen(entry: Entry, which: str) -> bool:
    return which in ("", entry.entry_id, entry.state.value)


def _is_barred(entry: Entry) -> bool:
    return entry.owned_elsewhere or entry.is_moving


def _values(user: OutboxUser, entry: Entry) -> dict[str, Any]:
    return {
        "key": entry.entry_id,
        "state": entry.state.value,
        "open": entry.owned_elsewhere,
        "id": entry.pet_id,
        "name": entry.name,
        "categoryId": entry.category_id,
        "status": entry.status,
        **user.values,
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


def _forget_drafts(call: Call, owners: Owners) -> int:
    forgotten = 0
    for _, store, number, _ in _drafts(call, owners):
        store.keep_draft(number, Draft())
        forgotten += 1
    call.stderr.notice(f"{counted(forgotten, 'draft')} forgotten")
    return OK


def _drafts(call: Call, owners: Owners) -> Iterator[tuple[OutboxUser, EntryStore, int, Draft]]:
    """Return the drafts that are chosen, with their stores; what is open elsewhere is not."""
    for user in chosen_users(call, owners):
        with closing(user.owner.open()) as store:
            store.take_over_drafts()
            typed = {number: each for number, each in store.drafts.items() if each.is_typed}
            if left := user.owner.summary().drafts - len(typed):
                them = "it" if left == 1 else "them"
                why = f"a running pettui has {them} open"
                call.stderr.notice(f"{counted(left, 'draft')} left alone: {why}")
            for number, draft in typed.items():
                if call.arguments.which in ("", _ALL, _draft_key(draft)):
                    yield user, store, number, draft


def _draft_key(draft: Draft) -> str:
    """Return what tells a draft from others: when it was typed, and what."""
    typed = "\0".join((draft.name, draft.category, draft.status, draft.lines))
    digest = hashlib.sha256(typed.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{int(draft.typed_at * 1e9):020d}-{digest[:8]}"


def _draft_values(user: OutboxUser, draft: Draft) -> dict[str, Any]:
    return {
        "key": _draft_key(draft),
        "typed": datetime.fromtimestamp(draft.typed_at).astimezone().isoformat(" ", "seconds"),
        "name": draft.name,
        "category": draft.category,
        "status": draft.status or None,
        "lines": draft.lines or None,
        **user.values,
    }


# What was left in other places


def move_entries(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Move what was left in other places to this one, if somebody says so; as ``list_entries``."""
    moved: list[Moved] = []
    with opened_outboxes(arguments, environment) as (call, owners):
        found = _left_elsewhere(call, owners)
        if not found:
            call.stderr.notice("nothing was left in another place")
        if arguments.yes and len(found) > 1:
            where = "; ".join(each.where for each in found)
            reason = f"cannot say which of several places is meant; run it without: {where}"
            raise ConfigurationError("--yes", reason)
        for each in found:
            _show_move(call, each, owners)
            if arguments.yes or _is_wanted(each):
                moved += [_moved(call, left.owner, owners) for left in each.left]
        if moved:
            counts = counted(sum(each.animals for each in moved))
            drafts = counted(sum(each.drafts for each in moved), "draft")
            call.stderr.notice(f"{counts} and {drafts} moved")
        return _left_alone(call, sum(each.left for each in moved))


def _left_elsewhere(call: Call, owners: Owners) -> list[Elsewhere]:
    """Return what those that the arguments name left, by place."""
    arguments = call.arguments
    is_of_users = arguments.users or arguments.user is not None
    found = elsewhere(call.settings.profile, owners, None if is_of_users else {LOCAL})
    found = [each for each in found if each.left]
    if arguments.user is None:
        return found
    of_user = []
    for each in found:
        users = [OutboxUser(left.owner, *left.owner.user()) for left in each.left]
        owner = _named(arguments.user, each.owners, users).owner
        of_user.append(each._replace(left=[left for left in each.left if left.owner is owner]))
    return of_user


def _show_move(call: Call, found: Elsewhere, owners: Owners) -> None:
    users = [(OutboxUser(left.owner, *left.owner.user()), left) for left in found.left]
    rows = [_values(user, entry) for user, left in users for entry in left.entries]
    write_rows(_FIELDS, rows, call.settings)
    write_error_line(f"from: {found.where}")
    write_error_line(f"to:   {owners.place}, for {service_of(call.settings.profile)}")


def _is_wanted(found: Elsewhere) -> bool:
    """Ask whether both places are of one service, which nobody but a person knows."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise ConfigurationError("--yes", "is missing, and without a terminal nobody can be asked")
    what = found.waiting or "what was added"
    write_error(f"Are both addresses the same service, and is {what} to be moved? [y/N] ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _moved(call: Call, owner: Owner, owners: Owners) -> Moved:
    if (who := owner.who) is None:
        call.stderr.warn(f"{owner.id}: who that is was not recorded")
        return Moved(0, 0, len(owner.entries()))
    place = f"{owners.place}, {owners.id}, {who}"
    return move(owner, owners.of(who), place, service=service_of(call.settings.profile))


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
    rows = [_values(user, entry) for user, entry in sent]
    write_rows(_FIELDS, rows, call.settings, as_json=call.arguments.json)
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
