"""The store in PostgreSQL: servers that share it, and what each may do once it stood still."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import psycopg
import pytest

from pettui.outbox import (
    Draft,
    Entry,
    EntryState,
    StateDatabase,
    Outbox,
    OutboxError,
    PostgresPeople,
    Refusal,
    ssh_owner,
)
from pettui.outbox.stores import leased_database
from pettui.outbox.stores import postgres as postgres_store
from pettui.system.postgres import checked_address
from tests.lossy_link import lossy_link
from tests.outbox.keeping import STORE
from tests.outbox.scripted import ScriptedClient, an_entry, entry_id_of
from tests.waiting import until

if TYPE_CHECKING:
    from pettui.outbox import EntryStore
    from tests.lossy_link import LossyLink
    from tests.outbox.conftest import MakeOutbox
    from tests.service.private_postgres import PrivatePostgres

Server: TypeAlias = Callable[..., PostgresPeople]

LEASE = 2.0
ANN = ssh_owner("SHA256:ann")
REX = an_entry()
SENDING = REX.becoming(EntryState.SENDING)
LUNA = an_entry("Luna", number=2)
UNKNOWN = EntryState.UNKNOWN


@pytest.fixture
def address(postgres: PrivatePostgres) -> str:
    return checked_address(postgres.new_database("state_of_one_test"))


@pytest.fixture
def server(address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Start servers on one database, as processes are: each has a lease, and looks at once."""
    monkeypatch.setattr(postgres_store, "LOOKED_EVERY", 0.0)
    monkeypatch.setattr(postgres_store, "TURN_ASKED_EVERY", 0.0)
    with ExitStack() as stack:

        def start(at: str = address) -> PostgresPeople:
            database = StateDatabase(at, "1", lease=LEASE)
            stack.callback(database.close)
            database.start()
            return PostgresPeople(database, "shop", "https://pets.example/v1")

        yield start


def store_of(people: PostgresPeople, owner: str = ANN) -> EntryStore:
    return people.of(owner).open()


def ask(address: str, statement: str, *values: object) -> list[tuple[object, ...]]:
    with psycopg.connect(address, autocommit=True) as connection:
        cursor = connection.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def declare_dead(address: str, people: PostgresPeople) -> None:
    """Do what another server does once a lease has ended."""
    ask(
        address,
        "UPDATE pettui_processes SET epoch = epoch + 1, is_alive = false WHERE id = %s",
        people.database.process,
    )
    ask(address, "UPDATE pettui_owners SET version = version + 1")


def test_what_a_server_sends_is_left_alone_while_it_lives_and_unknown_once_it_is_dead(
    server: Server, address: str
) -> None:
    first, second = server(), server()
    store = store_of(first)
    store.add(REX)
    assert store.change(REX, SENDING)
    assert not store_of(second).change(REX, SENDING)
    (entry,) = store_of(second).load().entries
    assert (entry.state, entry.owned_elsewhere) == (EntryState.SENDING, True)
    declare_dead(address, first)
    (entry,) = store_of(second).load().entries
    assert (entry.state, entry.owned_elsewhere) == (EntryState.UNKNOWN, False)
    assert "it may still arrive" in (entry.error or "")


def test_a_server_that_was_taken_for_dead_can_neither_send_nor_take_back_what_it_had(
    server: Server, address: str
) -> None:
    first, second = server(), server()
    store, other = store_of(first), store_of(second)
    store.add(REX)
    store.load()
    declare_dead(address, first)
    assert [entry.waits_here for entry in other.load().entries] == [True]
    assert not store.change(REX, SENDING)
    assert not store.take_back(REX, 0)
    assert not store.remove(REX)
    assert other.change(REX, SENDING)


def test_who_types_at_a_server_that_was_taken_for_dead_sees_nothing_of_it(
    server: Server, address: str
) -> None:
    people = server()
    store = store_of(people)
    store.keep_draft(0, Draft("Rex", "3"))
    declare_dead(address, people)
    store.add(REX, draft=0)
    declare_dead(address, people)
    store.keep_draft(1, Draft("Mi"))
    assert [entry.waits_here for entry in store.load().entries] == [True]
    assert ask(address, "SELECT number FROM pettui_drafts") == [(1,)]


