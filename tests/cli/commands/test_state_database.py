"""Commands for whoever runs servers whose users' outboxes are in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

from pettui.composition.state_database import check_state
from pettui.configuration.errors import ConfigurationError
from pettui.outbox.entries import Draft, EntryState
from pettui.outbox.owners import ssh_owner
from pettui.outbox.stores.directory import DirectoryEntryStore
from pettui.outbox.stores.postgres import PostgresOwners
from pettui.outbox.stores.postgres_connections import StateDatabase
from pettui.system.postgres import checked_address
from tests.cli.commands.conftest import json_lines
from tests.exhaustive import exhaustive
from tests.outbox.scripted import an_entry
from tests.peers.ssh_server import write_key

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.commands.shop_service import Shop
    from tests.cli.conftest import Run
    from tests.service.private_postgres import PrivatePostgres


@pytest.fixture
def address(postgres: PrivatePostgres) -> str:
    return postgres.new_database("state_of_commands")


@pytest.fixture
def left(address: str, shop: Shop) -> None:
    """What Ann left on a server that has ended."""
    database = StateDatabase(checked_address(address))
    database.start()
    owner = PostgresOwners(database, "shop", shop.base_url).of(ssh_owner("SHA256:ann"))
    owner.log_in("ann@till", "SHA256:ann")
    store = owner.open()
    for number, name in enumerate(("Rex", "Mi"), 1):
        store.add(an_entry(name, number=number))
    store.add(an_entry("No", EntryState.REFUSED, 3))
    store.close()
    database.close()


@pytest.mark.parametrize("host", ["127.0.0.1", *exhaustive("localhost", "[::1]", "shop-1.example")])
def test_a_check_warns_of_an_address_that_is_another_service_on_each_host(
    run_here: Run, configure: Callable[[str], Path], home: Path, address: str, host: str
) -> None:
    """It keeps nothing from serving."""
    key = write_key(home / "anna", "anna").export_public_key().decode()
    (home / "keys").write_text(key)
    base_url = f"http://{host}:8080/v1"
    config = configure(f'[profiles.store]\nbase_url = "{base_url}"\napi_key_env = "SHOP"\n')
    words = ("--check", "--profile=store", f"--authorized-keys={home / 'keys'}", "--port=0")
    named = {"SHOP": "a-key-of-the-shop", "PETTUI_CONFIG": str(config)}
    assert run_here("ssh", *words, **named).stderr == ""
    finished = run_here("ssh", *words, PETTUI_STATE=address, **named)
    assert finished.returncode == 0
    if host == "shop-1.example":
        assert finished.stderr == ""
        return
    [line] = finished.stderr.splitlines()
    assert line.startswith(f"pettui: warning: base_url {base_url} is another service on each host")
    assert "a profile of the same name, store, in this database would send these animals" in line


@pytest.mark.usefixtures("left")
def test_what_users_left_is_listed_sent_and_forgotten_there(
    on_profile: Run, address: str, shop: Shop
) -> None:
    place = {"PETTUI_STATE": address}
    listed = json_lines(on_profile("outbox", "list", "--users", "--json", **place).stdout)
    assert [(line["name"], line["state"], line["user"]) for line in listed] == [
        ("Rex", "waiting", "ann@till"), ("Mi", "waiting", "ann@till"), ("No", "refused", "ann@till"),
    ]  # fmt: skip
    assert on_profile("outbox", "list", "--users").stdout.count("\n") == 1  # none on this disk
    sent = on_profile("outbox", "send", "--user", "ann@till", "--state", address)
    assert sent.returncode == 0
    assert on_profile("outbox", "forget", "refused", "--users", **place).returncode == 0
    listed = json_lines(on_profile("outbox", "list", "--users", "--json", **place).stdout)
    assert [(line["name"], line["state"]) for line in listed] == [("Rex", "added"), ("Mi", "added")]


@pytest.mark.usefixtures("left")
def test_what_users_added_there_is_sent_again_to_a_store_that_was_restored(
    on_profile: Run, address: str, shop: Shop
) -> None:
    shop.store_id = "0" * 32
    place = {"PETTUI_STATE": address}
    assert on_profile("outbox", "send", "--users", **place).returncode == 0
    shop.restore()
    words = ("outbox", "reconcile", "--since", "2001-01-01", "--users", "--json")
    for became in ("added", "there"):
        reconciled = on_profile(*words, **place)
        rows = json_lines(reconciled.stdout)
        assert [(row["name"], row["became"], row["user"]) for row in rows] == [
            ("Rex", became, "ann@till"), ("Mi", became, "ann@till"),
        ]  # fmt: skip
    assert shop.names == ["Rex", "Mi"]


def test_doctor_makes_no_tables_in_an_empty_database(on_profile: Run, address: str) -> None:
    for _ in range(2):
        assert (
            "no server has kept outboxes there yet"
            in on_profile("doctor", PETTUI_STATE=address).stdout
        )


@pytest.mark.usefixtures("left")
def test_a_right_that_is_missing_would_keep_a_server_from_serving(address: str) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS reader")
        connection.execute("CREATE ROLE reader LOGIN")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
        reader = address.replace("pettui@", "reader@")
        with pytest.raises(ConfigurationError, match="permission denied for table pettui_"):
            check_state(reader, makes_tables=False)
        tables = ", ".join(
            f"pettui_{name}"
            for name in ("sessions", "owners", "entries", "drafts", "receipts", "turns")
        )
        connection.execute(f"GRANT INSERT, UPDATE, DELETE ON {tables} TO reader")
        assert check_state(reader, makes_tables=False) is None
        connection.execute("DROP OWNED BY reader")
        connection.execute("DROP ROLE reader")


@pytest.mark.usefixtures("left")
def test_a_database_that_takes_no_changes_is_told_by_a_check(address: str) -> None:
    def kept() -> object:
        with psycopg.connect(address) as connection:
            return connection.execute("SELECT ctid, * FROM pettui_sessions").fetchall()

    before = kept()
    assert check_state(address, makes_tables=False) is None
    assert kept() == before
    read_only = f"{address}&options=-c%20default_transaction_read_only%3Don"
    assert "read-only transaction" in (check_state(read_only, makes_tables=False) or "")


@pytest.mark.usefixtures("left")
def test_the_address_may_be_in_a_file_that_nobody_else_can_read(
    on_profile: Run, address: str, tmp_path: Path
) -> None:
    file = tmp_path / "state"
    file.write_text(f"{address}\n")
    file.chmod(0o644)
    refused = on_profile("outbox", "list", "--users", "--state", str(file))
    assert (refused.returncode, "chmod 600" in refused.stderr) == (2, True)
    file.chmod(0o600)
    assert on_profile("outbox", "list", "--users", "--state", str(file)).returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ssh", "--demo", "--state", "postgresql://h/x"), "a demo keeps nothing"),
        (("ssh", "--app", "a:A", "--state", "postgresql://h/x"), "is not for --app"),
        (("doctor", "--state", "postgresql://u:secret@h/x"), "which others can see"),
        (("doctor", "--state", "nowhere"), "must be postgresql://"),
        (("outbox", "list", "--users", "--state", "postgresql://h:9:9/x"), "must look like"),
    ],
)
def test_what_can_be_no_database_is_refused_without_its_password(
    on_profile: Run, words: tuple[str, ...], said: str
) -> None:
    ended = on_profile(*words)
    assert said in ended.stderr + ended.stdout
    assert "secret" not in ended.stderr + ended.stdout


@pytest.mark.usefixtures("left")
def test_a_backup_says_that_it_has_no_outboxes_of_a_database(
    on_profile: Run, address: str, home: Path
) -> None:
    (home / ".local/state/pettui").mkdir(parents=True)
    (home / ".local/state/pettui/theme").write_text("dark\n")
    said = on_profile("backup", str(home / "copy.tar"), PETTUI_STATE=address).stderr
    assert "pg_dump saves them" in said


def test_what_was_left_on_the_disk_is_moved_into_the_database(
    on_profile: Run, outbox_of: Callable[..., Path], address: str, shop: Shop
) -> None:
    directory = outbox_of(ssh_owner("SHA256:ann"))
    store = DirectoryEntryStore(directory)
    store.add(an_entry("Rex", service=shop.base_url))
    store.keep_draft(0, Draft("Half", "3", typed_at=5.0))
    store.close()
    place = {"PETTUI_STATE": address}
    said = on_profile("doctor", **place).stdout  # before there are tables
    assert f"1 animal and 1 draft of 1 user wait in {directory.parent.parent}, for " in said
    finished = on_profile("outbox", "move", "--users", "--yes", **place)
    assert (finished.returncode, finished.stderr.splitlines()[-1]) == (
        0, "notice: 1 animal and 1 draft moved",
    )  # fmt: skip
    (listed,) = json_lines(on_profile("outbox", "list", "--users", "--json", **place).stdout)
    assert (listed["name"], listed["state"]) == ("Rex", "waiting")
    (draft,) = json_lines(
        on_profile("outbox", "list", "--drafts", "--users", "--json", **place).stdout
    )
    assert draft["name"] == "Half"
    assert on_profile("outbox", "forget", "all", "--drafts", "--users", **place).returncode == 0
    assert "wait in" not in on_profile("doctor", **place).stdout
