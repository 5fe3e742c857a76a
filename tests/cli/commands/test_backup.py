"""``pettui backup`` and ``restore``, while a service writes to the store."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import tarfile
import threading
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from pettui.outbox.entries import EntryState
from pettui.service.stores.samples import sample_pets
from pettui.service.stores.sqlite_files import (
    open_database,
)
from tests.cli.commands.conftest import json_lines
from tests.cli.conftest import PROGRAM, Run, finished
from tests.outbox.on_disk import entries_in, entry_counts, outbox_directory
from tests.outbox.scripted import left_behind
from tests.peers.terminal import Terminal
from tests.service.running_service import running_service
from tests.small_disks import as_root, full_disk, mounted

DATA = (".local", "share", "pettui")
STATE = (".local", "state", "pettui")


@pytest.fixture
def shop(run_here: Run, home: Path) -> Path:
    """A home with a store, a key, a host key, and an animal that waits."""
    state = home.joinpath(*STATE)
    left_behind(outbox_directory(state, "local", "shop", "http://h.example/v1"))
    (state / "ssh-host-key").write_text("a host key")
    assert run_here("key", "add", "till-1").returncode == 0
    open_database(home.joinpath(*DATA, "store.sqlite3"), sample_pets(60)).close()
    return home


def test_what_is_restored_is_what_was_there(run_here: Run, shop: Path, tmp_path: Path) -> None:
    saved = run_here("backup", "copy.tar")
    copy = shop / "copy.tar"
    assert saved.stderr == f"notice: {copy} has 60 animals, and was opened and checked\n"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with tarfile.open(copy) as archive:  # whoever unpacks it with tar shows it to nobody either
        assert {member.mode for member in archive} == {0o600}
    other = tmp_path / "other"
    other.mkdir()
    assert run_here("restore", str(copy), HOME=str(other)).returncode == 0
    assert len(json_lines(run_here("list", "--all", "--json", HOME=str(other)).stdout)) == 60
    assert run_here("key", "list", HOME=str(other)).stdout == run_here("key", "list").stdout
    state = other.joinpath(*STATE)
    assert (state / "ssh-host-key").read_text() == "a host key"
    directory = outbox_directory(state, "local", "shop", "http://h.example/v1")
    # It may have been sent since.
    (entry,) = entries_in(directory)
    assert (entry.name, entry.state) == ("Rex", EntryState.UNKNOWN)
    files = [path for path in other.rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert not [*other.rglob(".pettui-*"), *shop.rglob(".pettui-*")]


def test_a_backup_is_taken_while_a_service_adds_animals(run_here: Run, tmp_path: Path) -> None:
    with running_service(tmp_path, samples=60) as service:
        database = str(tmp_path / "pets.db")
        added: list[int] = []
        begun, goes_on = threading.Event(), threading.Event()
        goes_on.set()

        def add() -> None:
            with httpx.Client(base_url=service.base_url, headers=service.authorization) as client:
                while goes_on.is_set():
                    pet = client.post("/pets", json={"name": "Rex", "categoryId": 3}).json()
                    added.append(pet["id"])
                    begun.set()

        adding = threading.Thread(target=add)
        adding.start()
        begun.wait()
        saved = run_here("backup", "copy.tar", "--database", database)
        goes_on.clear()
        adding.join()
    assert saved.returncode == 0, saved.stderr
    with tarfile.open(tmp_path / "home" / "copy.tar") as archive:
        archive.extract("store.sqlite3", tmp_path / "there", filter="data")
    with closing(sqlite3.connect(tmp_path / "there" / "store.sqlite3")) as copy:
        (count, newest) = copy.execute("SELECT count(*), max(id) FROM pets").fetchone()
    assert 60 <= count == newest <= added[-1]


def test_nothing_that_is_there_is_replaced(run_here: Run, shop: Path) -> None:
    run_here("backup", "copy.tar")
    again = run_here("backup", "copy.tar")
    assert again.stderr == f"pettui: backup: {shop / 'copy.tar'} already exists\n"
    assert run_here("backup", "copy.tar", "--force").returncode == 0
    restored = run_here("restore", "copy.tar")
    assert (restored.returncode, restored.stderr.count("\n")) == (2, 1)
    assert restored.stderr.endswith("is there; move it away first\n")


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_backup_is_not_restored(
    run_here: Run, shop: Path, tmp_path: Path, damage: str
) -> None:
    run_here("backup", "copy.tar")
    copy = shop / "copy.tar"
    content = bytearray(copy.read_bytes())
    if damage == "cut":
        content = content[: len(content) // 2]
    else:
        at = content.index(b"SQLite format 3\0")
        content[at + 4096 : at + 8192] = b"\xff" * 4096
    copy.write_bytes(content)
    other = tmp_path / "other"
    restored = run_here("restore", str(copy), HOME=str(other))
    assert (restored.returncode, restored.stderr.count("\n")) == (2, 1)
    assert not [path for path in other.rglob("*") if path.is_file()]


def block(name: str = "state/x", size: int = 0, **fields: object) -> bytes:
    """Return the header of a member, in the format of POSIX.1-1988."""
    member = tarfile.TarInfo(name)
    member.size = size
    for field, value in fields.items():
        setattr(member, field, value)
    return member.tobuf(tarfile.GNU_FORMAT)


def extended(*records: bytes) -> bytes:
    """Return an extended header with these records, as they are."""
    content = b"".join(records)
    padded = content.ljust(-(-len(content) // 512) * 512, b"\0")
    return block("pax", len(content), type=tarfile.XHDTYPE) + padded


def record(name: str, value: str) -> bytes:
    """Return a well-formed record of an extended header."""
    rest = f" {name}={value}\n".encode()
    length = len(rest) + 2
    while len(str(length)) + len(rest) != length:
        length += 1
    return str(length).encode() + rest


def member(name: str, content: bytes = b"x") -> bytes:
    return block(name, len(content)) + content.ljust(512, b"\0")


END = bytes(1024)
SPARSE = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "3221225472"}
HOSTILE = {
    "no name": block(""),
    "a dot": block("."),
    "an absolute name": member("/state/x"),
    "another name": member("x"),
    "a file within the store": member("store.sqlite3/x"),
    "above": member("state/../../x"),
    "1,500 directories": extended(record("path", "state/" + "a/" * 1500 + "x")) + block(),
    "a long name": extended(record("path", "state/" + "a" * 256)) + block(),
    "a file twice": member("state/x") + member("state/./x"),
    "a file as a directory": member("state/x") + member("state/x/y"),
    "a sparse file": extended(*(record(*each) for each in SPARSE.items())) + block(type=b"S"),
    "a link": block(type=tarfile.SYMTYPE, linkname="/etc/passwd"),
    "a size below zero": block(size=-1024),
    "a size beyond the file": block(size=2**62) + b"x" * 512,
    "a size of many digits": extended(record("size", "9" * 5000)) + block(),
    "an extended header twice": extended(record("path", "state/a")) * 1500 + block(),
    "a record that goes on": extended(b"999 path=state/a\n") + block(),
    "a large extended header": block("pax", 2**40, type=tarfile.XHDTYPE),
    "a wrong checksum": block()[:148] + b"00000000" + block()[156:],
    "no end": member("state/x"),
    "zeros, as a disk that lost it": bytes(8 * 512),
    "zeros in place of the rest": member("state/x") + bytes(tarfile.RECORDSIZE),
    "nothing": b"",
    "half a block": b"x" * 100,
}


@pytest.mark.parametrize("hostile", [pytest.param(each, id=name) for name, each in HOSTILE.items()])
def test_whatever_a_backup_from_elsewhere_has_it_is_damaged_and_nothing_of_it_is_restored(
    run_here: Run, tmp_path: Path, hostile: bytes
) -> None:
    evil = tmp_path / "evil.tar"
    is_cut = hostile[:1] in (b"", b"x") or hostile == HOSTILE["no end"]
    evil.write_bytes(hostile if is_cut else hostile + END)
    restored = run_here("restore", str(evil))
    assert restored.returncode == 2
    assert restored.stderr.startswith("pettui: restore: the backup is damaged: ")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [evil]


@pytest.mark.usefixtures("shop")
def test_a_backup_goes_through_a_pipe(
    run_here: Run, environment: dict[str, str], home: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "piped.tar"
    with copy.open("wb") as file:
        saved = finished([PROGRAM, "backup", "-"], environment, stdout=file, cwd=home)
    assert (saved.returncode, "standard output has 60 animals, and" in saved.stderr) == (0, 1)
    assert not (home / "-").exists()
    other = {**environment, "HOME": str(tmp_path / "other")}
    with copy.open("rb") as file:
        restored = finished([PROGRAM, "restore", "-"], other, stdin=file)
    assert (restored.returncode, " has 60 animals" in restored.stderr) == (0, True)
    assert len(json_lines(run_here("list", "--all", "--json", HOME=other["HOME"]).stdout)) == 60


@pytest.mark.usefixtures("shop")
def test_a_backup_that_nobody_reads_to_its_end_is_an_error(environment: dict[str, str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        saved = finished([PROGRAM, "backup", "-"], environment, stdout=pipe)
    assert saved.returncode == 2
    assert "standard output: was closed before the whole backup was written" in saved.stderr


@pytest.mark.usefixtures("shop")
def test_a_backup_is_not_written_to_a_terminal(environment: dict[str, str]) -> None:
    with closing(Terminal([PROGRAM, "backup", "-"], environment)) as terminal:
        assert terminal.wait_for_end() == 2
        assert "FILE: is a terminal" in terminal.text


POSTGRES = "postgresql://h.example/pets"


def test_with_postgresql_a_backup_and_its_restoring_say_what_has_the_animals(
    run_here: Run, home: Path, tmp_path: Path
) -> None:
    run_here("key", "add", "till-1")
    saved = run_here("backup", "copy.tar", PETTUI_DATABASE=POSTGRES)
    assert saved.returncode == 0
    assert "warning: the animals are in PostgreSQL, and not in the backup: pg_dump" in saved.stderr
    other = tmp_path / "other"
    copy = str(home / "copy.tar")
    restored = run_here("restore", copy, HOME=str(other), PETTUI_DATABASE=POSTGRES)
    assert restored.returncode == 0
    assert "pg_restore" in restored.stderr
    assert run_here("key", "list", HOME=str(other)).stdout == run_here("key", "list").stdout


def test_a_store_in_a_file_is_not_restored_into_postgresql(
    run_here: Run, shop: Path, tmp_path: Path
) -> None:
    run_here("backup", "copy.tar")
    other = tmp_path / "other"
    copy = str(shop / "copy.tar")
    restored = run_here("restore", copy, HOME=str(other), PETTUI_DATABASE=POSTGRES)
    assert (restored.returncode, [*other.rglob("*.sqlite3")]) == (0, [])
    assert "60 animals of the backup are not restored: --database FILE" in restored.stderr


def test_without_a_store_no_animal_is_saved_or_restored(
    run_here: Run, home: Path, tmp_path: Path
) -> None:
    run_here("key", "add", "till-1")
    saved = run_here("backup", "copy.tar")
    assert "warning: the backup has no animals: there is no store " in saved.stderr
    assert ("PostgreSQL" in saved.stderr, "0 animals" in saved.stderr) == (False, False)
    restored = run_here("restore", str(home / "copy.tar"), HOME=str(tmp_path / "other"))
    assert restored.stderr == ("notice: the backup is restored\nnotice: it has no store\n")


def test_there_is_no_backup_of_nothing(run_here: Run, home: Path) -> None:
    """Such as by root, whose pettui has no store, instead of by the user of the service."""
    saved = run_here("backup", "copy.tar")
    assert saved.returncode == 2
    assert saved.stderr.startswith("pettui: backup: there is no store, ")
    assert saved.stderr.endswith("; run it as the user of the service\n")
    assert not (home / "copy.tar").exists()


@as_root
def test_a_full_disk_is_named_as_the_reason(run_here: Run, shop: Path) -> None:
    with mounted("size=64k") as disk, full_disk(disk):
        saved = run_here("backup", str(disk / "copy.tar"))
    assert (saved.returncode, saved.stderr) == (2, "pettui: backup: the disk is full\n")


KILLED_BETWEEN = """
import os, signal, sys
from pathlib import Path
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.outbox.scripted import an_entry