async def test_a_server_that_was_taken_for_dead_goes_on_as_another_one(
    server: Server, address: str
) -> None:
    people = server()
    store = store_of(people)
    store.add(REX)
    before = people.database.process
    declare_dead(address, people)
    await until(lambda: people.database.process not in (0, before))
    assert [entry.waits_here for entry in store.load().entries] == [True]
    assert store.change(REX, SENDING)


async def test_what_became_of_an_animal_is_known_though_another_server_took_it_for_lost(
    server: Server, address: str
) -> None:
    first, second = server(), server()
    store, other = store_of(first), store_of(second)
    store.add(REX)
    store.change(REX, SENDING)
    began = first.database.process
    declare_dead(address, first)
    (unknown,) = other.load().entries
    assert unknown.state is EntryState.UNKNOWN
    await until(lambda: first.database.process not in (0, began))  # it renews, and finds out
    assert store.change(SENDING, SENDING.becoming(EntryState.ADDED, pet_id=7))
    (added,) = other.load().entries
    assert (added.state, added.pet_id) == (EntryState.ADDED, 7)


async def test_what_a_store_adds_once_is_sent_on_by_the_server_that_takes_it_over(
    server: Server, address: str
) -> None:
    """And what became of it is known, though the first one finds that out later."""
    first, second = server(), server()
    store, other = store_of(first), store_of(second)
    sending = replace(SENDING, name='", "store_id": "', store_id=STORE)
    plain = replace(SENDING, entry_id=entry_id_of(2), name='"store_id": "')
    for entry in (sending, plain):
        waiting = entry.becoming(EntryState.WAITING)
        store.add(waiting)
        assert store.change(waiting, entry)
    began = first.database.process
    declare_dead(address, first)
    assert [left.id for left in second.unattended()] == [ANN]
    again, unknown = other.load().entries
    assert (again, unknown.state) == (sending, EntryState.UNKNOWN)
    assert other.change(again, again.unanswered(Refusal("cut")))
    await until(lambda: first.database.process not in (0, began))
    assert not store.change(sending, sending.unanswered(Refusal("cut, too")))
    assert store.change(sending, sending.becoming(EntryState.ADDED, pet_id=7))
    assert [entry.pet_id for entry in other.load().entries] == [7, None]


async def test_a_lease_that_is_not_renewed_ends_by_the_databases_clock(
    server: Server, address: str
) -> None:
    first, second = server(), server()
    store_of(first).add(REX)
    first.database._keeping.cancel()  # it stands still
    await until(lambda: first.database.lease_left <= 0)
    other = store_of(second)
    await until(lambda: [entry.waits_here for entry in other.load().entries] == [True])


def test_a_lease_ends_soon_after_the_databases_clock_was_set_back(
    server: Server, address: str
) -> None:
    first, second = server(), server()
    first.database._keeping.cancel()  # it has died
    hour = "UPDATE pettui_processes SET lease = lease + interval '1 hour' WHERE id = %s"
    ask(address, hour, first.database.process)
    second.database.renew()
    seconds = "SELECT max(lease - clock_timestamp()) <= interval '2 s' FROM pettui_processes"
    assert ask(address, seconds) == [(True,)]


async def test_drafts_of_a_server_that_dies_later_come_to_who_is_elsewhere_already(
    server: Server, address: str, make_outbox: MakeOutbox
) -> None:
    first, second = server(), server()
    store_of(first).keep_draft(0, Draft("Mimi", "4"))
    outbox: Outbox = make_outbox(store_of(second))
    await until(lambda: outbox.drafts.are_loaded)
    await outbox.drafts.keep(Draft("Rex"))
    declare_dead(address, first)
    await until(lambda: [draft.name for draft in outbox.drafts.put_aside] == ["Mimi"])
    assert outbox.drafts.draft.name == "Rex"


async def test_a_draft_that_is_taken_over_is_not_replaced_by_what_is_typed_just_then(
    server: Server, address: str, make_outbox: MakeOutbox
) -> None:
    first, second = server(), server()
    left = store_of(first)
    left.keep_draft(0, Draft("Mimi", "4"))
    left.close()
    store = store_of(second)
    drafts = make_outbox(store, look_every=math.inf).drafts
    await until(lambda: drafts.are_loaded)
    store_of(first).keep_draft(0, Draft("Castor"))
    await drafts.keep(Draft("Rex"))
    await drafts.put_aside_for()
    first.database.close()
    drafts._put(Draft("Pollux"))  # and is written a moment later
    await drafts.load_late()
    await drafts.write()
    names = {"Castor", "Mimi", "Pollux", "Rex"}
    assert {draft.name for draft in drafts.all} == names
    assert {draft.name for draft in store.drafts.values()} == names


