"""The store in PostgreSQL: servers that share it, and what each may do once it stood still."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import psycopg
import pytest

from pettui.outbox.entries import Draft, Entry, EntryState, OutboxError, Refusal
from pettui.outbox.outbox import Outbox
from pettui.outbox.owners import ssh_owner
from pettui.outbox.stores import postgres as postgres_store
from pettui.outbox.stores import postgres_connections as connections
from pettui.outbox.stores.contents import draft_text, entry_text
from pettui.outbox.stores.postgres import PostgresEntryStore, PostgresOwners
from pettui.outbox.stores.postgres_connections import StateDatabase, prepared
from pettui.outbox.stores.postgres_schema import StateSchemaError
from pettui.system.postgres import checked_address
from tests.lossy_link import LossyLink, lossy_link
from tests.outbox.scripted import STORE, ScriptedClient, an_entry, entry_id_of
from tests.waiting import until

if TYPE_CHECKING:
    from tests.outbox.conftest import MakeOutbox
    from tests.service.private_postgres import PrivatePostgres

Server: TypeAlias = Callable[..., PostgresOwners]

HELD = 2.0
ANN = ssh_owner("SHA256:ann")
REX = an_entry()
SENDING = REX.becoming(EntryState.SENDING)
KEYED = replace(SENDING, store_id=STORE)
LUNA = an_entry("Luna", number=2)
UNKNOWN = EntryState.UNKNOWN
REFUSE = (
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
    " RAISE EXCEPTION 'could not extend file \"base/1/2\": No space left on device'"
    " USING ERRCODE = '53100'; END $$;"
    " CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON pettui_entries EXECUTE FUNCTION refuse()"
)


@pytest.fixture
def address(postgres: PrivatePostgres) -> str:
    return checked_address(postgres.new_database("state_of_one_test"))


@pytest.fixture
def server(address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Start servers on one database, as processes are: what each holds ends soon."""
    monkeypatch.setattr(connections, "HELD", HELD)
    monkeypatch.setattr(
        postgres_store.PostgresEntryStore, "_is_as_seen", lambda _store, _owner: False
    )
    with ExitStack() as stack:

        def start(at: str = address, **options: object) -> PostgresOwners:
            database = StateDatabase(at, "1", **options)  # type: ignore[arg-type]
            stack.callback(database.close)
            database.start()
            return PostgresOwners(database, "shop", "https://pets.example/v1")

        yield start


def store_of(owners: PostgresOwners, owner: str = ANN) -> PostgresEntryStore:
    return owners.of(owner).open()


def ask(address: str, statement: str, *values: object) -> list[tuple[object, ...]]:
    with psycopg.connect(address, autocommit=True) as connection:
        cursor = connection.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def let_end(address: str) -> None:
    """Let all end that sessions hold, as time does once they stand still."""
    for table in ("sessions", "entries", "turns"):
        ask(address, f"UPDATE pettui_{table} SET until = clock_timestamp()")


def stand_still(owners: PostgresOwners) -> None:
    """Have a server look after nothing any more, as one that was stopped."""
    database = owners.database
    assert database._keeping is not None
    database._loop.call_soon_threadsafe(database._keeping.cancel)


def test_a_server_whose_animal_another_one_took_can_neither_send_nor_take_it_back(
    server: Server, address: str
) -> None:
    first, second = server(), server()
    store, other = store_of(first), store_of(second)
    store.add(REX)
    store.load()
    assert [entry.owned_elsewhere for entry in other.load().entries] == [True]
    let_end(address)
    assert [entry.waits_here for entry in other.load().entries] == [True]
    assert other.change(REX, SENDING)
    assert not store.change(REX, SENDING)
    assert not store.take_back(REX, 0)
    assert not store.remove(REX)


def test_who_types_at_a_server_that_stood_still_sees_nothing_of_it(
    server: Server, address: str
) -> None:
    store = store_of(server())
    store.keep_draft(0, Draft("Rex", "3"))
    ask(address, "DELETE FROM pettui_sessions")
    store.add(REX, draft=0)
    let_end(address)
    store.keep_draft(1, Draft("Mi"))
    assert [entry.waits_here for entry in store.load().entries] == [True]
    assert ask(address, "SELECT count(*) FROM pettui_drafts") == [(1,)]


