"""What damage, theft and want on the outbox's disk cost: a line, and nothing that was typed."""

from __future__ import annotations

import asyncio
import json
import math
import os
import resource
import shutil
import subprocess
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pettui.outbox.entries import Entry, EntryState, OutboxError
from pettui.outbox.stores.directory import DirectoryEntryStore
from tests.outbox.scripted import (
    DEAD,
    GOOD,
    ScriptedClient,
    add,
    an_entry,
    entry_id_of,
    left_behind,
    send,
    states,
)
from tests.small_disks import as_root, full_disk, mounted
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pettui.outbox.outbox import Outbox
    from tests.outbox.conftest import MakeOutbox


def remove_lock(directory: Path) -> None:
    next(directory.glob("*.lock")).unlink()


# ── damage ───────────────────────────────────────────────────────────────────────────────────────


def set_aside(directory: Path) -> int:
    return len([*directory.glob("*.damaged")])


def changed(**fields: object) -> Callable[[Path], object]:
    return lambda path: path.write_text(json.dumps(json.loads(GOOD) | fields))


def a_link(path: Path) -> None:
    elsewhere = path.parent.with_name("elsewhere.json")
    elsewhere.write_text(GOOD)
    path.symlink_to(elsewhere)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "due is not a number": changed(due=math.nan),
    "due of 401 digits": changed(due=10**400),
    "due is true": changed(due=True),
    "a category of 5,000 digits": lambda path: path.write_text(f'{{"category_id": {"9" * 5000}}}'),
    "an id of 30 digits": changed(pet_id=10**30),
    "a status that is a number": changed(status=7),
    "a name that is a list": changed(name=["Rex"]),
    "a store that is none": changed(store_id="elsewhere"),
    "no name": lambda path: path.write_text('{"category_id": 3, "due": 0}'),
    "a list": lambda path: path.write_text("[]"),
    "half of it": lambda path: path.write_text(GOOD[:20]),
    "other bytes": lambda path: path.write_bytes(b"\xff\xfe\x00"),
    "brackets without end": lambda path: path.write_text("[" * 100_000),
    "10 TB": lambda path: path.touch() or os.truncate(path, 10 * 2**40),
    "a full directory": lambda path: (path / "in" / "it").mkdir(parents=True),
    "a pipe": os.mkfifo,
    "a link to an entry": a_link,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
async def test_what_is_damaged_is_set_aside_and_keeps_nothing_else_from_being_sent(
    make_outbox: MakeOutbox, directory: Path, damage: Callable[[Path], object]
) -> None:
    damage(left_behind(directory, None))
    left_behind(directory, GOOD.replace("Rex", "Mimi"), entry_id=entry_id_of(2))
    outbox = make_outbox(DirectoryEntryStore(directory))
    await until(lambda: states(outbox) == ["Mimi added"])
    (problem,) = outbox.problems
    assert "set aside" in problem
    assert set_aside(directory) == 1


# ── what somebody took away ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("files_at_first", [1, 3])
def test_entries_whose_files_vanish_one_by_one_are_written_again_and_it_is_reported(
    store: DirectoryEntryStore, directory: Path, files_at_first: int
) -> None:
    for number, name in enumerate(("Rex", "Mimi")):
        store.add(an_entry(name, number=number))
    before = store.load().entries
    *entries, lock = sorted(directory.iterdir(), key=lambda path: path.suffix == ".lock")
    for path in (*entries, lock)[:files_at_first]:
        path.unlink()
    store.load()
    for path in (*entries, lock)[files_at_first:]:
        path.unlink()
    content = store.load()
    assert content.entries == before
    assert content.problems == (f"files were removed from {directory}; they were written again",)
    store.close()
    assert DirectoryEntryStore(directory).load().entries == before


async def test_an_animal_that_is_sent_while_its_directory_vanishes_is_kept_as_added(
    make_outbox: MakeOutbox, client: ScriptedClient, directory: Path
) -> None:
    outbox = make_outbox(DirectoryEntryStore(directory), look_every=1e6)
    await send(outbox, client, "Rex")
    shutil.rmtree(directory, ignore_errors=True)
    client.may_respond.set()
    await until(lambda: states(outbox) == ["Rex added"])
    (entry,) = DirectoryEntryStore(directory).load().entries
    assert (entry.state, entry.pet_id) == (EntryState.ADDED, 1)