async def test_drafts_are_taken_over_though_the_result_was_lost(
    server: Server, postgres: PrivatePostgres
) -> None:
    first = server()
    store_of(first).keep_draft(0, Draft("Mimi"))
    first.database.close()
    with lossy_link(postgres.directory) as link:
        people = server(link_address(postgres, link.directory))
        store = store_of(people)
        store.load()
        with link.losing_one_response(), pytest.raises(OutboxError, match="is away"):
            store.take_over_drafts()
        await until(lambda: people.database.why_away is None)
        store.load()
        assert store.has_abandoned_drafts
        store.take_over_drafts()
        store.load()
        assert [draft.name for draft in store.drafts.values()] == ["Mimi"]
        assert not store.has_abandoned_drafts


def test_a_damaged_draft_is_a_problem_and_keeps_no_other_from_coming(
    server: Server, address: str
) -> None:
    people = server()
    for name in ("Rex", "Mimi"):
        left = store_of(people)
        left.keep_draft(0, Draft(name))
        left.close()
        if name == "Rex":
            ask(address, "UPDATE pettui_drafts SET content = 'x'")
            store = store_of(server())
            store.take_over_drafts()
    assert store.load().problems == ("draft 1000000: it is not JSON",)
    store.take_over_drafts()
    assert [draft.name for draft in store.drafts.values()] == ["Mimi"]


async def test_a_database_that_refuses_to_renew_the_lease_is_said_to_be_away(address: str) -> None:
    told: list[tuple[str, str]] = []
    database = StateDatabase(address, told=lambda *said: told.append(said), lease=LEASE)
    database.start()
    ask(
        address,
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$"
        " BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$;"
        " CREATE TRIGGER refuse BEFORE UPDATE ON pettui_processes EXECUTE FUNCTION refuse()",
    )
    await until(lambda: told)
    ask(address, "DROP TRIGGER refuse ON pettui_processes")
    await until(lambda: len(told) > 1)
    database.close()
    assert told == [("state away", "No space left on device"), ("state available", "")]


async def test_a_bug_in_what_renews_the_lease_is_reported_and_it_goes_on(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leased_database, "LONGEST_RETRY", 0.01)
    bugs: list[Exception] = []
    database = StateDatabase(address, report=bugs.append, lease=LEASE)
    renew = database._renew
    failures = [ValueError("a bug")]

    async def fail_once() -> None:
        if failures:
            raise failures.pop()
        await renew()

    monkeypatch.setattr(database, "_renew", fail_once)
    database.start()
    await until(lambda: bugs)
    before = database._lease_end
    await until(lambda: database._lease_end > before)
    database.close()


def test_what_a_session_leaves_is_free_at_once_for_another_server(server: Server) -> None:
    first, second = server(), server()
    store = store_of(first)
    store.add(REX)
    store.keep_draft(0, Draft("Mimi", "4"))
    other = store_of(second)
    other.take_over_drafts()
    assert (other.drafts, second.unattended()) == ({}, [])
    store.close()
    assert [owner.id for owner in second.unattended()] == [ANN]
    assert [entry.waits_here for entry in other.load().entries] == [True]
    other.take_over_drafts()
    assert [draft.name for draft in other.drafts.values()] == ["Mimi"]
    assert second.unattended() == []


async def test_what_a_session_leaves_while_the_database_is_away_is_free_once_it_is_back(
    server: Server, postgres: PrivatePostgres
) -> None:
    first = server()
    store = store_of(first)
    store.add(REX)
    store.keep_draft(0, Draft("Mimi", "4"))
    with postgres.away():
        store.close()
    await until(lambda: first.database.why_away is None)
    with first.turn() as is_ours:
        assert is_ours()
    other = store_of(server())
    other.take_over_drafts()
    assert [draft.name for draft in other.drafts.values()] == ["Mimi"]
    assert [entry.waits_here for entry in other.load().entries] == [True]


