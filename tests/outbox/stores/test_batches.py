"""Several entries are kept all or not at all; see ``dying_process`` for every moment of a kill."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pettui.models import NewPet
from pettui.outbox import DirectoryEntryStore, EntryState, MemoryEntryStore, OutboxError
from tests.outbox.scripted import DEAD, GOOD, ScriptedClient, an_entry, until
from tests.small_disks import as_root, full_disk, mounted

if TYPE_CHECKING:
    from pettui.outbox import Outbox
    from tests.outbox.conftest import MakeOutbox

KEYS = [f"{number:020d}-00000000" for number in (1, 2, 3)]


def pets(count: int, name: str = "Rex") -> list[NewPet]:
    return [NewPet(name=f"{name} {number}", category_id=3) for number in range(count)]


def left_behind(directory: Path, *, renamed: int, is_kept: bool) -> None:
    """Leave a batch as an instance that was killed in the middle of it does."""
    directory.mkdir(parents=True)
    for index, key in enumerate(KEYS):
        ending = "" if index < renamed else ".prepared"
        (directory / f"{key}.{DEAD}.waiting.json{ending}").write_text(GOOD)
    if is_kept:
        (directory / f"{DEAD}.prepared").touch()


def keys(store: DirectoryEntryStore) -> list[str]:
    return [entry.key for entry in store.load().entries]


@pytest.mark.parametrize("renamed", [0, 3])
def test_a_batch_that_was_kept_is_finished_by_the_next_instance(
    store: DirectoryEntryStore, directory: Path, renamed: int
) -> None:
    left_behind(directory, renamed=renamed, is_kept=True)
    assert keys(store) == KEYS
    assert list(directory.glob("*.prepared")) == []


def test_a_batch_that_was_not_kept_never_was(store: DirectoryEntryStore, directory: Path) -> None:
    left_behind(directory, renamed=0, is_kept=False)
    assert keys(store) == []
    assert list(directory.glob("*.prepared")) == []


def test_what_another_running_instance_prepares_is_left_alone(directory: Path) -> None:
    writing, looking = DirectoryEntryStore(directory), DirectoryEntryStore(directory)
    entries = [an_entry(key=key) for key in KEYS]
    writing.prepare(entries[:2])
    assert keys(looking) == []
    writing.prepare(entries[2:])
    writing.add_prepared(entries)
    assert len(keys(looking)) == 3
    assert [entry.owned_elsewhere for entry in looking.load().entries] == [True] * 3
    assert writing.change(entries[0], entries[0].becoming(EntryState.SENDING))
    writing.close()
    looking.close()


async def test_many_are_sent_in_their_order_and_each_once(
    kept_outbox: Outbox, client: ScriptedClient
) -> None:
    entries = await kept_outbox.add_all(pets(20))
    await until(kept_outbox, lambda: len(kept_outbox.added_here) == 20)
    assert [pet.name for pet in client.sent] == [entry.name for entry in entries]
    assert kept_outbox.typed_here == {entry.key for entry in entries}


async def test_a_demo_without_room_for_all_takes_none(make_outbox: MakeOutbox) -> None:
    outbox = make_outbox(MemoryEntryStore(entries=100), delay=3600)
    with pytest.raises(OutboxError, match="full"):
        await outbox.add_all(pets(101))
    assert outbox.entries == ()
    assert len(await outbox.add_all(pets(100))) == 100


@as_root
async def test_a_disk_that_is_full_in_the_middle_keeps_none(
    make_outbox: MakeOutbox, client: ScriptedClient
) -> None:
    with mounted("size=300k") as disk:
        directory = disk / "outbox"
        outbox = make_outbox(DirectoryEntryStore(directory))
        with pytest.raises(OutboxError, match="no space left"):
            await outbox.add_all(pets(120, "x" * 3000))
        assert outbox.entries == ()
        assert list(directory.glob("*.json*")) == []
        await outbox.add_all(pets(3))
        with full_disk(disk), pytest.raises(OutboxError, match="no space left"):
            await outbox.add_all(pets(2, "Mimi"))
        await until(outbox, lambda: len(outbox.added_here) == 3)
        assert [pet.name for pet in client.sent] == ["Rex 0", "Rex 1", "Rex 2"]
        await outbox.close()


@pytest.mark.parametrize("renamed", [0, 2])
async def test_many_whose_files_an_error_kept_from_their_names_are_sent_all_the_same(
    make_outbox: MakeOutbox,
    client: ScriptedClient,
    directory: Path,
    monkeypatch: pytest.MonkeyPatch,
    renamed: int,
) -> None:
    """They are kept by then: nobody is told that they are not, and the next look finishes them."""
    rename, done = Path.rename, []

    def failing(path: Path, new: Path) -> Path:
        if path.name.endswith(".prepared"):
            done.append(new)
            if len(done) == renamed + 1:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
        return rename(path, new)

    monkeypatch.setattr(Path, "rename", failing)
    outbox = make_outbox(DirectoryEntryStore(directory))
    await outbox.add_all(pets(3))
    await until(outbox, lambda: len(outbox.added_here) == 3)
    assert sorted(pet.name for pet in client.sent) == ["Rex 0", "Rex 1", "Rex 2"]
    await outbox.close()
    assert len(keys(DirectoryEntryStore(directory))) == 3
