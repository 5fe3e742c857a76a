"""The directory store: its files, the instances that share them, and where each outbox is."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pettui.outbox.entries import Draft, EntryState, OutboxError, Refusal
from pettui.outbox.owners import ssh_owner
from pettui.outbox.stores import directory as directory_store
from pettui.outbox.stores.directory import DirectoryEntryStore
from pettui.outbox.stores.directory_owners import DirectoryOwners, saved_files
from tests.outbox.on_disk import outbox_directory
from tests.outbox.scripted import DEAD, ENTRY_ID, STORE, an_entry, entry_id_of, left_behind
from tests.small_disks import as_root, full_disk, mounted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.outbox.conftest import OpenStore

ENTRY = an_entry()


def names(directory: Path, pattern: str = "*.json") -> list[str]:
    """Return the endings of names, without key and instance."""
    return sorted(path.name.split(".", 2)[-1] for path in directory.glob(pattern))


def test_files_and_directories_are_their_owners_alone(
    store: DirectoryEntryStore, directory: Path
) -> None:
    old = os.umask(0)
    try:
        store.add(ENTRY)
        store.keep_draft(0, Draft("Mimi"))
    finally:
        os.umask(old)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()}
    assert len(modes) == 3
    assert set(modes.values()) == {0o600}
    made = (directory, *list(directory.parents)[:3])
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o700}


def test_an_entry_that_another_instance_sends_again_is_not_taken_from_it(
    store: DirectoryEntryStore, other: DirectoryEntryStore
) -> None:
    """Else both would send it: the first one may still be writing its file."""
    unknown = an_entry(state=EntryState.UNKNOWN)
    store.add(unknown)
    other.load()
    waiting = unknown.becoming(EntryState.WAITING)
    assert store.change(unknown, waiting)
    other.load()
    assert not other.change(unknown, waiting)
    assert store.change(waiting, waiting.becoming(EntryState.SENDING))


def test_an_entry_that_another_instance_takes_while_it_is_written_is_there_once(
    store: DirectoryEntryStore, other: DirectoryEntryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the new name and the new content another one may send it again."""
    sending = an_entry(state=EntryState.SENDING)
    store.add(sending)
    unknown = replace(sending, state=EntryState.UNKNOWN, refusal=Refusal("no response"))
    real_fsync = os.fsync

    def taken(descriptor: int) -> None:
        real_fsync(descriptor)
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            monkeypatch.setattr(os, "fsync", real_fsync)
            [found] = other.load().entries
            assert other.change(found, found.becoming(EntryState.WAITING))

    monkeypatch.setattr(os, "fsync", taken)
    assert store.change(sending, unknown)
    [entry] = store.load().entries
    assert entry.state is EntryState.WAITING


@pytest.mark.parametrize("further", ["sending", "added"])
def test_of_an_entry_that_a_backup_put_back_only_the_furthest_counts(
    store: DirectoryEntryStore, directory: Path, further: str
) -> None:
    left_behind(directory)
    left_behind(directory, state=further)
    (entry,) = store.load().entries
    assert entry.state is not EntryState.WAITING
    assert [path.name.split(".")[2] for path in directory.glob("*.damaged")] == ["waiting"]


# ── a full disk, and one that cannot be written ──────────────────────────────────────────────────


@as_root
def test_on_a_full_disk_the_state_is_kept_and_the_rest_once_there_is_room() -> None:
    with mounted("size=64k,mode=700") as directory:
        store = DirectoryEntryStore(directory)
        sending = ENTRY.becoming(EntryState.SENDING)
        added = ENTRY.becoming(EntryState.ADDED, pet_id=7)
        store.add(ENTRY)
        with full_disk(directory):
            assert store.change(ENTRY, sending)
            with pytest.raises(OutboxError, match="the disk is full"):
                store.change(sending, added)
            assert names(directory) == ["added.json"]
        assert store.change(sending, added)
        assert DirectoryEntryStore(directory).load().entries[0].pet_id == 7
        store.close()


# ── which instances run and which are abandoned, with real processes ─────────────────────────────

ENTRIES = 20
RUNNING = f"""
import subprocess, sys
from pathlib import Path
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.outbox.scripted import an_entry
store = DirectoryEntryStore(Path(sys.argv[1]))
for number in range({ENTRIES}):
    store.add(an_entry(number=number))
subprocess.Popen("cat", close_fds=False)  # runs until its input ends
print("kept", flush=True)
sys.stdin.read()
"""