def test_two_sessions_of_one_process_do_not_take_each_others_work(server: Server) -> None:
    people = server()
    first, second = store_of(people), store_of(people)
    first.add(REX)
    first.keep_draft(0, Draft("Mimi"))
    second.take_over_drafts()
    assert (second.drafts, [entry.waits_here for entry in second.load().entries]) == ({}, [False])
    assert not second.change(REX, SENDING)
    first.close()
    assert [entry.waits_here for entry in second.load().entries] == [True]


async def test_two_sessions_of_one_user_keep_their_work_though_their_process_begins_anew(
    server: Server, address: str
) -> None:
    people = server()
    first, second = store_of(people), store_of(people)
    first.add(REX)
    second.add(LUNA)
    second.change(LUNA, LUNA.becoming(EntryState.SENDING))
    first.keep_draft(0, Draft("Mi"))
    second.keep_draft(0, Draft("Mimi"))
    before = people.database.process
    declare_dead(address, people)
    await until(lambda: people.database.process not in (0, before))
    new = store_of(people)
    new.take_over_drafts()  # as a third session does when it begins
    assert new.drafts == {}
    # Whoever looks first has the entries, and what another one was sending is unknown …
    found = {entry.name: entry for entry in first.load().entries}
    assert [found[name].state for name in ("Rex", "Luna")] == [EntryState.WAITING, UNKNOWN]
    assert all(entry.owned_elsewhere for entry in second.load().entries)
    assert not first.has_abandoned_drafts
    # … until the session that sent it knows; and only one of them sends the other.
    added = LUNA.becoming(EntryState.ADDED, pet_id=7)
    assert second.change(LUNA.becoming(EntryState.SENDING), added)
    assert not second.change(REX, SENDING)
    assert first.change(REX, SENDING)
    assert {entry.state for entry in first.load().entries} == {EntryState.ADDED, EntryState.SENDING}
    # Drafts stay in the form in which they were typed, and are left when that ends.
    second.close()
    first.take_over_drafts()
    assert [draft.name for draft in first.drafts.values()] == ["Mi", "Mimi"]