def test_what_became_of_an_animal_is_known_though_another_server_took_it_for_lost(
    server: Server, address: str
) -> None:
    first, second = server(), server()
    store, other = store_of(first), store_of(second)
    store.add(REX)
    store.change(REX, SENDING)
    let_end(address)
    (unknown,) = other.load().entries
    assert unknown.state is UNKNOWN
    assert store.change(SENDING, SENDING.becoming(EntryState.ADDED, pet_id=7))
    (added,) = other.load().entries
    assert (added.state, added.pet_id) == (EntryState.ADDED, 7)


def test_what_a_store_adds_once_is_sent_on_by_whoever_claims_it(
    server: Server, address: str
) -> None:
    """And what became of it is known, though the first one finds that out later."""
    first, second = server(), server()
    store, other = store_of(first), store_of(second)
    sending = replace(KEYED, name='", "store_id": "')
    plain = replace(SENDING, entry_id=entry_id_of(2), name='"store_id": "')
    for entry in (sending, plain):
        waiting = entry.becoming(EntryState.WAITING)
        store.add(waiting)
        assert store.change(waiting, entry)
    let_end(address)
    assert [left.id for left in second.unattended()] == [ANN]
    again, unknown = other.load().entries
    assert (again, unknown.state) == (sending, UNKNOWN)
    assert other.claimed_for(again) <= 0
    assert other.change(again, again.unanswered(Refusal("cut")))
    assert other.claimed_for(again) > 0
    assert not store.change(sending, sending.unanswered(Refusal("cut, too")))
    assert store.change(sending, sending.becoming(EntryState.ADDED, pet_id=7))
    assert [entry.pet_id for entry in other.load().entries] == [7, None]


async def test_a_claim_is_extended_while_its_server_looks_and_ends_by_the_databases_clock(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "LOOKED_EVERY", 0.1)
    first, second = server(), server()
    store, other = store_of(first), store_of(second)
    store.add(REX)
    store.change(REX, KEYED)
    claimed = first.database.claims[store._session, REX.entry_id]
    await until(lambda: first.database.claims[store._session, REX.entry_id] > claimed + HELD)
    assert [entry.owned_elsewhere for entry in other.load().entries] == [True]
    stand_still(first)
    await until(lambda: store.claimed_for(REX) <= 0)
    await until(lambda: [entry.owned_elsewhere for entry in other.load().entries] == [False])


@pytest.mark.parametrize("hours", [-1, 1])
def test_what_is_held_ends_though_the_databases_clock_jumps(
    server: Server, address: str, hours: int
) -> None:
    """As seen from after the jump, it ends an hour ago, or in an hour."""
    first, second = server(), server()
    store = store_of(first)
    store.add(REX)
    store.change(REX, KEYED)
    store.keep_draft(0, Draft("Mi"))
    with first.turn() as is_ours:
        assert is_ours()
        for table in ("sessions", "entries", "turns"):
            ask(
                address,
                f"UPDATE pettui_{table} SET until = until + %s * interval '1 hour'"
                " WHERE until > '-infinity'",
                hours,
            )
        assert [owner.id for owner in second.unattended()] == [ANN]
        other = store_of(second)
        other.take_over_drafts()
        assert [draft.name for draft in other.drafts.values()] == ["Mi"]
        assert [entry.owned_elsewhere for entry in other.load().entries] == [False]
        with second.turn() as is_seconds:
            assert is_seconds()


async def test_drafts_of_a_server_that_dies_later_come_to_who_is_elsewhere_already(
    server: Server, address: str, make_outbox: MakeOutbox
) -> None:
    first, second = server(), server()
    store_of(first).keep_draft(0, Draft("Mimi", "4"))
    outbox: Outbox = make_outbox(store_of(second))
    await until(lambda: outbox.drafts.are_loaded)
    await outbox.drafts.keep(Draft("Rex"))
    stand_still(first)
    await until(lambda: [draft.name for draft in outbox.drafts.put_aside] == ["Mimi"])
    assert outbox.drafts.draft.name == "Rex"


