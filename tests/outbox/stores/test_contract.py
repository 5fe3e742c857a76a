"""What all stores promise: one in memory, in a directory and in PostgreSQL alike."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pettui.outbox.entries import Author, Draft, EntryState, EntryStore, OutboxError, Refusal
from pettui.outbox.owners import Census, Owners, ssh_owner
from pettui.outbox.stores.contents import entry_text, parsed_entry
from pettui.outbox.stores.directory import DirectoryEntryStore
from pettui.outbox.stores.directory_owners import DirectoryOwners
from pettui.outbox.stores.memory import MemoryEntryStore
from pettui.outbox.stores.postgres import PostgresOwners
from tests.outbox.scripted import STORE, an_entry

if TYPE_CHECKING:
    from pathlib import Path

AnyOwners = Callable[[str, str], Owners]

ADDRESS = "https://pets.example/v1"
ANN = ssh_owner("SHA256:ann")
SECOND = 1_000_000_000
ODD = "\ud83d\ude00\x00\n \udcff"  # two halves of one character, and more that no text should have
REX = an_entry()
SENDING = REX.becoming(EntryState.SENDING)


@pytest.fixture(params=["memory", "directory", "postgres"])
def any_store(request: pytest.FixtureRequest, tmp_path: Path) -> EntryStore:
    if request.param == "postgres":
        owners: PostgresOwners = request.getfixturevalue("owners_in_postgres")
        return owners.of(ANN).open()
    return MemoryEntryStore() if request.param == "memory" else DirectoryEntryStore(tmp_path)


@pytest.fixture(params=["directory", "postgres"])
def owners_at(request: pytest.FixtureRequest, tmp_path: Path) -> AnyOwners:
    """Return what gives the owners of a profile and an address."""
    if request.param == "directory":
        return lambda profile, address: DirectoryOwners(tmp_path, profile, address)
    database = request.getfixturevalue("owners_in_postgres").database
    return lambda profile, address: PostgresOwners(database, profile, address)


@pytest.fixture
def owners(owners_at: AnyOwners) -> Owners:
    return owners_at("shop", ADDRESS)


# ── one instance ─────────────────────────────────────────────────────────────────────────────────

# As strict as it gets: surrogates too, alone and in pairs.
any_text = st.text(st.characters(exclude_categories=()))


@given(name=any_text, category_id=st.integers(-(2**63), 2**63 - 1), status=st.none() | any_text)
@example(name=ODD, category_id=3, status=None)
def test_an_entry_is_kept_exactly_as_it_was_typed(
    name: str, category_id: int, status: str | None
) -> None:
    entry = an_entry(name, category_id=category_id, status=status, due=1.5)
    assert parsed_entry(entry_text(entry), entry.entry_id) == entry


def test_a_change_keeps_all_that_is_known_of_the_entry(any_store: EntryStore) -> None:
    refusal = Refusal("400 invalid: no such category", "invalid", "no such category", 400)
    author = Author("a\ud800", None, "SHA256:x", "::1", 3)
    sending = replace(SENDING, name=ODD, author=author)
    refused = sending.becoming(EntryState.REFUSED, refusal=refusal)
    any_store.add(sending)
    assert any_store.change(sending, refused)
    assert any_store.load().entries == (refused,)
    any_store.close()


def test_of_two_changes_from_one_state_the_first_is_kept(any_store: EntryStore) -> None:
    any_store.add(REX)
    assert any_store.change(REX, SENDING)
    assert not any_store.take_back(REX, 0)
    assert not any_store.remove(REX)
    assert not any_store.change(REX, REX.becoming(EntryState.REFUSED))
    assert any_store.load().entries == (SENDING,)
    any_store.close()


@pytest.mark.parametrize(
    ("bounds", "names", "after"),
    [((3, 1000), ["a", "b", "c"], "d"), ((9, 10), ["x" * 6], "y" * 5)],
    ids=["entries", "characters"],
)
def test_a_demos_outbox_that_is_full_takes_nothing_until_something_is_forgotten(
    bounds: tuple[int, int], names: list[str], after: str
) -> None:
    store = MemoryEntryStore(*bounds)
    entries = [an_entry(name, number=number) for number, name in enumerate(names)]
    list(store.add_all(entries))
    one_more = an_entry(after, number=len(names))
    with pytest.raises(OutboxError, match="the demo's outbox is full; forget some"):
        store.add(one_more)
    assert store.load().entries == (*entries,)
    store.remove(entries[0])
    store.add(one_more)
    assert store.load().entries == (*entries[1:], one_more)


# ── several, in one place ────────────────────────────────────────────────────────────────────────


def test_what_a_running_instance_has_is_left_alone_and_anothers_once_it_has_ended(
    owners: Owners,
) -> None:
    """What was being sent is unknown then, unless a store adds it once."""
    store, other = owners.of(ANN).open(), owners.of(ANN).open()
    entries = [an_entry(name, number=number) for number, name in enumerate("abc", 1)]
    list(store.add_all(entries))
    for entry, store_id in zip(entries[1:], (None, STORE), strict=True):
        sending = replace(entry.becoming(EntryState.SENDING), store_id=store_id)
        assert store.change(entry, sending)
    store.keep_draft(0, Draft("Mimi", "4"))
    assert [entry.owned_elsewhere for entry in other.load().entries] == [True] * 3
    other.take_over_drafts()
    assert (other.drafts, owners.unattended()) == ({}, [])
    other.close()
    store.close()
    [left] = owners.unattended()
    states = [entry.state.value for entry in left.entries()]
    assert (left.who, states) == (ANN, ["waiting", "unknown", "sending"])
    other = owners.of(ANN).open()
    found = other.load().entries
    other.take_over_drafts()
    assert [(entry.state.value, entry.owned_elsewhere) for entry in found] == [
        (state, False) for state in states
    ]
    assert found[1].error is not None
    assert [*other.drafts.values()] == [Draft("Mimi", "4")]
    assert other.change(found[0], found[0].becoming(EntryState.SENDING))
    assert owners.unattended() == []
    other.close()


def test_what_is_for_a_key_of_the_users_own_is_left_to_nobody_else(owners: Owners) -> None:
    owner = owners.of(ANN)
    with closing(owner.open()) as store:
        store.load()
        store.add(an_entry(own_key="salt:digest"))
    assert (owners.unattended(), owner.summary().has_own_key) == ([], True)
    with closing(owner.open()) as store:
        assert [entry.own_key for entry in store.load().entries] == ["salt:digest"]
        store.add(an_entry("Mimi", number=2))
    assert [left.who for left in owners.unattended()] == [ANN]


def test_whatever_is_typed_and_whoever_types_comes_back(owners: Owners) -> None:
    owner = owners.of(f"ssh {ODD}")
    with closing(owner.open()) as store:
        store.add(an_entry(ODD))
        store.keep_draft(0, Draft(ODD, ODD, ODD))
    [again] = owners.all()
    assert (again.id, [entry.name for entry in again.entries()]) == (owner.id, [ODD])
    with closing(again.open()) as store:
        store.take_over_drafts()
        assert [*store.drafts.values()] == [Draft(ODD, ODD, ODD)]


def test_owners_of_another_profile_or_address_are_others(owners_at: AnyOwners) -> None:
    owners = owners_at("shop", ADDRESS)
    with closing(owners.of(ANN).open()) as store:
        store.add(REX)
    for profile, at in (("shop", "https://other.example/v1"), ("", ADDRESS)):
        others = owners_at(profile, at)
        assert ([*others.all()], others.of(ANN).entries()) == ([], ())
        assert owners.id in [each.id for each in others.neighbours()]


def test_a_login_is_told_what_was_added_meanwhile_once(owners: Owners) -> None:
    owner, other = owners.of(ANN), owners.of(ANN)
    assert owner.log_in("ann", "SHA256:ann") == 0
    owner.record_added(2)
    owner.record_added(1)
    assert other.user() == ("ann", "SHA256:ann")
    assert [other.log_in("Ann B.", None), other.log_in("Ann B.", None)] == [3, 0]
    assert owner.user() == ("Ann B.", "")


def test_one_process_at_a_time_has_the_turn(owners_at: AnyOwners) -> None:
    with owners_at("shop", ADDRESS).turn() as is_seconds:
        with owners_at("shop", ADDRESS).turn() as is_firsts:
            assert [is_firsts(), is_seconds(), is_firsts(), is_seconds()] == [True, False] * 2
        assert is_seconds()


def test_what_people_have_is_counted(owners: Owners) -> None:
    assert owners.census() == Census(0, 0, 0, None)
    entries = {
        "anna": [
            an_entry(number=5 * SECOND),
            an_entry(state=EntryState.ADDED, number=8 * SECOND, pet_id=1),
            an_entry(number=1 * SECOND, own_key="salt:digest"),
        ],
        "ben": [
            an_entry(state=EntryState.UNKNOWN, number=2 * SECOND),
            an_entry(state=EntryState.REFUSED, number=3 * SECOND, refusal=Refusal("no")),
            an_entry(number=6 * SECOND),
        ],
    }
    for name, own in entries.items():
        with closing(owners.of(ssh_owner(f"SHA256:{name}")).open()) as store:
            for entry in own:
                store.add(entry)
            store.keep_draft(0, Draft("Half" if name == "anna" else "", is_kept=name == "ben"))
    assert owners.census() == Census(waiting=3, refused=1, unknown=1, oldest=5.0)
    anna, ben = (each.summary() for each in owners.all())
    assert anna.not_added == {"waiting": 2}
    assert ben.not_added == {"waiting": 1, "refused": 1, "unknown": 1}
    assert (anna.profile, anna.drafts, anna.has_own_key) == ("shop", 1, True)
    assert (ben.drafts, ben.has_own_key) == (0, False)
