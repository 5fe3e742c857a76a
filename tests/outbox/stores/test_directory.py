"""Entries and drafts on a real disk, sound, damaged, full and shut."""

from __future__ import annotations

import os
import resource
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pettui.outbox import DirectoryEntryStore, Draft, EntryState, OutboxError
from tests.outbox.scripted import an_entry, left_behind
from tests.small_disks import as_root, full_disk, mounted

if TYPE_CHECKING:
    from pathlib import Path

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
        store.keep_draft(Draft("Mimi"))
    finally:
        os.umask(old)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()}
    assert len(modes) == 3
    assert set(modes.values()) == {0o600}
    made = (directory, *list(directory.parents)[:3])
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o700}


def test_nothing_is_made_before_there_is_something_to_keep(
    store: DirectoryEntryStore, tmp_path: Path
) -> None:
    assert store.load().entries == ()
    assert store.take_over_draft() == Draft()
    store.keep_draft(Draft())
    store.close()
    assert list(tmp_path.iterdir()) == []


def test_what_an_ended_instance_was_sending_is_unknown_and_says_why(
    store: DirectoryEntryStore, directory: Path
) -> None:
    left_behind(directory, state="sending")
    (entry,) = store.load().entries
    assert entry.state is EntryState.UNKNOWN
    assert entry.error == "pettui exited while this was being sent"
    assert not entry.owned_elsewhere


def test_what_a_running_instance_owns_is_shown_and_left_alone(
    store: DirectoryEntryStore, other: DirectoryEntryStore
) -> None:
    store.add(ENTRY)
    store.change(ENTRY, ENTRY.becoming(EntryState.SENDING))
    (entry,) = other.load().entries
    assert (entry.state, entry.owned_elsewhere) == (EntryState.SENDING, True)
    store.close()
    (entry,) = other.load().entries
    assert (entry.state, entry.owned_elsewhere) == (EntryState.UNKNOWN, False)


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
    unknown = replace(sending, state=EntryState.UNKNOWN, error="no response")
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


def test_a_first_load_misses_no_entry_that_another_instance_is_renaming(directory: Path) -> None:
    entries = [an_entry(key=f"{number:020d}-00000000") for number in range(20)]
    one = DirectoryEntryStore(directory)
    for entry in entries:
        one.add(entry)
    is_over = threading.Event()

    def rename_on_and_on() -> None:
        while not is_over.is_set():
            for entry in entries:
                sending = entry.becoming(EntryState.SENDING)
                assert one.change(entry, sending)
                assert one.change(sending, entry)

    with ThreadPoolExecutor(1) as thread:
        renaming = thread.submit(rename_on_and_on)
        found = []
        for _ in range(40):
            other = DirectoryEntryStore(directory)
            found.append(len(other.load().entries))
            other.close()
        is_over.set()
        renaming.result()
    one.close()
    assert found == [len(entries)] * len(found)


def test_a_lock_that_was_removed_is_acquired_again(
    store: DirectoryEntryStore, other: DirectoryEntryStore, directory: Path
) -> None:
    store.keep_draft(Draft("Rex"))
    for lock in directory.glob("*.lock"):
        lock.unlink()
    store.add(ENTRY)
    assert [entry.owned_elsewhere for entry in other.load().entries] == [True]


def test_the_draft_in_a_running_instances_form_is_not_taken_over(
    store: DirectoryEntryStore, other: DirectoryEntryStore
) -> None:
    store.keep_draft(Draft("Rex"))
    assert other.take_over_draft() == Draft()


def test_what_an_ended_instance_was_writing_is_removed(
    store: DirectoryEntryStore, directory: Path
) -> None:
    left_behind(directory)
    (directory / "0123456789abcdef.tmp").write_text('{"name": "Re')
    store.load()
    assert list(directory.glob("0123456789abcdef*")) == []


def test_a_damaged_file_is_reported_once(store: DirectoryEntryStore, directory: Path) -> None:
    left_behind(directory, content="")
    assert store.load().problems == store.load().problems


def test_an_endless_file_costs_no_memory(store: DirectoryEntryStore, directory: Path) -> None:
    with left_behind(directory).open("r+b") as file:
        file.truncate(10 * 2**40)
    assert len(store.load().problems) == 1


@pytest.mark.parametrize("further", ["sending", "added"])
def test_of_an_entry_that_a_backup_put_back_only_the_furthest_counts(
    store: DirectoryEntryStore, directory: Path, further: str
) -> None:
    left_behind(directory)
    left_behind(directory, state=further)
    (entry,) = store.load().entries
    assert entry.state is not EntryState.WAITING
    assert [path.name.split(".")[2] for path in directory.glob("*.damaged")] == ["waiting"]
    store.close()


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
            with pytest.raises(OutboxError, match="no space left on device"):
                store.change(sending, added)
            assert names(directory) == ["added.json"]
        assert store.change(sending, added)
        assert DirectoryEntryStore(directory).load().entries[0].pet_id == 7
        store.close()


def test_a_limit_on_the_size_of_files_is_reported_before_the_entry_is_taken(
    store: DirectoryEntryStore, directory: Path
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(OutboxError, match=r"cannot keep Rex: .*: file too large"):
            store.add(ENTRY)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert names(directory, "*.*.*") == []
    store.add(ENTRY)