def test_a_draft_that_two_sessions_have_makes_one_animal(server: Server, address: str) -> None:
    """One took it over, as if the other had ended; both press Enter."""
    first, second = server(), server()
    store, other = store_of(first), store_of(second)
    store.keep_draft(0, Draft("Rex", "3"))
    let_end(address)
    other.take_over_drafts()
    [number] = other.drafts
    assert other.add(REX, draft=number) == REX
    later = an_entry(number=5)
    assert store.add(later, draft=0) == REX
    assert [entry.name for entry in store.load().entries] == ["Rex"]
    assert ask(address, "SELECT count(*) FROM pettui_drafts") == [(0,)]


def test_a_draft_that_two_sessions_have_and_one_edits_makes_two_animals(
    server: Server, address: str
) -> None:
    first, second = server(), server()
    store, other = store_of(first), store_of(second)
    store.keep_draft(0, Draft("Rex", "3"))
    let_end(address)
    other.take_over_drafts()
    [number] = other.drafts
    store.keep_draft(0, Draft("Rexy", "3"))  # the other one's stays as it is
    drafts = ask(address, "SELECT convert_from(content, 'UTF8') FROM pettui_drafts")
    assert sorted('"Rexy"' in str(content) for (content,) in drafts) == [False, True]
    other.add(REX, draft=number)
    assert store.add(an_entry("Rexy", number=5), draft=0).name == "Rexy"
    assert [entry.name for entry in other.load().entries] == ["Rex", "Rexy"]


def test_who_goes_on_typing_what_another_session_added_is_told(
    server: Server, address: str
) -> None:
    first, second = server(), server()
    store, other = store_of(first), store_of(second)
    store.keep_draft(0, Draft("Rex", "3"))
    let_end(address)
    other.take_over_drafts()
    other.add(REX, draft=next(iter(other.drafts)))
    with pytest.raises(OutboxError, match="Rexy was kept after all; see the outbox"):
        store.keep_draft(0, Draft("Rexy", "3"))
    store.keep_draft(0, Draft("Rexy", "3"))
    assert [draft.name for draft in store.drafts.values()] == ["Rexy"]


# Results that are lost


def lost(owners: PostgresOwners, link: LossyLink, call: Callable[[], object]) -> object:
    """Make a call of which the result is lost, and the connection that brings it."""
    with link.losing_one_response():
        return call()


@pytest.fixture
def link(postgres: PrivatePostgres, address: str) -> Iterator[LossyLink]:
    with lossy_link(postgres.directory) as link:
        yield link


@pytest.fixture
def far(
    server: Server, link: LossyLink, postgres: PrivatePostgres, monkeypatch: pytest.MonkeyPatch
) -> PostgresOwners:
    """A server behind that link, which looks at nothing that would be lost in place of a result."""
    monkeypatch.setattr(connections, "LOOKED_EVERY", 3600.0)
    at = postgres.address("state_of_one_test")
    return server(checked_address(at.replace(str(postgres.directory), str(link.directory))))


def test_a_script_without_a_result_is_repeated_and_nobody_is_told(
    far: PostgresOwners, link: LossyLink, address: str
) -> None:
    store = store_of(far)
    store.keep_draft(0, Draft("Rex", "3"))
    lost(far, link, lambda: store.add(REX, draft=0))
    lost(far, link, lambda: store.keep_draft(0, Draft("Mi")))
    assert lost(far, link, lambda: store.change(REX, SENDING))
    added = SENDING.becoming(EntryState.ADDED, pet_id=7)
    assert lost(far, link, lambda: store.change(SENDING, added))
    lost(far, link, lambda: [*store.add_all([LUNA, an_entry("Tim", number=3)])])
    assert lost(far, link, lambda: store.take_back(LUNA, 1))
    assert lost(far, link, lambda: store.remove(added))
    assert [entry.name for entry in store.load().entries] == ["Tim"]
    assert sorted(draft.name for draft in store.drafts.values()) == ["Luna", "Mi"]
    assert ask(address, "SELECT count(*) FROM pettui_drafts") == [(2,)]