@contextmanager
def running_process(directory: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", RUNNING, str(directory)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout.readline() == "kept\n"
        yield process
        process.kill()


def owned(store: DirectoryEntryStore) -> int:
    """Look what there is, and return how many of all entries are the store's own."""
    entries = store.load().entries
    assert len(entries) == ENTRIES
    return sum(not entry.owned_elsewhere for entry in entries)


def test_an_instance_is_abandoned_as_soon_as_its_process_was_killed(
    store: DirectoryEntryStore, directory: Path
) -> None:
    """A program that it had started does not hold its lock."""
    with running_process(directory) as process:
        assert owned(store) == 0
        process.kill()
        process.wait()
        assert owned(store) == ENTRIES
    store.close()
    assert [*directory.glob("*.lock*")] == []


def test_an_abandoned_instance_is_taken_over_by_one_at_a_time(
    open_store: OpenStore, directory: Path
) -> None:
    with running_process(directory):
        pass
    stores = [open_store() for _ in range(4)]
    with ThreadPoolExecutor(len(stores)) as threads:
        list(threads.map(DirectoryEntryStore.load, stores))
    assert sorted(owned(store) for store in stores) == [0, 0, 0, ENTRIES]


# ── where outboxes are and what their files are called ───────────────────────────────────────────

ADDRESS = "https://store.example/v1"


@pytest.mark.parametrize(
    ("address", "is_same"),
    [
        ("HTTPS://STORE.example/v1", True),
        ("http://store.example/v1", False),
        ("/home/ann/https:/store.example/v1", False),
    ],
)
def test_an_address_has_one_outbox_however_it_is_written(address: str, *, is_same: bool) -> None:
    ours = outbox_directory(STATE, "ann", "shop", ADDRESS)
    assert (outbox_directory(STATE, "ann", "shop", address) == ours) == is_same


@pytest.mark.parametrize("is_committed", [True, False], ids=["committed", "prepared"])
def test_a_batch_is_there_for_all_who_read_from_the_moment_on_in_which_it_was_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_committed: bool
) -> None:
    """Its window was killed before it renamed the files; so nobody has yet."""
    owners = DirectoryOwners(tmp_path, "shop", ADDRESS)
    owner = owners.of(ssh_owner("SHA256:anna"))
    entries = [an_entry(f"Rex {number}", number=number) for number in range(1, 13)]
    store = owner.open()
    with monkeypatch.context() as patch:
        patch.setattr(DirectoryEntryStore, "_complete_prepared", Mock(side_effect=OSError))
        steps = store.add_all(entries)
        next(steps)
        if is_committed:
            assert [*steps] == []
    store.close()
    names = [entry.name for entry in entries] if is_committed else []
    assert [entry.name for entry in owner.entries()] == names
    assert owner.summary().entries.get("waiting", 0) == len(names)
    assert [each.id for each in owners.unattended()] == [owner.id] * is_committed
    saved = [name for name, _ in saved_files(tmp_path) if name.name.endswith(".json")]
    assert len(saved) == len(names)
    assert not [name for name, _ in saved_files(tmp_path) if "prepared" in name.name]
    assert [entry.name for entry in owner.open().load().entries] == names


any_text = st.text(st.characters(exclude_categories=()))
STATE = Path("/state")


@given(owner=any_text, profile=any_text)
def test_whatever_the_owner_and_the_profile_are_called_it_is_two_levels_down(
    owner: str, profile: str
) -> None:
    directory = outbox_directory(STATE, owner, profile, ADDRESS)
    assert directory.parent.parent == STATE / "outbox"
    assert ".." not in directory.parts
    assert all(0 < len(part) <= 255 for part in directory.parts)


@given(one=any_text, other=any_text)
def test_two_owners_never_share_a_directory_even_where_case_does_not_count(
    one: str, other: str
) -> None:
    first = str(outbox_directory(STATE, one, "staging", ADDRESS)).casefold()
    second = str(outbox_directory(STATE, other, "staging", ADDRESS)).casefold()
    assert (first == second) == (one == other)


# ── what a store adds once ───────────────────────────────────────────────────────────────────────


def test_a_store_is_kept_before_the_state_so_that_a_kill_in_between_loses_nothing(
    directory: Path, store: DirectoryEntryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = an_entry()
    store.add(waiting)
    seen: list[tuple[str, bool]] = []
    rename = directory_store._renamed

    def looked(old: Path, new: Path) -> bool:
        seen.append((old.name.split(".")[2], STORE in old.read_text()))
        return rename(old, new)

    monkeypatch.setattr(directory_store, "_renamed", looked)
    assert store.change(waiting, replace(waiting.becoming(EntryState.SENDING), store_id=STORE))
    assert seen == [("waiting", True)]


EARLIER = """{"name": "Rex", "category_id": 3, "status": null, "due": 1795919914.3884075, \
"pet_id": null, "sent_at": null, "replaces": %s, "store_id": null, "error": null}"""


def test_a_correction_of_an_earlier_version_stands_beside_what_it_corrects(
    store: DirectoryEntryStore, directory: Path
) -> None:
    left_behind(directory, EARLIER % "null", state="refused")
    replacing = EARLIER % f'"{ENTRY_ID}"'
    left_behind(directory, replacing, entry_id=entry_id_of(2))
    draft = left_behind(directory, replacing, entry_id=entry_id_of(3))
    draft.rename(directory / f"{DEAD}.draft.json")
    assert [entry.state.value for entry in store.load().entries] == ["refused", "waiting"]
    store.take_over_drafts()
    assert [draft.name for draft in store.drafts.values()] == ["Rex"]