def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)

DirectoryEntryStore._complete_prepared = killed
entries = [an_entry(f"Rex {number}", number=number) for number in range(1, 6)]
store = DirectoryEntryStore(Path(sys.argv[1]))
[*store.add_all(entries)]
"""


def test_a_paste_that_was_committed_as_its_window_was_killed_is_saved_and_not_sent_again(
    run_here: Run, home: Path, tmp_path: Path
) -> None:
    """It was sent after the backup; so what comes out of that may be there already."""
    with running_service(tmp_path, key_file=str(home / "keys")) as service:
        key = run_here("key", "add", "till", f"--keys={home / 'keys'}").stdout.strip()
        at_service = {"PETTUI_BASE_URL": service.base_url, "PETTUI_API_KEY": key}
        directory = outbox_directory(home.joinpath(*STATE), "local", "service", service.base_url)
        directory.mkdir(parents=True)
        killed = subprocess.run(
            [sys.executable, "-c", KILLED_BETWEEN, directory], check=False, timeout=60,
            cwd=Path(__file__).parents[3],
        )  # fmt: skip
        assert killed.returncode == -signal.SIGKILL
        assert len([*directory.glob("*.json.prepared")]) == 5

        assert entry_counts(directory) == {"waiting": 5}
        listed = json_lines(run_here("outbox", "list", "--json", **at_service).stdout)
        assert [(each["state"], each["open"]) for each in listed] == [("waiting", False)] * 5
        assert run_here("backup", "copy.tar", f"--keys={home / 'keys'}").returncode == 0
        sent = json_lines(run_here("outbox", "send", "--json", **at_service).stdout)
        assert [each["state"] for each in sent] == ["added"] * 5

        other = tmp_path / "other"
        other.mkdir()
        assert run_here("restore", "copy.tar", HOME=str(other)).returncode == 0
        restored = outbox_directory(other.joinpath(*STATE), "local", "service", service.base_url)
        assert entry_counts(restored).keys() <= {"sending", "unknown"}
        again = run_here("outbox", "send", HOME=str(other), **at_service)
        assert (again.stdout.count("added"), entry_counts(restored)) == (0, {"unknown": 5})
    with closing(sqlite3.connect(tmp_path / "pets.db")) as database:
        assert database.execute("SELECT count(*) FROM pets").fetchone() == (5,)


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE pets RENAME TO others; CREATE VIEW pets AS SELECT * FROM others",
        "CREATE TRIGGER pets AFTER INSERT ON pets BEGIN DELETE FROM pets; END",
    ],
)
@pytest.mark.usefixtures("shop")
def test_a_store_with_a_view_or_a_trigger_that_is_called_like_ours_is_refused(
    run_here: Run, home: Path, tmp_path: Path, sql: str
) -> None:
    assert run_here("backup", "copy.tar").returncode == 0
    with tarfile.open("copy.tar") as archive:
        archive.extractall(tmp_path / "there", filter="data")
    with closing(sqlite3.connect(tmp_path / "there" / "store.sqlite3")) as connection:
        connection.executescript(sql)
    with tarfile.open("other.tar", "w") as archive:
        for path in sorted((tmp_path / "there").rglob("*")):
            if path.is_file():
                archive.add(path, path.relative_to(tmp_path / "there"))
    other = tmp_path / "other"
    refused = run_here("restore", "other.tar", HOME=str(other))
    assert refused.returncode == 2
    assert "that is called like a table of pettui's" in refused.stderr
    assert not other.joinpath(*DATA).exists()
    database = f"--database={tmp_path / 'there' / 'store.sqlite3'}"
    assert "that is called like a table" in run_here("serve", "--check", database).stderr
    assert home.joinpath(*DATA, "store.sqlite3").exists()