@pytest.fixture
def unrepeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database does not come back in time for a script to be repeated."""
    monkeypatch.setattr(StateDatabase, "wait_until_back", lambda _database, _seconds: False)


async def back(owners: PostgresOwners) -> None:
    """Wait until it is back, and nothing is under way whose result could be lost instead."""
    await until(owners.database._is_back.is_set)


@pytest.mark.usefixtures("unrepeated")
async def test_who_presses_enter_again_has_one_animal(
    far: PostgresOwners, link: LossyLink, address: str, server: Server
) -> None:
    """Also where another server sends it by then."""
    store = store_of(far)
    for number, name in enumerate(("Rex", "Mi"), 1):
        store.keep_draft(0, Draft(name, "3"))
        with pytest.raises(OutboxError, match="is away"):
            lost(far, link, lambda: store.add(an_entry(name, number=number), draft=0))  # noqa: B023
        await back(far)
        if name == "Mi":
            let_end(address)
            other = store_of(server())
            [mi] = [entry for entry in other.load().entries if entry.name == name]
            assert other.change(mi, mi.becoming(EntryState.SENDING))
        store.add(an_entry(name, number=number + 5), draft=0)
    assert [entry.name for entry in store.load().entries] == ["Mi", "Rex"]


@pytest.mark.usefixtures("unrepeated")
@pytest.mark.parametrize("is_cleared", [False, True], ids=["stays", "cleared"])
async def test_what_was_said_not_to_be_kept_is_the_draft_that_stands_there_and_no_animal(
    far: PostgresOwners, link: LossyLink, address: str, make_outbox: MakeOutbox, is_cleared: bool
) -> None:
    outbox: Outbox = make_outbox(store_of(far), delay=600.0)
    await outbox.opened()
    await outbox.drafts.keep(Draft("Rex", "3"))
    with link.losing_one_response(), pytest.raises(OutboxError, match="is away"):
        await outbox.add("Rex", 3, None)
    assert [draft.name for draft in outbox.drafts.all] == ["Rex"]
    await back(far)
    if is_cleared:
        await outbox.drafts.clear(Draft("Rex", "3"), Draft())
        await outbox.drafts.wait_until_written()
    else:
        await outbox.drafts.retry(1.0)
        assert outbox.drafts.unkept == []
    assert ask(address, "SELECT count(*) FROM pettui_entries") == [(0,)]
    assert ask(address, "SELECT count(*) FROM pettui_drafts") == [(int(not is_cleared),)]
    await outbox.add("Rex", 3, None)
    assert [entry.name for entry in outbox.entries] == ["Rex"]


@pytest.mark.usefixtures("unrepeated")
async def test_a_paste_that_was_said_not_to_be_kept_is_gone_once_its_session_has_ended(
    far: PostgresOwners, link: LossyLink, address: str, postgres: PrivatePostgres
) -> None:
    """Also where that ended while the database was away: its lines are still a draft."""
    for is_away in (False, True):
        store = store_of(far)
        store.load()
        with pytest.raises(OutboxError, match="is away"):
            lost(far, link, lambda: [*store.add_all([REX, LUNA])])  # noqa: B023
        if is_away:
            with postgres.away():
                store.close()
            await back(far)
            assert ask(address, "SELECT count(*) FROM pettui_entries") == [(2,)]
            with far.turn() as is_ours:
                assert is_ours()
        else:
            await back(far)
            store.close()
        assert ask(address, "SELECT count(*) FROM pettui_entries") == [(0,)]
    assert far.unsettled == []


@pytest.mark.usefixtures("unrepeated")
async def test_a_paste_that_was_said_not_to_be_kept_is_kept_once_by_the_next(
    far: PostgresOwners, link: LossyLink
) -> None:
    store = store_of(far)
    store.load()
    with pytest.raises(OutboxError, match="is away"):
        lost(far, link, lambda: [*store.add_all([REX, LUNA])])
    await back(far)
    assert store.load().entries == ()
    assert [*store.add_all([an_entry(number=5), an_entry("Luna", number=6)])]
    assert [entry.name for entry in store.load().entries] == ["Rex", "Luna"]


@pytest.mark.usefixtures("unrepeated")
async def test_a_claim_without_a_result_sent_nothing_and_what_it_was_of_waits(
    far: PostgresOwners, link: LossyLink
) -> None:
    store = store_of(far)
    for entry in (REX, LUNA):
        store.add(entry)
        with pytest.raises(OutboxError, match="is away"):
            lost(far, link, lambda: store.change(entry, entry.becoming(EntryState.SENDING)))  # noqa: B023
        await back(far)
    assert [entry.waits_here for entry in store.load().entries] == [True, True]
    assert store.take_back(REX, 0)
    assert store.change(LUNA, LUNA.becoming(EntryState.SENDING))
    assert [entry.state for entry in store.load().entries] == [EntryState.SENDING]


@pytest.mark.usefixtures("unrepeated")
async def test_drafts_are_there_though_the_result_of_what_took_them_was_lost(
    far: PostgresOwners, link: LossyLink
) -> None:
    left = store_of(far)
    left.keep_draft(0, Draft("Mimi"))
    left.close()
    store = store_of(far)
    store.add(REX)
    for take in (store.take_over_drafts, lambda: store.take_back(REX, 0)):
        with pytest.raises(OutboxError, match="is away"):
            lost(far, link, take)
        await back(far)
        store.load()
        assert store.has_abandoned_drafts
        store.take_over_drafts()
        store.load()
        assert not store.has_abandoned_drafts
    assert [draft.name for draft in store.drafts.values()] == ["Mimi", "Rex"]


async def test_a_script_that_comes_late_changes_nothing(
    far: PostgresOwners, link: LossyLink, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The network held it, it was given up, and the database gets it once another was carried out."""
    monkeypatch.setattr(connections, "STATEMENT", 0.5)
    store = store_of(far)
    store.keep_draft(0, Draft("Rex", "3"))
    with link.held(), pytest.raises(OutboxError, match="is away"):
        store.add(REX, draft=0)
    late = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active'"
    await until(lambda: ask(address, late) == [(1,)])  # this one
    await back(far)
    store.keep_draft(0, Draft("Rex", "4"))
    assert store.load().entries == ()
    assert ask(address, "SELECT count(*) FROM pettui_entries") == [(0,)]
    assert ask(address, "SELECT count(*) FROM pettui_drafts") == [(1,)]


