"""What was left in places that nothing serves any more is said, and by which addresses."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from pettui.composition.kept import local_outbox
from pettui.composition.store import owners_of
from pettui.composition.users import lines_on_elsewhere, waiting_elsewhere
from pettui.outbox.entries import Draft, EntryState
from pettui.outbox.owners import LOCAL, Owners, ssh_owner
from pettui.outbox.stores.postgres import PostgresOwners
from pettui.settings.settings import ApiKey, Profile, Settings, StoreKind
from pettui.system.postgres import checked_address
from tests.outbox.scripted import ScriptedClient, an_entry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.service.private_postgres import PrivatePostgres

OLD = "http://old.example/v1"
SHOP = Profile("shop", StoreKind.SERVICE, "https://new.example/v1", ApiKey("k" * 16), "SHOP", "red")
FORMER = SHOP._replace(base_url=OLD)
ANN, BEN = ssh_owner("SHA256:ann"), ssh_owner("SHA256:ben")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "pettui"


def leave(owners: Owners, owner: str, *states: EntryState, service: str | None = OLD) -> None:
    with closing(owners.of(owner).open()) as store:
        for number, each in enumerate(states, 1):
            store.add(an_entry("Rex", each, number, service=service))


def leave_all(owners: Owners) -> None:
    leave(owners, ANN, EntryState.WAITING, EntryState.UNKNOWN, EntryState.ADDED)
    leave(owners, BEN, EntryState.REFUSED)
    with closing(owners.of(BEN).open()) as store:
        store.keep_draft(0, Draft("Half", "3"))
        store.keep_draft(1, Draft("", "3", is_kept=True))


def test_what_users_left_for_a_former_address_is_said_with_both(state: Path) -> None:
    leave_all(owners_of(FORMER))
    [said] = lines_on_elsewhere(SHOP, None)
    assert said == (
        f"3 animals and 1 draft of 2 users wait in {state}/outbox, for {OLD};"
        " to move: pettui outbox move --profile shop --users"
    )
    assert lines_on_elsewhere(FORMER, None) == []


def test_what_users_left_before_there_was_a_database_is_said(
    state: Path, postgres: PrivatePostgres
) -> None:
    address = checked_address(postgres.new_database("users_elsewhere"))
    leave(owners_of(FORMER), ANN, EntryState.WAITING)
    with opened(address, FORMER) as owners:
        leave(owners, BEN, EntryState.WAITING)
    on_disk = f"1 animal of 1 user waits in {state}/outbox, for {OLD};"
    [said] = lines_on_elsewhere(FORMER, address)
    assert said.startswith(on_disk)
    said, in_database = lines_on_elsewhere(SHOP, address)
    assert said.startswith(on_disk)
    assert in_database.startswith("1 animal of 1 user waits in the database users_elsewhere on ")


@contextmanager
def opened(address: str, profile: Profile) -> Iterator[PostgresOwners]:
    from pettui.outbox.stores.postgres_connections import StateDatabase

    database = StateDatabase(address)
    database.start()
    try:
        yield PostgresOwners(database, profile.name, profile.base_url)
    finally:
        database.close()


def test_other_profiles_and_what_was_added_are_not_mentioned() -> None:
    leave(owners_of(FORMER._replace(name="shop-two")), ANN, EntryState.WAITING)
    leave(owners_of(FORMER), ANN, EntryState.ADDED)
    assert lines_on_elsewhere(SHOP, None) == []
    assert waiting_elsewhere(SHOP, owners_of(SHOP), ANN) == ""


def test_who_typed_reads_of_their_own_alone_and_nothing_of_files(state: Path) -> None:
    leave_all(owners_of(FORMER))
    assert waiting_elsewhere(SHOP, owners_of(SHOP), ANN) == (
        "2 animals of yours wait in another place; whoever runs the server can move what is there"
    )
    assert str(state) not in waiting_elsewhere(SHOP, owners_of(SHOP), ANN, BEN)
    assert waiting_elsewhere(SHOP, owners_of(SHOP), ssh_owner("SHA256:other")) == ""


async def test_the_app_on_this_machine_says_so_and_records_for_which_address_it_adds() -> None:
    leave(owners_of(FORMER), LOCAL, EntryState.WAITING)
    outbox = local_outbox(Settings(SHOP), ScriptedClient())
    outbox.start()
    assert outbox.store_state.elsewhere.startswith(
        f"1 animal waits for another address of this profile, {OLD}"
    )
    assert outbox.problems == (outbox.store_state.elsewhere,)
    assert (await outbox.add("Rex", 3, None)).service == SHOP.base_url
    await outbox.close()


def test_what_waits_in_another_directory_is_found_without_psycopg(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from pettui.composition.store import owners_of\n"
        "from pettui.composition.users import elsewhere\n"
        "from pettui.settings.settings import ApiKey, Profile, StoreKind\n"
        "profile = Profile('shop', StoreKind.SERVICE, 'http://shop.example/v1', ApiKey('k' * 20), 'SHOP', 'red')\n"
        "print(elsewhere(profile, owners_of(profile), ['local']))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout.split() == ["[]"], found.stderr