async def test_what_became_of_an_animal_that_another_window_owns_by_then_is_reported(
    make_outbox: MakeOutbox, client: ScriptedClient, directory: Path, other: DirectoryEntryStore
) -> None:
    """It took this instance over, since its lock was removed, and sends the entry again."""
    outbox = make_outbox(DirectoryEntryStore(directory), look_every=1e6)
    await send(outbox, client, "Rex")
    remove_lock(directory)
    (unknown,) = other.load().entries
    waiting = unknown.becoming(EntryState.WAITING)
    assert other.change(unknown, waiting)
    assert other.change(waiting, waiting.becoming(EntryState.SENDING))
    client.may_respond.set()
    await until(lambda: outbox.problems)
    (problem,) = outbox.problems
    assert problem.startswith("Rex is added with id 1, but its file was changed")
    await until(lambda: [entry.owned_elsewhere for entry in outbox.entries] == [True])


# ── want ─────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def no_descriptors(_: Path) -> Iterator[None]:
    """Leave the process no descriptor within the block, whatever its other threads close."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@contextmanager
def read_only(directory: Path) -> Iterator[None]:
    subprocess.run(["mount", "-o", "remount,ro", str(directory)], check=True)
    yield
    subprocess.run(["mount", "-o", "remount,rw", str(directory)], check=True)


WANT = {
    "disk": (full_disk, "the disk is full"),
    "descriptors": (no_descriptors, "too many open files"),
}


@as_root
@pytest.mark.parametrize(("want", "reason"), WANT.values(), ids=WANT.keys())
async def test_in_a_shortage_nothing_is_accepted_or_lost_and_afterwards_all_works(
    make_outbox: MakeOutbox, client: ScriptedClient, want: Any, reason: str
) -> None:
    with mounted("size=64k,nr_inodes=32,mode=700") as directory:
        outbox = make_outbox(DirectoryEntryStore(directory))
        await send(outbox, client, "Rex")
        with want(directory):
            with pytest.raises(OutboxError, match=reason):
                await add(outbox, "Never")
            client.may_respond.set()
            await until(lambda: states(outbox) == ["Rex added"])
        await until(lambda: outbox.store_state.error is None)
        await add(outbox, "Mimi")
        await until(lambda: states(outbox) == ["Rex added", "Mimi added"])
        assert outbox.problems == ()
        await outbox.close()
        kept = DirectoryEntryStore(directory).load().entries
        assert [(entry.name, entry.pet_id) for entry in kept] == [("Rex", 1), ("Mimi", 2)]


@as_root
async def test_on_a_read_only_disk_what_an_ended_instance_left_is_in_no_other_window(
    make_outbox: MakeOutbox,
) -> None:
    with mounted("size=64k,mode=700") as directory:
        for number, state in enumerate(("waiting", "sending", "refused")):
            left_behind(directory, entry_id=entry_id_of(number), state=state)
        (directory / f"{DEAD}.lock").touch()  # as a kill leaves it
        with read_only(directory):
            outbox = make_outbox(DirectoryEntryStore(directory))
            assert [entry.owned_elsewhere for entry in outbox.entries] == [False] * 3
            assert [each.split()[1] for each in states(outbox)] == ["waiting", "unknown", "refused"]
            assert outbox.problems == (f"{directory}: the file system is read-only",)
            await until(lambda: "read-only" in (outbox.sending.waiting_for or ""))
        await until(lambda: states(outbox)[0] == "Rex added")
        await until(lambda: outbox.problems == ())
        await outbox.close()


class SlowStore(DirectoryEntryStore):
    """A store whose disk takes its time to note that something is being sent."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.is_asked = threading.Event()
        self.go_on = threading.Event()

    def change(self, old: Entry, new: Entry) -> bool:
        if new.state is EntryState.SENDING:
            self.is_asked.set()
            self.go_on.wait(20)
        return super().change(old, new)


@pytest.mark.parametrize("grace", [0.0, 20.0])
async def test_an_entry_that_a_slow_disk_kept_from_being_sent_waits_still(
    make_outbox: MakeOutbox, client: ScriptedClient, directory: Path, grace: float
) -> None:
    store = SlowStore(directory)
    outbox = make_outbox(store)
    await add(outbox, "Rex")
    await asyncio.to_thread(store.is_asked.wait, 20)
    closing = asyncio.create_task(outbox.close(grace=grace))
    await asyncio.sleep(0)
    asyncio.get_running_loop().call_later(0.05, store.go_on.set)
    await closing
    assert client.sent == []
    (entry,) = DirectoryEntryStore(directory).load().entries
    assert (entry.state, entry.error) == (EntryState.WAITING, None)


async def test_listeners_are_called_when_the_disk_fails_and_when_it_works_again(
    kept_outbox: Outbox, directory: Path
) -> None:
    seen: list[str | None] = []
    kept_outbox.subscribe_to_status(lambda: seen.append(kept_outbox.store_state.error))
    await add(kept_outbox, "Rex")
    await until(lambda: states(kept_outbox) == ["Rex added"])
    with no_descriptors(directory):
        await until(lambda: any(seen))
    await until(lambda: seen[-1] is None)
    # A look that was under way may also have told that it could not open a file.
    assert len([error for error in seen if error]) == 1