# What the database refuses, and whether it is there


@pytest.fixture
def restricted(address: str) -> Iterator[str]:
    """The address for a user that is not the tables' owner."""
    ask(address, "DROP ROLE IF EXISTS server")
    ask(address, "CREATE ROLE server LOGIN")
    yield address.replace("user=pettui", "user=server")
    ask(address, "DROP OWNED BY server; DROP ROLE server")


ALLOWS = {  # what each kind of refusal does, and what ends it
    "full": (REFUSE, "DROP TRIGGER refuse ON pettui_entries"),
    "read-only": (
        """
        ALTER ROLE server SET default_transaction_read_only = on;
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'server'
        """,
        "ALTER ROLE server RESET ALL",
    ),
    "no right": (
        "REVOKE UPDATE ON pettui_entries FROM server",
        "GRANT UPDATE ON pettui_entries TO server",
    ),
}


@pytest.mark.parametrize("kind", ALLOWS)
async def test_why_it_refuses_is_told_once_and_what_waits_goes_once_it_is_back(
    server: Server, address: str, restricted: str, client: ScriptedClient, kind: str
) -> None:
    told: list[tuple[str, str]] = []
    server()
    ask(address, "GRANT ALL ON ALL TABLES IN SCHEMA public TO server")
    owners = server(restricted, told=lambda *said: told.append(said))
    outbox = Outbox(store_of(owners), client, delay=0.3)
    outbox.sending.is_asked = True
    outbox.start()
    await outbox.opened()
    await outbox.add("Rex", 3, None)
    refuse, allow = ALLOWS[kind]
    ask(address, refuse)
    await until(lambda: outbox.sending.waiting_for == connections.REFUSED)
    await until(lambda: owners.database.kind_away == kind)
    for _ in range(2):  # it is asked once, and not by each who tries
        with pytest.raises(OutboxError, match="the server cannot keep this now"):
            await outbox.add("Mi", 3, None)
    await until(lambda: outbox.store_state.error == connections.REFUSED)
    await until(lambda: told)
    assert [event for event, _ in told] == ["state away"]
    assert told[0][1] in (owners.database.why_away or "")
    assert [entry.name for entry in owners.of(ANN).entries()] == ["Rex"]  # reading goes on
    ask(address, allow)
    await until(lambda: [pet.name for pet in client.sent] == ["Rex"])
    await until(lambda: told[1:] == [("state available", "")])
    assert owners.database.why_away is None
    await outbox.close()
    owners.database.close()


