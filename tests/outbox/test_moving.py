"""What belongs to an owner goes to another place whole, whenever whoever moves it dies."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path  # noqa: TC003 - a program of this module uses it
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pettui.models.pets import Pet
from pettui.outbox.entries import Draft, EntryState, Refusal
from pettui.outbox.moving import Moved, join, move
from pettui.outbox.outbox import Outbox
from pettui.outbox.owners import LOCAL, ssh_owner
from pettui.outbox.receipts import Added, Source, today
from pettui.outbox.stores.directory_owners import DirectoryOwners
from pettui.outbox.stores.postgres import PostgresOwners
from tests.exhaustive import WHOLE
from tests.outbox.scripted import OTHER_STORE, STORE, KeepingClient, an_entry, states
from tests.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pettui.outbox.entries import Entry
    from pettui.outbox.owners import Owner, Owners
    from tests.outbox.conftest import MakeOutbox

    Places = tuple[Owners, Owners]

ANN = ssh_owner("SHA256:ann")
OLD, NEW = "http://old.example/v1", "https://new.example/v1"
PLACE = "the new place"
WAITING, SENDING, ADDED = EntryState.WAITING, EntryState.SENDING, EntryState.ADDED
REFUSED, UNKNOWN = EntryState.REFUSED, EntryState.UNKNOWN
NO = Refusal("no")
ENTRIES = (
    an_entry("Added", ADDED, 1, pet_id=7),
    an_entry("Refused", REFUSED, 2, refusal=NO),
    an_entry("Lost", UNKNOWN, 3, refusal=NO, unanswered_by=STORE),
    an_entry("Own", number=4, own_key="a salt:a digest"),
    an_entry("Sent", SENDING, 5, store_id=STORE, refusal=NO),
    an_entry("Due", number=6),
)
DRAFT = Draft("Half", "3", typed_at=12.5)


def leave(owner: Owner) -> None:
    """Leave what a session has that ends."""
    with closing(owner.open()) as store:
        for entry in ENTRIES:
            store.add(replace(entry, service=OLD))
        store.keep_draft(0, Draft("", "9", is_kept=True))
        store.keep_draft(1, DRAFT)


class Fresh:
    """An owner as each command and each session makes one anew."""

    def __init__(self, owners: Owners, owner: str = ANN) -> None:
        self._owners, self._owner = owners, owner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._owners.of(self._owner), name)


class Found(NamedTuple):
    """What an outbox shows that opens a place, and what the form could bring back."""

    entries: list[Entry]
    drafts: list[Draft]


def found(owner: Owner) -> Found:
    with closing(owner.open()) as store:
        store.take_over_drafts()
        drafts = [draft for draft in store.drafts.values() if draft.is_typed]
        return Found([each for each in store.load().entries if not each.is_moving], drafts)


def check_moved(old: Owner, new: Owner) -> None:
    """All is in the new place as it was, and nothing in the old one."""
    assert found(old) == ([], [])
    assert old.summary().drafts == 0
    assert [*old.entries()] == []
    entries, drafts = found(new)
    assert entries == [replace(each, service=NEW) for each in ENTRIES]
    assert (drafts, drafts[0].typed_at) == ([DRAFT], DRAFT.typed_at)


@pytest.fixture(params=["directory", "to postgres", "from postgres", "postgres"])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> Places:
    """The owners of a profile in the place where they were, and in the one where they will be."""
    kinds = request.param.split()
    old = DirectoryOwners(tmp_path / "state", "shop", OLD)
    new = DirectoryOwners(tmp_path / "state", "shop", NEW)
    if "postgres" not in kinds:
        return old, new
    server: PostgresOwners = request.getfixturevalue("owners_in_postgres")
    there = PostgresOwners(server.database, "shop", OLD if "from" in kinds else NEW)
    if "from" in kinds:
        return there, new
    return (old if "to" in kinds else PostgresOwners(server.database, "shop", OLD)), there


CHANGES = ("add", "add_all", "change", "remove", "keep_draft")


def move_whole(old: Owner, new: Owner) -> Moved:
    """Move all: a session in a database that has just ended may still have something."""
    whole = move(old, new, PLACE, service=NEW)
    deadline = time.monotonic() + PATIENCE
    while (whole.left or old.summary().drafts) and time.monotonic() < deadline:
        more = move(old, new, PLACE, service=NEW)
        whole = Moved(whole.animals + more.animals, whole.drafts + more.drafts, more.left)
    return whole


class Died(BaseException):
    """The process is killed."""


class Dying:
    """An owner, or the store of one: at one of all changes the process dies before it."""

    def __init__(
        self, real: Any, before: Callable[[], None], changes: Collection[str] = CHANGES
    ) -> None:
        self._real, self._before, self._changes = real, before, changes

    def __getattr__(self, name: str) -> Any:
        if name in self._changes:
            self._before()
        return getattr(self._real, name)

    def open(self) -> Dying:
        return Dying(self._real.open(), self._before, self._changes)


def dying_at(number: int) -> Callable[[], None]:
    changes = count(1)

    def before() -> None:
        if next(changes) == number:
            raise Died

    return before


def test_whenever_it_dies_between_two_changes_it_is_there_once_and_a_second_run_ends_it(
    places: Places,
) -> None:
    is_quick = all(isinstance(each, DirectoryOwners) for each in places)
    for number in count(1, 1 if WHOLE else 3 if is_quick else 8):
        old, new = (Fresh(owners, ssh_owner(f"SHA256:{number}")) for owners in places)
        leave(old)
        before = dying_at(number)
        try:
            move(Dying(old, before), Dying(new, before), PLACE, service=NEW)
        except Died:
            ids = [entry.entry_id for each in (old, new) for entry in found(each).entries]
            twice = {each for each in ids if ids.count(each) > 1}
            assert twice <= {ENTRIES[0].entry_id}, number  # a record: nobody sends it
            move_whole(old, new)
            check_moved(old, new)
        else:
            check_moved(old, new)
            break
    assert number > 25


def owners_in(directory: Path) -> list[Owner]:
    return [DirectoryOwners(directory, "shop", address).of(ANN) for address in (OLD, NEW)]


def test_what_was_sent_and_forgotten_meanwhile_does_not_come_again(places: Places) -> None:
    """A second run finds that it was kept there once."""
    old, new = map(Fresh, places)
    with closing(old.open()) as store:
        store.add(an_entry())
    with pytest.raises(Died):  # before anything is removed where it was
        move(Dying(old, dying_at(1), ["remove"]), new, PLACE)
    with closing(new.open()) as store:
        [entry] = store.load().entries
        assert store.remove(entry)
    move_whole(old, new)
    assert (found(old), found(new)) == (([], []), ([], []))


async def test_an_outbox_does_not_send_what_is_on_its_way(
    make_outbox: MakeOutbox, client: KeepingClient, tmp_path: Path
) -> None:
    owner = DirectoryOwners(tmp_path, "shop", OLD).of(ANN)
    with closing(owner.open()) as store:
        store.add(replace(an_entry("Going"), moving_to=PLACE))
        store.add(an_entry("Staying", number=2))
    outbox = make_outbox(owner.open())
    await until(lambda: states(outbox) == ["Staying added"])
    assert [pet.name for pet in client.sent] == ["Staying"]


async def open_outbox(owner: Owner, client: KeepingClient) -> Outbox:
    outbox = Outbox(owner.open(), client, delay=0, look_every=0.01)
    outbox.start()
    await outbox.opened()
    return outbox


@pytest.mark.parametrize("store", [STORE, OTHER_STORE])
async def test_what_may_be_out_is_sent_again_to_its_store_alone(tmp_path: Path, store: str) -> None:
    old, new = owners_in(tmp_path)
    leave(old)
    move(old, new, PLACE, service=NEW)
    client = KeepingClient(store)
    outbox = await open_outbox(new, client)
    await until(lambda: "Due added" in states(outbox))
    became = dict(each.rsplit(" ", 1) for each in states(outbox))
    assert became["Lost"] == "unknown"
    if store == STORE:
        await until(lambda: "Sent added" in states(outbox))
    else:
        await until(lambda: any(e.name == "Sent" and "store" in e.error for e in outbox.entries))
        assert "Sent" not in client.names
    assert became["Own"] == "waiting"
    await outbox.close()


def test_what_a_running_instance_has_open_stays(places: Places) -> None:
    old, new = map(Fresh, places)
    leave(old)
    with closing(places[0].of(ANN).open()) as session:
        typed = an_entry("Typed", number=9)
        session.add(typed)
        session.keep_draft(0, Draft("Form", "1"))
        moved = move(old, new, PLACE, service=NEW)
        assert moved == Moved(animals=5, drafts=1, left=1)
    assert move_whole(old, new) == Moved(animals=1, drafts=1, left=0)
    assert found(new).entries[-1] == replace(typed, service=NEW)


def test_what_was_added_is_in_the_receipts_of_the_new_place(places: Places) -> None:
    old, new = map(Fresh, places)
    for owner, number in ((old, 1), (old, 2), (new, 2), (new, 3)):
        pet = Pet(id=number, name=f"pet {number}", category_id=3, status=None)
        owner.receipts().record(Added.of(str(number), Source.FORM, pet))
    old.log_in("ann@till", "SHA256:ann")
    old.record_added(4)
    move(old, new, PLACE)
    assert [each.key for each in new.receipts().of(today()).added] == ["1", "2", "3"]
    assert [*old.receipts().days()] == []
    assert new.user() == ("ann@till", "SHA256:ann")
    assert new.log_in("ann@phone", "SHA256:ann") == 4
    move(old, new, PLACE)
    assert new.user() == ("ann@phone", "SHA256:ann")


def test_of_a_very_full_day_the_counts_go_too(tmp_path: Path) -> None:
    old, new = owners_in(tmp_path)
    old.receipts().record(Added.of("1", Source.FORM, Pet(id=1, name="Rex", category_id=3)))
    [path] = (tmp_path / "outbox").glob("*/*/receipts/*.jsonl")
    path.write_bytes(path.read_bytes() + b'\n{"counted": [[3, null, 40], [4, "sold", 2]]}')
    before = old.receipts().of(today()).counts
    move(old, new, PLACE)
    assert new.receipts().of(today()).counts == before


# Accounts


@pytest.fixture(params=["directory", "postgres"])
def owners(request: pytest.FixtureRequest, tmp_path: Path) -> Owners:
    if request.param == "postgres":
        return request.getfixturevalue("owners_in_postgres")
    return DirectoryOwners(tmp_path, "shop", OLD)


def test_what_a_key_had_joins_its_account(owners: Owners) -> None:
    leave(owners.of(ANN))
    account = Fresh(owners, ssh_owner(None, "anna"))
    with closing(account.open()) as store:
        store.add(an_entry("There", number=8))
    moved = join(owners, ["SHA256:ann", "SHA256:new"], "anna")
    assert moved == {"SHA256:ann": Moved(animals=5, drafts=1, left=0)}
    entries, drafts = found(account)
    assert [each.name for each in entries] == [*(each.name for each in ENTRIES), "There"]
    assert drafts == [DRAFT]
    assert {each.service for each in entries} == {OLD, None}
    assert join(owners, ["SHA256:ann", "SHA256:new"], "anna") == {}


def test_an_account_is_nobody_elses_whatever_it_is_called(owners: Owners) -> None:
    for account in (LOCAL, "anybody", "SHA256:ann", "Anna", "anna", "../x"):
        owner = owners.of(ssh_owner(None, account))
        with closing(owner.open()) as store:
            store.add(an_entry(account))
        owner.log_in(account, "SHA256:key")
    by_name = {each.user()[0]: each for each in owners.all()}
    assert len(by_name) == 6
    assert all(found(owner).entries[0].name == name for name, owner in by_name.items())
    assert {each.who for each in by_name.values()} == {ssh_owner(None, name) for name in by_name}
    assert found(owners.of(ANN)).entries == []


def test_what_an_outbox_of_a_long_name_is_called_is_recorded(tmp_path: Path) -> None:
    owners = DirectoryOwners(tmp_path, "shop", OLD)
    key = ssh_owner("SHA256:" + "A" * 43)
    owners.of(key).log_in("ann@till", "SHA256:" + "A" * 43)
    name = ssh_owner(None, "Ä" * 80)
    owners.of(name).log_in("Ä" * 80, "SHA256:ann")
    assert {owner.who for owner in owners.all()} == {key, name}