def test_who_has_the_turn_and_a_lease_asks_for_neither(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    execute = psycopg.AsyncConnection.execute

    async def counted(connection: Any, statement: str, *values: Any) -> Any:
        asked.append(statement)
        return await execute(connection, statement, *values)

    database = StateDatabase(address, "1")
    database.start()
    with closing(database), PostgresPeople(database).turn() as is_ours:
        assert is_ours()
        monkeypatch.setattr(psycopg.AsyncConnection, "execute", counted)
        assert all(is_ours() for _ in range(9))
        database.renew()
        monkeypatch.undo()
    renewal = "UPDATE pettui_processes SET lease"  # by itself, too, if it was time for that
    assert {" ".join(each.split()[:4]) for each in asked} == {renewal}


def test_a_server_that_ends_leaves_all_it_had_at_once(server: Server) -> None:
    first, second = server(), server()
    store_of(first).add(REX)
    first.database.close()
    assert [entry.waits_here for entry in store_of(second).load().entries] == [True]


async def test_after_a_restart_of_the_database_a_server_has_what_it_had(
    server: Server, postgres: PrivatePostgres
) -> None:
    people = server()
    store = store_of(people)
    store.add(REX)
    process, epoch = people.database.process, people.database.epoch
    with postgres.away():
        with pytest.raises(OutboxError, match="is away"):
            store.change(REX, SENDING)
        assert people.database.why_away
    await until(lambda: people.database.why_away is None)
    assert (people.database.process, people.database.epoch) == (process, epoch + 1)
    assert [entry.waits_here for entry in store.load().entries] == [True]
    assert store.change(REX, SENDING)


def store_that_lost_a_response(people: PostgresPeople, link: LossyLink) -> EntryStore:
    """A store that said of an animal that it is not kept, since no response came."""
    store = store_of(people)
    store.keep_draft(0, Draft("Rex", "3"))
    with link.losing_one_response(), pytest.raises(OutboxError, match="is away"):
        store.add(REX, draft=0)
    return store


async def test_an_animal_of_which_it_was_said_that_it_is_not_kept_does_not_appear_later(
    server: Server, postgres: PrivatePostgres
) -> None:
    with lossy_link(postgres.directory) as link:
        people = server(link_address(postgres, link.directory))
        store = store_that_lost_a_response(people, link)
        await until(lambda: people.database.why_away is None)
        assert store.load().entries == ()
        store.close()
        other = store_of(people)
        other.take_over_drafts()
        assert [draft.name for draft in other.drafts.values()] == ["Rex"]


async def test_a_session_that_ends_before_that_is_undone_leaves_what_was_typed_as_a_draft(
    server: Server, postgres: PrivatePostgres
) -> None:
    with lossy_link(postgres.directory) as link:
        people = server(link_address(postgres, link.directory))
        store = store_that_lost_a_response(people, link)
        store.close()
        await until(lambda: people.database.why_away is None)
        assert people.unattended() == []
        other = store_of(server())
        other.take_over_drafts()
        assert [draft.name for draft in other.drafts.values()] == ["Rex"]


async def test_a_statement_that_comes_late_changes_nothing(
    server: Server, postgres: PrivatePostgres, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database stood still, was given up, and carries out what it got before, afterwards."""
    with lossy_link(postgres.directory) as link:
        people = server(link_address(postgres, link.directory))
        store = store_of(people)
        store.load()
        monkeypatch.setattr(leased_database, "STATEMENT", 1.0)
        backend = people.database.execute("SELECT pg_backend_pid()")[0][0]
        with psycopg.connect(address) as holder:  # whose lock keeps it waiting, as a stop would
            holder.execute("LOCK TABLE pettui_entries IN ACCESS EXCLUSIVE MODE")
            people.database.execute("SET statement_timeout = 0")
            with pytest.raises(OutboxError, match="is away"):
                store.add(REX)
        await until(lambda: people.database.why_away is None)
        assert people.database.execute("SELECT pg_backend_pid()")[0][0] != backend
        assert store.load().entries == ()


async def test_what_was_kept_after_all_and_is_another_servers_by_then_is_said_so(
    server: Server, postgres: PrivatePostgres, address: str
) -> None:
    second = server()
    with lossy_link(postgres.directory) as link:
        first = server(link_address(postgres, link.directory))
        store = store_of(first)
        store.load()
        with link.losing_one_response(), pytest.raises(OutboxError, match="is away"):
            store.add(REX)
        declare_dead(address, first)
        assert [entry.name for entry in store_of(second).load().entries] == ["Rex"]
        await until(lambda: first.database.why_away is None)
        with pytest.raises(OutboxError, match="was kept after all"):
            store.add(an_entry(number=2))
        store.add(an_entry("Another", number=3))
        assert sorted(entry.name for entry in store.load().entries) == ["Another", "Rex"]


def test_one_process_at_a_time_has_the_turn(server: Server) -> None:
    first, second = server(), server()
    with first.turn() as is_firsts, second.turn() as is_seconds:
        assert [is_firsts(), is_seconds(), is_firsts(), is_seconds()] == [True, False] * 2
        first.database.close()
        assert is_seconds()


async def test_the_turn_stays_with_a_process_after_a_restart_of_the_database(
    server: Server, postgres: PrivatePostgres
) -> None:
    first, second = server(), server()
    with first.turn() as is_firsts, second.turn() as is_seconds:
        assert is_firsts()
        with postgres.away(), pytest.raises(OutboxError):
            first.unattended()
        await until(lambda: first.database.why_away is None)
        second.database.close()
        second.database = server().database
        assert (is_seconds(), is_firsts()) == (False, True)


def test_a_login_is_told_what_was_added_meanwhile_once(server: Server) -> None:
    owner = server().of(ANN)
    assert owner.log_in("ann", "SHA256:ann") == 0
    owner.record_added(2)
    owner.record_added(1)
    other = server().of(ANN)
    assert other.user() == ("ann", "SHA256:ann")
    assert [other.log_in("Ann B.", None), other.log_in("Ann B.", None)] == [3, 0]
    assert owner.user() == ("Ann B.", "")


def test_what_is_for_a_key_of_the_users_own_is_left_to_nobody_else(server: Server) -> None:
    first, second = server(), server()
    store = store_of(first)
    store.load()
    store.add(an_entry(own_key="salt:digest"))
    store.close()
    assert (second.unattended(), second.of(ANN).summary().has_own_key) == ([], True)
    store = store_of(second)
    assert [entry.own_key for entry in store.load().entries] == ["salt:digest"]
    store.add(an_entry("Mimi", number=2))
    store.close()
    assert [left.id for left in first.unattended()] == [ANN]


def test_what_an_earlier_version_marked_is_for_a_key_that_nobody_knows(server: Server) -> None:
    """It says so of the owner: what its session leaves is for a key of the user's own."""
    people = server()
    store = store_of(people)
    store.load()
    store.add(an_entry("Rex \udcff"))
    store.add(an_entry("Mimi", EntryState.ADDED, 2, pet_id=7))
    mark = "UPDATE pettui_owners SET own_key_process = 1, own_key_epoch = 0 RETURNING 1"
    people.database.execute(mark)
    store.close()
    [owner] = people.unattended()
    store = owner.open()
    assert [entry.own_key for entry in store.load().entries] == ["", None]
    store.add(an_entry("Tiny", number=3))
    store.close()
    store = people.of(ANN).open()
    entries = store.load().entries
    assert [(entry.name, entry.own_key) for entry in entries] == [
        ("Rex \udcff", ""),
        ("Mimi", None),
        ("Tiny", None),
    ]
    store.close()


def test_whatever_is_typed_and_whoever_types_comes_back(server: Server) -> None:
    name = "\ud83d\ude00\x00\n \udcff"
    people = server()
    owner = people.of(f"ssh {name}")
    store = owner.open()
    store.add(an_entry(name))
    store.keep_draft(0, Draft(name, name, name))
    [again] = people.owners()
    assert (again.id, [entry.name for entry in again.entries()]) == (f"ssh {name}", [name])
    store.close()
    store = again.open()
    store.take_over_drafts()
    assert [*store.drafts.values()] == [Draft(name, name, name)]


def test_people_of_another_profile_or_address_are_others(server: Server) -> None:
    people = server()
    store_of(people).add(REX)
    for profile, at in (("shop", "https://other.example/v1"), ("", "https://pets.example/v1")):
        others = PostgresPeople(people.database, profile, at)
        assert (others.owners(), others.of(ANN).entries()) == ([], ())


def test_a_summary_says_what_there_is_and_takes_nothing(server: Server) -> None:
    first, second = server(), server()
    store = store_of(first)
    store.add(REX)
    store.add(an_entry("Mi", EntryState.REFUSED, 2))
    store.keep_draft(0, Draft("Ti"))
    summary = second.of(ANN).summary()
    assert (summary.entries, summary.drafts) == ({"refused": 1, "waiting": 1}, 1)
    assert (summary.profile, summary.on_the_way, summary.has_own_key) == ("shop", 1, False)


async def test_an_outbox_sends_from_it_and_none_without_a_lease(
    server: Server, make_outbox: MakeOutbox, client: ScriptedClient, address: str
) -> None:
    people = server()
    outbox: Outbox = make_outbox(store_of(people), delay=0.0)
    await outbox.opened()
    await outbox.add("Rex", 3, None)
    await until(lambda: [entry.state for entry in outbox.entries] == [EntryState.ADDED])
    people.database._keeping.cancel()
    await until(lambda: people.database.lease_left <= 0)
    await outbox.add("Mi", 3, None)
    await until(lambda: outbox.sending.waiting_for)
    await until(lambda: outbox.entries[-1].state is EntryState.WAITING)
    assert [pet.name for pet in client.sent] == ["Rex"]


async def test_a_request_ends_before_the_lease_and_what_it_sent_may_still_arrive(
    server: Server, make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    people = server()
    outbox: Outbox = make_outbox(store_of(people), delay=0.0)
    await outbox.opened()
    client.may_respond.clear()
    await outbox.add("Rex", 3, None)
    await until(lambda: client.out)
    people.database._keeping.cancel()

    def unknown() -> list[Entry]:
        return [entry for entry in outbox.entries if entry.state is EntryState.UNKNOWN]

    await until(unknown)
    assert client.out == 0
    assert "may still arrive" in (unknown()[0].error or "")


def test_three_hundred_people_at_rest_cost_one_look_for_all(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_store, "LOOKED_EVERY", 3600.0)
    people = server()
    stores = [store_of(people, ssh_owner(f"SHA256:{number}")) for number in range(300)]
    for store in stores:
        store.load()
    people.database.close()
    for store in stores:  # without a statement
        assert store.load().entries == ()


def link_address(postgres: PrivatePostgres, directory: object) -> str:
    return checked_address(
        postgres.address("state_of_one_test").replace(str(postgres.directory), str(directory))
    )