async def test_a_lock_that_somebody_holds_is_told_and_waited_for(
    server: Server, address: str
) -> None:
    owners = server()
    store = store_of(owners)
    store.load()
    with psycopg.connect(address) as holder:
        holder.execute("LOCK TABLE pettui_entries IN SHARE MODE")
        with pytest.raises(OutboxError, match="the server cannot keep this now"):
            store.add(REX)
        assert owners.database.kind_away == "locked"
        assert "lock timeout" in (owners.database.why_away or "")
        assert store.load().entries == ()  # reading goes on
    await back(owners)
    store.add(REX)


async def test_what_waits_goes_within_moments_of_the_databases_return(
    server: Server, make_outbox: MakeOutbox, client: ScriptedClient, postgres: PrivatePostgres
) -> None:
    owners = server()
    outbox: Outbox = make_outbox(store_of(owners), delay=0.3)
    await outbox.opened()
    await outbox.add("Rex", 3, None)
    with postgres.away():
        await until(lambda: outbox.sending.waiting_for)
        assert outbox.sending.tries_in <= 1.0
    await back(owners)
    await until(lambda: [pet.name for pet in client.sent] == ["Rex"])


async def test_four_connections_carry_what_four_people_wait_for(
    server: Server, address: str
) -> None:
    owners = server()
    await until(lambda: len(owners.database._there) == 4)
    stores = [store_of(owners, ssh_owner(f"SHA256:{number}")) for number in range(4)]
    for store in stores:
        store.load()
    with psycopg.connect(address) as holder:
        holder.execute("LOCK TABLE pettui_entries IN SHARE MODE")
        adding = [threading.Thread(target=store.add, args=(REX,)) for store in stores]
        for thread in adding:
            thread.start()
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        await until(lambda: ask(address, waiting) == [(4,)])
    for thread in adding:
        thread.join()
    assert ask(address, "SELECT count(*) FROM pettui_entries") == [(4,)]


async def test_a_database_without_room_for_four_connections_is_used_with_fewer(
    address: str, restricted: str
) -> None:
    ask(address, "ALTER ROLE server CONNECTION LIMIT 2")
    ask(address, "GRANT ALL ON SCHEMA public TO server")
    database = StateDatabase(restricted)
    database.start()
    assert database.why_away is None
    store = store_of(PostgresOwners(database))
    store.add(REX)
    assert [entry.name for entry in store.load().entries] == ["Rex"]
    database.close()


def test_a_commit_waits_for_the_disk_whatever_the_role_has(server: Server, address: str) -> None:
    ask(address, "ALTER DATABASE state_of_one_test SET synchronous_commit = off")
    owners = server()
    ask(
        address,
        "ALTER TABLE pettui_entries ADD CHECK (current_setting('synchronous_commit') = 'on')",
    )
    store_of(owners).add(REX)


# Sessions and turns


# An outbox on it


async def test_two_outboxes_that_both_could_send_what_was_left_send_it_once(
    server: Server, make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    left = store_of(server())
    names = [f"Rex {number}" for number in range(20)]
    assert [*left.add_all([an_entry(name, number=n) for n, name in enumerate(names, 1)])]
    left.close()
    outboxes: list[Outbox] = [make_outbox(store_of(server()), delay=0.0) for _ in range(2)]
    for outbox in outboxes:
        await until(lambda: {e.state for e in outbox.entries} == {EntryState.ADDED})  # noqa: B023
    assert sorted(pet.name for pet in client.sent) == sorted(names)


async def test_a_request_ends_before_its_claim_and_what_it_sent_may_still_arrive(
    server: Server, make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    owners = server()
    outbox: Outbox = make_outbox(store_of(owners), delay=0.0)
    await outbox.opened()
    client.may_respond.clear()
    await outbox.add("Rex", 3, None)
    await until(lambda: client.out)
    stand_still(owners)

    def unknown() -> list[Entry]:
        return [entry for entry in outbox.entries if entry.state is UNKNOWN]

    await until(unknown)
    assert client.out == 0
    assert "may still arrive" in (unknown()[0].error or "")


def test_three_hundred_owners_at_rest_cost_one_look_for_all(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = StateDatabase(address)
    database.start()
    owners = PostgresOwners(database)
    stores = [store_of(owners, ssh_owner(f"SHA256:{number}")) for number in range(300)]
    for store in stores:
        store.load()
    database._submit(database._look()).result()
    assert len(database.versions) == 300
    database.close()
    for store in stores:  # without a script
        assert store.load().entries == ()


def test_what_changed_is_seen_after_the_next_look(address: str) -> None:
    databases = [StateDatabase(address), StateDatabase(address)]
    stores = []
    for database in databases:
        database.start()
        stores.append(store_of(PostgresOwners(database)))
        stores[-1].load()
    stores[0].add(REX)
    databases[1]._submit(databases[1]._look()).result()
    assert [entry.name for entry in stores[1].load().entries] == ["Rex"]
    for database in databases:
        database.close()


# Tables of another version

EARLIER = """
    CREATE TABLE pettui_state (one integer PRIMARY KEY CHECK (one = 1), version integer NOT NULL,
        build text NOT NULL);
    CREATE TABLE pettui_processes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        epoch bigint NOT NULL, lease timestamptz NOT NULL, is_alive boolean NOT NULL,
        host text NOT NULL, pid bigint NOT NULL, build text NOT NULL);
    CREATE TABLE pettui_owners (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        people text NOT NULL, owner bytea NOT NULL, profile bytea NOT NULL, name bytea NOT NULL,
        fingerprint bytea NOT NULL, added bigint NOT NULL DEFAULT 0, own_key_process bigint,
        own_key_epoch bigint, own_key_session bigint, version bigint NOT NULL DEFAULT 0,
        UNIQUE (people, owner));
    CREATE TABLE pettui_entries (owner bigint NOT NULL, entry_id text NOT NULL,
        process bigint NOT NULL, epoch bigint NOT NULL, session bigint NOT NULL, state text NOT NULL
            CHECK (state IN ('waiting', 'sending', 'added', 'refused', 'unknown')),
        content bytea NOT NULL, PRIMARY KEY (owner, entry_id));
    CREATE INDEX pettui_entries_left ON pettui_entries (owner)
        WHERE state IN ('waiting', 'sending');
    CREATE INDEX pettui_entries_of ON pettui_entries (process);
    CREATE TABLE pettui_drafts (owner bigint NOT NULL, session bigint NOT NULL,
        number bigint NOT NULL, process bigint NOT NULL, epoch bigint NOT NULL,
        content bytea NOT NULL, written timestamptz NOT NULL,
        PRIMARY KEY (owner, session, number));
    CREATE INDEX pettui_drafts_of ON pettui_drafts (process);
    CREATE TABLE pettui_turns (people text PRIMARY KEY, process bigint NOT NULL,
        epoch bigint NOT NULL);
    INSERT INTO pettui_state VALUES (1, 1, 'earlier');
    INSERT INTO pettui_processes (epoch, lease, is_alive, host, pid, build)
        VALUES (3, clock_timestamp() + interval '1 hour', true, 'db1', 42, 'earlier');
    INSERT INTO pettui_turns VALUES ('shop', 1, 3)
"""


@pytest.fixture
def earlier(address: str) -> str:
    """What a server of the earlier version left, that still runs."""
    ask(address, EARLIER)
    owners = PostgresOwners(StateDatabase(address), "shop", "https://pets.example/v1").id
    for owner, mark in ((ANN, None), (ssh_owner("SHA256:bob"), 1)):
        ask(
            address,
            "INSERT INTO pettui_owners (people, owner, profile, name, fingerprint, own_key_process)"
            " VALUES (%s, %s, 'shop', 'ann', '', %s)",
            owners,
            owner.encode(),
            mark,
        )
    states = (REX, SENDING, KEYED, an_entry(state=EntryState.ADDED, pet_id=7))
    for owner_number in (1, 2):
        for number, entry in enumerate(states, 1):
            ask(
                address,
                "INSERT INTO pettui_entries VALUES (%s, %s, 1, 3, 5, %s, %s)",
                owner_number,
                entry_id_of(number),
                entry.state.value,
                entry_text(entry),
            )
    for number, name in enumerate(("Mi", "Tim")):
        content = draft_text(Draft(name))
        insert = "INSERT INTO pettui_drafts VALUES (1, 5, %s, 1, 3, %s, clock_timestamp())"
        ask(address, insert, number, content)
    return address


async def test_tables_of_an_earlier_version_are_converted_once_its_servers_have_stopped(
    earlier: str, server: Server
) -> None:
    for makes_tables in (True, False):
        with pytest.raises(StateSchemaError, match=r"on db1 \(process 42\): stop all of them"):
            await prepared(earlier, "2", makes_tables=makes_tables)
    with pytest.raises(StateSchemaError, match="stop all of them"):
        server()
    assert ask(earlier, "SELECT version FROM pettui_state") == [(1,)]
    ask(earlier, "UPDATE pettui_processes SET is_alive = false")
    assert await prepared(earlier, "2", makes_tables=False) is None
    with pytest.raises(StateSchemaError, match="a server that starts converts them"):
        server(observes=True)
    assert ask(earlier, "SELECT version FROM pettui_state") == [(1,)]
    owners = server()
    assert [owner.id for owner in owners.unattended()] == [ANN]
    store = store_of(owners)
    found = store.load().entries
    states = (EntryState.WAITING, UNKNOWN, EntryState.SENDING, EntryState.ADDED)
    assert tuple(entry.state for entry in found) == states
    store.take_over_drafts()
    assert [draft.name for draft in store.drafts.values()] == ["Mi", "Tim"]
    assert store.change(found[0], found[0].becoming(EntryState.SENDING))
    assert store.change(found[2], found[2].unanswered(Refusal("cut")))
    marked = store_of(owners, ssh_owner("SHA256:bob")).load().entries
    assert [entry.own_key for entry in marked] == ["", "", "", None]
    assert ask(earlier, "SELECT version, build FROM pettui_state") == [(2, "1")]


@pytest.mark.parametrize("before", ["nothing", "an earlier version's"])
def test_several_servers_that_start_at_once_make_or_convert_the_tables_once(
    request: pytest.FixtureRequest, address: str, before: str
) -> None:
    if before != "nothing":
        request.getfixturevalue("earlier")
        ask(address, "UPDATE pettui_processes SET is_alive = false")
    databases = [StateDatabase(address) for _ in range(4)]
    with ThreadPoolExecutor(4) as starting:
        assert [*starting.map(StateDatabase.start, databases)] == [None] * 4
    for database in databases:
        database.close()
    assert ask(address, "SELECT version FROM pettui_state") == [(2,)]


async def test_tables_of_a_later_version_are_left_alone(server: Server, address: str) -> None:
    server()
    ask(address, "UPDATE pettui_state SET version = 3")
    reason = "have version 3, of pettui 1; this one knows 2; update pettui"
    for makes_tables in (True, False):
        with pytest.raises(StateSchemaError, match=reason):
            await prepared(address, "2", makes_tables=makes_tables)
    with pytest.raises(StateSchemaError, match=reason):
        server()
